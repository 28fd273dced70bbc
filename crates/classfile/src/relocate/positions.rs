//! The buffers that a layout fills, kept from method to method, and what is asked of them.

use super::layout::MAX_CODE_LEN;
use crate::{ClassError, Insn, Outline};

/// The new pcs of what was at one old pc, both in one word so that long runs are quick to write. Inside an
/// instruction both are as far behind its start as before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moved(u32);

impl Moved {
    /// Added to move one byte on.
    const ONE: u32 = 0x0001_0001;

    /// Longer code than 16 bits can address is refused once all of it is placed.
    #[inline]
    pub(super) fn to(before: u32, at: u32) -> Self {
        Self(at << 16 | before & 0xffff)
    }

    /// In front of everything inserted.
    #[inline]
    pub(super) fn before(self) -> u32 {
        self.0 & 0xffff
    }

    /// The instruction itself.
    #[inline]
    pub(super) fn at(self) -> u32 {
        self.0 >> 16
    }

    #[inline]
    pub(super) fn has_pieces(self) -> bool {
        self.before() != self.at()
    }

    #[inline]
    fn forward(self, bytes: u32) -> Self {
        Self(self.0.wrapping_add(bytes.wrapping_mul(Self::ONE)))
    }
}

/// The buffers of a layout.
#[derive(Debug, Default)]
pub(super) struct Positions {
    /// Per old pc, that of the end of the code included.
    pub(super) moved: Vec<Moved>,
    /// Per piece the old pc it stands in front of, and its new pc.
    pub(super) pieces: Vec<(usize, u32)>,
    pub(super) appended: Vec<(u32, u32)>,
    /// The end of the code.
    pub(super) end: u32,
    /// Old pcs of the instructions whose length may change: switches, for their padding, and what is widened.
    pub(super) resized: Vec<usize>,
    /// Old pcs of each `goto` and `jsr` that became its wide form; nearly always none.
    pub(super) widened: Vec<usize>,
    pub(super) widened_pieces: Vec<usize>,
    pub(super) widened_appended: Vec<usize>,
}

impl Positions {
    pub(super) fn clear(&mut self) {
        self.clear_places();
        self.widened.clear();
        self.widened_pieces.clear();
        self.widened_appended.clear();
    }

    pub(super) fn clear_places(&mut self) {
        self.moved.clear();
        self.pieces.clear();
        self.appended.clear();
        self.resized.clear();
    }

    /// Moves the old bytes up to `end` to `new_pc` and on; gives the new pc behind them.
    #[inline]
    pub(super) fn move_run(&mut self, end: usize, new_pc: u32) -> u32 {
        let run = (end - self.moved.len()) as u32;
        let mut first = Moved::to(new_pc, new_pc);
        // Most runs are shorter than a block, and a block is quicker written than counted.
        while self.moved.len() < end {
            self.moved.extend_from_slice(&block(first));
            first = first.forward(BLOCK as u32);
        }
        self.moved.truncate(end);
        new_pc + run
    }

    /// Moves what is behind the first byte of an instruction that is now at `new_pc` and may have changed its length.
    pub(super) fn move_inside(&mut self, insn: &Insn<'_>, new_pc: u32) {
        let inside = (1..insn.bytes.len() as u32).map(|offset| (new_pc + offset).min(MAX_CODE_LEN));
        self.moved.extend(inside.map(|pc| Moved::to(pc, pc)));
    }
}

const BLOCK: usize = 16;

#[inline]
fn block(first: Moved) -> [Moved; BLOCK] {
    let mut offset = 0;
    [first; BLOCK].map(|it| {
        offset += 1;
        it.forward(offset - 1)
    })
}

/// Positions of the old code in the new.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodeMap<'l> {
    pub(super) outline: Outline<'l>,
    pub(super) moved: &'l [Moved],
}

impl CodeMap<'_> {
    /// Position of the old `pc` now, which must be that of an instruction or the end of the code.
    #[inline]
    pub(super) fn moved(self, pc: usize) -> Result<Moved, ClassError> {
        match self.moved.get(pc) {
            Some(moved) if self.outline.is_start(pc) || pc + 1 == self.moved.len() => Ok(*moved),
            _ => Err(ClassError::NotAnInstruction(pc)),
        }
    }

    /// The instruction at the old `pc`, moved.
    #[inline]
    pub(super) fn instruction(self, pc: usize) -> Result<u32, ClassError> {
        self.moved(pc).map(Moved::at)
    }

    /// The place of a debug position. Obfuscated classes point into the middle of instructions: kept there.
    #[inline]
    pub(super) fn debug_position(self, pc: usize) -> Result<u16, ClassError> {
        // Half of a word fits.
        let moved = self.moved.get(pc).ok_or(ClassError::NotAnInstruction(pc))?;
        Ok(moved.before() as u16)
    }

    /// The same for a start and a length.
    #[inline]
    pub(super) fn debug_range(self, start: u16, length: u16) -> Result<(u16, u16), ClassError> {
        let end = self.debug_position(usize::from(start) + usize::from(length))?;
        let start = self.debug_position(usize::from(start))?;
        Ok((start, end.saturating_sub(start)))
    }
}
