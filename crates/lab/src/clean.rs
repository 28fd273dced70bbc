//! The folder `.catchment` of a project: removing it, and keeping it below a size.

use crate::session::{LabError, lock};
use catchment_build::{ProjectRequest, remove_all, workspace};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const OWN_FOLDER: &str = ".catchment";
const LOCK: &str = "lock";
const RESULTS: &str = "results.sqlite";

/// What is only a cache, cheapest first: what nobody reads again, and at last what the next check has to build again.
const CACHES: [&[&str]; 5] = [
    &["results.old.sqlite", "results.old.sqlite-wal", "results.old.sqlite-shm"],
    &["launches", "build.log"],
    &["patched"],
    &["libraries"],
    // The file that says how tests are started is worth nothing without the copy.
    &["project.json", "environment", "build"],
];

/// Something that was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removed {
    pub folder: PathBuf,
    /// Names below the folder; empty if all of it is gone.
    pub names: Vec<String>,
    pub bytes: u64,
}

/// Removes what Catchment has written for the project, or all but its results. `None` if there is nothing.
pub fn clean(folder: &Path, keep_results: bool) -> Result<Option<Removed>, LabError> {
    let Some(own) = own_folder(folder) else { return Ok(None) };
    let _lock = lock::lock(&own)?;
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |reason| LabError::Folder { path, reason }
    };
    let mut removed = Removed { folder: own.clone(), ..Removed::default() };
    for name in names_in(&own).map_err(failed(&own))? {
        // The folder hides itself from Git by a file of its own.
        let is_kept = keep_results && (name.starts_with(RESULTS) || name == ".gitignore");
        if name == LOCK || is_kept {
            continue;
        }
        let path = own.join(&name);
        removed.bytes += size_of(&path);
        remove(&path).map_err(failed(&path))?;
        removed.names.push(name);
    }
    if !keep_results {
        remove_all(&own).map_err(failed(&own))?;
        removed.names.clear();
    }
    Ok(Some(removed))
}

/// Removes caches until the folder is no larger than `limit`, those first that cost least to make again. `None` if there is
/// nothing to remove, or another process works on the project.
pub fn trim(request: &ProjectRequest, limit: u64) -> Option<Removed> {
    let own = workspace(request).ok()?.own_folder();
    let _lock = lock::lock(&own).ok()?;
    let mut size = size_of(&own);
    let mut removed = Removed { folder: own.clone(), ..Removed::default() };
    for names in CACHES {
        if size <= limit {
            break;
        }
        for name in names.iter().filter(|name| own.join(name).exists()) {
            let bytes = size_of(&own.join(name));
            if remove(&own.join(name)).is_ok() {
                size = size.saturating_sub(bytes);
                removed.bytes += bytes;
                removed.names.push((*name).to_owned());
            }
        }
    }
    (!removed.names.is_empty()).then_some(removed)
}

/// That of the folder, or of the project that the folder is a part of.
fn own_folder(folder: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(folder).ok()?;
    folder.ancestors().map(|folder| folder.join(OWN_FOLDER)).find(|own| own.is_dir())
}

fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(folder)?;
    let mut names: Vec<String> = entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<_>>()?;
    names.sort();
    Ok(names)
}

fn remove(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() { remove_all(path) } else { fs::remove_file(path) }
}

/// Bytes of all files; what cannot be read counts for nothing.
fn size_of(path: &Path) -> u64 {
    let Ok(metadata) = fs::symlink_metadata(path) else { return 0 };
    if !metadata.is_dir() {
        return metadata.len();
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| size_of(&entry.path())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join(OWN_FOLDER);
        fs::create_dir_all(own.join("build/target")).unwrap();
        for (name, bytes) in [
            ("build/target/A.class", 500),
            ("results.sqlite", 100),
            ("results.old.sqlite", 200),
            ("build.log", 50),
        ] {
            fs::write(own.join(name), vec![0; bytes]).unwrap();
        }
        fs::write(folder.path().join("pom.xml"), "<project/>").unwrap();
        fs::create_dir(folder.path().join("module")).unwrap();
        folder
    }

    #[test]
    fn all_is_removed_or_all_but_the_results() {
        let folder = project();
        let kept = clean(&folder.path().join("module"), true).unwrap().unwrap();
        assert_eq!(
            (kept.bytes, kept.names),
            (750, vec!["build".into(), "build.log".into(), "results.old.sqlite".into()])
        );
        assert!(folder.path().join(".catchment/results.sqlite").exists());
        assert_eq!(clean(folder.path(), false).unwrap().unwrap().bytes, 100);
        assert!(!folder.path().join(".catchment").exists());
        assert_eq!(clean(folder.path(), false).unwrap(), None);
    }

    #[test]
    fn nothing_is_removed_while_another_process_works_there() {
        let folder = project();
        let _lock = lock::lock(&folder.path().join(OWN_FOLDER)).unwrap();
        assert!(matches!(clean(folder.path(), false), Err(LabError::Busy { .. })));
        assert!(folder.path().join(".catchment/build").exists());
    }

    #[test]
    fn caches_go_cheapest_first_until_there_is_room() {
        let folder = project();
        let request = ProjectRequest { folder: folder.path().to_owned(), ..ProjectRequest::default() };
        assert_eq!(trim(&request, 10_000), None);
        assert_eq!(trim(&request, 700).unwrap().names, ["results.old.sqlite"]);
        assert_eq!(trim(&request, 150).unwrap().names, ["build.log", "build"]);
        assert!(folder.path().join(".catchment/results.sqlite").exists());
    }
}
