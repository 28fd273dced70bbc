//! The `Code` attribute.

use crate::bytes::{Reader, u2_at};
use crate::insn::Insns;
use crate::{Attribute, Attributes, ClassError, ConstantPool};

/// One method's code.
#[derive(Debug, Clone, Copy)]
pub struct Code<'a> {
    pub max_stack: u16,
    pub max_locals: u16,
    pub bytes: &'a [u8],
    /// Offset of [`Self::bytes`] in the class file.
    pub offset: usize,
    exception_table: &'a [u8],
    pub attributes: Attributes<'a>,
}

/// One row of the exception table. A row of type 0 catches everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExceptionRow {
    pub start: u16,
    pub end: u16,
    pub handler: u16,
    pub catch_type: u16,
}

impl<'a> Code<'a> {
    #[inline]
    pub(crate) fn read(class: &'a [u8], attribute: Attribute<'a>) -> Result<Self, ClassError> {
        let mut reader = Reader::at(class, attribute.offset);
        // Before version 45.3 the three sizes were one, one and two bytes wide.
        let (minor, major) = (u2_at(class, 4), u2_at(class, 6));
        let (max_stack, max_locals, length) = if major == 45 && minor < 3 {
            (u16::from(reader.u1()?), u16::from(reader.u1()?), usize::from(reader.u2()?))
        } else {
            (reader.u2()?, reader.u2()?, reader.u4()? as usize)
        };
        let offset = reader.pos();
        let bytes = reader.take(length)?;
        let rows = usize::from(reader.u2()?);
        let exception_table = reader.take(8 * rows)?;
        let attributes = Attributes::read(class, reader.pos())?;
        if attributes.end() != attribute.offset + attribute.data.len() {
            let what = "its length does not match its contents".to_string();
            return Err(ClassError::Attribute { attribute: "Code", what });
        }
        Ok(Self { max_stack, max_locals, bytes, offset, exception_table, attributes })
    }

    pub fn insns(&self) -> Insns<'a> {
        Insns::new(self.bytes)
    }

    #[inline]
    pub fn has_exceptions(&self) -> bool {
        !self.exception_table.is_empty()
    }

    #[inline]
    pub fn exceptions(&self) -> impl ExactSizeIterator<Item = ExceptionRow> + use<'a> {
        self.exception_table.chunks_exact(8).map(|row| ExceptionRow {
            start: u2_at(row, 0),
            end: u2_at(row, 2),
            handler: u2_at(row, 4),
            catch_type: u2_at(row, 6),
        })
    }

    /// Offset in the class file of row `index` of the exception table.
    pub fn exception_offset(&self, index: u16) -> usize {
        self.offset + self.bytes.len() + 2 + 8 * usize::from(index)
    }

    /// The `StackMapTable`, if there is one.
    pub fn stack_map(&self, pool: &ConstantPool<'a>) -> Option<Attribute<'a>> {
        self.attributes.find(pool, "StackMapTable")
    }
}
