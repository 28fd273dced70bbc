//! From what a run observed to what it means: the two exception contracts, judged pair by pair.
//!
//! Pure functions over plain values. `lab` fills a [`CheckedProject`], this crate judges it, `report` shows it. Nothing
//! here knows files, clocks, processes or how a report looks.

mod experiment;
mod judge;
mod matrix;
mod needed;
mod project;
mod stats;
mod unknown;

pub use experiment::{CaughtElsewhere, Experiment, Failure, FailureKind, Mode, NoOutcome, NotRun, Outcome};
pub use judge::{Judgement, PureResilience, SourceIndependence, Verdicts, judge, judge_all};
pub use needed::{Needed, Step, what_is_needed};
pub use project::{
    CheckedConfiguration, CheckedPair, CheckedProject, CheckedTest, Execution, Problem, SetAside, TestColour,
    TestId, Usages,
};
pub use stats::{Stats, Timed};
pub use unknown::Unknown;
