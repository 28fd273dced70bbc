//! The control flow of a method: blocks of instructions that follow each other and are protected alike.

use crate::FlowError;
use catchment_classfile::{ClassError, Code, ControlKind, ExceptionEntry, Insn};
use std::collections::BTreeSet;
use std::ops::Range;

/// Blocks times rows of the exception table that are compared; compilers stay far below.
const MAX_COMPARED: usize = 50_000_000;

/// Instructions that control passes one after the other.
#[derive(Debug)]
pub(crate) struct Block {
    /// Indices into [`Blocks::insns`].
    insns: Range<usize>,
    /// Blocks that may be next.
    pub(crate) next: Vec<usize>,
    /// Blocks that begin with a handler of what is thrown here.
    pub(crate) handlers: Vec<usize>,
}

/// All blocks of a method, by pc. The first is where control enters.
#[derive(Debug)]
pub(crate) struct Blocks<'a> {
    insns: Vec<Insn<'a>>,
    all: Vec<Block>,
    /// The pc of each block.
    starts: Vec<usize>,
}

impl<'a> Blocks<'a> {
    pub(crate) fn of(code: &Code<'a>) -> Result<Self, FlowError> {
        let insns: Vec<Insn<'a>> = code.insns().collect::<Result<_, _>>()?;
        if let Some(insn) =
            insns.iter().find(|it| matches!(it.role(), ControlKind::Subroutine | ControlKind::Ret))
        {
            return Err(FlowError::Subroutine(insn.pc));
        }
        let rows: Vec<ExceptionEntry> = code.exceptions().collect();
        let starts: Vec<usize> = starts(&insns, &rows, code.bytes.len()).into_iter().collect();
        if starts.len().saturating_mul(rows.len()) > MAX_COMPARED {
            return Err(FlowError::TooLarge);
        }
        let mut it = Self { insns, all: Vec::new(), starts };
        it.all = (0..it.starts.len()).map(|block| it.block(block, &rows)).collect::<Result<_, _>>()?;
        Ok(it)
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn get(&self, block: usize) -> Option<&Block> {
        self.all.get(block)
    }

    pub(crate) fn insns(&self, block: usize) -> &[Insn<'a>] {
        self.get(block).and_then(|it| self.insns.get(it.insns.clone())).unwrap_or_default()
    }

    pub(crate) fn all_insns(&self) -> &[Insn<'a>] {
        &self.insns
    }

    pub(crate) fn insn_at(&self, pc: usize) -> Option<&Insn<'a>> {
        self.insns.get(self.insns.binary_search_by_key(&pc, |insn| insn.pc).ok()?)
    }

    /// The block that begins at `pc`.
    pub(crate) fn starting_at(&self, pc: usize) -> Result<usize, FlowError> {
        self.starts.binary_search(&pc).map_err(|_| ClassError::NotAnInstruction(pc).into())
    }

    /// The block that the instruction at `pc` is in.
    pub(crate) fn containing(&self, pc: usize) -> usize {
        self.starts.partition_point(|start| *start <= pc).saturating_sub(1)
    }

    /// The pc of a block's first instruction.
    pub(crate) fn start(&self, block: usize) -> usize {
        self.starts.get(block).copied().unwrap_or(usize::MAX)
    }

    /// The blocks control can come to from `from` on, but not through `avoided`.
    pub(crate) fn reachable(&self, from: usize, avoided: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        let mut work = vec![from];
        while let Some(block) = work.pop() {
            if Some(block) == avoided {
                continue;
            }
            if let (Some(mark @ false), Some(it)) = (seen.get_mut(block), self.get(block)) {
                *mark = true;
                work.extend(it.next.iter().chain(&it.handlers));
            }
        }
        seen
    }

    fn block(&self, block: usize, rows: &[ExceptionEntry]) -> Result<Block, FlowError> {
        let (start, end) = (self.start(block), self.start(block + 1));
        let first = self.insns.partition_point(|insn| insn.pc < start);
        let behind = self.insns.partition_point(|insn| insn.pc < end);
        let last = self.insns.get(first..behind).and_then(|insns| insns.last());
        // A handler, target or range inside an instruction would begin a block without any.
        let Some(last) = last.filter(|_| self.insn_at(start).is_some()) else {
            return Err(ClassError::NotAnInstruction(start).into());
        };
        let falls = last.falls_through().then_some(last.next_pc());
        let next = last.targets().chain(falls).map(|pc| self.starting_at(pc)).collect::<Result<_, _>>()?;
        let around =
            rows.iter().filter(|row| (usize::from(row.start)..usize::from(row.end)).contains(&start));
        let mut handlers: Vec<usize> =
            around.map(|row| self.starting_at(usize::from(row.handler))).collect::<Result<_, _>>()?;
        handlers.sort_unstable();
        handlers.dedup();
        Ok(Block { insns: first..behind, next, handlers })
    }
}

fn starts(insns: &[Insn<'_>], rows: &[ExceptionEntry], code_len: usize) -> BTreeSet<usize> {
    let mut starts = BTreeSet::from([0]);
    for row in rows {
        starts.extend([row.start, row.end, row.handler].map(usize::from));
    }
    for insn in insns.iter().filter(|insn| !matches!(insn.role(), ControlKind::Step | ControlKind::Call)) {
        starts.extend(insn.targets());
        starts.insert(insn.next_pc());
    }
    starts.remove(&code_len);
    starts
}
