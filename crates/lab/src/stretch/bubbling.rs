//! Whether an exception that a stretched clause would catch is one that a test sees today: then the clause is specified to
//! let it pass.

use super::trial::{Trial, needs_fresh};
use crate::check::CheckError;
use crate::check::slot::{Changes, Running, Slot};
use crate::check::solo::{plain_time_limit, run_plain};
use crate::store::KnownTest;
use crate::worker::WorkerEnd;
use catchment_protocol::lab::{Aim, Injection, Outcome};
use catchment_verdicts::Execution;
use std::time::Duration;

impl Trial<'_, '_, '_> {
    /// Whether an exception of the wider type that passes the clause as it is now comes to the test, the same object. Where that
    /// cannot be told it may.
    pub(super) fn bubbles(
        &self,
        slot: &mut Slot<'_>,
        execution: &Execution,
        changes: &Changes,
    ) -> Result<bool, CheckError> {
        let (number, _) = self.known(execution.test);
        if !self.experiments.baseline.reaches_test(*number) {
            return Ok(false);
        }
        // The classes as they were built: in the changed ones the exception ends in the clause.
        slot.change(Changes::default());
        let followed = self.follow(slot, execution);
        slot.change(changes.clone());
        followed
    }

    fn follow(&self, slot: &mut Slot<'_>, execution: &Execution) -> Result<bool, CheckError> {
        let (number, test) = self.known(execution.test);
        let limit = plain_time_limit(self.experiments.baseline.longest_micros(*number));
        let mut running = slot.start(test.configuration, true).map_err(CheckError::Worker)?;
        if !needs_fresh(execution) {
            let ((plain, _), has_ended) = run_plain(&mut running, test, limit)?;
            if has_ended || !plain.passed() {
                return Ok(true);
            }
        }
        let injection = Injection {
            pair: self.pair.id.clone(),
            exception: self.rung.to_owned(),
            aim: Aim::Passing,
            ..Injection::default()
        };
        let bubbles = followed(&mut running, test, injection, limit)?;
        if let Some(bubbles) = bubbles {
            running.stop();
            return Ok(bubbles);
        }
        Ok(true)
    }
}

/// `None` if the JVM has ended over it, or the test has not passed.
fn followed(
    running: &mut Running<'_>,
    test: &KnownTest,
    injection: Injection,
    limit: Duration,
) -> Result<Option<bool>, CheckError> {
    match running.run_test(&test.unit.id, Some(injection), limit).0 {
        Ok(run) if run.outcome == Outcome::Passed => {
            Ok(run.injected.map(|injected| injected.bubbled.is_some()))
        }
        Err(WorkerEnd::Interrupted) => Err(CheckError::Interrupted),
        _ => Ok(None),
    }
}
