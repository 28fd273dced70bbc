//! Basic blocks before it is known which of them control reaches.
//!
//! A handler that control also enters in another way gets a block of its own in front, which only catches:
//!
//! ```text
//!   row ──► [catch v3] ──► [v5 = phi v3 v4 ...] ◄── a jump with v4 on the stack
//! ```
//!
//! So blocks that catch are entered by exceptions only, and all others never.

use crate::scan::{ENTERED, HANDLER, LEADER, START, Scan, THROWS};
use catchment_classfile::{Code, Insn};
use std::ops::Range;

pub(crate) const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Default)]
pub(crate) struct Node {
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Begins with a caught exception.
    pub(crate) is_catch: bool,
    /// Has an instruction that can throw.
    pub(crate) throws: bool,
    pub(crate) reached: bool,
    /// These are ranges in lists of the graph.
    pub(crate) successors: Range<u32>,
    pub(crate) catches: Range<u32>,
    pub(crate) rows: Range<u32>,
    pub(crate) predecessors: Range<u32>,
}

#[derive(Debug, Default)]
pub(crate) struct Blocks {
    /// In the order of the code. Where the method begins comes first, also before a block that catches there.
    pub(crate) nodes: Vec<Node>,
    /// By pc: the block that begins there and is entered by a jump or from above; for handlers that nothing enters
    /// so, they.
    at: Vec<u32>,
    /// The pcs of handlers with the blocks that catch, by pc.
    catches: Vec<(u32, u32)>,
}

impl Blocks {
    pub(crate) fn find(&mut self, code: &Code<'_>, scan: &Scan) {
        self.nodes.clear();
        self.catches.clear();
        self.at.clear();
        self.at.resize(scan.flags.len(), NONE);
        for (pc, flags) in (0..).zip(&scan.flags) {
            if flags & LEADER != 0 && flags & START != 0 {
                self.begin(pc, *flags, code, scan);
            }
            if flags & THROWS != 0
                && let Some(node) = self.nodes.last_mut()
            {
                node.throws = true;
            }
        }
        self.end_last(small(scan.flags.len()));
        if let ([(0, 0), ..], [catch, entry, ..]) = (self.catches.as_mut_slice(), self.nodes.as_mut_slice()) {
            std::mem::swap(catch, entry);
            self.catches[0].1 = 1;
            self.at[0] = 0;
        }
    }

    /// The block that control comes to at `pc` other than by an exception.
    pub(crate) fn at(&self, pc: usize) -> Option<u32> {
        self.at.get(pc).copied().filter(|node| *node != NONE)
    }

    /// The block that catches what a row sends to `pc`.
    pub(crate) fn catch_at(&self, pc: u16) -> Option<u32> {
        let found = self.catches.binary_search_by_key(&u32::from(pc), |(pc, _)| *pc).ok()?;
        self.catches.get(found).map(|(_, node)| *node)
    }

    fn begin(&mut self, pc: u32, flags: u8, code: &Code<'_>, scan: &Scan) {
        self.end_last(pc);
        let is_handler = flags & HANDLER != 0;
        let is_entered = flags & ENTERED != 0 || is_handler && falls_into(code, scan, pc);
        if is_handler {
            self.catches.push((pc, small(self.nodes.len())));
            if is_entered {
                self.nodes.push(Node { start: pc, end: pc, is_catch: true, ..Node::default() });
            }
        }
        self.at[pc as usize] = small(self.nodes.len());
        self.nodes.push(Node { start: pc, is_catch: is_handler && !is_entered, ..Node::default() });
    }

    fn end_last(&mut self, pc: u32) {
        if let Some(last) = self.nodes.last_mut() {
            last.end = pc;
        }
    }
}

/// True if the instruction before `pc` goes on to it.
fn falls_into(code: &Code<'_>, scan: &Scan, pc: u32) -> bool {
    let before = last_start(scan, 0, pc);
    before.and_then(|before| Insn::at(code.bytes, before).ok()).is_some_and(|insn| insn.falls_through())
}

/// The last instruction that begins between two pcs.
pub(crate) fn last_start(scan: &Scan, from: u32, to: u32) -> Option<usize> {
    let flags = scan.flags.get(from as usize..to as usize)?;
    flags.iter().rposition(|it| it & START != 0).map(|found| from as usize + found)
}

/// Counts of things in code, which has at most 65,535 bytes.
pub(crate) fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(NONE)
}
