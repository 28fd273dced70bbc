//! The experiments: those that can still change a verdict, one after the other on every slot.

use super::attempts::{
    Demands, Place, experiment_of, is_doubtful, is_failure, is_final, next_place, not_injectable, taken_over,
};
use super::baseline::Baseline;
use super::campaign::{Campaign, CheckError, Shared};
use super::observations::{Attempt, PairNumber};
use super::proof::Unproven;
use super::queue::{Key, PairNeeds, Queue, Taken};
use super::slot::{Slot, in_parallel};
use crate::store::Planned;
use catchment_protocol::lab::{Aim, Sample, ThrowPlace};
use catchment_protocol::occurrences::Occurrence;
use catchment_verdicts::{
    CheckedPair, Experiment, FailureKind, Needed, NoOutcome, NotRun, Outcome, Step, TestId, Usages,
    what_is_needed,
};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A test that takes so much longer under injection waits for something that does not happen.
const WAIT_MICROS: u64 = 1_000_000;

/// How the plan is carried out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Manner {
    /// Run all of it, also what no longer matters.
    pub(crate) matrix: bool,
    /// Passes in warm workers are tried in fresh JVMs too.
    pub(crate) confirm_passes: bool,
}

/// One experiment to be done now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Task {
    pub(crate) key: Key,
    pub(crate) planned: Planned,
    /// It has been done before, in a worker that did not prove itself.
    is_repeated: bool,
    pub(crate) demands: Demands,
    /// Others of its class may run with it.
    pub(crate) is_together: bool,
    /// The pair is used once per JVM, so that nothing may run before.
    pub(crate) comes_first: bool,
    /// Executions of the try in the baseline.
    pub(crate) usages: Usages,
    /// The one execution to be hit; all, if there is none.
    pub(crate) single: Option<Single>,
    /// Where it is thrown, unless at the beginning of the try.
    pub(crate) place: Option<ThrowPlace>,
}

/// An execution of a try, and how those before it go with nothing armed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Single {
    pub(crate) before: Arc<[Occurrence]>,
    /// What that execution catches, where it says what is to be thrown.
    pub(crate) sample: Option<Sample>,
}

impl Task {
    /// The same with this type thrown at one execution.
    pub(crate) fn at(&self, exception: usize, name: &str, single: Single) -> Self {
        let mut task = self.clone();
        task.key.exception = exception;
        name.clone_into(&mut task.planned.exception);
        task.single = Some(single);
        task
    }

    /// The same with this type thrown at a place.
    pub(crate) fn at_place(&self, exception: usize, name: &str, place: ThrowPlace) -> Self {
        let mut task = self.clone();
        task.key.exception = exception;
        name.clone_into(&mut task.planned.exception);
        task.place = Some(place);
        task
    }

    pub(crate) fn aim(&self) -> Aim {
        self.single.as_ref().map_or(Aim::Every, |single| Aim::Only(single.before.len() as u64))
    }
}

pub(crate) struct Experiments<'a, 'p> {
    pub(crate) shared: &'a Shared<'p>,
    pub(crate) baseline: &'a Baseline,
    /// By position of the pair.
    numbers: &'a [PairNumber],
    pub(crate) positions: &'a HashMap<PairNumber, usize>,
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
                let Some(experiment) = taken_over(*test, &done.exception, attempts, self.demands(false))
                else {
                    continue;
                };
                pair.experiments.push(experiment);
                pair.not_injectable = not_injectable(pair);
                self.shared.lab.stats().resumed += 1;
            }
        }
        Ok(())
    }

    pub(crate) fn number_of(&self, position: usize) -> PairNumber {
        self.numbers[position]
    }

    fn planned(&self, position: usize, test: TestId, exception: &str) -> Planned {
        let (test, _) = self.baseline.tests[test.index()];
        Planned { pair: self.numbers[position], test, exception: exception.to_owned() }
    }

    pub(crate) fn run(&self, slots: &mut [Slot<'_>]) -> Result<(), CheckError> {
        let left = self.fill_queue();
        self.shared.lab.reporter.phase("experiments", Some(left));
        in_parallel(slots, |slot| self.work(slot))?;
        self.account_for_the_rest();
        Ok(())
    }

    /// How many experiments there are to do.
    fn fill_queue(&self) -> u64 {
        let campaign = self.shared.campaign();
        let needs = |(position, pair): (usize, &CheckedPair)| {
            let needed = self.needed(&campaign, pair);
            let micros = needed.iter().map(|each| self.micros_of(each.test)).sum();
            PairNeeds {
                position,
                is_entered: pair.executions.iter().any(|execution| execution.usages.white > 0),
                micros: self.shared.deadline.map(|_| micros),
                needed,
            }
        };
        let mut queue = self.queue();
        *queue = Queue::new(campaign.checked.pairs.iter().enumerate().map(needs).collect());
        queue.total()
    }

    pub(crate) fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn micros_of(&self, test: TestId) -> u64 {
        self.baseline.solo_micros(self.baseline.tests[test.index()].0)
    }

    pub(crate) fn configuration_of(&self, test: TestId) -> usize {
        self.baseline.tests[test.index()].1.configuration
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
        let mut unproven = Unproven::default();
        loop {
            while !self.shared.is_over()
                && let Some(task) = self.take()
            {
                let companions = self.companions(&task);
                if companions.is_empty() {
                    self.do_one(slot, &task, &mut unproven)?;
                } else {
                    self.do_together(slot, &[vec![task], companions].concat(), &mut unproven)?;
                }
            }
            if self.shared.is_interrupted() {
                return Ok(());
            }
            self.prove_last(slot, &mut unproven)?;
            // What turned out to be in doubt is taken up again.
            if self.shared.is_over() || !self.queue().has_work() {
                return Ok(());
            }
        }
    }

    fn do_one(&self, slot: &mut Slot<'_>, task: &Task, unproven: &mut Unproven) -> Result<(), CheckError> {
        self.prove_before_another(slot, task, unproven)?;
        let is_doubtful = self.carry_out(slot, task, Vec::new(), unproven)?;
        let is_last_repeat = task.is_repeated && !self.queue().has_repeats();
        if is_last_repeat && !is_doubtful {
            return self.prove_last(slot, unproven);
        }
        self.prove_if_due(slot, is_doubtful.then_some(task.key.test), unproven)
    }

    fn take(&self) -> Option<Task> {
        let campaign = self.shared.campaign();
        let taken = self.queue().take()?;
        Some(self.task(&campaign.checked.pairs[taken.key.position], taken))
    }

    pub(crate) fn task(&self, pair: &CheckedPair, taken: Taken) -> Task {
        let Taken { key, is_repeated, is_suspect } = taken;
        let execution = pair.executions.iter().find(|execution| execution.test == key.test);
        let comes_first = execution.is_some_and(|execution| execution.once_per_jvm || execution.needs_fresh);
        let planned = self.planned(key.position, key.test, &pair.types[key.exception]);
        let demands = self.demands(is_suspect || comes_first);
        Task {
            key,
            is_together: !is_repeated
                && !demands.only_fresh
                && self.baseline.is_together(planned.test, planned.pair),
            planned,
            is_repeated,
            demands,
            comes_first,
            usages: execution.map(|execution| execution.usages).unwrap_or_default(),
            single: None,
            place: None,
        }
    }

    fn demands(&self, only_fresh: bool) -> Demands {
        Demands { only_fresh, confirmed_passes: self.manner.confirm_passes }
    }

    /// Makes the attempts the experiment needs besides those that were made. Says whether something in the warm worker was
    /// doubtful.
    pub(crate) fn carry_out(
        &self,
        slot: &mut Slot<'_>,
        task: &Task,
        made: Vec<Attempt>,
        unproven: &mut Unproven,
    ) -> Result<bool, CheckError> {
        let mut has_doubts = made.iter().any(is_doubtful);
        made.iter().for_each(|attempt| self.count(attempt));
        let mut attempts = made;
        while let Some(place) = next_place(&attempts, task.demands) {
            let attempt = self.shared.lab.turns.take(|| match place {
                Place::Warm => self.attempt_warm(slot, task, unproven),
                Place::Fresh => self.attempt_fresh(slot, task),
            })?;
            has_doubts |= place == Place::Warm && is_doubtful(&attempt);
            self.count(&attempt);
            if has_waited(&attempt) {
                self.queue().postpone(task.key.test);
            }
            attempts.push(attempt);
        }
        self.count_both_ways(&attempts);
        let is_final = attempts.iter().any(|attempt| attempt.is_fresh);
        if is_final {
            let campaign = self.shared.campaign();
            campaign.store.together(|| campaign.store.keep_attempts(&task.planned, &attempts))?;
        }
        self.finish(task, &attempts);
        if !is_final {
            unproven.add(task.clone(), attempts);
        }
        Ok(has_doubts)
    }

    fn count(&self, attempt: &Attempt) {
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
        if !attempt.is_fresh && ended_by_itself(&attempt.outcome) {
            stats.warm_unarmed_seconds += seconds(attempt.unarmed_micros);
        }
    }

    /// What a fresh JVM costs is told by experiments that had an outcome in one and in a warm worker.
    fn count_both_ways(&self, attempts: &[Attempt]) {
        let first = |is_fresh| {
            let mut own = attempts.iter().filter(|attempt| attempt.is_fresh == is_fresh);
            own.find(|attempt| ended_by_itself(&attempt.outcome))
        };
        if let (Some(warm), Some(fresh)) = (first(false), first(true)) {
            let mut stats = self.shared.lab.stats();
            stats.both_ways.add(seconds(warm.micros));
            stats.both_ways_fresh_seconds += seconds(fresh.micros);
            stats.both_ways_different += u64::from(is_failure(warm) != is_failure(fresh));
        }
    }

    /// The experiment has its outcome; what the pair needs now may be less.
    fn finish(&self, task: &Task, attempts: &[Attempt]) {
        let mut campaign = self.shared.campaign();
        let mut queue = self.queue();
        queue.finish(task.key);
        let pair = &mut campaign.checked.pairs[task.key.position];
        let experiment = experiment_of(task.key.test, &task.planned.exception, attempts);
        let is_pass = experiment.as_ref().is_some_and(Experiment::is_pass);
        pair.experiments
            .retain(|each| !(each.test == task.key.test && each.exception == task.planned.exception));
        pair.experiments.extend(experiment);
        let seemed_not_injectable = pair.not_injectable.is_some();
        pair.not_injectable = not_injectable(pair);
        // A pass makes nothing unnecessary but itself, unless it came where none seemed possible.
        if !is_pass || seemed_not_injectable {
            self.refresh(&campaign, &mut queue, task.key.position);
            self.shared.lab.reporter.retotal(queue.total());
        }
        self.shared.lab.reporter.step(1);
    }

    pub(crate) fn refresh(&self, campaign: &Campaign, queue: &mut Queue, position: usize) {
        queue.set_needed(position, self.needed(campaign, &campaign.checked.pairs[position]));
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

fn is_not_run(experiment: &&Experiment) -> bool {
    matches!(experiment.outcome, Outcome::None(NoOutcome::NotRun(_)))
}

/// What a fresh JVM takes says nothing of its test.
fn has_waited(attempt: &Attempt) -> bool {
    !attempt.is_fresh && attempt.micros > attempt.unarmed_micros + WAIT_MICROS
}

/// Whether a test came to its end, well or badly.
fn ended_by_itself(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Pass => true,
        Outcome::Fail(failure) => failure.kind != FailureKind::Timeout,
        Outcome::None(_) => false,
    }
}

fn seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}
