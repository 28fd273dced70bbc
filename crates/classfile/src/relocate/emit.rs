//! Writes the new `Code` attribute from a finished layout.

use super::layout::{Layout, padding, put_goto};
use super::stack_map::FrameTargets;
use super::{AppendedEnd, CodeEdit, Constants, MethodCode, Piece, RelocateError};
use crate::bytes::{Reader, put2, put4, u2_at};
use crate::opcodes::{GOTO, GOTO_W, JSR_W, LOOKUPSWITCH, TABLESWITCH};
use crate::type_annotations::{self, PositionMap};
use crate::{Attribute, ClassError, Insn};
use std::ops::Range;

/// Bytes in front of the code: stack size, number of locals, length.
pub(super) const CODE_HEADER: usize = 8;

pub(super) struct Emitter<'e, 'a> {
    pub(super) source: &'e MethodCode<'e, 'a>,
    pub(super) edit: &'e CodeEdit<'a>,
    pub(super) layout: &'e Layout<'e, 'a>,
    /// Filled while jumps are written, read when frames are. `None` where control arrives only at landings.
    pub(super) targets: Option<&'e mut FrameTargets>,
    /// Whether anything moves.
    pub(super) changed: bool,
    pub(super) constants: &'e mut dyn Constants,
}

impl<'a> Emitter<'_, 'a> {
    pub(super) fn emit(self, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        let new_len = self.layout.code_len();
        out.reserve(new_len as usize + self.source.attribute.data.len() + 64);
        out.extend_from_slice(&[0; CODE_HEADER]);
        let base = out.len();
        self.emit_instructions(out)?;
        self.emit_behind(out, base)
    }

    /// Everything that follows the old code, which stands with its header at the end of `out`; then the header.
    pub(super) fn emit_behind(mut self, out: &mut Vec<u8>, base: usize) -> Result<(), RelocateError> {
        self.emit_appended(out)?;
        let new_len = self.layout.code_len();
        debug_assert_eq!(out.len() - base, new_len as usize);
        let header = &mut out[base - CODE_HEADER..base];
        header[..2].copy_from_slice(&self.edit.max_stack.to_be_bytes());
        header[2..4].copy_from_slice(&self.source.code.max_locals.to_be_bytes());
        header[4..].copy_from_slice(&new_len.to_be_bytes());
        self.aim_jumps(&mut out[base..])?;
        self.emit_exceptions(out)?;
        self.emit_attributes(out)
    }

    /// Copies the old code around what is inserted. Jumps keep their old distances for now.
    fn emit_instructions(&self, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        let code = self.source.code.bytes;
        let mut copied = 0;
        for stop in self.layout.stops() {
            put_run(code, copied..stop.pc, out);
            copied = stop.pc;
            self.emit_pieces(stop.pieces, out)?;
            if stop.resized {
                let insn = Insn::at(code, stop.pc)?;
                self.emit_resized(&insn, out);
                copied = insn.next_pc();
            }
        }
        out.extend_from_slice(&code[copied..]);
        Ok(())
    }

    fn emit_appended(&self, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        for (index, block) in self.edit.appended.iter().enumerate() {
            out.extend_from_slice(&self.edit.code[block.code.clone()]);
            if let AppendedEnd::Goto(to) = block.end {
                let (from, wide) = self.layout.appended_goto(index);
                put_goto(from, wide, self.layout.find(to)?, out);
            }
        }
        Ok(())
    }

    #[inline]
    fn emit_pieces(&self, pieces: Range<usize>, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        for index in pieces {
            match &self.edit.pieces[index] {
                Piece::Code { start, end, .. } => put_run(&self.edit.code, *start..*end, out),
                Piece::Goto { to, .. } => {
                    let (from, wide) = self.layout.piece_goto(index);
                    put_goto(from, wide, self.layout.find(*to)?, out);
                }
            }
        }
        Ok(())
    }

    /// A switch with the padding of its new place, or a jump in its wide form.
    fn emit_resized(&self, insn: &Insn<'a>, out: &mut Vec<u8>) {
        match insn.opcode {
            TABLESWITCH | LOOKUPSWITCH => {
                let new_pc = self.layout.moved_instruction(insn.pc);
                let old_padding = padding(insn.pc as u32) as usize;
                out.push(insn.opcode);
                put_padding(insn, old_padding, padding(new_pc) as usize, out);
                out.extend_from_slice(&insn.bytes[1 + old_padding..]);
            }
            opcode => {
                out.push(if opcode == GOTO { GOTO_W } else { JSR_W });
                put4(out, 0);
            }
        }
    }

    fn emit_exceptions(&self, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        put2(out, u16::try_from(self.edit.exceptions.len()).map_err(|_| RelocateError::TooLong)?);
        for row in &self.edit.exceptions {
            for place in [row.start, row.end, row.handler] {
                put2(out, short(self.layout.find(place)?));
            }
            put2(out, row.catch_type);
        }
        Ok(())
    }

    fn emit_attributes(&mut self, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        let count_at = out.len();
        put2(out, 0);
        let mut count = 0u16;
        let mut has_frames = false;
        for attribute in self.source.code.attributes.iter() {
            let at = out.len();
            put2(out, attribute.name_index);
            put4(out, 0);
            if !self.emit_attribute(attribute, &mut has_frames, out)? {
                out.truncate(at);
                continue;
            }
            patch_length(out, at + 2);
            count = count.checked_add(1).ok_or(RelocateError::TooLong)?;
        }
        if !has_frames && self.needs_new_stack_map() {
            let name = self.constants.stack_map_name().ok_or(RelocateError::PoolFull)?;
            let at = out.len();
            put2(out, name);
            put4(out, 0);
            self.emit_frames(&[0, 0], out)?;
            patch_length(out, at + 2);
            count = count.checked_add(1).ok_or(RelocateError::TooLong)?;
        }
        out[count_at..count_at + 2].copy_from_slice(&count.to_be_bytes());
        Ok(())
    }

    /// Straight-line methods have no stack map of their own; an appended block makes one necessary.
    fn needs_new_stack_map(&self) -> bool {
        let straight = || {
            let mut landmarks = self.source.outline.landmarks().iter();
            !self.source.code.has_exceptions() && !landmarks.any(|it| it.role.has_targets())
        };
        let major = self.source.class.major;
        !self.edit.appended.is_empty() && (major > 50 || major == 50 && straight())
    }

    /// Appends the contents of one attribute; false if it must be dropped.
    fn emit_attribute(
        &mut self,
        attribute: Attribute<'a>,
        has_frames: &mut bool,
        out: &mut Vec<u8>,
    ) -> Result<bool, RelocateError> {
        let data = attribute.data;
        match attribute.name(&self.source.class.pool).as_bytes() {
            // JVMS §4.7.4: ignored below version 50, and then it may hold anything.
            b"StackMapTable" if self.source.class.major >= 50 => {
                *has_frames = true;
                self.emit_frames(data, out)?;
            }
            b"LineNumberTable" => self.emit_rows(data, 4, out, |layout, row| {
                let pc = layout.debug_position(usize::from(u2_at(row, 0)))?;
                row[..2].copy_from_slice(&pc.to_be_bytes());
                Ok(())
            })?,
            b"LocalVariableTable" | b"LocalVariableTypeTable" => {
                self.emit_rows(data, 10, out, |layout, row| {
                    let (start, length) = map_range(layout, u2_at(row, 0), u2_at(row, 2))?;
                    row[..2].copy_from_slice(&start.to_be_bytes());
                    row[2..4].copy_from_slice(&length.to_be_bytes());
                    Ok(())
                })?;
            }
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                type_annotations::relocate(data, &CodePositions::new(self.edit, self.layout), out)?;
            }
            // Unknown code attributes may hold positions nobody here can map.
            _ if self.changed => return Ok(false),
            _ => out.extend_from_slice(data),
        }
        Ok(true)
    }

    /// Copies a table and then lets `aim` change each row in its place.
    fn emit_rows(
        &self,
        data: &[u8],
        width: usize,
        out: &mut Vec<u8>,
        aim: impl Fn(&Layout<'_, 'a>, &mut [u8]) -> Result<(), ClassError>,
    ) -> Result<(), ClassError> {
        let count = usize::from(Reader::new(data).u2()?);
        let rows = out.len() + 2;
        out.extend_from_slice(data);
        if out.len() != rows + count * width {
            let what = "its length does not match its count".to_string();
            return Err(ClassError::Attribute { attribute: "debug table", what });
        }
        out[rows..].chunks_exact_mut(width).try_for_each(|row| aim(self.layout, row))
    }
}

/// Appends a part of `source`. Most are shorter than it takes to call for a copy of any length.
#[inline]
pub(super) fn put_run(source: &[u8], range: Range<usize>, out: &mut Vec<u8>) {
    const SHORT: usize = 16;
    let end = out.len() + range.len();
    match source.get(range.start..).and_then(|rest| rest.first_chunk::<SHORT>()) {
        Some(chunk) if range.len() <= SHORT => {
            out.extend_from_slice(chunk);
            out.truncate(end);
        }
        _ => out.extend_from_slice(&source[range]),
    }
}

/// Compilers pad a switch with zeros, but nothing says they must: what is there is kept where its length stays.
fn put_padding(insn: &Insn<'_>, old_length: usize, length: usize, out: &mut Vec<u8>) {
    match insn.bytes.get(1..=old_length).filter(|_| length == old_length) {
        Some(old) => out.extend_from_slice(old),
        None => out.extend(std::iter::repeat_n(0, length)),
    }
}

/// Positions of type annotations in the new code.
struct CodePositions<'e, 'a> {
    layout: &'e Layout<'e, 'a>,
    /// The new row of each old row of the exception table.
    rows: Vec<(u16, u16)>,
}

impl<'e, 'a> CodePositions<'e, 'a> {
    fn new(edit: &CodeEdit<'_>, layout: &'e Layout<'e, 'a>) -> Self {
        let rows = edit.exceptions.iter().zip(0u16..).filter_map(|(row, new)| Some((row.original?, new)));
        let mut rows: Vec<(u16, u16)> = rows.collect();
        rows.sort_unstable();
        Self { layout, rows }
    }
}

impl PositionMap for CodePositions<'_, '_> {
    fn range(&self, start: u16, length: u16) -> Result<(u16, u16), ClassError> {
        map_range(self.layout, start, length)
    }

    fn instruction(&self, pc: u16) -> Result<u16, ClassError> {
        self.layout.instruction(usize::from(pc)).map(short)
    }

    fn exception(&self, index: u16) -> u16 {
        self.rows.binary_search_by_key(&index, |(old, _)| *old).map_or(index, |row| self.rows[row].1)
    }
}

fn map_range(layout: &Layout<'_, '_>, start: u16, length: u16) -> Result<(u16, u16), ClassError> {
    let end = layout.debug_position(usize::from(start) + usize::from(length))?;
    let start = layout.debug_position(usize::from(start))?;
    Ok((start, end.saturating_sub(start)))
}

/// New pcs fit: the layout refuses code over 65,535 bytes.
pub(super) fn short(pc: u32) -> u16 {
    u16::try_from(pc).unwrap_or(u16::MAX)
}

fn patch_length(out: &mut [u8], at: usize) {
    let length = u32::try_from(out.len() - at - 4).unwrap_or(u32::MAX);
    out[at..at + 4].copy_from_slice(&length.to_be_bytes());
}
