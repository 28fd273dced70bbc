//! Source independence call by call: beyond the paper, and never in place of its rule.
//!
//! The worst case, an exception at the very beginning of the try, hides what a clause relies on where nothing has been
//! done yet is as good as everything done. So the exception is thrown before each call in the try as well, and before
//! those that these lead to. A clause that holds at the beginning and not at one of them is *dependent* after all: in
//! two runs of the same test nothing differs but where the exception comes from.

use crate::experiment::{ExperimentResult, Mode, NoOutcome, Outcome};
use crate::judge::{Judgement, SourceIndependence, negative};
use crate::project::{CheckedPair, CheckedTest, TestId};
use crate::selective::silent;
use crate::unknown::Unknown;

/// `None` for a pair that was not asked.
pub(crate) fn judge_fine(pair: &CheckedPair, tests: &[CheckedTest]) -> Option<Judgement<SourceIndependence>> {
    let fine = pair.fine_grained.as_ref()?;
    let runs: Vec<_> = runs(pair).collect();
    let failures: Vec<_> =
        runs.iter().filter(|(_, it)| it.is_confirmed_failure()).map(|(number, _)| *number).collect();
    if !failures.is_empty() {
        return Some(negative(pair, SourceIndependence::Dependent, failures));
    }
    let unavailable =
        fine.unavailable.iter().map(|(test, why)| Unknown::ExecutionsUnavailable(*test, why.clone()));
    let silent = runs.iter().filter_map(|(number, it)| silent(*number, it).filter(|_| !is_moot(it)));
    let not_run = not_asked(pair, tests, &runs);
    let not_run = (not_run > 0).then_some(Unknown::NotRun(not_run));
    let too_many = (fine.left > 0).then_some(Unknown::TooMany(fine.left));
    let mut unknown: Vec<_> = unavailable.chain(silent).chain(not_run).chain(too_many).collect();
    let is_independent = unknown.is_empty() && runs.iter().any(|(_, it)| it.is_pass());
    if unknown.is_empty() && !is_independent {
        unknown.extend(runs.first().map(|(number, _)| Unknown::NoOutcome(*number)));
    }
    Some(Judgement {
        verdict: if is_independent { SourceIndependence::Independent } else { SourceIndependence::Unknown },
        evidence: runs
            .iter()
            .filter(|(_, it)| is_independent && it.is_pass())
            .map(|(number, _)| *number)
            .collect(),
        unknown,
        only_timeouts: false,
    })
}

fn runs(pair: &CheckedPair) -> impl Iterator<Item = (usize, &ExperimentResult)> {
    let numbered = pair.experiments.iter().enumerate();
    numbered.filter(|(_, experiment)| matches!(experiment.mode, Mode::Fine(_)))
}

/// An exception that another clause catches on its way up does not concern this one, and a site that some executions do
/// not come to cannot be compared.
fn is_moot(experiment: &ExperimentResult) -> bool {
    matches!(experiment.outcome, Outcome::None(NoOutcome::CaughtElsewhere(_) | NoOutcome::NotFired))
}

/// Tests that enter the catch and were not asked, and runs that were not made.
fn not_asked(pair: &CheckedPair, tests: &[CheckedTest], runs: &[(usize, &ExperimentResult)]) -> usize {
    let is_evidence = |test: TestId| tests.get(test.index()).is_some_and(CheckedTest::is_evidence);
    let white = pair.executing_tests.iter().filter(|executing| executing.usages.white > 0);
    let is_asked = |test: TestId| {
        let unavailable = pair.fine_grained.iter().flat_map(|fine| &fine.unavailable);
        runs.iter().any(|(_, run)| run.test == test) || unavailable.into_iter().any(|(each, _)| *each == test)
    };
    let missing = white.filter(|executing| is_evidence(executing.test) && !is_asked(executing.test)).count();
    let open = runs.iter().filter(|(_, run)| matches!(run.outcome, Outcome::None(NoOutcome::NotRun(_))));
    missing + open.count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Failure, FailureKind};
    use crate::project::{ColourCounts, ExecutingTest, FineGrained};
    use catchment_pairs::ClauseDescription;

    const TEST: TestId = TestId(0);

    fn run(place: usize, outcome: Outcome) -> ExperimentResult {
        let confirmed_fresh = matches!(outcome, Outcome::Fail(_));
        ExperimentResult {
            mode: Mode::Fine(place),
            confirmed_fresh,
            ..ExperimentResult::new(TEST, "a.E", outcome)
        }
    }

    fn verdict(experiments: Vec<ExperimentResult>, fine: FineGrained) -> (SourceIndependence, Vec<Unknown>) {
        let usages = ColourCounts { white: 1, ..ColourCounts::default() };
        let pair = CheckedPair {
            clause: ClauseDescription { types: vec!["a.E".into()], ..ClauseDescription::default() },
            executing_tests: vec![ExecutingTest { test: TEST, usages, ..ExecutingTest::default() }],
            experiments,
            fine_grained: Some(fine),
            ..CheckedPair::default()
        };
        let judged = judge_fine(&pair, &[CheckedTest::default()]).unwrap();
        (judged.verdict, judged.unknown)
    }

    #[test]
    fn one_call_at_which_it_fails_is_enough() {
        let failure = Outcome::Fail(Failure { kind: FailureKind::Assertion, text: String::new() });
        let (verdict, _) = verdict(vec![run(0, Outcome::Pass), run(1, failure)], FineGrained::default());
        assert_eq!(verdict, SourceIndependence::Dependent);
    }

    #[test]
    fn what_is_caught_on_the_way_is_not_held_against_it() {
        let elsewhere = Outcome::None(NoOutcome::CaughtElsewhere("b".into()));
        let (verdict, unknown) =
            verdict(vec![run(0, Outcome::Pass), run(1, elsewhere)], FineGrained::default());
        assert_eq!((verdict, unknown), (SourceIndependence::Independent, Vec::new()));
    }

    #[test]
    fn where_no_run_counts_the_first_says_why() {
        let partly = run(0, Outcome::None(NoOutcome::NotFired));
        let (verdict, unknown) = verdict(vec![partly], FineGrained::default());
        assert_eq!((verdict, unknown), (SourceIndependence::Unknown, vec![Unknown::NoOutcome(0)]));
    }

    #[test]
    fn nothing_is_said_of_what_was_not_asked() {
        let unknown = SourceIndependence::Unknown;
        let all_asked = vec![run(0, Outcome::Pass)];
        assert_eq!(verdict(Vec::new(), FineGrained::default()), (unknown, vec![Unknown::NotRun(1)]));
        let some_left = FineGrained { left: 3, ..FineGrained::default() };
        assert_eq!(verdict(all_asked.clone(), some_left), (unknown, vec![Unknown::TooMany(3)]));
        let unavailable =
            FineGrained { unavailable: vec![(TEST, "threads".into())], ..FineGrained::default() };
        assert_eq!(
            verdict(Vec::new(), unavailable),
            (unknown, vec![Unknown::ExecutionsUnavailable(TEST, "threads".into())])
        );
    }
}
