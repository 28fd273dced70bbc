//! Files of a folder and everything below it, in an order that does not depend on the file system.

use std::fs::{self, DirEntry};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A file that a walk meets. A link is followed, except back into a folder we are in.
pub(crate) enum Met<'a> {
    File(&'a Path),
    /// A folder that cannot be listed.
    Unreadable(&'a Path, io::Error),
}

/// Calls `on_meet` for everything below `root`, sorted by name, until it says stop.
pub(crate) fn walk(root: &Path, on_meet: &mut dyn FnMut(Met<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
    let real_root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    Walk { open_folders: vec![real_root], on_meet }.folder(root)
}

struct Walk<'a> {
    /// Real paths of the folders between the root and here, against circles of links.
    open_folders: Vec<PathBuf>,
    on_meet: &'a mut dyn FnMut(Met<'_>) -> ControlFlow<()>,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path) -> ControlFlow<()> {
        match sorted_entries(folder) {
            Ok(entries) => entries.iter().try_for_each(|entry| self.entry(entry)),
            Err(error) => (self.on_meet)(Met::Unreadable(folder, error)),
        }
    }

    fn entry(&mut self, entry: &DirEntry) -> ControlFlow<()> {
        let path = entry.path();
        let Ok(file_type) = entry.file_type() else { return ControlFlow::Continue(()) };
        if file_type.is_dir() {
            let real = self
                .open_folders
                .last()
                .map_or_else(|| path.clone(), |folder| folder.join(entry.file_name()));
            self.enter(real, &path)
        } else if file_type.is_symlink() {
            self.link(&path)
        } else if file_type.is_file() {
            (self.on_meet)(Met::File(&path))
        } else {
            ControlFlow::Continue(())
        }
    }

    fn link(&mut self, path: &Path) -> ControlFlow<()> {
        match fs::canonicalize(path) {
            Ok(real) if real.is_dir() && self.open_folders.contains(&real) => ControlFlow::Continue(()),
            Ok(real) if real.is_dir() => self.enter(real, path),
            Ok(real) if !real.is_file() => ControlFlow::Continue(()),
            // A link to nothing counts as a file, so that whoever wants this file says that it cannot be read.
            _ => (self.on_meet)(Met::File(path)),
        }
    }

    fn enter(&mut self, real: PathBuf, path: &Path) -> ControlFlow<()> {
        self.open_folders.push(real);
        let flow = self.folder(path);
        self.open_folders.pop();
        flow
    }
}

/// The entries of one folder by name.
pub(crate) fn sorted_entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(DirEntry::file_name);
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files_below(root: &Path) -> Vec<String> {
        let mut found = Vec::new();
        let _ = walk(root, &mut |met| {
            if let Met::File(path) = met {
                found.push(path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/"));
            }
            ControlFlow::Continue(())
        });
        found
    }

    #[test]
    fn order_is_by_name() {
        let root = tempfile::tempdir().unwrap();
        for name in ["b/z", "b/a", "a/x", "c"] {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        assert_eq!(files_below(root.path()), ["a/x", "b/a", "b/z", "c"]);
    }

    #[cfg(unix)]
    #[test]
    fn circles_of_links_end() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        for folder in ["a", "b"] {
            fs::create_dir(root.path().join(folder)).unwrap();
            fs::write(root.path().join(folder).join("file"), "").unwrap();
        }
        symlink("../b", root.path().join("a/to_b")).unwrap();
        symlink("../a", root.path().join("b/to_a")).unwrap();
        symlink("nowhere", root.path().join("broken")).unwrap();
        symlink(".", root.path().join("self")).unwrap();
        assert_eq!(files_below(root.path()), ["a/file", "a/to_b/file", "b/file", "b/to_a/file", "broken"]);
    }
}
