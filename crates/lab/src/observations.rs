//! Observations of plain runs, as they are stored: a copy for the store would have the same fields, and a test of `store`
//! pins their names.

use crate::store::stored;
use catchment_verdicts::ColourCounts;
use catchment_watch::Usages;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A pair's number in the store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct PairNumber(pub(crate) i64);

/// A test's number in the store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TestNumber(pub(crate) i64);

/// The phase of the baseline that a plain run belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// All tests of a configuration, one after the other, in one JVM.
    Suite,
    /// Alone in a worker that runs other tests before and after.
    Solo,
    /// Alone in a JVM of its own.
    Fresh,
    /// With the other tests of its class, and no others, in a worker.
    Class,
}

impl Phase {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Suite => "suite",
            Self::Solo => "solo",
            Self::Fresh => "fresh",
            Self::Class => "class",
        }
    }
}

/// Usages by colour. What had not ended when the test had is open. More ends than entries come from executions that another
/// test began.
pub(crate) fn by_colour(usages: &Usages) -> ColourCounts {
    let Usages { entries, pink, white, .. } = *usages;
    let blue = usages.blue();
    ColourCounts { pink, white, blue, open: entries.saturating_sub(pink + white + blue) }
}

/// The end of a plain run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum PlainOutcome {
    #[default]
    Passed,
    /// The failure in one line.
    Failed(String),
    Skipped(String),
    /// The JVM ended or was ended, in one line.
    Ended(String),
}

impl PlainOutcome {
    fn severity(&self) -> u8 {
        match self {
            Self::Skipped(_) => 0,
            Self::Passed => 1,
            Self::Failed(_) => 2,
            Self::Ended(_) => 3,
        }
    }
}

/// One run of one test with nothing armed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PlainRun {
    pub(crate) outcome: PlainOutcome,
    /// From the request to the answer where the test was asked for alone, else from its start to its end.
    pub(crate) micros: u64,
    /// Exceptions that left the application into the test; counted to the end in a suite only.
    pub(crate) escaped: u64,
    pub(crate) external: Vec<String>,
    pub(crate) threads_left: Vec<String>,
    #[serde(with = "stored::usages")]
    pub(crate) usages: Vec<(PairNumber, Usages)>,
    /// In a suite: what was used since the test before, which belongs to no test. What prepares its class is here.
    #[serde(with = "stored::usages")]
    pub(crate) before: Vec<(PairNumber, Usages)>,
}

impl PlainRun {
    pub(crate) fn passed(&self) -> bool {
        self.outcome == PlainOutcome::Passed
    }

    /// The reason why the run has not passed, in one line.
    pub(crate) fn failure(&self) -> Option<String> {
        match &self.outcome {
            PlainOutcome::Passed => None,
            PlainOutcome::Failed(what) | PlainOutcome::Ended(what) => Some(what.clone()),
            PlainOutcome::Skipped(what) => Some(format!("skipped: {what}")),
        }
    }

    /// Takes another part of the same test in: the worse outcome, and the sum of the rest. `before` is known to both.
    pub(crate) fn add(&mut self, other: Self) {
        if self.outcome.severity() < other.outcome.severity() {
            self.outcome = other.outcome;
        }
        self.micros += other.micros;
        self.escaped += other.escaped;
        self.external.extend(other.external);
        self.threads_left.extend(other.threads_left);
        for (pair, more) in other.usages {
            match self.usages.iter_mut().find(|(each, _)| *each == pair) {
                Some((_, usages)) => usages.add(&more),
                None => self.usages.push((pair, more)),
            }
        }
    }

    /// The run with what the same test did before an edit in the pairs `once`, and between tests.
    pub(crate) fn with_former(mut self, former: &Self, once: &BTreeSet<PairNumber>) -> Self {
        self.usages.retain(|(pair, _)| !once.contains(pair));
        self.usages.extend(former.usages.iter().filter(|(pair, _)| once.contains(pair)));
        self.usages.sort_by_key(|(pair, _)| *pair);
        Self { before: former.before.clone(), ..self }
    }

    pub(crate) fn is_skipped(&self) -> bool {
        matches!(self.outcome, PlainOutcome::Skipped(_))
    }

    pub(crate) fn usages_of(&self, pair: PairNumber) -> Option<Usages> {
        self.usages.iter().find(|(each, _)| *each == pair).map(|(_, usages)| *usages)
    }
}

/// By test, and counted from 0.
pub(crate) type Runs = BTreeMap<(TestNumber, u32), PlainRun>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_one_test_add_up_and_the_worst_outcome_counts() {
        let pair = PairNumber(1);
        let part = |outcome, white| {
            let usages = vec![(pair, Usages { entries: 2, pink: 2 - white, white, ..Usages::default() })];
            PlainRun { outcome, micros: 5, usages, ..PlainRun::default() }
        };
        let mut run = part(PlainOutcome::Passed, 0);
        run.add(part(PlainOutcome::Failed("no".into()), 2));
        run.add(part(PlainOutcome::Skipped(String::new()), 1));
        assert_eq!(run.outcome, PlainOutcome::Failed("no".into()));
        assert_eq!(run.micros, 15);
        assert_eq!(run.usages_of(pair), Some(Usages { entries: 6, pink: 3, white: 3, ..Usages::default() }));
    }
}
