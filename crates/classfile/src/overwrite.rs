//! A class with single stretches of its bytes replaced and constants appended.
//!
//! Knows nothing of what the bytes mean: whoever makes an attribute longer replaces the lengths around it as well.

use crate::{ClassFile, PoolAppender};
use std::ops::Range;

/// New bytes for a stretch of a class file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overwrite {
    pub range: Range<usize>,
    pub bytes: Vec<u8>,
}

impl Overwrite {
    /// Two bytes in the place of two.
    pub fn u2(offset: usize, value: u16) -> Self {
        Self { range: offset..offset + 2, bytes: value.to_be_bytes().to_vec() }
    }

    /// Four bytes in the place of four.
    pub fn u4(offset: usize, value: u32) -> Self {
        Self { range: offset..offset + 4, bytes: value.to_be_bytes().to_vec() }
    }
}

/// The class with `overwrites` behind its constant pool, and `constants` at the end of the pool. `None` if two
/// overwrites overlap or one lies outside.
pub fn overwritten(
    class: &ClassFile<'_>,
    constants: &PoolAppender,
    mut overwrites: Vec<Overwrite>,
) -> Option<Vec<u8>> {
    let pool_end = class.pool.end();
    let count = u16::try_from(constants.count()).ok()?;
    overwrites.sort_by_key(|overwrite| overwrite.range.start);
    let mut out = class.bytes.get(..8)?.to_vec();
    out.extend(count.to_be_bytes());
    out.extend_from_slice(class.bytes.get(10..pool_end)?);
    out.extend_from_slice(constants.bytes());
    let mut copied = pool_end;
    for Overwrite { range, bytes } in overwrites {
        out.extend_from_slice(class.bytes.get(copied..range.start)?);
        out.extend_from_slice(&bytes);
        copied = range.end;
    }
    out.extend_from_slice(class.bytes.get(copied..)?);
    Some(out)
}
