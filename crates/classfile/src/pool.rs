//! The constant pool: where each constant starts, typed look-ups, and appending without renumbering.

use crate::bytes::{Reader, put2, put4, u2_at};
use crate::tag::{
    CLASS, DOUBLE, DYNAMIC, FIELD_REF, FLOAT, INTEGER, INTERFACE_METHOD_REF, INVOKE_DYNAMIC, LONG,
    METHOD_HANDLE, METHOD_REF, METHOD_TYPE, MODULE, NAME_AND_TYPE, PACKAGE, STRING, UTF8,
};
use crate::{ClassError, JvmStr};

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
    /// Reads the pool whose count stands at offset 8 of the class file, with the memory of `offsets`.
    pub(crate) fn read(bytes: &'a [u8], mut offsets: Vec<u32>) -> Result<Self, ClassError> {
        let count = usize::from(Reader::at(bytes, 8).u2()?);
        offsets.clear();
        offsets.resize(count.max(1), 0);
        let mut end = 10;
        let mut index = 1;
        while index < count {
            let offset = end;
            let tag = *bytes.get(offset).ok_or(ClassError::Truncated { offset, needed: 1 })?;
            offsets[index] = u32::try_from(offset).unwrap_or(u32::MAX);
            index += 1;
            // Half of all constants: where it guesses right, the processor need not wait for the size of others.
            if tag == UTF8 {
                end += 3 + usize::from(u2_at(bytes, offset + 1));
            } else {
                end += usize::from(SIZES[usize::from(tag)]);
                index += usize::from(matches!(tag, LONG | DOUBLE));
            }
            if end > bytes.len() || end == offset {
                return Err(unreadable_constant(bytes, offset, tag));
            }
        }
        if index > count.max(1) {
            return Err(ClassError::HalfConstant(count - 1));
        }
        Ok(Self { bytes, offsets, end })
    }

    /// Gives the memory back.
    pub(crate) fn into_buffer(self) -> Vec<u32> {
        self.offsets
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

    /// Loading a class, method handle, method type or dynamic constant resolves it, which can fail.
    #[inline]
    pub(crate) fn is_resolved(&self, index: u16) -> bool {
        matches!(self.tag(index), Some(CLASS | METHOD_HANDLE | METHOD_TYPE | DYNAMIC))
    }

    #[inline]
    fn offset(&self, index: u16) -> Option<usize> {
        self.offsets.get(usize::from(index)).filter(|offset| **offset != 0).map(|offset| *offset as usize)
    }

    #[inline]
    fn tagged(&self, index: u16, tag: u8, expected: &'static str) -> Result<usize, ClassError> {
        self.offset(index)
            .filter(|offset| self.bytes[*offset] == tag)
            .ok_or(ClassError::Constant { index, expected })
    }

    #[inline]
    pub fn utf8(&self, index: u16) -> Result<JvmStr<'a>, ClassError> {
        let offset = self.tagged(index, UTF8, "string of characters")?;
        let len = usize::from(u2_at(self.bytes, offset + 1));
        Ok(JvmStr::new(&self.bytes[offset + 3..offset + 3 + len]))
    }

    /// The internal name of a class constant, or the descriptor if it is an array.
    #[inline]
    pub fn class_name(&self, index: u16) -> Result<JvmStr<'a>, ClassError> {
        let offset = self.tagged(index, CLASS, "class")?;
        self.utf8(u2_at(self.bytes, offset + 1))
    }

    /// The characters of a string constant.
    pub fn string(&self, index: u16) -> Result<JvmStr<'a>, ClassError> {
        let offset = self.tagged(index, STRING, "string")?;
        self.utf8(u2_at(self.bytes, offset + 1))
    }

    /// The descriptor of a method type constant.
    pub fn method_type(&self, index: u16) -> Result<JvmStr<'a>, ClassError> {
        let offset = self.tagged(index, METHOD_TYPE, "method type")?;
        self.utf8(u2_at(self.bytes, offset + 1))
    }

    /// A field, method or interface method.
    #[inline]
    pub fn member_ref(&self, index: u16) -> Result<MemberRef<'a>, ClassError> {
        let offset = self.member_offset(index)?;
        let owner = self.class_name(u2_at(self.bytes, offset + 1))?;
        let (name, descriptor) = self.name_and_type(u2_at(self.bytes, offset + 3))?;
        Ok(MemberRef { owner, name, descriptor })
    }

    /// The name of a field, method or interface method.
    pub fn member_name(&self, index: u16) -> Result<JvmStr<'a>, ClassError> {
        let offset = self.member_offset(index)?;
        let name_and_type = self.tagged(u2_at(self.bytes, offset + 3), NAME_AND_TYPE, "name and type")?;
        self.utf8(u2_at(self.bytes, name_and_type + 1))
    }

    /// The descriptor of a field, method or interface method.
    #[inline]
    pub fn member_descriptor(&self, index: u16) -> Result<JvmStr<'a>, ClassError> {
        let offset = self.member_offset(index)?;
        let name_and_type = self.tagged(u2_at(self.bytes, offset + 3), NAME_AND_TYPE, "name and type")?;
        self.utf8(u2_at(self.bytes, name_and_type + 3))
    }

    /// The class a field, method or interface method is looked up in.
    #[inline]
    pub fn member_owner(&self, index: u16) -> Result<JvmStr<'a>, ClassError> {
        let offset = self.member_offset(index)?;
        self.class_name(u2_at(self.bytes, offset + 1))
    }

    #[inline]
    fn member_offset(&self, index: u16) -> Result<usize, ClassError> {
        self.offset(index)
            .filter(|offset| matches!(self.bytes[*offset], FIELD_REF | METHOD_REF | INTERFACE_METHOD_REF))
            .ok_or(ClassError::Constant { index, expected: "field or method" })
    }

    /// Name and descriptor of an invokedynamic or dynamic constant.
    pub fn dynamic(&self, index: u16) -> Result<(JvmStr<'a>, JvmStr<'a>), ClassError> {
        let offset = self
            .offset(index)
            .filter(|offset| matches!(self.bytes[*offset], DYNAMIC | INVOKE_DYNAMIC))
            .ok_or(ClassError::Constant { index, expected: "dynamic call site" })?;
        self.name_and_type(u2_at(self.bytes, offset + 3))
    }

    #[inline]
    fn name_and_type(&self, index: u16) -> Result<(JvmStr<'a>, JvmStr<'a>), ClassError> {
        let offset = self.tagged(index, NAME_AND_TYPE, "name and type")?;
        Ok((self.utf8(u2_at(self.bytes, offset + 1))?, self.utf8(u2_at(self.bytes, offset + 3))?))
    }

    /// The bytes of constant `index` after its tag, for hashing constants that need no meaning.
    pub fn raw(&self, index: u16) -> Option<(u8, &'a [u8])> {
        let offset = self.offset(index)?;
        let tag = self.bytes[offset];
        let end = offset + constant_size(self.bytes, offset, tag);
        self.bytes.get(offset + 1..end).map(|bytes| (tag, bytes))
    }
}

/// Bytes that the constant at `offset` takes, its tag included; 0 for tags that do not exist.
#[inline]
fn constant_size(bytes: &[u8], offset: usize, tag: u8) -> usize {
    let characters = if tag == UTF8 { usize::from(u2_at(bytes, offset + 1)) } else { 0 };
    usize::from(SIZES[usize::from(tag)]) + characters
}

/// Sizes of constants by tag; of strings of characters without the characters.
static SIZES: [u8; 256] = sizes();

const fn sizes() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut tag = 0;
    while tag <= PACKAGE {
        table[tag as usize] = match tag {
            UTF8 | CLASS | STRING | METHOD_TYPE | MODULE | PACKAGE => 3,
            METHOD_HANDLE => 4,
            INTEGER | FLOAT => 5,
            FIELD_REF | METHOD_REF | INTERFACE_METHOD_REF | NAME_AND_TYPE | DYNAMIC | INVOKE_DYNAMIC => 5,
            LONG | DOUBLE => 9,
            _ => 0,
        };
        tag += 1;
    }
    table
}

/// The error of a constant that has no size or ends behind the end of the file.
fn unreadable_constant(bytes: &[u8], offset: usize, tag: u8) -> ClassError {
    let mut reader = Reader::at(bytes, offset + 1);
    let rest = match tag {
        UTF8 => reader.u2().map(usize::from),
        _ => Ok(constant_size(bytes, offset, tag).saturating_sub(1)),
    };
    match rest.and_then(|rest| reader.skip(rest)) {
        Err(error) => error,
        Ok(()) => ClassError::ConstantTag { tag, offset },
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
        Self::with_buffer(pool, Vec::new())
    }

    /// With the memory of `buffer`.
    pub fn with_buffer(pool: &ConstantPool<'_>, mut buffer: Vec<u8>) -> Self {
        buffer.clear();
        Self { first: pool.count(), added: 0, bytes: buffer }
    }

    /// Gives the memory back.
    pub fn into_buffer(self) -> Vec<u8> {
        self.bytes
    }

    /// The count to write in the class file.
    pub(crate) fn count(&self) -> usize {
        self.first + self.added
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reserves the next index; `None` when the pool is full (JVMS §4.1: at most 65,535 slots).
    pub(crate) fn next(&mut self, tag: u8) -> Option<u16> {
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

    /// Appends to the constant begun last.
    pub(crate) fn put2(&mut self, value: u16) {
        put2(&mut self.bytes, value);
    }

    pub fn field(&mut self, owner: u16, name: &str, descriptor: &str) -> Option<u16> {
        self.member(FIELD_REF, owner, name, descriptor)
    }

    /// A method of a class (not of an interface).
    pub fn method(&mut self, owner: u16, name: &str, descriptor: &str) -> Option<u16> {
        self.member(METHOD_REF, owner, name, descriptor)
    }

    fn member(&mut self, tag: u8, owner: u16, name: &str, descriptor: &str) -> Option<u16> {
        let name = self.utf8(name.as_bytes())?;
        let descriptor = self.utf8(descriptor.as_bytes())?;
        let name_and_type = self.next(NAME_AND_TYPE)?;
        put2(&mut self.bytes, name);
        put2(&mut self.bytes, descriptor);
        let index = self.next(tag)?;
        put2(&mut self.bytes, owner);
        put2(&mut self.bytes, name_and_type);
        Some(index)
    }
}
