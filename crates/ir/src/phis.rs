//! The sources of phis, and which phis are worth keeping.
//!
//! A phi of one source besides itself is that source. A phi that no statement uses, be it through other phis, is
//! nothing.

use crate::blocks::{NONE, small};

use crate::error::{Failure, Fault};
use crate::fill::Fill;
use crate::graph::Graph;
use crate::values::{Cell, UNUSABLE, Values};
use std::ops::Range;

/// Sources of all phis of a method together.
const MAX_SOURCES: usize = 8_000_000;

/// After so many rounds what could still be replaced is kept; it does no harm. Loops nested as deep need as many.
const MAX_ROUNDS: usize = 64;

/// The memory is used again for the next method.
#[derive(Debug, Default)]
pub(crate) struct Phis {
    sources: Vec<u32>,
    /// Of each phi.
    ranges: Vec<Range<u32>>,
    /// By variable: what stands for it.
    stands: Vec<u32>,
    /// By variable: its phi.
    phi_of: Vec<u32>,
    used: Vec<bool>,
    work: Vec<u32>,
    /// Used phis by block.
    pub(crate) kept: Vec<(u32, u32)>,
}

impl Phis {
    pub(crate) fn run(&mut self, graph: &Graph, fill: &Fill, values: &mut Values) -> Result<(), Failure> {
        self.find_sources(graph, fill, values)?;
        self.replace_trivial(values);
        self.find_used(fill, values);
        Ok(())
    }

    /// The replacement of a variable.
    #[inline]
    pub(crate) fn stand_in(&self, variable: u32) -> u32 {
        let mut at = variable;
        loop {
            match self.stands.get(at as usize) {
                Some(next) if *next != at => at = *next,
                _ => return at,
            }
        }
    }

    /// The variables that meet in a phi.
    pub(crate) fn sources(&self, phi: u32) -> &[u32] {
        let range = self.ranges.get(phi as usize).cloned().unwrap_or_default();
        self.sources.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    fn find_sources(&mut self, graph: &Graph, fill: &Fill, values: &mut Values) -> Result<(), Failure> {
        self.sources.clear();
        self.ranges.clear();
        // Asking for the value of a local may make further phis.
        let mut index = 0;
        while let Some(phi) = values.phis.get(index).copied() {
            let first = self.sources.len();
            for from in graph.predecessors(phi.block) {
                match phi.cell {
                    Cell::Local(local) => values.on_edge(graph, *from, phi.block, local, &mut self.sources),
                    Cell::Stack(slot) => self.sources.push(fill.left_at(*from, slot)),
                }
            }
            if let (0, Cell::Local(local)) = (phi.block, phi.cell) {
                self.sources.push(values.initial(local));
            }
            self.tidy_sources(first, phi.variable);
            self.ranges.push(small(first)..small(self.sources.len()));
            if self.sources.len() > MAX_SOURCES {
                return Err(Failure::at(0, Fault::TooLarge));
            }
            index += 1;
        }
        Ok(())
    }

    /// Each source once, without the phi itself and without what cannot be read.
    fn tidy_sources(&mut self, first: usize, own: u32) {
        let mut kept = first;
        if self.sources.len() - first > 16 {
            self.sources[first..].sort_unstable();
        }
        for index in first..self.sources.len() {
            let source = self.sources[index];
            let near = &self.sources[first.max(kept.saturating_sub(16))..kept];
            if source != own && source != UNUSABLE && !near.contains(&source) {
                self.sources[kept] = source;
                kept += 1;
            }
        }
        self.sources.truncate(kept);
    }

    fn replace_trivial(&mut self, values: &Values) {
        self.stands.clear();
        self.stands.extend(0..values.variables);
        for _ in 0..MAX_ROUNDS {
            let mut changed = false;
            for (phi, range) in values.phis.iter().zip(&self.ranges) {
                if self.stands[phi.variable as usize] == phi.variable
                    && let Some(only) = self.only_source(phi.variable, range)
                {
                    self.stands[phi.variable as usize] = only;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        // Chains are made short once, for all that ask from now on.
        for phi in &values.phis {
            self.stands[phi.variable as usize] = self.stand_in(phi.variable);
        }
    }

    /// The one variable that all sources are, or [`UNUSABLE`] if there is none.
    fn only_source(&self, own: u32, range: &Range<u32>) -> Option<u32> {
        let mut only = UNUSABLE;
        for source in &self.sources[range.start as usize..range.end as usize] {
            let source = self.stand_in(*source);
            if source != own && source != UNUSABLE && source != only {
                if only != UNUSABLE {
                    return None;
                }
                only = source;
            }
        }
        Some(only)
    }

    fn find_used(&mut self, fill: &Fill, values: &Values) {
        self.phi_of.clear();
        self.phi_of.resize(values.variables as usize, NONE);
        for (index, phi) in (0..).zip(&values.phis) {
            self.phi_of[phi.variable as usize] = index;
        }
        self.used.clear();
        self.used.resize(values.phis.len(), false);
        self.work.clear();
        for statement in &fill.output.statements {
            statement.op.for_each_use(|variable| self.work.push(variable.0));
        }
        self.work.extend(fill.output.operands.iter().flatten().map(|variable| variable.0));
        while let Some(variable) = self.work.pop() {
            let phi = self.phi_of.get(self.stand_in(variable) as usize).copied().unwrap_or(NONE);
            if phi != NONE && !std::mem::replace(&mut self.used[phi as usize], true) {
                let range = self.ranges[phi as usize].clone();
                self.work.extend_from_slice(&self.sources[range.start as usize..range.end as usize]);
            }
        }
        self.kept.clear();
        let phis = (0..).zip(&values.phis).filter(|(index, _)| self.used[*index as usize]);
        self.kept.extend(phis.map(|(index, phi)| (phi.block, index)));
        self.kept.sort_unstable();
    }
}
