//! Tries that a test executes in the suite but not, or less often, in its second solo run: candidates for code that runs
//! once per JVM.
//!
//! A static initialiser or a cache also runs in a fresh JVM of the test's own. But the execution may belong to a thread that
//! an earlier test left behind, and then thousands of tests seem to execute the same try. So once ten tests have run in
//! fresh JVMs and none of them executes the try there, the others are not asked.

use crate::baseline::plain_runs::{PlainRuns, runs_of};
use crate::observations::{PairNumber, PlainRun, Runs, TestNumber};
use std::collections::{BTreeMap, BTreeSet};

/// Tests to run in fresh JVMs before executions that none of them repeats count as a stray's.
const ASKED_FIRST: usize = 10;

/// A pair whose try tests of a run configuration may execute once per JVM. Tests that execute the try in the second solo run
/// too, if less often, are a group of their own: those executions are theirs for certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OncePerJvmPair {
    pub(crate) configuration: usize,
    pub(crate) pair: PairNumber,
    pub(crate) is_executed_later: bool,
}

impl OncePerJvmPair {
    pub(crate) fn new(configuration: usize, pair: PairNumber, steady: &PlainRun) -> Self {
        Self { configuration, pair, is_executed_later: entries_of(pair, steady) > 0 }
    }
}

/// The tests that may execute tries once per JVM, by pair, as far as they have run alone.
#[derive(Debug, Default)]
pub(crate) struct Suspects {
    by_pair: BTreeMap<OncePerJvmPair, BTreeSet<TestNumber>>,
    /// Pairs whose try some test executes each time it runs alone.
    executed_alone: BTreeSet<(usize, PairNumber)>,
}

impl Suspects {
    /// Takes in the steady run of a test.
    pub(crate) fn add(&mut self, configuration: usize, test: TestNumber, suite: &Runs, steady: &PlainRun) {
        for pair in not_in_steady_run(suite, test, steady) {
            let suspect = OncePerJvmPair::new(configuration, pair, steady);
            self.by_pair.entry(suspect).or_default().insert(test);
        }
        let executed = steady.usages.iter().filter(|(_, usages)| usages.entries > 0);
        self.executed_alone.extend(executed.map(|(pair, _)| (configuration, *pair)));
    }

    /// The pairs that some test may execute once per JVM.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = OncePerJvmPair> + '_ {
        self.by_pair.keys().copied()
    }

    /// The pairs that the test may execute once per JVM.
    pub(crate) fn of(
        &self,
        test: TestNumber,
        configuration: usize,
    ) -> impl Iterator<Item = OncePerJvmPair> + '_ {
        let all = self.by_pair.iter().filter(move |(pair, _)| pair.configuration == configuration);
        all.filter(move |(_, tests)| tests.contains(&test)).map(|(pair, _)| *pair)
    }

    /// Some test executes the try each time it runs alone.
    pub(crate) fn is_executed_alone(&self, configuration: usize, pair: PairNumber) -> bool {
        self.executed_alone.contains(&(configuration, pair))
    }

    /// Executions of the try that are nobody's: tests of the suite seemed to execute it, and none of those that ran in a
    /// fresh JVM does. Those that do not pass there show nothing.
    pub(crate) fn stray(&self, pair: OncePerJvmPair, runs: &PlainRuns) -> Option<Stray> {
        let tests = self.by_pair.get(&pair)?;
        let asked: Vec<_> =
            tests.iter().filter_map(|test| Some((*test, runs.fresh.get(&(*test, 0))?))).collect();
        let executes_more = |(test, fresh): &(TestNumber, &PlainRun)| {
            let steady = runs.steady(*test).map_or(0, |steady| entries_of(pair.pair, steady));
            fresh.passed() && entries_of(pair.pair, fresh) > steady
        };
        let passed = asked.iter().filter(|(_, fresh)| fresh.passed()).count();
        if asked.len() < ASKED_FIRST || 2 * passed < asked.len() || asked.iter().any(executes_more) {
            return None;
        }
        let has_threads = runs.suite.values().any(|run| !run.threads_left.is_empty());
        Some(Stray { asked: asked.len(), by_thread: has_threads && !pair.is_executed_later })
    }
}

/// Executions of a try that belong to none of the tests during which they were seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stray {
    /// Tests that ran alone in a fresh JVM.
    pub(crate) asked: usize,
    /// As far as can be told, a thread executed the try that another test had left behind.
    pub(crate) by_thread: bool,
}

fn entries_of(pair: PairNumber, run: &PlainRun) -> u64 {
    run.usages_of(pair).map_or(0, |usages| usages.entries)
}

/// Pairs whose try the test executes in the suite but not in its last solo run, or not as often: a cache was filled.
pub(crate) fn not_in_steady_run(suite: &Runs, test: TestNumber, steady: &PlainRun) -> BTreeSet<PairNumber> {
    let entries = |run: &PlainRun| -> BTreeMap<PairNumber, u64> {
        let mut entries = BTreeMap::new();
        for (pair, usages) in run.usages.iter().chain(&run.before).filter(|(_, usages)| usages.entries > 0) {
            *entries.entry(*pair).or_default() += usages.entries;
        }
        entries
    };
    let still = entries(steady);
    let suite: Vec<_> = runs_of(suite, test).map(entries).collect();
    // How often a try is entered may change from run to run; it is a cache only if it is always less.
    let is_less = |pair: PairNumber, still: u64| {
        suite.iter().all(|run| run.get(&pair).is_some_and(|entries| *entries > still))
    };
    let ever: BTreeSet<_> = suite.iter().flat_map(|run| run.keys().copied()).collect();
    ever.into_iter().filter(|pair| still.get(pair).is_none_or(|still| is_less(*pair, *still))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observations::PlainOutcome;
    use catchment_watch::Usages;

    const PAIR: PairNumber = PairNumber(7);
    const SUSPECT: OncePerJvmPair = OncePerJvmPair { configuration: 0, pair: PAIR, is_executed_later: false };

    fn used(times: u64) -> PlainRun {
        let usages = Usages { entries: times, pink: times, ..Usages::default() };
        PlainRun { usages: vec![(PAIR, usages)], ..PlainRun::default() }
    }

    /// A hundred tests execute the try in the suite and not alone; some have run in fresh JVMs as well.
    fn runs(fresh: &[PlainRun]) -> PlainRuns {
        let mut runs = PlainRuns::default();
        runs.suite.extend((0..100).map(|test| ((TestNumber(test), 0), used(1))));
        (0..100).for_each(|test| runs.add_solo(TestNumber(test), 0, &[used(0), used(0)]));
        runs.fresh.extend((0..).zip(fresh).map(|(test, run)| ((TestNumber(test), 0), run.clone())));
        runs
    }

    #[test]
    fn ten_tests_in_fresh_jvms_show_that_executions_are_nobodys() {
        assert_eq!(runs(&vec![used(0); 9]).stray(SUSPECT), None);
        let stray = Stray { asked: 10, by_thread: false };
        assert_eq!(runs(&vec![used(0); 10]).stray(SUSPECT), Some(stray));
    }

    #[test]
    fn one_test_that_executes_the_try_in_a_fresh_jvm_makes_the_others_suspects_again() {
        let mut fresh = vec![used(0); 20];
        fresh[13] = used(1);
        assert_eq!(runs(&fresh).stray(SUSPECT), None);
    }

    #[test]
    fn a_test_of_the_thread_itself_says_nothing_of_those_that_come_after_it() {
        let mut runs = runs(&vec![used(0); 10]);
        runs.suite.insert((TestNumber(500), 0), used(9));
        runs.add_solo(TestNumber(500), 0, &[used(3), used(3)]);
        runs.fresh.insert((TestNumber(500), 0), used(4));
        assert!(runs.stray(SUSPECT).is_some());
        assert_eq!(runs.stray(OncePerJvmPair { is_executed_later: true, ..SUSPECT }), None);
    }

    #[test]
    fn tests_that_fail_alone_refute_nothing() {
        let failed = PlainRun { outcome: PlainOutcome::Failed("no".to_owned()), ..used(0) };
        let mut fresh = vec![failed; 6];
        fresh.extend(vec![used(0); 5]);
        assert_eq!(runs(&fresh).stray(SUSPECT), None);
        fresh.push(used(0));
        assert_eq!(runs(&fresh).stray(SUSPECT), Some(Stray { asked: 12, by_thread: false }));
    }

    #[test]
    fn each_configuration_is_asked_for_itself() {
        let other = OncePerJvmPair { configuration: 1, ..SUSPECT };
        assert_eq!(runs(&vec![used(0); 10]).stray(other), None);
    }
}
