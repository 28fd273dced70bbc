//! The plain runs of a project's tests as they accumulate, and the evidence they amount to: which tests count, and the
//! pairs whose tries each of them executes.
//!
//! The suite tells it of every test. A test that an experiment needs has run alone before (see [`super::on_demand`]), and
//! from then on those runs say what it executes: experiments meet it alone.

use crate::baseline::once_per_jvm::{OncePerJvmPair, Stray, Suspects, not_in_steady_run};
use crate::baseline::{shared_contexts, solo};
use crate::observations::{PairNumber, Phase, PlainOutcome, PlainRun, Runs, TestNumber, by_colour};
use crate::store::{KnownTest, Store, StoreError};
use catchment_verdicts::{CheckedTest, ExecutingTest, SetAside, TestColour, TestId};
use catchment_watch::Usages;
use std::collections::BTreeMap;

/// All plain runs so far.
#[derive(Debug, Default)]
pub(crate) struct PlainRuns {
    pub(super) suite: Runs,
    pub(super) solo: Runs,
    pub(super) fresh: Runs,
    pub(super) class: Runs,
    /// Usages while the suite prepared a class, by run configuration and class: each test of the class has them alone.
    prepared: BTreeMap<(usize, String), Vec<(PairNumber, Usages)>>,
    /// Tests that may execute tries once per JVM.
    suspects: Suspects,
}

impl PlainRuns {
    pub(super) fn read(store: &Store, tests: &[(TestNumber, KnownTest)]) -> Result<Self, StoreError> {
        let mut runs = Self {
            suite: store.runs(Phase::Suite)?,
            solo: store.runs(Phase::Solo)?,
            fresh: store.runs(Phase::Fresh)?,
            class: store.runs(Phase::Class)?,
            ..Self::default()
        };
        for (number, test) in tests {
            runs.add_prepared(*number, test);
            runs.suspect(*number, test.configuration);
        }
        Ok(runs)
    }

    fn add_prepared(&mut self, number: TestNumber, test: &KnownTest) {
        let Some(run) = self.suite.get(&(number, 0)).filter(|run| !run.before.is_empty()) else { return };
        let of_class = self.prepared.entry((test.configuration, test.unit.class.clone())).or_default();
        run.before.iter().for_each(|(pair, usages)| add_usages(of_class, *pair, usages));
    }

    /// Takes in the runs of a test alone in a worker.
    pub(super) fn add_solo(&mut self, number: TestNumber, configuration: usize, runs: &[PlainRun]) {
        self.solo.extend((0..).zip(runs).map(|(ordinal, run)| ((number, ordinal), run.clone())));
        self.suspect(number, configuration);
    }

    fn suspect(&mut self, number: TestNumber, configuration: usize) {
        if let Some(steady) = self.solo.get(&(number, solo::RUNS - 1)) {
            self.suspects.add(configuration, number, &self.suite, steady);
        }
    }

    /// The run of the test that its experiments in a warm worker are like: the last one alone or, if the test never ran
    /// alone, with its class.
    pub(super) fn steady(&self, test: TestNumber) -> Option<&PlainRun> {
        let class = || {
            let shares = shared_contexts::shares_context(&self.class, test);
            self.class.get(&(test, shared_contexts::RUNS - 1)).filter(|_| shares)
        };
        self.solo.get(&(test, solo::RUNS - 1)).or_else(class)
    }

    pub(super) fn has_run_alone(&self, test: TestNumber) -> bool {
        self.solo.contains_key(&(test, solo::RUNS - 1))
    }

    /// A test that does not pass alone in a worker: the worker spoils it, or it spoils itself.
    pub(super) fn fails_in_worker(&self, test: TestNumber) -> bool {
        runs_of(&self.solo, test).any(|run| !run.passed())
    }

    /// Fills in what the runs say of the test; its name and source are the caller's.
    pub(super) fn describe(
        &self,
        number: TestNumber,
        configuration: usize,
        allow_external: bool,
        test: &mut CheckedTest,
    ) {
        let suite = self.suite.get(&(number, 0));
        let passed = suite.filter(|run| run.passed());
        let caught = suite.map_or(0, |run| self.caught_by_itself(number, configuration, run));
        test.set_aside = self.set_aside(number, allow_external);
        let is_flaky = matches!(test.set_aside, Some(SetAside::Flaky(_)));
        test.colour = passed.filter(|_| !is_flaky).map(|run| colour(run.escaped, caught));
        test.shared_context = shared_contexts::shares_context(&self.class, number);
        test.suite_millis = suite.map_or(0, |run| run.micros / 1000);
        test.solo_millis = self.steady(number).map(|run| run.micros / 1000);
        test.exceptions_to_test = suite.map(|run| run.escaped);
        test.exceptions_caught = caught;
    }

    /// Exceptions that the application caught during the test in the suite, without those of threads that other tests had
    /// left behind.
    fn caught_by_itself(&self, test: TestNumber, configuration: usize, run: &PlainRun) -> u64 {
        let steady = self.steady(test);
        let is_stray = |pair| {
            let suspect = steady.map(|steady| OncePerJvmPair::new(configuration, pair, steady));
            suspect.and_then(|suspect| self.stray(suspect)).is_some_and(|stray| stray.by_thread)
        };
        let own =
            run.usages.iter().filter(|(_, usages)| usages.white > 0).filter(|(pair, _)| !is_stray(*pair));
        own.map(|(_, usages)| usages.white).sum()
    }

    fn set_aside(&self, test: TestNumber, allow_external: bool) -> Option<SetAside> {
        let suite = self.suite.get(&(test, 0))?;
        match &suite.outcome {
            PlainOutcome::Failed(what) => return Some(SetAside::Red(what.clone())),
            PlainOutcome::Ended(what) => return Some(SetAside::Red(what.clone())),
            PlainOutcome::Skipped(what) => return Some(SetAside::Skipped(what.clone())),
            PlainOutcome::Passed => {}
        }
        let runs = std::iter::once(suite).chain(runs_of(&self.solo, test)).chain(runs_of(&self.fresh, test));
        let mut external: Vec<_> = runs.flat_map(|run| run.external.clone()).collect();
        if !external.is_empty() && !allow_external {
            external.sort();
            external.dedup();
            return Some(SetAside::External(external));
        }
        self.set_aside_alone(test)
    }

    /// A test that fails in a worker but passes in a JVM of its own is evidence there; see [`Self::fails_in_worker`].
    fn set_aside_alone(&self, test: TestNumber) -> Option<SetAside> {
        let order_dependent = |fresh: &PlainRun| SetAside::OrderDependent(text(&fresh.outcome).to_owned());
        let fresh = self.fresh.get(&(test, 0));
        let Some(failed) = runs_of(&self.solo, test).find(|run| !run.passed()) else {
            // It lives on what other tests have left behind in its worker.
            return fresh.filter(|run| !run.passed()).map(order_dependent);
        };
        let Some(fresh) = fresh else {
            return Some(SetAside::NoSoloRun(text(&failed.outcome).to_owned()));
        };
        let passed_once = runs_of(&self.solo, test).any(PlainRun::passed);
        // Nothing lay between the two runs, and the second had more to stumble over.
        let recovered = self.solo.get(&(test, solo::RUNS - 1)).is_some_and(PlainRun::passed);
        match (fresh.passed(), passed_once) {
            (false, false) => Some(order_dependent(fresh)),
            (true, _) if !recovered => None,
            _ => Some(SetAside::Flaky(format!("alone, sometimes: {}", text(&failed.outcome)))),
        }
    }

    /// The pairs whose tries the test executes, as far as its runs tell.
    pub(super) fn executions(
        &self,
        number: TestNumber,
        test: &KnownTest,
        id: TestId,
    ) -> BTreeMap<PairNumber, ExecutingTest> {
        let executing = |usages: Usages| ExecutingTest {
            test: id,
            usages: by_colour(&usages),
            once_per_jvm: false,
            needs_fresh: false,
        };
        let entered = |(_, usages): &(PairNumber, Usages)| usages.entries > 0;
        let Some(steady) = self.steady(number) else {
            let expected = self.expected(number, test).into_iter().filter(entered);
            return expected.map(|(pair, usages)| (pair, executing(usages))).collect();
        };
        let asked = self.fresh.get(&(number, 0));
        let fresh = asked.or_else(|| self.suite_run(number));
        if self.fails_in_worker(number) {
            let used = fresh.map(|run| run.usages.as_slice()).unwrap_or_default();
            let used = used.iter().copied().filter(entered);
            return used
                .map(|(pair, usages)| (pair, ExecutingTest { needs_fresh: true, ..executing(usages) }))
                .collect();
        }
        let mut executions: BTreeMap<_, _> = steady.usages.iter().copied().filter(entered).collect();
        if !self.has_run_alone(number) {
            // With its class it was not the one to prepare it; alone it will be.
            for (pair, usages) in self.prepared_for(test).filter(|(_, usages)| usages.entries > 0) {
                executions.entry(*pair).or_insert(*usages);
            }
        }
        let mut once_per_jvm = BTreeMap::new();
        for pair in not_in_steady_run(&self.suite, number, steady) {
            let suspect = OncePerJvmPair::new(test.configuration, pair, steady);
            if asked.is_none() && self.stray(suspect).is_some() {
                continue;
            }
            let steady_entries = steady.usages_of(pair).map_or(0, |usages| usages.entries);
            let used = fresh.and_then(|fresh| fresh.usages_of(pair));
            if let Some(usages) = used.filter(|usages| usages.entries > steady_entries) {
                executions.remove(&pair);
                once_per_jvm.insert(pair, ExecutingTest { once_per_jvm: true, ..executing(usages) });
            }
        }
        let steady = executions.into_iter().map(|(pair, usages)| (pair, executing(usages)));
        steady.chain(once_per_jvm).collect()
    }

    /// Usages to expect of a test that has not run alone: those in the suite, and while its class was prepared there.
    fn expected(&self, number: TestNumber, test: &KnownTest) -> Vec<(PairNumber, Usages)> {
        let Some(run) = self.suite_run(number) else { return Vec::new() };
        let mut expected = run.usages.clone();
        if run.passed() {
            self.prepared_for(test).for_each(|(pair, usages)| add_usages(&mut expected, *pair, usages));
        }
        expected.retain(|(pair, _)| !self.is_nobodys(test.configuration, *pair));
        expected
    }

    fn prepared_for(&self, test: &KnownTest) -> impl Iterator<Item = &(PairNumber, Usages)> {
        self.prepared.get(&(test.configuration, test.unit.class.clone())).into_iter().flatten()
    }

    fn suite_run(&self, number: TestNumber) -> Option<&PlainRun> {
        self.suite.get(&(number, 0)).filter(|run| !run.is_skipped())
    }

    /// Executions of the try in the suite belong to something that a test left behind, as far as tests were asked.
    fn is_nobodys(&self, configuration: usize, pair: PairNumber) -> bool {
        let suspect = OncePerJvmPair { configuration, pair, is_executed_later: false };
        self.stray(suspect).is_some() && !self.suspects.is_executed_alone(configuration, pair)
    }

    pub(super) fn stray(&self, suspect: OncePerJvmPair) -> Option<Stray> {
        self.suspects.stray(suspect, self)
    }

    /// Tells whether there are executions that are nobody's, now that this test has run in a fresh JVM.
    pub(super) fn shows_strays(&self, number: TestNumber, configuration: usize) -> bool {
        self.suspects.of(number, configuration).any(|suspect| self.stray(suspect).is_some())
    }

    /// All pairs with executions that are nobody's.
    pub(super) fn strays(&self) -> Vec<(OncePerJvmPair, Stray)> {
        self.suspects.pairs().filter_map(|suspect| Some((suspect, self.stray(suspect)?))).collect()
    }

    /// Tests of a run configuration during which the suite executed the try, and that do not execute it alone.
    pub(super) fn seen_in_suite(&self, tests: &[(TestNumber, KnownTest)], suspect: OncePerJvmPair) -> usize {
        let executes = |run: &PlainRun| run.usages_of(suspect.pair).is_some_and(|usages| usages.entries > 0);
        let of_configuration = tests.iter().filter(|(_, test)| test.configuration == suspect.configuration);
        let seen = of_configuration.filter(|(number, _)| {
            self.suite.get(&(*number, 0)).is_some_and(executes) && !self.steady(*number).is_some_and(executes)
        });
        seen.count()
    }
}

fn add_usages(sums: &mut Vec<(PairNumber, Usages)>, pair: PairNumber, more: &Usages) {
    match sums.iter_mut().find(|(known, _)| *known == pair) {
        Some((_, usages)) => usages.add(more),
        None => sums.push((pair, *more)),
    }
}

pub(crate) fn runs_of(runs: &Runs, test: TestNumber) -> impl Iterator<Item = &PlainRun> {
    runs.range((test, 0)..=(test, u32::MAX)).map(|(_, run)| run)
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

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_protocol::conversation::TestUnit;

    const TEST: TestNumber = TestNumber(1);
    const PAIR: PairNumber = PairNumber(7);

    fn used(times: u64) -> PlainRun {
        let usages = Usages { entries: times, pink: times, ..Usages::default() };
        PlainRun { usages: vec![(PAIR, usages)], ..PlainRun::default() }
    }

    fn known(class: &str) -> KnownTest {
        KnownTest { configuration: 0, unit: TestUnit { class: class.to_owned(), ..TestUnit::default() } }
    }

    fn suite(run: &PlainRun) -> PlainRuns {
        PlainRuns { suite: [((TEST, 0), run.clone())].into(), ..PlainRuns::default() }
    }

    fn executions_in(runs: &PlainRuns) -> Vec<(u64, bool)> {
        let executions = runs.executions(TEST, &known("a.T"), TestId(0)).into_values();
        executions.map(|executing| (executing.usages.pink, executing.once_per_jvm)).collect()
    }

    /// In the suite, alone in a worker, twice, and alone in a JVM of its own; as far as it came.
    fn executed(in_suite: u64, solo: Option<[u64; 2]>, fresh: Option<u64>) -> Vec<(u64, bool)> {
        let mut runs = suite(&used(in_suite));
        if let Some(solo) = solo {
            runs.add_solo(TEST, 0, &solo.map(used));
        }
        runs.fresh.extend(fresh.map(|times| ((TEST, 0), used(times))));
        executions_in(&runs)
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
    fn a_test_that_has_not_run_alone_is_expected_to_do_what_it_does_in_the_suite() {
        assert_eq!(executed(2, None, None), [(2, false)]);
        assert_eq!(executed(2, Some([0, 0]), None), [(2, true)]);
    }

    #[test]
    fn each_test_of_a_class_is_expected_to_prepare_it() {
        let other = TestNumber(2);
        let mut runs = suite(&used(1));
        let before = used(3).usages;
        runs.suite.insert((other, 0), PlainRun { before, ..PlainRun::default() });
        runs.add_prepared(other, &known("a.T"));
        assert_eq!(executions_in(&runs), [(4, false)]);
        runs.add_solo(TEST, 0, &[used(1), used(1)]);
        assert_eq!(executions_in(&runs), [(1, false)], "alone it was seen not to");
    }

    #[test]
    fn a_test_that_does_not_always_pass_alone_is_flaky_or_order_dependent() {
        let failed = PlainRun { outcome: PlainOutcome::Failed("no".to_owned()), ..used(1) };
        let set_aside = |solo: [&PlainRun; 2], fresh: &PlainRun| {
            let mut runs = suite(&used(1));
            runs.add_solo(TEST, 0, &solo.map(Clone::clone));
            runs.fresh.insert((TEST, 0), fresh.clone());
            runs.set_aside(TEST, false).map(|why| why.as_str())
        };
        let passed = used(1);
        assert_eq!(set_aside([&failed, &passed], &passed), Some("flaky"));
        assert_eq!(set_aside([&passed, &failed], &passed), None, "evidence, in fresh JVMs");
        assert_eq!(set_aside([&failed, &failed], &failed), Some("order-dependent"));
        assert_eq!(set_aside([&failed, &failed], &passed), None, "evidence, in fresh JVMs");
        assert_eq!(set_aside([&passed, &failed], &failed), Some("flaky"), "it can pass alone");
        assert_eq!(set_aside([&passed, &passed], &failed), Some("order-dependent"), "only after others");
        assert_eq!(set_aside([&passed, &passed], &passed), None);
    }

    #[test]
    fn what_a_thread_left_behind_does_is_neither_executed_nor_caught_by_the_test() {
        let white = Usages { entries: 5, white: 5, ..Usages::default() };
        let beside = PlainRun {
            usages: vec![(PAIR, white)],
            threads_left: vec!["pump".to_owned()],
            ..PlainRun::default()
        };
        let alone = PlainRun::default();
        let mut runs = suite(&beside);
        let others: Vec<_> = (2..40).map(TestNumber).collect();
        runs.suite.extend(others.iter().map(|other| ((*other, 0), beside.clone())));
        runs.add_solo(TEST, 0, &[alone.clone(), alone.clone()]);
        assert_eq!(executions_in(&runs), [(0, true)], "nobody has asked it");
        assert_eq!(runs.caught_by_itself(TEST, 0, &beside), 5);

        for (count, other) in others.iter().take(10).enumerate() {
            assert_eq!(executions_in(&runs), [(0, true)], "{count} others have been asked");
            runs.add_solo(*other, 0, &[alone.clone(), alone.clone()]);
            runs.fresh.insert((*other, 0), alone.clone());
        }
        assert_eq!(executions_in(&runs), []);
        assert_eq!(runs.caught_by_itself(TEST, 0, &beside), 0);
        assert_eq!(runs.caught_by_itself(TEST, 1, &beside), 5, "another configuration");
        let not_asked = runs.executions(others[30], &known("a.T"), TestId(9));
        assert_eq!(not_asked, BTreeMap::new());
    }
}
