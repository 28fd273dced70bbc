//! What is seen of tests, as it is kept in the store.

use catchment_verdicts::{CaughtElsewhere, Outcome};
use serde::{Deserialize, Serialize};

/// A pair's number in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PairNumber(pub(crate) i64);

/// A test's number in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TestNumber(pub(crate) i64);

/// How a run with nothing armed came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// All tests of a configuration, one after the other, in one JVM.
    Suite,
    /// Alone in a worker that runs other tests before and after.
    Solo,
    /// Alone in a JVM of its own.
    Fresh,
}

impl Phase {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Suite => "suite",
            Self::Solo => "solo",
            Self::Fresh => "fresh",
        }
    }
}

/// Executions of a try, by how they ended as seen from one of its clauses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usages {
    pub(crate) entries: u64,
    pub(crate) pink: u64,
    pub(crate) white: u64,
    pub(crate) blue: u64,
}

impl Usages {
    /// What had not ended when the test had is open. More ends than entries come from usages that another test began.
    pub(crate) fn judged(self) -> catchment_verdicts::Usages {
        let Self { entries, pink, white, blue } = self;
        catchment_verdicts::Usages { pink, white, blue, open: entries.saturating_sub(pink + white + blue) }
    }
}

/// How a test ended with nothing armed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum PlainOutcome {
    #[default]
    Passed,
    /// What it said, in one line.
    Failed(String),
    Skipped(String),
    /// Its JVM ended or was ended, and how.
    Ended(String),
}

/// One run of one test with nothing armed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlainRun {
    pub(crate) outcome: PlainOutcome,
    /// From the request to the answer where the test was asked for alone, else from its start to its end.
    pub(crate) micros: u64,
    pub(crate) blue: bool,
    pub(crate) external: Vec<String>,
    pub(crate) threads_left: Vec<String>,
    /// In a table of their own.
    #[serde(skip)]
    pub(crate) usages: Vec<(PairNumber, Usages)>,
}

impl PlainRun {
    pub(crate) fn passed(&self) -> bool {
        self.outcome == PlainOutcome::Passed
    }

    pub(crate) fn usages_of(&self, pair: PairNumber) -> Option<Usages> {
        self.usages.iter().find(|(each, _)| *each == pair).map(|(_, usages)| *usages)
    }
}

/// One execution of an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Attempt {
    /// In a JVM of its own.
    pub(crate) is_fresh: bool,
    pub(crate) outcome: Outcome,
    pub(crate) reached: u64,
    pub(crate) fired: u64,
    pub(crate) caught_here: u64,
    pub(crate) caught_elsewhere: Vec<CaughtElsewhere>,
    pub(crate) made: Option<String>,
    pub(crate) micros: u64,
    /// Of the same test alone with nothing armed.
    pub(crate) unarmed_micros: u64,
}

impl Default for Attempt {
    fn default() -> Self {
        Self {
            is_fresh: false,
            outcome: Outcome::Pass,
            reached: 0,
            fired: 0,
            caught_here: 0,
            caught_elsewhere: Vec::new(),
            made: None,
            micros: 0,
            unarmed_micros: 0,
        }
    }
}
