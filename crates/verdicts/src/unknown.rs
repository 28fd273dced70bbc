//! Reasons why the verdict on a contract is unknown.

use crate::matrix::{Cell, PairMatrix, TestCells};
use crate::project::{CheckedPair, TestId};

/// A reason why the verdict on a pair is unknown. Numbers are positions in [`CheckedPair::experiments`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unknown {
    /// The user asked for other classes.
    LeftOut,
    /// The class or method of the pair could not be observed.
    NotObserved(String),
    /// No test executes the try.
    NeverExecuted,
    /// The try is executed during the suite, and by no test that runs alone.
    ExecutedByNoTestAlone,
    /// No injected exception can reach the clause.
    Unreachable(String),
    /// Tests execute the try, and none of them reaches the catch.
    NeverCaught,
    /// No test was seen to reach the catch; this one ends while the try is still running.
    LeftOpen(TestId),
    /// The try runs once per JVM. The tests that came to it first pass, of which this is one; others were not asked.
    OncePerJvm(TestId),
    /// Every test passes, and none shows the try at its normal work.
    NeverNominal,
    /// An experiment that would decide gave different outcomes.
    Unstable(usize),
    /// The test fails under injection, but it does not only execute the try with an exception, so that the failure may
    /// be about the normal case.
    Mixed(usize),
    /// The executions of the try by this test cannot be told apart, with the reason.
    ExecutionsUnavailable(TestId, String),
    /// A failure that no fresh JVM was asked to confirm.
    Unconfirmed(usize),
    /// Number of experiments that were not run.
    NotRun(usize),
    /// Number of tests that have not run at all, any of which may execute the try.
    Unseen(usize),
    /// Number of calls within the try beyond those that are asked about.
    TooMany(usize),
    /// An experiment that says nothing.
    NoOutcome(usize),
    /// A test that executes the try is no evidence.
    SetAside(TestId),
}

impl Unknown {
    /// The test that the reason is about, if there is one.
    pub fn test(&self, pair: &CheckedPair) -> Option<TestId> {
        match self {
            Self::LeftOpen(test)
            | Self::OncePerJvm(test)
            | Self::SetAside(test)
            | Self::ExecutionsUnavailable(test, _) => Some(*test),
            Self::Unstable(number)
            | Self::Mixed(number)
            | Self::Unconfirmed(number)
            | Self::NoOutcome(number) => pair.experiments.get(*number).map(|experiment| experiment.test),
            Self::LeftOut
            | Self::NotObserved(_)
            | Self::NeverExecuted
            | Self::ExecutedByNoTestAlone
            | Self::Unreachable(_)
            | Self::NeverCaught
            | Self::NeverNominal
            | Self::NotRun(_)
            | Self::Unseen(_)
            | Self::TooMany(_) => None,
        }
    }
}

pub(crate) fn of_source_independence(pair: &CheckedPair, matrix: &PairMatrix) -> Vec<Unknown> {
    if let Some(reason) = nothing_to_go_by(pair, matrix) {
        return vec![reason];
    }
    let white: Vec<_> = matrix.tests.iter().filter(|test| test.has_white()).collect();
    if white.is_empty() && pair.unseen_tests > 0 {
        return unseen(pair).into_iter().collect();
    }
    if white.is_empty() {
        let open = matrix.tests.iter().find(|test| test.executing.usages.open > 0);
        return vec![open.map_or(Unknown::NeverCaught, |test| Unknown::LeftOpen(test.executing.test))];
    }
    let (all_white, mixed): (Vec<_>, Vec<_>) = white.iter().copied().partition(|test| test.is_all_white());
    let mut reasons = unstable(&all_white);
    let failures: Vec<_> = mixed.iter().flat_map(|test| test.failures()).map(Unknown::Mixed).collect();
    // Once independence is out of the question, what other mixed tests say no longer matters.
    let awaited = if failures.is_empty() { &white } else { &all_white };
    let unfinished = unfinished(awaited);
    reasons.extend(failures);
    reasons.extend(unstable(&mixed));
    reasons.extend(unfinished);
    reasons.extend(once_per_jvm(matrix));
    reasons.extend(unseen(pair));
    reasons
}

pub(crate) fn of_pure_resilience(pair: &CheckedPair, matrix: &PairMatrix) -> Vec<Unknown> {
    if let Some(reason) = nothing_to_go_by(pair, matrix) {
        return vec![reason];
    }
    let tests: Vec<_> = matrix.tests.iter().collect();
    let mut reasons = unstable(&tests);
    reasons.extend(unfinished(&tests));
    if matrix.evidence().all(|test| test.executing.usages.pink == 0) && pair.unseen_tests == 0 {
        reasons.push(Unknown::NeverNominal);
    }
    reasons.extend(once_per_jvm(matrix));
    reasons.extend(unseen(pair));
    reasons
}

pub(crate) fn unseen(pair: &CheckedPair) -> Option<Unknown> {
    (pair.unseen_tests > 0).then_some(Unknown::Unseen(pair.unseen_tests))
}

pub(crate) fn once_per_jvm(matrix: &PairMatrix) -> Option<Unknown> {
    matrix.tests.first().filter(|_| matrix.is_sample).map(|test| Unknown::OncePerJvm(test.executing.test))
}

/// The reason that makes any further question idle.
fn nothing_to_go_by(pair: &CheckedPair, matrix: &PairMatrix) -> Option<Unknown> {
    if pair.left_out {
        return Some(Unknown::LeftOut);
    }
    if let Some(why) = &pair.not_observed {
        return Some(Unknown::NotObserved(why.clone()));
    }
    if let Some(why) = &pair.not_injectable {
        return Some(Unknown::Unreachable(why.clone()));
    }
    let is_executed = pair.usages.entries() > 0;
    if matrix.tests.is_empty() && pair.unseen_tests > 0 {
        return unseen(pair);
    }
    matrix.tests.is_empty().then_some(match is_executed {
        true => Unknown::ExecutedByNoTestAlone,
        false => Unknown::NeverExecuted,
    })
}

fn unstable(tests: &[&TestCells]) -> Vec<Unknown> {
    let cells = tests.iter().flat_map(|test| &test.cells);
    cells
        .filter_map(|cell| match cell {
            Cell::Unstable(number) => Some(Unknown::Unstable(*number)),
            _ => None,
        })
        .collect()
}

/// The experiments without an outcome that counts.
fn unfinished(tests: &[&TestCells]) -> Vec<Unknown> {
    let cells = || tests.iter().flat_map(|test| test.cells.iter().copied());
    let unconfirmed = cells().filter_map(|cell| match cell {
        Cell::Unconfirmed(number) => Some(Unknown::Unconfirmed(number)),
        _ => None,
    });
    let open = cells().filter(|cell| *cell == Cell::Open).count();
    let no_outcome = cells().filter_map(|cell| match cell {
        Cell::None(number) => Some(Unknown::NoOutcome(number)),
        _ => None,
    });
    let set_aside = tests.iter().filter(|test| !test.is_evidence);
    let mut reasons: Vec<_> = unconfirmed.collect();
    reasons.extend((open > 0).then_some(Unknown::NotRun(open)));
    reasons.extend(no_outcome);
    reasons.extend(set_aside.map(|test| Unknown::SetAside(test.executing.test)));
    reasons
}
