//! Layout of the counter file.
//!
//! ```text
//! header (4096 bytes)  0 magic u64 | 8 version u64 | 16 lost records u64 | 64 owners: 8 thread ids
//! chunk 0              slot 0 (shared): counters 0..4096 | slot 1: counters 0..4096 | ... | slot 8
//! chunk 1              slot 0 (shared): counters 4096..8192 | ...
//! ```
//!
//! A counter is the sum of its nine slots. Slot 0 is for everyone, with atomic adds; each of the others belongs
//! to one thread at a time, which uses plain adds. `jvm/runtime` computes the same addresses. What else the probes
//! look at (which try entries throw) is no part of the file: the agent's `mapping.rs` draws it.

/// `catchmnt` in ASCII, little-endian.
const MAGIC: u64 = u64::from_le_bytes(*b"catchmnt");
const VERSION: u64 = 1;

pub const HEADER_BYTES: usize = 4096;
pub const LOST_RECORDS_OFFSET: usize = 16;
pub const OWNERS_OFFSET: usize = 64;
/// Slots that belong to one thread each; a power of two.
pub const OWNED_SLOTS: usize = 8;
pub const SLOTS: usize = OWNED_SLOTS + 1;
pub const COUNTERS_PER_CHUNK: usize = 4096;
const COUNTER_BYTES: usize = 8;
pub const SLOT_BYTES: usize = COUNTERS_PER_CHUNK * COUNTER_BYTES;
pub const CHUNK_BYTES: usize = SLOTS * SLOT_BYTES;

/// Bytes a file needs to hold the counters `0..count`.
pub fn file_bytes(count: u64) -> u64 {
    HEADER_BYTES as u64 + count.div_ceil(COUNTERS_PER_CHUNK as u64) * CHUNK_BYTES as u64
}

/// Offset of `slot` of counter `id` in the file.
pub fn offset_of(id: u32, slot: usize) -> u64 {
    let (chunk, within) = (id as usize / COUNTERS_PER_CHUNK, id as usize % COUNTERS_PER_CHUNK);
    HEADER_BYTES as u64
        + chunk as u64 * CHUNK_BYTES as u64
        + (slot * SLOT_BYTES + within * COUNTER_BYTES) as u64
}

/// The first bytes of a new counter file.
pub fn header() -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&MAGIC.to_le_bytes());
    bytes[8..].copy_from_slice(&VERSION.to_le_bytes());
    bytes
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CountersError {
    #[error("not a counter file")]
    NotACounterFile,
    #[error("counter file of version {0}, this program reads version {VERSION}")]
    OtherVersion(u64),
}

/// A counter file's bytes, checked to be one.
#[derive(Debug, Clone, Copy)]
pub struct Counters<'a> {
    bytes: &'a [u8],
}

impl<'a> Counters<'a> {
    pub fn new(bytes: &'a [u8]) -> Result<Self, CountersError> {
        let counters = Self { bytes };
        if bytes.len() < HEADER_BYTES || counters.word(0) != MAGIC {
            return Err(CountersError::NotACounterFile);
        }
        match counters.word(8) {
            VERSION => Ok(counters),
            other => Err(CountersError::OtherVersion(other)),
        }
    }

    /// The sum over all slots; 0 for a counter the file is too short for.
    pub fn total(&self, id: u32) -> u64 {
        (0..SLOTS).fold(0, |sum: u64, slot| sum.wrapping_add(self.word(offset_of(id, slot))))
    }

    /// Records the agent could not write, for want of disk space.
    pub fn lost_records(&self) -> u64 {
        self.word(LOST_RECORDS_OFFSET as u64)
    }

    fn word(&self, offset: u64) -> u64 {
        usize::try_from(offset)
            .ok()
            .and_then(|offset| self.bytes.get(offset..)?.first_chunk::<8>())
            .map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_with(values: &[(u32, usize, u64)]) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(file_bytes(5000)).expect("a small file")];
        bytes[..16].copy_from_slice(&header());
        for &(id, slot, value) in values {
            let offset = usize::try_from(offset_of(id, slot)).expect("a small file");
            bytes[offset..offset + 8].copy_from_slice(&value.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn a_counter_is_the_sum_of_its_slots() {
        let bytes = file_with(&[(0, 0, 1), (0, 8, 10), (1, 0, 100), (4096, 3, 7), (4999, 8, 9)]);
        let counters = Counters::new(&bytes).unwrap();
        assert_eq!([0, 1, 2, 4096, 4999].map(|id| counters.total(id)), [11, 100, 0, 7, 9]);
    }

    #[test]
    fn counters_beyond_the_end_are_zero() {
        let bytes = file_with(&[]);
        assert_eq!(Counters::new(&bytes).unwrap().total(u32::MAX), 0);
    }

    #[test]
    fn other_files_are_refused() {
        assert_eq!(Counters::new(b"").unwrap_err(), CountersError::NotACounterFile);
        assert_eq!(Counters::new(&[0; 10_000]).unwrap_err(), CountersError::NotACounterFile);
        let mut newer = file_with(&[]);
        newer[8] = 2;
        assert_eq!(Counters::new(&newer).unwrap_err(), CountersError::OtherVersion(2));
    }
}
