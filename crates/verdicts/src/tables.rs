//! The tables of the papers, for one project.

use crate::judge::{PureResilience, SourceIndependence, Verdicts};
use crate::project::{CheckedPair, CheckedProject, CheckedTest, SetAside, TestColour};

/// Tests by how much of the exception handling they specify. total = red + flaky + skipped + pink + white + blue +
/// unseen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TestTable {
    pub total: usize,
    pub red: usize,
    pub flaky: usize,
    pub skipped: usize,
    pub pink: usize,
    pub white: usize,
    pub blue: usize,
    /// Neither set aside for one of the reasons above nor seen passing.
    pub unseen: usize,
    /// Exceptions that blue tests received; `None` when they were not counted.
    pub expected_exceptions: Option<u64>,
    /// Exceptions that the application caught during white tests.
    pub internal_exceptions: u64,
}

impl TestTable {
    pub fn of(tests: &[CheckedTest]) -> Self {
        let mut table = Self { total: tests.len(), expected_exceptions: Some(0), ..Self::default() };
        for test in tests {
            table.count(test);
        }
        table
    }

    fn count(&mut self, test: &CheckedTest) {
        match (&test.set_aside, test.colour) {
            (Some(SetAside::Red(_)), _) => self.red += 1,
            (Some(SetAside::Flaky(_)), _) => self.flaky += 1,
            (Some(SetAside::Skipped(_)), _) => self.skipped += 1,
            (_, None) => self.unseen += 1,
            (_, Some(TestColour::Pink)) => self.pink += 1,
            (_, Some(TestColour::White)) => {
                self.white += 1;
                self.internal_exceptions += test.exceptions_caught;
            }
            (_, Some(TestColour::Blue)) => {
                self.blue += 1;
                let counted = self.expected_exceptions.zip(test.exceptions_to_test);
                self.expected_exceptions = counted.map(|(sum, count)| sum + count);
            }
        }
    }
}

/// Verdicts on some pairs of a project, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairTable {
    pub pairs: usize,
    pub purely_resilient: usize,
    pub not_resilient: usize,
    pub unknown_resilience: usize,
    pub source_independent: usize,
    pub source_dependent: usize,
    pub unknown_source: usize,
    /// Of the pairs of unknown source independence, those that are independent execution by execution.
    pub selectively_independent: usize,
    /// Of the pairs of unknown source independence, those that are dependent execution by execution.
    pub selectively_dependent: usize,
    /// Of the unknown, those where an experiment gave different outcomes.
    pub unstable: usize,
}

/// The verdicts, counted over nested sets of pairs. Pairs that the user left out are in none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairTables {
    pub all: PairTable,
    /// Pairs whose try some test executes.
    pub executed: PairTable,
    /// Pairs whose catch was entered: the pairs that the paper counts.
    pub entered: PairTable,
}

impl PairTables {
    /// `verdicts` are those of the project's pairs, in their order.
    pub fn of(project: &CheckedProject, verdicts: &[Verdicts]) -> Self {
        let mut tables = Self::default();
        let judged = project.pairs.iter().zip(verdicts).filter(|(pair, _)| !pair.left_out);
        for (pair, verdicts) in judged {
            tables.all.count(verdicts);
            if pair.is_executed() {
                tables.executed.count(verdicts);
            }
            if pair.is_entered() {
                tables.entered.count(verdicts);
            }
        }
        tables
    }
}

impl PairTable {
    fn count(&mut self, verdicts: &Verdicts) {
        self.pairs += 1;
        self.unstable += usize::from(verdicts.is_unstable());
        match verdicts.source_independence.verdict {
            SourceIndependence::Independent => self.source_independent += 1,
            SourceIndependence::Dependent => self.source_dependent += 1,
            SourceIndependence::Unknown => self.count_unknown(verdicts),
        }
        match verdicts.pure_resilience.verdict {
            PureResilience::Resilient => self.purely_resilient += 1,
            PureResilience::NotResilient => self.not_resilient += 1,
            PureResilience::Unknown => self.unknown_resilience += 1,
        }
    }

    fn count_unknown(&mut self, verdicts: &Verdicts) {
        self.unknown_source += 1;
        match verdicts.selective.as_ref().map(|selective| selective.verdict) {
            Some(SourceIndependence::Independent) => self.selectively_independent += 1,
            Some(SourceIndependence::Dependent) => self.selectively_dependent += 1,
            Some(SourceIndependence::Unknown) | None => {}
        }
    }
}

impl CheckedPair {
    /// The suite or a test alone executed the try.
    pub fn is_executed(&self) -> bool {
        self.usages.entries() > 0 || !self.executing_tests.is_empty()
    }

    /// The suite or a test alone entered the catch.
    pub fn is_entered(&self) -> bool {
        self.usages.white > 0 || self.executing_tests.iter().any(|executing| executing.usages.white > 0)
    }
}
