//! A check that was cut short: what it knows, what is open, and what more time would buy.

use crate::dependence::Dependence;
use crate::experiment::{Mode, NotRun};
use crate::judge::{Verdicts, judge};
use crate::needed::what_is_needed;
use crate::project::{CheckedPair, CheckedProject};
use crate::unknown::Unknown;

/// The end of a check before its time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unfinished {
    pub why: NotRun,
    /// Seconds that the rest would take, as far as the clauses so far tell; `None` when none was decided yet.
    pub seconds: Option<f64>,
}

/// The clauses of a check by what is left to do about them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DecidedPairs {
    /// Pairs whose try is executed by tests.
    pub executed: usize,
    /// Of these, pairs about which nothing is left to ask.
    pub decided: usize,
    /// Experiments that are left.
    pub experiments: usize,
    /// Tests that have not run at all.
    pub unseen_tests: usize,
}

impl DecidedPairs {
    pub fn of(project: &CheckedProject) -> Self {
        let mut counts = Self::default();
        for pair in project.pairs.iter().filter(|pair| !pair.left_out) {
            let left = what_is_needed(pair, &project.tests).len();
            counts.experiments += left;
            counts.unseen_tests = counts.unseen_tests.max(pair.unseen_tests);
            if !pair.executing_tests.is_empty() {
                let verdicts = judge(pair, &project.tests);
                let is_open = left > 0 || waits_for_tests(&verdicts) || waits_for_copies(pair, &verdicts);
                counts.executed += 1;
                counts.decided += usize::from(!is_open);
            }
        }
        counts
    }
}

fn waits_for_tests(verdicts: &Verdicts) -> bool {
    let reasons = verdicts.source_independence.unknown.iter().chain(&verdicts.pure_resilience.unknown);
    reasons.into_iter().any(|reason| matches!(reason, Unknown::Unseen(_)))
}

/// A dependence of which nobody has asked yet whether it is on the place or on the object.
fn waits_for_copies(pair: &CheckedPair, verdicts: &Verdicts) -> bool {
    let is_copy = |mode| matches!(mode, Mode::CopyAtStart | Mode::CopyAtCatch);
    let was_asked = !pair.without_copies.is_empty() || pair.experiments.iter().any(|it| is_copy(it.mode));
    verdicts.dependence.as_ref().is_some_and(|it| it.on == Dependence::Undecided) && !was_asked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{ExperimentResult, Failure, FailureKind, NoOutcome, Outcome};
    use crate::project::{CheckedTest, ColourCounts, ExecutingTest, TestId};
    use catchment_pairs::ClauseDescription;

    /// One test, whose only execution of the try is pink, with this outcome.
    fn pair(outcome: Outcome, unseen_tests: usize) -> CheckedPair {
        let usages = ColourCounts { pink: 1, ..ColourCounts::default() };
        let clause = ClauseDescription { types: vec!["E".to_owned()], ..ClauseDescription::default() };
        CheckedPair {
            clause,
            executing_tests: vec![ExecutingTest { usages, ..ExecutingTest::default() }],
            experiments: vec![ExperimentResult::new(TestId(0), "E", outcome)],
            unseen_tests,
            ..CheckedPair::default()
        }
    }

    fn counts(pairs: Vec<CheckedPair>) -> (usize, usize, usize, usize) {
        let tests = vec![CheckedTest::default()];
        let counts = DecidedPairs::of(&CheckedProject { pairs, tests, ..CheckedProject::default() });
        (counts.executed, counts.decided, counts.experiments, counts.unseen_tests)
    }

    #[test]
    fn a_clause_is_decided_when_nothing_is_left_to_ask_about_it() {
        let left = Outcome::None(NoOutcome::NotRun(NotRun::Budget));
        let failed = Outcome::Fail(Failure { kind: FailureKind::Assertion, text: "no".to_owned() });
        assert_eq!(counts(vec![pair(Outcome::Pass, 0), pair(left, 0), CheckedPair::default()]), (2, 1, 1, 0));
        assert_eq!(counts(vec![pair(failed, 0)]), (1, 1, 0, 0));
        // Any of the tests that have not run may be one that fails.
        assert_eq!(counts(vec![pair(Outcome::Pass, 7)]), (1, 0, 0, 7));
    }
}
