//! Cache files: results of analyses in the user's cache folder.
//!
//! ```text
//! <cache>/catchment/jdk/<key>.cached  =  magic, key, checksum of what follows, bytes of the base
//! <cache>/catchment/programs/<key>.cached
//! ```
//!
//! A file appears by a rename, complete or not at all, and several processes may read, write and delete at once.
//! Whatever is wrong with a file or a folder, it is passed over: an analysis never fails for lack of a cache.

use catchment_watch::{
    cache_folder, create_private_folder, existing_private_folder, private_temporary_folder,
};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use xxhash_rust::xxh3::xxh3_128;

const MAGIC: [u8; 8] = *b"CMKEPT01";
const EXTENSION: &str = "cached";
const UNFINISHED: &str = "unfinished-";

/// An unfinished file older than this was left by a process that ended.
const LONGEST_WRITE: Duration = Duration::from_secs(60 * 60);

/// Hash of all inputs of a cached result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CacheKey(pub(crate) [u8; 16]);

/// A subfolder of the cache, pruned by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CacheSection {
    /// Bases, of 30 to 80 MB each.
    Jdk,
    /// Call graphs of programs: 12 MB of a small one, 18 MB of embedded Tomcat.
    Programs,
}

impl CacheSection {
    fn folder(self) -> &'static str {
        match self {
            Self::Jdk => "jdk",
            Self::Programs => "programs",
        }
    }

    /// Number of files that pruning leaves, those used last: bases of two JDKs with two analyses each, or some
    /// programs.
    fn capacity(self) -> usize {
        match self {
            Self::Jdk => 4,
            Self::Programs => 6,
        }
    }
}

/// The cache folders, the best first.
#[derive(Debug)]
pub(crate) struct CacheFiles {
    folders: Vec<PathBuf>,
    /// The folder for when none of them can be written to.
    last_resort: fn() -> Option<PathBuf>,
}

impl CacheFiles {
    pub(crate) fn of_user() -> Self {
        let folders = cache_folder().into_iter().chain(existing_private_folder());
        Self { folders: folders.collect(), last_resort: private_temporary_folder }
    }

    /// The bytes that were written under this key, if the file is whole.
    pub(crate) fn read(&self, section: CacheSection, key: &CacheKey) -> Option<Vec<u8>> {
        let path = |folder: &PathBuf| folder.join(section.folder()).join(name_of(key));
        self.folders.iter().find_map(|folder| read_file(&path(folder), key))
    }

    /// Writes these bytes to the first folder that takes them, if there is one.
    pub(crate) fn write(&self, section: CacheSection, key: &CacheKey, bytes: &[u8]) {
        let more = std::iter::once_with(self.last_resort).flatten();
        for folder in self.folders.iter().cloned().chain(more) {
            let folder = folder.join(section.folder());
            if write_file(&folder, key, bytes).is_ok() {
                prune(&folder, section.capacity());
                return;
            }
        }
    }
}

fn name_of(key: &CacheKey) -> String {
    format!("{:032x}.{EXTENSION}", u128::from_be_bytes(key.0))
}

fn read_file(path: &Path, key: &CacheKey) -> Option<Vec<u8>> {
    let mut bytes = fs::read(path).ok()?;
    let header = header_of(key, bytes.get(HEADER..)?);
    bytes.starts_with(&header).then_some(())?;
    // Used now, so it is not among the first to go.
    let _ = File::options().append(true).open(path).and_then(|file| file.set_modified(SystemTime::now()));
    bytes.drain(..HEADER);
    Some(bytes)
}

const HEADER: usize = 8 + 16 + 16;

fn header_of(key: &CacheKey, bytes: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..24].copy_from_slice(&key.0);
    header[24..].copy_from_slice(&xxh3_128(bytes).to_le_bytes());
    header
}

fn write_file(folder: &Path, key: &CacheKey, bytes: &[u8]) -> io::Result<()> {
    create_private_folder(folder)?;
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder)?;
    file.write_all(&header_of(key, bytes))?;
    file.write_all(bytes)?;
    file.persist(folder.join(name_of(key)))?;
    Ok(())
}

/// Removes files beyond the capacity, those used last excepted, and what killed processes left unfinished.
fn prune(folder: &Path, capacity: usize) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let (mut whole, mut unfinished) = (Vec::new(), Vec::new());
    for entry in entries.flatten() {
        let Some(used) = entry.metadata().ok().and_then(|metadata| metadata.modified().ok()) else {
            continue;
        };
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            unfinished.push((used, path));
        } else if path.extension().is_some_and(|extension| extension == EXTENSION) {
            whole.push((used, path));
        }
    }
    whole.sort_unstable_by(|one, other| other.cmp(one));
    let is_given_up =
        |(begun, _): &(SystemTime, PathBuf)| begun.elapsed().is_ok_and(|age| age > LONGEST_WRITE);
    let given_up = unfinished.into_iter().filter(is_given_up);
    for (_, path) in whole.into_iter().skip(capacity).chain(given_up) {
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache_in(folders: &[&Path]) -> CacheFiles {
        let folders = folders.iter().map(|folder| folder.to_path_buf()).collect();
        CacheFiles { folders, last_resort: || None }
    }

    fn key(number: u8) -> CacheKey {
        CacheKey([number; 16])
    }

    fn file_of(folder: &Path, number: u8) -> PathBuf {
        folder.join("jdk").join(name_of(&key(number)))
    }

    fn used_at(path: &Path, seconds: u64) {
        let file = File::options().append(true).open(path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    }

    #[test]
    fn a_cached_result_is_found_under_its_key_alone() {
        let folder = tempfile::tempdir().unwrap();
        let cache_files = cache_in(&[folder.path()]);
        assert_eq!(cache_files.read(CacheSection::Jdk, &key(1)), None);
        cache_files.write(CacheSection::Jdk, &key(1), b"base");
        assert_eq!(cache_files.read(CacheSection::Jdk, &key(1)), Some(b"base".to_vec()));
        assert_eq!(cache_files.read(CacheSection::Jdk, &key(2)), None);
        assert_eq!(cache_files.read(CacheSection::Programs, &key(1)), None);
        fs::remove_dir_all(folder.path().join("jdk")).unwrap();
        assert_eq!(cache_files.read(CacheSection::Jdk, &key(1)), None);
    }

    #[test]
    fn damaged_and_foreign_files_are_passed_over_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let cache_files = cache_in(&[folder.path()]);
        cache_files.write(CacheSection::Jdk, &key(1), b"base");
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
            assert_eq!(cache_files.read(CacheSection::Jdk, &key(1)), None, "{damaged:?}");
        }
        fs::copy(&file, file_of(folder.path(), 2)).unwrap();
        cache_files.write(CacheSection::Jdk, &key(1), b"base");
        fs::copy(&file, file_of(folder.path(), 2)).unwrap();
        assert_eq!(
            (cache_files.read(CacheSection::Jdk, &key(1)), cache_files.read(CacheSection::Jdk, &key(2))),
            (Some(b"base".to_vec()), None)
        );
    }

    #[test]
    fn folders_that_take_nothing_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, b"").unwrap();
        let good = folder.path().join("good");
        let cache_files = cache_in(&[&file, &good]);
        cache_files.write(CacheSection::Jdk, &key(1), b"base");
        assert!(file_of(&good, 1).is_file());
        assert_eq!(cache_files.read(CacheSection::Jdk, &key(1)), Some(b"base".to_vec()));
        cache_in(&[&file]).write(CacheSection::Jdk, &key(1), b"base");
        assert_eq!(cache_in(&[&file]).read(CacheSection::Jdk, &key(1)), None);
    }

    #[test]
    fn the_files_that_were_used_last_are_left() {
        let folder = tempfile::tempdir().unwrap();
        let cache_files = cache_in(&[folder.path()]);
        for number in 1..=4 {
            cache_files.write(CacheSection::Jdk, &key(number), b"base");
            used_at(&file_of(folder.path(), number), u64::from(number));
        }
        let abandoned = folder.path().join("jdk").join(format!("{UNFINISHED}old"));
        fs::write(&abandoned, b"half").unwrap();
        used_at(&abandoned, 1);
        // Used again, so the second is the one that goes.
        assert!(cache_files.read(CacheSection::Jdk, &key(1)).is_some());
        cache_files.write(CacheSection::Jdk, &key(5), b"base");
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
                    let cache_files = cache_in(&[folder.path()]);
                    cache_files.write(CacheSection::Jdk, &key(1), &[7; 100_000]);
                    assert_eq!(cache_files.read(CacheSection::Jdk, &key(1)), Some(vec![7; 100_000]));
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path().join("jdk")).unwrap().count(), 1);
    }
}
