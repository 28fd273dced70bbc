//! Which files of a project are its sources and which its build has made.

use super::copy::{Selection, names_in};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Our own folder in the project.
pub(super) const OWN_FOLDER: &str = ".catchment";

/// Never part of the copy. Git finds its repository upwards from there.
const NEVER_COPIED: &[&str] = &[OWN_FOLDER, ".git"];

const GRADLE_FILES: &[&str] = &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

/// What Gradle puts into its output folder. A `build` folder with none of them is somebody's sources.
const IN_GRADLE_OUTPUT: &[&str] = &[
    "classes",
    "libs",
    "tmp",
    "reports",
    "resources",
    "test-results",
    "generated",
    "kotlin",
    "distributions",
];

/// The sources of a project: no outputs, nothing of ours.
#[derive(Debug)]
pub(super) struct Sources;

impl Selection for Sources {
    fn leaves_alone(&self, relative: &Path, source: &Path) -> bool {
        let name = relative.file_name().unwrap_or_default();
        NEVER_COPIED.iter().any(|never| name == *never) || is_output(source)
    }
}

/// All that is in a build copy.
#[derive(Debug)]
pub(super) struct Everything;

impl Selection for Everything {
    fn leaves_alone(&self, _: &Path, _: &Path) -> bool {
        false
    }
}

/// Whether a build tool has made this folder and will make it again.
pub(super) fn is_output(folder: &Path) -> bool {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else { return false };
    let stands_beside = |files: &[&str]| files.iter().any(|file| parent.join(file).is_file());
    match name.to_str() {
        Some("target") => folder.is_dir() && stands_beside(&["pom.xml"]),
        Some("build") => folder.is_dir() && stands_beside(GRADLE_FILES) && is_gradle_output(folder),
        Some(".gradle") => folder.is_dir() && stands_beside(GRADLE_FILES),
        _ => false,
    }
}

fn is_gradle_output(folder: &Path) -> bool {
    let is_module = GRADLE_FILES.iter().any(|file| folder.join(file).is_file());
    !is_module && IN_GRADLE_OUTPUT.iter().any(|name| folder.join(name).is_dir())
}

/// Outermost output folders below `root`.
pub(super) fn outputs_below(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut outputs = Vec::new();
    for name in names_in(root)? {
        let path = root.join(&name);
        if !fs::symlink_metadata(&path)?.is_dir() {
            continue;
        }
        if is_output(&path) {
            outputs.push(path);
        } else {
            outputs.extend(outputs_below(&path)?);
        }
    }
    Ok(outputs)
}

/// Calls `each` for every file and link of the sources, by path, and every folder, before what is in it.
pub(super) fn visit_sources(
    root: &Path,
    relative: &Path,
    each: &mut dyn FnMut(&Path, &fs::Metadata) -> io::Result<()>,
) -> io::Result<()> {
    for name in names_in(&root.join(relative))? {
        let relative = relative.join(name);
        let path = root.join(&relative);
        if Sources.leaves_alone(&relative, &path) {
            continue;
        }
        let metadata = fs::symlink_metadata(&path)?;
        each(&relative, &metadata)?;
        if metadata.is_dir() {
            visit_sources(root, &relative, each)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_output_in(files: &[&str], folder: &str) -> bool {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        is_output(&root.path().join(folder))
    }

    #[test]
    fn an_output_folder_stands_beside_a_build_file() {
        assert!(is_output_in(&["pom.xml", "target/classes/A.class"], "target"));
        assert!(!is_output_in(&["target/classes/A.class"], "target"));
        assert!(!is_output_in(&["src/main/java/target/A.java", "pom.xml"], "src/main/java/target"));
        assert!(is_output_in(&["build.gradle.kts", "build/classes/A.class"], "build"));
        assert!(is_output_in(&["settings.gradle", ".gradle/x"], ".gradle"));
    }

    #[test]
    fn a_folder_named_build_may_hold_sources() {
        assert!(!is_output_in(&["build.gradle", "build/release.sh"], "build"));
        assert!(!is_output_in(&["settings.gradle", "build/build.gradle", "build/libs/a"], "build"));
    }
}
