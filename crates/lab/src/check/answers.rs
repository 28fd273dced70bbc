//! Asking one test many things about one try in one worker, and when the answers stand.
//!
//! What a worker says stands if the test still passes there in the end with nothing armed, or if a fresh JVM has confirmed a
//! failure. Otherwise another worker is asked and, in the end, a fresh JVM for each run.

use super::attempts::{Demands, Place, experiment_of, next_place, taken_over};
use super::campaign::CheckError;
use super::experiments::{Experiments, Task};
use super::history::Untold;
use super::observations::Attempt;
use super::proof::Unproven;
use super::queue::{Key, Taken};
use super::slot::{Slot, in_parallel};
use super::solo::{plain_time_limit, run_plain};
use crate::worker::WorkerEnd;
use catchment_protocol::lab::{Aim, Injection, Outcome as RunOutcome, TestRun};
use catchment_verdicts::{
    Experiment, Mode, NoOutcome, NotRun, Outcome, Stats, TestId, Timed, Verdicts, judge,
};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// So many workers are asked.
const WORKERS_ASKED: usize = 2;

/// Where the cost of the runs is written down.
pub(crate) type Line = fn(&mut Stats) -> &mut Timed;

/// A pair and a test that enters its catch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) position: usize,
    pub(crate) test: TestId,
}

/// What one test has said of a try, as it is kept. `A` is what it was asked about: an execution of the try, a call in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Answers<A> {
    Untold(Untold),
    Told {
        runs: Vec<Run<A>>,
        /// So much more could have been asked about, and is too much.
        left: usize,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Run<A> {
    pub(crate) exception: String,
    pub(crate) about: A,
    /// Empty where another run has made it needless.
    pub(crate) attempts: Vec<Attempt>,
}

/// What to ask next.
#[derive(Debug, Clone)]
pub(crate) struct Question<A> {
    pub(crate) about: A,
    pub(crate) task: Task,
}

impl<A> Run<A> {
    pub(crate) fn experiment(&self, test: TestId, mode: Mode) -> Experiment {
        let not_needed = Outcome::None(NoOutcome::NotRun(NotRun::NotNeeded));
        let made = experiment_of(test, &self.exception, &self.attempts);
        let made = made.unwrap_or_else(|| Experiment::new(test, self.exception.clone(), not_needed));
        Experiment { mode, ..made }
    }

    fn is_confirmed_failure(&self, test: TestId) -> bool {
        let made = experiment_of(test, &self.exception, &self.attempts);
        made.is_some_and(|experiment| experiment.is_confirmed_failure())
    }
}

impl<A> Answers<A> {
    /// Nothing takes a confirmed failure back.
    fn has_confirmed_failure(&self, test: TestId) -> bool {
        match self {
            Self::Untold(_) => false,
            Self::Told { runs, .. } => runs.iter().any(|run| run.is_confirmed_failure(test)),
        }
    }

    /// Whether asking again would be of no use.
    pub(crate) fn is_final(&self, test: TestId, demands: Demands) -> bool {
        let stands = |run: &Run<A>| {
            run.attempts.is_empty() || taken_over(test, &run.exception, &run.attempts, demands).is_some()
        };
        match self {
            Self::Untold(untold) => untold.is_lasting,
            Self::Told { runs, .. } => runs.iter().all(stands),
        }
    }
}

impl Experiments<'_, '_> {
    /// `ask` also says whether one warm worker has answered everything that was asked of any; `None` when there was no time
    /// left.
    pub(crate) fn ask_until_proven<A>(
        &self,
        slot: &mut Slot<'_>,
        task: &Task,
        ask: impl Fn(&mut Slot<'_>, &Task, &mut Unproven) -> Result<Option<(Answers<A>, bool)>, CheckError>,
    ) -> Result<Option<Answers<A>>, CheckError> {
        let test = task.key.test;
        for _ in 0..WORKERS_ASKED {
            if task.demands.only_fresh {
                break;
            }
            let mut unproven = Unproven::default();
            let Some((answer, is_one_worker)) = ask(slot, task, &mut unproven)? else { return Ok(None) };
            let still_passes = self.still_passes(slot, task)?;
            if unproven.is_condemned() {
                slot.discard();
            }
            let is_proven = still_passes && is_one_worker && answer.is_final(test, task.demands);
            if is_proven || answer.has_confirmed_failure(test) {
                return Ok(Some(answer));
            }
            slot.discard();
        }
        let mut alone = task.clone();
        alone.demands.only_fresh = true;
        Ok(ask(slot, &alone, &mut Unproven::default())?.map(|(answer, _)| answer))
    }

    /// One question after the other, until a confirmed failure makes the others needless; with what
    /// [`Self::ask_until_proven`] wants to know.
    pub(crate) fn ask_each<A>(
        &self,
        slot: &mut Slot<'_>,
        questions: Vec<Question<A>>,
        left: usize,
        unproven: &mut Unproven,
        line: Line,
    ) -> Result<Option<(Answers<A>, bool)>, CheckError> {
        let worker = slot.warm_worker();
        let mut runs: Vec<Run<A>> = Vec::new();
        let mut is_decided = false;
        for Question { about, task } in questions {
            if !is_decided && self.shared.is_over() {
                return Ok(None);
            }
            let attempts = if is_decided { Vec::new() } else { self.hit(slot, &task, unproven, line)? };
            let run = Run { exception: task.planned.exception, about, attempts };
            is_decided |= run.is_confirmed_failure(task.key.test);
            runs.push(run);
        }
        Ok(Some((Answers::Told { runs, left }, slot.warm_worker() == worker)))
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

    /// Makes the attempts that an outcome takes.
    fn hit(
        &self,
        slot: &mut Slot<'_>,
        task: &Task,
        unproven: &mut Unproven,
        line: Line,
    ) -> Result<Vec<Attempt>, CheckError> {
        let mut attempts = Vec::new();
        while let Some(place) = next_place(&attempts, task.demands) {
            attempts.push(self.shared.lab.turns.take(|| match place {
                Place::Warm => self.attempt_warm(slot, task, unproven),
                Place::Fresh => self.attempt_fresh(slot, task),
            })?);
            line(&mut self.shared.lab.stats()).count += 1;
        }
        Ok(attempts)
    }

    /// The run of a test in which nothing is thrown and executions of the try are watched, if it passes.
    pub(crate) fn watch(
        &self,
        slot: &mut Slot<'_>,
        task: &Task,
        unproven: &mut Unproven,
        aim: Aim,
        line: Line,
    ) -> Result<Result<TestRun, Untold>, CheckError> {
        let (number, test) = &self.baseline.tests[task.key.test.index()];
        let limit = plain_time_limit(self.baseline.longest_micros(*number));
        let injection = Injection { aim, ..self.injection(task, task.usages.entries())? };
        line(&mut self.shared.lab.stats()).count += 1;
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
            Some(Ok(run)) if run.outcome == RunOutcome::Passed => Ok(Ok(run)),
            Some(Err(WorkerEnd::Interrupted)) => Err(CheckError::Interrupted),
            Some(Err(end)) => {
                slot.discard();
                Ok(Err(Untold::for_now(end.to_string())))
            }
            Some(Ok(_)) | None => Ok(Err(Untold::for_now("it does not pass"))),
        }
    }

    /// The tests that enter the catches of pairs with such verdicts.
    pub(crate) fn subjects(&self, is_asked: impl Fn(&Verdicts) -> bool) -> Vec<Subject> {
        let campaign = self.shared.campaign();
        let checked = &campaign.checked;
        let mut subjects = Vec::new();
        for (position, pair) in checked.pairs.iter().enumerate() {
            if !pair.left_out && pair.not_injectable.is_none() && is_asked(&judge(pair, &checked.tests)) {
                let white = pair.executions.iter().filter(|execution| execution.usages.white > 0);
                let evidence = white.filter(|execution| checked.tests[execution.test.index()].is_evidence());
                subjects.extend(evidence.map(|execution| Subject { position, test: execution.test }));
            }
        }
        subjects
    }

    pub(crate) fn for_each_subject(
        &self,
        slots: &mut [Slot<'_>],
        phase: &str,
        mut subjects: Vec<Subject>,
        line: Line,
        ask: impl Fn(&mut Slot<'_>, Subject) -> Result<(), CheckError> + Sync,
    ) -> Result<(), CheckError> {
        // The cheapest first where time is short.
        if self.shared.deadline.is_some() {
            subjects.sort_by_key(|subject| self.micros_of(subject.test));
        }
        self.shared.lab.reporter.phase(phase, Some(subjects.len() as u64));
        let left = Mutex::new(VecDeque::from(subjects));
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        in_parallel(slots, |slot| {
            while !self.shared.is_over()
                && let Some(subject) = next()
            {
                let begun = Instant::now();
                ask(slot, subject)?;
                line(&mut self.shared.lab.stats()).seconds += begun.elapsed().as_secs_f64();
                self.shared.lab.reporter.step(1);
            }
            Ok(())
        })
    }

    pub(crate) fn task_of(&self, subject: Subject) -> Task {
        let campaign = self.shared.campaign();
        let key = Key { position: subject.position, test: subject.test, exception: 0 };
        let taken = Taken { key, is_repeated: false, is_suspect: false };
        self.task(&campaign.checked.pairs[subject.position], taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_asked_again_is_not_final() {
        let run = |outcome| Run {
            exception: "a.E".into(),
            about: 1,
            attempts: vec![Attempt { outcome, ..Attempt::default() }],
        };
        let told = |runs| Answers::Told { runs, left: 0 };
        let is_final = |answers: Answers<u64>, confirmed_passes| {
            answers.is_final(TestId(0), Demands { only_fresh: false, confirmed_passes })
        };
        let passed = told(vec![run(Outcome::Pass), Run { attempts: vec![], ..run(Outcome::Pass) }]);
        assert!(is_final(passed.clone(), false) && !is_final(passed, true));
        let lost = Outcome::None(NoOutcome::WorkerLost("gone".into()));
        assert!(!is_final(told(vec![run(lost)]), false));
        assert!(is_final(Answers::Untold(Untold::lasting("threads")), true));
        assert!(!is_final(Answers::Untold(Untold::for_now("red")), false));
    }
}
