//! Handlers and pairs of a class path, as `catchment handlers` lists them.

pub(crate) mod json;
pub(crate) mod text;

use catchment_pairs::{ClassLocation, ClassPairs};

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

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedProblem {
    pub place: String,
    pub what: String,
}
