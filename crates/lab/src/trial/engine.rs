//! The trial engine: attempts at one question, in a warm worker or in a fresh JVM.
//!
//! The baseline of a test is its second run in a JVM, so an attempt too follows a run of its test in the same JVM with
//! nothing armed: otherwise the exception would also hit what happens once per JVM, such as a static initialiser. Only where
//! the try is executed once per JVM does the attempt come first. A *look*, an experiment that does nothing, has the time of a
//! plain run and settles its test as one does.

use crate::baseline::Baseline;
use crate::baseline::solo::{fresh_time_limit, plain_time_limit, run_plain, time_limit};
use crate::observations::{PairNumber, PlainRun, TestNumber, by_colour};
use crate::session::{LabError, Session};
use crate::slot::events::WorkerEvents;
use crate::slot::{JvmUse, Running, Slot};
use crate::store::KnownTest;
use crate::trial::proof::{Keeper, Unproven};
use crate::trial::reported::{attempt_of, location_of};
use crate::worker::WorkerEnd;
use catchment_protocol::conversation::{Outcome, TestRun};
use catchment_protocol::experiment::{Act, Experiment};
use catchment_protocol::occurrences::Occurrences;
use catchment_verdicts::{Attempt, Demands, JvmKind, NoOutcome, TestId, next_jvm};
use std::time::{Duration, Instant};

/// More executions of a try than so many times the baseline's, and then some, never end.
const ENDLESS_FACTOR: u64 = 100;
const ENDLESS_ALLOWANCE: u64 = 10_000;

/// One question to one test.
pub(crate) struct Question {
    pub(crate) test: TestId,
    pub(crate) experiment: Experiment,
    pub(crate) demands: Demands,
    /// No plain run goes before: the try is executed once per JVM, or it is a look that shows itself whether the test passes.
    pub(crate) comes_first: bool,
    /// The pair whose catch every execution of the try enters with nothing armed; what the test says proves nothing in a JVM
    /// in which that is not so.
    pub(crate) all_white: Option<PairNumber>,
    pub(crate) reading: Reading,
}

/// The meaning of an observation for one question: the attempt as it would be read of any, and what it is read from.
pub(crate) type Reading = Box<dyn Fn(Attempt, &ExperimentRun<'_, '_>) -> Attempt + Send + Sync>;

/// One run under an experiment.
pub(crate) struct ExperimentRun<'r, 'e> {
    result: &'r Result<TestRun, WorkerEnd>,
    events: &'r WorkerEvents<'e>,
}

impl ExperimentRun<'_, '_> {
    /// `None` when the JVM has ended before the test.
    pub(crate) fn test_run(&self) -> Option<&TestRun> {
        self.result.as_ref().ok()
    }

    /// Executions of the try before the one in which something was thrown.
    pub(crate) fn before(&self) -> Option<&Occurrences> {
        self.events.fired.as_ref()
    }

    /// The same as a run of which only the end and the usages count.
    pub(crate) fn plain(&self) -> PlainRun {
        self.events.plain_of(self.result)
    }
}

impl Question {
    /// A question whose observations mean what they always do.
    pub(crate) fn new(test: TestId, experiment: Experiment, demands: Demands, comes_first: bool) -> Self {
        let reading = Box::new(|attempt, _: &ExperimentRun<'_, '_>| attempt);
        Self { test, experiment, demands, comes_first, all_white: None, reading }
    }

    /// Tells whether the executions of this plain run are of the kind that the question is about.
    fn is_met_in(&self, plain: &PlainRun) -> bool {
        self.all_white.is_none_or(|pair| {
            let usages = plain.usages_of(pair);
            usages.is_some_and(|usages| by_colour(&usages).are_all_white())
        })
    }

    fn is_look(&self) -> bool {
        self.experiment.act == Act::Nothing
    }
}

/// The trials of a session: what takes each question to its answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trials<'a, 'p> {
    pub(crate) session: &'a Session<'p>,
    pub(crate) baseline: &'a Baseline,
}

impl<'a> Trials<'a, '_> {
    pub(crate) fn test(&self, test: TestId) -> &'a (TestNumber, KnownTest) {
        &self.baseline.tests[test.index()]
    }

    /// Microseconds of the test with nothing armed.
    pub(crate) fn micros_of(&self, test: TestId) -> u64 {
        self.baseline.micros(self.test(test).0)
    }

    pub(crate) fn plain_limit(&self, test: TestId) -> Duration {
        plain_time_limit(self.baseline.longest_micros(self.test(test).0))
    }

    fn limit(&self, question: &Question, of_experiment: fn(u64) -> Duration) -> Duration {
        let of = if question.is_look() { plain_time_limit } else { of_experiment };
        of(self.baseline.longest_micros(self.test(question.test).0))
    }

    /// Makes the attempts that the vote wants besides those that were made.
    pub(crate) fn attempts<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        question: &Question,
        made: Vec<Attempt>,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<Vec<Attempt>, LabError> {
        let mut attempts = made;
        while let Some(jvm) = next_jvm(&attempts, question.demands) {
            attempts.push(self.session.turns.take(|| match jvm {
                JvmKind::Warm => self.attempt_warm(slot, question, unproven),
                JvmKind::Fresh => self.attempt_fresh(slot, question),
            })?);
        }
        Ok(attempts)
    }

    /// A worker that does not survive it takes its unproven results with it.
    fn attempt_warm<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        question: &Question,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<Attempt, LabError> {
        let (number, _) = self.test(question.test);
        let Some((running, result, micros)) = self.run_warm(slot, question, unproven)? else {
            return Ok(Attempt::baseline_failed());
        };
        let attempt = self.read(question, running, &result, micros);
        // A test that fails though nothing was done speaks against the worker.
        let is_usable = |run: &&TestRun| !question.is_look() || run.outcome == Outcome::Passed;
        match result.as_ref().ok().filter(is_usable) {
            None => {
                slot.discard();
                unproven.put_back();
            }
            Some(run) if !run.threads_left.is_empty() && self.note_litter(slot, &[*number]) => {
                unproven.condemn();
            }
            Some(_) => {}
        }
        Ok(attempt)
    }

    fn attempt_fresh(&self, slot: &mut Slot<'_>, question: &Question) -> Result<Attempt, LabError> {
        let begun = Instant::now();
        let (running, result) = match self.run_fresh(slot, question)? {
            Ok(run) => run,
            Err(attempt) => return Ok(Attempt { is_fresh: true, ..attempt }),
        };
        let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        let attempt = self.read(question, &running, &result, micros);
        if result.is_ok() {
            running.stop();
        }
        Ok(Attempt { is_fresh: true, ..attempt })
    }

    /// The run of the experiment in the warm worker, and how long it took; `None` when the test does not pass there with
    /// nothing armed.
    pub(crate) fn run_warm<'w, 's, K: Keeper>(
        &self,
        slot: &'w mut Slot<'s>,
        question: &Question,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<Option<WarmRun<'w, 's>>, LabError> {
        if !question.comes_first && !self.settle_warm(slot, question.test, unproven)? {
            return Ok(None);
        }
        let (_, test) = self.test(question.test);
        let limit = self.limit(question, time_limit);
        let running = slot.warm(test.configuration)?;
        let (result, micros) = running.run_test(&test.unit.id, Some(question.experiment.clone()), limit)?;
        Ok(Some((running, result, micros)))
    }

    /// The run of the experiment in a JVM of its own, or the attempt without an outcome that it amounts to when the test does
    /// not pass there with nothing armed, or does something else than in the baseline.
    pub(crate) fn run_fresh<'s>(
        &self,
        slot: &mut Slot<'s>,
        question: &Question,
    ) -> Result<Result<FreshRun<'s>, Attempt>, LabError> {
        let (_, test) = self.test(question.test);
        let limit = self.limit(question, fresh_time_limit);
        let mut running = slot.start(test.configuration, JvmUse::Fresh)?;
        if !question.comes_first {
            let run_plain = |running: &mut Running<'_>| {
                let ((plain, _), _) = run_plain(running, test, self.plain_limit(question.test))?;
                Ok::<_, LabError>(plain)
            };
            let mut plain = run_plain(&mut running)?;
            if plain.passed() && !question.is_met_in(&plain) {
                // The first run in a JVM may do more than the others.
                plain = run_plain(&mut running)?;
            }
            if !plain.passed() {
                return Ok(Err(Attempt::baseline_failed()));
            }
            if !question.is_met_in(&plain) {
                return Ok(Err(Attempt::without_outcome(NoOutcome::Diverged)));
            }
        }
        let (result, _) = running.run_test(&test.unit.id, Some(question.experiment.clone()), limit)?;
        Ok(Ok((running, result)))
    }

    /// Lets the test run once with nothing armed in the warm worker, unless it has, and tells whether it passed.
    fn settle_warm<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        asked: TestId,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<bool, LabError> {
        let (_, test) = self.test(asked);
        self.settle(slot, test.configuration, &test.unit.id, unproven, |running| {
            let ((plain, _), has_ended) = run_plain(running, test, self.plain_limit(asked))?;
            Ok((plain.passed(), has_ended))
        })
    }

    /// Lets a test, or class, run once with nothing armed in the warm worker, unless it has, and tells whether it passed. A
    /// worker in which it does not is replaced, once. `run_plain` tells whether it passes, and whether the JVM has ended.
    pub(crate) fn settle<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        configuration: usize,
        name: &str,
        unproven: &mut Unproven<'_, K>,
        run_plain: impl Fn(&mut Running<'_>) -> Result<(bool, bool), LabError>,
    ) -> Result<bool, LabError> {
        for _ in 0..2 {
            let running = slot.warm(configuration)?;
            if running.has_settled(name) {
                return Ok(true);
            }
            let begun = Instant::now();
            let (passes, has_ended) = run_plain(running)?;
            self.session.stats().sentinels.add(begun.elapsed().as_secs_f64());
            if passes {
                return Ok(true);
            }
            self.replace(slot, has_ended, unproven)?;
        }
        Ok(false)
    }

    /// Tells whether the worker is to be replaced for threads that these tests have left behind. Where they do so with
    /// nothing armed as well, that is not always worth it.
    pub(crate) fn note_litter(&self, slot: &mut Slot<'_>, tests: &[TestNumber]) -> bool {
        let is_expected = tests.iter().any(|test| self.baseline.leaves_threads(*test));
        slot.note_litter() || !is_expected
    }

    pub(crate) fn read(
        &self,
        question: &Question,
        running: &Running<'_>,
        result: &Result<TestRun, WorkerEnd>,
        micros: u64,
    ) -> Attempt {
        let ledger = self.session.ledger();
        let events = &running.events;
        let location = |counter: u32| {
            let position = self.session.position_of(events.meanings.clause_of(counter)?)?;
            Some(location_of(&ledger.checked.pairs[position]))
        };
        let attempt = attempt_of(result, events.fired.is_some(), location);
        let attempt = (question.reading)(attempt, &ExperimentRun { result, events });
        Attempt { micros, plain_micros: self.micros_of(question.test), ..attempt }
    }
}

/// A fresh JVM, and the run under an experiment that it has just had.
type FreshRun<'s> = (Running<'s>, Result<TestRun, WorkerEnd>);

/// A warm worker, the run under an experiment that it has just had, and the microseconds of that.
type WarmRun<'w, 's> = (&'w mut Running<'s>, Result<TestRun, WorkerEnd>, u64);

/// With more executions of a try than this a test never ends; `entries` are those of the baseline.
pub(crate) fn most_visits(entries: u64) -> u64 {
    ENDLESS_ALLOWANCE + entries.saturating_mul(ENDLESS_FACTOR)
}
