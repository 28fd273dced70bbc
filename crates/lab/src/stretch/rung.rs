//! A rung: one clause that catches one wider type, on bytecode, with all tests that execute its try.
//!
//! Each test is put a series of questions in JVMs that run the changed class: a look, with nothing thrown; where that says
//! too little, another look with the classes as they were built (`bubbling`); and the wider type thrown at the beginning of
//! the try (`throwing`).

mod bubbling;
mod stored;
mod throwing;

use crate::observations::{PairNumber, PlainRun};
use crate::session::LabError;
use crate::slot::{Changes, Slot};
use crate::stretch::kept::once;
use crate::stretch::refusal::Refusal;
use crate::stretch::rung::stored::StoredAnswer;
use crate::stretch::subject::{Subject, changes};
use crate::stretch::{Case, Evidence};
use crate::trial::ask::{SeriesAnswer, UnprovenSeries};
use crate::trial::engine::{Question, Trials};
use catchment_protocol::experiment::{Act, Experiment, Passing, Sites, Watch, When};
use catchment_verdicts::{
    Attempt, CaughtElsewhere, CheckedPair, ColourCounts, Demands, ExecutingTest, ExperimentResult, Failure,
    FailureKind, Outcome, TestId, experiment_of,
};

/// Pairs that a jar and a class folder both have are one pair.
const ELSEWHERE: &str =
    "a test executes its try in a class that was loaded from elsewhere, from a jar perhaps";

const NOT_FOLLOWED: &str = "with the clause as it is it did not pass this time, or its JVM was lost";

/// The question whether a clause can catch one wider type, put to all tests that execute its try.
pub(crate) struct RungQuestion<'t, 'a, 'p> {
    pub(crate) trials: Trials<'a, 'p>,
    pub(crate) subject: &'t Subject,
    pub(crate) pair: &'t CheckedPair,
    pub(crate) rung: &'t str,
    /// The pair is a candidate for its pure resilience: every test is asked, not only those that enter the catch.
    pub(crate) is_resilient: bool,
}

/// One pass through the questions to one test.
struct Series<'s, 'k> {
    executing: &'s ExecutingTest,
    demands: Demands,
    changes: &'s Changes,
    unproven: &'s mut UnprovenSeries<'k>,
}

/// A look at one test with the clause stretched, as far as it is about the clause.
#[derive(Default)]
struct StretchedRun {
    failure: Option<String>,
    /// Executions of the try of the stretched clause.
    entries: u64,
    /// Exceptions that the clause caught.
    white: u64,
    /// Exceptions that the clause did not catch.
    blue: u64,
}

impl StretchedRun {
    /// Tells whether the clause has caught something that passed it before. After that the test may do less, or something
    /// else: one of the numbers may stay as it was.
    fn catches_more_than(&self, before: &ColourCounts) -> bool {
        self.white > before.white || self.blue < before.blue
    }
}

impl RungQuestion<'_, '_, '_> {
    pub(crate) fn run(&self, slot: &mut Slot<'_>) -> Result<Result<Evidence, Refusal>, LabError> {
        let changes = match changes(&[(self.subject, self.rung)]) {
            Ok(changes) => changes,
            Err(error) => return Ok(Err(error.into())),
        };
        slot.change(changes.clone());
        let outcome = self.ask_all(slot, &changes);
        slot.change(Changes::default());
        outcome
    }

    fn ask_all(&self, slot: &mut Slot<'_>, changes: &Changes) -> Result<Result<Evidence, Refusal>, LabError> {
        let mut evidence = Evidence::default();
        for executing in self.evidence() {
            match self.ask_once(slot, executing, changes)? {
                Err(refusal) => return Ok(Err(refusal)),
                Ok(of_test) => evidence.add(&of_test),
            }
        }
        Ok(Ok(evidence))
    }

    /// The tests that count and execute the try.
    fn evidence(&self) -> Vec<&ExecutingTest> {
        let ledger = self.trials.session.ledger();
        let tests = &ledger.checked.tests;
        let is_evidence = |executing: &&ExecutingTest| tests[executing.test.index()].is_evidence();
        self.pair.executing_tests.iter().filter(is_evidence).collect()
    }

    /// Asks one test unless its answer is known from an earlier run.
    fn ask_once(
        &self,
        slot: &mut Slot<'_>,
        executing: &ExecutingTest,
        changes: &Changes,
    ) -> Result<Result<Evidence, Refusal>, LabError> {
        let test = executing.test;
        let injects = if self.injects(executing) { "thrown" } else { "plain" };
        let question = format!("test {} by itself, {injects}", self.trials.test(test).0.0);
        let mut not_kept = Refusal::OutOfTime;
        let kept = once(self.trials.session, &[(self.subject, self.rung)], &question, || {
            let demands = Demands { only_fresh: needs_fresh(executing), ..Demands::default() };
            let asked = self.trials.ask_until_proven(slot, (test, demands), |slot, demands, unproven| {
                self.ask(slot, Series { executing, demands, changes, unproven })
            })?;
            let Some(asked) = asked else { return Ok(None) };
            let kept = StoredAnswer::of(&asked);
            asked.err().into_iter().for_each(|refusal| not_kept = refusal);
            Ok(kept)
        })?;
        Ok(kept.map_or(Err(not_kept), |kept| kept.into_evidence(test)))
    }

    /// Tells whether this test is one of those that made the pair a candidate.
    fn injects(&self, executing: &ExecutingTest) -> bool {
        self.is_resilient || executing.usages.white > 0
    }

    /// `None` if time was up.
    fn ask(
        &self,
        slot: &mut Slot<'_>,
        mut series: Series<'_, '_>,
    ) -> Result<Option<Result<Evidence, Refusal>>, LabError> {
        let ExecutingTest { test, usages, .. } = series.executing;
        let looked = self.look(slot, &mut series)?;
        let catches_more = looked.catches_more_than(usages);
        // A test that wants to see the exception fails without it, or takes it either way.
        let may_bubble = catches_more || usages.blue > 0;
        let bubbles = if may_bubble { self.bubbles(slot, &mut series)? } else { Some(false) };
        // Where that cannot be told and the counts are as before, nothing of the wider type has passed the clause.
        let bubbles = bubbles.or((!catches_more).then_some(false));
        if let Some(refusal) = refused(*test, bubbles, &looked) {
            return Ok(Some(Err(refusal)));
        }
        let case = if catches_more { Case::CatchesMore } else { Case::CatchesTheSame };
        let injects = self.injects(series.executing);
        if injects {
            if self.trials.session.is_over() {
                return Ok(None);
            }
            if let Some(refusal) = self.inject(slot, &mut series)? {
                return Ok(Some(Err(refusal)));
            }
        }
        Ok(Some(Ok(Evidence { case, tests: 1, injected: usize::from(injects) })))
    }

    /// The look that counts: in the second run of a test whatever happens once per JVM has happened, as in the baseline.
    fn look(&self, slot: &mut Slot<'_>, series: &mut Series<'_, '_>) -> Result<StretchedRun, LabError> {
        let first = self.look_once(slot, series)?;
        let is_clear = first.failure.is_some() || !first.catches_more_than(&series.executing.usages);
        if is_clear || series.demands.only_fresh { Ok(first) } else { self.look_once(slot, series) }
    }

    fn look_once(&self, slot: &mut Slot<'_>, series: &mut Series<'_, '_>) -> Result<StretchedRun, LabError> {
        let Series { executing, demands, changes, .. } = *series;
        let number = self.subject.number;
        let question = Question {
            reading: Box::new(move |_, run| usages_as_attempt(&run.plain(), number)),
            ..Question::new(executing.test, looking(self.changed_id(changes), None), demands, true)
        };
        Ok(self.vote(slot, &question, series)?.map(StretchedRun::from).unwrap_or_default())
    }

    /// The result of the attempts at a question.
    fn vote(
        &self,
        slot: &mut Slot<'_>,
        question: &Question,
        series: &mut Series<'_, '_>,
    ) -> Result<Option<ExperimentResult>, LabError> {
        let attempts = self.trials.attempts(slot, question, Vec::new(), series.unproven)?;
        if question.experiment.act != Act::Nothing {
            series.unproven.add_attempts(question.test, &attempts);
        }
        Ok(experiment_of(question.test, self.rung, &attempts))
    }

    /// The id of the pair in the changed class.
    fn changed_id(&self, changes: &Changes) -> String {
        let mut ids = changes.ids.iter().filter(|(_, number)| **number == self.subject.number);
        ids.next().map(|(id, _)| id.clone()).unwrap_or_default()
    }
}

/// An experiment that does nothing to the pair's tries.
fn looking(pair: String, passing: Option<Passing>) -> Experiment {
    Experiment {
        sites: Sites::Tries(pair),
        when: When::default(),
        act: Act::Nothing,
        watch: Watch { passing, ..Watch::default() },
        most_visits: 0,
    }
}

/// A look as an attempt: the exceptions that the clause caught, or others did, stand where faults do that were caught.
fn usages_as_attempt(plain: &PlainRun, pair: PairNumber) -> Attempt {
    let usages = plain.usages_of(pair).unwrap_or_default();
    let failed = |text| Outcome::Fail(Failure { kind: FailureKind::Assertion, text });
    Attempt {
        outcome: plain.failure().map_or(Outcome::Pass, failed),
        reached: usages.entries,
        caught_here: usages.white,
        caught_elsewhere: vec![CaughtElsewhere { place: String::new(), count: usages.blue() }],
        ..Attempt::default()
    }
}

impl From<ExperimentResult> for StretchedRun {
    fn from(look: ExperimentResult) -> Self {
        let failure = match look.outcome {
            Outcome::Pass => None,
            Outcome::Fail(failure) => Some(failure.text),
            Outcome::None(why) => Some(why.as_str().to_owned()),
        };
        let blue = look.caught_elsewhere.iter().map(|elsewhere| elsewhere.count).sum();
        Self { failure, entries: look.reached, white: look.caught_here, blue }
    }
}

/// The answer of one test about one clause and one wider type.
impl SeriesAnswer for Result<Evidence, Refusal> {
    fn has_confirmed_failure(&self, _test: TestId) -> bool {
        use Refusal::{Expected, FailsUnderInjection, TestFails};
        matches!(self, Err(TestFails { .. } | Expected { .. } | FailsUnderInjection { .. }))
    }

    fn is_final(&self, _test: TestId, _demands: Demands) -> bool {
        StoredAnswer::of(self).is_some()
    }
}

/// The refusal that follows from a look. `bubbles`: whether the test sees an exception that the clause would catch, if that
/// could be told.
fn refused(test: TestId, bubbles: Option<bool>, looked: &StretchedRun) -> Option<Refusal> {
    match (bubbles, &looked.failure) {
        (Some(true), _) => Some(Refusal::Expected { test }),
        (_, Some(failure)) => Some(Refusal::TestFails { test, failure: failure.clone() }),
        (None, None) => Some(Refusal::Unanswered { test, why: NOT_FOLLOWED.to_owned() }),
        (Some(false), None) if looked.entries == 0 => Some(Refusal::NotTriable(ELSEWHERE.to_owned())),
        (Some(false), None) => None,
    }
}

fn needs_fresh(executing: &ExecutingTest) -> bool {
    executing.comes_first()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(entries: u64, white: u64, blue: u64) -> StretchedRun {
        StretchedRun { failure: None, entries, white, blue }
    }

    #[test]
    fn a_clause_catches_more_also_where_the_test_does_less_then() {
        let before = ColourCounts { white: 1, blue: 1, ..ColourCounts::default() };
        assert!(plain(2, 2, 0).catches_more_than(&before));
        assert!(plain(1, 1, 0).catches_more_than(&before), "it has not tried again");
        assert!(!plain(2, 1, 1).catches_more_than(&before));
    }

    #[test]
    fn what_could_not_be_told_of_a_test_that_passes_is_not_held_against_it_for_good() {
        let test = TestId(3);
        let failing = || StretchedRun { failure: Some("why".into()), ..plain(1, 0, 0) };
        assert_eq!(refused(test, Some(true), &failing()), Some(Refusal::Expected { test }));
        let fails = Refusal::TestFails { test, failure: "why".into() };
        assert_eq!(refused(test, None, &failing()), Some(fails));
        let unknown = refused(test, None, &plain(1, 1, 0));
        assert!(matches!(unknown, Some(Refusal::Unanswered { .. })));
        assert_eq!(StoredAnswer::of(&Err(unknown.unwrap())), None);
        assert_eq!(refused(test, Some(false), &plain(1, 1, 0)), None);
        assert!(matches!(refused(test, Some(false), &plain(0, 0, 0)), Some(Refusal::NotTriable(_))));
    }
}
