//! The root of a build: the user may stand in one of its modules.

use crate::maven::pom::Pom;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    Maven,
    Gradle,
}

/// A build on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Build {
    pub(super) tool: Tool,
    /// The folder that has to be copied for the build to work.
    pub(super) root: PathBuf,
    /// Where the build tool is started: the top of the build. `root`, unless the parent lies beside the modules.
    pub(super) top: PathBuf,
}

const GRADLE_SETTINGS: &[&str] = &["settings.gradle", "settings.gradle.kts"];
const GRADLE_BUILDS: &[&str] = &["build.gradle", "build.gradle.kts"];

/// The build that the folder is the top or a module of. With both tools' files Maven is taken.
pub(super) fn find_build(folder: &Path) -> Option<Build> {
    if folder.join("pom.xml").is_file() {
        return Some(maven_build(folder));
    }
    let has = |folder: &Path, files: &[&str]| files.iter().any(|file| folder.join(file).is_file());
    let top = folder.ancestors().find(|ancestor| has(ancestor, GRADLE_SETTINGS));
    let is_gradle = has(folder, GRADLE_SETTINGS) || has(folder, GRADLE_BUILDS);
    is_gradle.then(|| {
        let top = top.unwrap_or(folder).to_owned();
        Build { tool: Tool::Gradle, root: top.clone(), top }
    })
}

fn maven_build(folder: &Path) -> Build {
    let mut top = folder.to_owned();
    while let Some(above) = aggregator_of(&top) {
        top = above;
    }
    let mut root = top.clone();
    for module in crate::maven::pom::modules_of(&top) {
        root = common_folder(&root, &module);
        if let Some(parent) = Pom::in_folder(&module).and_then(|pom| pom.parent_folder(&module)) {
            root = common_folder(&root, &parent);
        }
    }
    if root != top && !is_one_repository(&root) {
        root.clone_from(&top);
    }
    Build { tool: Tool::Maven, root, top }
}

/// The nearest folder above whose POM names this one as its module, or which is its parent.
fn aggregator_of(folder: &Path) -> Option<PathBuf> {
    let parent = Pom::in_folder(folder).and_then(|pom| pom.parent_folder(folder));
    let mut above = folder.ancestors().skip(1);
    let is_aggregator = |candidate: &&Path| {
        let names = |pom: Pom| pom.module_folders(candidate).iter().any(|module| module == folder);
        parent.as_deref() == Some(candidate) || Pom::in_folder(candidate).is_some_and(names)
    };
    above.find(is_aggregator).map(Path::to_owned)
}

fn common_folder(one: &Path, other: &Path) -> PathBuf {
    one.ancestors().find(|ancestor| other.starts_with(ancestor)).unwrap_or(one).to_owned()
}

/// Tells whether modules that lie side by side in `folder` belong together. Otherwise it may be where all projects lie.
fn is_one_repository(folder: &Path) -> bool {
    folder.ancestors().any(|ancestor| ancestor.join(".git").exists())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn build_of(files: &[(&str, &str)], folder: &str) -> Option<(Tool, String, String)> {
        let temporary = tempfile::tempdir().unwrap();
        let base = temporary.path();
        for (file, content) in files {
            let path = base.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let build = find_build(&base.join(folder))?;
        let relative = |path: &Path| path.strip_prefix(base).unwrap().display().to_string();
        Some((build.tool, relative(&build.root), relative(&build.top)))
    }

    fn maven(root: &str, top: &str) -> Option<(Tool, String, String)> {
        Some((Tool::Maven, root.to_owned(), top.to_owned()))
    }

    const AGGREGATOR: &str =
        "<project><modules><module>core</module><module>web/app</module></modules></project>";
    const CHILD: &str = "<project><parent><artifactId>p</artifactId></parent></project>";
    const ALONE: &str = "<project/>";

    #[test]
    fn a_module_belongs_to_the_build_that_names_it() {
        let files = [("pom.xml", AGGREGATOR), ("core/pom.xml", ALONE), ("web/app/pom.xml", ALONE)];
        for folder in ["", "core", "web/app"] {
            assert_eq!(build_of(&files, folder), maven("", ""), "{folder}");
        }
    }

    #[test]
    fn a_parent_on_disk_is_part_of_the_build() {
        let files = [("p/pom.xml", ALONE), ("p/core/pom.xml", CHILD)];
        assert_eq!(build_of(&files, "p/core"), maven("p", "p"));
    }

    #[test]
    fn a_project_inside_another_is_its_own() {
        let files = [("pom.xml", AGGREGATOR), ("core/src/test/resources/sample/pom.xml", ALONE)];
        assert_eq!(
            build_of(&files, "core/src/test/resources/sample"),
            maven("core/src/test/resources/sample", "core/src/test/resources/sample")
        );
    }

    #[test]
    fn a_parent_beside_its_modules_widens_the_copy() {
        let flat = "<project><parent><relativePath>../parent/pom.xml</relativePath></parent></project>";
        let files = [("x/.git/HEAD", ""), ("x/parent/pom.xml", ALONE), ("x/core/pom.xml", flat)];
        assert_eq!(build_of(&files, "x/core"), maven("x", "x/core"));
        assert_eq!(build_of(&files[1..], "x/core"), maven("x/core", "x/core"));
        let lists = "<project><modules><module>../core</module></modules></project>";
        let files = [("x/.git/HEAD", ""), ("x/parent/pom.xml", lists), ("x/core/pom.xml", flat)];
        assert_eq!(build_of(&files, "x/parent"), maven("x", "x/parent"));
    }

    #[test]
    fn gradle_begins_at_its_settings() {
        let gradle = |root: &str| Some((Tool::Gradle, root.to_owned(), root.to_owned()));
        let files = [("settings.gradle.kts", ""), ("app/build.gradle.kts", "")];
        assert_eq!(build_of(&files, "app"), gradle(""));
        assert_eq!(build_of(&[("a/build.gradle", "")], "a"), gradle("a"));
        assert_eq!(build_of(&[("a/readme.txt", "")], "a"), None);
    }
}
