//! Several questions at once: the same experiment in tests of one class that have an expensive context in common.
//!
//! The class runs as in a suite. Whatever goes wrong with that (a test ends the JVM, or does not run at all) costs the
//! batch: those without an answer, or with one from a JVM that is gone, are tried alone.

use crate::baseline::shared_contexts::plain_class;
use crate::baseline::solo::time_limit;
use crate::session::LabError;
use crate::slot::{ClassRun, Running, Slot};
use crate::trial::engine::{Question, Trials};
use crate::trial::proof::{Keeper, Unproven};
use catchment_protocol::experiment::Experiment;
use catchment_verdicts::Attempt;

impl Trials<'_, '_> {
    /// One attempt at each question, all of one experiment and class; `None` for those that have to be tried alone.
    pub(crate) fn attempt_together<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        questions: &[&Question],
        unproven: &mut Unproven<'_, K>,
    ) -> Result<Vec<Option<Attempt>>, LabError> {
        let Some(first) = questions.first() else { return Ok(Vec::new()) };
        let (number, test) = self.test(first.test);
        let longest = questions.iter().map(|question| self.micros_of(question.test)).max().unwrap_or(0);
        let most_visits = questions.iter().map(|question| question.experiment.most_visits).max().unwrap_or(0);
        let experiment = Experiment { most_visits, ..first.experiment.clone() };
        if !self.settle_class(slot, questions, longest, unproven)? {
            return Ok(vec![None; questions.len()]);
        }
        let running = slot.warm(test.configuration)?;
        let (class_run, micros) =
            running.run_class(&test.unit.class, Some(experiment), time_limit(longest))?;
        let count = questions.len() as u64;
        let times =
            Times { micros: micros / count, plain_micros: self.baseline.class_micros(*number) / count };
        let attempt = |question: &&Question| self.attempt_among(running, question, &class_run, times);
        let attempts = questions.iter().map(attempt).collect();
        if class_run.end.is_some() {
            slot.discard();
            unproven.put_back();
        } else if self.leaves_litter(slot, questions, &class_run) {
            unproven.condemn();
        }
        Ok(attempts)
    }

    fn attempt_among(
        &self,
        running: &Running<'_>,
        question: &Question,
        class_run: &ClassRun,
        times: Times,
    ) -> Option<Attempt> {
        let (_, test) = self.test(question.test);
        let result = match (&class_run.end, &class_run.running, class_run.of_test(&test.unit.id)) {
            (None, _, Some(run)) => Ok(run.clone()),
            (Some(end), Some(last), _) if *last == test.unit.id => Err(end.clone()),
            _ => return None,
        };
        let attempt = self.read(question, running, &result, times.micros);
        // Where the worker may be to blame, the others may be: alone it has another chance before a JVM of its own.
        let is_lost = attempt.is_doubtful() && !attempt.is_failure();
        (!is_lost).then_some(Attempt { plain_micros: times.plain_micros, ..attempt })
    }

    fn leaves_litter(&self, slot: &mut Slot<'_>, questions: &[&Question], class_run: &ClassRun) -> bool {
        let tests: Vec<_> = questions.iter().map(|question| self.test(question.test).0).collect();
        class_run.finished.iter().any(|run| !run.threads_left.is_empty()) && self.note_litter(slot, &tests)
    }

    /// Lets the class run once with nothing armed in the warm worker, unless it has, and tells whether the tests passed. A
    /// worker in which they do not is replaced, once.
    fn settle_class<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        questions: &[&Question],
        longest_micros: u64,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<bool, LabError> {
        let members = questions.iter().map(|question| self.test(question.test));
        let members: Vec<_> = members.map(|(number, test)| (*number, test)).collect();
        let Some((_, test)) = members.first() else { return Ok(false) };
        let class = &test.unit.class;
        self.settle(slot, test.configuration, class, unproven, |running| {
            let (runs, has_ended) = plain_class(running, class, &members, longest_micros)?;
            Ok((!has_ended && runs.iter().all(|(_, run)| run.passed()), has_ended))
        })
    }
}

/// Microseconds of one attempt of a batch, and of the same with nothing armed.
#[derive(Debug, Clone, Copy)]
struct Times {
    micros: u64,
    plain_micros: u64,
}
