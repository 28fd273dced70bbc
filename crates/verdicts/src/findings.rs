//! The findings of a check, most rewarding first.
//!
//! Order: pairs whose dependence is on the place, since there the catch does not do its own job; then pairs where an
//! exception ends the JVM, its memory or its time rather than only the test; then clauses that nothing can reach; then
//! the other pairs that are not purely resilient, which most catches cannot be; then unstable ones. Within each: the
//! worse kind of failure first, then those that more tests show, then the order of the project.

use crate::dependence::Dependence;
use crate::experiment::{FailureKind, Outcome};
use crate::explanation::Subject;
use crate::finding::{Finding, finding_id};
use crate::judge::{PureResilience, SourceIndependence, Verdicts, judge};
use crate::project::{CheckedPair, CheckedProject, TestId};
use crate::rules::{Level, Rule};
use crate::sites::site_of_pair;
use crate::unknown::Unknown;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A finding of `check`. Its site is the catch.
pub type CheckFinding = Finding<CheckEvidence>;

/// The experiments behind a finding of `check`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckEvidence {
    /// Position of the pair in [`CheckedProject::pairs`].
    pub pair: usize,
    /// The experiment that shows the finding best: position in [`CheckedPair::experiments`].
    pub shown_by: Option<usize>,
    /// Number of tests that show the finding.
    pub tests: usize,
    /// The only evidence is a timeout.
    pub only_timeouts: bool,
}

/// A pair that the user knows about and does not want among the findings.
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

/// The user's wishes about findings.
#[derive(Debug, Clone, Copy, Default)]
pub struct FindingPolicy<'a> {
    pub suppressions: &'a [Suppression],
    /// Every clause that is not purely resilient is a finding.
    pub strict: bool,
}

/// All findings of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Most rewarding first.
    pub open: Vec<CheckFinding>,
    /// Clauses whose tests merely notice the failure of the try, which is normal. Findings only under a strict policy,
    /// and then among the open ones.
    pub routine: Vec<CheckFinding>,
    /// Findings that the user accepts.
    pub accepted: Vec<CheckFinding>,
    pub stale: Vec<StaleSuppression>,
}

impl Findings {
    /// Findings that reports list: the open ones, then the accepted ones.
    pub fn listed(&self) -> impl Iterator<Item = &CheckFinding> {
        self.open.iter().chain(&self.accepted)
    }
}

/// The findings of a judged project. `verdicts` are those of its pairs, in their order.
pub fn findings_of(project: &CheckedProject, verdicts: &[Verdicts], policy: FindingPolicy<'_>) -> Findings {
    let judged = project.pairs.iter().zip(verdicts).enumerate();
    let mut all: Vec<_> = judged
        .filter_map(|(position, (pair, verdicts))| finding(project, position, pair, verdicts, policy.strict))
        .collect();
    all.sort_by_key(|finding| rank(finding, project));
    let stale =
        policy.suppressions.iter().filter_map(|suppression| stale(suppression, project, verdicts)).collect();
    let mut findings = Findings { stale, ..Findings::default() };
    for finding in all {
        let mut suppressions = policy.suppressions.iter();
        let suppression = suppressions.find(|suppression| Some(&suppression.pair) == finding.pair.as_ref());
        match suppression {
            Some(suppression) => {
                findings.accepted.push(Finding { accepted: Some(suppression.reason.clone()), ..finding });
            }
            None if finding.rule == Rule::NotResilient && !policy.strict => findings.routine.push(finding),
            None => findings.open.push(finding),
        }
    }
    findings
}

/// The finding on the pair at `position`, unless there is none or it is not one that a report lists as open.
pub fn open_finding(
    project: &CheckedProject,
    position: usize,
    policy: FindingPolicy<'_>,
) -> Option<CheckFinding> {
    let pair = project.pairs.get(position)?;
    let found = finding(project, position, pair, &judge(pair, &project.tests), policy.strict)?;
    let is_routine = found.rule == Rule::NotResilient && !policy.strict;
    let is_accepted = policy.suppressions.iter().any(|it| it.pair == pair.clause.id);
    (!is_routine && !is_accepted).then_some(found)
}

fn finding(
    project: &CheckedProject,
    position: usize,
    pair: &CheckedPair,
    verdicts: &Verdicts,
    is_strict: bool,
) -> Option<CheckFinding> {
    let broken = broken_contract(pair, verdicts)?;
    let (failures, only_timeouts): (&[usize], bool) = match broken {
        Broken::SourceIndependence => {
            let dependence = verdicts.dependence.as_ref();
            dependence.map_or((&[], false), |it| (&it.evidence, it.only_timeouts))
        }
        Broken::PureResilience => {
            (&verdicts.pure_resilience.evidence, verdicts.pure_resilience.only_timeouts)
        }
        Broken::Reachability | Broken::Stability => (&[], false),
    };
    let experiment = |number: usize| pair.experiments.get(number);
    let tests: BTreeSet<TestId> =
        failures.iter().filter_map(|&number| Some(experiment(number)?.test)).collect();
    let shown_by = failures.iter().copied().min_by_key(|&number| (Reverse(severity(pair, number)), number));
    let rule = match broken {
        Broken::SourceIndependence => Rule::FailsAtOnce,
        Broken::PureResilience if shown_by.is_some_and(|number| severity(pair, number) > 0) => {
            Rule::BreaksTheJvm
        }
        Broken::PureResilience => Rule::NotResilient,
        Broken::Reachability => Rule::Unreachable,
        Broken::Stability => Rule::Unstable,
    };
    let unstable = (rule == Rule::Unstable).then(|| unstable_experiment(verdicts)).flatten();
    let subject = Subject {
        project,
        pair,
        rule,
        shown_by: shown_by.or(unstable).and_then(experiment),
        tests: tests.len(),
        only_timeouts,
        is_strict,
    };
    Some(Finding {
        id: finding_id(rule, &pair.clause.id),
        rule,
        level: if only_timeouts { rule.level().min(Level::Warning) } else { rule.level() },
        message: subject.message(),
        site: site_of_pair(pair, pair.clause.line()),
        pair: Some(pair.clause.id.clone()),
        related: subject.related(),
        evidence: CheckEvidence { pair: position, shown_by, tests: tests.len(), only_timeouts },
        accepted: None,
    })
}

/// The first promise that a pair does not keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Broken {
    SourceIndependence,
    PureResilience,
    Reachability,
    Stability,
}

fn broken_contract(pair: &CheckedPair, verdicts: &Verdicts) -> Option<Broken> {
    if pair.left_out {
        return None;
    }
    // A test that wants the very object says nothing against the clause.
    if verdicts.dependence.as_ref().is_some_and(|dependence| dependence.on == Dependence::Place) {
        return Some(Broken::SourceIndependence);
    }
    if verdicts.pure_resilience.verdict == PureResilience::NotResilient {
        return Some(Broken::PureResilience);
    }
    if pair.not_injectable.is_some() {
        return Some(Broken::Reachability);
    }
    verdicts.is_unstable().then_some(Broken::Stability)
}

/// The experiment whose runs had different outcomes.
fn unstable_experiment(verdicts: &Verdicts) -> Option<usize> {
    let reasons = verdicts.source_independence.unknown.iter().chain(&verdicts.pure_resilience.unknown);
    let mut unstable = reasons.filter_map(|reason| match reason {
        Unknown::Unstable(number) => Some(*number),
        _ => None,
    });
    unstable.next()
}

/// The harm that the experiment shows; 0 for a test that failed as tests do.
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
fn rank(finding: &CheckFinding, project: &CheckedProject) -> (Rule, Reverse<u8>, Reverse<usize>) {
    let evidence = &finding.evidence;
    let severity = evidence.shown_by.map_or(0, |number| severity(&project.pairs[evidence.pair], number));
    (finding.rule, Reverse(severity), Reverse(evidence.tests))
}

fn stale(
    suppression: &Suppression,
    project: &CheckedProject,
    verdicts: &[Verdicts],
) -> Option<StaleSuppression> {
    let stale = |why| Some(StaleSuppression { pair: suppression.pair.clone(), why });
    let mut judged = project.pairs.iter().zip(verdicts);
    let Some((pair, verdicts)) = judged.find(|(pair, _)| pair.clause.id == suppression.pair) else {
        return stale("there is no such pair");
    };
    // An unknown verdict of today may be a finding again tomorrow.
    let is_clean = verdicts.source_independence.verdict == SourceIndependence::Independent
        && verdicts.pure_resilience.verdict == PureResilience::Resilient;
    if is_clean && !pair.left_out { stale("there is nothing to suppress any more") } else { None }
}
