//! The control flow of a method: which blocks it reaches, where it goes from each, and in which order to look at them.

use crate::assertions::{self, Assertions};
use crate::blocks::{Blocks, NONE, Node, last_start, small};
use crate::error::{Failure, Fault};
use crate::scan::Scan;
use crate::subroutines::Returns;
use catchment_classfile::{Code, ConstantPool, ControlKind, Insn};
use std::ops::Range;

/// Blocks times rows of the exception table that are compared; compilers stay far below.
const MAX_COMPARED: usize = 50_000_000;

/// Inputs of the graph.
pub(crate) struct Source<'s, 'a> {
    pub(crate) code: &'s Code<'a>,
    pub(crate) pool: &'s ConstantPool<'a>,
    pub(crate) scan: &'s Scan,
    pub(crate) assertions: Assertions,
}

/// The memory is used again for the next method.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    blocks: Blocks,
    /// The blocks that control reaches, in the order of the code; the first is where it begins.
    pub(crate) nodes: Vec<Node>,
    /// Blocks in reverse postorder.
    pub(crate) order: Vec<u32>,
    /// Per block its number among those reached.
    reached_as: Vec<u32>,
    /// Lists of successors and of catching blocks.
    edges: Vec<u32>,
    row_lists: Vec<u16>,
    predecessors: Vec<u32>,
    /// Blocks on the way and how many of their edges were followed.
    path: Vec<(u32, u32)>,
    returns: Returns,
}

impl Graph {
    pub(crate) fn build(&mut self, source: &Source<'_, '_>) -> Result<(), Failure> {
        let Source { code, scan, .. } = source;
        for list in [&mut self.order, &mut self.edges, &mut self.predecessors] {
            list.clear();
        }
        self.row_lists.clear();
        self.blocks.find(code, scan);
        if self.blocks.nodes.len().saturating_mul(scan.rows.len()) > MAX_COMPARED {
            return Err(Failure::at(0, Fault::TooLarge));
        }
        self.returns.find(code, scan, &self.blocks)?;
        self.reach(source)?;
        self.keep_reached();
        self.find_predecessors();
        Ok(())
    }

    /// Successors when nothing is thrown.
    #[inline]
    pub(crate) fn successors(&self, node: u32) -> &[u32] {
        list(&self.edges, self.nodes.get(node as usize).map(|it| &it.successors))
    }

    /// Blocks that control comes from; for those that catch, blocks in which something can be thrown.
    #[inline]
    pub(crate) fn predecessors(&self, node: u32) -> &[u32] {
        list(&self.predecessors, self.nodes.get(node as usize).map(|it| &it.predecessors))
    }

    /// Rows of the exception table around a block, up to the first that takes everything.
    pub(crate) fn rows(&self, node: u32) -> &[u16] {
        list(&self.row_lists, self.nodes.get(node as usize).map(|it| &it.rows))
    }

    pub(crate) fn is_catch(&self, node: u32) -> bool {
        self.nodes.get(node as usize).is_some_and(|it| it.is_catch)
    }

    /// True if what is thrown in the block is caught.
    pub(crate) fn is_guarded(&self, node: u32) -> bool {
        self.nodes.get(node as usize).is_some_and(|it| !it.catches.is_empty())
    }

    /// The only block that control comes from; nothing for handlers and where the method begins.
    #[inline]
    pub(crate) fn only_predecessor(&self, node: u32) -> Option<u32> {
        match self.predecessors(node) {
            [only] if node != 0 && !self.is_catch(node) => Some(*only),
            _ => None,
        }
    }

    /// The block that is reached by a jump to `pc`.
    pub(crate) fn at(&self, pc: usize) -> Option<u32> {
        self.reached(self.blocks.at(pc)?)
    }

    /// The block that catches what a row sends to `pc`, if anything can be.
    pub(crate) fn catch_at(&self, pc: u16) -> Option<u32> {
        self.reached(self.blocks.catch_at(pc)?)
    }

    fn reached(&self, node: u32) -> Option<u32> {
        self.reached_as.get(node as usize).copied().filter(|it| *it != NONE)
    }

    /// Follows control from the start, depth first.
    fn reach(&mut self, source: &Source<'_, '_>) -> Result<(), Failure> {
        self.path.clear();
        self.enter(0, source)?;
        while let Some((node, followed)) = self.path.last_mut() {
            let it = &self.blocks.nodes[*node as usize];
            // The lists of successors and catching blocks lie behind each other.
            let edge = it.successors.start + *followed;
            if edge < it.catches.end {
                *followed += 1;
                let next = self.edges[edge as usize];
                if !self.blocks.nodes[next as usize].reached {
                    self.enter(next, source)?;
                }
            } else {
                self.order.push(*node);
                self.path.pop();
            }
        }
        self.order.reverse();
        Ok(())
    }

    fn enter(&mut self, node: u32, source: &Source<'_, '_>) -> Result<(), Failure> {
        let scan = source.scan;
        let successors = self.add_successors(node, source)?;
        let rows = self.add_rows(self.blocks.nodes[node as usize].start, scan);
        let it = &mut self.blocks.nodes[node as usize];
        (it.reached, it.successors, it.rows) = (true, successors, rows.clone());
        it.catches = it.successors.end..it.successors.end;
        if it.throws && !rows.is_empty() {
            self.add_catches(node, rows, scan)?;
        }
        self.path.push((node, 0));
        Ok(())
    }

    fn add_successors(&mut self, node: u32, source: &Source<'_, '_>) -> Result<Range<u32>, Failure> {
        let Source { code, pool, scan, assertions } = *source;
        let first = self.edges.len();
        let Node { start, end, .. } = self.blocks.nodes[node as usize];
        let Some(last) = last_start(scan, start, end) else {
            // Only catches: control goes on to the block at the same pc.
            self.edges.extend(self.blocks.at(start as usize));
            return Ok(small(first)..small(self.edges.len()));
        };
        let insn = Insn::at(code.bytes, last).map_err(|error| Failure::at(last, error))?;
        let control = insn.control();
        let passes_by = assertions == Assertions::Off && assertions::is_test(&insn, start, code, pool, scan);
        if control.falls_through() && control != ControlKind::Subroutine && !passes_by {
            self.add_edge(last, insn.next_pc(), scan)?;
        }
        for target in insn.targets() {
            self.add_edge(last, target, scan)?;
        }
        if control == ControlKind::Ret {
            for index in 0..self.returns.of(last).len() {
                let back = self.returns.of(last)[index].1;
                self.add_edge(last, back as usize, scan)?;
            }
        }
        Ok(self.distinct_edges(first))
    }

    fn add_edge(&mut self, from: usize, to: usize, scan: &Scan) -> Result<(), Failure> {
        let Some(node) = self.blocks.at(to) else {
            let fault = if to == scan.flags.len() { Fault::FallsOff } else { Fault::Target(to) };
            return Err(Failure::at(from, fault));
        };
        self.edges.push(node);
        Ok(())
    }

    /// Takes out what is twice among the edges from `first` on.
    fn distinct_edges(&mut self, first: usize) -> Range<u32> {
        match self.edges.get(first..) {
            Some([one, other]) if one == other => self.edges.truncate(first + 1),
            Some([_, _, _, ..]) => {
                self.edges[first..].sort_unstable();
                let mut kept = first;
                for index in first + 1..self.edges.len() {
                    if self.edges[index] != self.edges[kept] {
                        kept += 1;
                        self.edges[kept] = self.edges[index];
                    }
                }
                self.edges.truncate(kept + 1);
            }
            _ => {}
        }
        small(first)..small(self.edges.len())
    }

    fn add_rows(&mut self, start: u32, scan: &Scan) -> Range<u32> {
        let first = self.row_lists.len();
        for (index, row) in (0..).zip(&scan.rows) {
            if (u32::from(row.start)..u32::from(row.end)).contains(&start) {
                self.row_lists.push(index);
                if row.catch_type == 0 {
                    break;
                }
            }
        }
        small(first)..small(self.row_lists.len())
    }

    fn add_catches(&mut self, node: u32, rows: Range<u32>, scan: &Scan) -> Result<(), Failure> {
        let first = self.edges.len();
        for row in list(&self.row_lists, Some(&rows)) {
            let row = scan.rows[usize::from(*row)];
            let fault = || Failure::at(usize::from(row.start), Fault::Target(usize::from(row.handler)));
            self.edges.push(self.blocks.catch_at(row.handler).ok_or_else(fault)?);
        }
        let catches = self.distinct_edges(first);
        self.blocks.nodes[node as usize].catches = catches;
        Ok(())
    }

    /// From here on blocks are numbered among those reached.
    fn keep_reached(&mut self) {
        self.nodes.clear();
        self.reached_as.clear();
        for node in &mut self.blocks.nodes {
            self.reached_as.push(if node.reached { small(self.nodes.len()) } else { NONE });
            if node.reached {
                self.nodes.push(std::mem::take(node));
            }
        }
        if self.nodes.len() < self.reached_as.len() {
            for node in self.edges.iter_mut().chain(&mut self.order) {
                *node = self.reached_as[*node as usize];
            }
        }
    }

    fn find_predecessors(&mut self) {
        // First how many there are, then where each list ends, then the lists from their ends.
        for edge in &self.edges {
            self.nodes[*edge as usize].predecessors.end += 1;
        }
        let mut end = 0;
        for node in &mut self.nodes {
            end += node.predecessors.end;
            node.predecessors = end..end;
        }
        self.predecessors.resize(end as usize, NONE);
        for from in (0..self.nodes.len()).rev() {
            let edges = self.nodes[from].successors.start..self.nodes[from].catches.end;
            for edge in edges {
                let list = &mut self.nodes[self.edges[edge as usize] as usize].predecessors;
                list.start -= 1;
                self.predecessors[list.start as usize] = small(from);
            }
        }
    }
}

fn list<'a, T>(all: &'a [T], range: Option<&Range<u32>>) -> &'a [T] {
    range.and_then(|range| all.get(range.start as usize..range.end as usize)).unwrap_or_default()
}
