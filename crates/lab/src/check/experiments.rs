//! The experiments: those that can still change a verdict, one after the other on every slot.
//!
//! The baseline of a test is its second run in a JVM, so an experiment too follows a run of its test in the same JVM with
//! nothing armed: otherwise the exception would also hit what happens once per JVM, such as a static initialiser. Only where
//! the pair is used once per JVM does the experiment come first.

use super::attempts::{Place, attempt_of, conclude, is_doubtful, next_place};
use super::baseline::Baseline;
use super::campaign::{Campaign, CheckError, Shared};
use super::observations::{Attempt, PairNumber, TestNumber};
use super::slot::{Running, Slot, in_parallel};
use super::solo::{fresh_time_limit, run_plain, time_limit};
use crate::store::{KnownTest, Planned};
use crate::worker::WorkerEnd;
use catchment_protocol::lab::{Injection, TestRun};
use catchment_verdicts::{
    CheckedPair, Experiment, FailureKind, Mode, Needed, NoOutcome, NotRun, Outcome, Step, TestId,
    what_is_needed,
};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// A worker proves that it still is what it was after this many experiments at the latest.
const SENTINEL_EVERY: usize = 50;
/// More executions of a try than so many times the baseline's, and then some, never end.
const ENDLESS_FACTOR: u64 = 100;
const ENDLESS_ALLOWANCE: u64 = 10_000;
/// An experiment that was under suspicion this often runs in a fresh JVM.
const SUSPICIONS: u32 = 2;

/// How the plan is carried out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Manner {
    /// Run all of it, also what no longer matters.
    pub(crate) matrix: bool,
}

/// One experiment to be done now.
#[derive(Debug, Clone)]
struct Task {
    position: usize,
    test: TestId,
    planned: Planned,
    needs_fresh: bool,
    /// The pair is used once per JVM, so that nothing may run before.
    comes_first: bool,
    /// Executions of the try in the baseline.
    entries: u64,
    attempts: Vec<Attempt>,
}

/// What is left to do, pair by pair.
#[derive(Debug, Default)]
struct Queue {
    /// Positions of pairs, the most valuable first.
    order: Vec<usize>,
    waiting: HashMap<usize, VecDeque<Needed>>,
    in_flight: HashSet<Planned>,
    suspicions: HashMap<Planned, u32>,
}

pub(crate) struct Experiments<'a, 'p> {
    shared: &'a Shared<'p>,
    baseline: &'a Baseline,
    /// By position of the pair.
    numbers: &'a [PairNumber],
    positions: &'a HashMap<PairNumber, usize>,
    manner: Manner,
    queue: Mutex<Queue>,
}

impl<'a, 'p> Experiments<'a, 'p> {
    pub(crate) fn new(
        shared: &'a Shared<'p>,
        baseline: &'a Baseline,
        numbers: &'a [PairNumber],
        positions: &'a HashMap<PairNumber, usize>,
        manner: Manner,
    ) -> Self {
        Self { shared, baseline, numbers, positions, manner, queue: Mutex::default() }
    }

    /// Writes down everything that could be run, and takes over what an earlier check has done.
    pub(crate) fn plan(&self) -> Result<(), CheckError> {
        let mut campaign = self.shared.campaign();
        let mut planned = Vec::new();
        for (position, pair) in campaign.checked.pairs.iter().enumerate().filter(|(_, pair)| !pair.left_out) {
            for execution in &pair.executions {
                if campaign.checked.tests[execution.test.index()].is_evidence() {
                    planned
                        .extend(pair.types.iter().map(|each| self.planned(position, execution.test, each)));
                }
            }
        }
        campaign.store.plan(&planned)?;
        let attempts = campaign.store.attempts()?;
        campaign.checked.stats.planned = planned.len() as u64;
        self.shared.lab.stats().planned = planned.len() as u64;
        let tests: HashMap<_, _> =
            (0..).zip(&self.baseline.tests).map(|(index, (number, _))| (*number, TestId(index))).collect();
        let planned: HashSet<_> = planned.into_iter().collect();
        for (done, attempts) in attempts.iter().filter(|(done, _)| planned.contains(done)) {
            if let (Some(position), Some(test)) = (self.positions.get(&done.pair), tests.get(&done.test)) {
                let pair = &mut campaign.checked.pairs[*position];
                pair.experiments.extend(experiment_of(*test, &done.exception, attempts));
                pair.not_injectable = not_injectable(pair);
                self.shared.lab.stats().resumed += 1;
            }
        }
        Ok(())
    }

    fn planned(&self, position: usize, test: TestId, exception: &str) -> Planned {
        let (test, _) = self.baseline.tests[test.index()];
        Planned { pair: self.numbers[position], test, exception: exception.to_owned() }
    }

    pub(crate) fn run(&self, slots: &mut [Slot<'_>]) -> Result<(), CheckError> {
        let left = self.fill_queue();
        self.shared.phase("experiments", Some(left));
        in_parallel(slots, |slot| self.work(slot))?;
        self.account_for_the_rest();
        Ok(())
    }

    /// Pairs whose clause some test enters come first: both contracts wait for them. Then the cheap ones.
    fn fill_queue(&self) -> u64 {
        let campaign = self.shared.campaign();
        let mut queue = self.queue();
        let mut left = 0;
        let mut ranked = Vec::new();
        for (position, pair) in campaign.checked.pairs.iter().enumerate() {
            let needed = self.needed(&campaign, pair);
            if !needed.is_empty() {
                left += needed.len() as u64;
                let has_white = pair.executions.iter().any(|execution| execution.usages.white > 0);
                let cost: u64 = needed.iter().map(|each| self.micros_of(each.test)).sum();
                ranked.push((!has_white, cost, position));
                queue.waiting.insert(position, needed.into());
            }
        }
        ranked.sort_unstable();
        queue.order = ranked.into_iter().map(|(_, _, position)| position).collect();
        left
    }

    fn queue(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn micros_of(&self, test: TestId) -> u64 {
        self.baseline.solo_micros(self.baseline.tests[test.index()].0)
    }

    /// What the pair still needs; in a full matrix, what it has not got.
    fn needed(&self, campaign: &Campaign, pair: &CheckedPair) -> Vec<Needed> {
        let tests = &campaign.checked.tests;
        let mut needed = what_is_needed(pair, tests);
        if self.manner.matrix && !pair.left_out && pair.not_injectable.is_none() {
            for execution in pair.executions.iter().filter(|each| tests[each.test.index()].is_evidence()) {
                for (exception, name) in pair.types.iter().enumerate() {
                    let is_done = pair.experiments.iter().any(|experiment| {
                        experiment.test == execution.test
                            && experiment.exception == *name
                            && is_final(experiment)
                    });
                    let is_listed =
                        needed.iter().any(|each| each.test == execution.test && each.exception == exception);
                    if !is_done && !is_listed {
                        needed.push(Needed { test: execution.test, exception, step: Step::Run });
                    }
                }
            }
        }
        needed
    }

    fn work(&self, slot: &mut Slot<'_>) -> Result<(), CheckError> {
        let mut unproven: Vec<Task> = Vec::new();
        loop {
            if self.shared.is_over() {
                break;
            }
            let Some(task) = self.take() else { break };
            let needs_proof = self.carry_out(slot, &task, &mut unproven)?;
            if needs_proof || unproven.len() >= SENTINEL_EVERY {
                self.prove(slot, &task, &mut unproven)?;
            }
            self.shared.step(1);
        }
        if let Some(last) = unproven.last().cloned()
            && !self.shared.is_interrupted()
        {
            self.prove(slot, &last, &mut unproven)?;
            // What turned out to be in doubt is taken up again.
            if unproven.is_empty() && self.has_work() && !self.shared.is_over() {
                return self.work(slot);
            }
        }
        Ok(())
    }

    fn has_work(&self) -> bool {
        self.queue().waiting.values().any(|waiting| !waiting.is_empty())
    }

    fn take(&self) -> Option<Task> {
        let campaign = self.shared.campaign();
        let mut queue = self.queue();
        let order = queue.order.clone();
        for position in order {
            while let Some(needed) = queue.waiting.get_mut(&position).and_then(VecDeque::pop_front) {
                let pair = &campaign.checked.pairs[position];
                let planned = self.planned(position, needed.test, &pair.types[needed.exception]);
                if queue.in_flight.contains(&planned) {
                    continue;
                }
                queue.in_flight.insert(planned.clone());
                let is_suspect = queue.suspicions.get(&planned).is_some_and(|count| *count >= SUSPICIONS);
                return Some(self.task(pair, position, &needed, planned, is_suspect));
            }
        }
        None
    }

    fn task(
        &self,
        pair: &CheckedPair,
        position: usize,
        needed: &Needed,
        planned: Planned,
        is_suspect: bool,
    ) -> Task {
        let execution = pair.executions.iter().find(|execution| execution.test == needed.test);
        let is_once_per_jvm = execution.is_some_and(|execution| execution.once_per_jvm);
        let done = pair.experiments.iter().find(|experiment| {
            experiment.test == needed.test && experiment.exception == pair.types[needed.exception]
        });
        // A failure that an earlier check could not confirm any more.
        let attempts = done.filter(|_| needed.step == Step::Confirm).map(unconfirmed).into_iter().collect();
        Task {
            position,
            test: needed.test,
            planned,
            needs_fresh: is_suspect || is_once_per_jvm,
            comes_first: is_once_per_jvm,
            entries: execution.map_or(0, |execution| execution.usages.entries()),
            attempts,
        }
    }

    /// Makes the attempts the experiment needs. Says whether the worker has to prove itself now.
    fn carry_out(
        &self,
        slot: &mut Slot<'_>,
        task: &Task,
        unproven: &mut Vec<Task>,
    ) -> Result<bool, CheckError> {
        let mut attempts = task.attempts.clone();
        let mut needs_proof = false;
        while let Some(place) = next_place(&attempts, task.needs_fresh) {
            let attempt = match place {
                Place::Warm => self.attempt_warm(slot, task)?,
                Place::Fresh => self.attempt_fresh(slot, task)?,
            };
            needs_proof |= place == Place::Warm && is_doubtful(&attempt);
            if place == Place::Warm {
                unproven.push(task.clone());
            }
            self.count(&attempt);
            let ordinal = u32::try_from(attempts.len()).unwrap_or(u32::MAX);
            self.shared.campaign().store.keep_attempt(&task.planned, ordinal, &attempt)?;
            attempts.push(attempt);
        }
        self.finish(task, &attempts);
        Ok(needs_proof)
    }

    fn attempt_warm(&self, slot: &mut Slot<'_>, task: &Task) -> Result<Attempt, CheckError> {
        let (number, test) = &self.baseline.tests[task.test.index()];
        let limit = time_limit(self.baseline.solo_micros(*number));
        let injection = self.injection(task)?;
        if !self.settle_warm(slot, *number, test)? {
            return Ok(not_itself());
        }
        let running = slot.warm(test.configuration).map_err(CheckError::Worker)?;
        let (result, micros) = running.run_test(&test.unit.id, Some(injection), limit);
        let attempt = self.judged(running, &result, micros, *number)?;
        let leaves_threads = result.as_ref().is_ok_and(|run| !run.threads_left.is_empty());
        if result.is_err() || leaves_threads && !self.baseline.leaves_threads(*number) {
            slot.discard();
        }
        Ok(attempt)
    }

    fn attempt_fresh(&self, slot: &mut Slot<'_>, task: &Task) -> Result<Attempt, CheckError> {
        let (number, test) = &self.baseline.tests[task.test.index()];
        let limit = fresh_time_limit(self.baseline.solo_micros(*number));
        let injection = self.injection(task)?;
        let begun = Instant::now();
        let mut running = slot.start(test.configuration, true).map_err(CheckError::Worker)?;
        if !task.comes_first {
            let ((plain, _), _) = run_plain(&mut running, test, limit)?;
            if !plain.passed() {
                return Ok(Attempt { is_fresh: true, ..not_itself() });
            }
        }
        let (result, _) = running.run_test(&test.unit.id, Some(injection), limit);
        let micros = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        let attempt = self.judged(&running, &result, micros, *number)?;
        if result.is_ok() {
            running.stop();
        }
        Ok(Attempt { is_fresh: true, ..attempt })
    }

    /// Lets the test run once with nothing armed in the warm worker, unless it has. Whether it passed: a worker in which it
    /// does not is replaced, once.
    fn settle_warm(
        &self,
        slot: &mut Slot<'_>,
        number: TestNumber,
        test: &KnownTest,
    ) -> Result<bool, CheckError> {
        let limit = time_limit(self.baseline.solo_micros(number));
        for _ in 0..2 {
            let running = slot.warm(test.configuration).map_err(CheckError::Worker)?;
            if running.has_settled(&test.unit.id) {
                return Ok(true);
            }
            let begun = Instant::now();
            let ((plain, _), _) = run_plain(running, test, limit)?;
            self.shared.lab.stats().sentinels.add(begun.elapsed().as_secs_f64());
            if plain.passed() {
                return Ok(true);
            }
            slot.discard();
        }
        Ok(false)
    }

    fn judged(
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
        let attempt = attempt_of(result, place);
        Ok(Attempt { micros, unarmed_micros: self.baseline.solo_micros(test), ..attempt })
    }

    fn injection(&self, task: &Task) -> Result<Injection, CheckError> {
        let campaign = self.shared.campaign();
        let sample = campaign.store.sample(task.planned.pair, &task.planned.exception)?;
        Ok(Injection {
            pair: campaign.checked.pairs[task.position].id.clone(),
            exception: task.planned.exception.clone(),
            sample,
            max_fired: ENDLESS_ALLOWANCE + task.entries.saturating_mul(ENDLESS_FACTOR),
        })
    }

    fn count(&self, attempt: &Attempt) {
        let seconds = |micros: u64| micros as f64 / 1e6;
        let mut stats = self.shared.lab.stats();
        let is_timeout =
            matches!(&attempt.outcome, Outcome::Fail(failure) if failure.kind == FailureKind::Timeout);
        let line = match &attempt.outcome {
            _ if attempt.is_fresh => &mut stats.fresh,
            _ if is_timeout => &mut stats.timeouts,
            Outcome::None(_) => &mut stats.no_outcome,
            Outcome::Pass | Outcome::Fail(_) => &mut stats.warm,
        };
        line.add(seconds(attempt.micros));
        if !attempt.is_fresh && !is_timeout && !matches!(attempt.outcome, Outcome::None(_)) {
            stats.warm_unarmed_seconds += seconds(attempt.unarmed_micros);
        }
    }

    /// The experiment has its outcome; what the pair needs now may be less.
    fn finish(&self, task: &Task, attempts: &[Attempt]) {
        let mut campaign = self.shared.campaign();
        let mut queue = self.queue();
        queue.in_flight.remove(&task.planned);
        let pair = &mut campaign.checked.pairs[task.position];
        let experiment = experiment_of(task.test, &task.planned.exception, attempts);
        let is_pass = experiment.as_ref().is_some_and(Experiment::is_pass);
        pair.experiments.retain(|each| !(each.test == task.test && each.exception == task.planned.exception));
        pair.experiments.extend(experiment);
        pair.not_injectable = not_injectable(pair);
        // A pass makes nothing unnecessary but itself.
        if !is_pass {
            self.refresh(&campaign, &mut queue, task.position);
        }
    }

    fn refresh(&self, campaign: &Campaign, queue: &mut Queue, position: usize) {
        let needed = self.needed(campaign, &campaign.checked.pairs[position]);
        queue.waiting.insert(position, needed.into());
    }

    /// Runs the test with nothing armed. If it no longer does what it did, everything since the last proof is in doubt.
    fn prove(&self, slot: &mut Slot<'_>, task: &Task, unproven: &mut Vec<Task>) -> Result<(), CheckError> {
        let (number, test) = &self.baseline.tests[task.test.index()];
        if task.needs_fresh || !slot.has_warm() {
            unproven.clear();
            return Ok(());
        }
        let begun = Instant::now();
        let limit = time_limit(self.baseline.solo_micros(*number));
        let running = slot.warm(test.configuration).map_err(CheckError::Worker)?;
        let ((run, _), has_ended) = run_plain(running, test, limit)?;
        self.shared.lab.stats().sentinels.add(begun.elapsed().as_secs_f64());
        if !run.passed() || has_ended {
            slot.discard();
            self.doubt(unproven)?;
        }
        unproven.clear();
        Ok(())
    }

    fn doubt(&self, unproven: &[Task]) -> Result<(), CheckError> {
        let mut campaign = self.shared.campaign();
        let mut queue = self.queue();
        for task in unproven {
            let pair = &mut campaign.checked.pairs[task.position];
            let same = |each: &Experiment| each.test == task.test && each.exception == task.planned.exception;
            // What a fresh JVM has said stands.
            let is_warm_only = pair.experiments.iter().any(|each| same(each) && !each.confirmed_fresh);
            if is_warm_only {
                pair.experiments.retain(|each| !same(each));
                pair.not_injectable = not_injectable(pair);
                campaign.store.forget_attempts(&task.planned)?;
                *queue.suspicions.entry(task.planned.clone()).or_default() += 1;
                self.refresh(&campaign, &mut queue, task.position);
            }
        }
        let left: usize = queue.waiting.values().map(VecDeque::len).sum();
        self.shared.retotal(left as u64);
        Ok(())
    }

    /// What was needed and not run says so.
    fn account_for_the_rest(&self) {
        let why = if self.shared.is_interrupted() { NotRun::Interrupted } else { NotRun::Budget };
        self.add_not_run(why);
        let mut campaign = self.shared.campaign();
        let done: usize = campaign.checked.pairs.iter().map(|pair| pair.experiments.len()).sum();
        let not_run =
            campaign.checked.pairs.iter().flat_map(|pair| &pair.experiments).filter(is_not_run).count();
        let mut stats = self.shared.lab.stats();
        stats.experiments = (done - not_run) as u64;
        stats.not_needed = stats.planned.saturating_sub(done as u64);
        campaign.checked.stats = *stats;
    }

    /// Adds what is still needed to the pairs, with the reason why it was not run.
    pub(crate) fn add_not_run(&self, why: NotRun) {
        let mut campaign = self.shared.campaign();
        for position in 0..campaign.checked.pairs.len() {
            let needed = self.needed(&campaign, &campaign.checked.pairs[position]);
            let pair = &mut campaign.checked.pairs[position];
            for each in needed.into_iter().filter(|each| each.step == Step::Run) {
                let outcome = Outcome::None(NoOutcome::NotRun(why));
                pair.experiments.push(Experiment::new(
                    each.test,
                    pair.types[each.exception].clone(),
                    outcome,
                ));
            }
        }
    }
}

/// The test no longer passes with nothing armed, so what it says under injection means nothing.
fn not_itself() -> Attempt {
    let why = "the test failed with nothing injected".to_owned();
    Attempt { outcome: Outcome::None(NoOutcome::WorkerLost(why)), ..Attempt::default() }
}

fn is_not_run(experiment: &&Experiment) -> bool {
    matches!(experiment.outcome, Outcome::None(NoOutcome::NotRun(_)))
}

/// It needs no further attempt.
fn is_final(experiment: &Experiment) -> bool {
    match &experiment.outcome {
        Outcome::Fail(_) => experiment.confirmed_fresh || experiment.unstable,
        Outcome::Pass => true,
        Outcome::None(why) => !matches!(why, NoOutcome::NotRun(_)),
    }
}

/// A warm failure, as the attempt it was.
fn unconfirmed(experiment: &Experiment) -> Attempt {
    Attempt { outcome: experiment.outcome.clone(), ..Attempt::default() }
}

fn experiment_of(test: TestId, exception: &str, attempts: &[Attempt]) -> Option<Experiment> {
    let conclusion = conclude(attempts)?;
    let attempt = conclusion.attempt;
    Some(Experiment {
        test,
        exception: exception.to_owned(),
        mode: Mode::ShortCircuit,
        outcome: attempt.outcome.clone(),
        confirmed_fresh: conclusion.confirmed_fresh,
        unstable: conclusion.unstable,
        reached: attempt.reached,
        fired: attempt.fired,
        caught_here: attempt.caught_here,
        caught_elsewhere: attempt.caught_elsewhere.clone(),
        made: attempt.made.clone(),
    })
}

/// Why no injected exception reaches the clause, when none of them did.
fn not_injectable(pair: &CheckedPair) -> Option<String> {
    let mut reasons = pair.experiments.iter().map(|experiment| match &experiment.outcome {
        Outcome::None(NoOutcome::CaughtElsewhere(place)) => {
            Some(format!("{} is caught before it reaches this clause, by {place}", experiment.exception))
        }
        Outcome::None(NoOutcome::NotConstructible(why)) => {
            Some(format!("no {} can be made: {why}", experiment.exception))
        }
        _ => None,
    });
    let first = reasons.next().flatten()?;
    reasons.all(|reason| reason.is_some()).then_some(first)
}

/// `com.acme.Cache.load  Cache.java:83`.
fn place_of(pair: &CheckedPair) -> String {
    let line = pair.catch_line.or(pair.try_line).map(|line| format!(":{line}")).unwrap_or_default();
    let file = pair.source_file.as_deref().unwrap_or("unknown source");
    format!("{}.{}  {file}{line}", pair.class, pair.method)
}
