//! Single executions: for pairs whose tests use their try in several ways, one execution at a time is hit.
//!
//! For each test that enters the catch: see how its executions of the try end with nothing armed, then, for those that end in
//! the catch, run it once with the exception at the beginning of that execution alone. Such a run counts if the executions
//! before went as they do otherwise. What a worker says stands if the test still passes there in the end with nothing armed,
//! or if a fresh JVM has confirmed a failure. Otherwise another worker is asked and, in the end, a fresh JVM for each run.

use super::attempts::{Demands, Place, experiment_of, next_place, taken_over};
use super::campaign::CheckError;
use super::experiments::{Experiments, Task};
use super::history::{History, Untold, told_apart};
use super::observations::Attempt;
use super::proof::Unproven;
use super::queue::{Key, Taken};
use super::slot::{Slot, in_parallel};
use super::solo::{plain_time_limit, run_plain};
use crate::worker::WorkerEnd;
use catchment_protocol::lab::{Aim, Injection};
use catchment_verdicts::{
    CheckedPair, Experiment, Mode, NoOutcome, NotRun, Outcome, SingleExecutions, SourceIndependence, TestId,
    judge,
};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// So many workers are asked.
const WORKERS_ASKED: usize = 2;

/// What one test said of the executions of a try, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SingleRuns {
    Untold(Untold),
    Told(Vec<SingleRun>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SingleRun {
    exception: String,
    /// Counted from 1.
    execution: u64,
    /// Empty where another run has made it needless.
    attempts: Vec<Attempt>,
}

impl SingleRun {
    fn experiment(&self, test: TestId) -> Option<Experiment> {
        let experiment = experiment_of(test, &self.exception, &self.attempts)?;
        Some(Experiment { mode: Mode::Occurrence(self.execution), ..experiment })
    }
}

impl SingleRuns {
    /// Nothing takes a confirmed failure back.
    fn has_confirmed_failure(&self, test: TestId) -> bool {
        let Self::Told(runs) = self else { return false };
        let mut experiments = runs.iter().filter_map(|run| run.experiment(test));
        experiments.any(|experiment| experiment.is_confirmed_failure())
    }

    /// Whether asking again would be of no use.
    fn is_final(&self, test: TestId, demands: Demands) -> bool {
        let stands = |run: &SingleRun| {
            run.attempts.is_empty() || taken_over(test, &run.exception, &run.attempts, demands).is_some()
        };
        match self {
            Self::Untold(untold) => untold.is_lasting,
            Self::Told(runs) => runs.iter().all(stands),
        }
    }
}

/// A pair and a test that enters its catch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Subject {
    position: usize,
    test: TestId,
}

impl Experiments<'_, '_> {
    /// Asks single executions about every pair that is entered and whose source independence all together leave unknown.
    pub(crate) fn ask_single_executions(&self, slots: &mut [Slot<'_>]) -> Result<(), CheckError> {
        let subjects = self.single_subjects();
        self.expect_single_runs(&subjects);
        let mut left = Vec::new();
        for subject in subjects {
            if !self.take_over(subject)? {
                left.push(subject);
            }
        }
        // The cheapest first where time is short.
        if self.shared.deadline.is_some() {
            left.sort_by_key(|subject| self.micros_of(subject.test));
        }
        self.shared.lab.reporter.phase("single executions", Some(left.len() as u64));
        let left = Mutex::new(VecDeque::from(left));
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        in_parallel(slots, |slot| {
            while !self.shared.is_over()
                && let Some(subject) = next()
            {
                if !self.is_decided(subject.position) {
                    self.ask_subject(slot, subject)?;
                }
                self.shared.lab.reporter.step(1);
            }
            Ok(())
        })
    }

    fn single_subjects(&self) -> Vec<Subject> {
        let campaign = self.shared.campaign();
        let checked = &campaign.checked;
        let mut subjects = Vec::new();
        for (position, pair) in checked.pairs.iter().enumerate() {
            let verdicts = judge(pair, &checked.tests);
            let is_unknown = verdicts.source_independence.verdict == SourceIndependence::Unknown;
            if is_unknown && !pair.left_out && pair.not_injectable.is_none() {
                let white = pair.executions.iter().filter(|execution| execution.usages.white > 0);
                let evidence = white.filter(|execution| checked.tests[execution.test.index()].is_evidence());
                subjects.extend(evidence.map(|execution| Subject { position, test: execution.test }));
            }
        }
        subjects
    }

    fn expect_single_runs(&self, subjects: &[Subject]) {
        let mut campaign = self.shared.campaign();
        for subject in subjects {
            campaign.checked.pairs[subject.position].single_executions.get_or_insert_default();
        }
    }

    /// Whether it is known what the test says. A test that executes the try once has been asked with all others.
    fn take_over(&self, subject: Subject) -> Result<bool, CheckError> {
        let task = self.single_task(subject);
        let mut campaign = self.shared.campaign();
        let known = campaign.store.single_runs(task.planned.pair, task.planned.test)?;
        let pair = &mut campaign.checked.pairs[subject.position];
        if let Some(runs) = known.filter(|runs| runs.is_final(subject.test, task.demands)) {
            add(pair, subject.test, &runs);
            return Ok(true);
        }
        let only =
            if task.usages.entries() == 1 { of_only_execution(pair, subject.test) } else { Vec::new() };
        let is_known = !only.is_empty();
        pair.experiments.extend(only);
        Ok(is_known)
    }

    fn ask_subject(&self, slot: &mut Slot<'_>, subject: Subject) -> Result<(), CheckError> {
        let task = self.single_task(subject);
        let Some(runs) = self.ask_until_proven(slot, &task)? else { return Ok(()) };
        let mut campaign = self.shared.campaign();
        let (pair, test) = (task.planned.pair, task.planned.test);
        campaign.store.together(|| campaign.store.keep_single_runs(pair, test, &runs))?;
        add(&mut campaign.checked.pairs[subject.position], subject.test, &runs);
        Ok(())
    }

    fn is_decided(&self, position: usize) -> bool {
        let campaign = self.shared.campaign();
        let selective = judge(&campaign.checked.pairs[position], &campaign.checked.tests).selective;
        selective.is_some_and(|judgement| judgement.verdict == SourceIndependence::Dependent)
    }

    fn single_task(&self, subject: Subject) -> Task {
        let campaign = self.shared.campaign();
        let key = Key { position: subject.position, test: subject.test, exception: 0 };
        let taken = Taken { key, is_repeated: false, is_suspect: false };
        self.task(&campaign.checked.pairs[subject.position], taken)
    }

    /// `None` when there was no time left.
    fn ask_until_proven(&self, slot: &mut Slot<'_>, task: &Task) -> Result<Option<SingleRuns>, CheckError> {
        let test = task.key.test;
        for _ in 0..WORKERS_ASKED {
            if task.demands.only_fresh {
                break;
            }
            let mut unproven = Unproven::default();
            let begun = Instant::now();
            let Some((runs, is_one_worker)) = self.ask(slot, task, &mut unproven)? else { return Ok(None) };
            let still_passes = self.still_passes(slot, task)?;
            if unproven.is_condemned() {
                slot.discard();
            }
            self.shared.lab.stats().single.seconds += begun.elapsed().as_secs_f64();
            let is_proven = still_passes && is_one_worker && runs.is_final(test, task.demands);
            if is_proven || runs.has_confirmed_failure(test) {
                return Ok(Some(runs));
            }
            slot.discard();
        }
        let mut alone = task.clone();
        alone.demands.only_fresh = true;
        let begun = Instant::now();
        let asked = self.ask(slot, &alone, &mut Unproven::default())?;
        self.shared.lab.stats().single.seconds += begun.elapsed().as_secs_f64();
        Ok(asked.map(|(runs, _)| runs))
    }

    /// The worker is discarded if not.
    fn still_passes(&self, slot: &mut Slot<'_>, task: &Task) -> Result<bool, CheckError> {
        let (number, test) = &self.baseline.tests[task.key.test.index()];
        let limit = plain_time_limit(self.baseline.longest_micros(*number));
        if slot.warm_configuration() != Some(test.configuration) {
            return Ok(false);
        }
        let ((plain, _), has_ended) = self.shared.lab.turns.take(|| {
            let running = slot.warm(test.configuration).map_err(CheckError::Worker)?;
            run_plain(running, test, limit)
        })?;
        let passes = plain.passed() && !has_ended;
        if !passes {
            slot.discard();
        }
        Ok(passes)
    }

    /// Also whether one warm worker has answered everything that was asked of any.
    fn ask(
        &self,
        slot: &mut Slot<'_>,
        task: &Task,
        unproven: &mut Unproven,
    ) -> Result<Option<(SingleRuns, bool)>, CheckError> {
        let history = match self.shared.lab.turns.take(|| self.history(slot, task, unproven))? {
            Ok(history) => history,
            Err(untold) => return Ok(Some((SingleRuns::Untold(untold), true))),
        };
        let worker = slot.warm_worker();
        let types = self.shared.campaign().checked.pairs[task.key.position].types.clone();
        let chosen = history.chosen();
        let mut runs = Vec::new();
        let mut is_decided = false;
        for (exception, name) in types.iter().enumerate() {
            for &execution in &chosen {
                if !is_decided && self.shared.is_over() {
                    return Ok(None);
                }
                let mut run =
                    SingleRun { exception: name.clone(), execution: execution as u64 + 1, attempts: vec![] };
                if !is_decided {
                    let hit = task.at(exception, name, history.single(execution, name, types.len() == 1));
                    run.attempts = self.hit(slot, &hit, unproven)?;
                    let experiment = run.experiment(task.key.test);
                    is_decided = experiment.is_some_and(|experiment| experiment.is_confirmed_failure());
                }
                runs.push(run);
            }
        }
        Ok(Some((SingleRuns::Told(runs), slot.warm_worker() == worker)))
    }

    fn hit(
        &self,
        slot: &mut Slot<'_>,
        task: &Task,
        unproven: &mut Unproven,
    ) -> Result<Vec<Attempt>, CheckError> {
        let mut attempts = Vec::new();
        while let Some(place) = next_place(&attempts, task.demands) {
            attempts.push(self.shared.lab.turns.take(|| match place {
                Place::Warm => self.attempt_warm(slot, task, unproven),
                Place::Fresh => self.attempt_fresh(slot, task),
            })?);
            self.shared.lab.stats().single.count += 1;
        }
        Ok(attempts)
    }

    /// How the executions of the try end with nothing thrown, or why nobody knows.
    fn history(
        &self,
        slot: &mut Slot<'_>,
        task: &Task,
        unproven: &mut Unproven,
    ) -> Result<Result<History, Untold>, CheckError> {
        let (number, test) = &self.baseline.tests[task.key.test.index()];
        let limit = plain_time_limit(self.baseline.longest_micros(*number));
        let injection = Injection { aim: Aim::None, ..self.injection(task, task.usages.entries())? };
        self.shared.lab.stats().single.count += 1;
        let result = if task.demands.only_fresh {
            let mut running = slot.start(test.configuration, true).map_err(CheckError::Worker)?;
            let has_settled = task.comes_first || run_plain(&mut running, test, limit)?.0.0.passed();
            has_settled.then(|| running.run_test(&test.unit.id, Some(injection), limit).0)
        } else if self.settle_warm(slot, *number, test, unproven)? {
            let running = slot.warm(test.configuration).map_err(CheckError::Worker)?;
            Some(running.run_test(&test.unit.id, Some(injection), limit).0)
        } else {
            None
        };
        match result {
            Some(Ok(run)) => Ok(told_apart(&run, &task.usages)),
            Some(Err(WorkerEnd::Interrupted)) => Err(CheckError::Interrupted),
            Some(Err(end)) => {
                slot.discard();
                Ok(Err(Untold::for_now(end.to_string())))
            }
            None => Ok(Err(Untold::for_now("it does not pass"))),
        }
    }
}

/// What is known of a test that executes the try once: it is the same whether all executions are hit or the first.
fn of_only_execution(pair: &CheckedPair, test: TestId) -> Vec<Experiment> {
    let of_type = |name: &String| {
        let mut own = pair.experiments.iter().filter(|each| each.test == test && each.exception == *name);
        let known = own.find(|each| !matches!(each.outcome, Outcome::None(NoOutcome::NotRun(_))))?;
        Some(Experiment { mode: Mode::Occurrence(1), ..known.clone() })
    };
    pair.types.iter().map(of_type).collect::<Option<_>>().unwrap_or_default()
}

/// What the runs say goes to the evidence of the pair.
fn add(pair: &mut CheckedPair, test: TestId, runs: &SingleRuns) {
    let singles: &mut SingleExecutions = pair.single_executions.get_or_insert_default();
    match runs {
        SingleRuns::Untold(untold) => singles.untold.push((test, untold.why.clone())),
        SingleRuns::Told(runs) => pair.experiments.extend(runs.iter().map(|run| {
            let not_needed = Outcome::None(NoOutcome::NotRun(NotRun::NotNeeded));
            let mode = Mode::Occurrence(run.execution);
            let needless = || Experiment { mode, ..Experiment::new(test, run.exception.clone(), not_needed) };
            run.experiment(test).unwrap_or_else(needless)
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_asked_again_is_not_final() {
        let run = |outcome| SingleRun {
            exception: "a.E".into(),
            execution: 1,
            attempts: vec![Attempt { outcome, ..Attempt::default() }],
        };
        let is_final = |runs: SingleRuns, confirmed_passes| {
            runs.is_final(TestId(0), Demands { only_fresh: false, confirmed_passes })
        };
        let passed =
            SingleRuns::Told(vec![run(Outcome::Pass), SingleRun { attempts: vec![], ..run(Outcome::Pass) }]);
        assert!(is_final(passed.clone(), false) && !is_final(passed, true));
        let lost = Outcome::None(NoOutcome::WorkerLost("gone".into()));
        assert!(!is_final(SingleRuns::Told(vec![run(lost)]), false));
        assert!(is_final(SingleRuns::Untold(Untold::lasting("threads")), true));
        assert!(!is_final(SingleRuns::Untold(Untold::for_now("red")), false));
    }

    #[test]
    fn a_test_that_executes_the_try_once_has_been_asked_with_all_others() {
        let mut pair = CheckedPair { types: vec!["a.E".into(), "a.F".into()], ..CheckedPair::default() };
        pair.experiments.push(Experiment::new(TestId(0), "a.E", Outcome::Pass));
        assert_eq!(of_only_execution(&pair, TestId(0)), []);
        let unstable = Experiment { unstable: true, ..Experiment::new(TestId(0), "a.F", Outcome::Pass) };
        pair.experiments.push(unstable);
        let known = of_only_execution(&pair, TestId(0));
        let facts: Vec<_> = known.iter().map(|each| (each.mode, each.unstable)).collect();
        assert_eq!(facts, [(Mode::Occurrence(1), false), (Mode::Occurrence(1), true)]);
        assert_eq!(of_only_execution(&pair, TestId(1)), []);
    }
}
