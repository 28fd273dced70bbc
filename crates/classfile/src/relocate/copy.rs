//! Copies the code of a method in one pass, with what is inserted written in between.

use super::emit::put_switch;
use super::positions::{Moved, Positions};
use super::stack_map::FrameTargets;
use super::{CodePosition, MethodCode, RelocateError};
use crate::bytes::put_run;
use crate::opcodes::GOTO;
use crate::{ClassError, ControlKind, Insn, Landmark};

/// Writes what is inserted into a method, in the order of the code.
pub trait Inserter {
    /// About the most bytes it writes at one place.
    const MAX_INSERTED: usize;

    /// True if something stands directly in front of instructions of this kind: calls, returns or throws.
    fn wants(&self, control: ControlKind) -> bool;

    /// Writes what stands directly in front of an instruction of a kind it wants.
    fn put_before(&mut self, control: ControlKind, out: &mut Vec<u8>) -> Result<(), RelocateError>;

    /// The pc of the next instruction with a group of pieces in front of it, and of what [`Self::put_before`] writes
    /// there.
    fn next_group(&self) -> Option<usize> {
        None
    }

    /// Writes that group.
    fn put_group(&mut self, _: &mut PieceGroup<'_>) -> Result<(), RelocateError> {
        Ok(())
    }
}

/// A group of pieces being written; see the picture in [`super`].
#[derive(Debug)]
pub struct PieceGroup<'r> {
    pc: usize,
    base: usize,
    out: &'r mut Vec<u8>,
    positions: &'r mut Positions,
    targets: &'r mut FrameTargets,
    /// Index of slot 0.
    first_slot: usize,
    /// Position of a `goto` in `out`, and the slot it goes to.
    gotos: Option<(usize, usize)>,
}

impl PieceGroup<'_> {
    /// The old pc of the instruction behind the group.
    pub fn pc(&self) -> usize {
        self.pc
    }

    /// Begins a piece; its code, which must be straight, is to be appended.
    pub fn begin_piece(&mut self) -> &mut Vec<u8> {
        self.positions.pieces.push((self.pc, new_pc(self.base, self.out)));
        self.out
    }

    /// Adds a piece that goes to a later slot of the group. There is only one such.
    pub fn put_goto(&mut self, slot: usize) {
        self.gotos = Some((self.out.len(), slot));
        self.begin_piece().extend_from_slice(&[GOTO, 0, 0]);
        self.targets.add(CodePosition::Slot { pc: self.pc, slot });
    }

    /// The position behind the last piece is a slot too.
    fn end(mut self) {
        self.begin_piece();
        if let Some((at, slot)) = self.gotos {
            let (_, to) = self.positions.pieces[self.first_slot + slot];
            let distance = (self.base + to as usize - at) as u16;
            self.out[at + 1..at + 3].copy_from_slice(&distance.to_be_bytes());
        }
    }
}

/// Copies one method.
pub(super) struct Copier<'c, 'a> {
    pub(super) source: &'c MethodCode<'c, 'a>,
    pub(super) positions: &'c mut Positions,
    /// Targets of jumps within groups.
    pub(super) targets: &'c mut FrameTargets,
    /// Offset of the new code in the output.
    pub(super) base: usize,
}

impl Copier<'_, '_> {
    /// Copies the code with what is inserted, and notes where everything went.
    #[inline]
    pub(super) fn copy(
        &mut self,
        inserter: &mut impl Inserter,
        out: &mut Vec<u8>,
    ) -> Result<(), RelocateError> {
        // Runs are copied out of the whole class file: something follows the last one too.
        let (class, code) = (self.source.class.bytes, self.source.code_offset());
        let (len, base) = (self.source.code.bytes.len(), self.base);
        let mut switches = self.source.outline.switches();
        let mut odd = next_odd(inserter, switches);
        let mut copied = 0;
        for landmark in self.source.outline.calls_and_exits() {
            let pc = landmark.pc();
            while odd < pc {
                copied = self.copy_odd(odd, copied, &mut switches, inserter, out)?;
                odd = next_odd(inserter, switches);
            }
            if !inserter.wants(landmark.control) {
                continue;
            }
            put_run(class, code + copied..code + pc, out);
            copied = pc;
            let before = new_pc(base, out);
            if odd == pc {
                self.put_group(pc, inserter, out)?;
                odd = next_odd(inserter, switches);
            }
            inserter.put_before(landmark.control, out)?;
            self.positions.stop(pc, before, new_pc(base, out));
        }
        while odd < usize::MAX {
            copied = self.copy_odd(odd, copied, &mut switches, inserter, out)?;
            odd = next_odd(inserter, switches);
        }
        put_run(class, code + copied..code + len, out);
        let end = new_pc(base, out);
        self.positions.stop(len, end, end);
        Ok(())
    }

    /// Copies up to the instruction at `pc`, with the group in front of it, and itself if it is the next switch.
    /// Gives up to where all is copied then.
    #[inline(never)]
    fn copy_odd(
        &mut self,
        pc: usize,
        copied: usize,
        switches: &mut &[Landmark],
        inserter: &mut impl Inserter,
        out: &mut Vec<u8>,
    ) -> Result<usize, RelocateError> {
        if pc < self.positions.moved.len() || !self.source.outline.is_start(pc) {
            return Err(ClassError::NotAnInstruction(pc).into());
        }
        let (class, code) = (self.source.class.bytes, self.source.code_offset());
        put_run(class, code + copied..code + pc, out);
        let before = new_pc(self.base, out);
        if inserter.next_group() == Some(pc) {
            self.put_group(pc, inserter, out)?;
        }
        let at = new_pc(self.base, out);
        self.positions.stop(pc, before, at);
        match switches.split_first() {
            Some((switch, rest)) if switch.pc() == pc => {
                let insn = Insn::at(self.source.code.bytes, pc)?;
                put_switch(&insn, at, out);
                self.positions.move_inside(&insn, at);
                *switches = rest;
                Ok(insn.next_pc())
            }
            _ => Ok(pc),
        }
    }

    fn put_group(
        &mut self,
        pc: usize,
        inserter: &mut impl Inserter,
        out: &mut Vec<u8>,
    ) -> Result<(), RelocateError> {
        let (positions, targets) = (&mut *self.positions, &mut *self.targets);
        let first_slot = positions.pieces.len();
        let mut group = PieceGroup { pc, base: self.base, out, positions, targets, first_slot, gotos: None };
        inserter.put_group(&mut group)?;
        group.end();
        Ok(())
    }
}

/// The pc where something else happens next than at calls and exits.
#[inline]
fn next_odd(inserter: &impl Inserter, switches: &[Landmark]) -> usize {
    let group = inserter.next_group().unwrap_or(usize::MAX);
    switches.first().map_or(group, |switch| switch.pc().min(group))
}

/// How much was written since `base`; what is too much for 32 bits is too long for a class file.
#[inline]
pub(super) fn new_pc(base: usize, out: &[u8]) -> u32 {
    (out.len() - base) as u32
}

impl Positions {
    /// Notes that what was at `pc` is now at `at`, behind what is inserted from `before` on; all in front of it, up to
    /// the stop before, moved with that one.
    #[inline]
    fn stop(&mut self, pc: usize, before: u32, at: u32) {
        let run = (pc - self.moved.len()) as u32;
        self.move_run(pc, before - run);
        self.moved.push(Moved::to(before, at));
    }
}
