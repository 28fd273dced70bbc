//! Class folders: the entries of a class path that are the project's own, and those of them that hold tests.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::command_line::split_paths;
use crate::tree::is_output;

/// The application's class folders and jars, then those of the tests. Modules that lie on the module path count too.
pub(super) fn split_class_path(
    class_path: &[PathBuf],
    jvm_arguments: &[OsString],
    known_tests: &[PathBuf],
    root: &Path,
) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut tests: Vec<PathBuf> = known_tests.iter().filter(|folder| folder.exists()).cloned().collect();
    let mut application = Vec::new();
    for entry in class_path.iter().cloned().chain(module_path(jvm_arguments)) {
        if !is_built_here(&entry, root) || tests.contains(&entry) || application.contains(&entry) {
            continue;
        }
        if is_for_tests(&entry) {
            tests.push(entry);
        } else {
            application.push(entry);
        }
    }
    (application, tests)
}

/// The elements of a module path.
pub fn module_path(jvm_arguments: &[OsString]) -> Vec<PathBuf> {
    let mut entries = Vec::new();
    let mut arguments = jvm_arguments.iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        if text == "-p" || text == "--module-path" {
            entries.extend(arguments.next().map(|value| split_paths(value)).unwrap_or_default());
        } else if let Some(value) = text.strip_prefix("--module-path=") {
            entries.extend(split_paths(value.as_ref()));
        }
    }
    entries
}

/// In an output folder of this project; a jar that lies among the sources is somebody else's.
fn is_built_here(entry: &Path, root: &Path) -> bool {
    entry.exists()
        && entry.starts_with(root)
        && entry.ancestors().take_while(|folder| *folder != root).any(is_output)
        && !entry
            .ancestors()
            .take_while(|folder| *folder != root)
            .any(|folder| folder.ends_with("build/resources"))
}

/// By the conventions of Maven (`test-classes`, `core-1.0-tests.jar`) and Gradle (`build/classes/java/test`).
fn is_for_tests(entry: &Path) -> bool {
    let name = entry.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    match entry.extension() {
        Some(extension) if extension == "jar" => name.ends_with("-tests.jar") || name.ends_with("-test.jar"),
        _ => name.contains("test"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn outputs_of_all_modules_are_the_application_and_libraries_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let files = [
            "core/pom.xml",
            "core/target/classes/A.class",
            "core/target/test-classes/T.class",
            "core/target/core-1-tests.jar",
            "app/build.gradle",
            "app/build/classes/java/main/B.class",
            "app/build/classes/java/test/BTest.class",
            "app/build/resources/main/x",
            "lib/other.jar",
            "mod/pom.xml",
            "mod/target/classes/C.class",
        ];
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let paths = |names: &[&str]| names.iter().map(|name| root.join(name)).collect::<Vec<_>>();
        let class_path = paths(&[
            "core/target/test-classes",
            "core/target/classes",
            "core/target/core-1-tests.jar",
            "app/build/classes/java/main",
            "app/build/classes/java/test",
            "app/build/resources/main",
            "lib/other.jar",
            "missing/target/classes",
        ]);
        let arguments =
            ["-Xmx1g".into(), "--module-path".into(), root.join("mod/target/classes").into_os_string()];
        let known = paths(&["core/target/test-classes"]);
        let (application, tests) = split_class_path(&class_path, &arguments, &known, root);
        assert_eq!(
            application,
            paths(&["core/target/classes", "app/build/classes/java/main", "mod/target/classes"])
        );
        assert_eq!(
            tests,
            paths(&[
                "core/target/test-classes",
                "core/target/core-1-tests.jar",
                "app/build/classes/java/test"
            ])
        );
    }
}
