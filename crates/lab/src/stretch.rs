//! `stretch`: clauses that hold wherever their exception comes from may catch more of them.
//!
//! ```text
//! check ──► candidates ──► wider types, widest first: legal? ──► tried on bytecode, each clause alone
//!                                                                        │
//!       patch ◄── the project's own build and tests ◄── sources ◄── all together, the whole suite
//! ```
//!
//! Nothing is compiled until a clause has shown on bytecode that all its tests still pass, with and without an exception of
//! the wider type. The last word has the project's own compiler and test command.

mod apply;
mod blame;
mod bubbling;
mod checked;
#[cfg(test)]
mod checked_tests;
mod copies;
mod culprit;
mod declarations;
mod declared;
mod delta;
mod escapes;
mod falling;
mod hierarchy;
mod interruption;
mod kept;
mod later;
mod misnamed;
mod outcome;
mod patch;
mod refusal;
mod rungs;
mod sources;
mod subject;
mod throwing;
mod together;
mod trial;

pub use outcome::{Accepted, Case, Evidence, StretchRequest, Stretched, StretchedClause};
pub use patch::{Patch, PatchedFile};
pub use refusal::Refusal;

use crate::check::experiments::Experiments;
use crate::check::slot::{Slot, in_parallel};
use crate::check::{CheckError, check_and};
use crate::progress::Progress;
use crate::project::Project;
use catchment_verdicts::{CheckedPair, PureResilience, SourceIndependence, judge};
use hierarchy::Hierarchy;
use rungs::{could_go_to_exception, newly_catches_all_unchecked, rungs};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use subject::Subject;
use trial::Trial;

/// Checks the project, then tries to stretch its clauses.
pub fn stretch(
    request: &StretchRequest,
    progress: &mut (dyn Progress + Send),
) -> Result<Stretched, CheckError> {
    if request.patch && request.check.project.plain.is_some() {
        return Err(CheckError::NoBuildToPatch);
    }
    let prepare = |project: &Project| {
        let hierarchy = Hierarchy::of(&project.configurations);
        let named = |to: &String| hierarchy.named(to).ok_or_else(|| CheckError::UnknownType(to.clone()));
        let to = request.to.as_ref().map(named).transpose()?;
        // A clause for exceptions is none for errors.
        if to.as_deref() == Some("java.lang.Throwable") {
            return Err(CheckError::TooWide);
        }
        Ok((hierarchy, to))
    };
    let then = |(hierarchy, to), experiments: &Experiments<'_, '_>, slots: &mut [Slot<'_>]| {
        let stretching = Stretching { experiments, hierarchy, to };
        let mut candidates = stretching.try_each(slots)?;
        let mut together = stretching.try_together(&mut slots[0], &mut candidates)?;
        let mut patch = None;
        if request.patch && together {
            let project = &request.check.project;
            (together, patch) = stretching.make_patch(&mut slots[0], project, &mut candidates)?;
        }
        Ok((candidates.into_iter().map(|candidate| candidate.clause).collect(), together, patch))
    };
    let (checked, (clauses, together, patch)) = check_and(&request.check, progress, prepare, then)?;
    let can_patch = request.check.project.plain.is_none();
    Ok(Stretched { checked, clauses, together, patch, can_patch })
}

/// A clause with what it takes to try it.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) clause: StretchedClause,
    /// There unless its class cannot be had.
    pub(crate) subject: Option<Subject>,
    /// It is a candidate for its pure resilience.
    is_resilient: bool,
    /// Wider types that were not tried yet, widest first.
    untried: VecDeque<String>,
    /// What was accepted before another clause took this one in.
    set_aside: Option<Accepted>,
}

impl Candidate {
    fn new(pair: usize) -> Self {
        let clause = StretchedClause { pair, refused: Vec::new(), accepted: None };
        Self { clause, subject: None, is_resilient: false, untried: VecDeque::new(), set_aside: None }
    }

    fn refused(mut self, refusal: Refusal) -> Self {
        self.clause.refused.push((None, refusal));
        self
    }
}

pub(crate) struct Stretching<'s, 'a, 'p> {
    experiments: &'s Experiments<'a, 'p>,
    hierarchy: Hierarchy,
    to: Option<String>,
}

impl Stretching<'_, '_, '_> {
    /// Every candidate by itself.
    fn try_each(&self, slots: &mut [Slot<'_>]) -> Result<Vec<Candidate>, CheckError> {
        let shared = self.experiments.shared;
        let positions = self.candidates();
        shared.lab.reporter.phase("catches that may catch more", Some(positions.len() as u64));
        let left = Mutex::new(VecDeque::from(positions));
        let done = Mutex::new(Vec::new());
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        in_parallel(slots, |slot| {
            while !shared.is_over()
                && let Some(position) = next()
            {
                let candidate = self.try_one(slot, position)?;
                done.lock().unwrap_or_else(PoisonError::into_inner).push(candidate);
                shared.lab.reporter.step(1);
            }
            Ok::<_, CheckError>(())
        })?;
        if shared.is_interrupted() {
            return Err(CheckError::Interrupted);
        }
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        let left = left.into_inner().unwrap_or_else(PoisonError::into_inner);
        let not_tried = |position| Candidate::new(position).refused(Refusal::OutOfTime);
        done.extend(left.into_iter().map(not_tried));
        done.sort_by_key(|candidate: &Candidate| candidate.clause.pair);
        Ok(done)
    }

    /// Positions of the pairs that are source-independent or purely resilient.
    fn candidates(&self) -> Vec<usize> {
        let campaign = self.experiments.shared.campaign();
        let checked = &campaign.checked;
        let is_candidate = |pair: &CheckedPair| {
            let verdicts = judge(pair, &checked.tests);
            verdicts.source_independence.verdict == SourceIndependence::Independent
                || verdicts.pure_resilience.verdict == PureResilience::Resilient
        };
        let pairs = checked.pairs.iter().enumerate().filter(|(_, pair)| !pair.left_out && is_candidate(pair));
        pairs.map(|(position, _)| position).collect()
    }

    fn try_one(&self, slot: &mut Slot<'_>, position: usize) -> Result<Candidate, CheckError> {
        let mut candidate = Candidate::new(position);
        let pair = {
            let campaign = self.experiments.shared.campaign();
            let pair = campaign.checked.pairs[position].clone();
            let verdicts = judge(&pair, &campaign.checked.tests);
            candidate.is_resilient = verdicts.pure_resilience.verdict == PureResilience::Resilient;
            pair
        };
        let number = self.experiments.number_of(position);
        match Subject::find(self.experiments.shared.lab.project, number, &pair) {
            Ok(subject) => candidate.subject = Some(subject),
            Err(refusal) => return Ok(candidate.refused(refusal)),
        }
        let before = candidate.subject.as_ref().map(Subject::caught_before).unwrap_or_default();
        candidate.untried = rungs(&pair.types, &before, self.to.as_deref(), &self.hierarchy).into();
        if candidate.untried.is_empty() {
            let on_request = self.to.is_none() && could_go_to_exception(&pair.types, &self.hierarchy);
            return Ok(candidate.refused(Refusal::NoWiderType { on_request }));
        }
        self.try_next(slot, &mut candidate)?;
        Ok(candidate)
    }

    /// Tries the types that are left, widest first, until one holds.
    fn try_next(&self, slot: &mut Slot<'_>, candidate: &mut Candidate) -> Result<(), CheckError> {
        let Candidate { clause, subject: Some(subject), is_resilient, untried, .. } = candidate else {
            return Ok(());
        };
        let pair = &self.experiments.shared.campaign().checked.pairs[clause.pair].clone();
        while let Some(rung) = untried.pop_front() {
            let (experiments, is_resilient) = (self.experiments, *is_resilient);
            let trial = Trial { experiments, subject, pair, rung: &rung, is_resilient };
            match self.try_rung(slot, &trial)? {
                Ok(accepted) => {
                    clause.accepted = Some(accepted);
                    break;
                }
                Err(refusal) => {
                    // What was not found out of a wide type says nothing in favour of a narrower one.
                    if refusal == Refusal::OutOfTime {
                        untried.clear();
                    }
                    clause.refused.push((Some(rung), refusal));
                }
            }
        }
        Ok(())
    }

    fn try_rung(
        &self,
        slot: &mut Slot<'_>,
        trial: &Trial<'_, '_, '_>,
    ) -> Result<Result<Accepted, Refusal>, CheckError> {
        let Trial { subject, pair, rung, .. } = *trial;
        if let Some(refusal) = subject.illegal(rung, &self.hierarchy) {
            return Ok(Err(refusal));
        }
        let later = subject.later(rung, &self.hierarchy);
        let accepted = |evidence| Accepted {
            to: rung.to_owned(),
            evidence,
            catches_all_unchecked: newly_catches_all_unchecked(
                &pair.types,
                &subject.caught_before(),
                rung,
                &self.hierarchy,
            ),
            takes_from: later.takes_from,
            swallows: subject.swallowed(rung, &self.hierarchy),
            merges: self.positions(&later.merged),
        };
        Ok(trial.run(slot)?.map(accepted))
    }

    /// Of the pairs with these ids.
    fn positions(&self, ids: &[String]) -> Vec<usize> {
        let campaign = self.experiments.shared.campaign();
        let pairs = &campaign.checked.pairs;
        ids.iter().filter_map(|id| pairs.iter().position(|pair| pair.id == *id)).collect()
    }
}
