//! The constant pool: where each constant starts, typed look-ups, and appending without renumbering.

use crate::bytes::{Reader, put2, put4, u2_at};
use crate::{ClassError, JvmStr};

const UTF8: u8 = 1;
const INTEGER: u8 = 3;
const CLASS: u8 = 7;
const STRING: u8 = 8;
const METHOD_REF: u8 = 10;
const NAME_AND_TYPE: u8 = 12;

/// Offsets of the constants in the class file they were read from.
#[derive(Debug, Clone)]
pub struct ConstantPool<'a> {
    bytes: &'a [u8],
    /// Offset of each constant's tag; 0 for index 0 and the second half of a long or double.
    offsets: Vec<u32>,
    end: usize,
}

/// A field, method or interface method constant, resolved to its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberRef<'a> {
    pub owner: JvmStr<'a>,
    pub name: JvmStr<'a>,
    pub descriptor: JvmStr<'a>,
}

impl<'a> ConstantPool<'a> {
    /// Reads the pool whose count stands at offset 8 of the class file.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, ClassError> {
        let mut reader = Reader::at(bytes, 8);
        let count = usize::from(reader.u2()?);
        let mut offsets = Vec::with_capacity(count);
        offsets.push(0);
        while offsets.len() < count {
            let offset = reader.pos();
            offsets.push(u32::try_from(offset).unwrap_or(u32::MAX));
            let tag = reader.u1()?;
            match tag {
                UTF8 => {
                    let len = reader.u2()?;
                    reader.skip(usize::from(len))?;
                }
                INTEGER | 4 | 9..=NAME_AND_TYPE | 17 | 18 => reader.skip(4)?,
                5 | 6 => {
                    reader.skip(8)?;
                    if offsets.len() == count {
                        return Err(ClassError::HalfConstant(count - 1));
                    }
                    offsets.push(0);
                }
                CLASS | STRING | 16 | 19 | 20 => reader.skip(2)?,
                15 => reader.skip(3)?,
                tag => return Err(ClassError::ConstantTag { tag, offset }),
            }
        }
        Ok(Self { bytes, offsets, end: reader.pos() })
    }

    /// Offset of the first byte after the pool.
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// `constant_pool_count`: one more than the highest index.
    pub fn count(&self) -> usize {
        self.offsets.len()
    }

    /// The tag of constant `index`, if there is one.
    pub fn tag(&self, index: u16) -> Option<u8> {
        self.offset(index).map(|offset| self.bytes[offset])
    }

    fn offset(&self, index: u16) -> Option<usize> {
        self.offsets.get(usize::from(index)).filter(|offset| **offset != 0).map(|offset| *offset as usize)
    }

    fn tagged(&self, index: u16, tag: u8, expected: &'static str) -> Result<usize, ClassError> {
        self.offset(index)
            .filter(|offset| self.bytes[*offset] == tag)
            .ok_or(ClassError::Constant { index, expected })
    }

    pub fn utf8(&self, index: u16) -> Result<JvmStr<'a>, ClassError> {
        let offset = self.tagged(index, UTF8, "string of characters")?;
        let len = usize::from(u2_at(self.bytes, offset + 1));
        Ok(JvmStr::new(&self.bytes[offset + 3..offset + 3 + len]))
    }

    /// The internal name of a class constant, or the descriptor if it is an array.
    pub fn class_name(&self, index: u16) -> Result<JvmStr<'a>, ClassError> {
        let offset = self.tagged(index, CLASS, "class")?;
        self.utf8(u2_at(self.bytes, offset + 1))
    }

    /// The characters of a string constant.
    pub fn string(&self, index: u16) -> Result<JvmStr<'a>, ClassError> {
        let offset = self.tagged(index, STRING, "string")?;
        self.utf8(u2_at(self.bytes, offset + 1))
    }

    /// A field, method or interface method.
    pub fn member_ref(&self, index: u16) -> Result<MemberRef<'a>, ClassError> {
        let expected = "field or method";
        let offset = self
            .offset(index)
            .filter(|offset| matches!(self.bytes[*offset], 9..=11))
            .ok_or(ClassError::Constant { index, expected })?;
        let owner = self.class_name(u2_at(self.bytes, offset + 1))?;
        let (name, descriptor) = self.name_and_type(u2_at(self.bytes, offset + 3))?;
        Ok(MemberRef { owner, name, descriptor })
    }

    /// Name and descriptor of an invokedynamic or dynamic constant.
    pub fn dynamic(&self, index: u16) -> Result<(JvmStr<'a>, JvmStr<'a>), ClassError> {
        let offset = self
            .offset(index)
            .filter(|offset| matches!(self.bytes[*offset], 17 | 18))
            .ok_or(ClassError::Constant { index, expected: "dynamic call site" })?;
        self.name_and_type(u2_at(self.bytes, offset + 3))
    }

    fn name_and_type(&self, index: u16) -> Result<(JvmStr<'a>, JvmStr<'a>), ClassError> {
        let offset = self.tagged(index, NAME_AND_TYPE, "name and type")?;
        Ok((self.utf8(u2_at(self.bytes, offset + 1))?, self.utf8(u2_at(self.bytes, offset + 3))?))
    }

    /// The bytes of constant `index` after its tag, for hashing constants that need no meaning.
    pub fn raw(&self, index: u16) -> Option<(u8, &'a [u8])> {
        let offset = self.offset(index)?;
        let tag = self.bytes[offset];
        let len = match tag {
            UTF8 => 2 + usize::from(u2_at(self.bytes, offset + 1)),
            5 | 6 => 8,
            CLASS | STRING | 16 | 19 | 20 => 2,
            15 => 3,
            _ => 4,
        };
        self.bytes.get(offset + 1..offset + 1 + len).map(|bytes| (tag, bytes))
    }
}

/// Constants added behind the existing ones, so that no existing index changes.
#[derive(Debug, Clone)]
pub struct PoolAppender {
    first: usize,
    added: usize,
    bytes: Vec<u8>,
}

impl PoolAppender {
    pub fn new(pool: &ConstantPool<'_>) -> Self {
        Self { first: pool.count(), added: 0, bytes: Vec::new() }
    }

    /// The count to write in the class file.
    pub(crate) fn count(&self) -> usize {
        self.first + self.added
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reserves the next index; `None` when the pool is full (JVMS §4.1: at most 65,535 slots).
    fn next(&mut self, tag: u8) -> Option<u16> {
        let index = u16::try_from(self.count()).ok().filter(|index| *index < u16::MAX)?;
        self.added += 1;
        self.bytes.push(tag);
        Some(index)
    }

    pub fn utf8(&mut self, text: &[u8]) -> Option<u16> {
        let len = u16::try_from(text.len()).ok()?;
        let index = self.next(UTF8)?;
        put2(&mut self.bytes, len);
        self.bytes.extend_from_slice(text);
        Some(index)
    }

    pub fn integer(&mut self, value: i32) -> Option<u16> {
        let index = self.next(INTEGER)?;
        put4(&mut self.bytes, value.cast_unsigned());
        Some(index)
    }

    pub fn class(&mut self, name: &[u8]) -> Option<u16> {
        let name = self.utf8(name)?;
        let index = self.next(CLASS)?;
        put2(&mut self.bytes, name);
        Some(index)
    }

    /// A method of a class (not of an interface).
    pub fn method(&mut self, owner: u16, name: &str, descriptor: &str) -> Option<u16> {
        let name = self.utf8(name.as_bytes())?;
        let descriptor = self.utf8(descriptor.as_bytes())?;
        let name_and_type = self.next(NAME_AND_TYPE)?;
        put2(&mut self.bytes, name);
        put2(&mut self.bytes, descriptor);
        let index = self.next(METHOD_REF)?;
        put2(&mut self.bytes, owner);
        put2(&mut self.bytes, name_and_type);
        Some(index)
    }
}
