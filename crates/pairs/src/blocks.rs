//! The control flow of a method: its code cut into basic blocks, which control enters only at their first instruction.
//!
//! A block also ends where protection changes, so all of it lies in one segment: a stretch of code whose
//! instructions have the same handlers.

use crate::instructions::Instructions;
use catchment_classfile::{ControlKind, ExceptionRow};
use std::ops::Range;

/// An index into the lists of [`Blocks`].
type Index = u32;

/// The basic blocks of a method, in code order. The first is where control enters.
#[derive(Debug)]
pub struct Blocks {
    /// Per block the index of its first instruction; at the end the number of instructions.
    first: Vec<Index>,
    /// Per block its successors, exceptions aside.
    successors: Lists,
    /// Per block its segment.
    segment: Vec<Index>,
    /// Per segment its handlers, as blocks, each once.
    handlers: Lists,
}

/// Lists of blocks, one behind the other.
#[derive(Debug, Default)]
struct Lists {
    blocks: Vec<Index>,
    /// Per list its end in `blocks`.
    ends: Vec<Index>,
}

/// Segments that a row of the exception table protects, and its handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Protected {
    first: Index,
    end: Index,
    handler: Index,
}

impl Protected {
    fn segments(&self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

impl Lists {
    /// For each segment the handlers of the rows that protect it.
    fn by_segment(rows: &[Protected], segments: usize) -> Self {
        let mut next = vec![0; segments + 1];
        rows.iter().flat_map(Protected::segments).for_each(|segment| next[segment + 1] += 1);
        for segment in 1..next.len() {
            next[segment] += next[segment - 1];
        }
        let mut lists = Self { blocks: vec![0; next[segments] as usize], ends: next };
        for row in rows {
            for segment in row.segments() {
                lists.blocks[lists.ends[segment] as usize] = row.handler;
                lists.ends[segment] += 1;
            }
        }
        lists.ends.pop();
        lists
    }

    fn end_list(&mut self) {
        self.ends.push(index(self.blocks.len()));
    }

    fn get(&self, list: usize) -> impl Iterator<Item = usize> {
        let start = list.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.blocks[start as usize..self.ends[list] as usize].iter().map(|block| *block as usize)
    }
}

impl Blocks {
    /// The blocks of a method with the given rows of its exception table, which begin and lead to instructions.
    /// `None` if `affords` refuses the steps that one search may take.
    pub fn of(
        insns: &Instructions<'_>,
        rows: &[ExceptionRow],
        affords: impl Fn(usize) -> bool,
    ) -> Option<Self> {
        let cuts = cuts(rows);
        let first = cut_into_blocks(insns, rows, &cuts);
        let segment_of = |pc: usize| index(cuts.partition_point(|cut| *cut <= pc));
        let protected = rows.iter().map(|row| {
            let handler = insns.index_at(usize::from(row.handler)).unwrap_or(0);
            Protected {
                first: segment_of(usize::from(row.start)),
                end: segment_of(usize::from(row.end)),
                handler: index(block_of(&first, handler)),
            }
        });
        let mut protected: Vec<Protected> = protected.collect();
        protected.sort_unstable();
        protected.dedup();
        let handler_steps: usize = protected.iter().map(|row| row.segments().len()).sum();
        if !affords(insns.len() + handler_steps) {
            return None;
        }
        let starts = first[..first.len() - 1].iter().map(|start| insns.pc(*start as usize));
        let segment = starts.map(segment_of).collect();
        let handlers = Lists::by_segment(&protected, cuts.len() + 1);
        Some(Self { segment, handlers, successors: successors(insns, &first), first })
    }

    /// Number of blocks.
    #[expect(clippy::len_without_is_empty, reason = "every method has a block")]
    pub fn len(&self) -> usize {
        self.segment.len()
    }

    /// Indices of the instructions of a block.
    pub fn insns(&self, block: usize) -> Range<usize> {
        self.first[block] as usize..self.first[block + 1] as usize
    }

    /// The block that the instruction with the given index is in.
    pub fn containing(&self, insn: usize) -> usize {
        block_of(&self.first, insn)
    }

    /// The blocks that may follow a block, exceptions aside.
    pub fn successors(&self, block: usize) -> impl Iterator<Item = usize> {
        self.successors.get(block)
    }

    /// The blocks that begin with a handler of what is thrown in a block.
    pub fn handlers(&self, block: usize) -> impl Iterator<Item = usize> {
        self.handlers.get(self.segment[block] as usize)
    }

    /// The instructions that are only reached through the handler at instruction `handler`, in code order.
    pub(crate) fn only_through(&self, handler: usize) -> Vec<Range<usize>> {
        let handler = self.containing(handler);
        let without = self.reachable(0, Some(handler));
        let through = self.reachable(handler, None);
        let only_through = (0..self.len()).filter(|block| through[*block] && !without[*block]);
        only_through.map(|block| self.insns(block)).collect()
    }

    /// Per block whether control can come there from `from`, but not through `avoided`.
    fn reachable(&self, from: usize, avoided: Option<usize>) -> Vec<bool> {
        let mut blocks = vec![false; self.len()];
        let mut segments = vec![false; self.handlers.ends.len()];
        let mut work = vec![from];
        while let Some(block) = work.pop() {
            if Some(block) == avoided || std::mem::replace(&mut blocks[block], true) {
                continue;
            }
            work.extend(self.successors(block).filter(|next| !blocks[*next]));
            if !std::mem::replace(&mut segments[self.segment[block] as usize], true) {
                work.extend(self.handlers(block));
            }
        }
        blocks
    }
}

/// Code has at most some ten thousand instructions; machine-made classes that have more are refused by the JVM.
fn index(value: usize) -> Index {
    Index::try_from(value).unwrap_or(Index::MAX)
}

fn block_of(first: &[Index], insn: usize) -> usize {
    first.partition_point(|start| *start as usize <= insn) - 1
}

/// The pcs where protection changes.
fn cuts(rows: &[ExceptionRow]) -> Vec<usize> {
    let ends = rows.iter().flat_map(|row| [row.start, row.end]);
    let mut cuts: Vec<usize> = ends.map(usize::from).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// The first instruction of each block, with the end of the code as the last.
fn cut_into_blocks(insns: &Instructions<'_>, rows: &[ExceptionRow], cuts: &[usize]) -> Vec<Index> {
    let mut starts_block = vec![false; insns.len()];
    let handlers = rows.iter().map(|row| usize::from(row.handler));
    let pcs = cuts.iter().copied().chain(handlers).chain(std::iter::once(0));
    pcs.filter_map(|pc| insns.index_at(pc)).for_each(|insn| starts_block[insn] = true);
    for (index, insn) in insns.iter().enumerate() {
        if !matches!(insn.control(), ControlKind::Step | ControlKind::Call) {
            insns.successors(index).for_each(|next| starts_block[next] = true);
            if let Some(next) = starts_block.get_mut(index + 1) {
                *next = true;
            }
        }
    }
    let starts = starts_block.iter().zip(0..).filter(|(starts, _)| **starts).map(|(_, index)| index);
    starts.chain(std::iter::once(index(insns.len()))).collect()
}

/// Per block the blocks that may follow its last instruction.
fn successors(insns: &Instructions<'_>, first: &[Index]) -> Lists {
    let mut successors = Lists::default();
    for end in &first[1..] {
        let next = insns.successors(*end as usize - 1);
        successors.blocks.extend(next.map(|next| index(block_of(first, next))));
        successors.end_list();
    }
    successors
}
