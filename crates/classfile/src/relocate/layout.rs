//! The layout: positions of every old instruction, inserted piece and appended block.

use super::positions::{CodeMap, Moved, Positions};
use super::stops::{Stop, Stops};
use super::{AppendedEnd, CodeEdit, CodePosition, MethodCode, Piece, RelocateError};
use crate::opcodes::{GOTO, GOTO_W, JSR, LOOKUPSWITCH, TABLESWITCH};
use crate::{ClassError, ControlKind, Insn, Outline};

pub(super) const MAX_CODE_LEN: u32 = 65_535;
/// Up to this length everything reaches everything.
pub(super) const MAX_NEAR_LEN: u32 = 32_767;
const GOTO_LEN: u32 = 3;
const GOTO_W_LEN: u32 = 5;

/// The new positions. Jumps that no longer reach are widened here, which moves the rest once more.
#[derive(Debug)]
pub(super) struct Layout<'l, 'a> {
    code: &'a [u8],
    outline: Outline<'l>,
    edit: &'l CodeEdit<'a>,
    positions: &'l mut Positions,
}

impl<'l, 'a> Layout<'l, 'a> {
    pub(super) fn of(
        source: &MethodCode<'l, 'a>,
        edit: &'l CodeEdit<'a>,
        positions: &'l mut Positions,
    ) -> Result<Self, RelocateError> {
        positions.clear();
        let mut layout = Self { code: source.code.bytes, outline: source.outline, edit, positions };
        loop {
            layout.place()?;
            if !layout.widen()? {
                return Ok(layout);
            }
        }
    }

    /// The layout of code that is copied already, whose positions are noted up to where appended blocks begin.
    pub(super) fn of_copied(
        source: &MethodCode<'l, 'a>,
        edit: &'l CodeEdit<'a>,
        positions: &'l mut Positions,
        appended_from: u32,
    ) -> Self {
        let mut layout = Self { code: source.code.bytes, outline: source.outline, edit, positions };
        layout.positions.end = layout.place_appended(appended_from);
        layout
    }

    pub(super) fn map(&self) -> CodeMap<'_> {
        CodeMap { outline: self.outline, moved: &self.positions.moved }
    }

    pub(super) fn code_len(&self) -> u32 {
        self.positions.end
    }

    fn place(&mut self) -> Result<(), RelocateError> {
        self.positions.clear_places();
        self.find_resized();
        let resized = std::mem::take(&mut self.positions.resized);
        let new_pc = self.place_code(&resized);
        self.positions.resized = resized;
        self.positions.end = self.place_appended(new_pc?);
        if self.positions.end > MAX_CODE_LEN { Err(RelocateError::TooLong) } else { Ok(()) }
    }

    fn find_resized(&mut self) {
        let Positions { resized, widened, .. } = &mut *self.positions;
        if !self.outline.switches().is_empty() || !widened.is_empty() {
            let jumps = self.outline.jumps().iter();
            let may_resize =
                |pc: usize, control| control == ControlKind::Switch || widened.binary_search(&pc).is_ok();
            resized.extend(jumps.filter(|it| may_resize(it.pc(), it.control)).map(|it| it.pc()));
        }
    }

    fn place_code(&mut self, resized: &[usize]) -> Result<u32, ClassError> {
        let mut new_pc = 0;
        for stop in Stops::new(&self.edit.pieces, resized) {
            if stop.pc < self.positions.moved.len() || !self.outline.is_start(stop.pc) {
                return Err(ClassError::NotAnInstruction(stop.pc));
            }
            let before = self.positions.move_run(stop.pc, new_pc);
            new_pc = self.place_pieces(&stop, before);
            self.positions.moved.push(Moved::to(before, new_pc));
            new_pc = if stop.resized { self.place_resized(stop.pc, new_pc)? } else { new_pc + 1 };
        }
        new_pc = self.positions.move_run(self.code.len(), new_pc);
        self.positions.moved.push(Moved::to(new_pc, new_pc));
        Ok(new_pc)
    }

    #[inline]
    fn place_pieces(&mut self, stop: &Stop, mut new_pc: u32) -> u32 {
        for index in stop.pieces.clone() {
            self.positions.pieces.push((stop.pc, new_pc));
            new_pc += match &self.edit.pieces[index] {
                Piece::Code { start, end, .. } => len_u32(end - start),
                Piece::Goto { .. } => goto_len(self.positions.widened_pieces.binary_search(&index).is_ok()),
            };
        }
        new_pc
    }

    /// Places the instruction at the old `pc`, behind its first byte, and gives the new pc behind it.
    fn place_resized(&mut self, pc: usize, new_pc: u32) -> Result<u32, ClassError> {
        let insn = Insn::at(self.code, pc)?;
        self.positions.move_inside(&insn, new_pc);
        Ok(new_pc
            + match insn.opcode {
                TABLESWITCH | LOOKUPSWITCH => {
                    len_u32(insn.bytes.len()) - padding(len_u32(pc)) + padding(new_pc)
                }
                _ => GOTO_W_LEN,
            })
    }

    fn place_appended(&mut self, mut new_pc: u32) -> u32 {
        for (index, block) in self.edit.appended.iter().enumerate() {
            let start = new_pc;
            new_pc += len_u32(block.code.len());
            if let AppendedEnd::Goto(_) = block.end {
                new_pc += goto_len(self.positions.widened_appended.binary_search(&index).is_ok());
            }
            self.positions.appended.push((start, new_pc));
        }
        new_pc
    }

    /// Widens what no longer reaches; true if anything changed.
    fn widen(&mut self) -> Result<bool, RelocateError> {
        if self.code_len() <= MAX_NEAR_LEN {
            return Ok(false);
        }
        let (jumps, pieces, appended) = (self.far_jumps()?, self.far_pieces()?, self.far_appended()?);
        let changed = !jumps.is_empty() || !pieces.is_empty() || !appended.is_empty();
        let positions = &mut *self.positions;
        extend_sorted(&mut positions.widened, jumps);
        extend_sorted(&mut positions.widened_pieces, pieces);
        extend_sorted(&mut positions.widened_appended, appended);
        Ok(changed)
    }

    fn far_jumps(&self) -> Result<Vec<usize>, RelocateError> {
        let mut far = Vec::new();
        for landmark in self.outline.jumps().iter().filter(|it| has_short_offset(it.opcode)) {
            let pc = landmark.pc();
            if self.is_widened(pc) {
                continue;
            }
            let target = self.edit.jump(pc, landmark.short_target(self.code));
            if !reaches(self.moved_instruction(pc), self.find(target)?) {
                if !matches!(landmark.opcode, GOTO | JSR) {
                    return Err(RelocateError::BranchTooFar);
                }
                far.push(pc);
            }
        }
        Ok(far)
    }

    fn far_pieces(&self) -> Result<Vec<usize>, ClassError> {
        let mut far = Vec::new();
        for (index, piece) in self.edit.pieces.iter().enumerate() {
            if let Piece::Goto { to, .. } = piece {
                let (from, wide) = self.piece_goto(index);
                if !wide && !reaches(from, self.find(*to)?) {
                    far.push(index);
                }
            }
        }
        Ok(far)
    }

    fn far_appended(&self) -> Result<Vec<usize>, ClassError> {
        let mut far = Vec::new();
        for (index, block) in self.edit.appended.iter().enumerate() {
            if let AppendedEnd::Goto(to) = block.end {
                let (from, wide) = self.appended_goto(index);
                if !wide && !reaches(from, self.find(to)?) {
                    far.push(index);
                }
            }
        }
        Ok(far)
    }

    /// The places where more than copying happens.
    pub(super) fn stops(&self) -> Stops<'_> {
        Stops::new(&self.edit.pieces, &self.positions.resized)
    }

    /// The new pc of `place`.
    #[inline]
    pub(super) fn find(&self, place: CodePosition) -> Result<u32, ClassError> {
        self.find_target(place).map(|(pc, _)| pc)
    }

    /// The new pc of `place`, and whether something is inserted at its old one.
    #[inline]
    pub(super) fn find_target(&self, place: CodePosition) -> Result<(u32, bool), ClassError> {
        match place {
            CodePosition::Slot { pc, slot } => {
                let moved = self.map().moved(pc)?;
                Ok((self.slot(pc, slot, moved), moved.has_pieces()))
            }
            CodePosition::Appended(index) => Ok((self.positions.appended[index].0, false)),
            CodePosition::AfterAppended(index) => Ok((self.positions.appended[index].1, false)),
        }
    }

    /// Position of the given slot of the old `pc`, which itself is `moved`.
    #[inline]
    pub(super) fn slot(&self, pc: usize, slot: usize, moved: Moved) -> u32 {
        if slot == 0 || !moved.has_pieces() {
            return moved.before();
        }
        let pieces = &self.positions.pieces;
        let first = pieces.partition_point(|(at, _)| *at < pc);
        match pieces.get(first + slot) {
            Some((at, new_pc)) if *at == pc => *new_pc,
            _ => moved.at(),
        }
    }

    /// Position of the instruction at the old `pc` now.
    #[inline]
    pub(super) fn moved_instruction(&self, pc: usize) -> u32 {
        self.positions.moved[pc].at()
    }

    #[inline]
    pub(super) fn has_pieces(&self, pc: usize) -> bool {
        self.positions.moved.get(pc).is_some_and(|moved| moved.has_pieces())
    }

    #[inline]
    pub(super) fn is_widened(&self, pc: usize) -> bool {
        !self.positions.widened.is_empty() && self.positions.widened.binary_search(&pc).is_ok()
    }

    /// Position of the `goto` inserted as piece `index`; true if it is wide.
    pub(super) fn piece_goto(&self, index: usize) -> (u32, bool) {
        (self.positions.pieces[index].1, self.positions.widened_pieces.binary_search(&index).is_ok())
    }

    /// Position of the `goto` that ends block `index`; true if it is wide.
    pub(super) fn appended_goto(&self, index: usize) -> (u32, bool) {
        let wide = self.positions.widened_appended.binary_search(&index).is_ok();
        (self.positions.appended[index].1 - goto_len(wide), wide)
    }
}

fn extend_sorted(list: &mut Vec<usize>, more: Vec<usize>) {
    list.extend(more);
    list.sort_unstable();
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
