//! Which writes to some places can still be seen where control comes to: reaching definitions.

use crate::FlowError;
use crate::method::Method;
use crate::places::Variable;
use crate::solve::DataflowAnalysis;
use catchment_classfile::Insn;
use std::collections::{BTreeMap, BTreeSet};

/// A write to place number `place`, at `pc`; what the method found when it was called has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Write {
    pub(crate) place: usize,
    pub(crate) pc: Option<usize>,
}

/// What some instructions write: numbers of places by pc.
#[derive(Debug, Default)]
pub(crate) struct Written {
    by_pc: BTreeMap<usize, Vec<usize>>,
    /// Per place whether a write to it surely replaces what was there.
    replaces: Vec<bool>,
}

impl Written {
    /// Of all writes in `writes` (pc and place), those to one of `places`.
    pub(crate) fn to(places: &[Variable], writes: &[(usize, Variable)]) -> Self {
        let mut by_pc: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (pc, place) in writes {
            if let Ok(number) = places.binary_search(place) {
                by_pc.entry(*pc).or_default().push(number);
            }
        }
        Self { by_pc, replaces: places.iter().map(Variable::is_one).collect() }
    }

    fn at(&self, insn: &Insn<'_>) -> &[usize] {
        self.by_pc.get(&insn.pc).map(Vec::as_slice).unwrap_or_default()
    }

    fn replaces(&self, place: usize) -> bool {
        self.replaces.get(place).copied().unwrap_or_default()
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
    /// What there is at the start of the method.
    pub(crate) fn at_entry(&self) -> BTreeSet<Write> {
        (0..self.written.replaces.len()).map(|place| Write { place, pc: None }).collect()
    }
}

impl<'a> DataflowAnalysis<'a> for Reaching<'_, '_, 'a> {
    type State = BTreeSet<Write>;

    fn step(&self, insn: &Insn<'a>, state: &mut Self::State) -> Result<bool, FlowError> {
        let places = self.written.at(insn);
        for place in places {
            if self.written.replaces(*place) {
                state.retain(|write| write.place != *place);
            }
            state.insert(Write { place: *place, pc: Some(insn.pc) });
        }
        Ok(!places.is_empty())
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

/// Follows which places may still hold what they held at the start.
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
        let places = self.written.at(insn).iter().filter(|place| self.written.replaces(**place));
        let mut changed = false;
        for place in places {
            if let Some(untouched) = state.get_mut(*place) {
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
