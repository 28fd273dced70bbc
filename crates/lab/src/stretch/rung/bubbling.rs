//! Whether an exception that a stretched clause would catch is one that a test sees today: then the clause is specified to
//! let it pass.

use crate::session::LabError;
use crate::slot::{Changes, Slot};
use crate::stretch::rung::{RungQuestion, Series, looking, needs_fresh};
use crate::trial::engine::Question;
use catchment_protocol::conversation::{self, TestRun};
use catchment_protocol::experiment::Passing;
use catchment_verdicts::{Attempt, Demands, Failure, FailureKind, NoOutcome, Outcome};

impl RungQuestion<'_, '_, '_> {
    /// Whether an exception of the wider type that passes the clause as it is now comes to the test, the same object. `None`
    /// where that cannot be told.
    pub(super) fn bubbles(
        &self,
        slot: &mut Slot<'_>,
        series: &mut Series<'_, '_>,
    ) -> Result<Option<bool>, LabError> {
        let test = series.executing.test;
        if !self.trials.baseline.reaches_test(self.trials.test(test).0) {
            return Ok(Some(false));
        }
        let passing = Passing { pair: self.pair.clause.id.clone(), exception: self.rung.to_owned() };
        let demands = Demands { only_fresh: true, ..series.demands };
        let following = looking(self.pair.clause.id.clone(), Some(passing));
        let question = Question {
            reading: Box::new(|attempt, run| Attempt { outcome: followed(run.test_run()), ..attempt }),
            ..Question::new(test, following, demands, needs_fresh(series.executing))
        };
        // The classes as they were built: in the changed ones the exception ends in the clause.
        slot.change(Changes::default());
        let result = self.vote(slot, &question, series);
        slot.change(series.changes.clone());
        Ok(result?.and_then(|result| match result.outcome {
            Outcome::Pass => Some(false),
            Outcome::Fail(_) => Some(true),
            Outcome::None(_) => None,
        }))
    }
}

/// A failure if an exception came to the test. There is no outcome if the JVM has ended over it, or the test has not passed.
fn followed(run: Option<&TestRun>) -> Outcome {
    let passed = run.filter(|run| run.outcome == conversation::Outcome::Passed);
    match passed.and_then(|run| run.observed.as_ref()).map(|observed| &observed.bubbled) {
        None => Outcome::None(NoOutcome::Diverged),
        Some(None) => Outcome::Pass,
        Some(Some(exception)) => {
            Outcome::Fail(Failure { kind: FailureKind::Assertion, text: exception.clone() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_protocol::experiment::Observed;

    fn run(outcome: conversation::Outcome, bubbled: Option<&str>) -> TestRun {
        let observed = Observed { bubbled: bubbled.map(str::to_owned), ..Observed::default() };
        TestRun { outcome, observed: Some(Box::new(observed)), ..TestRun::default() }
    }

    #[test]
    fn only_a_test_that_passes_tells_what_it_sees() {
        use conversation::Outcome::{Failed, Passed, Skipped};
        assert!(
            matches!(followed(Some(&run(Passed, Some("a.E")))), Outcome::Fail(seen) if seen.text == "a.E")
        );
        assert_eq!(followed(Some(&run(Passed, None))), Outcome::Pass);
        let unknown = Outcome::None(NoOutcome::Diverged);
        for outcome in [Failed, Skipped] {
            assert_eq!(followed(Some(&run(outcome, Some("a.E")))), unknown);
        }
        let silent = TestRun { outcome: Passed, ..TestRun::default() };
        assert_eq!(followed(Some(&silent)), unknown);
        assert_eq!(followed(None), unknown, "the JVM has ended");
    }
}
