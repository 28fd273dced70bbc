//! One attempt at an experiment, in a warm worker or in a fresh JVM.
//!
//! The baseline of a test is its second run in a JVM, so an attempt too follows a run of its test in the same JVM with
//! nothing armed: otherwise the exception would also hit what happens once per JVM, such as a static initialiser. Only where
//! the pair is used once per JVM does the attempt come first.

use super::attempts::{attempt_of, not_itself, place_of};
use super::campaign::CheckError;
use super::experiments::{Experiments, Task};
use super::fine::unless_elsewhere;
use super::history::unless_diverged;
use super::observations::{Attempt, TestNumber};
use super::proof::Unproven;
use super::slot::{Running, Slot};
use super::solo::{fresh_time_limit, plain_time_limit, run_plain, time_limit};
use crate::store::KnownTest;
use crate::worker::WorkerEnd;
use catchment_protocol::lab::{Injection, TestRun};
use std::time::Instant;

/// More executions of a try than so many times the baseline's, and then some, never end.
const ENDLESS_FACTOR: u64 = 100;
const ENDLESS_ALLOWANCE: u64 = 10_000;

impl Experiments<'_, '_> {
    /// A worker that does not survive it takes its unproven results with it.
    pub(crate) fn attempt_warm(
        &self,
        slot: &mut Slot<'_>,
        task: &Task,
        unproven: &mut Unproven,
    ) -> Result<Attempt, CheckError> {
        let (number, test) = &self.baseline.tests[task.key.test.index()];
        let limit = time_limit(self.baseline.longest_micros(*number));
        let injection = self.injection(task, task.usages.entries())?;
        if !self.settle_warm(slot, *number, test, unproven)? {
            return Ok(not_itself());
        }
        let running = slot.warm(test.configuration).map_err(CheckError::Worker)?;
        let (result, micros) = running.run_test(&test.unit.id, Some(injection), limit);
        let attempt = self.judged(running, &result, micros, *number)?;
        let attempt = of_task(task, running, &result, attempt);
        match &result {
            Err(_) => {
                slot.discard();
                self.put_back(unproven);
            }
            Ok(run) if !run.threads_left.is_empty() && self.note_litter(slot, &[*number]) => {
                unproven.condemn();
            }
            Ok(_) => {}
        }
        Ok(attempt)
    }

    /// Whether the worker is to be replaced for threads that these tests have left behind. Where they do so with nothing
    /// armed as well, that is not always worth it.
    pub(crate) fn note_litter(&self, slot: &mut Slot<'_>, tests: &[TestNumber]) -> bool {
        let is_expected = tests.iter().any(|test| self.baseline.leaves_threads(*test));
        slot.note_litter() || !is_expected
    }

    pub(crate) fn attempt_fresh(&self, slot: &mut Slot<'_>, task: &Task) -> Result<Attempt, CheckError> {
        let (number, test) = &self.baseline.tests[task.key.test.index()];
        let limit = fresh_time_limit(self.baseline.longest_micros(*number));
        let injection = self.injection(task, task.usages.entries())?;
        let begun = Instant::now();
        let mut running = slot.start(test.configuration, true).map_err(CheckError::Worker)?;
        if !task.comes_first {
            let plain_limit = plain_time_limit(self.baseline.longest_micros(*number));
            let ((plain, _), _) = run_plain(&mut running, test, plain_limit)?;
            if !plain.passed() {
                return Ok(Attempt { is_fresh: true, ..not_itself() });
            }
        }
        let (result, _) = running.run_test(&test.unit.id, Some(injection), limit);
        let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        let attempt = self.judged(&running, &result, micros, *number)?;
        let attempt = of_task(task, &running, &result, attempt);
        if result.is_ok() {
            running.stop();
        }
        Ok(Attempt { is_fresh: true, ..attempt })
    }

    /// Lets the test run once with nothing armed in the warm worker, unless it has. Whether it passed: a worker in which it
    /// does not is replaced, once.
    pub(crate) fn settle_warm(
        &self,
        slot: &mut Slot<'_>,
        number: TestNumber,
        test: &KnownTest,
        unproven: &mut Unproven,
    ) -> Result<bool, CheckError> {
        let limit = plain_time_limit(self.baseline.longest_micros(number));
        for _ in 0..2 {
            let running = slot.warm(test.configuration).map_err(CheckError::Worker)?;
            if running.has_settled(&test.unit.id) {
                return Ok(true);
            }
            let begun = Instant::now();
            let ((plain, _), has_ended) = run_plain(running, test, limit)?;
            self.shared.lab.stats().sentinels.add(begun.elapsed().as_secs_f64());
            if plain.passed() {
                return Ok(true);
            }
            self.replace(slot, has_ended, unproven)?;
        }
        Ok(false)
    }

    pub(crate) fn judged(
        &self,
        running: &Running<'_>,
        result: &Result<TestRun, WorkerEnd>,
        micros: u64,
        test: TestNumber,
    ) -> Result<Attempt, CheckError> {
        if let Err(WorkerEnd::Interrupted) = result {
            return Err(CheckError::Interrupted);
        }
        let campaign = self.shared.campaign();
        let place = |counter: u32| {
            let position = self.positions.get(&running.heard.meanings.clause_of(counter)?)?;
            Some(place_of(&campaign.checked.pairs[*position]))
        };
        let attempt = attempt_of(result, running.heard.fired.is_some(), place);
        Ok(Attempt { micros, unarmed_micros: self.baseline.solo_micros(test), ..attempt })
    }

    /// `entries` are the executions of the try in the baseline.
    pub(crate) fn injection(&self, task: &Task, entries: u64) -> Result<Injection, CheckError> {
        let campaign = self.shared.campaign();
        let planned = &task.planned;
        let pair = &campaign.checked.pairs[task.key.position];
        let own = task.single.as_ref().and_then(|single| single.sample.clone());
        let sample = match own {
            Some(sample) => Some(sample),
            None => {
                let is_only_type = pair.types.len() == 1;
                campaign.store.sample(planned.pair, planned.test, &planned.exception, is_only_type)?
            }
        };
        Ok(Injection {
            pair: pair.id.clone(),
            exception: task.planned.exception.clone(),
            sample,
            max_fired: max_fired(entries),
            aim: task.aim(),
            place: task.place.clone(),
        })
    }
}

/// With more executions of a try than this a test never ends; `entries` are those of the baseline.
pub(crate) fn max_fired(entries: u64) -> u64 {
    ENDLESS_ALLOWANCE + entries.saturating_mul(ENDLESS_FACTOR)
}

/// Where one execution was to be hit, the attempt counts only if it was that one; where a call was, only if it was hit in all.
fn of_task(
    task: &Task,
    running: &Running<'_>,
    result: &Result<TestRun, WorkerEnd>,
    attempt: Attempt,
) -> Attempt {
    match (&task.single, &task.place) {
        (Some(single), _) => unless_diverged(attempt, &single.before, running.heard.fired.as_ref()),
        (None, Some(_)) => unless_elsewhere(attempt, result.as_ref().ok()),
        (None, None) => attempt,
    }
}
