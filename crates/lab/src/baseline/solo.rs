//! Plain runs of one test alone: twice in a row in a warm worker, as its experiments will run it, or in a JVM of its own.
//!
//! A try that a test executes in the suite and not in its second run alone may run once per JVM (see
//! [`super::once_per_jvm`]). An execution in the first run alone that the suite does not have belongs to whichever test came
//! first in that worker, and is no evidence.

use crate::observations::{PairNumber, PlainRun};
use crate::session::LabError;
use crate::slot::{JvmUse, Running, Slot};
use crate::store::KnownTest;
use catchment_protocol::experiment::Sample;
use std::time::Duration;

pub(crate) const RUNS: u32 = 2;

/// Samples of caught exceptions, by pair.
type Samples = Vec<(PairNumber, Sample)>;

/// The runs of a test alone in a warm worker.
#[derive(Debug, Default)]
pub(super) struct SoloRuns {
    pub(super) runs: Vec<PlainRun>,
    pub(super) samples: Samples,
    /// The test has left threads behind.
    pub(super) has_littered: bool,
    /// The JVM in which the worker was before has ended.
    pub(super) has_ended: bool,
}

pub(super) fn run_twice(
    slot: &mut Slot<'_>,
    test: &KnownTest,
    limit: Duration,
) -> Result<SoloRuns, LabError> {
    let mut solo = SoloRuns::default();
    for _ in 0..RUNS {
        let running = slot.warm(test.configuration)?;
        let ((run, found), has_ended) = run_plain(running, test, limit)?;
        solo.has_littered |= !run.threads_left.is_empty();
        solo.has_ended |= has_ended;
        solo.runs.push(run);
        solo.samples.extend(found);
        if has_ended {
            slot.discard();
        }
    }
    Ok(solo)
}

pub(crate) fn run_fresh(
    slot: &mut Slot<'_>,
    test: &KnownTest,
    limit: Duration,
) -> Result<(PlainRun, Samples), LabError> {
    let mut running = slot.start(test.configuration, JvmUse::Fresh)?;
    let ((run, samples), has_ended) = run_plain(&mut running, test, limit)?;
    if !has_ended {
        running.stop();
    }
    Ok((run, samples))
}

/// Also says whether the JVM has ended over it.
pub(crate) fn run_plain(
    running: &mut Running<'_>,
    test: &KnownTest,
    limit: Duration,
) -> Result<((PlainRun, Samples), bool), LabError> {
    let (result, micros) = running.run_test(&test.unit.id, None, limit)?;
    let plain = PlainRun { micros, ..running.events.plain_of(&result) };
    let samples = result.as_ref().map(|run| running.events.samples(run)).unwrap_or_default();
    Ok(((plain, samples), result.is_err()))
}

/// With nothing armed a test that passed in the suite ends. The first in a JVM pays for what prepares its class, a server
/// perhaps, and on a busy machine that takes its time: giving up early would cost the next test the same again.
pub(crate) fn plain_time_limit(baseline_micros: u64) -> Duration {
    Duration::from_secs(120).max(Duration::from_micros(baseline_micros.saturating_mul(20)))
}

/// Time is the backstop only: endless loops through a try are found by counting.
pub(crate) fn time_limit(baseline_micros: u64) -> Duration {
    Duration::from_secs(10).max(Duration::from_micros(baseline_micros.saturating_mul(10)))
}

/// In a cold JVM everything takes longer.
pub(crate) fn fresh_time_limit(baseline_micros: u64) -> Duration {
    Duration::from_secs(20).max(Duration::from_micros(baseline_micros.saturating_mul(20)))
}
