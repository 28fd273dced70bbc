//! A check that tested nothing, and why.

use crate::experiment::Outcome;
use crate::project::CheckedProject;

/// The reason why there are no verdicts, if there are none: a check without verdicts must not look like one without
/// findings.
pub fn why_nothing_tested(checked: &CheckedProject, only_list: bool) -> Option<String> {
    let pairs: Vec<_> = checked.pairs.iter().filter(|pair| !pair.left_out).collect();
    let experiments = || pairs.iter().flat_map(|pair| &pair.experiments);
    if checked.pairs.is_empty() {
        return Some("there is no try-catch pair in the application's classes".into());
    }
    // What little time was enough for has been found out, and the report says what is open.
    if checked.unfinished.is_some() {
        return None;
    }
    if pairs.iter().all(|pair| pair.executing_tests.is_empty()) {
        return Some("no test executes a try when it runs alone".into());
    }
    if only_list
        || experiments().any(|experiment| matches!(experiment.outcome, Outcome::Pass | Outcome::Fail(_)))
    {
        return None;
    }
    let why = experiments().find_map(|experiment| match &experiment.outcome {
        Outcome::None(why) => Some(why.as_str()),
        _ => None,
    });
    Some(format!(
        "no experiment came to an outcome: {}",
        why.unwrap_or("every test that executes a try is set aside")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{ExperimentResult, NoOutcome, NotRun};
    use crate::project::{CheckedPair, ExecutingTest, TestId};
    use crate::unfinished::Unfinished;

    fn project(pair: CheckedPair) -> CheckedProject {
        CheckedProject { pairs: vec![pair], ..CheckedProject::default() }
    }

    fn with(outcome: Outcome) -> CheckedPair {
        CheckedPair {
            executing_tests: vec![ExecutingTest::default()],
            experiments: vec![ExperimentResult::new(TestId(0), "E", outcome)],
            ..CheckedPair::default()
        }
    }

    #[test]
    fn a_check_without_a_single_outcome_is_not_clean() {
        let reason = |pair| why_nothing_tested(&project(pair), false).unwrap();
        assert!(why_nothing_tested(&CheckedProject::default(), false).unwrap().contains("no try-catch pair"));
        assert!(reason(CheckedPair::default()).contains("no test executes"));
        assert!(reason(with(Outcome::None(NoOutcome::NotFired))).contains("not fired"));
        assert_eq!(why_nothing_tested(&project(with(Outcome::Pass)), false), None);
        let planned = with(Outcome::None(NoOutcome::NotRun(NotRun::PlanOnly)));
        assert_eq!(why_nothing_tested(&project(planned), true), None);
        let unfinished = Some(Unfinished { why: NotRun::Budget, seconds: None });
        let cut = CheckedProject { unfinished, ..project(CheckedPair::default()) };
        assert_eq!(why_nothing_tested(&cut, false), None, "the tests of the suite have been seen");
    }
}
