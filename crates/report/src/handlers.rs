//! Handlers and pairs of a class path, as `catchment handlers` lists them.

pub(crate) mod json;
pub(crate) mod text;

use catchment_pairs::ClassPairs;

/// The handlers of everything that was read, in class path order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HandlerListing {
    /// Number of classes that were read.
    pub classes_read: usize,
    /// Classes with handlers.
    pub classes: Vec<ListedClass>,
    pub problems: Vec<ListedProblem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedClass {
    /// The folder or archive the class was read from.
    pub origin: String,
    pub location: ClassLocation,
    pub pairs: ClassPairs,
}

/// Where a class comes from in its project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassLocation {
    /// Path of the source file from the top of the repository, where it is known.
    pub source: Option<String>,
    /// Folder of the module that compiled the class, from the top of the repository.
    pub module: Option<String>,
    /// File name of the jar that has the class, if one does.
    pub jar: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedProblem {
    pub place: String,
    pub what: String,
}
