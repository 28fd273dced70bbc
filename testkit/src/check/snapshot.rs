//! A folder as it was, to be compared with what it has become.

use crate::workspace::{cache_key, files_below};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Contents and times of all files below a folder, but for `.catchment`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    files: BTreeMap<PathBuf, String>,
}

impl Snapshot {
    pub fn of(folder: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        for file in files_below(folder)? {
            let path = file.strip_prefix(folder)?.to_path_buf();
            if !path.starts_with(".catchment") {
                let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
                let modified = fs::metadata(&file)?.modified()?;
                files.insert(path, format!("{} {modified:?}", cache_key([bytes.as_slice()])));
            }
        }
        Ok(Self { files })
    }

    /// A line for each file that came, went or changed.
    pub fn changes(&self, now: &Self) -> Vec<String> {
        let gone = self.files.keys().filter(|path| !now.files.contains_key(*path));
        let mut lines: Vec<String> = gone.map(|path| format!("{} is gone", path.display())).collect();
        for (path, content) in &now.files {
            match self.files.get(path) {
                Some(before) if before == content => {}
                Some(_) => lines.push(format!("{} has changed", path.display())),
                None => lines.push(format!("{} is new", path.display())),
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_went_or_changed_is_seen_and_our_own_folder_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("kept", "a");
        write("gone", "b");
        write("changed", "c");
        let before = Snapshot::of(folder.path()).unwrap();
        fs::remove_file(folder.path().join("gone")).unwrap();
        fs::create_dir(folder.path().join(".catchment")).unwrap();
        write(".catchment/store", "ours");
        write("changed", "d");
        write("new", "e");
        let now = Snapshot::of(folder.path()).unwrap();
        assert_eq!(before.changes(&now), ["gone is gone", "changed has changed", "new is new"]);
    }
}
