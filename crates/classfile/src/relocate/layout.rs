//! Where every old instruction, inserted piece and appended block ends up.

use super::{AppendedEnd, CodeEdit, Piece, Place, RelocateError};
use crate::opcodes::{GOTO, GOTO_W, JSR, LOOKUPSWITCH, TABLESWITCH};
use crate::{ClassError, Insn, Insns};
use std::cell::OnceCell;

const NOWHERE: u32 = u32::MAX;
const GOTO_LEN: u32 = 3;
const GOTO_W_LEN: u32 = 5;

/// The new positions. Jumps that no longer reach are widened here, which moves the rest once more.
#[derive(Debug)]
pub(super) struct Layout {
    /// Per old pc: slot 0, or [`NOWHERE`] inside an instruction.
    before: Vec<u32>,
    /// Per old pc: the instruction itself.
    at: Vec<u32>,
    pieces: Vec<u32>,
    appended: Vec<(u32, u32)>,
    /// Per old pc: a `goto` or `jsr` that became its wide form.
    widened: Vec<bool>,
    widened_pieces: Vec<bool>,
    widened_appended: Vec<bool>,
    /// Pcs of the edit's pieces, to find the first of a row.
    piece_pcs: Vec<usize>,
    /// Old pcs of all instructions; asked for only where debug tables are odd.
    starts: OnceCell<Vec<usize>>,
}

impl Layout {
    pub(super) fn of(code: &[u8], edit: &CodeEdit<'_>) -> Result<Self, RelocateError> {
        let mut layout = Self {
            before: vec![NOWHERE; code.len() + 1],
            at: vec![NOWHERE; code.len() + 1],
            pieces: vec![0; edit.pieces.len()],
            appended: vec![(0, 0); edit.appended.len()],
            widened: vec![false; code.len()],
            widened_pieces: vec![false; edit.pieces.len()],
            widened_appended: vec![false; edit.appended.len()],
            piece_pcs: edit.pieces.iter().map(Piece::pc).collect(),
            starts: OnceCell::new(),
        };
        loop {
            layout.place(code, edit)?;
            if !layout.widen(code, edit)? {
                return Ok(layout);
            }
        }
    }

    pub(super) fn code_len(&self) -> u32 {
        match self.appended.last() {
            Some((_, end)) => *end,
            None => self.before.last().copied().unwrap_or(0),
        }
    }

    fn place(&mut self, code: &[u8], edit: &CodeEdit<'_>) -> Result<(), RelocateError> {
        let mut new_pc = 0u32;
        let mut piece = 0;
        for insn in Insns::new(code) {
            let insn = insn?;
            self.before[insn.pc] = new_pc;
            new_pc = self.place_pieces(insn.pc, &mut piece, new_pc, edit);
            self.at[insn.pc] = new_pc;
            new_pc += self.new_len(&insn, new_pc);
        }
        if let Some(left) = edit.pieces.get(piece) {
            return Err(ClassError::NotAnInstruction(left.pc()).into());
        }
        self.before[code.len()] = new_pc;
        self.at[code.len()] = new_pc;
        for (index, block) in edit.appended.iter().enumerate() {
            let start = new_pc;
            new_pc += len_u32(block.code.len());
            if let AppendedEnd::Goto(_) = block.end {
                new_pc += goto_len(self.widened_appended[index]);
            }
            self.appended[index] = (start, new_pc);
        }
        if new_pc > 65_535 { Err(RelocateError::TooLong) } else { Ok(()) }
    }

    fn place_pieces(&mut self, pc: usize, piece: &mut usize, mut new_pc: u32, edit: &CodeEdit<'_>) -> u32 {
        while let Some(it) = edit.pieces.get(*piece).filter(|it| it.pc() == pc) {
            self.pieces[*piece] = new_pc;
            new_pc += match it {
                Piece::Code { start, end, .. } => len_u32(end - start),
                Piece::Goto { .. } => goto_len(self.widened_pieces[*piece]),
            };
            *piece += 1;
        }
        new_pc
    }

    fn new_len(&self, insn: &Insn<'_>, new_pc: u32) -> u32 {
        let len = len_u32(insn.bytes.len());
        match insn.opcode {
            TABLESWITCH | LOOKUPSWITCH => {
                let pc = len_u32(insn.pc);
                len - padding(pc) + padding(new_pc)
            }
            _ if self.widened[insn.pc] => GOTO_W_LEN,
            _ => len,
        }
    }

    /// Widens what no longer reaches; true if anything changed.
    fn widen(&mut self, code: &[u8], edit: &CodeEdit<'_>) -> Result<bool, RelocateError> {
        let mut changed = false;
        // Below this size everything reaches everything.
        if self.code_len() <= 32_767 {
            return Ok(false);
        }
        for insn in Insns::new(code) {
            let insn = insn?;
            if !has_short_offset(insn.opcode) || self.widened[insn.pc] {
                continue;
            }
            for target in insn.targets() {
                if !reaches(self.at[insn.pc], self.find(edit.jump(insn.pc, target))?) {
                    if !matches!(insn.opcode, GOTO | JSR) {
                        return Err(RelocateError::BranchTooFar);
                    }
                    self.widened[insn.pc] = true;
                    changed = true;
                }
            }
        }
        for (index, piece) in edit.pieces.iter().enumerate() {
            if let Piece::Goto { to, .. } = piece
                && !self.widened_pieces[index]
                && !reaches(self.pieces[index], self.find(*to)?)
            {
                self.widened_pieces[index] = true;
                changed = true;
            }
        }
        for (index, block) in edit.appended.iter().enumerate() {
            if let AppendedEnd::Goto(to) = block.end
                && !self.widened_appended[index]
                && !reaches(self.appended[index].1 - GOTO_LEN, self.find(to)?)
            {
                self.widened_appended[index] = true;
                changed = true;
            }
        }
        Ok(changed)
    }

    /// The new pc of `place`.
    pub(super) fn find(&self, place: Place) -> Result<u32, ClassError> {
        match place {
            Place::Slot { pc, slot } => self.slot(pc, slot),
            Place::Appended(index) => Ok(self.appended[index].0),
            Place::AfterAppended(index) => Ok(self.appended[index].1),
        }
    }

    fn slot(&self, pc: usize, slot: usize) -> Result<u32, ClassError> {
        let (before, at) = match (self.before.get(pc), self.at.get(pc)) {
            (Some(before), Some(at)) if *before != NOWHERE => (*before, *at),
            _ => return Err(ClassError::NotAnInstruction(pc)),
        };
        if slot == 0 || before == at {
            return Ok(before);
        }
        let first = self.piece_pcs.partition_point(|it| *it < pc);
        match self.piece_pcs.get(first + slot) {
            Some(it) if *it == pc => Ok(self.pieces[first + slot]),
            _ => Ok(at),
        }
    }

    /// The instruction at the old `pc`, moved.
    pub(super) fn instruction(&self, pc: usize) -> Result<u32, ClassError> {
        match self.at.get(pc) {
            Some(at) if *at != NOWHERE => Ok(*at),
            _ => Err(ClassError::NotAnInstruction(pc)),
        }
    }

    /// The place of a debug position. Obfuscated classes point into the middle of instructions: kept there.
    pub(super) fn debug_position(&self, pc: usize) -> Result<u32, ClassError> {
        match self.before.get(pc) {
            None => Err(ClassError::NotAnInstruction(pc)),
            Some(before) if *before != NOWHERE => Ok(*before),
            Some(_) => {
                let starts = self.starts.get_or_init(|| self.instruction_starts());
                let after = starts.partition_point(|start| *start <= pc);
                let start = after.checked_sub(1).map_or(0, |index| starts[index]);
                Ok(self.at[start].saturating_add(len_u32(pc - start)))
            }
        }
    }

    fn instruction_starts(&self) -> Vec<usize> {
        (0..self.at.len()).filter(|pc| self.at[*pc] != NOWHERE).collect()
    }

    pub(super) fn has_pieces(&self, pc: usize) -> bool {
        self.before.get(pc) != self.at.get(pc)
    }

    pub(super) fn is_widened(&self, pc: usize) -> bool {
        self.widened[pc]
    }

    /// Where a `goto` inserted as piece `index` stands, and whether it is wide.
    pub(super) fn piece_goto(&self, index: usize) -> (u32, bool) {
        (self.pieces[index], self.widened_pieces[index])
    }

    /// Where the `goto` that ends block `index` stands, and whether it is wide.
    pub(super) fn appended_goto(&self, index: usize) -> (u32, bool) {
        let wide = self.widened_appended[index];
        (self.appended[index].1 - goto_len(wide), wide)
    }
}

fn has_short_offset(opcode: u8) -> bool {
    matches!(opcode, 153..=JSR | 198 | 199)
}

fn reaches(from: u32, to: u32) -> bool {
    i16::try_from(i64::from(to) - i64::from(from)).is_ok()
}

fn goto_len(wide: bool) -> u32 {
    if wide { GOTO_W_LEN } else { GOTO_LEN }
}

fn len_u32(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX / 4)
}

/// Zero bytes between a switch opcode at `pc` and its operands.
pub(super) fn padding(pc: u32) -> u32 {
    ((pc + 4) & !3) - pc - 1
}

/// Appends a `goto` that stands at `from`.
pub(super) fn put_goto(from: u32, wide: bool, to: u32, out: &mut Vec<u8>) {
    let offset = to.wrapping_sub(from);
    if wide {
        out.push(GOTO_W);
        out.extend_from_slice(&offset.to_be_bytes());
    } else {
        out.push(GOTO);
        out.extend_from_slice(&offset.to_be_bytes()[2..]);
    }
}

/// The operand words of a switch from its default on: (fixed header words, words per case).
pub(super) fn switch_words<'a>(insn: &Insn<'a>) -> (&'a [u8], usize) {
    let operands = ((insn.pc + 4) & !3) - insn.pc;
    let words = insn.bytes.get(operands..).unwrap_or_default();
    (words, if insn.opcode == TABLESWITCH { 1 } else { 2 })
}
