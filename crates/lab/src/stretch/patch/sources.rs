//! Source files of classes.

use std::path::{Path, PathBuf};

/// The source files of a project, by path in its tree.
#[derive(Debug)]
pub(crate) struct Sources {
    files: Vec<PathBuf>,
}

impl Sources {
    pub(crate) fn new(files: Vec<PathBuf>) -> Self {
        Self { files }
    }

    /// The file of this name in the folder of the class's package; Kotlin's may be anywhere. Of several, the one nearest to
    /// where the class was compiled to.
    pub(crate) fn find(&self, class: &str, source_file: &str, compiled_to: &Path) -> Option<&Path> {
        let package = class.rsplit_once('.').map_or("", |(package, _)| package).replace('.', "/");
        let in_package = Path::new(&package).join(source_file);
        let is_named = |file: &Path| file.file_name().is_some_and(|name| name == source_file);
        let in_its_folder = self.nearest(compiled_to, |file| file.ends_with(&in_package));
        let is_kotlin = source_file.ends_with(".kt");
        in_its_folder.or_else(|| self.nearest(compiled_to, |file| is_kotlin && is_named(file)))
    }

    /// The first of equals, in every run.
    fn nearest(&self, to: &Path, is_meant: impl Fn(&Path) -> bool) -> Option<&Path> {
        let meant = self.files.iter().map(PathBuf::as_path).filter(|file| is_meant(file));
        meant.rev().max_by_key(|file| common_folders(file, to))
    }
}

fn common_folders(one: &Path, other: &Path) -> usize {
    one.components().zip(other.components()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(class: &str, source_file: &str, compiled_to: &str) -> Option<String> {
        let files = [
            "app/src/main/java/com/acme/Store.java",
            "core/src/main/java/com/acme/Store.java",
            "core/src/main/java/com/acme/io/Store.java",
            "core/src/main/kotlin/Files.kt",
        ];
        let sources = Sources::new(files.iter().map(PathBuf::from).collect());
        let found = sources.find(class, source_file, Path::new(compiled_to));
        found.map(|path| path.display().to_string())
    }

    #[test]
    fn a_class_is_in_the_folder_of_its_package_in_its_own_module() {
        let core = "core/target/classes/com/acme/Store.class";
        assert_eq!(
            found("com.acme.Store$Inner", "Store.java", core).unwrap(),
            "core/src/main/java/com/acme/Store.java"
        );
        let app = "app/target/classes/com/acme/Store.class";
        assert_eq!(
            found("com.acme.Store", "Store.java", app).unwrap(),
            "app/src/main/java/com/acme/Store.java"
        );
        assert_eq!(found("com.acme.Other", "Other.java", core), None);
        assert_eq!(found("org.acme.Store", "Store.java", core), None);
    }

    #[test]
    fn kotlin_sources_need_not_follow_packages() {
        let found =
            found("com.acme.files.FilesKt", "Files.kt", "core/target/classes/com/acme/files/FilesKt.class");
        assert_eq!(found.unwrap(), "core/src/main/kotlin/Files.kt");
    }
}
