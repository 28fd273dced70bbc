//! What tells whether an element of a class path is still what it was, for whoever keeps results about it.

use std::fmt;
use std::fs::{self, Metadata};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::UNIX_EPOCH;

use crate::folder::relative_name;
use crate::origin::Origin;
use crate::walk::{Met, walk};

/// Equal as long as neither the place nor the sizes and times of its files change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ContentKey {
    /// The element as people write it.
    pub place: String,
    /// Over size and time of the file; of a folder over names, sizes and times of all files.
    pub fingerprint: u64,
}

impl ContentKey {
    pub(crate) fn of_file(origin: &Origin) -> Option<Self> {
        let mut hash = Fnv::default();
        hash.file(&fs::metadata(origin.container()).ok()?);
        Some(Self { place: origin.to_string(), fingerprint: hash.0 })
    }

    pub(crate) fn of_folder(root: &Path, origin: &Origin) -> Option<Self> {
        let mut hash = Fnv::default();
        let _ = walk(root, &mut |met| {
            if let Met::File(path) = met
                && let Ok(metadata) = fs::metadata(path)
            {
                hash.bytes(relative_name(root, path).as_bytes());
                hash.file(&metadata);
            }
            ControlFlow::Continue(())
        });
        root.is_dir().then(|| Self { place: origin.to_string(), fingerprint: hash.0 })
    }
}

impl fmt::Display for ContentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:016x}", self.place, self.fingerprint)
    }
}

/// FNV-1a: the same in every run and version.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn file(&mut self, metadata: &Metadata) {
        self.bytes(&metadata.len().to_le_bytes());
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        self.bytes(&modified.unwrap_or_default().as_nanos().to_le_bytes());
    }
}
