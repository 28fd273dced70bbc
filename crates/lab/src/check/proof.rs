//! Warm workers prove that they still are what they were; until then what they say is provisional.
//!
//! An experiment may leave something behind in its JVM that lets later ones pass, or fail, wrongly. So from time to time a
//! worker runs a test with nothing armed, a sentinel. Only when that passes do the results since the last one count, and
//! only then are they written to the store: whoever is killed before does them again. A worker that fails its sentinel, or
//! ends without one, takes its provisional results with it; they are repeated in another worker, which then has to prove
//! itself at once, and in the end in fresh JVMs. What a fresh JVM has confirmed or refuted needs no proof.

use super::attempts::not_injectable;
use super::campaign::CheckError;
use super::experiments::{Experiments, Task};
use super::observations::Attempt;
use super::slot::Slot;
use super::solo::{plain_time_limit, run_plain};
use catchment_verdicts::{Experiment, TestId};
use std::collections::BTreeSet;
use std::time::Instant;

/// A worker proves itself after this many experiments at the latest.
const MOST_RESULTS: usize = 50;
/// A worker proves itself once its unproven results have taken this long: more is not lost when it dies.
const LONGEST_MICROS: u64 = 30_000_000;
/// But not before they have taken so many times what the proof will take.
const WORTH_A_PROOF: u64 = 10;

/// What a slot's warm worker has said since it last proved itself.
#[derive(Debug, Default)]
pub(crate) struct Unproven {
    results: Vec<(Task, Vec<Attempt>)>,
    micros: u64,
    /// The worker is to be replaced once it has proven itself.
    is_condemned: bool,
}

impl Unproven {
    pub(crate) fn add(&mut self, task: Task, attempts: Vec<Attempt>) {
        self.micros += attempts.iter().map(|attempt| attempt.micros).sum::<u64>();
        self.results.push((task, attempts));
    }

    /// Something is wrong with the worker, though not with what it has said.
    pub(crate) fn condemn(&mut self) {
        self.is_condemned = true;
    }

    pub(crate) fn is_condemned(&self) -> bool {
        self.is_condemned
    }

    /// The test that ran last.
    fn last_test(&self) -> Option<TestId> {
        self.results.last().map(|(task, _)| task.key.test)
    }

    /// `sentinel_micros` is what the proof will take.
    fn is_due(&self, sentinel_micros: u64) -> bool {
        self.is_condemned
            || self.results.len() >= MOST_RESULTS
            || self.micros >= LONGEST_MICROS.max(sentinel_micros.saturating_mul(WORTH_A_PROOF))
    }
}

impl Experiments<'_, '_> {
    /// A slot has one warm worker, and workers are per configuration: it may have to go for this task.
    pub(crate) fn prove_before_another(
        &self,
        slot: &mut Slot<'_>,
        task: &Task,
        unproven: &mut Unproven,
    ) -> Result<(), CheckError> {
        if slot.warm_configuration() == Some(self.configuration_of(task.key.test)) {
            return Ok(());
        }
        self.prove_last(slot, unproven)
    }

    /// The worker will not do for another test, which need not mean that what it has said is wrong.
    pub(crate) fn replace(
        &self,
        slot: &mut Slot<'_>,
        has_ended: bool,
        unproven: &mut Unproven,
    ) -> Result<(), CheckError> {
        if !has_ended {
            self.prove_last(slot, unproven)?;
        }
        slot.discard();
        self.put_back(unproven);
        Ok(())
    }

    /// Something doubtful makes a proof due at once.
    pub(crate) fn prove_if_due(
        &self,
        slot: &mut Slot<'_>,
        doubtful: Option<TestId>,
        unproven: &mut Unproven,
    ) -> Result<(), CheckError> {
        let Some(test) = doubtful.or_else(|| unproven.last_test()) else {
            if unproven.is_condemned {
                slot.discard();
                *unproven = Unproven::default();
            }
            return Ok(());
        };
        if doubtful.is_some() || unproven.is_due(self.micros_of(test)) {
            self.prove(slot, test, unproven)?;
        }
        Ok(())
    }

    pub(crate) fn prove_last(&self, slot: &mut Slot<'_>, unproven: &mut Unproven) -> Result<(), CheckError> {
        unproven.last_test().map_or(Ok(()), |test| self.prove(slot, test, unproven))
    }

    /// Runs the test with nothing armed. If it does not pass any more, nothing since the last proof counts.
    fn prove(&self, slot: &mut Slot<'_>, test: TestId, unproven: &mut Unproven) -> Result<(), CheckError> {
        let (number, test) = &self.baseline.tests[test.index()];
        if slot.warm_configuration() != Some(test.configuration) {
            self.put_back(unproven);
            return Ok(());
        }
        let begun = Instant::now();
        let limit = plain_time_limit(self.baseline.longest_micros(*number));
        let ((run, _), has_ended) = self.shared.lab.turns.take(|| {
            let running = slot.warm(test.configuration).map_err(CheckError::Worker)?;
            run_plain(running, test, limit)
        })?;
        self.shared.lab.stats().sentinels.add(begun.elapsed().as_secs_f64());
        if !run.passed() || has_ended {
            slot.discard();
            self.put_back(unproven);
            return Ok(());
        }
        if unproven.is_condemned {
            slot.discard();
        }
        self.keep(std::mem::take(unproven))
    }

    fn keep(&self, proven: Unproven) -> Result<(), CheckError> {
        let campaign = self.shared.campaign();
        let store = &campaign.store;
        let mut results = proven.results.iter();
        store.together(|| {
            results.try_for_each(|(task, attempts)| store.keep_attempts(&task.planned, attempts))
        })?;
        Ok(())
    }

    /// The worker is gone, or not to be trusted, and with it what it has said since its last proof.
    pub(crate) fn put_back(&self, unproven: &mut Unproven) {
        let lost = std::mem::take(unproven).results;
        if lost.is_empty() {
            return;
        }
        let mut campaign = self.shared.campaign();
        let mut queue = self.queue();
        let mut positions = BTreeSet::new();
        for (task, _) in &lost {
            let pair = &mut campaign.checked.pairs[task.key.position];
            let is_lost =
                |each: &Experiment| each.test == task.key.test && each.exception == task.planned.exception;
            pair.experiments.retain(|each| !is_lost(each));
            pair.not_injectable = not_injectable(pair);
            queue.suspect(task.key);
            positions.insert(task.key.position);
        }
        for position in positions {
            self.refresh(&campaign, &mut queue, position);
        }
        self.shared.lab.reporter.retotal(queue.total());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unproven(count: usize, micros: u64) -> Unproven {
        let mut unproven = Unproven::default();
        for _ in 0..count {
            unproven.add(Task::default(), vec![Attempt { micros, ..Attempt::default() }]);
        }
        unproven
    }

    #[test]
    fn a_proof_is_due_after_many_results_or_much_time_but_not_at_any_price() {
        let second = 1_000_000;
        assert!(!unproven(49, 10).is_due(10));
        assert!(unproven(50, 10).is_due(10));
        assert!(!unproven(29, second).is_due(second));
        assert!(unproven(30, second).is_due(second));
        assert!(!unproven(9, 5 * second).is_due(5 * second));
        assert!(unproven(10, 5 * second).is_due(5 * second));
        assert!(!unproven(0, 0).is_due(0));
    }

    #[test]
    fn a_condemned_worker_proves_itself_at_once() {
        let mut unproven = unproven(1, 1);
        unproven.condemn();
        assert!(unproven.is_due(1));
    }
}
