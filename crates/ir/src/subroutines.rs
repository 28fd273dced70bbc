//! Targets of `ret`: behind every `jsr` whose subroutine it may end.
//!
//! A `ret` ends a subroutine if control comes from its start to there, calls of other subroutines being passed over,
//! and some instruction on the way stores to the local that `ret` reads. One that ends none so, because it returns
//! over several levels, goes behind every `jsr`.

use crate::blocks::Blocks;
use crate::error::{Failure, Fault};
use crate::scan::Scan;
use catchment_classfile::{Code, ControlKind, Insn};

/// Subroutines times blocks that are looked at; no compiler's method comes near.
const MAX_WORK: usize = 20_000_000;

#[derive(Debug, Default)]
pub(crate) struct Returns {
    /// The pc of a `ret` and one where it goes, sorted.
    pairs: Vec<(u32, u32)>,
    seen: Vec<bool>,
    work: Vec<u32>,
    stored: Vec<u16>,
    /// The pc and local of each `ret` of the subroutine at hand.
    ends: Vec<(u32, u16)>,
}

impl Returns {
    pub(crate) fn find(&mut self, code: &Code<'_>, scan: &Scan, blocks: &Blocks) -> Result<(), Failure> {
        self.pairs.clear();
        if scan.calls.is_empty() {
            return Ok(());
        }
        let mut targets: Vec<usize> = scan.calls.iter().map(|call| call.target).collect();
        targets.sort_unstable();
        targets.dedup();
        if targets.len().saturating_mul(code.bytes.len()) > MAX_WORK {
            return Err(Failure::at(0, Fault::TooLarge));
        }
        for target in targets {
            self.walk(target, code, scan, blocks);
            for (end, local) in self.ends.drain(..) {
                if self.stored.contains(&local) {
                    let calls = scan.calls.iter().filter(|call| call.target == target);
                    self.pairs.extend(calls.map(|call| (end, pc(call.back))));
                }
            }
        }
        self.end_the_rest(code, scan);
        self.pairs.sort_unstable();
        self.pairs.dedup();
        if self.pairs.len() > MAX_WORK { Err(Failure::at(0, Fault::TooLarge)) } else { Ok(()) }
    }

    /// The returns of the `ret` at `pc`, as pairs.
    pub(crate) fn of(&self, ret: usize) -> &[(u32, u32)] {
        let from = self.pairs.partition_point(|(pc, _)| (*pc as usize) < ret);
        let to = self.pairs.partition_point(|(pc, _)| *pc as usize <= ret);
        self.pairs.get(from..to).unwrap_or_default()
    }

    /// Collects what is stored and which `ret`s are met from `target` on.
    fn walk(&mut self, target: usize, code: &Code<'_>, scan: &Scan, blocks: &Blocks) {
        self.ends.clear();
        self.stored.clear();
        self.seen.clear();
        self.seen.resize(blocks.nodes.len(), false);
        self.work.clear();
        self.work.extend(blocks.at(target));
        while let Some(node) = self.work.pop() {
            if !std::mem::replace(&mut self.seen[node as usize], true) {
                self.block(node, code, scan, blocks);
            }
        }
    }

    fn block(&mut self, node: u32, code: &Code<'_>, scan: &Scan, blocks: &Blocks) {
        let (start, end) = (blocks.nodes[node as usize].start, blocks.nodes[node as usize].end);
        if start == end {
            self.work.extend(blocks.at(start as usize));
        }
        for row in scan.rows.iter().filter(|row| (u32::from(row.start)..u32::from(row.end)).contains(&start))
        {
            self.work.extend(blocks.catch_at(row.handler));
        }
        let mut at = start as usize;
        while at < end as usize {
            // The scan has decoded everything.
            let Ok(insn) = Insn::at(code.bytes, at) else { return };
            at = insn.next_pc();
            self.stored.extend(insn.astore());
            let control = insn.control();
            if control == ControlKind::Ret {
                self.ends.extend(insn.local().map(|(_, local)| (pc(insn.pc), local)));
            }
            if at >= end as usize && control.falls_through() {
                self.work.extend(blocks.at(at));
            }
            if control != ControlKind::Subroutine {
                self.work.extend(insn.targets().filter_map(|target| blocks.at(target)));
            }
        }
    }

    fn end_the_rest(&mut self, code: &Code<'_>, scan: &Scan) {
        let known = self.pairs.len();
        self.pairs.sort_unstable();
        for insn in code.insns().flatten().filter(|insn| insn.control() == ControlKind::Ret) {
            let ret = pc(insn.pc);
            let from = self.pairs[..known].partition_point(|(pc, _)| *pc < ret);
            let is_known = self.pairs[..known].get(from).is_some_and(|(pc, _)| *pc == ret);
            if !is_known {
                self.pairs.extend(scan.calls.iter().map(|call| (ret, pc(call.back))));
            }
        }
    }
}

/// Code has at most 65,535 bytes.
fn pc(pc: usize) -> u32 {
    u32::try_from(pc).unwrap_or(u32::MAX)
}
