//! Writes the new `Code` attribute from a finished layout.

use super::layout::{Layout, padding, put_goto, switch_words};
use super::{AppendedEnd, CodeEdit, Constants, Piece, RelocateError};
use crate::bytes::{Reader, put2, put4, u2_at, u4_at};
use crate::opcodes::{GOTO, GOTO_W, JSR, JSR_W, LOOKUPSWITCH, TABLESWITCH};
use crate::type_annotations::{self, PositionMap};
use crate::{Attribute, ClassError, ClassFile, Code, Insn, Member};

pub(super) struct Emitter<'e, 'a> {
    pub(super) class: &'e ClassFile<'a>,
    pub(super) method: &'e Member<'a>,
    pub(super) code: &'e Code<'a>,
    pub(super) edit: &'e CodeEdit<'a>,
    pub(super) layout: &'e Layout,
    pub(super) constants: &'e mut dyn Constants,
}

impl<'a> Emitter<'_, 'a> {
    pub(super) fn emit(mut self) -> Result<Vec<u8>, RelocateError> {
        let new_len = self.layout.code_len();
        let mut out = Vec::with_capacity(new_len as usize + self.code.bytes.len() + 64);
        put2(&mut out, self.edit.max_stack);
        put2(&mut out, self.code.max_locals);
        put4(&mut out, new_len);
        let base = out.len();
        self.emit_instructions(&mut out)?;
        debug_assert_eq!(out.len() - base, new_len as usize);
        self.emit_exceptions(&mut out)?;
        self.emit_attributes(&mut out)?;
        Ok(out)
    }

    fn emit_instructions(&self, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        let code = self.code.bytes;
        let mut piece = 0;
        // Instructions that only move are copied in runs.
        let mut copied = 0;
        for insn in self.code.insns() {
            let insn = insn?;
            let has_pieces = self.edit.pieces.get(piece).is_some_and(|it| it.pc() == insn.pc);
            if !has_pieces && insn.is_plain() {
                continue;
            }
            out.extend_from_slice(&code[copied..insn.pc]);
            copied = insn.pc;
            if has_pieces {
                self.emit_pieces(insn.pc, &mut piece, out)?;
            }
            if !insn.is_plain() {
                self.emit_instruction(&insn, out)?;
                copied = insn.next_pc();
            }
        }
        out.extend_from_slice(&code[copied..]);
        for (index, block) in self.edit.appended.iter().enumerate() {
            out.extend_from_slice(&self.edit.code[block.code.clone()]);
            if let AppendedEnd::Goto(to) = block.end {
                let (from, wide) = self.layout.appended_goto(index);
                put_goto(from, wide, self.layout.find(to)?, out);
            }
        }
        Ok(())
    }

    fn emit_pieces(&self, pc: usize, piece: &mut usize, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        while let Some(it) = self.edit.pieces.get(*piece).filter(|it| it.pc() == pc) {
            match it {
                Piece::Code { start, end, .. } => out.extend_from_slice(&self.edit.code[*start..*end]),
                Piece::Goto { to, .. } => {
                    let (from, wide) = self.layout.piece_goto(*piece);
                    put_goto(from, wide, self.layout.find(*to)?, out);
                }
            }
            *piece += 1;
        }
        Ok(())
    }

    fn emit_instruction(&self, insn: &Insn<'a>, out: &mut Vec<u8>) -> Result<(), ClassError> {
        match insn.opcode {
            TABLESWITCH | LOOKUPSWITCH => self.emit_switch(insn, out),
            153..=JSR | 198 | 199 | GOTO_W | JSR_W => self.emit_jump(insn, out),
            _ => {
                out.extend_from_slice(insn.bytes);
                Ok(())
            }
        }
    }

    /// The new distance from `insn` to where its jump to the old `target` now goes.
    fn distance(&self, insn: &Insn<'a>, target: usize) -> Result<u32, ClassError> {
        let to = self.layout.find(self.edit.jump(insn.pc, target))?;
        Ok(to.wrapping_sub(self.layout.instruction(insn.pc)?))
    }

    fn emit_jump(&self, insn: &Insn<'a>, out: &mut Vec<u8>) -> Result<(), ClassError> {
        let target = insn.targets().next().unwrap_or(usize::MAX);
        let distance = self.distance(insn, target)?.to_be_bytes();
        match insn.opcode {
            GOTO | JSR if self.layout.is_widened(insn.pc) => {
                out.push(if insn.opcode == GOTO { GOTO_W } else { JSR_W });
                out.extend_from_slice(&distance);
            }
            GOTO_W | JSR_W => {
                out.push(insn.opcode);
                out.extend_from_slice(&distance);
            }
            opcode => {
                out.push(opcode);
                out.extend_from_slice(&distance[2..]);
            }
        }
        Ok(())
    }

    fn emit_switch(&self, insn: &Insn<'a>, out: &mut Vec<u8>) -> Result<(), ClassError> {
        let new_pc = self.layout.instruction(insn.pc)?;
        out.push(insn.opcode);
        put_padding(insn, padding(new_pc) as usize, out);
        let (words, words_per_case) = switch_words(insn);
        let target = |at: usize| insn.pc.wrapping_add_signed(u4_at(words, at).cast_signed() as isize);
        put4(out, self.distance(insn, target(0))?);
        let cases = if insn.opcode == TABLESWITCH { 12 } else { 8 };
        out.extend_from_slice(words.get(4..cases).unwrap_or_default());
        for at in (cases..words.len()).step_by(4 * words_per_case) {
            if words_per_case == 2 {
                out.extend_from_slice(words.get(at..at + 4).unwrap_or_default());
            }
            put4(out, self.distance(insn, target(at + 4 * (words_per_case - 1)))?);
        }
        Ok(())
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
        for attribute in self.code.attributes.iter() {
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
            let name = self.constants.utf8(b"StackMapTable").ok_or(RelocateError::PoolFull)?;
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
            let mut insns = self.code.insns();
            !self.code.has_exceptions()
                && insns.all(|insn| insn.is_ok_and(|insn| insn.targets().next().is_none()))
        };
        !self.edit.appended.is_empty() && (self.class.major > 50 || self.class.major == 50 && straight())
    }

    /// Appends the contents of one attribute; false if it must be dropped.
    fn emit_attribute(
        &mut self,
        attribute: Attribute<'a>,
        has_frames: &mut bool,
        out: &mut Vec<u8>,
    ) -> Result<bool, RelocateError> {
        let data = attribute.data;
        match attribute.name(&self.class.pool).as_bytes() {
            // JVMS §4.7.4: ignored below version 50, and then it may hold anything.
            b"StackMapTable" if self.class.major >= 50 => {
                *has_frames = true;
                self.emit_frames(data, out)?;
            }
            b"LineNumberTable" => self.emit_rows(data, 4, out, |map, row, out| {
                put2(out, short(map.debug_position(usize::from(u2_at(row, 0)))?));
                out.extend_from_slice(&row[2..]);
                Ok(())
            })?,
            b"LocalVariableTable" | b"LocalVariableTypeTable" => {
                self.emit_rows(data, 10, out, |map, row, out| {
                    let (start, length) = map_range(map, u2_at(row, 0), u2_at(row, 2))?;
                    put2(out, start);
                    put2(out, length);
                    out.extend_from_slice(&row[4..]);
                    Ok(())
                })?;
            }
            b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations" => {
                type_annotations::relocate(data, &CodePositions::new(self.edit, self.layout), out)?;
            }
            // Unknown code attributes may hold positions nobody here can map.
            _ if !self.edit.is_empty() => return Ok(false),
            _ => out.extend_from_slice(data),
        }
        Ok(true)
    }

    fn emit_rows(
        &self,
        data: &[u8],
        width: usize,
        out: &mut Vec<u8>,
        emit: impl Fn(&Layout, &[u8], &mut Vec<u8>) -> Result<(), ClassError>,
    ) -> Result<(), ClassError> {
        let count = usize::from(Reader::new(data).u2()?);
        let rows = data.get(2..).unwrap_or_default();
        if rows.len() != count * width {
            let what = "its length does not match its count".to_string();
            return Err(ClassError::Attribute { attribute: "debug table", what });
        }
        out.extend_from_slice(&data[..2]);
        rows.chunks_exact(width).try_for_each(|row| emit(self.layout, row, out))
    }
}

/// Compilers pad a switch with zeros, but nothing says they must: what is there is kept where its length stays.
fn put_padding(insn: &Insn<'_>, length: usize, out: &mut Vec<u8>) {
    let old_length = 3 - insn.pc % 4;
    match insn.bytes.get(1..=old_length).filter(|_| length == old_length) {
        Some(old) => out.extend_from_slice(old),
        None => out.extend(std::iter::repeat_n(0, length)),
    }
}

/// Positions of type annotations in the new code.
struct CodePositions<'e> {
    layout: &'e Layout,
    /// The new row of each old row of the exception table.
    rows: Vec<(u16, u16)>,
}

impl<'e> CodePositions<'e> {
    fn new(edit: &CodeEdit<'_>, layout: &'e Layout) -> Self {
        let rows = edit.exceptions.iter().zip(0u16..).filter_map(|(row, new)| Some((row.original?, new)));
        let mut rows: Vec<(u16, u16)> = rows.collect();
        rows.sort_unstable();
        Self { layout, rows }
    }
}

impl PositionMap for CodePositions<'_> {
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

fn map_range(layout: &Layout, start: u16, length: u16) -> Result<(u16, u16), ClassError> {
    let end = layout.debug_position(usize::from(start) + usize::from(length))?;
    let start = layout.debug_position(usize::from(start))?;
    Ok((short(start), short(end.saturating_sub(start))))
}

/// New pcs fit: the layout refuses code over 65,535 bytes.
pub(super) fn short(pc: u32) -> u16 {
    u16::try_from(pc).unwrap_or(u16::MAX)
}

fn patch_length(out: &mut [u8], at: usize) {
    let length = u32::try_from(out.len() - at - 4).unwrap_or(u32::MAX);
    out[at..at + 4].copy_from_slice(&length.to_be_bytes());
}
