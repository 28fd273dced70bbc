//! Bytes that several owners read: a mapped file, an unpacked archive, or a part of either.

use std::ops::Range;
use std::sync::Arc;

use memmap2::Mmap;

#[derive(Debug)]
enum Backing {
    Mapped(Mmap),
    Unpacked(Vec<u8>),
}

/// Cloning copies no bytes.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    backing: Arc<Backing>,
    range: Range<usize>,
}

impl Shared {
    pub(crate) fn mapped(map: Mmap) -> Self {
        Self { range: 0..map.len(), backing: Arc::new(Backing::Mapped(map)) }
    }

    pub(crate) fn unpacked(bytes: Vec<u8>) -> Self {
        Self { range: 0..bytes.len(), backing: Arc::new(Backing::Unpacked(bytes)) }
    }

    /// A part of these, if they reach so far.
    pub(crate) fn part(&self, range: Range<usize>) -> Option<Self> {
        self.as_ref().get(range.clone())?;
        let start = self.range.start + range.start;
        Some(Self { backing: self.backing.clone(), range: start..start + range.len() })
    }
}

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        let all: &[u8] = match self.backing.as_ref() {
            Backing::Mapped(map) => map,
            Backing::Unpacked(bytes) => bytes,
        };
        all.get(self.range.clone()).unwrap_or_default()
    }
}
