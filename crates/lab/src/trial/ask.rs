//! A series: many questions to one test in one worker, and when their answers stand.
//!
//! The answers of a worker stand together: if the worker proves itself at the end of the series, or if a fresh JVM has
//! confirmed a failure. Otherwise another worker is asked and, in the end, a fresh JVM for each run.

use crate::observations::{PairNumber, TestNumber};
use crate::session::LabError;
use crate::slot::Slot;
use crate::store::stored;
use crate::trial::engine::{Question, Trials, most_visits};
use crate::trial::proof::{Keeper, Unproven};
use catchment_protocol::conversation::{self, TestRun};
use catchment_protocol::experiment::{self, Sites, Watch};
use catchment_verdicts::{
    Attempt, ColourCounts, Demands, ExecutingTest, ExperimentResult, Stats, TestId, Timed, experiment_of,
    taken_over,
};
use serde::{Deserialize, Serialize};
use std::cell::Cell;

/// Warm workers that are asked before fresh JVMs.
const WORKERS_ASKED: usize = 2;

/// The line of the statistics on which the cost of the runs stands.
pub(crate) type Line = fn(&mut Stats) -> &mut Timed;

/// The keeper of a series: its results stand together or not at all, so none is kept before the end.
#[derive(Debug, Default)]
pub(crate) struct AllOrNothing {
    has_lost: Cell<bool>,
}

impl Keeper for AllOrNothing {
    type Result = ();

    fn keep(&self, _: Vec<()>) -> Result<(), LabError> {
        Ok(())
    }

    fn put_back(&self, _: Vec<()>) {
        self.has_lost.set(true);
    }
}

/// Results of a series that wait for a proof.
pub(crate) type UnprovenSeries<'k> = Unproven<'k, AllOrNothing>;

impl UnprovenSeries<'_> {
    /// The attempts at one question of the series: where a fresh JVM was asked, its word needs no proof.
    pub(crate) fn add_attempts(&mut self, test: TestId, attempts: &[Attempt]) {
        if !attempts.iter().any(|attempt| attempt.is_fresh) {
            self.add(test, attempts.iter().map(|attempt| attempt.micros).sum(), ());
        }
    }
}

/// The answer of one test to a series of questions.
pub(crate) trait SeriesAnswer {
    /// Tells whether there is a failure in it that fresh JVMs have confirmed: nothing takes that back.
    fn has_confirmed_failure(&self, test: TestId) -> bool;

    /// Tells whether asking again would be of no use.
    fn is_final(&self, test: TestId, demands: Demands) -> bool;
}

/// A pair and a test that enters its catch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Subject {
    pub(crate) position: usize,
    pub(crate) test: TestId,
    pub(crate) pair_number: PairNumber,
    pub(crate) test_number: TestNumber,
    pub(crate) demands: Demands,
    /// The try is executed once per JVM, so that nothing may run before.
    pub(crate) comes_first: bool,
    /// Executions of the try in the baseline.
    pub(crate) usages: ColourCounts,
}

impl Subject {
    /// The subject with what its test is known to execute by now.
    pub(crate) fn of(self, executing: &ExecutingTest) -> Self {
        let comes_first = executing.comes_first();
        let demands = Demands { only_fresh: comes_first, ..self.demands };
        Self { demands, comes_first, usages: executing.usages, ..self }
    }
}

/// A test that cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Unavailable {
    pub(crate) why: String,
    /// Another run would say the same.
    pub(crate) is_lasting: bool,
}

impl Unavailable {
    pub(crate) fn lasting(why: &str) -> Self {
        Self { why: why.to_owned(), is_lasting: true }
    }

    pub(crate) fn for_now(why: impl Into<String>) -> Self {
        Self { why: why.into(), is_lasting: false }
    }
}

/// Answers of one test to a series of questions, as they are stored. `A` is the subject of one question: an execution of
/// the try, a call in it. No copy for the store: a test there pins the names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Answers<A> {
    Unavailable(Unavailable),
    Given {
        runs: Vec<Run<A>>,
        /// Further executions or calls, beyond the number that is asked about.
        left: usize,
    },
}

/// The attempts at one question of a series.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Run<A> {
    pub(crate) exception: String,
    pub(crate) about: A,
    /// Attempts at the question; none where the answer to another question has made them needless.
    #[serde(with = "stored::attempts")]
    pub(crate) attempts: Vec<Attempt>,
}

/// One question of a series.
pub(crate) struct SeriesQuestion<A> {
    pub(crate) about: A,
    pub(crate) exception: String,
    pub(crate) question: Question,
}

/// The questions to one test.
pub(crate) struct QuestionSeries<A> {
    pub(crate) questions: Vec<SeriesQuestion<A>>,
    /// Further executions or calls, beyond the number that is asked about.
    pub(crate) left: usize,
}

impl<A> Run<A> {
    fn is_confirmed_failure(&self, test: TestId) -> bool {
        self.result(test).is_some_and(|experiment| experiment.is_confirmed_failure())
    }

    /// All attempts that its demands ask for have been made, so a failure stands.
    fn is_failure(&self, test: TestId) -> bool {
        self.result(test).is_some_and(|experiment| experiment.is_failure())
    }

    fn result(&self, test: TestId) -> Option<ExperimentResult> {
        experiment_of(test, &self.exception, &self.attempts)
    }
}

impl<A> SeriesAnswer for Answers<A> {
    fn has_confirmed_failure(&self, test: TestId) -> bool {
        match self {
            Self::Unavailable(_) => false,
            Self::Given { runs, .. } => runs.iter().any(|run| run.is_confirmed_failure(test)),
        }
    }

    fn is_final(&self, test: TestId, demands: Demands) -> bool {
        // Failures were confirmed when they were asked about, where that was wanted.
        let demands = Demands { routine_failures_stand: true, ..demands };
        let stands = |run: &Run<A>| {
            run.attempts.is_empty() || taken_over(test, &run.exception, &run.attempts, demands).is_some()
        };
        match self {
            Self::Unavailable(unavailable) => unavailable.is_lasting,
            Self::Given { runs, .. } => runs.iter().all(stands),
        }
    }
}

impl Trials<'_, '_> {
    /// Puts a series of questions to a test until its answer stands; `None` when there was no time left. `ask` makes one
    /// pass through the series, with what it owes to the warm worker.
    pub(crate) fn ask_until_proven<A: SeriesAnswer>(
        &self,
        slot: &mut Slot<'_>,
        (test, demands): (TestId, Demands),
        ask: impl Fn(&mut Slot<'_>, Demands, &mut UnprovenSeries<'_>) -> Result<Option<A>, LabError>,
    ) -> Result<Option<A>, LabError> {
        let workers = if demands.only_fresh { 0 } else { WORKERS_ASKED };
        for _ in 0..workers {
            let keeper = AllOrNothing::default();
            let mut unproven = Unproven::of(&keeper);
            let Some(answer) = ask(slot, demands, &mut unproven)? else { return Ok(None) };
            self.prove_last(slot, &mut unproven)?;
            let is_proven = !keeper.has_lost.get() && answer.is_final(test, demands);
            if is_proven || answer.has_confirmed_failure(test) {
                return Ok(Some(answer));
            }
            slot.discard();
        }
        ask(slot, Demands { only_fresh: true, ..demands }, &mut Unproven::of(&AllOrNothing::default()))
    }

    /// One question after the other, until a failure that stands makes the others needless.
    pub(crate) fn ask_each<A>(
        &self,
        slot: &mut Slot<'_>,
        series: QuestionSeries<A>,
        unproven: &mut UnprovenSeries<'_>,
        line: Line,
    ) -> Result<Option<Answers<A>>, LabError> {
        let mut runs: Vec<Run<A>> = Vec::new();
        let mut is_decided = false;
        for SeriesQuestion { about, exception, question } in series.questions {
            if is_decided {
                runs.push(Run { exception, about, attempts: Vec::new() });
                continue;
            }
            if self.session.is_over() {
                return Ok(None);
            }
            let attempts = self.attempts(slot, &question, Vec::new(), unproven)?;
            unproven.add_attempts(question.test, &attempts);
            line(&mut self.session.stats()).count += attempts.len() as u64;
            let run = Run { exception, about, attempts };
            is_decided = run.is_failure(question.test);
            runs.push(run);
        }
        Ok(Some(Answers::Given { runs, left: series.left }))
    }

    /// The run of a test in which nothing is thrown and executions of the try are watched, if it passes.
    pub(crate) fn watch(
        &self,
        slot: &mut Slot<'_>,
        subject: &Subject,
        unproven: &mut UnprovenSeries<'_>,
        (sites, watch): (impl FnOnce(String) -> Sites, Watch),
        line: Line,
    ) -> Result<Result<TestRun, Unavailable>, LabError> {
        let Subject { test, demands, comes_first, .. } = *subject;
        let pair = self.session.ledger().checked.pairs[subject.position].clause.id.clone();
        let most_visits = most_visits(subject.usages.entries());
        let watching = experiment::Experiment::watching(pair.clone(), sites(pair), watch, most_visits);
        let question = Question::new(test, watching, demands, comes_first);
        line(&mut self.session.stats()).count += 1;
        let result = if demands.only_fresh {
            self.run_fresh(slot, &question)?.ok().map(|(_, result)| result)
        } else {
            self.run_warm(slot, &question, unproven)?.map(|(_, result, _)| result)
        };
        match result {
            Some(Ok(run)) if run.outcome == conversation::Outcome::Passed => {
                if !demands.only_fresh {
                    unproven.add(test, run.micros, ());
                }
                Ok(Ok(run))
            }
            Some(Err(end)) => {
                slot.discard();
                Ok(Err(Unavailable::for_now(end.to_string())))
            }
            Some(Ok(_)) | None => Ok(Err(Unavailable::for_now("it does not pass"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_verdicts::{NoOutcome, Outcome};

    #[test]
    fn what_would_be_asked_again_is_not_final() {
        let run = |outcome| Run {
            exception: "a.E".into(),
            about: 1,
            attempts: vec![Attempt { outcome, ..Attempt::default() }],
        };
        let given = |runs| Answers::Given { runs, left: 0 };
        let is_final = |answers: Answers<u64>, confirmed_passes| {
            answers.is_final(TestId(0), Demands { confirmed_passes, ..Demands::default() })
        };
        let passed = given(vec![run(Outcome::Pass), Run { attempts: vec![], ..run(Outcome::Pass) }]);
        assert!(is_final(passed.clone(), false) && !is_final(passed, true));
        let lost = Outcome::None(NoOutcome::WorkerLost("gone".into()));
        assert!(!is_final(given(vec![run(lost)]), false));
        assert!(is_final(Answers::Unavailable(Unavailable::lasting("threads")), true));
        assert!(!is_final(Answers::Unavailable(Unavailable::for_now("red")), false));
    }
}
