//! From the worker's report of one run under an experiment to the plain values that `verdicts` judges.

use crate::slot::events::describe;
use crate::worker::WorkerEnd;
use catchment_protocol::conversation::{Outcome, TestRun};
use catchment_protocol::experiment::Observed;
use catchment_verdicts::{
    Attempt, CaughtElsewhere, CheckedPair, FailureKind, JvmEnd, ObservedRun, TestEnd, TestFailure,
};

/// The clause of a pair for people: `com.acme.Cache.load  Cache.java:83`.
pub(crate) fn location_of(pair: &CheckedPair) -> String {
    let clause = &pair.clause;
    let line = clause.line().map(|line| format!(":{line}")).unwrap_or_default();
    let file = clause.source_file.as_deref().unwrap_or("unknown source");
    format!("{}.{}  {file}{line}", clause.class, clause.method)
}

/// The attempt that a run of a test with an injection amounts to.
pub(crate) fn attempt_of(
    result: &Result<TestRun, WorkerEnd>,
    has_fired: bool,
    location_of_clause: impl Fn(u32) -> Option<String>,
) -> Attempt {
    match result {
        Err(end) => Attempt::of_jvm_end(jvm_end(end), has_fired),
        Ok(run) => match &run.observed {
            None => Attempt::lost("the worker did not say what became of the injection".into()),
            Some(observed) => Attempt::of_run(observed_run(run, observed, location_of_clause)),
        },
    }
}

fn jvm_end(end: &WorkerEnd) -> JvmEnd {
    let kind = match end {
        WorkerEnd::Timeout { .. } | WorkerEnd::EndlessLoop { .. } => Some(FailureKind::Timeout),
        WorkerEnd::Exit { .. } => Some(FailureKind::Exit),
        WorkerEnd::OutOfMemory => Some(FailureKind::Oom),
        WorkerEnd::Crash { .. } => Some(FailureKind::Crash),
        WorkerEnd::Unusable { .. } | WorkerEnd::Interrupted | WorkerEnd::OutOfTime => None,
    };
    JvmEnd { kind, text: end.to_string() }
}

fn observed_run(
    run: &TestRun,
    observed: &Observed,
    location_of_clause: impl Fn(u32) -> Option<String>,
) -> ObservedRun {
    let location = |counter: u32| location_of_clause(counter).unwrap_or_else(|| "another clause".to_owned());
    let caught_elsewhere = observed.caught_elsewhere.iter();
    ObservedRun {
        end: test_end(run),
        reached: observed.reached,
        fired: observed.fired,
        caught_here: observed.caught_here,
        caught_elsewhere: caught_elsewhere
            .map(|(counter, count)| CaughtElsewhere { place: location(*counter), count: *count })
            .collect(),
        made: observed.made.clone(),
    }
}

fn test_end(run: &TestRun) -> TestEnd {
    match (run.outcome, &run.failure) {
        (Outcome::Passed, _) => TestEnd::Passed,
        (Outcome::Skipped, failure) => TestEnd::Skipped(failure.as_ref().map(describe).unwrap_or_default()),
        (Outcome::Failed, None) => {
            TestEnd::Failed(TestFailure { text: "the test failed".to_owned(), ..TestFailure::default() })
        }
        (Outcome::Failed, Some(failure)) => TestEnd::Failed(TestFailure {
            text: describe(failure),
            is_injected: failure.is_injected,
            is_artefact: failure.is_artefact,
            is_out_of_memory: failure.is_out_of_memory,
        }),
    }
}
