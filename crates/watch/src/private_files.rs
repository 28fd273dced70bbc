//! Files and folders for this user alone: command lines, environments and results stand in them.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

const FOLDER: u32 = 0o700;
const FILE: u32 = 0o600;
const PERMISSIONS: u32 = 0o777;

/// The folder, with those above it that are missing. One that was there already is closed to others too, if that is
/// ours to do.
pub fn create_private_folder(folder: &Path) -> io::Result<()> {
    create_folders(folder)?;
    restrict(folder, FOLDER);
    Ok(())
}

/// New folders are for this user alone; those that were there stay as they are.
pub(crate) fn create_folders(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(FOLDER).create(folder)
}

/// An empty file in place of what was there.
pub fn create_private_file(path: &Path) -> io::Result<File> {
    let file = File::options().write(true).create(true).truncate(true).mode(FILE).open(path)?;
    restrict(path, FILE);
    Ok(file)
}

/// A file with this content in place of what was there.
pub fn write_private_file(path: &Path, content: &[u8]) -> io::Result<()> {
    create_private_file(path)?.write_all(content)
}

/// The file as it is, or an empty one; open for reading and writing.
pub fn open_private_file(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).write(true).create(true).truncate(false).mode(FILE).open(path)?;
    restrict(path, FILE);
    Ok(file)
}

/// Files of earlier versions, and those that another user owns, may have other permissions. The latter have to stay so.
fn restrict(path: &Path, wanted: u32) {
    let is_wider = |metadata: fs::Metadata| metadata.permissions().mode() & PERMISSIONS & !wanted != 0;
    if fs::metadata(path).is_ok_and(is_wider) {
        let _ = fs::set_permissions(path, Permissions::from_mode(wanted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & PERMISSIONS
    }

    #[test]
    fn what_is_made_and_what_was_there_is_for_this_user_alone() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("a/b");
        create_private_folder(&folder).unwrap();
        assert_eq!((mode(&base.path().join("a")), mode(&folder)), (0o700, 0o700));
        fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
        create_private_folder(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);

        let file = folder.join("log");
        write_private_file(&file, b"one").unwrap();
        assert_eq!(mode(&file), 0o600);
        fs::set_permissions(&file, Permissions::from_mode(0o664)).unwrap();
        open_private_file(&file).unwrap();
        assert_eq!((mode(&file), fs::read(&file).unwrap()), (0o600, b"one".to_vec()));
        fs::set_permissions(&file, Permissions::from_mode(0o664)).unwrap();
        create_private_file(&file).unwrap();
        assert_eq!((mode(&file), fs::read(&file).unwrap()), (0o600, Vec::new()));
    }

    #[test]
    fn stricter_permissions_stay() {
        let base = tempfile::tempdir().unwrap();
        fs::set_permissions(base.path(), Permissions::from_mode(0o500)).unwrap();
        create_private_folder(base.path()).unwrap();
        assert_eq!(mode(base.path()), 0o500);
        fs::set_permissions(base.path(), Permissions::from_mode(0o700)).unwrap();
    }
}
