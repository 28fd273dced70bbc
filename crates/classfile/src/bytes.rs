//! Checked big-endian reads and plain big-endian writes.

use crate::ClassError;
use std::ops::Range;

/// A cursor over bytes; every read is checked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> Reader<'a> {
    #[inline]
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, pos: 0 }
    }

    #[inline]
    pub(crate) fn at(bytes: &'a [u8], pos: usize) -> Self {
        Self { bytes, pos }
    }

    #[inline]
    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    #[inline]
    pub(crate) fn at_end(&self) -> bool {
        self.pos >= self.bytes.len()
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.pos)
    }

    #[inline]
    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], ClassError> {
        let end = self.pos.checked_add(len);
        match end.and_then(|end| self.bytes.get(self.pos..end)) {
            Some(slice) => {
                self.pos += len;
                Ok(slice)
            }
            None => Err(ClassError::Truncated { offset: self.pos, needed: len }),
        }
    }

    #[inline]
    pub(crate) fn skip(&mut self, len: usize) -> Result<(), ClassError> {
        self.take(len).map(|_| ())
    }

    #[inline]
    pub(crate) fn u1(&mut self) -> Result<u8, ClassError> {
        Ok(self.take(1)?[0])
    }

    #[inline]
    pub(crate) fn u2(&mut self) -> Result<u16, ClassError> {
        let s = self.take(2)?;
        Ok(u16::from_be_bytes([s[0], s[1]]))
    }

    #[inline]
    pub(crate) fn u4(&mut self) -> Result<u32, ClassError> {
        let s = self.take(4)?;
        Ok(u32::from_be_bytes([s[0], s[1], s[2], s[3]]))
    }
}

/// The two bytes at `pos`, or 0 past the end. Only for positions a [`Reader`] has checked before.
#[inline]
pub(crate) fn u2_at(bytes: &[u8], pos: usize) -> u16 {
    match bytes.get(pos..pos + 2) {
        Some(s) => u16::from_be_bytes([s[0], s[1]]),
        None => 0,
    }
}

/// The four bytes at `pos`, or 0 past the end. Only for positions a [`Reader`] has checked before.
#[inline]
pub(crate) fn u4_at(bytes: &[u8], pos: usize) -> u32 {
    match bytes.get(pos..pos + 4) {
        Some(s) => u32::from_be_bytes([s[0], s[1], s[2], s[3]]),
        None => 0,
    }
}

#[inline]
pub(crate) fn put2(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_be_bytes());
}

#[inline]
pub(crate) fn put4(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_be_bytes());
}

/// Appends a part of `source`. Most are shorter than it takes to call for a copy of any length, and something follows
/// them.
#[inline]
pub(crate) fn put_run(source: &[u8], range: Range<usize>, out: &mut Vec<u8>) {
    const SHORT: usize = 32;
    let end = out.len() + range.len();
    match source.get(range.start..).and_then(|rest| rest.first_chunk::<SHORT>()) {
        Some(chunk) if range.len() <= SHORT => {
            out.extend_from_slice(chunk);
            out.truncate(end);
        }
        _ => out.extend_from_slice(&source[range]),
    }
}

/// Writes how much was appended behind the length at `at` into it.
#[inline]
pub(crate) fn patch_length(out: &mut [u8], at: usize) {
    let length = u32::try_from(out.len() - at - 4).unwrap_or(u32::MAX);
    out[at..at + 4].copy_from_slice(&length.to_be_bytes());
}
