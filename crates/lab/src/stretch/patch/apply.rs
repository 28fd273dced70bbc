//! Writes a patch into the user's sources: all of it, or nothing.

use crate::stretch::patch::{Patch, PatchedFile};
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};

impl Patch {
    /// Writes the files, all or none: none if one has been changed meanwhile or cannot be written.
    pub fn apply(&self) -> io::Result<()> {
        let stage = |file: &PatchedFile| {
            let path = self.root.join(&file.path);
            Staged::of(&path, file).map_err(|error| about(&path, &error))
        };
        let staged = self.files.iter().map(stage).collect::<io::Result<Vec<_>>>()?;
        staged.iter().zip(&self.files).try_for_each(|(each, file)| {
            each.write(&file.after).map_err(|error| about(&each.target, &error))
        })?;
        put_in_place(&staged)
    }
}

fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// A file that is about to get other contents. What lies beside it goes with this.
#[derive(Debug)]
struct Staged {
    /// No link: what links lead here stay.
    target: PathBuf,
    new: PathBuf,
    /// A copy of what was there: to put it back takes no space on a full disk.
    old: PathBuf,
}

impl Staged {
    fn of(path: &Path, file: &PatchedFile) -> io::Result<Self> {
        let target = fs::canonicalize(path)?;
        if fs::read_to_string(&target)? != file.before {
            return Err(io::Error::other("it has been changed meanwhile"));
        }
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let beside = |what| target.with_file_name(format!(".{name}.catchment-{what}"));
        Ok(Self { new: beside("new"), old: beside("old"), target })
    }

    fn write(&self, content: &str) -> io::Result<()> {
        self.remove();
        fs::copy(&self.target, &self.old)?;
        fs::write(&self.new, content)?;
        let metadata = fs::metadata(&self.target)?;
        // Only who may give files away has to.
        for made in [&self.old, &self.new] {
            let _ = chown(made, Some(metadata.uid()), Some(metadata.gid()));
        }
        fs::set_permissions(&self.new, metadata.permissions())
    }

    fn remove(&self) {
        let _ = fs::remove_file(&self.new);
        let _ = fs::remove_file(&self.old);
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        self.remove();
    }
}

/// After an error everything is as it was.
fn put_in_place(staged: &[Staged]) -> io::Result<()> {
    for (done, each) in staged.iter().enumerate() {
        if let Err(error) = fs::rename(&each.new, &each.target) {
            for before in staged.iter().take(done) {
                fs::rename(&before.old, &before.target)?;
            }
            return Err(about(&each.target, &error));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn patch(root: &Path, names: &[&str]) -> Patch {
        let file = |name: &&str| PatchedFile {
            path: name.into(),
            before: format!("{name} before"),
            after: format!("{name} after"),
        };
        Patch { root: root.to_owned(), files: names.iter().map(file).collect(), tests: 1 }
    }

    #[test]
    fn a_patch_is_written_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        fs::write(&one, "one before").unwrap();
        fs::write(&two, "two changed by somebody").unwrap();
        let patch = patch(folder.path(), &["one", "two"]);

        let error = patch.apply().unwrap_err().to_string();
        assert!(error.ends_with("two: it has been changed meanwhile"), "{error}");
        assert_eq!(fs::read_to_string(&one).unwrap(), "one before");
        assert_eq!(fs::read_to_string(&two).unwrap(), "two changed by somebody");

        fs::write(&two, "two before").unwrap();
        patch.apply().unwrap();
        assert_eq!(fs::read_to_string(&one).unwrap(), "one after");
        assert_eq!(fs::read_to_string(&two).unwrap(), "two after");
    }

    #[test]
    fn a_file_that_is_gone_is_not_made_again() {
        let folder = tempfile::tempdir().unwrap();
        assert!(patch(folder.path(), &["gone"]).apply().is_err());
        assert!(!folder.path().join("gone").exists());
    }

    fn names_in(folder: &Path) -> Vec<String> {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_that_cannot_be_written_keeps_all_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let (one, inner) = (folder.path().join("one"), folder.path().join("inner"));
        fs::create_dir(&inner).unwrap();
        fs::write(&one, "one before").unwrap();
        fs::write(inner.join("two"), "inner/two before").unwrap();
        // Nobody, not even root, can write there; in a read-only folder root can.
        fs::create_dir(inner.join(".two.catchment-new")).unwrap();
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o555)).unwrap();

        assert!(patch(folder.path(), &["one", "inner/two"]).apply().is_err());
        fs::set_permissions(&inner, fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(fs::read_to_string(&one).unwrap(), "one before");
        assert_eq!(fs::read_to_string(inner.join("two")).unwrap(), "inner/two before");
        assert_eq!(names_in(folder.path()), ["inner", "one"]);
        assert_eq!(names_in(&inner), [".two.catchment-new", "two"]);
    }

    #[test]
    fn files_that_were_written_already_are_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let patch = patch(folder.path(), &["one", "two"]);
        let staged: Vec<_> = patch
            .files
            .iter()
            .map(|file| {
                let path = folder.path().join(&file.path);
                fs::write(&path, &file.before).unwrap();
                let staged = Staged::of(&path, file).unwrap();
                staged.write(&file.after).unwrap();
                staged
            })
            .collect();
        fs::remove_file(&staged[1].new).unwrap();

        assert!(put_in_place(&staged).is_err());
        drop(staged);
        assert_eq!(fs::read_to_string(folder.path().join("one")).unwrap(), "one before");
        assert_eq!(fs::read_to_string(folder.path().join("two")).unwrap(), "two before");
        assert_eq!(names_in(folder.path()), ["one", "two"]);
    }

    #[test]
    fn links_and_permissions_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("one"));
        fs::write(&real, "one before").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real", &link).unwrap();

        patch(folder.path(), &["one"]).apply().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "one after");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(names_in(folder.path()), ["one", "real"]);
    }
}
