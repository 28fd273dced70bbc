//! The half of a trial in which an exception of the wider type is thrown at the beginning of the try, every time.

use crate::session::LabError;
use crate::slot::{Changes, Slot};
use crate::stretch::refusal::Refusal;
use crate::stretch::rung::{RungQuestion, needs_fresh};
use crate::trial::engine::{Question, most_visits};
use crate::trial::proof::Unproven;
use catchment_protocol::experiment::{Experiment, Fault};
use catchment_verdicts::{Attempt, Demands, ExecutingTest, NoOutcome, Outcome, TestId};

impl RungQuestion<'_, '_, '_> {
    /// Throws an exception of the wider type at the beginning of the try, every time. Where a worker does not say that the test
    /// passes, two fresh JVMs have to.
    pub(crate) fn inject(
        &self,
        slot: &mut Slot<'_>,
        executing: &ExecutingTest,
        changes: &Changes,
    ) -> Result<Option<Refusal>, LabError> {
        let question = self.question(executing, changes)?;
        let needed = if question.comes_first {
            1
        } else if self.passes_warm(slot, &question)? {
            return Ok(None);
        } else {
            2
        };
        for _ in 0..needed {
            let attempt = self.trials.attempt_fresh(slot, &question)?;
            if let Some(refusal) = self.refusal(executing.test, &attempt) {
                return Ok(Some(refusal));
            }
        }
        Ok(None)
    }

    fn refusal(&self, test: TestId, attempt: &Attempt) -> Option<Refusal> {
        match &attempt.outcome {
            // Of a sealed type one of the permitted ones is thrown.
            Outcome::Pass if self.is_old(attempt) => {
                let why = "what can be made of it is what is caught already".to_owned();
                Some(Refusal::NotInjectable { test, why })
            }
            Outcome::Pass => None,
            Outcome::Fail(failure) => {
                Some(Refusal::FailsUnderInjection { test, failure: failure.text.clone() })
            }
            Outcome::None(why) => Some(nothing_said(test, why)),
        }
    }

    fn is_old(&self, attempt: &Attempt) -> bool {
        let made = attempt.made.as_deref().unwrap_or_default();
        self.pair.clause.types.iter().any(|each| made.ends_with(&format!(" {each}")))
    }

    /// A pass counts once the test has passed again with nothing thrown: something may have been left behind.
    fn passes_warm(&self, slot: &mut Slot<'_>, question: &Question) -> Result<bool, LabError> {
        let mut unproven = Unproven::nothing();
        let attempt = self.trials.attempt_warm(slot, question, &mut unproven)?;
        let passes = self.refusal(question.test, &attempt).is_none();
        let again = if passes { self.trials.passes_again(slot, question.test)? } else { None };
        let used = again.and_then(|run| run.usages_of(self.subject.number));
        let is_proven = used.is_some_and(|usages| usages.entries > 0);
        if !is_proven || unproven.is_condemned() {
            slot.discard();
        }
        Ok(is_proven)
    }

    fn question(&self, executing: &ExecutingTest, changes: &Changes) -> Result<Question, LabError> {
        let (number, _) = self.known(executing.test);
        let ledger = self.trials.session.ledger();
        // Something that was caught here says what it might look like.
        let sample = ledger.store.sample(self.subject.number, *number, self.rung, true)?;
        let mut ids = changes.ids.iter().filter(|(_, number)| **number == self.subject.number);
        let pair = ids.next().map(|(id, _)| id.clone()).unwrap_or_default();
        let fault = Fault { exception: self.rung.to_owned(), sample };
        let most_visits = most_visits(executing.usages.entries());
        let experiment = Experiment::at_every_execution(pair, fault, most_visits);
        let only_fresh = needs_fresh(executing);
        let demands = Demands { only_fresh, ..Demands::default() };
        Ok(Question::new(executing.test, experiment, demands, only_fresh))
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
