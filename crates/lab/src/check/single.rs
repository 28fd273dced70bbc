//! Single executions: for pairs whose tests use their try in several ways, one execution at a time is hit.
//!
//! For each test that enters the catch: see how its executions of the try end with nothing armed, then, for those that end in
//! the catch, run it once with the exception at the beginning of that execution alone. Such a run counts if the executions
//! before went as they do otherwise. All runs of a test and pair happen between two runs with nothing armed, and are kept
//! together; a worker that no longer passes the second takes them with it, and they are made again in another.

use super::attempts::{Place, experiment_of, next_place};
use super::campaign::CheckError;
use super::experiments::{Experiments, Task};
use super::observations::{Attempt, TestNumber};
use super::proof::Unproven;
use super::queue::{Key, Taken};
use super::slot::{Slot, in_parallel};
use super::solo::{plain_time_limit, run_plain};
use crate::worker::WorkerEnd;
use catchment_protocol::lab::{Aim, Injection, Outcome as RunOutcome, TestRun};
use catchment_protocol::occurrences::{Colour, Occurrence, Occurrences};
use catchment_verdicts::{
    CheckedPair, Experiment, Mode, NoOutcome, NotRun, Outcome, SingleExecutions, SourceIndependence, TestId,
    judge,
};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// So many executions of a test are asked at most: the first, the last and some between.
const MOST_ASKED: usize = 10;
/// Another worker gets one more chance.
const TRIES: usize = 2;

/// What one test said of the executions of a try, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SingleRuns {
    /// They cannot be told apart, and why.
    Untold(String),
    Told(Vec<SingleRun>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SingleRun {
    exception: String,
    /// Counted from 1.
    execution: u64,
    /// None: another run has made it needless.
    attempts: Vec<Attempt>,
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
        self.shared.lab.reporter.phase("single executions", Some(subjects.len() as u64));
        let subjects = Mutex::new(VecDeque::from(subjects));
        let next = || subjects.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        in_parallel(slots, |slot| {
            while !self.shared.is_over()
                && let Some(subject) = next()
            {
                self.ask_subject(slot, subject)?;
                self.shared.lab.reporter.step(1);
            }
            Ok(())
        })
    }

    fn single_subjects(&self) -> Vec<Subject> {
        let mut campaign = self.shared.campaign();
        let checked = &mut campaign.checked;
        let mut subjects = Vec::new();
        for (position, pair) in checked.pairs.iter_mut().enumerate() {
            let verdicts = judge(pair, &checked.tests);
            let is_unknown = verdicts.source_independence.verdict == SourceIndependence::Unknown;
            if !is_unknown || pair.left_out || pair.not_injectable.is_some() {
                continue;
            }
            let white = pair.executions.iter().filter(|execution| execution.usages.white > 0);
            let evidence = white.filter(|execution| checked.tests[execution.test.index()].is_evidence());
            let before = subjects.len();
            subjects.extend(evidence.map(|execution| Subject { position, test: execution.test }));
            if subjects.len() > before {
                pair.single_executions = Some(SingleExecutions::default());
            }
        }
        subjects
    }

    fn ask_subject(&self, slot: &mut Slot<'_>, subject: Subject) -> Result<(), CheckError> {
        let (task, number) = self.single_task(subject);
        let known = self.shared.campaign().store.single_runs(task.planned.pair, number)?;
        let runs = match known {
            Some(runs) => runs,
            None if self.is_decided(subject.position) => return Ok(()),
            None => {
                let Some(runs) = self.ask_until_proven(slot, &task, number)? else { return Ok(()) };
                let campaign = self.shared.campaign();
                campaign
                    .store
                    .together(|| campaign.store.keep_single_runs(task.planned.pair, number, &runs))?;
                runs
            }
        };
        let mut campaign = self.shared.campaign();
        add(&mut campaign.checked.pairs[subject.position], subject.test, &runs);
        Ok(())
    }

    /// Nothing takes a confirmed failure back.
    fn is_decided(&self, position: usize) -> bool {
        let campaign = self.shared.campaign();
        let selective = judge(&campaign.checked.pairs[position], &campaign.checked.tests).selective;
        selective.is_some_and(|judgement| judgement.verdict == SourceIndependence::Dependent)
    }

    fn single_task(&self, subject: Subject) -> (Task, TestNumber) {
        let campaign = self.shared.campaign();
        let key = Key { position: subject.position, test: subject.test, exception: 0 };
        let task = self.task(
            &campaign.checked.pairs[subject.position],
            Taken { key, is_repeated: false, is_suspect: false },
        );
        let number = task.planned.test;
        (task, number)
    }

    /// `None` when there was no time left.
    fn ask_until_proven(
        &self,
        slot: &mut Slot<'_>,
        task: &Task,
        number: TestNumber,
    ) -> Result<Option<SingleRuns>, CheckError> {
        for _ in 0..TRIES {
            let begun = Instant::now();
            let Some(runs) = self.shared.lab.turns.take(|| self.ask(slot, task))? else { return Ok(None) };
            let is_proven = task.demands.only_fresh || self.still_passes(slot, number, task)?;
            self.shared.lab.stats().single.seconds += begun.elapsed().as_secs_f64();
            if is_proven {
                return Ok(Some(runs));
            }
        }
        Ok(Some(SingleRuns::Untold("it fails afterwards with nothing armed".to_owned())))
    }

    /// The worker is discarded if not.
    fn still_passes(&self, slot: &mut Slot<'_>, number: TestNumber, task: &Task) -> Result<bool, CheckError> {
        let (_, test) = &self.baseline.tests[task.key.test.index()];
        let limit = plain_time_limit(self.baseline.longest_micros(number));
        if slot.warm_configuration() != Some(test.configuration) {
            return Ok(false);
        }
        let running = slot.warm(test.configuration).map_err(CheckError::Worker)?;
        let ((plain, _), has_ended) = run_plain(running, test, limit)?;
        let passes = plain.passed() && !has_ended;
        if !passes {
            slot.discard();
        }
        Ok(passes)
    }

    fn ask(&self, slot: &mut Slot<'_>, task: &Task) -> Result<Option<SingleRuns>, CheckError> {
        let mut unproven = Unproven::default();
        let history = match self.history(slot, task, &mut unproven)? {
            Ok(history) => history,
            Err(why) => return Ok(Some(SingleRuns::Untold(why))),
        };
        let chosen = chosen(&history);
        if chosen.is_empty() {
            return Ok(Some(SingleRuns::Untold("none of them was seen to end in the catch".to_owned())));
        }
        let types = self.shared.campaign().checked.pairs[task.key.position].types.clone();
        let mut runs = Vec::new();
        let mut is_decided = false;
        for (exception, name) in types.iter().enumerate() {
            for &execution in &chosen {
                if self.shared.is_over() {
                    return Ok(None);
                }
                let mut attempts = Vec::new();
                if !is_decided {
                    let hit = task.at(exception, name, seen_before(&history, execution).into());
                    attempts = self.hit(slot, &hit, &mut unproven)?;
                    let experiment = experiment_of(task.key.test, name, &attempts);
                    is_decided = experiment.is_some_and(|experiment| experiment.is_confirmed_failure());
                }
                runs.push(SingleRun { exception: name.clone(), execution: execution as u64 + 1, attempts });
            }
        }
        if unproven.is_condemned() {
            slot.discard();
        }
        Ok(Some(SingleRuns::Told(runs)))
    }

    fn hit(
        &self,
        slot: &mut Slot<'_>,
        task: &Task,
        unproven: &mut Unproven,
    ) -> Result<Vec<Attempt>, CheckError> {
        let mut attempts = Vec::new();
        while let Some(place) = next_place(&attempts, task.demands) {
            attempts.push(match place {
                Place::Warm => self.attempt_warm(slot, task, unproven)?,
                Place::Fresh => self.attempt_fresh(slot, task)?,
            });
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
    ) -> Result<Result<Vec<Occurrence>, String>, CheckError> {
        let (number, test) = &self.baseline.tests[task.key.test.index()];
        let limit = plain_time_limit(self.baseline.longest_micros(*number));
        let injection = Injection { aim: Aim::None, ..self.injection(task, task.entries)? };
        self.shared.lab.stats().single.count += 1;
        let result = if task.demands.only_fresh {
            let mut running = slot.start(test.configuration, true).map_err(CheckError::Worker)?;
            running.run_test(&test.unit.id, Some(injection), limit).0
        } else if self.settle_warm(slot, *number, test, unproven)? {
            let running = slot.warm(test.configuration).map_err(CheckError::Worker)?;
            running.run_test(&test.unit.id, Some(injection), limit).0
        } else {
            return Ok(Err("it does not pass".to_owned()));
        };
        match result {
            Ok(run) => Ok(told_apart(&run, task)),
            Err(WorkerEnd::Interrupted) => Err(CheckError::Interrupted),
            Err(end) => {
                slot.discard();
                Ok(Err(end.to_string()))
            }
        }
    }
}

/// The run of a test that only watched.
fn told_apart(run: &TestRun, task: &Task) -> Result<Vec<Occurrence>, String> {
    if run.outcome != RunOutcome::Passed {
        return Err("it does not pass".to_owned());
    }
    let occurrences =
        run.injected.as_ref().map(|injected| &injected.occurrences).ok_or("it was not watched")?;
    if occurrences.is_shared {
        return Err("several threads execute the try".to_owned());
    }
    if occurrences.is_cut {
        return Err("there are too many".to_owned());
    }
    let history: Vec<_> = occurrences.iter().collect();
    if history.len() as u64 != task.entries {
        return Err("another number of them in every run".to_owned());
    }
    if history.iter().any(|occurrence| occurrence.colour == Colour::Unsure) {
        return Err("some end within others, and in different ways".to_owned());
    }
    Ok(history)
}

/// The executions before one as they look when it begins: those it began in have not ended.
fn seen_before(history: &[Occurrence], execution: usize) -> Vec<Occurrence> {
    let mut before = history[..execution].to_vec();
    let mut depth = history[execution].depth;
    for occurrence in before.iter_mut().rev() {
        if depth > 0 && occurrence.depth == depth - 1 {
            depth -= 1;
            occurrence.colour = Colour::Open;
        }
    }
    before
}

/// A run that was not what it is with nothing armed before the exception came is evidence for nothing.
pub(crate) fn unless_diverged(
    attempt: Attempt,
    before: &[Occurrence],
    found: Option<&Occurrences>,
) -> Attempt {
    let is_same = found
        .is_some_and(|found| !found.is_shared && !found.is_cut && found.iter().eq(before.iter().copied()));
    match attempt.outcome {
        Outcome::Pass | Outcome::Fail(_) if !is_same => {
            Attempt { outcome: Outcome::None(NoOutcome::Diverged), ..attempt }
        }
        _ => attempt,
    }
}

/// The first and the last that end in the catch, and some between.
fn chosen(history: &[Occurrence]) -> Vec<usize> {
    let white: Vec<_> =
        (0..).zip(history).filter(|(_, each)| each.colour == Colour::White).map(|(index, _)| index).collect();
    match white.len() {
        count if count <= MOST_ASKED => white,
        count => (0..MOST_ASKED).map(|n| white[n * (count - 1) / (MOST_ASKED - 1)]).collect(),
    }
}

/// What the runs say goes to the evidence of the pair.
fn add(pair: &mut CheckedPair, test: TestId, runs: &SingleRuns) {
    match runs {
        SingleRuns::Untold(why) => {
            let singles = pair.single_executions.get_or_insert_default();
            singles.untold.push((test, why.clone()));
        }
        SingleRuns::Told(runs) => pair.experiments.extend(runs.iter().map(|run| {
            let not_needed = Outcome::None(NoOutcome::NotRun(NotRun::NotNeeded));
            let experiment = experiment_of(test, &run.exception, &run.attempts)
                .unwrap_or_else(|| Experiment::new(test, run.exception.clone(), not_needed));
            Experiment { mode: Mode::Occurrence(run.execution), ..experiment }
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Colour::{Blue, Open, Pink, White};
    use catchment_verdicts::{Failure, FailureKind};

    fn history(all: &[(u32, Colour)]) -> Vec<Occurrence> {
        all.iter().map(|&(depth, colour)| Occurrence { depth, colour }).collect()
    }

    fn occurrences(all: &[(u32, Colour)]) -> Occurrences {
        let mut occurrences = Occurrences::default();
        history(all).into_iter().for_each(|each| occurrences.push(each));
        occurrences
    }

    #[test]
    fn the_first_the_last_and_some_between_are_asked() {
        let few = history(&[(0, Pink), (0, White), (0, Blue), (0, White), (0, Open)]);
        assert_eq!(chosen(&few), [1, 3]);
        let many = vec![Occurrence { depth: 0, colour: White }; 1000];
        let chosen = chosen(&many);
        assert_eq!((chosen.len(), chosen[0], chosen[9]), (MOST_ASKED, 0, 999));
        assert!(chosen.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn executions_that_another_began_in_have_not_ended_by_then() {
        let all = history(&[(0, Pink), (1, White), (0, Blue), (1, Pink), (2, White), (2, White)]);
        assert_eq!(seen_before(&all, 2), all[..2]);
        let expected = history(&[(0, Pink), (1, White), (0, Open), (1, Open), (2, White)]);
        assert_eq!(seen_before(&all, 5), expected);
    }

    #[test]
    fn only_a_run_that_went_the_same_until_then_is_evidence() {
        let before = history(&[(0, Pink), (0, White)]);
        let outcome = |found: Option<&Occurrences>| {
            let failure = Failure { kind: FailureKind::Assertion, text: String::new() };
            let failed = Attempt { outcome: Outcome::Fail(failure), ..Attempt::default() };
            unless_diverged(failed, &before, found).outcome
        };
        let same = occurrences(&[(0, Pink), (0, White)]);
        assert!(matches!(outcome(Some(&same)), Outcome::Fail(_)));
        let diverged = Outcome::None(NoOutcome::Diverged);
        assert_eq!(outcome(Some(&occurrences(&[(0, White), (0, White)]))), diverged);
        assert_eq!(outcome(Some(&occurrences(&[(0, Pink)]))), diverged);
        let mut shared = same;
        shared.is_shared = true;
        assert_eq!(outcome(Some(&shared)), diverged);
        assert_eq!(outcome(None), diverged);
        let not_reached = Attempt { outcome: Outcome::None(NoOutcome::NotReached), ..Attempt::default() };
        assert_eq!(unless_diverged(not_reached.clone(), &before, None), not_reached);
    }
}
