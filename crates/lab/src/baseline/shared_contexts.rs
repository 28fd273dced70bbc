//! Tests that cost far more alone than in the suite, because their class prepares something expensive for all of them: an
//! embedded server, a database, an application context.
//!
//! Their experiments run class by class: the worker prepares the class once and runs all its tests, with the injection
//! armed in each of them. So before that, the class runs twice with nothing armed, as its experiments will, and a test is
//! taken together with others only for pairs that it uses there exactly as it does alone. What a test leaves in the common
//! context under injection may hit the next one; hence such tests are marked, and their failures confirmed alone.
//!
//! Preparations that a JVM makes once, such as the contexts that Spring caches, cost nothing here: workers are warm.

use crate::baseline::solo::{self, plain_time_limit};
use crate::observations::{PairNumber, Phase, PlainOutcome, PlainRun, Runs, TestNumber};
use crate::session::{LabError, Session};
use crate::slot::{Running, Slot, work_off};
use crate::store::KnownTest;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Instant;

pub(crate) const RUNS: u32 = 2;
/// Alone it takes at least this long: less is not worth giving up that it runs alone.
const LEAST_MICROS: u64 = 500_000;
/// And this many times its own time in the suite: nine tenths of it are the context's.
const FACTOR: u64 = 10;

/// Configuration and class.
type ClassOf = (usize, String);

/// Runs what is not yet in the store.
pub(crate) fn observe(session: &Session<'_>, slots: &mut [Slot<'_>]) -> Result<(), LabError> {
    let (tests, suite, solo, known) = {
        let ledger = session.ledger();
        let store = &ledger.store;
        (store.tests()?, store.runs(Phase::Suite)?, store.runs(Phase::Solo)?, store.runs(Phase::Class)?)
    };
    let mut missing = classes_with_contexts(&tests, &suite, &solo);
    missing.retain(|_, members| members.iter().any(|test| !known.contains_key(&(*test, RUNS - 1))));
    session.reporter.phase("classes with an expensive context, nothing injected", Some(missing.len() as u64));
    work_off(session, slots, missing.into_iter().collect::<VecDeque<_>>(), |slot, (class, members)| {
        let members: Vec<_> = members.iter().filter_map(|test| Some((*test, tests.get(test)?))).collect();
        let longest = members.iter().map(|(test, _)| solo_micros(&solo, *test)).max().unwrap_or(0);
        for ordinal in 0..RUNS {
            let begun = Instant::now();
            let runs = session.turns.take(|| run_class(slot, &class, &members, longest))?;
            session.stats().solo.add(begun.elapsed().as_secs_f64());
            let ledger = session.ledger();
            let store = &ledger.store;
            let mut runs = runs.iter();
            store.together(|| {
                runs.try_for_each(|(test, run)| store.keep_run(*test, Phase::Class, ordinal, run))
            })?;
        }
        Ok(())
    })?;
    Ok(())
}

/// By class, the tests that have a context in common; two at least.
fn classes_with_contexts(
    tests: &BTreeMap<TestNumber, KnownTest>,
    suite: &Runs,
    solo: &Runs,
) -> BTreeMap<ClassOf, BTreeSet<TestNumber>> {
    let mut classes: BTreeMap<ClassOf, BTreeSet<TestNumber>> = BTreeMap::new();
    for (number, test) in tests {
        let passes = solo::runs_of(solo, *number).all(PlainRun::passed);
        // The quicker of two runs: the first test in a JVM pays for much that is not its own.
        let share = solo::runs_of(suite, *number).map(|run| run.micros).min();
        let is_far_above = share.is_some_and(|share| is_far_above(solo_micros(solo, *number), share));
        if passes && is_far_above {
            classes.entry((test.configuration, test.unit.class.clone())).or_default().insert(*number);
        }
    }
    classes.retain(|_, members| members.len() > 1);
    classes
}

fn solo_micros(solo: &Runs, test: TestNumber) -> u64 {
    solo.get(&(test, solo::RUNS - 1)).map_or(0, |run| run.micros)
}

fn is_far_above(solo_micros: u64, suite_micros: u64) -> bool {
    solo_micros >= LEAST_MICROS && solo_micros >= suite_micros.saturating_mul(FACTOR)
}

/// The plain run of each of the tests. The time is that of the whole class.
fn run_class(
    slot: &mut Slot<'_>,
    (configuration, class): &ClassOf,
    members: &[(TestNumber, &KnownTest)],
    longest_micros: u64,
) -> Result<Vec<(TestNumber, PlainRun)>, LabError> {
    let running = slot.warm(*configuration)?;
    let (runs, has_ended) = plain_class(running, class, members, longest_micros)?;
    if has_ended {
        slot.discard();
    }
    Ok(runs)
}

/// Also says whether the JVM has ended over it.
pub(crate) fn plain_class(
    running: &mut Running<'_>,
    class: &str,
    members: &[(TestNumber, &KnownTest)],
    longest_micros: u64,
) -> Result<(Vec<(TestNumber, PlainRun)>, bool), LabError> {
    let (class_run, micros) = running.run_class(class, None, plain_time_limit(longest_micros))?;
    let of_test = |test: &KnownTest| match class_run.of_test(&test.unit.id) {
        Some(run) => PlainRun { micros, ..running.events.plain(run) },
        None => {
            let end = class_run.end.as_ref().map(ToString::to_string);
            let what = end.unwrap_or_else(|| "did not run with its class".to_owned());
            PlainRun { outcome: PlainOutcome::Ended(what), micros, ..PlainRun::default() }
        }
    };
    let runs = members.iter().map(|(number, test)| (*number, of_test(test))).collect();
    Ok((runs, class_run.end.is_some()))
}

/// Tells whether the test can stand for itself among the others of its class.
pub(crate) fn shares_context(class_runs: &Runs, test: TestNumber) -> bool {
    let runs: Vec<_> = solo::runs_of(class_runs, test).collect();
    runs.len() == RUNS as usize && runs.iter().all(|run| run.passed())
}

/// Tells whether the test executes the try there exactly as it does alone.
pub(crate) fn uses_as_alone(class_runs: &Runs, test: TestNumber, pair: PairNumber, alone: &PlainRun) -> bool {
    let counts = |run: &PlainRun| {
        let usages = run.usages_of(pair)?;
        Some((usages.entries, usages.pink, usages.white, usages.blue()))
    };
    counts(alone).is_some()
        && shares_context(class_runs, test)
        && solo::runs_of(class_runs, test).all(|run| counts(run) == counts(alone))
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_protocol::conversation::TestUnit;
    use catchment_watch::Usages;

    const PAIR: PairNumber = PairNumber(1);

    fn run(micros: u64, entries: u64) -> PlainRun {
        let usages = vec![(PAIR, Usages { entries, pink: entries, ..Usages::default() })];
        PlainRun { micros, usages, ..PlainRun::default() }
    }

    fn failed(run: PlainRun) -> PlainRun {
        PlainRun { outcome: PlainOutcome::Failed("no".into()), ..run }
    }

    fn twice(test: i64, run: &PlainRun) -> [((TestNumber, u32), PlainRun); 2] {
        [0, 1].map(|ordinal| ((TestNumber(test), ordinal), run.clone()))
    }

    #[test]
    fn only_slow_tests_of_one_class_have_a_context_in_common() {
        let test = |class: &str| KnownTest {
            configuration: 0,
            unit: TestUnit { class: class.to_owned(), ..TestUnit::default() },
        };
        let classes = ["a.Slow", "a.Slow", "a.Slow", "a.Slow", "a.Quick", "a.Quick", "a.Single"];
        let tests = (1..).map(TestNumber).zip(classes.map(test)).collect();
        let suite = (1..8).flat_map(|number| twice(number, &run(10_000, 1))).collect();
        let mut solo: Runs = (1..8).flat_map(|number| twice(number, &run(900_000, 1))).collect();
        solo.extend(twice(3, &failed(run(900_000, 1))));
        solo.extend(twice(5, &run(400_000, 1)));
        let found = classes_with_contexts(&tests, &suite, &solo);
        let slow = [1, 2, 4].map(TestNumber).into();
        assert_eq!(found, [((0, "a.Slow".to_owned()), slow)].into());
    }

    #[test]
    fn long_tests_are_no_contexts() {
        assert!(is_far_above(500_000, 50_000));
        assert!(!is_far_above(499_999, 1));
        assert!(!is_far_above(10_000_000, 2_000_000));
    }

    #[test]
    fn a_pair_that_the_preparation_uses_too_is_left_to_the_test_alone() {
        let class_runs: Runs = twice(1, &run(9, 2)).into_iter().chain(twice(2, &failed(run(9, 2)))).collect();
        let (same, more) = (run(7, 2), run(7, 3));
        assert!(uses_as_alone(&class_runs, TestNumber(1), PAIR, &same));
        assert!(!uses_as_alone(&class_runs, TestNumber(1), PAIR, &more));
        assert!(!uses_as_alone(&class_runs, TestNumber(2), PAIR, &same));
        assert!(!uses_as_alone(&class_runs, TestNumber(3), PAIR, &same));
        // Once per JVM, and by now that is past.
        assert!(!uses_as_alone(&class_runs, TestNumber(1), PairNumber(2), &same));
    }
}
