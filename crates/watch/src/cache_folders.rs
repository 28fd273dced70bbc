//! Cache folders: files that only save time and may be deleted at any moment.
//!
//! A library out of them is loaded into JVMs, and results are read from them, so a folder that another user can change
//! is not used.

use crate::private_files::create_folders;
use crate::unix::user_id;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const STICKY: u32 = 0o1000;
const WRITABLE_BY_OTHERS: u32 = 0o022;
const WRITABLE_BY_ALL: u32 = 0o002;
const ROOT: u32 = 0;

/// A cache folder that is not used, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedCacheFolder {
    folder: PathBuf,
    reason: &'static str,
}

impl fmt::Display for RefusedCacheFolder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { folder, reason } = self;
        write!(
            out,
            "the cache folder {} is not used: {reason}; XDG_CACHE_HOME can name another",
            folder.display()
        )
    }
}

/// The user's cache folder, if it is safe to use. It need not exist.
pub fn cache_folder() -> Option<PathBuf> {
    checked_folder()?.ok()
}

/// The user's cache folder, if it is not safe to use.
pub fn refused_cache_folder() -> Option<RefusedCacheFolder> {
    checked_folder()?.err()
}

fn checked_folder() -> Option<Result<PathBuf, RefusedCacheFolder>> {
    let folder = folder_named_by(env::var_os("XDG_CACHE_HOME"), env::var_os("HOME"))?;
    Some(match danger_of(&folder, user_id()) {
        None => Ok(folder),
        Some(reason) => Err(RefusedCacheFolder { folder, reason }),
    })
}

/// In the words of the XDG base directory specification: one that is empty or relative counts as not set, and the one
/// in the home is used only if none is set.
fn folder_named_by(xdg_cache_home: Option<OsString>, home: Option<OsString>) -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    let xdg = xdg_cache_home.map(PathBuf::from).filter(absolute);
    let home = home.map(PathBuf::from).filter(absolute).map(|home| home.join(".cache"));
    Some(xdg.or(home)?.join("catchment"))
}

/// The way in which somebody else could put files into the folder.
fn danger_of(folder: &Path, user: u32) -> Option<&'static str> {
    // A link of another user could lead anywhere.
    if let Ok(itself) = fs::symlink_metadata(folder) {
        if itself.uid() != user {
            return Some("it belongs to another user");
        }
        if fs::metadata(folder).is_ok_and(|target| target.uid() != user) {
            return Some("it leads to a folder of another user");
        }
        if fs::metadata(folder).is_ok_and(|target| target.mode() & WRITABLE_BY_OTHERS != 0) {
            return Some("other users may write to it (chmod go-w changes that)");
        }
    }
    let above = fs::metadata(folder.parent()?).ok()?;
    let is_theirs = above.uid() != user && above.uid() != ROOT;
    // Whoever may write there may put another folder in the place of ours.
    let writable = if above.uid() == user { WRITABLE_BY_ALL } else { WRITABLE_BY_OTHERS };
    let is_open = above.mode() & writable != 0 && above.mode() & STICKY == 0;
    (is_theirs || is_open).then_some("other users may replace it")
}

/// A kept folder under the temporary ones that nobody else can have put anything into, made if need be.
pub fn private_temporary_folder() -> Option<PathBuf> {
    let folder = temporary_folder();
    let _ = create_folders(&folder);
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn the_home_counts_only_where_no_cache_folder_is_named() {
        let folder = |xdg: Option<&str>, home: Option<&str>| {
            folder_named_by(xdg.map(OsString::from), home.map(OsString::from))
        };
        let at = |path: &str| Some(PathBuf::from(path));
        assert_eq!(folder(Some("/x"), Some("/h")), at("/x/catchment"));
        for unset in [None, Some(""), Some("relative")] {
            assert_eq!(folder(unset, Some("/h")), at("/h/.cache/catchment"), "{unset:?}");
            assert_eq!(folder(unset, Some("")), None, "{unset:?}");
        }
    }

    fn permit(folder: &Path, mode: u32) {
        fs::set_permissions(folder, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_folder_that_others_may_write_to_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("catchment");
        assert_eq!(danger_of(&folder, user_id()), None, "a folder that is not there yet");
        fs::create_dir(&folder).unwrap();
        for (mode, is_refused) in [(0o700, false), (0o755, false), (0o775, true), (0o777, true)] {
            permit(&folder, mode);
            assert_eq!(danger_of(&folder, user_id()).is_some(), is_refused, "{mode:o}");
        }
        permit(&folder, 0o700);
        for (mode, is_refused) in [(0o775, false), (0o777, true), (0o1777, false)] {
            permit(base.path(), mode);
            assert_eq!(danger_of(&folder, user_id()).is_some(), is_refused, "above: {mode:o}");
        }
    }

    #[test]
    fn a_folder_or_link_of_another_user_is_refused() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("catchment");
        fs::create_dir(&folder).unwrap();
        let somebody_else = user_id() + 1;
        assert_eq!(danger_of(&folder, somebody_else), Some("it belongs to another user"));
        fs::remove_dir(&folder).unwrap();
        // Root may use what belongs to root.
        symlink("/proc/1", &folder).unwrap();
        assert_eq!(danger_of(&folder, user_id()).is_some(), user_id() != ROOT);
    }
}
