//! The instructions of a method, numbered in code order.
//!
//! Instructions are decoded again when asked for: only their pcs are kept, since most are never looked at.

use crate::PcRange;
use catchment_classfile::{ClassError, Code, Insn};
use std::ops::Range;

const NOT_AN_INSTRUCTION: u32 = u32::MAX;

/// The code of one method with its instructions numbered.
#[derive(Debug)]
pub struct Instructions<'a> {
    code: &'a [u8],
    /// Per instruction its pc; at the end the length of the code.
    starts: Vec<u32>,
    index_of_pc: Vec<u32>,
}

impl<'a> Instructions<'a> {
    pub fn of(code: &Code<'a>) -> Result<Self, ClassError> {
        let len = code.bytes.len();
        let mut index_of_pc = vec![NOT_AN_INSTRUCTION; len];
        let mut starts = Vec::with_capacity(len / 2);
        for insn in code.insns() {
            let pc = insn?.pc;
            index_of_pc[pc] = u32::try_from(starts.len()).unwrap_or(NOT_AN_INSTRUCTION);
            starts.push(u32::try_from(pc).unwrap_or(u32::MAX));
        }
        starts.push(u32::try_from(len).unwrap_or(u32::MAX));
        Ok(Self { code: code.bytes, starts, index_of_pc })
    }

    /// Number of instructions.
    #[expect(clippy::len_without_is_empty, reason = "code without instructions is no code")]
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The instruction with the given index.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Insn<'a>> {
        let pc = *self.starts.get(index)? as usize;
        let end = *self.starts.get(index + 1)? as usize;
        let bytes = self.code.get(pc..end)?;
        bytes.first().map(|opcode| Insn { pc, opcode: *opcode, bytes })
    }

    /// All instructions.
    pub fn iter(&self) -> impl Iterator<Item = Insn<'a>> {
        self.in_range(0..self.len())
    }

    /// The instructions with the given indices.
    pub fn in_range(&self, indices: Range<usize>) -> impl Iterator<Item = Insn<'a>> {
        indices.filter_map(|index| self.get(index))
    }

    /// The pc of the instruction with the given index; of the one behind the last the length of the code.
    pub fn pc(&self, index: usize) -> usize {
        self.starts[index] as usize
    }

    /// The index of the instruction at `pc`.
    pub fn index_at(&self, pc: usize) -> Option<usize> {
        self.index_of_pc.get(pc).filter(|index| **index != NOT_AN_INSTRUCTION).map(|index| *index as usize)
    }

    /// The indices of the instructions whose pc lies in `range`.
    pub(crate) fn indices_in(&self, range: PcRange) -> Range<usize> {
        let pcs = &self.starts[..self.len()];
        let from = pcs.partition_point(|pc| *pc < u32::from(range.start));
        let to = pcs.partition_point(|pc| *pc < u32::from(range.end));
        from..to.max(from)
    }

    /// Indices of the instructions that may follow instruction `index`, exceptions aside.
    pub(crate) fn successors(&self, index: usize) -> impl Iterator<Item = usize> {
        let insn = self.get(index);
        let goes_on = insn.is_none_or(|insn| insn.falls_through());
        let next = goes_on.then_some(index + 1).filter(|next| *next < self.len());
        let targets = insn.into_iter().flat_map(|insn| insn.targets());
        targets.filter_map(|pc| self.index_at(pc)).chain(next)
    }

    /// The instructions from `start` to the first that does not go on to the next.
    pub(crate) fn straight_line(&self, start: usize) -> Vec<usize> {
        let ends = |index: usize| self.get(index).is_some_and(|insn| !insn.falls_through());
        (start..self.len()).take_while(|index| *index == start || !ends(index - 1)).collect()
    }
}
