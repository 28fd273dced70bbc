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

mod kept;
mod outcome;
mod patch;
mod refusal;
mod rung;
mod subject;
mod together;

pub use catchment_widening::Illegal;
pub use outcome::{Accepted, Case, Evidence, StretchRequest, Stretched, StretchedClause};
pub use patch::{Patch, PatchedFile};
pub use refusal::Refusal;

use crate::check::{self, CheckError, checked, experiment};
use crate::progress::Progress;
use crate::session::{LabError, Session};
use crate::slot::{Slot, work_off};
use crate::trial::engine::Trials;
use catchment_build::{RunConfiguration, module_path};
use catchment_verdicts::{CheckedPair, PureResilience, SourceIndependence, judge};
use catchment_widening::{
    Hierarchy, LoadableClasses, could_go_to_exception, newly_catches_all_unchecked, rungs,
};
use rung::RungQuestion;
use std::collections::VecDeque;
use std::path::Path;
use subject::Subject;

/// The reason why nothing was stretched, in one line.
#[derive(Debug, thiserror::Error)]
pub enum StretchError {
    #[error(transparent)]
    Check(#[from] CheckError),
    #[error(
        "--to {0}: no exception of this name is on the class path of the tests (java.io.IOException in full; only names of java.lang may be short)"
    )]
    UnknownType(String),
    #[error(
        "--to Throwable: a clause for exceptions is not made one for errors; java.lang.Exception is the widest"
    )]
    TooWide,
    #[error(
        "a patch has to be compiled and tested by the project's own build, and there is none (no Maven or Gradle): leave out --diff and --apply"
    )]
    NoBuildToPatch,
}

/// Checks the project, then tries to stretch its clauses.
pub fn stretch(
    request: &StretchRequest,
    progress: &mut (dyn Progress + Send),
) -> Result<Stretched, StretchError> {
    let has_build = request.check.session.project.class_paths.is_none();
    if request.patch && !has_build {
        return Err(StretchError::NoBuildToPatch);
    }
    let session = check::open(&request.check.session, progress)?;
    // A wish that cannot be granted is told before any experiment.
    let classes = loadable_classes(&session.project.configurations);
    let hierarchy = Hierarchy::of(&classes);
    let to = request.to.as_deref().map(|to| wanted_type(to, &hierarchy)).transpose()?;
    let stretched =
        stretch_in(&session, request, hierarchy, to).map_err(|error| error.explained(&session))?;
    Ok(Stretched { checked: checked(&session), can_patch: has_build, ..stretched })
}

/// Everything on the class paths and in the JDKs of the tests.
fn loadable_classes(configurations: &[RunConfiguration]) -> LoadableClasses {
    let class_paths = configurations.iter().flat_map(|tests| tests.class_path.iter().cloned());
    let modules = configurations.iter().flat_map(|tests| module_path(&tests.jvm_arguments));
    let own = configurations.iter().flat_map(|tests| tests.application.iter().cloned());
    let javas: Vec<&Path> = configurations.iter().map(|tests| tests.java.as_path()).collect();
    LoadableClasses::of(class_paths.chain(modules).chain(own), &javas)
}

fn wanted_type(to: &str, hierarchy: &Hierarchy<'_>) -> Result<String, StretchError> {
    let named = hierarchy.named(to).ok_or_else(|| StretchError::UnknownType(to.to_owned()))?;
    // A clause for exceptions is none for errors.
    if named == "java.lang.Throwable" { Err(StretchError::TooWide) } else { Ok(named) }
}

/// Everything but the results of the check.
fn stretch_in<'p>(
    session: &'p Session<'p>,
    request: &StretchRequest,
    hierarchy: Hierarchy<'p>,
    to: Option<String>,
) -> Result<Stretched, CheckError> {
    let mut slots = session.slots()?;
    let baseline = check::baseline(session, &mut slots)?;
    let trials = Trials { session, baseline: &baseline };
    experiment(&request.check, trials, &mut slots)?;
    let stretching = Stretching { trials, hierarchy, to };
    let mut candidates = stretching.try_each(&mut slots)?;
    let mut together = match stretching.try_together(&mut slots[0], &mut candidates) {
        Err(LabError::OutOfTime) => false,
        together => together?,
    };
    let mut patch = None;
    if request.patch && together {
        let project = &request.check.session.project;
        (together, patch) = match stretching.make_patch(&mut slots[0], project, &mut candidates) {
            Err(LabError::OutOfTime) => (false, None),
            made => made?,
        };
    }
    let clauses = candidates.into_iter().map(|candidate| candidate.clause).collect();
    Ok(Stretched { clauses, together, patch, ..Stretched::default() })
}

/// A clause with what it takes to try it.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub(crate) clause: StretchedClause,
    /// There unless its class cannot be had.
    pub(crate) subject: Option<Subject>,
    /// The clause is a candidate for its pure resilience.
    is_resilient: bool,
    /// Wider types that were not tried yet, widest first.
    untried: VecDeque<String>,
    /// The type that was accepted before another clause took this one in.
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

pub(crate) struct Stretching<'a, 'p> {
    trials: Trials<'a, 'p>,
    hierarchy: Hierarchy<'p>,
    to: Option<String>,
}

impl Stretching<'_, '_> {
    /// Every candidate by itself.
    fn try_each(&self, slots: &mut [Slot<'_>]) -> Result<Vec<Candidate>, LabError> {
        let session = self.trials.session;
        let positions = self.candidates();
        session.reporter.phase("catches that may catch more", Some(positions.len() as u64));
        let (mut tried, left) =
            work_off(session, slots, positions, |slot, position| match self.try_one(slot, position) {
                Err(LabError::OutOfTime) => Ok(Candidate::new(position).refused(Refusal::OutOfTime)),
                tried => tried,
            })?;
        if session.is_interrupted() {
            return Err(LabError::Interrupted);
        }
        let not_tried = |position| Candidate::new(position).refused(Refusal::OutOfTime);
        tried.extend(left.into_iter().map(not_tried));
        tried.sort_by_key(|candidate| candidate.clause.pair);
        Ok(tried)
    }

    /// Positions of the pairs that are source-independent or purely resilient.
    fn candidates(&self) -> Vec<usize> {
        let ledger = self.trials.session.ledger();
        let checked = &ledger.checked;
        let is_candidate = |pair: &CheckedPair| {
            let verdicts = judge(pair, &checked.tests);
            verdicts.source_independence.verdict == SourceIndependence::Independent
                || verdicts.pure_resilience.verdict == PureResilience::Resilient
        };
        let pairs = checked.pairs.iter().enumerate().filter(|(_, pair)| !pair.left_out && is_candidate(pair));
        pairs.map(|(position, _)| position).collect()
    }

    fn try_one(&self, slot: &mut Slot<'_>, position: usize) -> Result<Candidate, LabError> {
        let mut candidate = Candidate::new(position);
        let pair = {
            let ledger = self.trials.session.ledger();
            let pair = ledger.checked.pairs[position].clone();
            let verdicts = judge(&pair, &ledger.checked.tests);
            candidate.is_resilient = verdicts.pure_resilience.verdict == PureResilience::Resilient;
            pair
        };
        let number = self.trials.session.number_of(position);
        match Subject::find(&self.trials.session.project, number, &pair) {
            Ok(subject) => candidate.subject = Some(subject),
            Err(refusal) => return Ok(candidate.refused(refusal)),
        }
        let before =
            candidate.subject.as_ref().map(|subject| subject.clause.caught_before()).unwrap_or_default();
        candidate.untried = rungs(&pair.clause.types, &before, self.to.as_deref(), &self.hierarchy).into();
        if candidate.untried.is_empty() {
            let on_request = self.to.is_none() && could_go_to_exception(&pair.clause.types, &self.hierarchy);
            return Ok(candidate.refused(Refusal::NoWiderType { on_request }));
        }
        self.try_next(slot, &mut candidate)?;
        Ok(candidate)
    }

    /// Tries the types that are left, widest first, until one holds.
    fn try_next(&self, slot: &mut Slot<'_>, candidate: &mut Candidate) -> Result<(), LabError> {
        let Candidate { clause, subject: Some(subject), is_resilient, untried, .. } = candidate else {
            return Ok(());
        };
        self.trials.observe_evidence(slot, clause.pair)?;
        let pair = &self.trials.session.ledger().checked.pairs[clause.pair].clone();
        while let Some(rung) = untried.pop_front() {
            let question =
                RungQuestion { trials: self.trials, subject, pair, rung: &rung, is_resilient: *is_resilient };
            match self.try_rung(slot, &question)? {
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
        question: &RungQuestion<'_, '_, '_>,
    ) -> Result<Result<Accepted, Refusal>, LabError> {
        let RungQuestion { subject, pair, rung, .. } = *question;
        if let Some(refusal) = subject.refused(rung, &self.hierarchy) {
            return Ok(Err(refusal));
        }
        let later = subject.clause.later(rung, &self.hierarchy);
        let accepted = |evidence| Accepted {
            to: rung.to_owned(),
            evidence,
            catches_all_unchecked: newly_catches_all_unchecked(
                &pair.clause.types,
                &subject.clause.caught_before(),
                rung,
                &self.hierarchy,
            ),
            takes_from: later.takes_from,
            swallows: subject.clause.swallowed(rung, &self.hierarchy),
            merges: self.positions(&later.merged),
        };
        Ok(question.run(slot)?.map(accepted))
    }

    /// Of the pairs with these ids.
    fn positions(&self, ids: &[String]) -> Vec<usize> {
        let ledger = self.trials.session.ledger();
        let pairs = &ledger.checked.pairs;
        ids.iter().filter_map(|id| pairs.iter().position(|pair| pair.clause.id == *id)).collect()
    }
}
