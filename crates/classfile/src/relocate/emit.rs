//! Writes the new `Code` attribute from a finished layout.

use super::attributes::{AttributeNames, Attributes};
use super::layout::{Layout, padding, put_goto};
use super::stack_map::FrameTargets;
use super::{AppendedEnd, CodeEdit, Constants, MethodCode, Piece, RelocateError};
use crate::Insn;
use crate::bytes::{put_run, put2, put4};
use crate::opcodes::{GOTO, GOTO_W, JSR_W, LOOKUPSWITCH, TABLESWITCH};
use std::ops::Range;

/// Bytes in front of the code: stack size, number of locals, length.
pub(super) const CODE_HEADER: usize = 8;

pub(super) struct Emitter<'e, 'a> {
    pub(super) source: &'e MethodCode<'e, 'a>,
    pub(super) edit: &'e CodeEdit<'a>,
    pub(super) layout: &'e Layout<'e, 'a>,
    /// Filled while jumps are written, read when frames are.
    pub(super) targets: &'e mut FrameTargets,
    /// True if anything moves.
    pub(super) changed: bool,
    pub(super) constants: &'e mut dyn Constants,
}

impl<'a> Emitter<'_, 'a> {
    pub(super) fn emit(self, names: &mut AttributeNames, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        let new_len = self.layout.code_len();
        out.reserve(new_len as usize + self.source.attribute.data.len() + 64);
        out.extend_from_slice(&[0; CODE_HEADER]);
        let base = out.len();
        self.emit_instructions(out)?;
        self.complete(base, names, out)
    }

    /// Writes all behind the instructions, which start at `base`.
    pub(super) fn complete(
        mut self,
        base: usize,
        names: &mut AttributeNames,
        out: &mut Vec<u8>,
    ) -> Result<(), RelocateError> {
        self.emit_appended(out)?;
        let new_len = self.layout.code_len();
        debug_assert_eq!(out.len() - base, new_len as usize);
        let (header, code) = out[base - CODE_HEADER..].split_at_mut(CODE_HEADER);
        put_header(header, self.edit.max_stack, self.source.code.max_locals, new_len);
        self.aim_jumps(code)?;
        self.emit_exceptions(out)?;
        self.emit_attributes(names, out)
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
            TABLESWITCH | LOOKUPSWITCH => put_switch(insn, self.layout.moved_instruction(insn.pc), out),
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

    fn emit_attributes(
        &mut self,
        names: &mut AttributeNames,
        out: &mut Vec<u8>,
    ) -> Result<(), RelocateError> {
        let (source, edit) = (self.source, self.edit);
        let (map, exceptions) = (self.layout.map(), &edit.exceptions);
        let appends = !edit.appended.is_empty();
        Attributes { source, map, names, exceptions, changed: self.changed, appends }.put(self, out)
    }
}

#[inline]
pub(super) fn put_header(header: &mut [u8], max_stack: u16, max_locals: u16, len: u32) {
    header[..2].copy_from_slice(&max_stack.to_be_bytes());
    header[2..4].copy_from_slice(&max_locals.to_be_bytes());
    header[4..].copy_from_slice(&len.to_be_bytes());
}

/// A switch with the padding of its new place; its targets are the old ones.
pub(super) fn put_switch(insn: &Insn<'_>, new_pc: u32, out: &mut Vec<u8>) {
    let old_padding = padding(insn.pc as u32) as usize;
    out.push(insn.opcode);
    put_padding(insn, old_padding, padding(new_pc) as usize, out);
    out.extend_from_slice(&insn.bytes[1 + old_padding..]);
}

/// Compilers pad a switch with zeros, but nothing says they must: what is there is kept where its length stays.
fn put_padding(insn: &Insn<'_>, old_length: usize, length: usize, out: &mut Vec<u8>) {
    match insn.bytes.get(1..=old_length).filter(|_| length == old_length) {
        Some(old) => out.extend_from_slice(old),
        None => out.extend(std::iter::repeat_n(0, length)),
    }
}

/// New pcs fit: the layout refuses code over 65,535 bytes.
#[inline]
pub(super) fn short(pc: u32) -> u16 {
    u16::try_from(pc).unwrap_or(u16::MAX)
}
