//! Experiments that can still change a verdict: the base of early stop.
//!
//! A pair whose verdict on a contract is negative is decided: nothing takes a confirmed failure back. Until then
//!
//! - pure resilience waits for every test of A_x, since any of them may fail;
//! - source independence waits for every test that has only white usages, since any of them may prove dependence, and
//!   for the other tests with white usages as long as independence is still possible.
//!
//! A dependence goes on to wait for a few more tests with only white usages as long as none of those that prove it shows
//! that it is on the place: of a finding one test is enough, and which one is asked first is decided by its price.

use crate::dependence::is_asked_in_vain;
use crate::matrix::{Cell, PairMatrix, TestCells};
use crate::project::{CheckedPair, CheckedTest, TestId};

/// Tests that may prove a dependence without showing that it is on the place, before no other is asked.
pub const ASKED_FOR_THE_PLACE: usize = 4;

/// An experiment, and what should be done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needed {
    pub test: TestId,
    /// Index into the types of the clause.
    pub exception: usize,
    pub step: Step,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The experiment has not been run.
    Run,
    /// The experiment failed; a fresh JVM has to confirm that.
    Confirm,
}

/// Experiments that could still change a verdict on the pair, given its experiments so far. Failures to confirm come
/// first, as they may end it all; then tests with only white usages, which bear on both contracts most; then those with
/// some; then the rest. Among equals those that a warm worker can answer come first, then the cheapest tests, and of those
/// the ones that have run alone already: most verdicts need one test. Empty: the verdicts stand.
pub fn what_is_needed(pair: &CheckedPair, tests: &[CheckedTest]) -> Vec<Needed> {
    if pair.left_out || pair.not_injectable.is_some() {
        return Vec::new();
    }
    let matrix = PairMatrix::of(pair, tests);
    let waits = Waits::of(&matrix, pair);
    let relevant = matrix.evidence().filter(|test| waits.for_test(test));
    let mut needed: Vec<_> = relevant
        .flat_map(|test| {
            let price = tests.get(test.executing.test.index()).map(price);
            let price = (test.executing.comes_first(), price);
            steps(test).map(move |step| ((rank(test, step), price), step))
        })
        .collect();
    needed.sort_by_key(|(order, _)| *order);
    needed.into_iter().map(|(_, needed)| needed).collect()
}

/// The tests that the contracts wait for.
struct Waits {
    resilience: bool,
    dependence: bool,
    independence: bool,
}

impl Waits {
    fn of(matrix: &PairMatrix, pair: &CheckedPair) -> Self {
        let proofs = || matrix.evidence().filter(|test| test.is_all_white() && test.fails());
        let is_dependent = proofs().next().is_some();
        let is_asked_in_vain = |test: &TestCells| is_asked_in_vain(pair, test.executing.test);
        let mut white = matrix.tests.iter().filter(|test| test.has_white());
        Self {
            resilience: !matrix.evidence().any(TestCells::fails),
            dependence: proofs().count() < ASKED_FOR_THE_PLACE && proofs().all(is_asked_in_vain),
            independence: !is_dependent && white.all(TestCells::can_pass),
        }
    }

    fn for_test(&self, test: &TestCells) -> bool {
        self.resilience || self.dependence && test.is_all_white() || self.independence && test.has_white()
    }
}

fn steps(test: &TestCells) -> impl Iterator<Item = Needed> + '_ {
    let cells = test.cells.iter().enumerate().filter(|(_, cell)| cell.can_change());
    cells.map(|(exception, cell)| Needed {
        test: test.executing.test,
        exception,
        step: if *cell == Cell::Open { Step::Run } else { Step::Confirm },
    })
}

/// The price of asking the test: the magnitude of its time in the suite, so that two runs of a suite seldom differ, and
/// whether it has to run alone first.
fn price(test: &CheckedTest) -> (u32, bool) {
    const LIMITS: [u64; 4] = [20, 200, 2_000, 20_000];
    let magnitude = LIMITS.iter().filter(|limit| test.suite_millis > **limit).count() as u32;
    (magnitude, test.solo_millis.is_none())
}

fn rank(test: &TestCells, needed: Needed) -> u8 {
    match needed.step {
        Step::Confirm => 0,
        Step::Run if test.is_all_white() => 1,
        Step::Run if test.has_white() => 2,
        Step::Run => 3,
    }
}
