//! The half of a trial in which an exception of the wider type is thrown at the beginning of the try, every time.

use super::refusal::Refusal;
use super::trial::{Trial, needs_fresh};
use crate::check::CheckError;
use crate::check::attempts::{attempt_of, not_itself};
use crate::check::observations::Attempt;
use crate::check::proof::Unproven;
use crate::check::slot::{Changes, Running, Slot};
use crate::check::solo::{fresh_time_limit, plain_time_limit, run_plain, time_limit};
use crate::check::trials::max_fired;
use crate::store::KnownTest;
use crate::worker::WorkerEnd;
use catchment_protocol::lab::{Aim, Injection};
use catchment_verdicts::{Execution, NoOutcome, Outcome, TestId};
use std::time::Duration;

impl Trial<'_, '_, '_> {
    /// Throws an exception of the wider type at the beginning of the try, every time. Where a worker does not say that the test
    /// passes, two fresh JVMs have to.
    pub(super) fn inject(
        &self,
        slot: &mut Slot<'_>,
        execution: &Execution,
        changes: &Changes,
    ) -> Result<Option<Refusal>, CheckError> {
        let needed = if needs_fresh(execution) {
            1
        } else if self.passes_warm(slot, execution, changes)? {
            return Ok(None);
        } else {
            2
        };
        for _ in 0..needed {
            let attempt = self.inject_fresh(slot, execution, changes)?;
            if let Some(refusal) = self.refusal(execution.test, &attempt) {
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
        self.pair.types.iter().any(|each| made.ends_with(&format!(" {each}")))
    }

    /// A pass counts once the test has passed again with nothing thrown: something may have been left behind.
    fn passes_warm(
        &self,
        slot: &mut Slot<'_>,
        execution: &Execution,
        changes: &Changes,
    ) -> Result<bool, CheckError> {
        let (number, test) = self.known(execution.test);
        let limit = time_limit(self.experiments.baseline.longest_micros(*number));
        let injection = self.injection(execution, changes)?;
        if !self.experiments.settle_warm(slot, *number, test, &mut Unproven::default())? {
            return Ok(false);
        }
        let running = slot.warm(test.configuration).map_err(CheckError::Worker)?;
        let (attempt, has_ended) = injected(running, test, injection, limit)?;
        if has_ended || self.refusal(execution.test, &attempt).is_some() {
            slot.discard();
            return Ok(false);
        }
        let again = self.run_warm(slot, execution.test)?;
        let is_proven = again.failure.is_none() && again.entries > 0;
        if !is_proven {
            slot.discard();
        }
        Ok(is_proven)
    }

    fn inject_fresh(
        &self,
        slot: &mut Slot<'_>,
        execution: &Execution,
        changes: &Changes,
    ) -> Result<Attempt, CheckError> {
        let (number, test) = self.known(execution.test);
        let longest = self.experiments.baseline.longest_micros(*number);
        let injection = self.injection(execution, changes)?;
        let mut running = slot.start(test.configuration, true).map_err(CheckError::Worker)?;
        if !needs_fresh(execution) {
            let ((plain, _), _) = run_plain(&mut running, test, plain_time_limit(longest))?;
            if !plain.passed() {
                return Ok(not_itself());
            }
        }
        let (attempt, has_ended) = injected(&mut running, test, injection, fresh_time_limit(longest))?;
        if !has_ended {
            running.stop();
        }
        Ok(attempt)
    }

    fn injection(&self, execution: &Execution, changes: &Changes) -> Result<Injection, CheckError> {
        let (number, _) = self.known(execution.test);
        let campaign = self.experiments.shared.campaign();
        // Something that was caught here says what it might look like.
        let sample = campaign.store.sample(self.subject.number, *number, self.rung, true)?;
        let mut ids = changes.ids.iter().filter(|(_, number)| **number == self.subject.number);
        Ok(Injection {
            pair: ids.next().map(|(id, _)| id.clone()).unwrap_or_default(),
            exception: self.rung.to_owned(),
            sample,
            max_fired: max_fired(execution.usages.entries()),
            aim: Aim::Every,
            place: None,
        })
    }
}

/// A worker that was lost may not be the next time.
fn nothing_said(test: TestId, why: &NoOutcome) -> Refusal {
    let told = match why.detail() {
        "" => why.as_str().to_owned(),
        detail => format!("{}: {detail}", why.as_str()),
    };
    match why {
        NoOutcome::WorkerLost(_) => Refusal::Unanswered { test, why: told },
        _ => Refusal::NotInjectable { test, why: told },
    }
}

/// Also says whether the JVM has ended over it.
fn injected(
    running: &mut Running<'_>,
    test: &KnownTest,
    injection: Injection,
    limit: Duration,
) -> Result<(Attempt, bool), CheckError> {
    let (result, _) = running.run_test(&test.unit.id, Some(injection), limit);
    if let Err(WorkerEnd::Interrupted) = result {
        return Err(CheckError::Interrupted);
    }
    let attempt = attempt_of(&result, running.heard.fired.is_some(), |_| None);
    Ok((attempt, result.is_err()))
}

#[cfg(test)]
mod tests {
    use super::super::kept::KeptTrial;
    use super::*;

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
        for lost in [Outcome::None(NoOutcome::WorkerLost("disk full".into())), not_itself().outcome] {
            let Outcome::None(why) = lost else { panic!("it says nothing") };
            let refusal = nothing_said(TestId(1), &why);
            assert!(refusal.explain(|_| "t".into(), |_| String::new()).starts_with("t could not be asked: "));
            assert_eq!(KeptTrial::of(&Err(refusal)), None);
        }
    }
}
