//! Tests that cost far more alone than in the suite, because their class prepares something expensive for all of them: an
//! embedded server, a database, an application context.
//!
//! Their experiments run class by class: the worker prepares the class once and runs all its tests, with the injection
//! armed in each of them. So as soon as the first of them has shown what it costs alone, the class runs twice with nothing
//! armed, as its experiments will. The others then need not run alone. A test is taken together with others only for pairs
//! that it uses each time alike, and as it does alone if that is known. What a test leaves in the common
//! context under injection may hit the next one; hence such tests are marked, and their failures confirmed alone.
//!
//! Preparations that a JVM makes once, such as the contexts that Spring caches, cost nothing here: workers are warm.

use crate::baseline::plain_runs::{PlainRuns, runs_of};
use crate::baseline::solo::{self, plain_time_limit};
use crate::observations::{PairNumber, PlainOutcome, PlainRun, Runs, TestNumber};
use crate::session::LabError;
use crate::slot::{Running, Slot};
use crate::store::KnownTest;

pub(crate) const RUNS: u32 = 2;
/// Alone it takes at least this long: less is not worth giving up that it runs alone.
const LEAST_MICROS: u64 = 500_000;
/// And this many times its own time in the suite: nine tenths of it are the context's.
const FACTOR: u64 = 10;

/// Tells whether the test pays alone for what its class prepares.
pub(super) fn has_context(runs: &PlainRuns, test: TestNumber) -> bool {
    // The quicker of its runs: what its class prepares costs in each of them, what else runs on the machine does not.
    let of_run = |ordinal| runs.solo.get(&(test, ordinal)).map(|run| run.micros);
    let alone = (0..solo::RUNS).map(of_run).reduce(|one, other| Some(one?.min(other?))).flatten();
    let in_suite = runs.suite.get(&(test, 0)).map(|run| run.micros);
    alone.zip(in_suite).is_some_and(|(alone, in_suite)| is_far_above(alone, in_suite))
}

fn is_far_above(solo_micros: u64, suite_micros: u64) -> bool {
    solo_micros >= LEAST_MICROS && solo_micros >= suite_micros.saturating_mul(FACTOR)
}

/// The plain run of each of the tests, all of one class. The time is that of the whole class.
pub(super) fn run_class(
    slot: &mut Slot<'_>,
    members: &[(TestNumber, &KnownTest)],
    longest_micros: u64,
) -> Result<Vec<(TestNumber, PlainRun)>, LabError> {
    let Some((_, test)) = members.first() else { return Ok(Vec::new()) };
    let running = slot.warm(test.configuration)?;
    let (runs, has_ended) = plain_class(running, &test.unit.class, members, longest_micros)?;
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
    let runs: Vec<_> = runs_of(class_runs, test).collect();
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
        && runs_of(class_runs, test).all(|run| counts(run) == counts(alone))
}

#[cfg(test)]
mod tests {
    use super::*;
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
    fn a_test_that_is_slow_alone_and_quick_in_the_suite_has_a_context() {
        let has_context = |in_suite: u64, alone: u64| {
            let mut runs = PlainRuns::default();
            runs.suite.insert((TestNumber(1), 0), run(in_suite, 1));
            runs.add_solo(TestNumber(1), 0, &[run(9_000_000, 1), run(alone, 1)]);
            super::has_context(&runs, TestNumber(1))
        };
        assert!(has_context(10_000, 900_000));
        assert!(!has_context(10_000, 400_000));
        assert!(!has_context(200_000, 900_000));
        assert!(!super::has_context(&PlainRuns::default(), TestNumber(1)));
    }

    #[test]
    fn a_test_that_was_slow_once_had_no_processor() {
        let mut runs = PlainRuns::default();
        runs.suite.insert((TestNumber(1), 0), run(10_000, 1));
        runs.add_solo(TestNumber(1), 0, &[run(10_000, 1), run(900_000, 1)]);
        assert!(!has_context(&runs, TestNumber(1)));
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
