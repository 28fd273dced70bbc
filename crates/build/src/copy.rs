//! Makes one folder like another, copying only what differs.
//!
//! Contents are cloned where the file system can (`std::fs::copy` asks the kernel, which shares the blocks), modification
//! times and permissions are kept, so that "same size and time" means unchanged the next time, for us and for build tools.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, FileTimes, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

/// The result of a copy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Copied {
    pub(super) copied: usize,
    pub(super) removed: usize,
}

impl Copied {
    pub(super) fn changed_anything(self) -> bool {
        self.copied + self.removed > 0
    }
}

/// A copy that could not be finished, and where.
#[derive(Debug)]
pub(super) struct CopyError {
    pub(super) path: PathBuf,
    pub(super) reason: io::Error,
}

/// The files that take part. Paths are relative to the root of the tree.
pub(super) trait Selection {
    /// Neither copied nor removed.
    fn leaves_alone(&self, relative: &Path, source: &Path) -> bool;
}

/// Makes `to` like `from`: afterwards it has the same files, but for those the selection leaves alone.
pub(super) fn mirror(from: &Path, to: &Path, selection: &dyn Selection) -> Result<Copied, CopyError> {
    let mut mirror = Mirror { from, to, selection, done: Copied::default() };
    mirror.folder(Path::new(""))?;
    Ok(mirror.done)
}

struct Mirror<'a> {
    from: &'a Path,
    to: &'a Path,
    selection: &'a dyn Selection,
    done: Copied,
}

impl Mirror<'_> {
    fn folder(&mut self, relative: &Path) -> Result<(), CopyError> {
        let (from, to) = (self.from.join(relative), self.to.join(relative));
        let metadata = at(&from, fs::metadata(&from))?;
        self.make_folder(&to)?;
        let mut wanted = BTreeSet::new();
        for name in at(&from, names_in(&from))? {
            let relative = relative.join(&name);
            if !self.selection.leaves_alone(&relative, &self.from.join(&relative)) {
                self.entry(&relative)?;
            }
            wanted.insert(name);
        }
        self.remove_others(relative, &wanted)?;
        // Last: putting files into it has changed its time, and it may not be writable.
        at(&to, set_permissions(&to, &metadata))?;
        at(&to, set_time(&to, &metadata))
    }

    fn make_folder(&mut self, to: &Path) -> Result<(), CopyError> {
        match fs::symlink_metadata(to) {
            Ok(existing) if existing.is_dir() => {
                at(to, make_writable(to, &existing))?;
                return Ok(());
            }
            Ok(_) => self.remove(to)?,
            Err(_) => {}
        }
        at(to, fs::create_dir_all(to))
    }

    fn entry(&mut self, relative: &Path) -> Result<(), CopyError> {
        let (from, to) = (self.from.join(relative), self.to.join(relative));
        let metadata = at(&from, fs::symlink_metadata(&from))?;
        if metadata.is_dir() {
            self.folder(relative)
        } else if metadata.is_symlink() {
            self.link(relative, &from, &to)
        } else if metadata.is_file() {
            self.file(&from, &to, &metadata)
        } else {
            // Sockets, pipes and devices are nothing a build starts from.
            Ok(())
        }
    }

    fn file(&mut self, from: &Path, to: &Path, metadata: &Metadata) -> Result<(), CopyError> {
        if let Ok(existing) = fs::symlink_metadata(to) {
            if is_same_file(metadata, &existing) {
                return Ok(());
            }
            // Never written in place: it may be a link, or read-only.
            self.remove(to)?;
        }
        at(from, fs::copy(from, to))?;
        at(to, set_time(to, metadata))?;
        self.done.copied += 1;
        Ok(())
    }

    fn link(&mut self, relative: &Path, from: &Path, to: &Path) -> Result<(), CopyError> {
        let target = self.link_target(relative, at(from, fs::read_link(from))?);
        match fs::symlink_metadata(to) {
            Ok(existing) if existing.is_symlink() && fs::read_link(to).is_ok_and(|own| own == target) => {
                return Ok(());
            }
            Ok(_) => self.remove(to)?,
            Err(_) => {}
        }
        at(to, symlink(&target, to))?;
        self.done.copied += 1;
        Ok(())
    }

    /// A link into the tree points into the copy; one out of the tree still points to where it did.
    fn link_target(&self, relative: &Path, target: PathBuf) -> PathBuf {
        if target.is_absolute() {
            let canonical = fs::canonicalize(self.from).unwrap_or_else(|_| self.from.to_owned());
            let inside = target.strip_prefix(self.from).or_else(|_| target.strip_prefix(canonical));
            return inside.map(|inside| self.to.join(inside)).unwrap_or(target);
        }
        if stays_inside(relative.parent().unwrap_or(Path::new("")), &target) {
            return target;
        }
        let folder = self.from.join(relative);
        folder.parent().unwrap_or(&folder).join(&target)
    }

    fn remove_others(&mut self, relative: &Path, wanted: &BTreeSet<OsString>) -> Result<(), CopyError> {
        let folder = self.to.join(relative);
        for name in at(&folder, names_in(&folder))? {
            let relative = relative.join(&name);
            if !wanted.contains(&name) && !self.selection.leaves_alone(&relative, &self.to.join(&relative)) {
                self.remove(&self.to.join(&relative))?;
                self.done.removed += 1;
            }
        }
        Ok(())
    }

    fn remove(&self, path: &Path) -> Result<(), CopyError> {
        at(path, remove_all(path))
    }
}

/// Removes a file, a link or a folder with all in it, read-only or not.
pub fn remove_all(path: &Path) -> io::Result<()> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if !metadata.is_dir() {
        return fs::remove_file(path);
    }
    make_writable(path, &metadata)?;
    for name in names_in(path)? {
        remove_all(&path.join(name))?;
    }
    fs::remove_dir(path)
}

/// Names by byte order, so that every run does the same.
pub(super) fn names_in(folder: &Path) -> io::Result<BTreeSet<OsString>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name())).collect()
}

fn is_same_file(one: &Metadata, other: &Metadata) -> bool {
    let facts =
        |metadata: &Metadata| (metadata.len(), metadata.mtime(), metadata.mtime_nsec(), metadata.mode());
    other.is_file() && facts(one) == facts(other)
}

/// Tells whether a relative link in `folder` leads to a place below the root without ever leaving it.
fn stays_inside(folder: &Path, target: &Path) -> bool {
    let mut depth = folder.components().count();
    for component in target.components() {
        match component {
            Component::ParentDir if depth == 0 => return false,
            Component::ParentDir => depth -= 1,
            Component::Normal(_) => depth += 1,
            _ => {}
        }
    }
    true
}

fn make_writable(folder: &Path, metadata: &Metadata) -> io::Result<()> {
    let mode = metadata.permissions().mode();
    if mode & 0o700 == 0o700 {
        return Ok(());
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(mode | 0o700))
}

fn set_permissions(path: &Path, source: &Metadata) -> io::Result<()> {
    let own = fs::metadata(path)?.permissions();
    if own == source.permissions() { Ok(()) } else { fs::set_permissions(path, source.permissions()) }
}

fn set_time(path: &Path, source: &Metadata) -> io::Result<()> {
    let modified = source.modified()?;
    match File::open(path) {
        Ok(file) => file.set_times(FileTimes::new().set_modified(modified)),
        // Nobody may read it, so nobody can tell its age from its content either.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) => Err(error),
    }
}

fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, CopyError> {
    result.map_err(|reason| CopyError { path: path.to_owned(), reason })
}
