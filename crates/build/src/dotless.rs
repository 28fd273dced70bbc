//! What tests write beside the copies that they run in, because they take every dot of a path for a separator.
//!
//! Code that turns the names of classes into paths often has a whole path in its hands: of `/p/.catchment/build/src` it makes
//! `/p//catchment/build/src`, which lies in the user's tree. There is no path without a dot below the user's tree that Git
//! ignores and that users know as ours, so what such a test writes is taken out of the tree again, and told. None of it is
//! deleted: who has written a file does not stand in it.
//!
//! A check that is killed leaves such a folder behind. A marker in our own folder, written before any test runs, tells the next
//! one that it was not there before.

use crate::Workspace;
use crate::copy::remove_all;
use catchment_watch::write_private_file;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Folders of ours in which tests run: copies of the project, and one in which each slot has a folder.
const COPIES: [&str; 2] = ["build", "patched"];
const WORKERS: &str = "workers";
/// The file in our folder with the path that was not there before tests ran, while they run.
const MARKER: &str = "dotless";
/// The place in our folder for what was taken out of the tree last.
const STRAY: &str = "stray";

/// Our own folder as those tests write its path, if it is not there yet: nothing that is there before them is touched.
#[derive(Debug)]
pub struct DotlessFolder {
    folder: PathBuf,
    /// The copy of the project.
    copy: PathBuf,
    own: PathBuf,
    /// The first folder on the way there that there was not: what is in it since is the doing of tests.
    first_new: Option<PathBuf>,
}

/// What tests have written, and where it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strayed {
    /// The path that it had.
    pub from: PathBuf,
    pub to: PathBuf,
}

impl DotlessFolder {
    /// To be asked before anything runs, with our own folder there. What a killed check has left behind is told of, too.
    pub fn of(workspace: &Workspace) -> (Self, Option<Strayed>) {
        let own = workspace.own_folder();
        let path = own.to_string_lossy().replace('.', "/");
        // Collected without empty parts.
        let folder: PathBuf = Path::new(&path).components().collect();
        let missing = folder.ancestors().take_while(|ancestor| !ancestor.exists());
        let missing = missing.last().map(Path::to_owned);
        let marked =
            fs::read(own.join(MARKER)).ok().map(|path| PathBuf::from(std::ffi::OsStr::from_bytes(&path)));
        let marked = marked.filter(|marked| folder.starts_with(marked) && *marked != own);
        let dotless = Self { copy: workspace.root.clone(), first_new: marked.or(missing), own, folder };
        let left_behind = dotless.clear();
        if let Some(first_new) = &dotless.first_new {
            // Without the marker only a check that is killed leaves something behind.
            let _ = write_private_file(&dotless.own.join(MARKER), first_new.as_os_str().as_bytes());
        }
        (dotless, left_behind)
    }

    /// Takes what tests have written there out of the tree.
    pub fn clear(&self) -> Option<Strayed> {
        let first_new = self.first_new.as_ref()?;
        if !self.folder.is_dir() {
            return None;
        }
        let to = self.own.join(STRAY);
        let is_shared = !self.entries("", |name| !COPIES.contains(&name) && name != WORKERS).is_empty();
        let copies = COPIES.map(|name| self.entries(name, |entry| !is_shared || self.is_of_copy(entry)));
        let workers = self.entries(WORKERS, |name| name.bytes().all(|byte| byte.is_ascii_digit()));
        let ours: Vec<PathBuf> = copies.into_iter().flatten().chain(workers).collect();
        if !ours.is_empty() {
            let _ = remove_all(&to);
        }
        let moved = ours.iter().filter(|path| self.put_away(path, &to)).count();
        // As far as they are empty now: what else there is, others have put there.
        COPIES.iter().chain([&WORKERS]).for_each(|name| {
            let _ = fs::remove_dir(self.folder.join(name));
        });
        for folder in self.folder.ancestors().take_while(|folder| folder.starts_with(first_new)) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        (moved > 0).then(|| Strayed { from: self.folder.clone(), to })
    }

    /// What there is in that folder under such names.
    fn entries(&self, folder: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.join(folder)).into_iter().flatten().flatten();
        entries
            .filter(|entry| is_wanted(&entry.file_name().to_string_lossy()))
            .map(|entry| entry.path())
            .collect()
    }

    /// Tells whether the copy has something at the top that such a test would call so. Somebody who makes a module of that name
    /// while a check runs has a build folder in it, too.
    fn is_of_copy(&self, name: &str) -> bool {
        let at_top = fs::read_dir(&self.copy).into_iter().flatten().flatten();
        at_top.into_iter().any(|entry| {
            let entry = entry.file_name().to_string_lossy().into_owned();
            entry.split('.').find(|part| !part.is_empty()) == Some(name)
        })
    }

    fn put_away(&self, path: &Path, to: &Path) -> bool {
        let Ok(relative) = path.strip_prefix(&self.folder) else { return false };
        let to = to.join(relative);
        to.parent().is_some_and(|parent| fs::create_dir_all(parent).is_ok()) && fs::rename(path, to).is_ok()
    }
}

impl Drop for DotlessFolder {
    fn drop(&mut self) {
        self.clear();
        // What stands there from now on is not the doing of these tests.
        let _ = fs::remove_file(self.own.join(MARKER));
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
        let workspace = Workspace::of(&root);
        fs::create_dir_all(workspace.root.join("src")).unwrap();
        fs::write(workspace.root.join("check.log"), "").unwrap();
        let slashed = PathBuf::from(top.to_string_lossy().replace('.', "/")).join("my/project/catchment");
        let slashed = slashed.components().collect();
        (folder, workspace, slashed)
    }

    fn write(file: &Path) {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }

    fn strayed(workspace: &Workspace, slashed: &Path) -> Option<Strayed> {
        Some(Strayed { from: slashed.to_owned(), to: workspace.own_folder().join(STRAY) })
    }

    #[test]
    fn what_tests_write_there_goes_with_the_folders_that_they_have_made() {
        let (_folder, workspace, slashed) = project();
        let (dotless, left_behind) = DotlessFolder::of(&workspace);
        assert_eq!((dotless.clear(), left_behind), (None, None));
        write(&slashed.join("workers/0/project/warm/src/Model.java"));
        write(&slashed.join("build/src/Model.java"));
        write(&slashed.join("build/generated/Model.java"));
        assert_eq!(dotless.clear(), strayed(&workspace, &slashed));
        let first_new = dotless.first_new.as_deref().unwrap();
        assert!(!first_new.exists() && first_new.parent().unwrap().exists());
        let kept = workspace.own_folder().join("stray");
        assert!(kept.join("workers/0/project/warm/src/Model.java").exists());
        assert!(
            kept.join("build/src/Model.java").exists() && kept.join("build/generated/Model.java").exists()
        );
        assert_eq!(dotless.clear(), None, "there is nothing any more");
    }

    #[test]
    fn what_was_there_before_or_is_not_like_ours_stays() {
        let (_folder, workspace, slashed) = project();
        let own =
            ["notes.txt", "build/classes/Main.class", "workers/Bee.java"].map(|file| slashed.join(file));
        let (dotless, _) = DotlessFolder::of(&workspace);
        own.iter().for_each(|file| write(file));
        let strange = ["workers/0/x", "build/check/log"].map(|file| slashed.join(file));
        strange.iter().for_each(|file| write(file));
        assert_eq!(dotless.clear(), strayed(&workspace, &slashed));
        assert!(own.iter().all(|file| file.exists()) && !strange.iter().any(|file| file.exists()));
        drop(dotless);

        write(&slashed.join("build/src/Main.java"));
        assert_eq!(DotlessFolder::of(&workspace).1, None);
        assert!(slashed.join("build/src/Main.java").exists(), "a module of that name");
    }

    #[test]
    fn the_next_check_finds_what_one_that_was_killed_has_left_behind() {
        let (_folder, workspace, slashed) = project();
        let (killed, _) = DotlessFolder::of(&workspace);
        write(&slashed.join("workers/3/project/warm/src/Model.java"));
        std::mem::forget(killed);
        // Killed once more, before any test ran.
        let (dotless, left_behind) = DotlessFolder::of(&workspace);
        assert_eq!(left_behind, strayed(&workspace, &slashed));
        std::mem::forget(dotless);
        assert!(!slashed.exists());
        write(&slashed.join("workers/3/project/warm/src/Model.java"));
        let (dotless, left_behind) = DotlessFolder::of(&workspace);
        assert!(left_behind.is_some() && !slashed.exists());
        drop(dotless);
        assert!(!workspace.own_folder().join(MARKER).exists());
    }
}
