//! Cache folders: files that only save time and may be deleted at any moment.

use crate::unix::user_id;
use std::env;
use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Under the user's cache folders, the best first. They need not exist.
pub fn cache_folders() -> impl Iterator<Item = PathBuf> {
    let xdg = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    xdg.into_iter().chain(home).filter(|folder| folder.is_absolute()).map(|folder| folder.join("catchment"))
}

/// A kept folder under the temporary ones that nobody else can have put anything into, made if need be.
pub fn private_temporary_folder() -> Option<PathBuf> {
    let folder = temporary_folder();
    let _ = fs::DirBuilder::new().mode(0o700).create(&folder);
    is_private(&folder).then_some(folder)
}

/// The same, if there is one.
pub fn existing_private_folder() -> Option<PathBuf> {
    Some(temporary_folder()).filter(|folder| is_private(folder))
}

fn temporary_folder() -> PathBuf {
    env::temp_dir().join(format!("catchment-{}", user_id()))
}

fn is_private(folder: &Path) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|metadata| {
        metadata.is_dir() && metadata.uid() == user_id() && metadata.mode() & 0o077 == 0
    })
}
