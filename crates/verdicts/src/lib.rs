//! From what a run observed to what it means: the two exception contracts, judged pair by pair.
//!
//! Pure functions over plain values. `lab` fills a [`CheckedProject`], this crate judges it, `report` shows it. Nothing
//! here knows files, clocks, processes or how a report looks.

mod advice;
mod experiment;
mod findings;
mod fine;
mod judge;
mod matrix;
mod nearest;
mod needed;
mod project;
mod selective;
mod stats;
mod tables;
mod unknown;

pub use advice::{advice, advice_on_dependence, explain};
pub use experiment::{CaughtElsewhere, Experiment, Failure, FailureKind, Mode, NoOutcome, NotRun, Outcome};
pub use findings::{Finding, FindingKind, Findings, StaleSuppression, Suppression, find};
pub use judge::{Judgement, PureResilience, SourceIndependence, Verdicts, judge, judge_all};
pub use nearest::{NearestTest, Nearness, nearest_test};
pub use needed::{Needed, Step, what_is_needed};
pub use project::{
    CheckedConfiguration, CheckedPair, CheckedProject, CheckedTest, Execution, FineGrained, FinePlace,
    Problem, Reliance, SetAside, SingleExecutions, TestColour, TestId, Usages,
};
pub use stats::{Stats, Timed};
pub use tables::{PairTable, PairTables, TestTable};
pub use unknown::Unknown;
