//! Whether an exception that a stretched clause would catch is one that a test sees today: then the clause is specified to
//! let it pass.

use super::trial::{Trial, needs_fresh};
use crate::check::CheckError;
use crate::check::slot::{Changes, Slot};
use crate::check::solo::{plain_time_limit, run_plain};
use crate::worker::WorkerEnd;
use catchment_protocol::lab::{Aim, Injection, Outcome, TestRun};
use catchment_verdicts::Execution;

impl Trial<'_, '_, '_> {
    /// Whether an exception of the wider type that passes the clause as it is now comes to the test, the same object. `None`
    /// where that cannot be told.
    pub(super) fn bubbles(
        &self,
        slot: &mut Slot<'_>,
        execution: &Execution,
        changes: &Changes,
    ) -> Result<Option<bool>, CheckError> {
        let (number, _) = self.known(execution.test);
        if !self.experiments.baseline.reaches_test(*number) {
            return Ok(Some(false));
        }
        // The classes as they were built: in the changed ones the exception ends in the clause.
        slot.change(Changes::default());
        let followed = self.follow(slot, execution);
        slot.change(changes.clone());
        followed
    }

    fn follow(&self, slot: &mut Slot<'_>, execution: &Execution) -> Result<Option<bool>, CheckError> {
        let (number, test) = self.known(execution.test);
        let limit = plain_time_limit(self.experiments.baseline.longest_micros(*number));
        let mut running = slot.start(test.configuration, true).map_err(CheckError::Worker)?;
        if !needs_fresh(execution) {
            let ((plain, _), has_ended) = run_plain(&mut running, test, limit)?;
            if has_ended || !plain.passed() {
                return Ok(None);
            }
        }
        let injection = Injection {
            pair: self.pair.id.clone(),
            exception: self.rung.to_owned(),
            aim: Aim::Passing,
            ..Injection::default()
        };
        let (result, _) = running.run_test(&test.unit.id, Some(injection), limit);
        if result.is_ok() {
            running.stop();
        }
        bubbled(result)
    }
}

/// `None` if the JVM has ended over it, or the test has not passed.
fn bubbled(result: Result<TestRun, WorkerEnd>) -> Result<Option<bool>, CheckError> {
    match result {
        Ok(run) if run.outcome == Outcome::Passed => {
            Ok(run.injected.map(|injected| injected.bubbled.is_some()))
        }
        Err(WorkerEnd::Interrupted) => Err(CheckError::Interrupted),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_protocol::lab::Injected;
    use catchment_protocol::occurrences::Occurrences;

    fn run(outcome: Outcome, bubbled: Option<&str>) -> TestRun {
        let injected = Injected {
            reached: 0,
            fired: 0,
            caught_here: 0,
            caught_elsewhere: Vec::new(),
            made: Ok(String::new()),
            occurrences: Occurrences::default(),
            samples: Vec::new(),
            places: Vec::new(),
            bubbled: bubbled.map(str::to_owned),
        };
        TestRun { outcome, injected: Some(Box::new(injected)), ..TestRun::default() }
    }

    #[test]
    fn only_a_test_that_passes_tells_what_it_sees() {
        assert_eq!(bubbled(Ok(run(Outcome::Passed, Some("a.E")))).unwrap(), Some(true));
        assert_eq!(bubbled(Ok(run(Outcome::Passed, None))).unwrap(), Some(false));
        for outcome in [Outcome::Failed, Outcome::Skipped] {
            assert_eq!(bubbled(Ok(run(outcome, Some("a.E")))).unwrap(), None);
        }
        let silent = TestRun { outcome: Outcome::Passed, ..TestRun::default() };
        assert_eq!(bubbled(Ok(silent)).unwrap(), None);
        for lost in [WorkerEnd::Exit { code: Some(3) }, WorkerEnd::OutOfMemory] {
            assert_eq!(bubbled(Err(lost)).unwrap(), None);
        }
        assert!(bubbled(Err(WorkerEnd::Interrupted)).is_err());
    }
}
