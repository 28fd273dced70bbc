//! From what a user names (a project, a folder, a jar) to the class folders and archives that hold its classes.
//!
//! Looks at the usual places of Maven and Gradle only; builds are not asked and not run.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::java_home::jdk_image;
use crate::layout::is_archive_name;
use crate::visit::LoadError;
use crate::walk::{Met, sorted_entries, walk};

const BUILD_FILES: &[&str] =
    &["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

/// Where `check` builds, in the folder of the build.
const CHECKED_COPY: &str = ".catchment/build";

/// Never modules of the build: sources, outputs, and `buildSrc`, which is code of the build itself.
const NO_MODULES: &[&str] = &["src", "target", "build", "out", "bin", "buildSrc", "node_modules"];

/// The folders and files to [`visit`](crate::visit) for `path`.
///
/// - A folder with a build: the main outputs of all its modules (`target/classes`, `build/classes/*/main`).
/// - A Java installation: its image.
/// - Another folder with classes: itself. Without classes: the archives in it.
/// - A file: itself.
pub fn application_roots(path: &Path) -> Result<Vec<PathBuf>, LoadError> {
    let metadata = fs::metadata(path).map_err(|error| LoadError::unreadable(path, error))?;
    if !metadata.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    if is_build(path) {
        let outputs = outputs_of(path, &MAIN);
        return non_empty(outputs, || LoadError::NotBuilt {
            path: path.to_owned(),
            command: build_command(path),
            checked: checked_copy(path),
        });
    }
    if let Some(image) = jdk_image(path) {
        return Ok(vec![image]);
    }
    if has_classes(path) {
        return Ok(vec![path.to_owned()]);
    }
    non_empty(archives_below(path), || LoadError::NoClasses { path: path.to_owned() })
}

/// The outputs of the tests of all modules of a build (`target/test-classes`, `build/classes/*/test`); none if there is
/// no build here.
pub fn test_roots(folder: &Path) -> Vec<PathBuf> {
    if is_build(folder) { outputs_of(folder, &TESTS) } else { Vec::new() }
}

fn non_empty(roots: Vec<PathBuf>, error: impl FnOnce() -> LoadError) -> Result<Vec<PathBuf>, LoadError> {
    if roots.is_empty() { Err(error()) } else { Ok(roots) }
}

fn is_build(folder: &Path) -> bool {
    BUILD_FILES.iter().any(|file| folder.join(file).is_file())
}

/// The copy of this build, or of this module of it, in which `check` has compiled it: not the classes of the project, as
/// its sources may have changed since, but the user may name it.
fn checked_copy(folder: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(folder).ok()?;
    let copies = folder.ancestors().filter_map(|above| {
        let module = folder.strip_prefix(above).ok()?;
        // Collected, because joining nothing would append a slash.
        Some(above.join(CHECKED_COPY).join(module).components().collect::<PathBuf>())
    });
    copies.into_iter().find(|copy| is_build(copy) && !outputs_of(copy, &MAIN).is_empty())
}

/// The command that compiles a build and its tests.
fn build_command(folder: &Path) -> &'static str {
    let has = |file: &str| folder.join(file).is_file();
    match (has("pom.xml"), has("mvnw"), has("gradlew")) {
        (true, false, _) => "mvn test-compile",
        (true, true, _) => "./mvnw test-compile",
        (false, _, false) => "gradle testClasses",
        (false, _, true) => "./gradlew testClasses",
    }
}

/// Folders in which builds put what they compile.
struct OutputNames {
    maven: &'static str,
    /// Below `build/classes/<language>`.
    gradle: &'static str,
}

const MAIN: OutputNames = OutputNames { maven: "target/classes", gradle: "main" };
const TESTS: OutputNames = OutputNames { maven: "target/test-classes", gradle: "test" };

/// Output folders with classes of the module in `folder` and of those below it. A Gradle module needs no build file
/// of its own, so every folder may be one.
fn outputs_of(folder: &Path, names: &OutputNames) -> Vec<PathBuf> {
    let mut outputs = maven_output(folder, names);
    outputs.extend(gradle_outputs(&folder.join("build/classes"), names, 2));
    outputs.retain(|output| has_classes(output));
    for module in subfolders(folder) {
        let name = module.file_name().unwrap_or_default().to_string_lossy();
        if !name.starts_with('.') && !NO_MODULES.contains(&name.as_ref()) {
            outputs.extend(outputs_of(&module, names));
        }
    }
    outputs
}

fn maven_output(folder: &Path, names: &OutputNames) -> Vec<PathBuf> {
    let is_module = folder.join("pom.xml").is_file();
    is_module.then(|| folder.join(names.maven)).into_iter().collect()
}

/// `<language>/main` below `build/classes`, and `kotlin/<platform>/main` in multi-platform builds.
fn gradle_outputs(folder: &Path, names: &OutputNames, levels: usize) -> Vec<PathBuf> {
    let mut outputs = Vec::new();
    for language in subfolders(folder) {
        let output = language.join(names.gradle);
        if output.is_dir() {
            outputs.push(output);
        } else if levels > 1 {
            outputs.extend(gradle_outputs(&language, names, levels - 1));
        }
    }
    outputs
}

/// Real subfolders by name; links are left alone, since a project may link to its own parents.
fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = sorted_entries(folder).unwrap_or_default();
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|file_type| file_type.is_dir());
    entries.iter().filter(|entry| is_folder(entry)).map(fs::DirEntry::path).collect()
}

fn has_classes(folder: &Path) -> bool {
    let flow = walk(folder, &mut |met| match met {
        Met::File(path) if path.extension().is_some_and(|own| own == "class") => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    flow.is_break()
}

fn archives_below(folder: &Path) -> Vec<PathBuf> {
    let mut archives = Vec::new();
    // Never stopped early, so the result says nothing.
    let _ = walk(folder, &mut |met| {
        if let Met::File(path) = met
            && is_archive_name(&path.to_string_lossy())
        {
            archives.push(path.to_owned());
        }
        ControlFlow::Continue(())
    });
    archives
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these empty files in it.
    fn folder_with(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    fn check(files: &[&str], expected: &[&str]) {
        let root = folder_with(files);
        let roots = application_roots(root.path()).unwrap();
        let expected: Vec<_> = expected.iter().map(|path| root.path().join(path)).collect();
        assert_eq!(roots, expected);
    }

    #[test]
    fn test_outputs_of_a_build_are_apart_from_what_they_test() {
        let root = folder_with(&[
            "pom.xml",
            "core/pom.xml",
            "core/target/classes/a/A.class",
            "core/target/test-classes/a/ATest.class",
            "app/build/classes/kotlin/jvm/test/BTest.class",
            "app/build/classes/java/main/B.class",
        ]);
        let expected = ["app/build/classes/kotlin/jvm/test", "core/target/test-classes"];
        assert_eq!(test_roots(root.path()), expected.map(|path| root.path().join(path)));
        assert_eq!(test_roots(&root.path().join("app/build/classes")), Vec::<PathBuf>::new());
    }

    fn check_error(files: &[&str], expected: &str) {
        let root = folder_with(files);
        let error = application_roots(root.path()).unwrap_err().to_string();
        assert_eq!(error, expected.replace("DIR", &root.path().display().to_string()));
    }

    #[test]
    fn a_maven_project_gives_the_outputs_of_its_modules() {
        let files = [
            "pom.xml",
            "core/pom.xml",
            "core/target/classes/a/A.class",
            "core/target/test-classes/a/ATest.class",
            "docs/pom.xml",
            "docs/target/classes/only.txt",
            "web/inner/pom.xml",
            "web/inner/target/classes/B.class",
            "web/src/test/resources/sample/pom.xml",
            "web/src/test/resources/sample/target/classes/C.class",
        ];
        check(&files, &["core/target/classes", "web/inner/target/classes"]);
    }

    #[test]
    fn a_gradle_project_gives_every_language_of_its_modules() {
        let files = [
            "settings.gradle.kts",
            "app/build/classes/java/main/A.class",
            "app/build/classes/java/test/ATest.class",
            "app/build/classes/kotlin/main/B.class",
            "buildSrc/build/classes/java/main/Plugin.class",
            "multi/build/classes/kotlin/jvm/main/C.class",
        ];
        let outputs = [
            "app/build/classes/java/main",
            "app/build/classes/kotlin/main",
            "multi/build/classes/kotlin/jvm/main",
        ];
        check(&files, &outputs);
    }

    #[test]
    fn a_project_without_outputs_is_told_to_be_built() {
        let how = |files: &[&str], command: &str| {
            check_error(files, &format!("no compiled classes in DIR; build it first: {command}"));
        };
        how(&["pom.xml", "src/main/java/A.java"], "mvn test-compile");
        how(&["pom.xml", "mvnw"], "./mvnw test-compile");
        how(&["build.gradle"], "gradle testClasses");
        how(&["settings.gradle.kts", "gradlew"], "./gradlew testClasses");
    }

    #[test]
    fn what_a_check_has_built_is_named() {
        let files = ["pom.xml", "core/pom.xml", ".catchment/build/pom.xml", ".catchment/build/core/pom.xml"];
        let class = ".catchment/build/core/target/classes/a/A.class";
        let root = folder_with(&[&files[..], &[class]].concat());
        let real = fs::canonicalize(root.path()).unwrap();
        for (folder, copy) in [("", ".catchment/build"), ("core", ".catchment/build/core")] {
            let error = application_roots(&root.path().join(folder)).unwrap_err().to_string();
            let expected = format!("; or name what the last check has built: {}", real.join(copy).display());
            assert!(error.ends_with(&expected), "{error}");
            assert_eq!(application_roots(&real.join(copy)).unwrap().len(), 1);
        }
    }

    #[test]
    fn a_class_folder_and_a_file_are_themselves() {
        check(&["com/acme/A.class"], &[""]);
        let root = folder_with(&["app.jar"]);
        let jar = root.path().join("app.jar");
        assert_eq!(application_roots(&jar).unwrap(), [jar]);
    }

    #[test]
    fn a_folder_of_archives_gives_them() {
        check(&["b.war", "lib/a.jar", "lib/a.txt"], &["b.war", "lib/a.jar"]);
        check_error(&["readme.txt"], "no classes and no archives in DIR");
    }

    #[test]
    fn a_java_home_gives_its_image() {
        check(&["release", "lib/modules", "lib/jrt-fs.jar"], &["lib/modules"]);
    }

    #[test]
    fn a_missing_path_is_an_error_with_its_name() {
        let error = application_roots(Path::new("no/such/path")).unwrap_err();
        assert_eq!(error.to_string(), "cannot read no/such/path: no such file or folder");
    }
}
