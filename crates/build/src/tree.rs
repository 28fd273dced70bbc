//! The files of a project: its sources, and those that its build has made.

use crate::copy::{Selection, names_in};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Our own folder in the project.
pub(super) const OWN_FOLDER: &str = ".catchment";

/// Never part of the copy. Git finds its repository upwards from there.
const NEVER_COPIED: &[&str] = &[OWN_FOLDER, ".git"];

pub(super) const GRADLE_FILES: &[&str] =
    &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

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
        is_never_copied(relative) || is_output(source)
    }
}

/// Sources and outputs, but nothing of ours.
#[derive(Debug)]
pub(super) struct SourcesAndOutputs;

impl Selection for SourcesAndOutputs {
    fn leaves_alone(&self, relative: &Path, _: &Path) -> bool {
        is_never_copied(relative)
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

fn is_never_copied(relative: &Path) -> bool {
    let name = relative.file_name().unwrap_or_default();
    // The report of a check that is still running, or was killed, stands beside ours.
    NEVER_COPIED.iter().any(|never| name == *never) || name.as_encoded_bytes().starts_with(b".catchment-")
}

/// Tells whether a build tool has made this folder and will make it again.
pub(super) fn is_output(folder: &Path) -> bool {
    let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else { return false };
    let stands_beside = |files: &[&str]| files.iter().any(|file| parent.join(file).is_file());
    match name.to_str() {
        Some("target") => folder.is_dir() && stands_beside(&["pom.xml"]),
        Some("build") => is_gradle_output(folder, stands_beside(GRADLE_FILES)),
        Some(".gradle") => folder.is_dir() && stands_beside(GRADLE_FILES),
        _ => false,
    }
}

/// A module need not have a build file of its own; then only what a compiler left there tells.
fn is_gradle_output(folder: &Path, stands_beside_build: bool) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| folder.join(name).is_dir());
    let is_module = GRADLE_FILES.iter().any(|file| folder.join(file).is_file());
    let is_sure = has(&["classes/java", "classes/kotlin", "classes/groovy", "classes/scala"]);
    !is_module && (is_sure || (stands_beside_build && has(IN_GRADLE_OUTPUT)))
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

/// Calls `each` for every file and link of the selection, by path, and every folder, before what is in it.
pub(super) fn visit_tree(
    root: &Path,
    relative: &Path,
    selection: &dyn Selection,
    each: &mut dyn FnMut(&Path, &fs::Metadata) -> io::Result<()>,
) -> io::Result<()> {
    for name in names_in(&root.join(relative))? {
        let relative = relative.join(name);
        let path = root.join(&relative);
        if selection.leaves_alone(&relative, &path) {
            continue;
        }
        let metadata = fs::symlink_metadata(&path)?;
        each(&relative, &metadata)?;
        if metadata.is_dir() {
            visit_tree(root, &relative, selection, each)?;
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
        assert!(is_output_in(&["settings.gradle", "app/build/classes/java/main/A.class"], "app/build"));
    }

    #[test]
    fn a_folder_named_build_may_hold_sources() {
        assert!(!is_output_in(&["build.gradle", "build/release.sh"], "build"));
        assert!(!is_output_in(&["settings.gradle", "build/build.gradle", "build/libs/a"], "build"));
    }
}
