//! The solo baseline: each test that enters a pair runs alone in a worker, twice in a row, as its experiments will.
//!
//! A try that a test executes in the suite and not in its second solo run may run once per JVM; such tests also run in a
//! fresh JVM (see [`super::once_per_jvm`]). An execution in the first solo run that the suite does not have belongs to
//! whichever test came first in that worker, and is no evidence.

use crate::baseline::once_per_jvm::OncePerJvmPairs;
use crate::observations::{PairNumber, Phase, PlainRun, Runs, TestNumber};
use crate::session::{LabError, Session};
use crate::slot::{Running, Slot, work_off};
use crate::store::KnownTest;
use catchment_protocol::experiment::Sample;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

pub(crate) const RUNS: u32 = 2;

pub(crate) fn observe(session: &Session<'_>, slots: &mut [Slot<'_>]) -> Result<(), LabError> {
    let (tests, suite, solo) = {
        let ledger = session.ledger();
        (ledger.store.tests()?, ledger.store.runs(Phase::Suite)?, ledger.store.runs(Phase::Solo)?)
    };
    let entering = tests_that_enter_pairs(&tests, &suite);
    let missing: Vec<_> =
        entering.iter().filter(|test| !solo.contains_key(&(**test, RUNS - 1))).copied().collect();
    session.reporter.phase("tests alone, nothing injected", Some(missing.len() as u64));
    for_each_test(session, slots, &tests, missing, |slot, number, test| {
        let limit = plain_time_limit(suite_micros(&suite, number));
        let (runs, samples) = run_twice(slot, test, limit)?;
        keep(session, number, Phase::Solo, &runs, &samples)
    })?;
    observe_fresh(session, slots, &tests, &suite)?;
    tell_strays(session, &tests, &suite)
}

/// Tests whose warm runs do not show everything run once more, each in a JVM of its own.
fn observe_fresh(
    session: &Session<'_>,
    slots: &mut [Slot<'_>],
    tests: &BTreeMap<TestNumber, KnownTest>,
    suite: &Runs,
) -> Result<(), LabError> {
    let solo = session.ledger().store.runs(Phase::Solo)?;
    let configuration = |test| tests.get(&test).map(|test| test.configuration);
    loop {
        let fresh = session.ledger().store.runs(Phase::Fresh)?;
        let mut missing = OncePerJvmPairs::new(configuration, suite, &solo, &fresh).to_ask();
        missing.retain(|test| tests.contains_key(test));
        if missing.is_empty() || session.is_over() {
            return Ok(());
        }
        let missing: Vec<_> = missing.into_iter().collect();
        session.reporter.phase("tests alone in fresh JVMs, nothing injected", Some(missing.len() as u64));
        for_each_test(session, slots, tests, missing, |slot, number, test| {
            let limit = plain_time_limit(suite_micros(suite, number));
            let (run, samples) = run_fresh(slot, test, limit)?;
            keep(session, number, Phase::Fresh, &[run], &samples)
        })?;
    }
}

fn keep(
    session: &Session<'_>,
    test: TestNumber,
    phase: Phase,
    runs: &[PlainRun],
    samples: &Samples,
) -> Result<(), LabError> {
    let store = &session.ledger().store;
    Ok(store.together(|| {
        (0..).zip(runs).try_for_each(|(ordinal, run)| store.keep_run(test, phase, ordinal, run))?;
        samples.iter().try_for_each(|(pair, sample)| store.keep_sample(*pair, test, sample))
    })?)
}

/// Reports threads and other leftovers of tests that execute tries during later tests.
fn tell_strays(
    session: &Session<'_>,
    tests: &BTreeMap<TestNumber, KnownTest>,
    suite: &Runs,
) -> Result<(), LabError> {
    let (solo, fresh) = {
        let ledger = session.ledger();
        (ledger.store.runs(Phase::Solo)?, ledger.store.runs(Phase::Fresh)?)
    };
    let configuration = |test| tests.get(&test).map(|test| test.configuration);
    let strays = OncePerJvmPairs::new(configuration, suite, &solo, &fresh).strays();
    for (first, stray) in strays.iter().filter(|(first, _)| !first.is_executed_later) {
        let mut ids = session.numbers.iter().filter(|(_, number)| **number == first.pair);
        let Some((id, _)) = ids.next() else { continue };
        let left = if stray.by_thread { "a thread" } else { "something" };
        let what = format!(
            "its try was executed while {} tests ran in the suite, and by none of {} of them alone: by {left} that another \
             test left behind",
            stray.seen, stray.asked
        );
        // `com.acme.Pump.run`
        session.problem(id.split('(').next().unwrap_or(id), &what);
    }
    Ok(())
}

fn for_each_test(
    session: &Session<'_>,
    slots: &mut [Slot<'_>],
    tests: &BTreeMap<TestNumber, KnownTest>,
    mut missing: Vec<TestNumber>,
    run: impl Fn(&mut Slot<'_>, TestNumber, &KnownTest) -> Result<(), LabError> + Sync,
) -> Result<(), LabError> {
    // Tests of one configuration together: workers are per configuration. The last of the suite first: a test that needs
    // what an earlier one leaves behind must not find it in the worker.
    missing.sort_by_key(|test| (tests.get(test).map(|test| test.configuration), Reverse(*test)));
    work_off(session, slots, missing, |slot, number| {
        let Some(test) = tests.get(&number) else { return Ok(()) };
        let begun = Instant::now();
        session.turns.take(|| run(slot, number, test))?;
        session.stats().solo.add(begun.elapsed().as_secs_f64());
        Ok(())
    })?;
    Ok(())
}

/// Tests that passed and executed a try, or whose class did so while it was prepared: alone, each test of the class does.
fn tests_that_enter_pairs(tests: &BTreeMap<TestNumber, KnownTest>, suite: &Runs) -> BTreeSet<TestNumber> {
    let class_of = |test: &TestNumber| tests.get(test).map(|test| (test.configuration, &test.unit.class));
    let prepared: BTreeSet<_> = suite
        .iter()
        .filter(|(_, run)| !run.before.is_empty())
        .filter_map(|((test, _), _)| class_of(test))
        .collect();
    let enters = |test: &&TestNumber| {
        let runs: Vec<_> = runs_of(suite, **test).collect();
        let is_used = runs.iter().any(|run| !run.usages.is_empty());
        let is_prepared = class_of(test).is_some_and(|class| prepared.contains(&class));
        (is_used || is_prepared) && !runs.is_empty() && runs.iter().all(|run| run.passed())
    };
    tests.keys().filter(enters).copied().collect()
}

pub(crate) fn runs_of(runs: &Runs, test: TestNumber) -> impl Iterator<Item = &PlainRun> {
    runs.range((test, 0)..=(test, u32::MAX)).map(|(_, run)| run)
}

fn suite_micros(suite: &Runs, test: TestNumber) -> u64 {
    runs_of(suite, test).map(|run| run.micros).max().unwrap_or(0)
}

/// Samples of caught exceptions, by pair.
type Samples = Vec<(PairNumber, Sample)>;

fn run_twice(
    slot: &mut Slot<'_>,
    test: &KnownTest,
    limit: Duration,
) -> Result<(Vec<PlainRun>, Samples), LabError> {
    let (mut runs, mut samples) = (Vec::new(), Vec::new());
    let mut has_littered = false;
    for _ in 0..RUNS {
        let running = slot.warm(test.configuration)?;
        let ((run, found), has_ended) = run_plain(running, test, limit)?;
        has_littered |= !run.threads_left.is_empty();
        runs.push(run);
        samples.extend(found);
        if has_ended {
            slot.discard();
        }
    }
    // Not between the runs: the second shows what a test does that is not the first in its JVM.
    if has_littered && slot.note_litter() {
        slot.discard();
    }
    Ok((runs, samples))
}

pub(crate) fn run_fresh(
    slot: &mut Slot<'_>,
    test: &KnownTest,
    limit: Duration,
) -> Result<(PlainRun, Samples), LabError> {
    let mut running = slot.start(test.configuration, true)?;
    let ((run, samples), has_ended) = run_plain(&mut running, test, limit)?;
    if !has_ended {
        running.stop();
    }
    Ok((run, samples))
}

/// Also says whether the JVM has ended over it.
pub(crate) fn run_plain(
    running: &mut Running<'_>,
    test: &KnownTest,
    limit: Duration,
) -> Result<((PlainRun, Samples), bool), LabError> {
    let (result, micros) = running.run_test(&test.unit.id, None, limit)?;
    let plain = PlainRun { micros, ..running.events.plain_of(&result) };
    let samples = result.as_ref().map(|run| running.events.samples(run)).unwrap_or_default();
    Ok(((plain, samples), result.is_err()))
}

/// With nothing armed a test that passed in the suite ends. The first in a JVM pays for what prepares its class, a server
/// perhaps, and on a busy machine that takes its time: giving up early would cost the next test the same again.
pub(crate) fn plain_time_limit(baseline_micros: u64) -> Duration {
    Duration::from_secs(120).max(Duration::from_micros(baseline_micros.saturating_mul(20)))
}

/// Time is the backstop only: endless loops through a try are found by counting.
pub(crate) fn time_limit(baseline_micros: u64) -> Duration {
    Duration::from_secs(10).max(Duration::from_micros(baseline_micros.saturating_mul(10)))
}

/// In a cold JVM everything takes longer.
pub(crate) fn fresh_time_limit(baseline_micros: u64) -> Duration {
    Duration::from_secs(20).max(Duration::from_micros(baseline_micros.saturating_mul(20)))
}
