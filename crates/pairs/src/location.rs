//! The place of a class in its project.

use std::path::Path;

/// Source file, module and jar of a class, as far as they are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClassLocation {
    /// Path of the source file from the top of the repository, with slashes; `None` if it is not known or not the only
    /// one.
    pub source: Option<String>,
    /// Folder of the module that compiled the class, from the top of the repository, `.` for the top itself.
    pub module: Option<String>,
    /// File name of the jar that has the class, if one does.
    pub jar: Option<String>,
}

impl ClassLocation {
    /// The source file if code in `file` stands in it: inline functions lie in other files than the class that has
    /// their code.
    pub fn source_of(&self, file: Option<&str>) -> Option<&str> {
        self.source.as_deref().filter(|source| file.is_some_and(|file| Path::new(source).ends_with(file)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_of_another_file_has_no_source() {
        let location = ClassLocation { source: Some("src/a/B.kt".to_owned()), ..ClassLocation::default() };
        assert_eq!(location.source_of(Some("B.kt")), Some("src/a/B.kt"));
        assert_eq!([Some("Inline.kt"), Some(".kt"), None].map(|file| location.source_of(file)), [None; 3]);
    }
}
