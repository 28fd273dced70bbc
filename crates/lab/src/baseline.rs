//! The baseline: from plain runs to a checked project without experiments, that is, which tests are evidence, and the pairs
//! whose tries each of them executes.

pub(crate) mod once_per_jvm;
pub(crate) mod shared_contexts;
pub(crate) mod solo;
pub(crate) mod suite;

use crate::baseline::once_per_jvm::{OncePerJvmPair, OncePerJvmPairs, Stray, not_in_steady_run};
use crate::baseline::solo::runs_of;
use crate::observations::{PairNumber, Phase, PlainOutcome, PlainRun, Runs, TestNumber, by_colour};
use crate::store::{KnownTest, Store, StoreError};
use catchment_pairs::ClassLocation;
use catchment_verdicts::{CheckedPair, CheckedTest, ExecutingTest, SetAside, TestColour, TestId};
use catchment_watch::Usages;
use std::collections::{BTreeMap, HashMap};

/// All plain runs of a project.
#[derive(Debug)]
pub(crate) struct Baseline {
    /// Tests, in the order of their [`TestId`]s.
    pub(crate) tests: Vec<(TestNumber, KnownTest)>,
    suite: Runs,
    solo: Runs,
    fresh: Runs,
    class: Runs,
    /// Executions of tries during tests that do not cause them.
    strays: BTreeMap<OncePerJvmPair, Stray>,
}

impl Baseline {
    pub(crate) fn read(store: &Store) -> Result<Self, StoreError> {
        let mut tests: Vec<_> = store.tests()?.into_iter().collect();
        tests.sort_by(|(_, a), (_, b)| {
            let key = |test: &KnownTest| (test.configuration, test.unit.class.clone(), test.unit.id.clone());
            key(a).cmp(&key(b))
        });
        let (suite, solo) = (store.runs(Phase::Suite)?, store.runs(Phase::Solo)?);
        let (fresh, class) = (store.runs(Phase::Fresh)?, store.runs(Phase::Class)?);
        let configurations: BTreeMap<_, _> =
            tests.iter().map(|(number, test)| (*number, test.configuration)).collect();
        let once_per_jvm =
            OncePerJvmPairs::new(|test| configurations.get(&test).copied(), &suite, &solo, &fresh);
        let strays = once_per_jvm.strays();
        Ok(Self { tests, suite, solo, fresh, class, strays })
    }

    pub(crate) fn checked_tests(&self, allow_external: bool) -> Vec<CheckedTest> {
        self.tests.iter().map(|(number, test)| self.checked_test(*number, test, allow_external)).collect()
    }

    fn checked_test(&self, number: TestNumber, test: &KnownTest, allow_external: bool) -> CheckedTest {
        let first = self.suite.get(&(number, 0));
        let set_aside = self.set_aside(number, allow_external);
        let passes = runs_of(&self.suite, number).all(PlainRun::passed);
        let caught = first.map_or(0, |run| self.caught_by_itself(number, test.configuration, run));
        CheckedTest {
            name: display_name(test),
            location: ClassLocation::default(),
            configuration: test.configuration,
            colour: first.filter(|_| passes).map(|run| colour(run.escaped, caught)),
            set_aside,
            shared_context: shared_contexts::shares_context(&self.class, number),
            suite_millis: first.map_or(0, |run| run.micros / 1000),
            solo_millis: self.steady(number).map(|run| run.micros / 1000),
            exceptions_to_test: first.map(|run| run.escaped),
            exceptions_caught: caught,
        }
    }

    /// Exceptions that the application caught during the test in the suite, without those of threads that other tests had
    /// left behind.
    fn caught_by_itself(&self, test: TestNumber, configuration: usize, run: &PlainRun) -> u64 {
        let steady = self.steady(test);
        let is_stray = |pair| {
            let stray =
                steady.and_then(|steady| self.strays.get(&OncePerJvmPair::new(configuration, pair, steady)));
            stray.is_some_and(|stray| stray.by_thread)
        };
        run.usages.iter().filter(|(pair, _)| !is_stray(*pair)).map(|(_, usages)| usages.white).sum()
    }

    /// The last solo run of the test in a warm worker.
    fn steady(&self, test: TestNumber) -> Option<&PlainRun> {
        self.solo.get(&(test, solo::RUNS - 1))
    }

    /// Microseconds of a plain run of the test alone.
    pub(crate) fn solo_micros(&self, test: TestNumber) -> u64 {
        self.steady(test).map_or(0, |run| run.micros)
    }

    /// The longest that the test took alone with nothing armed: it may have been the first in its JVM.
    pub(crate) fn longest_micros(&self, test: TestNumber) -> u64 {
        runs_of(&self.solo, test).chain(runs_of(&self.fresh, test)).map(|run| run.micros).max().unwrap_or(0)
    }

    /// Microseconds of a plain run of its class, if its experiments run in batches.
    pub(crate) fn class_micros(&self, test: TestNumber) -> u64 {
        self.class.get(&(test, shared_contexts::RUNS - 1)).map_or(0, |run| run.micros)
    }

    /// Tells whether experiments with this pair run together with those of other tests of the class.
    pub(crate) fn is_together(&self, test: TestNumber, pair: PairNumber) -> bool {
        let alone = self.steady(test);
        alone.is_some_and(|alone| shared_contexts::uses_as_alone(&self.class, test, pair, alone))
    }

    pub(crate) fn leaves_threads(&self, test: TestNumber) -> bool {
        runs_of(&self.solo, test).any(|run| !run.threads_left.is_empty())
    }

    /// Tells whether an exception leaves the application into the test when it runs alone.
    pub(crate) fn reaches_test(&self, test: TestNumber) -> bool {
        runs_of(&self.solo, test).chain(runs_of(&self.fresh, test)).any(|run| run.escaped > 0)
    }

    fn set_aside(&self, test: TestNumber, allow_external: bool) -> Option<SetAside> {
        let suite: Vec<_> = runs_of(&self.suite, test).collect();
        let different = suite.iter().find(|run| run.passed() != suite[0].passed());
        if let Some(different) = different {
            let failed = if suite[0].passed() { *different } else { suite[0] };
            return Some(SetAside::Flaky(format!("in the suite, sometimes: {}", text(&failed.outcome))));
        }
        match &suite.first()?.outcome {
            PlainOutcome::Failed(what) => return Some(SetAside::Red(what.clone())),
            PlainOutcome::Ended(what) => return Some(SetAside::Red(what.clone())),
            PlainOutcome::Skipped(what) => return Some(SetAside::Skipped(what.clone())),
            PlainOutcome::Passed => {}
        }
        let runs = suite.into_iter().chain(runs_of(&self.solo, test)).chain(runs_of(&self.fresh, test));
        let mut external: Vec<_> = runs.flat_map(|run| run.external.clone()).collect();
        if !external.is_empty() && !allow_external {
            external.sort();
            external.dedup();
            return Some(SetAside::External(external));
        }
        self.set_aside_alone(test)
    }

    /// A test that fails in a worker but passes in a JVM of its own is evidence there; see [`Self::needs_fresh`].
    fn set_aside_alone(&self, test: TestNumber) -> Option<SetAside> {
        let failed = runs_of(&self.solo, test).find(|run| !run.passed());
        match self.fresh.get(&(test, 0)) {
            Some(fresh) if !fresh.passed() => Some(SetAside::OrderDependent(text(&fresh.outcome).to_owned())),
            None => failed.map(|run| SetAside::NoSoloRun(text(&run.outcome).to_owned())),
            Some(_) => None,
        }
    }

    /// All its experiments need JVMs of their own: a worker spoils it, or it spoils itself.
    fn needs_fresh(&self, test: TestNumber) -> bool {
        runs_of(&self.solo, test).any(|run| !run.passed())
    }

    /// Puts usages and executions into the pairs.
    pub(crate) fn add_to(&self, pairs: &mut [CheckedPair], positions: &HashMap<PairNumber, usize>) {
        for (index, (number, test)) in (0..).zip(&self.tests) {
            if let Some(run) = self.suite.get(&(*number, 0)) {
                for (pair, usages) in run.usages.iter().chain(&run.before) {
                    if let Some(position) = positions.get(pair) {
                        add(&mut pairs[*position].usages, *usages);
                    }
                }
            }
            for (pair, executing) in self.executions(*number, test.configuration, TestId(index)) {
                if let Some(position) = positions.get(&pair) {
                    pairs[*position].executing_tests.push(executing);
                }
            }
        }
    }

    fn executions(
        &self,
        number: TestNumber,
        configuration: usize,
        test: TestId,
    ) -> Vec<(PairNumber, ExecutingTest)> {
        let entered = |usages: &Usages| usages.entries > 0;
        let executing = |usages: Usages, once_per_jvm| ExecutingTest {
            test,
            usages: by_colour(&usages),
            once_per_jvm,
            needs_fresh: false,
        };
        let suite = self.suite.get(&(number, 0)).filter(|run| !run.is_skipped());
        let Some(steady) = self.steady(number) else {
            // Red or flaky in the suite, it never runs alone, or there was no time for it yet. It executes the try all the
            // same, and does not pass.
            let used = suite.into_iter().flat_map(|run| &run.usages).filter(|(_, usages)| entered(usages));
            return used.map(|(pair, usages)| (*pair, executing(*usages, false))).collect();
        };
        let asked = self.fresh.get(&(number, 0));
        let fresh = asked.or(suite);
        if self.needs_fresh(number) {
            let used = fresh.map(|run| run.usages.as_slice()).unwrap_or_default();
            let used = used.iter().filter(|(_, usages)| entered(usages));
            return used
                .map(|(pair, usages)| {
                    (*pair, ExecutingTest { needs_fresh: true, ..executing(*usages, false) })
                })
                .collect();
        }
        let steady_entries = |pair| steady.usages_of(pair).map_or(0, |usages| usages.entries);
        let first: BTreeMap<_, _> = not_in_steady_run(&self.suite, number, steady)
            .into_iter()
            .filter(|pair| {
                asked.is_some()
                    || !self.strays.contains_key(&OncePerJvmPair::new(configuration, *pair, steady))
            })
            .filter_map(|pair| Some((pair, fresh?.usages_of(pair)?)))
            .filter(|(pair, usages)| usages.entries > steady_entries(*pair))
            .collect();
        let used = steady.usages.iter().filter(|(pair, usages)| entered(usages) && !first.contains_key(pair));
        let used = used.map(|(pair, usages)| (*pair, executing(*usages, false)));
        used.chain(first.iter().map(|(pair, usages)| (*pair, executing(*usages, true)))).collect()
    }
}

fn add(sum: &mut catchment_verdicts::ColourCounts, usages: Usages) {
    let usages = by_colour(&usages);
    sum.pink += usages.pink;
    sum.white += usages.white;
    sum.blue += usages.blue;
    sum.open += usages.open;
}

fn colour(escaped: u64, caught: u64) -> TestColour {
    match (escaped, caught) {
        (0, 0) => TestColour::Pink,
        (0, _) => TestColour::White,
        _ => TestColour::Blue,
    }
}

fn text(outcome: &PlainOutcome) -> &str {
    match outcome {
        PlainOutcome::Passed => "passed",
        PlainOutcome::Failed(what) | PlainOutcome::Skipped(what) | PlainOutcome::Ended(what) => what,
    }
}

fn display_name(test: &KnownTest) -> String {
    match test.unit.class.as_str() {
        "" => test.unit.name.clone(),
        class => format!("{class}.{}", test.unit.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEST: TestNumber = TestNumber(1);
    const PAIR: PairNumber = PairNumber(7);

    fn used(times: u64) -> PlainRun {
        let usages = Usages { entries: times, pink: times, ..Usages::default() };
        PlainRun { usages: vec![(PAIR, usages)], ..PlainRun::default() }
    }

    fn runs(of_each: &[PlainRun]) -> Runs {
        (0..).zip(of_each).map(|(ordinal, run)| ((TEST, ordinal), run.clone())).collect()
    }

    fn baseline(suite: &[PlainRun], solo: &[PlainRun], fresh: &[PlainRun]) -> Baseline {
        Baseline {
            tests: Vec::new(),
            suite: runs(suite),
            solo: runs(solo),
            fresh: runs(fresh),
            class: Runs::new(),
            strays: BTreeMap::new(),
        }
    }

    fn executions_in(baseline: &Baseline) -> Vec<(u64, bool)> {
        let executions = baseline.executions(TEST, 0, TestId(0)).into_iter();
        executions.map(|(_, executing)| (executing.usages.pink, executing.once_per_jvm)).collect()
    }

    /// In the suite, twice, alone in a worker, twice, and alone in a JVM of its own; as far as it came.
    fn executed(suite: u64, solo: Option<[u64; 2]>, fresh: Option<u64>) -> Vec<(u64, bool)> {
        let solo: Vec<_> = solo.iter().flatten().map(|times| used(*times)).collect();
        let fresh: Vec<_> = fresh.iter().map(|times| used(*times)).collect();
        executions_in(&baseline(&[used(suite), used(suite)], &solo, &fresh))
    }

    #[test]
    fn what_a_test_does_each_time_is_what_its_experiments_meet() {
        assert_eq!(executed(2, Some([2, 2]), None), [(2, false)]);
        assert_eq!(executed(2, Some([5, 3]), None), [(3, false)]);
        assert_eq!(executed(0, Some([1, 0]), None), [], "whoever came first in the worker");
    }

    #[test]
    fn what_it_does_once_per_jvm_or_more_often_the_first_time_is_met_in_fresh_ones() {
        assert_eq!(executed(1, Some([0, 0]), Some(1)), [(1, true)]);
        assert_eq!(executed(3, Some([2, 2]), Some(3)), [(3, true)]);
        assert_eq!(executed(3, Some([2, 2]), Some(2)), [(2, false)], "others have used it in the suite");
    }

    #[test]
    fn a_test_there_was_no_time_for_executes_what_it_does_in_the_suite() {
        assert_eq!(executed(2, None, None), [(2, false)]);
        assert_eq!(executed(2, Some([0, 0]), None), [(2, true)]);
    }

    #[test]
    fn what_a_thread_left_behind_does_is_neither_executed_nor_caught_by_the_test() {
        let white = Usages { entries: 5, white: 5, ..Usages::default() };
        let beside = PlainRun { usages: vec![(PAIR, white)], ..PlainRun::default() };
        let alone = PlainRun::default();
        let mut baseline = baseline(&[beside.clone(), beside.clone()], &[alone.clone(), alone.clone()], &[]);
        assert_eq!(executions_in(&baseline), [(0, true)], "nobody has asked it");
        assert_eq!(baseline.caught_by_itself(TEST, 0, &beside), 5);

        let stray =
            |by_thread| (OncePerJvmPair::new(0, PAIR, &alone), Stray { seen: 30, asked: 10, by_thread });
        baseline.strays = BTreeMap::from([stray(true)]);
        assert_eq!(executions_in(&baseline), []);
        assert_eq!(baseline.caught_by_itself(TEST, 0, &beside), 0);
        assert_eq!(baseline.caught_by_itself(TEST, 1, &beside), 5, "another configuration");

        // Its own thread, perhaps, though it needs what another test has left.
        baseline.strays = BTreeMap::from([stray(false)]);
        assert_eq!(executions_in(&baseline), []);
        assert_eq!(baseline.caught_by_itself(TEST, 0, &beside), 5);
    }
}
