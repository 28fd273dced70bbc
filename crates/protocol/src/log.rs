//! The log file: a header, then records, each with its length first.
//!
//! ```text
//! "catchment log 2\n"  { length u32 little-endian, record }*
//! ```
//!
//! The JVM may be killed in the middle of a write: whatever is incomplete at the end is left out and said so.

use crate::records::Record;

/// Starts every log; the number is the version of the format.
pub const HEADER: &[u8] = b"catchment log 2\n";

/// Records that could be read of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    pub records: Vec<Record>,
    /// Bytes at the end that are no complete record.
    pub unread_bytes: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a log of this version of catchment")]
pub struct NotALog;

/// One record with its length in front, to be appended by a single write.
pub fn frame(record: &Record) -> Vec<u8> {
    let body = record.encode();
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    let mut framed = Vec::with_capacity(body.len() + 4);
    framed.extend_from_slice(&length.to_le_bytes());
    framed.extend_from_slice(&body);
    framed
}

/// Reads as many records as are whole and known.
pub fn read(bytes: &[u8]) -> Result<Log, NotALog> {
    let mut rest = bytes.strip_prefix(HEADER).ok_or(NotALog)?;
    let mut records = Vec::new();
    while let Some((record, after)) = next_record(rest) {
        records.push(record);
        rest = after;
    }
    Ok(Log { records, unread_bytes: rest.len() })
}

fn next_record(bytes: &[u8]) -> Option<(Record, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (body, rest) = rest.split_at_checked(length)?;
    Some((Record::decode(body)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::tests::one_of_each;
    use catchment_testkit::random::Random;

    fn log_of(records: &[Record]) -> Vec<u8> {
        let mut bytes = HEADER.to_vec();
        for record in records {
            bytes.extend(frame(record));
        }
        bytes
    }

    #[test]
    fn a_log_cut_anywhere_keeps_its_whole_records() {
        let records = one_of_each();
        let bytes = log_of(&records);
        for length in HEADER.len()..=bytes.len() {
            let log = read(&bytes[..length]).unwrap();
            assert_eq!(log.records, records[..log.records.len()]);
            assert_eq!(log_of(&log.records).len() + log.unread_bytes, length);
        }
        assert_eq!(read(&bytes).unwrap(), Log { records, unread_bytes: 0 });
        assert_eq!(read(&bytes[..HEADER.len() - 1]), Err(NotALog));
    }

    /// Stands in for the fuzz target: nothing panics or reserves absurd amounts, whatever the bytes.
    #[test]
    fn random_bytes_and_random_damage_never_panic() {
        let mut random = Random(0x1234_5678_9abc_def1);
        let good = log_of(&one_of_each());
        for _ in 0..20_000 {
            let mut bytes = HEADER.to_vec();
            let length = random.below(200);
            bytes.extend((0..length).map(|_| random.below(256) as u8));
            let _ = read(&bytes);
            let mut damaged = good.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(damaged.len());
                damaged[at] = random.below(256) as u8;
            }
            let _ = read(&damaged);
        }
    }
}
