//! From what a run observed to what it means: the two exception contracts, judged pair by pair.
//!
//! Pure functions over plain values. `lab` fills a [`CheckedProject`], this crate judges it, `report` shows it. Nothing
//! here knows files, clocks, processes or how a report looks.

mod experiment;
mod project;
mod stats;

pub use experiment::{CaughtElsewhere, Experiment, Failure, FailureKind, Mode, NoOutcome, NotRun, Outcome};
pub use project::{
    CheckedConfiguration, CheckedPair, CheckedProject, CheckedTest, Execution, Problem, SetAside, TestColour,
    TestId, Usages,
};
pub use stats::{Stats, Timed};
