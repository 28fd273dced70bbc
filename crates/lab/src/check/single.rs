//! Single executions: for pairs whose tests use their try in several ways, one execution at a time is hit.
//!
//! For each test that enters the catch: see how its executions of the try end with nothing armed, then, for those that end in
//! the catch, run it once with the exception at the beginning of that execution alone. Such a run counts if the executions
//! before went as they do otherwise.

use super::answers::{Answers, Line, Question, Subject};
use super::campaign::CheckError;
use super::experiments::{Experiments, Task};
use super::history::{History, Untold, told_apart};
use super::proof::Unproven;
use super::slot::Slot;
use catchment_protocol::lab::Aim;
use catchment_verdicts::{
    CheckedPair, Experiment, Mode, NoOutcome, Outcome, SingleExecutions, SourceIndependence, TestId, judge,
};

/// In the store.
const KIND: &str = "single executions";

/// What such runs cost.
const LINE: Line = |stats| &mut stats.single;

/// By the number of the execution, counted from 1.
type SingleRuns = Answers<u64>;

impl Experiments<'_, '_> {
    /// Asks single executions about every pair that is entered and whose source independence all together leave unknown.
    pub(crate) fn ask_single_executions(&self, slots: &mut [Slot<'_>]) -> Result<(), CheckError> {
        let subjects =
            self.subjects(|verdicts| verdicts.source_independence.verdict == SourceIndependence::Unknown);
        self.expect_single_runs(&subjects);
        let mut left = Vec::new();
        for subject in subjects {
            if !self.take_over(subject)? {
                left.push(subject);
            }
        }
        self.for_each_subject(slots, "single executions", left, LINE, |slot, subject| {
            if self.is_decided(subject.position) { Ok(()) } else { self.ask_subject(slot, subject) }
        })
    }

    fn expect_single_runs(&self, subjects: &[Subject]) {
        let mut campaign = self.shared.campaign();
        for subject in subjects {
            campaign.checked.pairs[subject.position].single_executions.get_or_insert_default();
        }
    }

    /// Whether it is known what the test says. A test that executes the try once has been asked with all others.
    fn take_over(&self, subject: Subject) -> Result<bool, CheckError> {
        let task = self.task_of(subject);
        let mut campaign = self.shared.campaign();
        let known: Option<SingleRuns> = campaign.store.answer(task.planned.pair, task.planned.test, KIND)?;
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
        let task = self.task_of(subject);
        let asked = self.ask_until_proven(slot, &task, |slot, task, unproven| self.ask(slot, task, unproven));
        let Some(runs) = asked? else { return Ok(()) };
        let mut campaign = self.shared.campaign();
        let (pair, test) = (task.planned.pair, task.planned.test);
        campaign.store.together(|| campaign.store.keep_answer(pair, test, KIND, &runs))?;
        add(&mut campaign.checked.pairs[subject.position], subject.test, &runs);
        Ok(())
    }

    fn is_decided(&self, position: usize) -> bool {
        let campaign = self.shared.campaign();
        let selective = judge(&campaign.checked.pairs[position], &campaign.checked.tests).selective;
        selective.is_some_and(|judgement| judgement.verdict == SourceIndependence::Dependent)
    }

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
        let types = self.shared.campaign().checked.pairs[task.key.position].types.clone();
        let chosen = history.chosen();
        let mut questions = Vec::new();
        for (exception, name) in types.iter().enumerate() {
            let concerned = chosen.iter().filter(|execution| history.concerns(**execution, name, &types));
            questions.extend(concerned.map(|&execution| Question {
                about: execution as u64 + 1,
                task: task.at(exception, name, history.single(execution, name, types.len() == 1)),
            }));
        }
        self.ask_each(slot, questions, 0, unproven, LINE)
    }

    /// How the executions of the try end with nothing thrown, or why nobody knows.
    fn history(
        &self,
        slot: &mut Slot<'_>,
        task: &Task,
        unproven: &mut Unproven,
    ) -> Result<Result<History, Untold>, CheckError> {
        let watched = self.watch(slot, task, unproven, Aim::None, LINE)?;
        Ok(watched.and_then(|run| told_apart(&run, &task.usages)))
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
        SingleRuns::Told { runs, .. } => {
            let made = runs.iter().map(|run| run.experiment(test, Mode::Occurrence(run.about)));
            pair.experiments.extend(made);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
