//! Where the testkit keeps what it fetches and builds, and how several test processes share it.

use anyhow::{Context, Result};
use catchment_protocol::hash::stable_hash;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    let testkit = Path::new(env!("CARGO_MANIFEST_DIR"));
    testkit.parent().expect("testkit is a folder of the workspace").to_path_buf()
}

/// A folder below the workspace's `target/`, created if absent.
///
/// Deliberately not `CARGO_TARGET_DIR`: fetched artifacts are shared by all builds of this tree.
pub fn target_folder(name: &str) -> Result<PathBuf> {
    let folder = root().join("target").join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder)
}

/// All files below `folder`, sorted.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

/// Runs `work` while no other process or thread runs it under the same lock file.
pub fn exclusively<T>(lock_file: &Path, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let describe = || format!("cannot lock {}", lock_file.display());
    let lock = File::create(lock_file).with_context(describe)?;
    lock.lock().with_context(describe)?;
    work()
}

/// The folder `target/testkit/<kind>/<key>`, filled by `fill` unless an earlier run has done so.
///
/// `fill` works in a staging folder that is renamed when complete: what exists is whole.
pub fn cached_folder(kind: &str, key: &str, fill: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let parent = target_folder("testkit")?.join(kind);
    let folder = parent.join(key);
    if folder.is_dir() {
        return Ok(folder);
    }
    fs::create_dir_all(&parent).with_context(|| format!("cannot create {}", parent.display()))?;
    exclusively(&parent.join(format!(".{key}.lock")), || {
        if folder.is_dir() {
            return Ok(());
        }
        let staging = tempfile::tempdir_in(&parent).context("cannot create a staging folder")?;
        fill(staging.path())?;
        fs::rename(staging.keep(), &folder).with_context(|| format!("cannot store {}", folder.display()))
    })?;
    Ok(folder)
}

/// A name for a cache folder: equal for equal parts, in practice different for different ones.
pub fn cache_key<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    format!("{:016x}", stable_hash(parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_keys_see_where_one_part_ends_and_the_next_begins() {
        let split = |parts: [&str; 2]| cache_key(parts.map(str::as_bytes));
        assert_eq!(split(["ab", "c"]), split(["ab", "c"]));
        assert_ne!(split(["ab", "c"]), split(["a", "bc"]));
    }
}
