//! One clause that catches a wider type, tried on bytecode with all tests that execute its try.

use super::kept::KeptTrial;
use super::refusal::Refusal;
use super::subject::{Subject, changes};
use super::{Case, Evidence};
use crate::check::CheckError;
use crate::check::attempts::{attempt_of, not_itself};
use crate::check::experiments::Experiments;
use crate::check::observations::{Attempt, PlainOutcome, PlainRun, TestNumber};
use crate::check::proof::Unproven;
use crate::check::slot::{Changes, Running, Slot};
use crate::check::solo::{fresh_time_limit, plain_time_limit, run_fresh, run_plain, time_limit};
use crate::check::trials::max_fired;
use crate::store::KnownTest;
use crate::worker::WorkerEnd;
use catchment_protocol::lab::{Aim, Injection};
use catchment_verdicts::{CheckedPair, Execution, Outcome, TestId};
use std::time::Duration;

/// Pairs that a jar and a class folder both have are one pair.
const ELSEWHERE: &str =
    "a test executes its try in a class that was loaded from elsewhere, from a jar perhaps";

/// What is tried.
pub(crate) struct Trial<'t, 'a, 'p> {
    pub(crate) experiments: &'t Experiments<'a, 'p>,
    pub(crate) subject: &'t Subject,
    pub(crate) pair: &'t CheckedPair,
    pub(crate) rung: &'t str,
    /// The pair is a candidate for its pure resilience: every test is asked, not only those that enter the catch.
    pub(crate) is_resilient: bool,
}

/// What one test with nothing injected showed.
struct Plain {
    failure: Option<String>,
    /// Executions of the try of the stretched clause.
    entries: u64,
    /// Exceptions that it caught.
    white: u64,
}

impl Trial<'_, '_, '_> {
    pub(crate) fn run(&self, slot: &mut Slot<'_>) -> Result<Result<Evidence, Refusal>, CheckError> {
        let changes = match changes(&[(self.subject, self.rung)]) {
            Ok(changes) => changes,
            Err(refusal) => return Ok(Err(refusal)),
        };
        slot.change(changes.clone());
        let outcome = self.ask_all(slot, &changes);
        slot.change(Changes::default());
        outcome
    }

    fn ask_all(
        &self,
        slot: &mut Slot<'_>,
        changes: &Changes,
    ) -> Result<Result<Evidence, Refusal>, CheckError> {
        let mut evidence = Evidence::default();
        for execution in self.evidence() {
            if self.experiments.shared.is_interrupted() {
                return Err(CheckError::Interrupted);
            }
            if self.experiments.shared.is_over() {
                return Ok(Err(Refusal::OutOfTime));
            }
            match self.ask_once(slot, execution, changes)? {
                Err(refusal) => return Ok(Err(refusal)),
                Ok(one) => evidence.add(&one),
            }
        }
        Ok(Ok(evidence))
    }

    /// The tests that count and execute the try.
    fn evidence(&self) -> Vec<&Execution> {
        let campaign = self.experiments.shared.campaign();
        let tests = &campaign.checked.tests;
        self.pair.executions.iter().filter(|each| tests[each.test.index()].is_evidence()).collect()
    }

    /// Unless the answer is known from an earlier run.
    fn ask_once(
        &self,
        slot: &mut Slot<'_>,
        execution: &Execution,
        changes: &Changes,
    ) -> Result<Result<Evidence, Refusal>, CheckError> {
        let shared = self.experiments.shared;
        let (pair, (test, _)) = (self.subject.number, self.known(execution.test));
        let injects = if self.injects(execution) { "thrown" } else { "plain" };
        let kind = format!("stretched to {}, {injects}", self.rung);
        let known: Option<KeptTrial> = shared.campaign().store.answer(pair, *test, &kind)?;
        if let Some(known) = known {
            return Ok(known.told_by(execution.test));
        }
        let asked = shared.lab.turns.take(|| self.ask(slot, execution, changes))?;
        if let Some(kept) = KeptTrial::of(&asked) {
            let campaign = shared.campaign();
            campaign.store.together(|| campaign.store.keep_answer(pair, *test, &kind, &kept))?;
        }
        Ok(asked)
    }

    /// Whether this test is one of those that made the pair a candidate.
    fn injects(&self, execution: &Execution) -> bool {
        self.is_resilient || execution.usages.white > 0
    }

    fn ask(
        &self,
        slot: &mut Slot<'_>,
        execution: &Execution,
        changes: &Changes,
    ) -> Result<Result<Evidence, Refusal>, CheckError> {
        let id = execution.test;
        let plain = self.plain(slot, execution)?;
        let catches_more = plain.white > execution.usages.white;
        // A test that wants to see the exception fails without it, or takes it either way.
        if catches_more && self.bubbles(slot, execution, changes)? {
            return Ok(Err(Refusal::Expected { test: id }));
        }
        if let Some(failure) = plain.failure {
            return Ok(Err(Refusal::TestFails { test: id, failure }));
        }
        if plain.entries == 0 {
            return Ok(Err(Refusal::NotTriable(ELSEWHERE.to_owned())));
        }
        let case = if catches_more { Case::CatchesMore } else { Case::CatchesTheSame };
        let mut evidence = Evidence { case, tests: 1, injected: 0 };
        if self.injects(execution) {
            if let Some(refusal) = self.inject(slot, execution, changes)? {
                return Ok(Err(refusal));
            }
            evidence.injected = 1;
        }
        Ok(Ok(evidence))
    }

    pub(super) fn known(&self, test: TestId) -> &(TestNumber, KnownTest) {
        &self.experiments.baseline.tests[test.index()]
    }

    /// Where a worker says that it fails, two fresh JVMs have to say that it passes.
    fn plain(&self, slot: &mut Slot<'_>, execution: &Execution) -> Result<Plain, CheckError> {
        if needs_fresh(execution) {
            return self.plain_fresh(slot, execution);
        }
        let warm = self.plain_warm(slot, execution)?;
        if warm.failure.is_none() {
            return Ok(warm);
        }
        let first = self.plain_fresh(slot, execution)?;
        if first.failure.is_some() { Ok(first) } else { self.plain_fresh(slot, execution) }
    }

    fn plain_fresh(&self, slot: &mut Slot<'_>, execution: &Execution) -> Result<Plain, CheckError> {
        let (number, test) = self.known(execution.test);
        let limit = plain_time_limit(self.experiments.baseline.longest_micros(*number));
        let (run, _) = run_fresh(slot, test, limit)?;
        Ok(self.seen(&run))
    }

    /// In the second run of a test whatever happens once per JVM has happened, as in the baseline.
    fn plain_warm(&self, slot: &mut Slot<'_>, execution: &Execution) -> Result<Plain, CheckError> {
        let first = self.run_warm(slot, execution.test)?;
        let is_clear = first.failure.is_some() || first.white <= execution.usages.white;
        if is_clear { Ok(first) } else { self.run_warm(slot, execution.test) }
    }

    fn run_warm(&self, slot: &mut Slot<'_>, test: TestId) -> Result<Plain, CheckError> {
        let (number, test) = self.known(test);
        let limit = plain_time_limit(self.experiments.baseline.longest_micros(*number));
        let running = slot.warm(test.configuration).map_err(CheckError::Worker)?;
        let ((run, _), has_ended) = run_plain(running, test, limit)?;
        let plain = self.seen(&run);
        if has_ended || plain.failure.is_some() {
            slot.discard();
        }
        Ok(plain)
    }

    fn seen(&self, run: &PlainRun) -> Plain {
        let failure = match &run.outcome {
            PlainOutcome::Passed => None,
            PlainOutcome::Failed(what) | PlainOutcome::Ended(what) => Some(what.clone()),
            PlainOutcome::Skipped(what) => Some(format!("skipped: {what}")),
        };
        let usages = run.usages_of(self.subject.number).unwrap_or_default();
        Plain { failure, entries: usages.entries, white: usages.white }
    }

    /// Throws an exception of the wider type at the beginning of the try, every time. Where a worker does not say that the test
    /// passes, two fresh JVMs have to.
    fn inject(
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
        let cannot = |why: &str| Some(Refusal::NotInjectable { test, why: why.to_owned() });
        match &attempt.outcome {
            // Of a sealed type one of the permitted ones is thrown.
            Outcome::Pass if self.is_old(attempt) => {
                cannot("what can be made of it is what is caught already")
            }
            Outcome::Pass => None,
            Outcome::Fail(failure) => {
                Some(Refusal::FailsUnderInjection { test, failure: failure.text.clone() })
            }
            Outcome::None(why) => cannot(why.as_str()),
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

pub(super) fn needs_fresh(execution: &Execution) -> bool {
    execution.once_per_jvm || execution.needs_fresh
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
