//! The attributes of a method's code, moved with it.

use super::positions::CodeMap;
use super::{MethodCode, NewException, RelocateError};
use crate::bytes::{Reader, patch_length, put_run, put2, put4, u2_at};
use crate::type_annotations::{self, PositionMap};
use crate::{Attribute, ClassError, ConstantPool};

/// The contents of an attribute of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Frames,
    Lines,
    Variables,
    TypeAnnotations,
    /// Unknown contents, perhaps with positions that cannot be mapped.
    Unknown,
}

impl Kind {
    fn of(name: &[u8]) -> Self {
        match name {
            b"StackMapTable" => Self::Frames,
            b"LineNumberTable" => Self::Lines,
            b"LocalVariableTable" | b"LocalVariableTypeTable" => Self::Variables,
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => Self::TypeAnnotations,
            _ => Self::Unknown,
        }
    }
}

/// The kinds of the attributes of one class by the index of their name, as far as they were looked up and no other
/// name took their place.
#[derive(Debug)]
pub(super) struct AttributeNames {
    known: [(u16, Kind); Self::PLACES],
}

impl Default for AttributeNames {
    fn default() -> Self {
        // No constant has index 0.
        Self { known: [(0, Kind::Unknown); Self::PLACES] }
    }
}

impl AttributeNames {
    const PLACES: usize = 32;

    /// Forgets the names of the last class.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    #[inline]
    fn kind_of<'a>(&mut self, attribute: &Attribute<'a>, pool: &ConstantPool<'a>) -> Kind {
        let place = &mut self.known[usize::from(attribute.name_index) % Self::PLACES];
        if place.0 != attribute.name_index {
            *place = (attribute.name_index, Kind::of(attribute.name(pool).as_bytes()));
        }
        place.1
    }
}

/// Writes the stack map of a method.
pub(super) trait Frames<'a> {
    /// Appends the old table, relocated, and the frames of appended blocks.
    fn put_frames(&mut self, table: &'a [u8], out: &mut Vec<u8>) -> Result<(), RelocateError>;

    /// A constant `StackMapTable`.
    fn name(&mut self) -> Option<u16>;
}

/// The moves of the attributes.
pub(super) struct Attributes<'e, 'a> {
    pub(super) source: &'e MethodCode<'e, 'a>,
    pub(super) map: CodeMap<'e>,
    pub(super) names: &'e mut AttributeNames,
    pub(super) exceptions: &'e [NewException],
    /// True if anything moves.
    pub(super) changed: bool,
    /// True if there are blocks behind the code.
    pub(super) appends: bool,
}

impl<'a> Attributes<'_, 'a> {
    pub(super) fn put(
        &mut self,
        frames: &mut impl Frames<'a>,
        out: &mut Vec<u8>,
    ) -> Result<(), RelocateError> {
        let count_at = out.len();
        put2(out, 0);
        let mut count = 0u16;
        let mut has_frames = false;
        for attribute in self.source.code.attributes.iter() {
            let kind = self.kind_of(&attribute);
            // Unknown ones are right only where nothing moves.
            if kind == Kind::Unknown && self.changed {
                continue;
            }
            let at = begin(attribute.name_index, out);
            has_frames |= kind == Kind::Frames;
            self.put_contents(kind, attribute, frames, out)?;
            patch_length(out, at);
            count = count.checked_add(1).ok_or(RelocateError::TooLong)?;
        }
        if !has_frames && self.needs_new_stack_map() {
            let at = begin(frames.name().ok_or(RelocateError::PoolFull)?, out);
            frames.put_frames(&[0, 0], out)?;
            patch_length(out, at);
            count = count.checked_add(1).ok_or(RelocateError::TooLong)?;
        }
        out[count_at..count_at + 2].copy_from_slice(&count.to_be_bytes());
        Ok(())
    }

    #[inline]
    fn kind_of(&mut self, attribute: &Attribute<'a>) -> Kind {
        let class = self.source.class;
        match self.names.kind_of(attribute, &class.pool) {
            // JVMS §4.7.4: ignored below version 50, and then it may hold anything.
            Kind::Frames if class.major < 50 => Kind::Unknown,
            kind => kind,
        }
    }

    fn put_contents(
        &self,
        kind: Kind,
        attribute: Attribute<'a>,
        frames: &mut impl Frames<'a>,
        out: &mut Vec<u8>,
    ) -> Result<(), RelocateError> {
        let data = attribute.data;
        match kind {
            Kind::Frames => frames.put_frames(data, out)?,
            Kind::Lines => self.put_table::<4>(attribute, out, |line| {
                let pc = self.map.debug_position(usize::from(u2_at(line, 0)))?;
                line[..2].copy_from_slice(&pc.to_be_bytes());
                Ok(())
            })?,
            Kind::Variables => self.put_table::<10>(attribute, out, |variable| {
                let (start, length) = self.map.debug_range(u2_at(variable, 0), u2_at(variable, 2))?;
                variable[..2].copy_from_slice(&start.to_be_bytes());
                variable[2..4].copy_from_slice(&length.to_be_bytes());
                Ok(())
            })?,
            Kind::TypeAnnotations => {
                type_annotations::relocate(data, &CodePositions::new(self.exceptions, self.map), out)?;
            }
            Kind::Unknown => out.extend_from_slice(data),
        }
        Ok(())
    }

    /// Copies a debug table and then lets `aim` change each of its elements in its place.
    fn put_table<const WIDTH: usize>(
        &self,
        attribute: Attribute<'a>,
        out: &mut Vec<u8>,
        aim: impl Fn(&mut [u8; WIDTH]) -> Result<(), ClassError>,
    ) -> Result<(), ClassError> {
        let count = usize::from(Reader::new(attribute.data).u2()?);
        let start = out.len() + 2;
        put_run(self.source.class.bytes, attribute.span(), out);
        if out.len() != start + count * WIDTH {
            let what = "its length does not match its count".to_string();
            return Err(ClassError::Attribute { attribute: "debug table", what });
        }
        out[start..].as_chunks_mut::<WIDTH>().0.iter_mut().try_for_each(aim)
    }

    /// Straight-line methods have no stack map of their own; an appended block makes one necessary.
    #[inline]
    fn needs_new_stack_map(&self) -> bool {
        let straight = || {
            let mut jumps = self.source.outline.jumps().iter();
            !self.source.code.has_exceptions() && !jumps.any(|it| it.control.has_targets())
        };
        let major = self.source.class.major;
        self.appends && (major > 50 || major == 50 && straight())
    }
}

/// Begins an attribute; gives where its length goes.
#[inline]
fn begin(name_index: u16, out: &mut Vec<u8>) -> usize {
    put2(out, name_index);
    put4(out, 0);
    out.len() - 4
}

/// Positions of type annotations in the new code.
struct CodePositions<'e> {
    map: CodeMap<'e>,
    /// The new row of each old row of the exception table.
    rows: Vec<(u16, u16)>,
}

impl<'e> CodePositions<'e> {
    fn new(exceptions: &[NewException], map: CodeMap<'e>) -> Self {
        let rows = exceptions.iter().zip(0u16..).filter_map(|(row, new)| Some((row.original?, new)));
        let mut rows: Vec<(u16, u16)> = rows.collect();
        rows.sort_unstable();
        Self { map, rows }
    }
}

impl PositionMap for CodePositions<'_> {
    fn range(&self, start: u16, length: u16) -> Result<(u16, u16), ClassError> {
        self.map.debug_range(start, length)
    }

    fn instruction(&self, pc: u16) -> Result<u16, ClassError> {
        self.map.instruction(usize::from(pc)).map(super::emit::short)
    }

    fn exception(&self, index: u16) -> u16 {
        self.rows.binary_search_by_key(&index, |(old, _)| *old).map_or(index, |found| self.rows[found].1)
    }
}
