//! Who is reachable from where: a method cut into blocks that control enters only at their first instruction.
//!
//! A block also ends where protection changes, so all of it lies in one segment: a stretch of code whose
//! instructions have the same handlers.

use crate::indexed::IndexedBody;
use catchment_classfile::ControlKind;
use std::ops::Range;

/// Where things are, as indices into the lists of [`Blocks`].
type Index = u32;

#[derive(Debug)]
pub(crate) struct Blocks {
    /// Per block the index of its first instruction; at the end the number of instructions.
    first: Vec<Index>,
    /// Per block where control goes at its end, exceptions aside.
    successors: Lists,
    /// Per block its segment.
    segment: Vec<Index>,
    /// Per segment its handlers, as blocks.
    handlers: Lists,
    search: Search,
}

/// Lists of blocks, one behind the other.
#[derive(Debug, Default)]
struct Lists {
    blocks: Vec<Index>,
    /// Where each list ends.
    ends: Vec<Index>,
}

impl Lists {
    /// For each segment the blocks of the ranges that hold it, in the order of the ranges.
    fn by_segment(ranges: &[Range<Index>], blocks: impl Iterator<Item = Index>, segments: usize) -> Self {
        let mut next = vec![0; segments + 1];
        let segments_of = |range: &Range<Index>| range.start as usize..range.end as usize;
        ranges.iter().flat_map(segments_of).for_each(|segment| next[segment + 1] += 1);
        for segment in 1..next.len() {
            next[segment] += next[segment - 1];
        }
        let mut lists = Self { blocks: vec![0; next[segments] as usize], ends: next };
        for (range, block) in ranges.iter().zip(blocks) {
            for segment in segments_of(range) {
                lists.blocks[lists.ends[segment] as usize] = block;
                lists.ends[segment] += 1;
            }
        }
        lists.ends.pop();
        lists
    }

    fn end_list(&mut self) {
        self.ends.push(index(self.blocks.len()));
    }

    fn get(&self, list: Index) -> &[Index] {
        let list = list as usize;
        let start = list.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.blocks[start as usize..self.ends[list] as usize]
    }
}

/// The memory of a search, kept for the next one.
#[derive(Debug, Default)]
struct Search {
    /// Per block and per segment the ways it was reached by, as bits.
    blocks: Vec<u8>,
    segments: Vec<u8>,
    work: Vec<Index>,
}

/// From the start of the method, avoiding a handler.
const WITHOUT: u8 = 1;
/// From the handler.
const THROUGH: u8 = 2;

impl Blocks {
    /// `None` if `affords` refuses the steps that one search may take.
    pub(crate) fn of(body: &IndexedBody<'_, '_>, affords: impl Fn(usize) -> bool) -> Option<Self> {
        let cuts = cuts(body);
        let segment_of = |pc: usize| index(cuts.partition_point(|cut| *cut <= pc));
        let protected = body.body.entries.iter().map(|entry| {
            let start = segment_of(usize::from(entry.start));
            start..segment_of(usize::from(entry.end)).max(start)
        });
        let protected: Vec<Range<Index>> = protected.collect();
        let handler_steps: usize = protected.iter().map(ExactSizeIterator::len).sum();
        if !affords(body.len() + handler_steps) {
            return None;
        }
        let first = cut_into_blocks(body, &cuts);
        let starts = first[..first.len() - 1].iter().map(|it| body.pc(*it as usize));
        let handlers = body.body.entries.iter().map(|entry| {
            // Every handler is an instruction, or the method would not have been opened.
            block_of(&first, body.index(entry.handler).unwrap_or(0))
        });
        let mut blocks = Self {
            segment: starts.map(segment_of).collect(),
            handlers: Lists::by_segment(&protected, handlers, cuts.len() + 1),
            successors: Lists::default(),
            search: Search::default(),
            first,
        };
        blocks.find_successors(body);
        Some(blocks)
    }

    fn find_successors(&mut self, body: &IndexedBody<'_, '_>) {
        for block in 1..self.first.len() {
            let last = self.first[block] as usize - 1;
            let next = body.successors(last).map(|it| block_of(&self.first, it));
            self.successors.blocks.extend(next);
            self.successors.end_list();
        }
    }

    /// The instructions that are only reached through the handler at instruction `handler`, in code order.
    pub(crate) fn only_through(&mut self, handler: usize) -> impl Iterator<Item = Range<usize>> {
        let handler = block_of(&self.first, handler);
        self.search.blocks.clear();
        self.search.blocks.resize(self.segment.len(), 0);
        self.search.segments.clear();
        self.search.segments.resize(self.handlers.ends.len(), 0);
        self.reach(0, Some(handler), WITHOUT);
        self.reach(handler, None, THROUGH);
        let reached = self.search.blocks.iter().zip(self.first.windows(2));
        reached
            .filter(|(ways, _)| **ways == THROUGH)
            .map(|(_, bounds)| bounds[0] as usize..bounds[1] as usize)
    }

    fn reach(&mut self, from: Index, avoid: Option<Index>, way: u8) {
        let Search { blocks, segments, work } = &mut self.search;
        work.push(from);
        while let Some(block) = work.pop() {
            if Some(block) == avoid || !mark(&mut blocks[block as usize], way) {
                continue;
            }
            let unseen = |next: &&Index| blocks[**next as usize] & way == 0;
            work.extend(self.successors.get(block).iter().filter(unseen));
            let segment = self.segment[block as usize];
            if mark(&mut segments[segment as usize], way) {
                work.extend_from_slice(self.handlers.get(segment));
            }
        }
    }
}

/// False if it was marked before.
fn mark(ways: &mut u8, way: u8) -> bool {
    let new = *ways & way == 0;
    *ways |= way;
    new
}

/// Code has at most some ten thousand instructions; machine-made classes that have more are refused by the JVM.
fn index(value: usize) -> Index {
    Index::try_from(value).unwrap_or(Index::MAX)
}

fn block_of(first: &[Index], insn: usize) -> Index {
    index(first.partition_point(|it| *it as usize <= insn)) - 1
}

/// The pcs where protection changes.
fn cuts(body: &IndexedBody<'_, '_>) -> Vec<usize> {
    let ends = body.body.entries.iter().flat_map(|entry| [entry.start, entry.end]);
    let mut cuts: Vec<usize> = ends.map(usize::from).collect();
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// The first instruction of each block, with the end of the code as the last.
fn cut_into_blocks(body: &IndexedBody<'_, '_>, cuts: &[usize]) -> Vec<Index> {
    let mut starts_block = vec![false; body.len()];
    let handlers = body.body.entries.iter().map(|entry| usize::from(entry.handler));
    let pcs = cuts.iter().copied().chain(handlers).chain(std::iter::once(0));
    pcs.filter_map(|pc| body.index_at(pc)).for_each(|index| starts_block[index] = true);
    for (index, insn) in body.insns().enumerate() {
        if !matches!(insn.role(), ControlKind::Step | ControlKind::Call) {
            body.successors(index).for_each(|next| starts_block[next] = true);
            if let Some(next) = starts_block.get_mut(index + 1) {
                *next = true;
            }
        }
    }
    let starts = starts_block.iter().zip(0..).filter(|(starts, _)| **starts).map(|(_, index)| index);
    starts.chain(std::iter::once(index(body.len()))).collect()
}
