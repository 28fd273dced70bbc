//! The instructions of a method by index, for those who compare and follow whole stretches of it.
//!
//! Instructions are decoded again when asked for: only their places are kept, since most are never looked at.

use crate::PcRange;
use crate::blocks::Blocks;
use crate::body::Body;
use crate::exception_variable::end_of_exception_variable;
use catchment_classfile::Insn;
use std::ops::Range;

const NOT_AN_INSTRUCTION: u32 = u32::MAX;

/// A method with its instructions numbered.
#[derive(Debug)]
pub(crate) struct IndexedBody<'b, 'a> {
    pub(crate) body: &'b Body<'a>,
    /// Where each instruction starts; at the end the length of the code.
    starts: Vec<u32>,
    index_of_pc: Vec<u32>,
}

impl<'b, 'a> IndexedBody<'b, 'a> {
    pub(crate) fn new(body: &'b Body<'a>) -> Self {
        let len = body.code.bytes.len();
        let mut index_of_pc = vec![NOT_AN_INSTRUCTION; len];
        let mut starts = Vec::with_capacity(len / 2);
        for insn in body.insns() {
            index_of_pc[insn.pc] = u32::try_from(starts.len()).unwrap_or(NOT_AN_INSTRUCTION);
            starts.push(u32::try_from(insn.pc).unwrap_or(u32::MAX));
        }
        starts.push(u32::try_from(len).unwrap_or(u32::MAX));
        Self { body, starts, index_of_pc }
    }

    /// How many instructions there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The instruction with the given index.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<Insn<'a>> {
        let pc = *self.starts.get(index)? as usize;
        let end = *self.starts.get(index + 1)? as usize;
        let bytes = self.body.code.bytes.get(pc..end)?;
        bytes.first().map(|opcode| Insn { pc, opcode: *opcode, bytes })
    }

    /// All instructions.
    pub(crate) fn insns(&self) -> impl Iterator<Item = Insn<'a>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Where the instruction with the given index starts.
    pub(crate) fn pc(&self, index: usize) -> usize {
        self.starts[index] as usize
    }

    /// The index of the instruction at `pc`.
    pub(crate) fn index(&self, pc: u16) -> Option<usize> {
        self.index_at(usize::from(pc))
    }

    pub(crate) fn index_at(&self, pc: usize) -> Option<usize> {
        self.index_of_pc.get(pc).filter(|index| **index != NOT_AN_INSTRUCTION).map(|index| *index as usize)
    }

    /// The indices of the instructions whose pc lies in `range`.
    pub(crate) fn indices_in(&self, range: PcRange) -> Range<usize> {
        let pcs = &self.starts[..self.len()];
        let from = pcs.partition_point(|pc| *pc < u32::from(range.start));
        let to = pcs.partition_point(|pc| *pc < u32::from(range.end));
        from..to.max(from)
    }

    /// Where control can go after instruction `index`, exceptions aside.
    pub(crate) fn successors(&self, index: usize) -> impl Iterator<Item = usize> {
        let insn = self.get(index);
        let goes_on = insn.is_none_or(|insn| insn.falls_through());
        let next = goes_on.then_some(index + 1).filter(|next| *next < self.len());
        let targets = insn.into_iter().flat_map(|insn| insn.targets());
        targets.filter_map(|pc| self.index_at(pc)).chain(next)
    }

    /// The instructions of the clause at `handler`, in code order: those only reachable through it, up to the end of
    /// the variable it stores the exception in, where debug information has it. Without that, code behind the try that
    /// nothing else leads to counts as well.
    fn clause(&self, handler: usize, blocks: &mut Blocks) -> Vec<usize> {
        let end = self.end_of_exception_variable(handler).unwrap_or(usize::MAX);
        blocks.only_through(handler).flatten().filter(|index| self.pc(*index) < end).collect()
    }

    /// The instructions of the clause at `handler`; without `blocks`, which large methods cannot afford, its first
    /// straight line.
    pub(crate) fn extent(&self, handler: usize, blocks: Option<&mut Blocks>) -> Vec<usize> {
        match blocks {
            Some(blocks) => self.clause(handler, blocks),
            None => self.straight_line(handler),
        }
    }

    fn end_of_exception_variable(&self, handler: usize) -> Option<usize> {
        let store = self.get(handler)?;
        let variables = self.body.variables_in(store.astore()?);
        end_of_exception_variable(&store, variables.iter().copied())
    }

    /// The instructions from `start` to the first that does not go on to the next.
    fn straight_line(&self, start: usize) -> Vec<usize> {
        let ends = |index: usize| self.get(index).is_some_and(|insn| !insn.falls_through());
        (start..self.len()).take_while(|index| *index == start || !ends(index - 1)).collect()
    }
}
