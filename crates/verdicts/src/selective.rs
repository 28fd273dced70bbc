//! Source independence execution by execution: beyond the paper, and never in place of its rule.
//!
//! A test that executes a try in several ways fails under injection for reasons of its own, and then the paper's rule
//! says nothing. So each execution that ends in the catch anyway is hit alone. The catch is *selectively independent*
//! when every test that enters it passes each of these runs, and *selectively dependent* when one of them fails.

use crate::experiment::{ExperimentResult, Mode, NoOutcome, Outcome};
use crate::judge::{Judgement, SourceIndependence, negative};
use crate::matrix::PairMatrix;
use crate::project::{CheckedPair, CheckedTest, ExecutingTest};
use crate::unknown::{Unknown, once_per_jvm, unseen};

/// `None` for a pair whose executions were not asked one by one.
pub(crate) fn judge_selective(
    pair: &CheckedPair,
    tests: &[CheckedTest],
) -> Option<Judgement<SourceIndependence>> {
    pair.selective.as_ref()?;
    let singles: Vec<_> = singles(pair).collect();
    let failures: Vec<_> =
        singles.iter().filter(|(_, it)| it.is_confirmed_failure()).map(|(number, _)| *number).collect();
    if !failures.is_empty() {
        return Some(negative(pair, SourceIndependence::Dependent, failures));
    }
    let white = pair.executing_tests.iter().filter(|executing| executing.usages.white > 0);
    let missing = white.flat_map(|executing| missing(pair, tests, executing));
    let unknown = missing.chain(once_per_jvm(&PairMatrix::of(pair, tests)));
    let unknown: Vec<_> = unknown.chain(unseen(pair)).collect();
    let is_independent = unknown.is_empty() && !singles.is_empty();
    Some(Judgement {
        verdict: if is_independent { SourceIndependence::Independent } else { SourceIndependence::Unknown },
        evidence: singles.iter().filter(|_| is_independent).map(|(number, _)| *number).collect(),
        unknown,
        only_timeouts: false,
    })
}

fn singles(pair: &CheckedPair) -> impl Iterator<Item = (usize, &ExperimentResult)> {
    let numbered = pair.experiments.iter().enumerate();
    numbered.filter(|(_, experiment)| matches!(experiment.mode, Mode::Selective(_)))
}

/// Reasons why the test does not speak for independence.
fn missing(pair: &CheckedPair, tests: &[CheckedTest], executing: &ExecutingTest) -> Vec<Unknown> {
    let test = executing.test;
    if !tests.get(test.index()).is_some_and(CheckedTest::is_evidence) {
        return vec![Unknown::SetAside(test)];
    }
    let unavailable = pair.selective.iter().flat_map(|singles| &singles.unavailable);
    if let Some((_, why)) = unavailable.into_iter().find(|(each, _)| *each == test) {
        return vec![Unknown::ExecutionsUnavailable(test, why.clone())];
    }
    let own: Vec<_> = singles(pair).filter(|(_, experiment)| experiment.test == test).collect();
    // Of several types each execution is asked about the one that it caught, so that a test may have no run for
    // another.
    let not_asked = if own.is_empty() { pair.clause.types.len() } else { 0 };
    let open = own.iter().filter(|(_, it)| matches!(it.outcome, Outcome::None(NoOutcome::NotRun(_))));
    let not_run = not_asked + open.count();
    let mut missing: Vec<_> = own.iter().filter_map(|(number, it)| silent(*number, it)).collect();
    missing.extend((not_run > 0).then_some(Unknown::NotRun(not_run)));
    missing
}

/// The reason why the run has no outcome that counts, unless it was never made.
pub(crate) fn silent(number: usize, experiment: &ExperimentResult) -> Option<Unknown> {
    match &experiment.outcome {
        _ if experiment.unstable => Some(Unknown::Unstable(number)),
        Outcome::Pass | Outcome::None(NoOutcome::NotRun(_)) => None,
        Outcome::Fail(_) => Some(Unknown::Unconfirmed(number)),
        Outcome::None(_) => Some(Unknown::NoOutcome(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Failure, FailureKind};
    use crate::project::{ColourCounts, Selective, TestId};
    use catchment_pairs::ClauseDescription;

    const FIRST: TestId = TestId(0);
    const SECOND: TestId = TestId(1);

    fn failure() -> Outcome {
        Outcome::Fail(Failure { kind: FailureKind::Assertion, text: "no".into() })
    }

    fn single(test: TestId, number: u64, outcome: Outcome) -> ExperimentResult {
        ExperimentResult { mode: Mode::Selective(number), ..ExperimentResult::new(test, "a.E", outcome) }
    }

    /// Both tests execute the try once in vain and once with its catch.
    fn pair(experiments: Vec<ExperimentResult>) -> CheckedPair {
        let usages = ColourCounts { pink: 1, white: 1, ..ColourCounts::default() };
        let executing = |test| ExecutingTest { test, usages, ..ExecutingTest::default() };
        CheckedPair {
            clause: ClauseDescription { types: vec!["a.E".into()], ..ClauseDescription::default() },
            executing_tests: vec![executing(FIRST), executing(SECOND)],
            experiments,
            selective: Some(Selective::default()),
            ..CheckedPair::default()
        }
    }

    fn judged(pair: &CheckedPair) -> Judgement<SourceIndependence> {
        judge_selective(pair, &[CheckedTest::default(), CheckedTest::default()]).expect("asked")
    }

    #[test]
    fn every_test_that_enters_the_catch_has_to_pass() {
        let all = [single(FIRST, 2, Outcome::Pass), single(SECOND, 1, Outcome::Pass)];
        let judgement = judged(&pair(all.to_vec()));
        assert_eq!((judgement.verdict, judgement.evidence), (SourceIndependence::Independent, vec![0, 1]));
        let one = judged(&pair(all[..1].to_vec()));
        assert_eq!((one.verdict, one.unknown), (SourceIndependence::Unknown, vec![Unknown::NotRun(1)]));
    }

    #[test]
    fn one_confirmed_failure_is_enough_and_an_unconfirmed_one_is_not() {
        let mut failed = single(SECOND, 1, failure());
        let passed = single(FIRST, 2, Outcome::Pass);
        let unconfirmed = judged(&pair(vec![passed.clone(), failed.clone()]));
        assert_eq!(unconfirmed.unknown, [Unknown::Unconfirmed(1)]);
        failed.confirmed_fresh = true;
        let judgement = judged(&pair(vec![passed, failed]));
        assert_eq!((judgement.verdict, judgement.evidence), (SourceIndependence::Dependent, vec![1]));
    }

    #[test]
    fn runs_at_every_execution_are_another_matter() {
        let mut failed = ExperimentResult::new(FIRST, "a.E", failure());
        failed.confirmed_fresh = true;
        let passes = [single(FIRST, 2, Outcome::Pass), single(SECOND, 1, Outcome::Pass)];
        let judgement = judged(&pair([vec![failed], passes.to_vec()].concat()));
        assert_eq!(judgement.verdict, SourceIndependence::Independent);
    }

    #[test]
    fn the_one_test_that_came_first_does_not_speak_for_all() {
        let mut pair = pair(vec![single(FIRST, 1, Outcome::Pass)]);
        pair.executing_tests.truncate(1);
        pair.executing_tests[0].once_per_jvm = true;
        assert_eq!(judged(&pair).unknown, [Unknown::OncePerJvm(FIRST)]);
    }

    #[test]
    fn executions_that_cannot_be_told_apart_decide_nothing() {
        let mut pair = pair(vec![single(FIRST, 2, Outcome::Pass)]);
        let unavailable = vec![(SECOND, "several threads".to_owned())];
        pair.selective = Some(Selective { unavailable });
        assert_eq!(judged(&pair).unknown, [Unknown::ExecutionsUnavailable(SECOND, "several threads".into())]);
        pair.selective = None;
        assert_eq!(judge_selective(&pair, &[]), None);
    }
}
