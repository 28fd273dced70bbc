//! What tests write beside the copies that they run in, because they take every dot of a path for a separator.
//!
//! Code that turns the names of classes into paths often has a whole path in its hands: of `/p/.catchment/build/src` it makes
//! `/p//catchment/build/src`, which lies in the user's tree. There is no path without a dot below the user's tree that Git
//! ignores and that users know as ours, so what such a test writes is removed again, and told.

use crate::Workspace;
use crate::copy::remove_all;
use crate::tree::OWN_FOLDER;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of ours in which tests run.
const WITH_TESTS: [&str; 3] = ["build", "workers", "patched"];

/// Our own folder as those tests write its path, if it is not there yet: nothing that is there before them is touched.
#[derive(Debug)]
pub struct DotlessFolder {
    folder: PathBuf,
    /// The first folder on the way there that there was not: what is in it since is the doing of tests.
    first_new: Option<PathBuf>,
}

impl DotlessFolder {
    /// To be asked before anything runs.
    pub fn of(workspace: &Workspace) -> Self {
        let path = workspace.original.join(OWN_FOLDER).to_string_lossy().replace('.', "/");
        // Collected without empty parts.
        let folder: PathBuf = Path::new(&path).components().collect();
        let missing = folder.ancestors().take_while(|ancestor| !ancestor.exists());
        let first_new = missing.last().map(Path::to_owned);
        Self { folder, first_new }
    }

    /// Removes what tests have written there, and gives the path that it had.
    pub fn remove(&self) -> Option<PathBuf> {
        let first_new = self.first_new.as_ref()?;
        if !self.folder.is_dir() {
            return None;
        }
        let ours = WITH_TESTS.iter().map(|name| self.folder.join(name)).filter(|folder| folder.is_dir());
        let removed = ours.filter(|folder| remove_all(folder).is_ok()).count();
        // As far as they are empty now: what else there is, others have put there.
        for folder in self.folder.ancestors().take_while(|folder| folder.starts_with(first_new)) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        (removed > 0).then(|| self.folder.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A project in a folder whose name has a dot, and what a test makes of the path of its copy.
    fn project() -> (tempfile::TempDir, Workspace, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(folder.path()).unwrap();
        let root = top.join("my.project");
        fs::create_dir_all(&root).unwrap();
        let workspace = Workspace::of(&root);
        let slashed = PathBuf::from(top.to_string_lossy().replace('.', "/")).join("my/project/catchment");
        let slashed = slashed.components().collect();
        (folder, workspace, slashed)
    }

    fn write(file: &Path) {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }

    #[test]
    fn what_tests_write_there_goes_with_the_folders_that_they_have_made() {
        let (_folder, workspace, slashed) = project();
        let dotless = DotlessFolder::of(&workspace);
        assert_eq!(dotless.remove(), None);
        write(&slashed.join("workers/0/project/warm/src/Model.java"));
        write(&slashed.join("build/src/Model.java"));
        assert_eq!(dotless.remove(), Some(slashed.clone()));
        let own_top = slashed.ancestors().nth(2).unwrap();
        assert!(!own_top.exists() && own_top.parent().unwrap().exists());
        assert_eq!(dotless.remove(), None, "there is nothing any more");
    }

    #[test]
    fn what_was_there_before_or_is_not_like_ours_stays() {
        let (_folder, workspace, slashed) = project();
        let own = slashed.join("notes.txt");
        let dotless = DotlessFolder::of(&workspace);
        write(&own);
        write(&slashed.join("workers/0/x"));
        assert_eq!(dotless.remove(), Some(slashed.clone()));
        assert!(own.exists() && !slashed.join("workers").exists());

        write(&slashed.join("build/Main.class"));
        assert_eq!(DotlessFolder::of(&workspace).remove(), None);
        assert!(slashed.join("build/Main.class").exists(), "a module of that name");
    }
}
