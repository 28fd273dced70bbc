//! The question in which an exception of the wider type is thrown at the beginning of the try, every time.

use crate::session::LabError;
use crate::slot::Slot;
use crate::stretch::refusal::Refusal;
use crate::stretch::rung::{RungQuestion, Series, needs_fresh};
use crate::trial::engine::{Question, most_visits};
use catchment_protocol::experiment::{Experiment, Fault};
use catchment_verdicts::{ExperimentResult, NoOutcome, Outcome, TestId};

impl RungQuestion<'_, '_, '_> {
    /// The reason against the wider type, if the test does not pass with it.
    pub(super) fn inject(
        &self,
        slot: &mut Slot<'_>,
        series: &mut Series<'_, '_>,
    ) -> Result<Option<Refusal>, LabError> {
        let question = self.throwing(series)?;
        Ok(self.vote(slot, &question, series)?.and_then(|result| self.refusal(result)))
    }

    fn refusal(&self, result: ExperimentResult) -> Option<Refusal> {
        let test = result.test;
        let made = result.made.unwrap_or_default();
        let is_old = self.pair.clause.types.iter().any(|caught| made.ends_with(&format!(" {caught}")));
        match result.outcome {
            // Of a sealed type one of the permitted ones is thrown.
            Outcome::Pass if is_old => {
                let why = "what can be made of it is what is caught already".to_owned();
                Some(Refusal::NotInjectable { test, why })
            }
            Outcome::Pass => None,
            Outcome::Fail(failure) => Some(Refusal::FailsUnderInjection { test, failure: failure.text }),
            Outcome::None(why) => Some(nothing_said(test, &why)),
        }
    }

    fn throwing(&self, series: &Series<'_, '_>) -> Result<Question, LabError> {
        let Series { executing, demands, changes, .. } = *series;
        let (number, _) = self.trials.test(executing.test);
        let ledger = self.trials.session.ledger();
        // Something that was caught here says what it might look like.
        let sample = ledger.store.sample(self.subject.number, *number, self.rung, true)?;
        let fault = Fault { exception: self.rung.to_owned(), sample, samples: Vec::new() };
        let most_visits = most_visits(executing.usages.entries());
        let experiment = Experiment::at_every_execution(self.changed_id(changes), fault, most_visits);
        Ok(Question::new(executing.test, experiment, demands, needs_fresh(executing)))
    }
}

/// A worker that was lost may not be the next time.
fn nothing_said(test: TestId, why: &NoOutcome) -> Refusal {
    let told = match why.detail() {
        // The clauses of changed classes have no place in the sources.
        _ if matches!(why, NoOutcome::CaughtElsewhere(_)) => format!("{}: another clause", why.as_str()),
        "" => why.as_str().to_owned(),
        detail => format!("{}: {detail}", why.as_str()),
    };
    match why {
        NoOutcome::WorkerLost(_) => Refusal::Unanswered { test, why: told },
        _ => Refusal::NotInjectable { test, why: told },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stretch::rung::stored::StoredAnswer;
    use catchment_verdicts::Attempt;

    #[test]
    fn why_nothing_could_be_thrown_is_told_in_full() {
        let why = |why: NoOutcome| nothing_said(TestId(1), &why);
        let not_injectable = |why: &str| Refusal::NotInjectable { test: TestId(1), why: why.to_owned() };
        let artefact = NoOutcome::Artefact("NullPointerException: of e.getCause()".into());
        assert_eq!(why(artefact), not_injectable("artefact: NullPointerException: of e.getCause()"));
        assert_eq!(why(NoOutcome::NotFired), not_injectable("not fired"));
    }

    #[test]
    fn lost_workers_are_not_kept() {
        for lost in
            [Outcome::None(NoOutcome::WorkerLost("disk full".into())), Attempt::baseline_failed().outcome]
        {
            let Outcome::None(why) = lost else { panic!("it says nothing") };
            let refusal = nothing_said(TestId(1), &why);
            assert!(refusal.explain(|_| "t".into(), |_| String::new()).starts_with("t could not be asked: "));
            assert_eq!(StoredAnswer::of(&Err(refusal)), None);
        }
    }
}
