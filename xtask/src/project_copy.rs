//! Copies of projects that commands here work in, and the projects that users name.

use anyhow::{Context, Result};
use catchment_testkit::workspace::files_below;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Folders of an earlier run or of version control.
const NEVER: [&str; 2] = [".catchment", ".git"];
/// Folders that builds write.
const OUTPUTS: [&str; 2] = ["target", "build"];

/// `NAME=FOLDER`, as on the command line.
pub(crate) fn named(text: &str) -> Result<(String, PathBuf)> {
    let (name, folder) = text.split_once('=').with_context(|| format!("{text} is no NAME=FOLDER"))?;
    let folder = fs::canonicalize(folder).with_context(|| format!("there is no {folder}"))?;
    Ok((name.to_owned(), folder))
}

/// A copy in a folder `project`: its name may be part of an answer, that of a temporary folder must not.
pub(crate) fn as_it_is(project: &Path) -> Result<TempDir> {
    copy(project, &NEVER)
}

/// The same without what builds have written.
pub(crate) fn clean(project: &Path) -> Result<TempDir> {
    copy(project, &[NEVER, OUTPUTS].concat())
}

fn copy(project: &Path, without: &[&str]) -> Result<TempDir> {
    let copy = tempfile::tempdir().context("cannot create a folder for a copy")?;
    for file in files_below(project)? {
        let path = file.strip_prefix(project)?;
        // A package may have any name: only what lies beside a build file is an output.
        let is_left_out = |(depth, part): (usize, &std::ffi::OsStr)| {
            let beside: PathBuf = path.iter().take(depth).collect();
            let is_output = OUTPUTS.iter().any(|name| part == *name);
            without.iter().any(|name| part == *name) && (!is_output || has_build_file(&project.join(beside)))
        };
        if path.iter().enumerate().any(is_left_out) {
            continue;
        }
        let target = copy.path().join("project").join(path);
        fs::create_dir_all(target.parent().context("a file is in a folder")?)?;
        fs::copy(&file, &target).with_context(|| format!("cannot copy {}", file.display()))?;
    }
    Ok(copy)
}

fn has_build_file(folder: &Path) -> bool {
    ["pom.xml", "build.gradle", "build.gradle.kts"].iter().any(|file| folder.join(file).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_copy_lacks_what_the_build_wrote_and_nothing_else() {
        let project = tempfile::tempdir().unwrap();
        let files = [
            "pom.xml",
            "src/acme/build/A.java",
            "target/A.class",
            "core/pom.xml",
            "core/target/B.class",
            ".git/HEAD",
            ".catchment/results",
        ];
        for file in files {
            let path = project.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        let there = |copy: &TempDir| {
            files
                .into_iter()
                .filter(|file| copy.path().join("project").join(file).exists())
                .collect::<Vec<_>>()
        };
        let sources = ["pom.xml", "src/acme/build/A.java", "core/pom.xml"];
        assert_eq!(there(&clean(project.path()).unwrap()), sources);
        let with_outputs =
            ["pom.xml", "src/acme/build/A.java", "target/A.class", "core/pom.xml", "core/target/B.class"];
        assert_eq!(there(&as_it_is(project.path()).unwrap()), with_outputs);
        assert!(named("demo=/nowhere/at/all").is_err() && named("demo").is_err());
    }
}
