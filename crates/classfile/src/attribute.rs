//! Attributes as named spans; what is inside is read by those who know it.

use crate::bytes::{Reader, u2_at, u4_at};
use crate::{ClassError, ConstantPool, JvmStr};
use std::ops::Range;

/// One attribute of a class, member or code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// Constant pool index of the name.
    pub name_index: u16,
    /// Offset of [`Self::data`] in the class file.
    pub offset: usize,
    pub data: &'a [u8],
}

impl<'a> Attribute<'a> {
    /// Offset of [`Self::data`] in the class file.
    #[inline]
    pub(crate) fn span(&self) -> Range<usize> {
        self.offset..self.offset + self.data.len()
    }

    #[inline]
    pub fn name(&self, pool: &ConstantPool<'a>) -> JvmStr<'a> {
        pool.utf8(self.name_index).unwrap_or_default()
    }
}

/// The attributes found at one place. Checked when made, so that iterating cannot fail.
#[derive(Debug, Clone, Copy)]
pub struct Attributes<'a> {
    bytes: &'a [u8],
    /// Offset of `attributes_count`.
    start: usize,
    end: usize,
}

impl<'a> Attributes<'a> {
    /// Reads the table at `start` of the class file `bytes`.
    #[inline]
    pub(crate) fn read(bytes: &'a [u8], start: usize) -> Result<Self, ClassError> {
        let mut reader = Reader::at(bytes, start);
        for _ in 0..reader.u2()? {
            reader.skip(2)?;
            let len = reader.u4()? as usize;
            reader.skip(len)?;
        }
        Ok(Self { bytes, start, end: reader.pos() })
    }

    pub(crate) fn end(&self) -> usize {
        self.end
    }

    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Attribute<'a>> + use<'a> {
        let bytes = self.bytes;
        let mut pos = self.start + 2;
        (0..u2_at(bytes, self.start)).map(move |_| {
            let offset = pos + 6;
            let name_index = u2_at(bytes, pos);
            pos = offset + u4_at(bytes, pos + 2) as usize;
            Attribute { name_index, offset, data: bytes.get(offset..pos).unwrap_or_default() }
        })
    }

    /// The first attribute called `name`.
    pub fn find(&self, pool: &ConstantPool<'a>, name: &str) -> Option<Attribute<'a>> {
        self.iter().find(|attribute| attribute.name(pool) == *name)
    }
}
