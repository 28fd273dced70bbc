//! Files with solved bases, in the user's cache folder.
//!
//! ```text
//! <cache>/catchment/jdk/<key>.base  =  magic, key, checksum of what follows, bytes of the base
//! ```
//!
//! A file appears by a rename, complete or not at all, and several processes may read, write and delete at once. Whatever is wrong
//! with a file or a folder, it is passed over: an analysis never fails for lack of a cache.

use catchment_lab::{cache_folders, existing_private_folder, private_temporary_folder};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::xxh3_128;

const MAGIC: [u8; 8] = *b"CMBASE01";
const EXTENSION: &str = "base";
const UNFINISHED: &str = "unfinished-";

/// So many files are left, those that were used last: bases of two JDKs with two analyses each. They have 30 to 80 MB each.
const KEPT: usize = 4;

/// What was not finished by then never will be.
const LONGEST_WRITE: Duration = Duration::from_secs(60 * 60);

/// What a base follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BaseKey(pub(crate) [u8; 16]);

/// Folders for bases, the best first.
#[derive(Debug)]
pub(crate) struct BaseStore {
    folders: Vec<PathBuf>,
    /// When nothing can be written to any of them.
    last_resort: fn() -> Option<PathBuf>,
}

impl BaseStore {
    pub(crate) fn of_user() -> Self {
        let folders = cache_folders().chain(existing_private_folder());
        Self { folders: folders.collect(), last_resort: private_temporary_folder }
    }

    /// What was written under this key, if it is whole.
    pub(crate) fn read(&self, key: &BaseKey) -> Option<Vec<u8>> {
        self.folders.iter().find_map(|folder| read_file(&folder.join("jdk").join(name_of(key)), key))
    }

    /// Keeps these bytes if there is a folder that takes them.
    pub(crate) fn write(&self, key: &BaseKey, bytes: &[u8]) {
        let more = std::iter::once_with(self.last_resort).flatten();
        for folder in self.folders.iter().cloned().chain(more) {
            let folder = folder.join("jdk");
            if write_file(&folder, key, bytes).is_ok() {
                prune(&folder);
                return;
            }
        }
    }
}

fn name_of(key: &BaseKey) -> String {
    format!("{:032x}.{EXTENSION}", u128::from_be_bytes(key.0))
}

fn read_file(path: &Path, key: &BaseKey) -> Option<Vec<u8>> {
    let mut bytes = fs::read(path).ok()?;
    let header = header_of(key, bytes.get(HEADER..)?);
    bytes.starts_with(&header).then_some(())?;
    // Used now, so it is not among the first to go.
    let _ = File::options().append(true).open(path).and_then(|file| file.set_modified(SystemTime::now()));
    bytes.drain(..HEADER);
    Some(bytes)
}

const HEADER: usize = 8 + 16 + 16;

fn header_of(key: &BaseKey, bytes: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..24].copy_from_slice(&key.0);
    header[24..].copy_from_slice(&xxh3_128(bytes).to_le_bytes());
    header
}

fn write_file(folder: &Path, key: &BaseKey, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
    file.write_all(&header_of(key, bytes))?;
    file.write_all(bytes)?;
    file.persist(folder.join(name_of(key)))?;
    Ok(())
}

/// Leaves the files that were used last, and none that a killed process has not finished.
fn prune(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let (mut bases, mut unfinished) = (Vec::new(), Vec::new());
    for entry in entries.flatten() {
        let Some(used) = entry.metadata().ok().and_then(|metadata| metadata.modified().ok()) else {
            continue;
        };
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            unfinished.push((used, path));
        } else if path.extension().is_some_and(|extension| extension == EXTENSION) {
            bases.push((used, path));
        }
    }
    bases.sort_unstable_by(|one, other| other.cmp(one));
    let is_given_up =
        |(begun, _): &(SystemTime, PathBuf)| begun.elapsed().is_ok_and(|age| age > LONGEST_WRITE);
    let given_up = unfinished.into_iter().filter(is_given_up);
    for (_, path) in bases.into_iter().skip(KEPT).chain(given_up) {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store_in(folders: &[&Path]) -> BaseStore {
        let folders = folders.iter().map(|folder| folder.to_path_buf()).collect();
        BaseStore { folders, last_resort: || None }
    }

    fn key(number: u8) -> BaseKey {
        BaseKey([number; 16])
    }

    fn file_of(folder: &Path, number: u8) -> PathBuf {
        folder.join("jdk").join(name_of(&key(number)))
    }

    fn used_at(path: &Path, seconds: u64) {
        let file = File::options().append(true).open(path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    }

    #[test]
    fn what_is_kept_is_found_under_its_key_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = store_in(&[folder.path()]);
        assert_eq!(store.read(&key(1)), None);
        store.write(&key(1), b"base");
        assert_eq!(store.read(&key(1)), Some(b"base".to_vec()));
        assert_eq!(store.read(&key(2)), None);
        fs::remove_dir_all(folder.path().join("jdk")).unwrap();
        assert_eq!(store.read(&key(1)), None);
    }

    #[test]
    fn damaged_and_foreign_files_are_passed_over_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let store = store_in(&[folder.path()]);
        store.write(&key(1), b"base");
        let file = file_of(folder.path(), 1);
        let whole = fs::read(&file).unwrap();
        let changed = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            bytes
        };
        let cut_off = (0..whole.len()).map(|end| whole[..end].to_vec());
        let longer = [&whole[..], b"x"].concat();
        for damaged in (0..whole.len()).map(changed).chain(cut_off).chain([longer]) {
            fs::write(&file, &damaged).unwrap();
            assert_eq!(store.read(&key(1)), None, "{damaged:?}");
        }
        fs::copy(&file, file_of(folder.path(), 2)).unwrap();
        store.write(&key(1), b"base");
        fs::copy(&file, file_of(folder.path(), 2)).unwrap();
        assert_eq!((store.read(&key(1)), store.read(&key(2))), (Some(b"base".to_vec()), None));
    }

    #[test]
    fn folders_that_take_nothing_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, b"").unwrap();
        let good = folder.path().join("good");
        let store = store_in(&[&file, &good]);
        store.write(&key(1), b"base");
        assert!(file_of(&good, 1).is_file());
        assert_eq!(store.read(&key(1)), Some(b"base".to_vec()));
        store_in(&[&file]).write(&key(1), b"base");
        assert_eq!(store_in(&[&file]).read(&key(1)), None);
    }

    #[test]
    fn the_files_that_were_used_last_are_left() {
        let folder = tempfile::tempdir().unwrap();
        let store = store_in(&[folder.path()]);
        for number in 1..=4 {
            store.write(&key(number), b"base");
            used_at(&file_of(folder.path(), number), u64::from(number));
        }
        let abandoned = folder.path().join("jdk").join(format!("{UNFINISHED}old"));
        fs::write(&abandoned, b"half").unwrap();
        used_at(&abandoned, 1);
        // Used again, so the second is the one that goes.
        assert!(store.read(&key(1)).is_some());
        store.write(&key(5), b"base");
        let left: Vec<u8> = (1..=5).filter(|number| file_of(folder.path(), *number).is_file()).collect();
        assert_eq!(left, [1, 3, 4, 5]);
        assert!(!abandoned.exists());
    }

    #[test]
    fn many_at_once_end_with_one_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let store = store_in(&[folder.path()]);
                    store.write(&key(1), &[7; 100_000]);
                    assert_eq!(store.read(&key(1)), Some(vec![7; 100_000]));
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path().join("jdk")).unwrap().count(), 1);
    }
}
