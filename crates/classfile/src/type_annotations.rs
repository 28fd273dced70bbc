//! Type annotations on code (JVMS §4.7.20): the only annotations that carry code offsets and table indices.

use crate::ClassError;
use crate::annotations::skip_annotation;
use crate::bytes::Reader;

/// The new positions inside a type annotation.
pub(crate) trait PositionMap {
    /// A range of instructions, as (start, length).
    fn range(&self, start: u16, length: u16) -> Result<(u16, u16), ClassError>;
    /// The instruction at an old pc.
    fn instruction(&self, pc: u16) -> Result<u16, ClassError>;
    /// A row of the exception table.
    fn exception(&self, index: u16) -> u16;
}

/// Appends `data`, the contents of a `Runtime(In)VisibleTypeAnnotations` attribute of a `Code` attribute, with
/// its positions mapped. The length stays the same: positions are patched in place.
pub(crate) fn relocate(data: &[u8], map: &dyn PositionMap, out: &mut Vec<u8>) -> Result<(), ClassError> {
    let base = out.len();
    out.extend_from_slice(data);
    let mut patch =
        |pos: usize, value: u16| out[base + pos..base + pos + 2].copy_from_slice(&value.to_be_bytes());
    let mut reader = Reader::new(data);
    for _ in 0..reader.u2()? {
        relocate_target(&mut reader, map, &mut patch)?;
        let path = usize::from(reader.u1()?);
        reader.skip(2 * path)?;
        skip_annotation(&mut reader)?;
    }
    Ok(())
}

fn relocate_target(
    reader: &mut Reader<'_>,
    map: &dyn PositionMap,
    patch: &mut dyn FnMut(usize, u16),
) -> Result<(), ClassError> {
    match reader.u1()? {
        0x00 | 0x01 | 0x16 => reader.skip(1),
        0x13..=0x15 => Ok(()),
        0x10..=0x12 | 0x17 => reader.skip(2),
        0x40 | 0x41 => {
            for _ in 0..reader.u2()? {
                let pos = reader.pos();
                let (start, length) = map.range(reader.u2()?, reader.u2()?)?;
                patch(pos, start);
                patch(pos + 2, length);
                reader.skip(2)?;
            }
            Ok(())
        }
        0x42 => {
            let pos = reader.pos();
            patch(pos, map.exception(reader.u2()?));
            Ok(())
        }
        kind @ 0x43..=0x4B => {
            let pos = reader.pos();
            patch(pos, map.instruction(reader.u2()?)?);
            reader.skip(usize::from(kind >= 0x47))
        }
        kind => Err(malformed(format!("target type {kind:#04x} is unknown"))),
    }
}

fn malformed(what: String) -> ClassError {
    ClassError::Attribute { attribute: "type annotations", what }
}
