//! Who is reachable from where: a method cut into blocks that control enters only at their first instruction.
//!
//! A block also ends where protection changes, so all of it lies in one segment: a stretch of code whose
//! instructions have the same handlers.

use crate::body::Body;
use catchment_classfile::Role;
use std::ops::Range;

#[derive(Debug)]
pub(crate) struct Blocks {
    /// Per block the index of its first instruction; at the end the number of instructions.
    first: Vec<usize>,
    /// Per instruction its block.
    of_insn: Vec<usize>,
    /// Where control goes at the end of each block, exceptions aside: all blocks, one run after the other.
    successors: Vec<usize>,
    /// Per block the end of its run of successors.
    successors_end: Vec<usize>,
    /// Per block its segment.
    segment: Vec<usize>,
    /// Per segment its handlers, as blocks.
    handlers: Vec<Vec<usize>>,
}

impl Blocks {
    pub(crate) fn of(body: &Body<'_>) -> Self {
        let cuts = cuts(body);
        let (first, of_insn) = cut_into_blocks(body, &cuts);
        let segment_of = |pc: usize| cuts.partition_point(|cut| *cut <= pc);
        let starts = first.iter().filter_map(|index| body.insns.get(*index));
        let mut blocks = Self {
            segment: starts.map(|insn| segment_of(insn.pc)).collect(),
            handlers: vec![Vec::new(); cuts.len() + 1],
            successors: Vec::with_capacity(2 * first.len()),
            successors_end: Vec::with_capacity(first.len()),
            first,
            of_insn,
        };
        for entry in &body.entries {
            if let Some(handler) = body.index(entry.handler) {
                let (from, to) = (segment_of(usize::from(entry.start)), segment_of(usize::from(entry.end)));
                let protecting = blocks.handlers[from..to.max(from)].iter_mut();
                protecting.for_each(|it| it.push(blocks.of_insn[handler]));
            }
        }
        for last in blocks.first.iter().skip(1).map(|next| next - 1) {
            blocks.successors.extend(body.successors(last).map(|index| blocks.of_insn[index]));
            blocks.successors_end.push(blocks.successors.len());
        }
        blocks
    }

    /// Handlers named over all segments: what following every one of them costs.
    pub(crate) fn handler_rows(&self) -> usize {
        self.handlers.iter().map(Vec::len).sum()
    }

    /// The instructions that are only reached through the handler at instruction `handler`, in code order.
    pub(crate) fn only_through(&self, handler: usize) -> impl Iterator<Item = Range<usize>> {
        let handler = self.of_insn[handler];
        let without = self.reachable(0, Some(handler));
        let through = self.reachable(handler, None);
        let own = (0..self.segment.len()).filter(move |block| through[*block] && !without[*block]);
        own.map(|block| self.first[block]..self.first[block + 1])
    }

    fn reachable(&self, from: usize, avoid: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; self.segment.len()];
        let mut segment_seen = vec![false; self.handlers.len()];
        let mut work = vec![from];
        while let Some(block) = work.pop() {
            if Some(block) == avoid || std::mem::replace(&mut seen[block], true) {
                continue;
            }
            work.extend(self.successors(block).iter().filter(|next| !seen[**next]));
            let segment = self.segment[block];
            if !std::mem::replace(&mut segment_seen[segment], true) {
                work.extend_from_slice(&self.handlers[segment]);
            }
        }
        seen
    }

    fn successors(&self, block: usize) -> &[usize] {
        let start = block.checked_sub(1).map_or(0, |before| self.successors_end[before]);
        &self.successors[start..self.successors_end[block]]
    }
}

/// The pcs where protection changes.
fn cuts(body: &Body<'_>) -> Vec<usize> {
    let ends = body.entries.iter().flat_map(|entry| [entry.start, entry.end]);
    let mut cuts: Vec<usize> = ends.map(usize::from).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// The first instruction of each block, with the end of the code as the last; and the block of each instruction.
fn cut_into_blocks(body: &Body<'_>, cuts: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut starts_block = vec![false; body.insns.len()];
    let handlers = body.entries.iter().map(|entry| usize::from(entry.handler));
    let pcs = cuts.iter().copied().chain(handlers).chain(std::iter::once(0));
    pcs.filter_map(|pc| body.index_at(pc)).for_each(|index| starts_block[index] = true);
    for (index, insn) in body.insns.iter().enumerate() {
        if !matches!(insn.role(), Role::Step | Role::Call) {
            body.successors(index).for_each(|next| starts_block[next] = true);
            if let Some(next) = starts_block.get_mut(index + 1) {
                *next = true;
            }
        }
    }
    let mut first = Vec::new();
    let mut of_insn = Vec::with_capacity(starts_block.len());
    for (index, starts) in starts_block.iter().enumerate() {
        if *starts {
            first.push(index);
        }
        of_insn.push(first.len() - 1);
    }
    first.push(body.insns.len());
    (first, of_insn)
}
