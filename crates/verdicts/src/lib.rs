//! From what a run observed to what it means: the two exception contracts, judged pair by pair.
//!
//! Pure functions over plain values. `lab` fills a [`CheckedProject`], this crate judges it, `report` shows it. Nothing
//! here knows files, clocks, processes or how a report looks.
//!
//! The definitions are in `docs/semantics.md`, with the papers they come from: *the paper*, A_x, M\[x, a, type\].

mod advice;
mod attempt;
mod dependence;
mod experiment;
mod explanation;
mod finding;
mod findings;
mod fine;
mod frame;
mod judge;
mod matrix;
mod nearest;
mod needed;
mod nothing_tested;
mod project;
mod rules;
mod selective;
mod sites;
mod stats;
mod tables;
mod unfinished;
mod unknown;

pub use advice::{advice, advice_on_dependence, explain};
pub use attempt::{
    Attempt, Demands, JvmEnd, JvmKind, ObservedRun, TestEnd, TestFailure, experiment_of, next_jvm,
    not_injectable, taken_over,
};
pub use dependence::{Dependence, DependenceJudgement};
pub use experiment::{
    CaughtElsewhere, ExperimentResult, Failure, FailureKind, Mode, NoOutcome, NotRun, Outcome,
};
pub use explanation::reliance_words;
pub use finding::{Finding, Message, RelatedSite, SiteRole, SourceSite};
pub use findings::{
    CheckEvidence, CheckFinding, FindingPolicy, Findings, StaleSuppression, Suppression, findings_of,
    open_finding,
};
pub use judge::{Judgement, PureResilience, SourceIndependence, Verdicts, judge, judge_all};
pub use nearest::{NearestTest, Nearness, nearest_test};
pub use needed::{ASKED_FOR_THE_PLACE, Needed, Step, what_is_needed};
pub use nothing_tested::why_nothing_tested;
pub use project::{
    CheckedConfiguration, CheckedPair, CheckedProject, CheckedTest, ColourCounts, ExecutingTest, FieldRead,
    FineGrained, FineSite, Problem, Reliance, Selective, SetAside, TestColour, TestId,
};
pub use rules::{Level, Rule};
pub use stats::{Stats, Timed};
pub use tables::{PairTable, PairTables, TestTable};
pub use unfinished::{DecidedPairs, Unfinished};
pub use unknown::Unknown;
