//! Many questions to one test in one worker, and when their answers stand.
//!
//! The answers of a worker stand if the test still passes there in the end with nothing armed, or if a fresh JVM has
//! confirmed a failure. Otherwise another worker is asked and, in the end, a fresh JVM for each run.

use crate::observations::{PairNumber, TestNumber};
use crate::session::LabError;
use crate::slot::Slot;
use crate::store::stored;
use crate::trial::engine::{Question, Trials, most_visits};
use crate::trial::proof::{NothingKept, Unproven};
use crate::worker::WorkerEnd;
use catchment_protocol::conversation::{self, TestRun};
use catchment_protocol::experiment::{self, Sites, Watch};
use catchment_verdicts::{Attempt, ColourCounts, Demands, Stats, TestId, Timed, experiment_of, taken_over};
use serde::{Deserialize, Serialize};

/// Warm workers that are asked before fresh JVMs.
const WORKERS_ASKED: usize = 2;

/// The line of the statistics on which the cost of the runs stands.
pub(crate) type Line = fn(&mut Stats) -> &mut Timed;

/// A worker whose results wait for nothing but the end of the row of questions.
pub(crate) type Row = Unproven<'static, NothingKept>;

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

/// Answers of one test to a row of questions, as they are stored. `A` is the subject of one question: an execution of the
/// try, a call in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Answers<A> {
    Unavailable(Unavailable),
    Told {
        runs: Vec<Run<A>>,
        /// Further executions or calls, beyond the number that is asked about.
        left: usize,
    },
}

/// The attempts at one question of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Run<A> {
    pub(crate) exception: String,
    pub(crate) about: A,
    /// Attempts at the question; none where the answer to another question has made them needless.
    #[serde(with = "stored::attempts")]
    pub(crate) attempts: Vec<Attempt>,
}

/// One question of a row.
pub(crate) struct InRow<A> {
    pub(crate) about: A,
    pub(crate) exception: String,
    pub(crate) question: Question,
}

/// The row of questions to one test.
pub(crate) struct Questions<A> {
    pub(crate) row: Vec<InRow<A>>,
    /// Further executions or calls, beyond the number that is asked about.
    pub(crate) left: usize,
}

impl<A> Run<A> {
    fn is_confirmed_failure(&self, test: TestId) -> bool {
        let made = experiment_of(test, &self.exception, &self.attempts);
        made.is_some_and(|experiment| experiment.is_confirmed_failure())
    }
}

impl<A> Answers<A> {
    /// Nothing takes a confirmed failure back.
    fn has_confirmed_failure(&self, test: TestId) -> bool {
        match self {
            Self::Unavailable(_) => false,
            Self::Told { runs, .. } => runs.iter().any(|run| run.is_confirmed_failure(test)),
        }
    }

    /// Tells whether asking again would be of no use.
    pub(crate) fn is_final(&self, test: TestId, demands: Demands) -> bool {
        let stands = |run: &Run<A>| {
            run.attempts.is_empty() || taken_over(test, &run.exception, &run.attempts, demands).is_some()
        };
        match self {
            Self::Unavailable(unavailable) => unavailable.is_lasting,
            Self::Told { runs, .. } => runs.iter().all(stands),
        }
    }
}

impl Trials<'_, '_> {
    /// `ask` also says whether one warm worker has answered everything that was asked of any; `None` when there was no time
    /// left.
    pub(crate) fn ask_until_proven<A>(
        &self,
        slot: &mut Slot<'_>,
        subject: &Subject,
        ask: impl Fn(&mut Slot<'_>, &Subject, &mut Row) -> Result<Option<(Answers<A>, bool)>, LabError>,
    ) -> Result<Option<Answers<A>>, LabError> {
        let Subject { test, demands, .. } = *subject;
        for _ in 0..WORKERS_ASKED {
            if demands.only_fresh {
                break;
            }
            let mut unproven = Row::nothing();
            let Some((answer, is_one_worker)) = ask(slot, subject, &mut unproven)? else { return Ok(None) };
            let still_passes = self.passes_again(slot, test)?.is_some();
            if unproven.is_condemned() {
                slot.discard();
            }
            let is_proven = still_passes && is_one_worker && answer.is_final(test, demands);
            if is_proven || answer.has_confirmed_failure(test) {
                return Ok(Some(answer));
            }
            slot.discard();
        }
        let alone = Subject { demands: Demands { only_fresh: true, ..demands }, ..*subject };
        Ok(ask(slot, &alone, &mut Row::nothing())?.map(|(answer, _)| answer))
    }

    /// One question after the other, until a confirmed failure makes the others needless; with what
    /// [`Self::ask_until_proven`] wants to know.
    pub(crate) fn ask_each<A>(
        &self,
        slot: &mut Slot<'_>,
        questions: Questions<A>,
        unproven: &mut Row,
        line: Line,
    ) -> Result<Option<(Answers<A>, bool)>, LabError> {
        let worker = slot.warm_worker();
        let mut runs: Vec<Run<A>> = Vec::new();
        let mut is_decided = false;
        for InRow { about, exception, question } in questions.row {
            if !is_decided && self.session.is_over() {
                return Ok(None);
            }
            let attempts = match is_decided {
                true => Vec::new(),
                false => self.attempts(slot, &question, Vec::new(), unproven)?,
            };
            line(&mut self.session.stats()).count += attempts.len() as u64;
            let run = Run { exception, about, attempts };
            is_decided |= run.is_confirmed_failure(question.test);
            runs.push(run);
        }
        Ok(Some((Answers::Told { runs, left: questions.left }, slot.warm_worker() == worker)))
    }

    /// The run of a test in which nothing is thrown and executions of the try are watched, if it passes.
    pub(crate) fn watch(
        &self,
        slot: &mut Slot<'_>,
        subject: &Subject,
        unproven: &mut Row,
        (sites, watch): (impl FnOnce(String) -> Sites, Watch),
        line: Line,
    ) -> Result<Result<TestRun, Unavailable>, LabError> {
        let Subject { test, demands, comes_first, .. } = *subject;
        let limit = self.plain_limit(test);
        let pair = self.session.ledger().checked.pairs[subject.position].clause.id.clone();
        let most_visits = most_visits(subject.usages.entries());
        let watching = experiment::Experiment::watching(pair.clone(), sites(pair), watch, most_visits);
        let question = Question::new(test, watching, demands, comes_first);
        line(&mut self.session.stats()).count += 1;
        let result = if demands.only_fresh {
            self.run_fresh(slot, &question, limit)?.map(|(_, result)| result)
        } else if self.settle_warm(slot, test, unproven)? {
            let (_, known) = self.test(test);
            let running = slot.warm(known.configuration).map_err(LabError::Worker)?;
            Some(running.run_test(&known.unit.id, Some(question.experiment), limit).0)
        } else {
            None
        };
        match result {
            Some(Ok(run)) if run.outcome == conversation::Outcome::Passed => Ok(Ok(run)),
            Some(Err(WorkerEnd::Interrupted)) => Err(LabError::Interrupted),
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
        let told = |runs| Answers::Told { runs, left: 0 };
        let is_final = |answers: Answers<u64>, confirmed_passes| {
            answers.is_final(TestId(0), Demands { only_fresh: false, confirmed_passes })
        };
        let passed = told(vec![run(Outcome::Pass), Run { attempts: vec![], ..run(Outcome::Pass) }]);
        assert!(is_final(passed.clone(), false) && !is_final(passed, true));
        let lost = Outcome::None(NoOutcome::WorkerLost("gone".into()));
        assert!(!is_final(told(vec![run(lost)]), false));
        assert!(is_final(Answers::Unavailable(Unavailable::lasting("threads")), true));
        assert!(!is_final(Answers::Unavailable(Unavailable::for_now("red")), false));
    }
}
