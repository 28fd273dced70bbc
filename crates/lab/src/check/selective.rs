//! Single executions: for pairs whose tests use their try in several ways, one execution at a time is hit.
//!
//! For each test that enters the catch: see how its executions of the try end with nothing armed, then, for those that end in
//! the catch, run it once with the exception at the beginning of that execution alone. Such a run counts if the executions
//! before went as they do otherwise.

mod history;

use crate::campaign::inquiry::Inquiry;
use crate::check::experiments::at_every_execution;
use crate::check::inquiries::{experiment, subjects};
use crate::check::selective::history::{executions_of, invalidate_if_diverged};
use crate::session::LabError;
use crate::slot::Slot;
use crate::store::Planned;
use crate::trial::ask::{
    Answers, Line, QuestionSeries, SeriesQuestion, Subject, Unavailable, UnprovenSeries,
};
use crate::trial::engine::{Question, Trials};
use catchment_protocol::experiment as armed;
use catchment_protocol::experiment::{Sites, Visits, Watch, When, Within};
use catchment_verdicts::{
    CheckedPair, CheckedProject, ExperimentResult, Mode, NoOutcome, Outcome, SourceIndependence, TestId,
    Verdicts, judge,
};

/// The inquiry about every pair that is entered and whose source independence all executions together leave unknown.
pub(crate) struct SelectiveInquiry {
    pub(crate) confirmed_passes: bool,
}

impl Inquiry for SelectiveInquiry {
    /// The number of the execution, counted from 1.
    type About = u64;

    const KIND: &'static str = "single executions";
    const PHASE: &'static str = "single executions";
    const LINE: Line = |stats| &mut stats.single;

    fn subjects(&self, trials: Trials<'_, '_>) -> Vec<Subject> {
        let is_unknown =
            |verdicts: &Verdicts| verdicts.source_independence.verdict == SourceIndependence::Unknown;
        let begin = |pair: &mut CheckedPair| {
            pair.selective.get_or_insert_default();
        };
        subjects(trials, self.confirmed_passes, is_unknown, begin)
    }

    fn is_decided(&self, checked: &CheckedProject, position: usize) -> bool {
        let selective = judge(&checked.pairs[position], &checked.tests).selective;
        selective.is_some_and(|judgement| judgement.verdict == SourceIndependence::Dependent)
    }

    /// A test that executes the try once has been asked with all others.
    fn take_over(&self, pair: &mut CheckedPair, subject: &Subject) -> bool {
        let is_only = subject.usages.entries() == 1;
        let only = if is_only { of_only_execution(pair, subject.test) } else { Vec::new() };
        let is_known = !only.is_empty();
        pair.experiments.extend(only);
        is_known
    }

    fn questions(
        &self,
        trials: Trials<'_, '_>,
        slot: &mut Slot<'_>,
        subject: &Subject,
        unproven: &mut UnprovenSeries<'_>,
    ) -> Result<Result<QuestionSeries<u64>, Unavailable>, LabError> {
        let samples = Watch { samples: true, ..Watch::default() };
        let looking = || (Sites::Tries, samples.clone());
        let watch = || trials.watch(slot, subject, unproven, looking(), Self::LINE);
        let watched = trials.session.turns.take(watch)?;
        let history = match watched.and_then(|run| executions_of(&run, &subject.usages)) {
            Ok(history) => history,
            Err(unavailable) => return Ok(Err(unavailable)),
        };
        let ledger = trials.session.ledger();
        let pair = &ledger.checked.pairs[subject.position];
        let chosen = history.chosen();
        let mut questions = Vec::new();
        for exception in &pair.clause.types {
            let (pair_number, test) = (subject.pair_number, subject.test_number);
            let planned = Planned { pair: pair_number, test, exception: exception.clone() };
            for &execution in
                chosen.iter().filter(|&&one| history.concerns(one, exception, &pair.clause.types))
            {
                let sample = history.sample(execution, exception, pair.clause.types.len() == 1);
                let before = history.before(execution);
                let visits = Visits::Only(before.len() as u64);
                let when = When { within: Within::Executions(pair.clause.id.clone()), visits };
                let every = at_every_execution(&ledger, pair, &planned, sample, subject.usages.entries())?;
                let experiment = armed::Experiment { when, ..every };
                let question = Question {
                    reading: Box::new(move |attempt, run| {
                        invalidate_if_diverged(attempt, &before, run.before())
                    }),
                    ..Question::new(subject.test, experiment, subject.demands, subject.comes_first)
                };
                questions.push(SeriesQuestion {
                    about: execution as u64 + 1,
                    exception: exception.clone(),
                    question,
                });
            }
        }
        Ok(Ok(QuestionSeries { questions, left: 0 }))
    }

    fn add(&self, pair: &mut CheckedPair, subject: &Subject, answers: &Answers<u64>) {
        let singles = pair.selective.get_or_insert_default();
        match answers {
            Answers::Unavailable(unavailable) => {
                singles.unavailable.push((subject.test, unavailable.why.clone()));
            }
            Answers::Given { runs, .. } => {
                let made = runs.iter().map(|run| experiment(run, subject.test, Mode::Selective(run.about)));
                pair.experiments.extend(made);
            }
        }
    }
}

/// The experiments of a test that executes the try once: they are the same whether all executions are hit or the first.
fn of_only_execution(pair: &CheckedPair, test: TestId) -> Vec<ExperimentResult> {
    let of_type = |name: &String| {
        let mut own = pair.experiments.iter().filter(|each| each.test == test && each.exception == *name);
        let known = own.find(|each| !matches!(each.outcome, Outcome::None(NoOutcome::NotRun(_))))?;
        Some(ExperimentResult { mode: Mode::Selective(1), ..known.clone() })
    };
    pair.clause.types.iter().map(of_type).collect::<Option<_>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_executes_the_try_once_has_been_asked_with_all_others() {
        let mut pair = CheckedPair::default();
        pair.clause.types = vec!["a.E".into(), "a.F".into()];
        pair.experiments.push(ExperimentResult::new(TestId(0), "a.E", Outcome::Pass));
        assert_eq!(of_only_execution(&pair, TestId(0)), []);
        let unstable =
            ExperimentResult { unstable: true, ..ExperimentResult::new(TestId(0), "a.F", Outcome::Pass) };
        pair.experiments.push(unstable);
        let known = of_only_execution(&pair, TestId(0));
        let facts: Vec<_> = known.iter().map(|each| (each.mode, each.unstable)).collect();
        assert_eq!(facts, [(Mode::Selective(1), false), (Mode::Selective(1), true)]);
        assert_eq!(of_only_execution(&pair, TestId(1)), []);
    }
}
