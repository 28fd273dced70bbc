//! The reason for a source dependence: the place that the exception comes from, or the object itself.
//!
//! A test may fail when an exception comes at the start of the try because the clause, or what follows, relies on what
//! the try did before, or because the test wants the very object: its class, its message, its identity. Two runs tell.
//! In one each execution of the try is given, at its start, a copy of what it was seen to catch. In the other, the
//! control run, the try works as it does, and the clause is given that copy for what it has caught.
//!
//! | copy at the start | copy at the catch | the test shows a dependence on |
//! | --- | --- | --- |
//! | fails | passes | the place |
//! | any | fails | the object |
//! | passes | any | the object |
//! | otherwise | | undecided |

use crate::experiment::{ExperimentResult, Mode};
use crate::judge::{Judgement, SourceIndependence, is_timeout};
use crate::project::{CheckedPair, TestId};
use std::collections::BTreeSet;

/// The reason why a clause is source-dependent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dependence {
    /// A test shows that the clause, or what follows, relies on what the try did before the exception.
    Place,
    /// Every test that decided wants something of the exception object itself.
    Object,
    Undecided,
}

impl Dependence {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Place => "place",
            Self::Object => "object",
            Self::Undecided => "undecided",
        }
    }
}

/// The reason for a source dependence with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependenceJudgement {
    pub on: Dependence,
    /// Positions in [`CheckedPair::experiments`] of the failures with a copy at the start that show the place.
    pub evidence: Vec<usize>,
    /// All failures are timeouts.
    pub only_timeouts: bool,
}

/// `None` unless the clause is source-dependent.
pub(crate) fn judge_dependence(
    pair: &CheckedPair,
    source: &Judgement<SourceIndependence>,
) -> Option<DependenceJudgement> {
    if source.verdict != SourceIndependence::Dependent {
        return None;
    }
    let deciding = deciding_tests(pair, source);
    let shown: Vec<_> = deciding.iter().map(|test| shown_by(pair, *test)).collect();
    let starts = deciding.iter().zip(&shown).filter(|(_, on)| **on == Dependence::Place);
    let evidence: Vec<usize> =
        starts.filter_map(|(test, _)| Some(run(pair, *test, Mode::CopyAtStart)?.0)).collect();
    let on = if !evidence.is_empty() {
        Dependence::Place
    } else if shown.iter().all(|on| *on == Dependence::Object) {
        Dependence::Object
    } else {
        Dependence::Undecided
    };
    let only_timeouts = !evidence.is_empty() && evidence.iter().all(|&number| is_timeout(pair, number));
    Some(DependenceJudgement { on, evidence, only_timeouts })
}

/// The tests whose failures decide that the clause is source-dependent.
fn deciding_tests(pair: &CheckedPair, source: &Judgement<SourceIndependence>) -> BTreeSet<TestId> {
    source.evidence.iter().filter_map(|&number| Some(pair.experiments.get(number)?.test)).collect()
}

/// Tells whether the test has been asked for the reason and does not show the place.
pub(crate) fn is_asked_in_vain(pair: &CheckedPair, test: TestId) -> bool {
    let has_answer = |mode| run(pair, test, mode).is_some();
    let is_answered = has_answer(Mode::CopyAtCatch)
        || has_answer(Mode::CopyAtStart)
        || pair.without_copies.iter().any(|(without, _)| *without == test);
    is_answered && shown_by(pair, test) != Dependence::Place
}

fn shown_by(pair: &CheckedPair, test: TestId) -> Dependence {
    let run = |mode| run(pair, test, mode).map(|(_, experiment)| experiment);
    let (start, catch) = (run(Mode::CopyAtStart), run(Mode::CopyAtCatch));
    let passes = |run: Option<&ExperimentResult>| run.is_some_and(ExperimentResult::is_pass);
    // No finding rests on a failure of the control run, so a warm worker's word is enough for it.
    let control_fails = catch.is_some_and(ExperimentResult::is_failure);
    if control_fails || passes(start) {
        Dependence::Object
    } else if start.is_some_and(ExperimentResult::is_confirmed_failure) && passes(catch) {
        Dependence::Place
    } else {
        Dependence::Undecided
    }
}

fn run(pair: &CheckedPair, test: TestId, mode: Mode) -> Option<(usize, &ExperimentResult)> {
    let mut numbered = pair.experiments.iter().enumerate();
    numbered.find(|(_, experiment)| experiment.test == test && experiment.mode == mode)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Failure, FailureKind, NoOutcome, Outcome};
    use crate::judge::judge;
    use crate::project::{CheckedTest, ColourCounts, ExecutingTest};
    use catchment_pairs::ClauseDescription;

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Run {
        Passes,
        Fails,
        /// Failed once, not confirmed.
        Unconfirmed,
        /// Different outcomes.
        Unstable,
        /// No copy could be made.
        Silent,
        Missing,
    }

    fn experiment(test: u32, mode: Mode, run: Run) -> Option<ExperimentResult> {
        let failure = Outcome::Fail(Failure { kind: FailureKind::Assertion, text: "no".into() });
        let outcome = match run {
            Run::Missing => return None,
            Run::Passes => Outcome::Pass,
            Run::Fails | Run::Unconfirmed | Run::Unstable => failure,
            Run::Silent => Outcome::None(NoOutcome::NotConstructible("no sample".into())),
        };
        Some(ExperimentResult {
            mode,
            confirmed_fresh: run == Run::Fails || run == Run::Unstable,
            unstable: run == Run::Unstable,
            ..ExperimentResult::new(TestId(test), "a.E", outcome)
        })
    }

    /// Tests that always end in the catch and fail at once, with what they say to a copy at the start and at the catch.
    fn judged(tests: &[(Run, Run)]) -> DependenceJudgement {
        let usages = ColourCounts { white: 1, ..ColourCounts::default() };
        let mut pair = CheckedPair {
            clause: ClauseDescription { types: vec!["a.E".into()], ..ClauseDescription::default() },
            ..CheckedPair::default()
        };
        for (test, (start, catch)) in (0..).zip(tests) {
            let executing = ExecutingTest { test: TestId(test), usages, ..ExecutingTest::default() };
            pair.executing_tests.push(executing);
            pair.experiments.extend(experiment(test, Mode::ShortCircuit, Run::Fails));
            pair.experiments.extend(experiment(test, Mode::CopyAtCatch, *catch));
            pair.experiments.extend(experiment(test, Mode::CopyAtStart, *start));
        }
        let all = vec![CheckedTest::default(); tests.len()];
        judge(&pair, &all).dependence.expect("it is dependent")
    }

    fn on(start: Run, catch: Run) -> Dependence {
        judged(&[(start, catch)]).on
    }

    #[test]
    fn the_place_is_shown_by_a_copy_that_fails_at_the_start_and_not_at_the_catch() {
        let judgement = judged(&[(Run::Fails, Run::Passes)]);
        assert_eq!((judgement.on, judgement.evidence), (Dependence::Place, vec![2]));
    }

    #[test]
    fn a_copy_that_fails_at_the_catch_too_shows_the_object() {
        for start in [Run::Fails, Run::Passes, Run::Silent, Run::Missing] {
            assert_eq!(on(start, Run::Fails), Dependence::Object, "{start:?}");
            assert_eq!(on(start, Run::Unconfirmed), Dependence::Object, "{start:?}");
        }
    }

    #[test]
    fn a_copy_that_passes_at_the_start_shows_the_object() {
        for catch in [Run::Passes, Run::Silent, Run::Missing] {
            assert_eq!(on(Run::Passes, catch), Dependence::Object, "{catch:?}");
        }
    }

    #[test]
    fn anything_else_is_undecided() {
        for run in [Run::Unstable, Run::Silent, Run::Missing] {
            assert_eq!(on(run, Run::Passes), Dependence::Undecided, "{run:?} at the start");
            assert_eq!(on(Run::Fails, run), Dependence::Undecided, "{run:?} at the catch");
            assert_eq!(on(run, run), Dependence::Undecided, "{run:?} in both");
        }
        assert_eq!(on(Run::Unconfirmed, Run::Passes), Dependence::Undecided, "the finding would rest on it");
    }

    #[test]
    fn one_test_that_shows_the_place_is_enough_and_all_have_to_show_the_object() {
        let (place, object, open) =
            ((Run::Fails, Run::Passes), (Run::Fails, Run::Fails), (Run::Silent, Run::Silent));
        assert_eq!(judged(&[object, open, place]).on, Dependence::Place);
        assert_eq!(judged(&[object, object]).on, Dependence::Object);
        assert_eq!(judged(&[object, open]).on, Dependence::Undecided);
    }

    #[test]
    fn a_clause_that_is_not_dependent_depends_on_nothing() {
        assert_eq!(judge(&CheckedPair::default(), &[]).dependence, None);
    }
}
