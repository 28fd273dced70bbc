//! Reaching definitions: the writes to some variables that can still be seen where control comes to.

use crate::FlowError;
use crate::method::Method;
use crate::solve::DataflowAnalysis;
use crate::variables::Variable;
use catchment_classfile::Insn;
use std::collections::{BTreeMap, BTreeSet};

/// A write to variable number `variable`, at `pc`; the value that the method found when it was called has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Write {
    pub(crate) variable: usize,
    pub(crate) pc: Option<usize>,
}

/// The variables that some instructions write: their numbers by pc.
#[derive(Debug, Default)]
pub(crate) struct Written {
    by_pc: BTreeMap<usize, Vec<usize>>,
    /// Per variable whether a write to it surely replaces its old value.
    replaces: Vec<bool>,
}

impl Written {
    /// Of all writes in `writes` (pc and variable), those to one of `variables`.
    pub(crate) fn to(variables: &[Variable], writes: &[(usize, Variable)]) -> Self {
        let mut by_pc: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (pc, variable) in writes {
            if let Ok(number) = variables.binary_search(variable) {
                by_pc.entry(*pc).or_default().push(number);
            }
        }
        Self { by_pc, replaces: variables.iter().map(Variable::is_one).collect() }
    }

    fn at(&self, insn: &Insn<'_>) -> &[usize] {
        self.by_pc.get(&insn.pc).map(Vec::as_slice).unwrap_or_default()
    }

    fn replaces(&self, variable: usize) -> bool {
        self.replaces.get(variable).copied().unwrap_or_default()
    }
}

/// Follows writes forward.
#[derive(Debug)]
pub(crate) struct Reaching<'m, 'c, 'a> {
    pub(crate) method: &'m Method<'c, 'a>,
    pub(crate) written: &'m Written,
    /// Accesses to fields that cannot throw, by pc.
    pub(crate) harmless: &'m BTreeSet<usize>,
}

impl Reaching<'_, '_, '_> {
    /// The writes at the start of the method.
    pub(crate) fn at_entry(&self) -> BTreeSet<Write> {
        (0..self.written.replaces.len()).map(|variable| Write { variable, pc: None }).collect()
    }
}

impl<'a> DataflowAnalysis<'a> for Reaching<'_, '_, 'a> {
    type State = BTreeSet<Write>;

    fn step(&self, insn: &Insn<'a>, state: &mut Self::State) -> Result<bool, FlowError> {
        let variables = self.written.at(insn);
        for variable in variables {
            if self.written.replaces(*variable) {
                state.retain(|write| write.variable != *variable);
            }
            state.insert(Write { variable: *variable, pc: Some(insn.pc) });
        }
        Ok(!variables.is_empty())
    }

    fn may_throw(&self, insn: &Insn<'a>) -> bool {
        insn.can_throw(&self.method.class.pool) && !self.harmless.contains(&insn.pc)
    }

    fn caught(&self, _: usize, before: &Self::State) -> Self::State {
        before.clone()
    }

    fn join(&self, _: usize, state: &mut Self::State, other: &Self::State) -> Result<bool, FlowError> {
        let before = state.len();
        state.extend(other);
        Ok(state.len() > before)
    }
}

/// Follows the variables that may still hold the value that they held at the start.
#[derive(Debug)]
pub(crate) struct Untouched<'m, 'c, 'a> {
    pub(crate) method: &'m Method<'c, 'a>,
    pub(crate) written: &'m Written,
    /// Accesses to fields that cannot throw, by pc.
    pub(crate) harmless: &'m BTreeSet<usize>,
}

impl<'a> DataflowAnalysis<'a> for Untouched<'_, '_, 'a> {
    type State = Vec<bool>;

    fn step(&self, insn: &Insn<'a>, state: &mut Self::State) -> Result<bool, FlowError> {
        let variables = self.written.at(insn).iter().filter(|variable| self.written.replaces(**variable));
        let mut changed = false;
        for variable in variables {
            if let Some(untouched) = state.get_mut(*variable) {
                changed |= std::mem::take(untouched);
            }
        }
        Ok(changed)
    }

    fn may_throw(&self, insn: &Insn<'a>) -> bool {
        insn.can_throw(&self.method.class.pool) && !self.harmless.contains(&insn.pc)
    }

    fn caught(&self, _: usize, before: &Self::State) -> Self::State {
        before.clone()
    }

    fn join(&self, _: usize, state: &mut Self::State, other: &Self::State) -> Result<bool, FlowError> {
        let mut news = false;
        for (untouched, other) in state.iter_mut().zip(other) {
            news |= *other && !*untouched;
            *untouched |= *other;
        }
        Ok(news)
    }
}
