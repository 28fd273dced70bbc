//! The four predicates over the matrix of a pair, and what is missing where none of a contract's two holds.
//!
//! | predicate | holds when |
//! | --- | --- |
//! | source-independent | some test has a white usage, and every test with a white usage passes under injection |
//! | source-dependent | some test, all of whose usages are white, fails under injection |
//! | purely resilient | every test passes under injection, and some usage is pink |
//! | not resilient | some test fails under injection |
//!
//! *Passes* is pass for every caught type, *fails* a confirmed failure for at least one; otherwise neither, which makes
//! the positive predicates false and supports no negative one. Tests that are set aside never pass or fail, and their
//! usages are nobody's. A try that runs only once per JVM, in whichever test comes first, gets no positive verdict
//! unless all tests were asked.

use crate::dependence::{DependenceJudgement, judge_dependence};
use crate::experiment::{FailureKind, Outcome};
use crate::fine::judge_fine;
use crate::matrix::{PairMatrix, TestCells};
use crate::project::{CheckedPair, CheckedProject, CheckedTest};
use crate::selective::judge_selective;
use crate::unknown::{self, Unknown};

/// Does the catch work no matter how far the try got?
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceIndependence {
    Independent,
    Dependent,
    Unknown,
}

/// Does the program do its work even when the try is as good as not there?
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PureResilience {
    Resilient,
    NotResilient,
    Unknown,
}

impl SourceIndependence {
    /// The word used in reports and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Independent => "independent",
            Self::Dependent => "dependent",
            Self::Unknown => "unknown",
        }
    }
}

impl PureResilience {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resilient => "resilient",
            Self::NotResilient => "not_resilient",
            Self::Unknown => "unknown",
        }
    }
}

/// A verdict on one contract with what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement<V> {
    pub verdict: V,
    /// Positions in [`CheckedPair::experiments`]; none when unknown.
    pub evidence: Vec<usize>,
    /// Reasons why the verdict is unknown, the most important first; empty otherwise.
    pub unknown: Vec<Unknown>,
    /// A negative verdict that rests on time alone.
    pub only_timeouts: bool,
}

impl<V> Judgement<V> {
    /// Unknown because an experiment that would decide gave different outcomes.
    pub fn is_unstable(&self) -> bool {
        matches!(self.unknown.first(), Some(Unknown::Unstable(_)))
    }
}

/// Both contracts of one pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdicts {
    pub source_independence: Judgement<SourceIndependence>,
    pub pure_resilience: Judgement<PureResilience>,
    /// Source independence execution by execution, where that was asked; beside the rule of the paper, never in its
    /// place.
    pub selective: Option<Judgement<SourceIndependence>>,
    /// Source independence at every call of the try, where that was asked; beside the rule of the paper as well.
    pub fine: Option<Judgement<SourceIndependence>>,
    /// The reason for a dependence; `None` for a clause that is not source-dependent.
    pub dependence: Option<DependenceJudgement>,
}

impl Verdicts {
    pub fn is_unstable(&self) -> bool {
        self.source_independence.is_unstable() || self.pure_resilience.is_unstable()
    }

    /// Purely resilient, and no test could have noticed: each passes without the work of the try, and none enters the
    /// catch. That says more about the tests than about the clause.
    pub fn is_unnoticed(&self, pair: &CheckedPair) -> bool {
        self.pure_resilience.verdict == PureResilience::Resilient
            && pair.executing_tests.iter().all(|executing| executing.usages.white == 0)
    }

    /// Reasons why source independence is unknown, without those that single executions have settled since.
    pub fn open_reasons(&self) -> Vec<&Unknown> {
        let selective = self.selective.as_ref().map(|selective| selective.verdict);
        let is_settled = selective.is_some_and(|verdict| verdict != SourceIndependence::Unknown);
        let reasons = self.source_independence.unknown.iter();
        reasons.filter(|reason| !is_settled || !matches!(reason, Unknown::Mixed(_))).collect()
    }
}

/// The verdicts on all pairs of a project, in their order.
pub fn judge_all(project: &CheckedProject) -> Vec<Verdicts> {
    project.pairs.iter().map(|pair| judge(pair, &project.tests)).collect()
}

/// The verdicts on one pair. `tests` are those of its project.
pub fn judge(pair: &CheckedPair, tests: &[CheckedTest]) -> Verdicts {
    let matrix = PairMatrix::of(pair, tests);
    let source_independence = source_independence(pair, &matrix);
    Verdicts {
        dependence: judge_dependence(pair, &source_independence),
        source_independence,
        pure_resilience: pure_resilience(pair, &matrix),
        selective: judge_selective(pair, tests),
        fine: judge_fine(pair, tests),
    }
}

fn source_independence(pair: &CheckedPair, matrix: &PairMatrix) -> Judgement<SourceIndependence> {
    let failures = failures_of(matrix.evidence().filter(|test| test.is_all_white()));
    if !failures.is_empty() {
        return negative(pair, SourceIndependence::Dependent, failures);
    }
    let mut white = matrix.tests.iter().filter(|test| test.has_white()).peekable();
    if !matrix.is_sample && pair.unseen_tests == 0 && white.peek().is_some() && white.all(TestCells::passes) {
        let white = matrix.tests.iter().filter(|test| test.has_white());
        return positive(SourceIndependence::Independent, white);
    }
    unknown(SourceIndependence::Unknown, unknown::of_source_independence(pair, matrix))
}

fn pure_resilience(pair: &CheckedPair, matrix: &PairMatrix) -> Judgement<PureResilience> {
    let failures = failures_of(matrix.evidence());
    if !failures.is_empty() {
        return negative(pair, PureResilience::NotResilient, failures);
    }
    let has_pink = matrix.evidence().any(|test| test.executing.usages.pink > 0);
    if !matrix.is_sample && pair.unseen_tests == 0 && has_pink && matrix.tests.iter().all(TestCells::passes) {
        return positive(PureResilience::Resilient, matrix.tests.iter());
    }
    unknown(PureResilience::Unknown, unknown::of_pure_resilience(pair, matrix))
}

fn failures_of<'a>(tests: impl Iterator<Item = &'a TestCells>) -> Vec<usize> {
    tests.flat_map(TestCells::failures).collect()
}

pub(crate) fn negative<V>(pair: &CheckedPair, verdict: V, evidence: Vec<usize>) -> Judgement<V> {
    let only_timeouts = evidence.iter().all(|&number| is_timeout(pair, number));
    Judgement { verdict, evidence, unknown: Vec::new(), only_timeouts }
}

pub(crate) fn is_timeout(pair: &CheckedPair, number: usize) -> bool {
    let outcome = pair.experiments.get(number).map(|experiment| &experiment.outcome);
    matches!(outcome, Some(Outcome::Fail(failure)) if failure.kind == FailureKind::Timeout)
}

fn positive<'a, V>(verdict: V, tests: impl Iterator<Item = &'a TestCells>) -> Judgement<V> {
    let evidence = tests.flat_map(TestCells::passing).collect();
    Judgement { verdict, evidence, unknown: Vec::new(), only_timeouts: false }
}

fn unknown<V>(verdict: V, unknown: Vec<Unknown>) -> Judgement<V> {
    Judgement { verdict, evidence: Vec::new(), unknown, only_timeouts: false }
}
