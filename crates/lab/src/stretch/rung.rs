//! A rung: one clause that catches one wider type, on bytecode, with all tests that execute its try.

mod bubbling;
mod stored;
mod throwing;

use crate::baseline::solo::{plain_time_limit, run_fresh, run_plain};
use crate::observations::{PlainRun, TestNumber};
use crate::session::LabError;
use crate::slot::{Changes, Slot};
use crate::store::KnownTest;
use crate::stretch::refusal::Refusal;
use crate::stretch::rung::stored::StoredAnswer;
use crate::stretch::subject::{Subject, changes};
use crate::stretch::{Case, Evidence};
use crate::trial::engine::Trials;
use catchment_verdicts::{CheckedPair, ColourCounts, ExecutingTest, TestId};

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

/// A plain run of one test with the clause stretched, as far as it is about the clause.
pub(crate) struct StretchedRun {
    pub(crate) failure: Option<String>,
    /// Executions of the try of the stretched clause.
    pub(crate) entries: u64,
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
            Err(why) => return Ok(Err(Refusal::NotTriable(why))),
        };
        slot.change(changes.clone());
        let outcome = self.ask_all(slot, &changes);
        slot.change(Changes::default());
        outcome
    }

    fn ask_all(&self, slot: &mut Slot<'_>, changes: &Changes) -> Result<Result<Evidence, Refusal>, LabError> {
        let mut evidence = Evidence::default();
        for executing in self.evidence() {
            if self.trials.session.is_interrupted() {
                return Err(LabError::Interrupted);
            }
            if self.trials.session.is_over() {
                return Ok(Err(Refusal::OutOfTime));
            }
            match self.ask_once(slot, executing, changes)? {
                Err(refusal) => return Ok(Err(refusal)),
                Ok(one) => evidence.add(&one),
            }
        }
        Ok(Ok(evidence))
    }

    /// The tests that count and execute the try.
    fn evidence(&self) -> Vec<&ExecutingTest> {
        let ledger = self.trials.session.ledger();
        let tests = &ledger.checked.tests;
        self.pair.executing_tests.iter().filter(|each| tests[each.test.index()].is_evidence()).collect()
    }

    /// Unless the answer is known from an earlier run.
    fn ask_once(
        &self,
        slot: &mut Slot<'_>,
        executing: &ExecutingTest,
        changes: &Changes,
    ) -> Result<Result<Evidence, Refusal>, LabError> {
        let session = self.trials.session;
        let (pair, (test, _)) = (self.subject.number, self.known(executing.test));
        let injects = if self.injects(executing) { "thrown" } else { "plain" };
        let kind = format!("catches {}, {injects}", self.rung);
        let known: Option<StoredAnswer> = session.ledger().store.answer(pair, *test, &kind)?;
        if let Some(known) = known {
            return Ok(known.into_evidence(executing.test));
        }
        let asked = session.turns.take(|| self.ask(slot, executing, changes))?;
        if let Some(kept) = StoredAnswer::of(&asked) {
            let ledger = session.ledger();
            ledger.store.together(|| ledger.store.keep_answer(pair, *test, &kind, &kept))?;
        }
        Ok(asked)
    }

    /// Tells whether this test is one of those that made the pair a candidate.
    fn injects(&self, executing: &ExecutingTest) -> bool {
        self.is_resilient || executing.usages.white > 0
    }

    fn ask(
        &self,
        slot: &mut Slot<'_>,
        executing: &ExecutingTest,
        changes: &Changes,
    ) -> Result<Result<Evidence, Refusal>, LabError> {
        let test = executing.test;
        let plain = self.plain(slot, executing)?;
        let catches_more = plain.catches_more_than(&executing.usages);
        // A test that wants to see the exception fails without it, or takes it either way.
        let may_bubble = catches_more || executing.usages.blue > 0;
        let bubbles = if may_bubble { self.bubbles(slot, executing, changes)? } else { Some(false) };
        // Where that cannot be told and the counts are as before, nothing of the wider type has passed the clause.
        let bubbles = bubbles.or((!catches_more).then_some(false));
        if let Some(refusal) = refused(test, bubbles, &plain) {
            return Ok(Err(refusal));
        }
        let case = if catches_more { Case::CatchesMore } else { Case::CatchesTheSame };
        let mut evidence = Evidence { case, tests: 1, injected: 0 };
        if self.injects(executing) {
            if self.trials.session.is_over() {
                return Ok(Err(Refusal::OutOfTime));
            }
            if let Some(refusal) = self.inject(slot, executing, changes)? {
                return Ok(Err(refusal));
            }
            evidence.injected = 1;
        }
        Ok(Ok(evidence))
    }

    pub(crate) fn known(&self, test: TestId) -> &(TestNumber, KnownTest) {
        self.trials.test(test)
    }

    /// The plain run that counts: where the test fails in a warm worker, two fresh JVMs have to pass it.
    fn plain(&self, slot: &mut Slot<'_>, executing: &ExecutingTest) -> Result<StretchedRun, LabError> {
        if needs_fresh(executing) {
            return self.plain_fresh(slot, executing);
        }
        let warm = self.plain_warm(slot, executing)?;
        if warm.failure.is_none() {
            return Ok(warm);
        }
        let first = self.plain_fresh(slot, executing)?;
        if first.failure.is_some() { Ok(first) } else { self.plain_fresh(slot, executing) }
    }

    fn plain_fresh(&self, slot: &mut Slot<'_>, executing: &ExecutingTest) -> Result<StretchedRun, LabError> {
        let (_, test) = self.known(executing.test);
        let limit = self.trials.plain_limit(executing.test);
        let (run, _) = run_fresh(slot, test, limit)?;
        Ok(self.seen(&run))
    }

    /// In the second run of a test whatever happens once per JVM has happened, as in the baseline.
    fn plain_warm(&self, slot: &mut Slot<'_>, executing: &ExecutingTest) -> Result<StretchedRun, LabError> {
        let first = self.run_warm(slot, executing.test)?;
        let is_clear = first.failure.is_some() || !first.catches_more_than(&executing.usages);
        if is_clear { Ok(first) } else { self.run_warm(slot, executing.test) }
    }

    pub(crate) fn run_warm(&self, slot: &mut Slot<'_>, test: TestId) -> Result<StretchedRun, LabError> {
        let (number, test) = self.known(test);
        let limit = plain_time_limit(self.trials.baseline.longest_micros(*number));
        let running = slot.warm(test.configuration).map_err(LabError::Worker)?;
        let ((run, _), has_ended) = run_plain(running, test, limit)?;
        let plain = self.seen(&run);
        if has_ended || plain.failure.is_some() {
            slot.discard();
        }
        Ok(plain)
    }

    fn seen(&self, run: &PlainRun) -> StretchedRun {
        let usages = run.usages_of(self.subject.number).unwrap_or_default();
        StretchedRun {
            failure: run.failure(),
            entries: usages.entries,
            white: usages.white,
            blue: usages.blue(),
        }
    }
}

/// By what a test does with nothing injected. `bubbles`: whether it sees an exception that the clause would catch, if that could
/// be told.
fn refused(test: TestId, bubbles: Option<bool>, plain: &StretchedRun) -> Option<Refusal> {
    match (bubbles, &plain.failure) {
        (Some(true), _) => Some(Refusal::Expected { test }),
        (_, Some(failure)) => Some(Refusal::TestFails { test, failure: failure.clone() }),
        (None, None) => Some(Refusal::Unanswered { test, why: NOT_FOLLOWED.to_owned() }),
        (Some(false), None) if plain.entries == 0 => Some(Refusal::NotTriable(ELSEWHERE.to_owned())),
        (Some(false), None) => None,
    }
}

pub(crate) fn needs_fresh(executing: &ExecutingTest) -> bool {
    executing.once_per_jvm || executing.needs_fresh
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
