//! Whether an exception that a stretched clause would catch is one that a test sees today: then the clause is specified to
//! let it pass.

use crate::session::LabError;
use crate::slot::{Changes, Slot};
use crate::stretch::rung::{RungQuestion, needs_fresh};
use crate::trial::engine::Question;
use crate::worker::WorkerEnd;
use catchment_protocol::conversation::{Outcome, TestRun};
use catchment_protocol::experiment::{Act, Experiment, Passing, Sites, Watch, When};
use catchment_verdicts::{Demands, ExecutingTest};

impl RungQuestion<'_, '_, '_> {
    /// Whether an exception of the wider type that passes the clause as it is now comes to the test, the same object. `None`
    /// where that cannot be told.
    pub(crate) fn bubbles(
        &self,
        slot: &mut Slot<'_>,
        executing: &ExecutingTest,
        changes: &Changes,
    ) -> Result<Option<bool>, LabError> {
        let (number, _) = self.known(executing.test);
        if !self.trials.baseline.reaches_test(*number) {
            return Ok(Some(false));
        }
        // The classes as they were built: in the changed ones the exception ends in the clause.
        slot.change(Changes::default());
        let followed = self.follow(slot, executing);
        slot.change(changes.clone());
        followed
    }

    fn follow(&self, slot: &mut Slot<'_>, executing: &ExecutingTest) -> Result<Option<bool>, LabError> {
        let passing = Passing { pair: self.pair.clause.id.clone(), exception: self.rung.to_owned() };
        let following = Experiment {
            sites: Sites::Tries(self.pair.clause.id.clone()),
            when: When::default(),
            act: Act::Nothing,
            watch: Watch { passing: Some(passing), ..Watch::default() },
            most_visits: 0,
        };
        let question = Question::new(executing.test, following, Demands::default(), needs_fresh(executing));
        let limit = self.trials.plain_limit(executing.test);
        match self.trials.run_fresh(slot, &question, limit)? {
            None => Ok(None),
            Some((running, result)) => {
                if result.is_ok() {
                    running.stop();
                }
                bubbled(result)
            }
        }
    }
}

/// `None` if the JVM has ended over it, or the test has not passed.
fn bubbled(result: Result<TestRun, WorkerEnd>) -> Result<Option<bool>, LabError> {
    match result {
        Ok(run) if run.outcome == Outcome::Passed => {
            Ok(run.observed.map(|observed| observed.bubbled.is_some()))
        }
        Err(WorkerEnd::Interrupted) => Err(LabError::Interrupted),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_protocol::experiment::Observed;

    fn run(outcome: Outcome, bubbled: Option<&str>) -> TestRun {
        let observed = Observed { bubbled: bubbled.map(str::to_owned), ..Observed::default() };
        TestRun { outcome, observed: Some(Box::new(observed)), ..TestRun::default() }
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
