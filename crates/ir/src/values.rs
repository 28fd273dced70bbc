//! References that locals hold where control enters a block; phis are made where several meet, and only if needed.
//!
//! A local that is written once in the whole method, by a parameter or an instruction, needs no phi: what is read was
//! written there. The others are looked up as Braun et al. do it ("Simple and efficient construction of static single
//! assignment form", 2013): a block knows what it has written, else its predecessors do. What the sources of a phi
//! are is asked when all blocks are done.

use crate::blocks::{NONE, small};
use crate::descriptor::Shape;
use crate::error::Fault;
use crate::graph::Graph;
use crate::scan::Scan;
use std::ops::Range;

/// A number, a return address or nothing at all, where a reference could be.
pub(crate) const UNUSABLE: u32 = NONE - 1;

/// Blocks times locals for which a table is kept.
const MAX_TABLE: usize = 16_000_000;

/// A place whose values meet in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    /// A local that is written several times, by its number among those.
    Local(u32),
    /// The slot this far above the bottom of the stack.
    Stack(u32),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Phi {
    pub(crate) variable: u32,
    pub(crate) block: u32,
    pub(crate) cell: Cell,
}

/// How a local is looked up.
#[derive(Debug, Clone, Copy)]
enum Local {
    /// Written once: this, as soon as the instruction was seen.
    Once(u32),
    Several(u32),
}

/// The memory is used again for the next method.
#[derive(Debug, Default)]
pub(crate) struct Values {
    pub(crate) variables: u32,
    pub(crate) phis: Vec<Phi>,
    locals: Vec<Local>,
    several: u32,
    /// Of locals written several times: what the method begins with.
    initial: Vec<u32>,
    /// Block by block: what such locals hold at its end, as far as is known.
    table: Vec<u32>,
    /// In guarded blocks: what written locals held when something could be thrown.
    exposed: Vec<(u32, u32)>,
    /// Of each block.
    exposed_in: Vec<Range<u32>>,
    /// Written in the block at hand since something could be thrown.
    pending: Vec<(u32, u32)>,
}

impl Values {
    /// Begins anew; gives the variables of the parameters.
    pub(crate) fn begin(
        &mut self,
        parameters: &[Shape],
        scan: &Scan,
        graph: &Graph,
    ) -> Result<Vec<Option<crate::Var>>, Fault> {
        self.phis.clear();
        self.exposed.clear();
        self.pending.clear();
        self.exposed_in.clear();
        self.exposed_in.resize(graph.nodes.len(), 0..0);
        self.number_locals(scan);
        let variables = self.begin_parameters(parameters);
        let entries = graph.nodes.len().saturating_mul(self.several as usize);
        if entries > MAX_TABLE {
            return Err(Fault::TooLarge);
        }
        self.table.clear();
        self.table.resize(entries, NONE);
        if graph.predecessors(0).is_empty() {
            self.table[..self.initial.len()].copy_from_slice(&self.initial);
        }
        Ok(variables)
    }

    fn number_locals(&mut self, scan: &Scan) {
        // Subroutines bring ways that are never gone, on which what was written once may not yet be.
        let limit = if scan.calls.is_empty() { 1 } else { 0 };
        self.locals.clear();
        self.several = 0;
        for writes in &scan.writes {
            self.locals.push(if *writes <= limit { Local::Once(NONE) } else { Local::Several(self.several) });
            self.several += u32::from(*writes > limit);
        }
        self.initial.clear();
        self.initial.resize(self.several as usize, UNUSABLE);
    }

    fn begin_parameters(&mut self, parameters: &[Shape]) -> Vec<Option<crate::Var>> {
        self.variables = 0;
        let mut slot = 0;
        let variables = parameters.iter().map(|shape| {
            let local = self.locals.get_mut(slot);
            slot += shape.slots();
            if *shape != Shape::Reference {
                return None;
            }
            let variable = self.variables;
            self.variables += 1;
            match local {
                Some(Local::Once(value)) => *value = variable,
                Some(Local::Several(local)) => self.initial[*local as usize] = variable,
                None => {}
            }
            Some(crate::Var(variable))
        });
        variables.collect()
    }

    #[inline]
    pub(crate) fn new_variable(&mut self) -> u32 {
        self.variables += 1;
        self.variables - 1
    }

    pub(crate) fn new_phi(&mut self, block: u32, cell: Cell) -> u32 {
        let variable = self.new_variable();
        self.phis.push(Phi { variable, block, cell });
        variable
    }

    /// The reference that a local holds now, in the block at hand.
    #[inline]
    pub(crate) fn load(&mut self, graph: &Graph, block: u32, slot: u16) -> Result<u32, Fault> {
        match self.locals.get(usize::from(slot)) {
            Some(Local::Once(value)) if *value < UNUSABLE => Ok(*value),
            Some(Local::Several(local)) => match self.at_end(graph, block, *local) {
                UNUSABLE => Err(Fault::NotAReference),
                value => Ok(value),
            },
            Some(_) => Err(Fault::NotAReference),
            None => Err(Fault::NoLocal(usize::from(slot))),
        }
    }

    #[inline]
    pub(crate) fn store(&mut self, graph: &Graph, block: u32, slot: usize, value: u32) -> Result<(), Fault> {
        match self.locals.get_mut(slot) {
            Some(Local::Once(once)) => *once = value,
            Some(Local::Several(local)) => {
                let local = *local;
                if graph.is_guarded(block) {
                    self.expose_old(graph, block, local, value);
                }
                let entry = self.entry(block, local);
                self.table[entry] = value;
            }
            None => return Err(Fault::NoLocal(slot)),
        }
        Ok(())
    }

    /// A handler of an exception that is thrown before the store sees the value that was there before.
    fn expose_old(&mut self, graph: &Graph, block: u32, local: u32, value: u32) {
        let range = self.exposed_in[block as usize].clone();
        if let Some(pending) = self.pending.iter_mut().find(|it| it.0 == local) {
            pending.1 = value;
            return;
        }
        let has_thrown = !range.is_empty();
        let is_known = has_thrown && self.exposed[range.start as usize..].iter().any(|it| it.0 == local);
        if has_thrown && !is_known {
            let old = self.at_end(graph, block, local);
            self.expose(block, local, old);
        }
        self.pending.push((local, value));
    }

    fn expose(&mut self, block: u32, local: u32, value: u32) {
        self.exposed.push((local, value));
        self.exposed_in[block as usize].end = small(self.exposed.len());
    }

    /// In a guarded block: something can be thrown here.
    pub(crate) fn throws(&mut self, block: u32) {
        let range = &mut self.exposed_in[block as usize];
        if range.start == range.end {
            // A mark that something was thrown; no local has this number.
            *range = small(self.exposed.len())..small(self.exposed.len());
            self.expose(block, NONE, UNUSABLE);
        }
        if !self.pending.is_empty() {
            self.exposed.append(&mut self.pending);
            self.exposed_in[block as usize].end = small(self.exposed.len());
        }
    }

    /// The block at hand ends.
    pub(crate) fn end_block(&mut self) {
        self.pending.clear();
    }

    fn entry(&self, block: u32, local: u32) -> usize {
        block as usize * self.several as usize + local as usize
    }

    /// The reference that a local holds at the end of a block, as far as that is known.
    pub(crate) fn at_end(&mut self, graph: &Graph, block: u32, local: u32) -> u32 {
        let mut at = block;
        let value = loop {
            let known = self.table[self.entry(at, local)];
            if known != NONE {
                break known;
            }
            match graph.only_predecessor(at) {
                Some(before) => at = before,
                None => break self.new_phi(at, Cell::Local(local)),
            }
        };
        let mut again = block;
        loop {
            let entry = self.entry(again, local);
            self.table[entry] = value;
            match graph.only_predecessor(again) {
                Some(before) if again != at => again = before,
                _ => return value,
            }
        }
    }

    /// Calls `with` for what a local may hold when control comes to `to` from its predecessor `from`.
    pub(crate) fn on_edge(&mut self, graph: &Graph, from: u32, to: u32, local: u32, with: &mut Vec<u32>) {
        if graph.is_catch(to) {
            let range = self.exposed_in[from as usize].clone();
            let exposed = &self.exposed[range.start as usize..range.end as usize];
            let before = with.len();
            with.extend(exposed.iter().filter(|it| it.0 == local).map(|it| it.1));
            if with.len() > before {
                return;
            }
        }
        with.push(self.at_end(graph, from, local));
    }

    /// The reference that such a local holds when the method begins.
    pub(crate) fn initial(&self, local: u32) -> u32 {
        self.initial.get(local as usize).copied().unwrap_or(UNUSABLE)
    }
}
