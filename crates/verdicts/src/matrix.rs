//! The part of the matrix M that is about one pair: what each test of A_x and each caught type gave.

use crate::experiment::{ExperimentResult, FailureKind, Mode, NoOutcome, Outcome};
use crate::project::{CheckedPair, CheckedTest, ExecutingTest};
use std::collections::HashMap;

/// M for one pair.
#[derive(Debug)]
pub(crate) struct PairMatrix {
    pub(crate) tests: Vec<TestCells>,
    /// The try runs once per JVM, in whichever test comes first: there are tests that would run it in a JVM of their
    /// own, and nobody knows which.
    pub(crate) is_sample: bool,
}

/// One test of A_x, with a cell for each caught type.
#[derive(Debug)]
pub(crate) struct TestCells {
    pub(crate) executing: ExecutingTest,
    pub(crate) is_evidence: bool,
    pub(crate) cells: Vec<Cell>,
}

/// M[x, a, type]; numbers are positions in [`CheckedPair::experiments`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cell {
    Pass(usize),
    /// Confirmed, or no more than routine.
    Fail(usize),
    /// Failed once in a way that could be a finding, and no fresh JVM has been asked.
    Unconfirmed(usize),
    /// Different outcomes.
    Unstable(usize),
    /// Will never say anything.
    None(usize),
    /// The test is set aside.
    SetAside,
    /// Not run, or not yet.
    Open,
}

impl Cell {
    /// Tells whether a further run could still make it a pass or a confirmed failure.
    pub(crate) fn can_change(self) -> bool {
        matches!(self, Self::Open | Self::Unconfirmed(_))
    }

    pub(crate) fn can_become_pass(self) -> bool {
        matches!(self, Self::Pass(_) | Self::Open)
    }
}

impl TestCells {
    /// Pass for every caught type.
    pub(crate) fn passes(&self) -> bool {
        !self.cells.is_empty() && self.cells.iter().all(|cell| matches!(cell, Cell::Pass(_)))
    }

    /// Fail for at least one caught type.
    pub(crate) fn fails(&self) -> bool {
        self.failures().next().is_some()
    }

    pub(crate) fn failures(&self) -> impl Iterator<Item = usize> + '_ {
        self.cells.iter().filter_map(|cell| match cell {
            Cell::Fail(experiment) => Some(*experiment),
            _ => None,
        })
    }

    pub(crate) fn passing(&self) -> impl Iterator<Item = usize> + '_ {
        self.cells.iter().filter_map(|cell| match cell {
            Cell::Pass(experiment) => Some(*experiment),
            _ => None,
        })
    }

    /// Tells whether the test could pass for every caught type once all is run.
    pub(crate) fn can_pass(&self) -> bool {
        self.cells.iter().all(|cell| cell.can_become_pass())
    }

    pub(crate) fn has_white(&self) -> bool {
        self.executing.usages.white > 0
    }

    /// A failure of this test alone would prove source dependence.
    pub(crate) fn is_all_white(&self) -> bool {
        self.executing.usages.are_all_white()
    }
}

impl PairMatrix {
    pub(crate) fn of(pair: &CheckedPair, tests: &[CheckedTest]) -> Self {
        let found = by_test_and_type(pair);
        let cells_of = |executing: &ExecutingTest| {
            let is_evidence = tests.get(executing.test.index()).is_some_and(CheckedTest::is_evidence);
            let cells = pair.clause.types.iter().map(|exception| {
                let experiment = found.get(&(executing.test, exception.as_str())).copied();
                if is_evidence { cell(pair, executing, experiment) } else { Cell::SetAside }
            });
            TestCells { executing: *executing, is_evidence, cells: cells.collect() }
        };
        let all = tests.iter().filter(|test| test.is_evidence()).count();
        let is_sample = pair.executing_tests.iter().all(|executing| executing.once_per_jvm)
            && pair.executing_tests.len() < all;
        Self { tests: pair.executing_tests.iter().map(cells_of).collect(), is_sample }
    }

    pub(crate) fn evidence(&self) -> impl Iterator<Item = &TestCells> {
        self.tests.iter().filter(|test| test.is_evidence)
    }
}

type ByTestAndType<'a> = HashMap<(crate::TestId, &'a str), usize>;

fn by_test_and_type(pair: &CheckedPair) -> ByTestAndType<'_> {
    let numbered = pair.experiments.iter().enumerate();
    let short_circuit = numbered.filter(|(_, experiment)| experiment.mode == Mode::ShortCircuit);
    short_circuit.map(|(number, it)| ((it.test, it.exception.as_str()), number)).collect()
}

fn cell(pair: &CheckedPair, executing: &ExecutingTest, number: Option<usize>) -> Cell {
    let Some((number, experiment)) = number.and_then(|number| Some((number, pair.experiments.get(number)?)))
    else {
        return Cell::Open;
    };
    state(experiment, executing)(number)
}

fn state(experiment: &ExperimentResult, executing: &ExecutingTest) -> fn(usize) -> Cell {
    let is_routine = |kind: FailureKind| executing.fails_routinely() && kind.is_routine();
    match &experiment.outcome {
        Outcome::None(NoOutcome::NotRun(_)) => |_| Cell::Open,
        _ if experiment.unstable => Cell::Unstable,
        Outcome::Pass => Cell::Pass,
        Outcome::Fail(failure) if experiment.confirmed_fresh || is_routine(failure.kind) => Cell::Fail,
        Outcome::Fail(_) => Cell::Unconfirmed,
        Outcome::None(_) => Cell::None,
    }
}
