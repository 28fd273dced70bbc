//! What a user should look at, most rewarding first.
//!
//! Order: pairs that break source independence, since there the catch does not do its own job; then pairs where an
//! exception ends the JVM, its memory or its time rather than only the test; then clauses that nothing can reach; then the
//! other pairs that are not purely resilient, which most catches cannot be; then unstable ones. Within each: the worse
//! kind of failure first, then what more tests show, then as in the project.

use crate::experiment::{FailureKind, Outcome};
use crate::judge::{PureResilience, SourceIndependence, Verdicts};
use crate::project::{CheckedPair, CheckedProject, TestId};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// What is wrong with one pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Position in [`CheckedProject::pairs`].
    pub pair: usize,
    pub kind: FindingKind,
    /// The experiment that shows it best: position in [`CheckedPair::experiments`].
    pub shown_by: Option<usize>,
    /// How many tests show it.
    pub tests: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    SourceDependent,
    NotResilient,
    /// No exception can reach the clause.
    Unreachable,
    /// Experiments that would decide gave different outcomes.
    Unstable,
}

/// The user knows about a pair and does not want to hear of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// A pair's id.
    pub pair: String,
    pub reason: String,
}

/// A suppression that suppresses nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleSuppression {
    pub pair: String,
    pub why: &'static str,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Most rewarding first.
    pub open: Vec<Finding>,
    pub suppressed: Vec<Finding>,
    pub stale: Vec<StaleSuppression>,
}

/// The findings of a judged project. `verdicts` are those of its pairs, in their order.
pub fn find(project: &CheckedProject, verdicts: &[Verdicts], suppressions: &[Suppression]) -> Findings {
    let judged = project.pairs.iter().zip(verdicts).enumerate();
    let mut all: Vec<_> =
        judged.filter_map(|(number, (pair, verdicts))| finding(number, pair, verdicts)).collect();
    all.sort_by_key(|finding| rank(finding, project));
    let suppressed: BTreeSet<_> = suppressions.iter().map(|it| it.pair.as_str()).collect();
    let is_suppressed = |finding: &Finding| suppressed.contains(project.pairs[finding.pair].id.as_str());
    let stale = suppressions.iter().filter_map(|it| stale(it, project, verdicts));
    let stale = stale.collect();
    let (suppressed, open) = all.into_iter().partition(is_suppressed);
    Findings { open, suppressed, stale }
}

fn finding(number: usize, pair: &CheckedPair, verdicts: &Verdicts) -> Option<Finding> {
    let kind = kind(pair, verdicts)?;
    let evidence: &[usize] = match kind {
        FindingKind::SourceDependent => &verdicts.source_independence.evidence,
        FindingKind::NotResilient => &verdicts.pure_resilience.evidence,
        FindingKind::Unreachable | FindingKind::Unstable => &[],
    };
    let tests: BTreeSet<TestId> =
        evidence.iter().filter_map(|&it| Some(pair.experiments.get(it)?.test)).collect();
    let shown_by = evidence.iter().copied().min_by_key(|&it| (Reverse(severity(pair, it)), it));
    Some(Finding { pair: number, kind, shown_by, tests: tests.len() })
}

fn kind(pair: &CheckedPair, verdicts: &Verdicts) -> Option<FindingKind> {
    if pair.left_out {
        return None;
    }
    if verdicts.source_independence.verdict == SourceIndependence::Dependent {
        return Some(FindingKind::SourceDependent);
    }
    if verdicts.pure_resilience.verdict == PureResilience::NotResilient {
        return Some(FindingKind::NotResilient);
    }
    if pair.not_injectable.is_some() {
        return Some(FindingKind::Unreachable);
    }
    verdicts.is_unstable().then_some(FindingKind::Unstable)
}

/// How bad what the experiment shows is; 0 for a test that failed as tests do.
fn severity(pair: &CheckedPair, number: usize) -> u8 {
    let outcome = pair.experiments.get(number).map(|experiment| &experiment.outcome);
    let Some(Outcome::Fail(failure)) = outcome else { return 0 };
    match failure.kind {
        FailureKind::Assertion => 0,
        FailureKind::Timeout => 1,
        FailureKind::Oom => 2,
        FailureKind::Crash => 3,
        FailureKind::Exit => 4,
    }
}

/// Smaller is shown earlier. Sorting is stable, so the rest is as in the project.
fn rank(finding: &Finding, project: &CheckedProject) -> (u8, Reverse<u8>, Reverse<usize>) {
    let severity = finding.shown_by.map_or(0, |number| severity(&project.pairs[finding.pair], number));
    let group = match finding.kind {
        FindingKind::SourceDependent => 0,
        FindingKind::NotResilient if severity > 0 => 1,
        FindingKind::Unreachable => 2,
        FindingKind::NotResilient => 3,
        FindingKind::Unstable => 4,
    };
    (group, Reverse(severity), Reverse(finding.tests))
}

fn stale(
    suppression: &Suppression,
    project: &CheckedProject,
    verdicts: &[Verdicts],
) -> Option<StaleSuppression> {
    let stale = |why| Some(StaleSuppression { pair: suppression.pair.clone(), why });
    let mut judged = project.pairs.iter().zip(verdicts);
    let Some((pair, verdicts)) = judged.find(|(pair, _)| pair.id == suppression.pair) else {
        return stale("there is no such pair");
    };
    // What is unknown today may be a finding again tomorrow.
    let is_clean = verdicts.source_independence.verdict == SourceIndependence::Independent
        && verdicts.pure_resilience.verdict == PureResilience::Resilient;
    if is_clean && !pair.left_out { stale("there is nothing to suppress any more") } else { None }
}
