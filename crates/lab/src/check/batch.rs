//! Several experiments at once: the same injection in tests of one class that have an expensive context in common.
//!
//! The class runs as in a suite. Whatever goes wrong with that (a test ends the JVM, or does not run at all) costs the
//! batch: those without an answer, or with one from a JVM that is gone, are tried alone.

use super::attempts::{is_doubtful, is_failure};
use super::campaign::CheckError;
use super::contexts::plain_class;
use super::experiments::{Experiments, Task};
use super::observations::Attempt;
use super::proof::Unproven;
use super::queue::{Key, Taken};
use super::slot::{ClassRun, Running, Slot};
use super::solo::time_limit;
use crate::worker::WorkerEnd;
use catchment_verdicts::TestId;
use std::time::Instant;

impl Experiments<'_, '_> {
    /// What can be done together with this task, which is taken from the queue.
    pub(crate) fn companions(&self, task: &Task) -> Vec<Task> {
        if !task.is_together {
            return Vec::new();
        }
        let class_of = |test: TestId| {
            let (_, test) = &self.baseline.tests[test.index()];
            (test.configuration, test.unit.class.as_str())
        };
        let is_companion = |key: &Key| {
            let (number, _) = self.baseline.tests[key.test.index()];
            key.exception == task.key.exception
                && class_of(key.test) == class_of(task.key.test)
                && self.baseline.is_together(number, task.planned.pair)
        };
        let campaign = self.shared.campaign();
        let more = self.queue().take_more(task.key.position, is_companion);
        let pair = &campaign.checked.pairs[task.key.position];
        let taken = |key| Taken { key, is_repeated: false, is_suspect: false };
        more.into_iter().map(|key| self.task(pair, taken(key))).collect()
    }

    /// All of one pair, exception and class.
    pub(crate) fn do_together(
        &self,
        slot: &mut Slot<'_>,
        tasks: &[Task],
        unproven: &mut Unproven,
    ) -> Result<(), CheckError> {
        let Some(first) = tasks.first() else { return Ok(()) };
        self.prove_before_another(slot, first, unproven)?;
        let attempts = self.shared.lab.turns.take(|| self.attempt_together(slot, first, tasks, unproven))?;
        let mut doubtful = None;
        for (task, attempt) in tasks.iter().zip(attempts) {
            if attempt.is_none() && self.shared.is_over() {
                continue;
            }
            if self.carry_out(slot, task, attempt.into_iter().collect(), unproven)? {
                doubtful = Some(task.key.test);
            }
        }
        self.prove_if_due(slot, doubtful, unproven)
    }

    /// `None` for those that have to be tried alone.
    fn attempt_together(
        &self,
        slot: &mut Slot<'_>,
        first: &Task,
        tasks: &[Task],
        unproven: &mut Unproven,
    ) -> Result<Vec<Option<Attempt>>, CheckError> {
        let (number, test) = &self.baseline.tests[first.key.test.index()];
        let longest = tasks.iter().map(|task| self.micros_of(task.key.test)).max().unwrap_or(0);
        let entries = tasks.iter().map(|task| task.usages.entries()).max().unwrap_or(0);
        let injection = self.injection(first, entries)?;
        if !self.settle_class(slot, tasks, longest, unproven)? {
            return Ok(vec![None; tasks.len()]);
        }
        let running = slot.warm(test.configuration).map_err(CheckError::Worker)?;
        let (seen, micros) = running.run_class(&test.unit.class, Some(injection), time_limit(longest));
        let count = tasks.len() as u64;
        let times =
            Times { micros: micros / count, unarmed_micros: self.baseline.class_micros(*number) / count };
        let attempts: Result<Vec<_>, _> =
            tasks.iter().map(|task| self.attempt_among(running, task, &seen, times)).collect();
        let attempts = attempts?;
        if seen.end.is_some() {
            slot.discard();
            self.put_back(unproven);
        } else if self.leaves_litter(slot, tasks, &seen) {
            unproven.condemn();
        }
        Ok(attempts)
    }

    fn attempt_among(
        &self,
        running: &Running<'_>,
        task: &Task,
        seen: &ClassRun,
        times: Times,
    ) -> Result<Option<Attempt>, CheckError> {
        let (number, test) = &self.baseline.tests[task.key.test.index()];
        let result = match (&seen.end, &seen.running, seen.of_test(&test.unit.id)) {
            (Some(WorkerEnd::Interrupted), ..) => return Err(CheckError::Interrupted),
            (None, _, Some(run)) => Ok(run.clone()),
            (Some(end), Some(last), _) if *last == test.unit.id => Err(end.clone()),
            _ => return Ok(None),
        };
        let attempt = self.judged(running, &result, times.micros, *number)?;
        // Where the worker may be to blame, the others may be: alone it has another chance before a JVM of its own.
        let is_lost = is_doubtful(&attempt) && !is_failure(&attempt);
        Ok((!is_lost).then_some(Attempt { unarmed_micros: times.unarmed_micros, ..attempt }))
    }

    fn leaves_litter(&self, slot: &mut Slot<'_>, tasks: &[Task], seen: &ClassRun) -> bool {
        let tests = tasks.iter().map(|task| self.baseline.tests[task.key.test.index()].0);
        let tests: Vec<_> = tests.collect();
        seen.finished.iter().any(|run| !run.threads_left.is_empty()) && self.note_litter(slot, &tests)
    }

    /// Lets the class run once with nothing armed in the warm worker, unless it has. Whether the tests passed: a worker in
    /// which they do not is replaced, once.
    fn settle_class(
        &self,
        slot: &mut Slot<'_>,
        tasks: &[Task],
        longest_micros: u64,
        unproven: &mut Unproven,
    ) -> Result<bool, CheckError> {
        let members: Vec<_> = tasks
            .iter()
            .map(|task| &self.baseline.tests[task.key.test.index()])
            .map(|(number, test)| (*number, test))
            .collect();
        let Some((_, test)) = members.first() else { return Ok(false) };
        for _ in 0..2 {
            let running = slot.warm(test.configuration).map_err(CheckError::Worker)?;
            if running.has_settled(&test.unit.class) {
                return Ok(true);
            }
            let begun = Instant::now();
            let (runs, has_ended) = plain_class(running, &test.unit.class, &members, longest_micros)?;
            self.shared.lab.stats().sentinels.add(begun.elapsed().as_secs_f64());
            if !has_ended && runs.iter().all(|(_, run)| run.passed()) {
                return Ok(true);
            }
            self.replace(slot, has_ended, unproven)?;
        }
        Ok(false)
    }
}

/// What one experiment of a batch took, and would take with nothing armed.
#[derive(Debug, Clone, Copy)]
struct Times {
    micros: u64,
    unarmed_micros: u64,
}
