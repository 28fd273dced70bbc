//! One work list for every question that is answered by following control to a fixed point.

use crate::FlowError;
use crate::method::Method;
use catchment_classfile::Insn;
use std::collections::BTreeSet;

/// Instructions that are gone through before a method counts as too large; ordinary ones are passed a few times each.
const MAX_STEPS: usize = 4_000_000;

/// A state in front of each instruction, and the way instructions change it.
///
/// States form a lattice of finite height and [`Self::join`] only climbs it, so that every method comes to an end.
pub(crate) trait DataflowAnalysis<'a> {
    type State: Clone;

    /// The state behind `insn`. True if a handler would see the difference.
    fn step(&self, insn: &Insn<'a>, state: &mut Self::State) -> Result<bool, FlowError>;

    /// True if what `insn` throws counts.
    fn may_throw(&self, insn: &Insn<'a>) -> bool;

    /// The state at the handler at `handler` when an instruction throws that has `before` in front of it.
    fn caught(&self, handler: usize, before: &Self::State) -> Self::State;

    /// Adds what is known from elsewhere to the state at `pc`. True if that is news.
    fn join(&self, pc: usize, state: &mut Self::State, other: &Self::State) -> Result<bool, FlowError>;
}

/// The states in front of the blocks that control comes to.
#[derive(Debug)]
pub(crate) struct Solution<S> {
    states: Vec<Option<S>>,
}

/// Follows control from the block `from` on, which finds `initial`.
pub(crate) fn solve<'a, A: DataflowAnalysis<'a>>(
    method: &Method<'_, 'a>,
    analysis: &A,
    from: usize,
    initial: A::State,
) -> Result<Solution<A::State>, FlowError> {
    let mut solver =
        Solver { method, analysis, states: vec![None; method.blocks.len()], work: BTreeSet::new() };
    solver.flow(from, &initial)?;
    let mut steps = 0;
    while let Some(block) = solver.work.pop_first() {
        steps += method.blocks.insns(block).len();
        if steps > MAX_STEPS {
            return Err(FlowError::TooLarge);
        }
        solver.pass(block)?;
    }
    Ok(Solution { states: solver.states })
}

impl<S: Clone> Solution<S> {
    /// The state in front of a block; `None` if control does not come there.
    pub(crate) fn at_block(&self, block: usize) -> Option<&S> {
        self.states.get(block)?.as_ref()
    }

    /// Shows each instruction that control comes to, by pc, with the state in front of it.
    pub(crate) fn visit<'a, A: DataflowAnalysis<'a, State = S>>(
        &self,
        method: &Method<'_, 'a>,
        analysis: &A,
        see: &mut dyn FnMut(&Insn<'a>, &S) -> Result<(), FlowError>,
    ) -> Result<(), FlowError> {
        for (block, state) in self.states.iter().enumerate() {
            let Some(mut state) = state.clone() else { continue };
            for insn in method.insns_of(block) {
                see(&insn, &state)?;
                analysis.step(&insn, &mut state)?;
            }
        }
        Ok(())
    }
}

struct Solver<'s, 'c, 'a, A: DataflowAnalysis<'a>> {
    method: &'s Method<'c, 'a>,
    analysis: &'s A,
    states: Vec<Option<A::State>>,
    /// The lowest pc first: most code flows downwards.
    work: BTreeSet<usize>,
}

impl<'a, A: DataflowAnalysis<'a>> Solver<'_, '_, 'a, A> {
    fn pass(&mut self, block: usize) -> Result<(), FlowError> {
        let method = self.method;
        let Some(mut state) = self.states.get(block).cloned().flatten() else { return Ok(()) };
        let mut handlers_know = false;
        for insn in method.insns_of(block) {
            if !handlers_know && self.analysis.may_throw(&insn) {
                for handler in method.blocks.handlers(block) {
                    let caught = self.analysis.caught(method.start_of(handler), &state);
                    self.flow(handler, &caught)?;
                }
                handlers_know = true;
            }
            handlers_know &= !self.analysis.step(&insn, &mut state)?;
        }
        method.blocks.successors(block).try_for_each(|next| self.flow(next, &state))
    }

    fn flow(&mut self, block: usize, state: &A::State) -> Result<(), FlowError> {
        let news = match self.states.get_mut(block) {
            Some(Some(known)) => self.analysis.join(self.method.start_of(block), known, state)?,
            Some(unknown) => {
                *unknown = Some(state.clone());
                true
            }
            None => false,
        };
        if news {
            self.work.insert(block);
        }
        Ok(())
    }
}
