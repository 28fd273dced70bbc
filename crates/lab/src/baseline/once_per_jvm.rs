//! Tries that a test executes in the suite but not, or less often, in its second solo run: candidates for code that runs
//! once per JVM.
//!
//! A static initialiser or a cache also runs in a fresh JVM of the test's own. But the execution may belong to a thread that
//! an earlier test left behind, and then thousands of tests seem to execute the same try. So where many tests of a run
//! configuration do, some of them are asked first, from the first to the last; the others follow only if one of these is
//! found to execute the try in a fresh JVM.

use crate::baseline::solo::{RUNS, runs_of};
use crate::observations::{PairNumber, PlainRun, Runs, TestNumber};
use std::collections::{BTreeMap, BTreeSet};

/// Tests that are asked first, where there are more than twice as many.
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

/// The tests that may execute tries once per JVM, by pair.
#[derive(Debug)]
pub(crate) struct OncePerJvmPairs<'a> {
    solo: &'a Runs,
    fresh: &'a Runs,
    suspects: BTreeMap<OncePerJvmPair, Vec<TestNumber>>,
    /// Some test of the suite has left threads behind.
    has_threads: bool,
}

impl<'a> OncePerJvmPairs<'a> {
    /// `configuration` gives the run configuration of a test.
    pub(crate) fn new(
        configuration: impl Fn(TestNumber) -> Option<usize>,
        suite: &Runs,
        solo: &'a Runs,
        fresh: &'a Runs,
    ) -> Self {
        let mut suspects: BTreeMap<OncePerJvmPair, Vec<TestNumber>> = BTreeMap::new();
        for ((test, _), steady) in solo.iter().filter(|((_, ordinal), _)| *ordinal == RUNS - 1) {
            let Some(configuration) = configuration(*test) else { continue };
            for pair in not_in_steady_run(suite, *test, steady) {
                suspects.entry(OncePerJvmPair::new(configuration, pair, steady)).or_default().push(*test);
            }
        }
        let has_threads = suite.values().any(|run| !run.threads_left.is_empty());
        Self { solo, fresh, suspects, has_threads }
    }

    /// Tests that are to run in a JVM of their own and have not.
    pub(crate) fn to_ask(&self) -> BTreeSet<TestNumber> {
        let suspects = self.suspects.iter().flat_map(|(first, tests)| {
            let needs_all = self.shown(first.pair, tests) == Shown::MayBeTheirs;
            if needs_all { tests.clone() } else { asked_first(tests) }
        });
        let failed = self.solo.iter().filter(|(_, run)| !run.passed()).map(|((test, _), _)| *test);
        suspects.chain(failed).filter(|test| !self.fresh.contains_key(&(*test, 0))).collect()
    }

    /// Pairs whose try many tests seemed to execute, and none of those that were asked does.
    pub(crate) fn strays(&self) -> BTreeMap<OncePerJvmPair, Stray> {
        let many = self.suspects.iter().filter(|(_, tests)| asked_first(tests).len() < tests.len());
        many.filter(|(first, tests)| self.shown(first.pair, tests) == Shown::NotTheirs)
            .map(|(first, tests)| (*first, self.stray(*first, tests)))
            .collect()
    }

    fn stray(&self, first: OncePerJvmPair, tests: &[TestNumber]) -> Stray {
        let by_thread = self.has_threads && !first.is_executed_later;
        Stray { seen: tests.len(), asked: asked_first(tests).len(), by_thread }
    }

    fn shown(&self, pair: PairNumber, tests: &[TestNumber]) -> Shown {
        let entries = |run: &PlainRun| entries_of(pair, run);
        let uses_more = |test: &TestNumber| {
            let steady = self.solo.get(&(*test, RUNS - 1)).map_or(0, entries);
            let fresh = self.fresh.get(&(*test, 0));
            fresh.is_some_and(|fresh| fresh.passed() && entries(fresh) > steady)
        };
        let asked = asked_first(tests);
        let runs: Vec<_> = asked.iter().filter_map(|test| self.fresh.get(&(*test, 0))).collect();
        let passed = runs.iter().filter(|run| run.passed()).count();
        if tests.iter().any(uses_more) {
            Shown::MayBeTheirs
        } else if runs.len() < asked.len() {
            Shown::Nothing
        } else if 2 * passed < asked.len() {
            // One that does not pass in a JVM of its own shows nothing, so it refutes nothing either.
            Shown::MayBeTheirs
        } else {
            Shown::NotTheirs
        }
    }
}

/// The result of asking, in fresh JVMs, tests that seem to execute a try once per JVM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Nothing,
    MayBeTheirs,
    NotTheirs,
}

/// Executions of a try that belong to none of the tests during which they were seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stray {
    /// Tests during which the try was executed.
    pub(crate) seen: usize,
    /// Tests of these that ran alone in a fresh JVM.
    pub(crate) asked: usize,
    /// As far as can be told, a thread executed the try that another test had left behind.
    pub(crate) by_thread: bool,
}

fn entries_of(pair: PairNumber, run: &PlainRun) -> u64 {
    run.usages_of(pair).map_or(0, |usages| usages.entries)
}

/// All tests, or some from the first to the last.
fn asked_first(tests: &[TestNumber]) -> Vec<TestNumber> {
    if tests.len() <= 2 * ASKED_FIRST {
        return tests.to_vec();
    }
    (0..ASKED_FIRST).map(|place| tests[place * (tests.len() - 1) / (ASKED_FIRST - 1)]).collect()
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
    const TESTS: u32 = 100;

    fn used(times: u64) -> PlainRun {
        let usages = Usages { entries: times, pink: times, ..Usages::default() };
        PlainRun { usages: vec![(PAIR, usages)], ..PlainRun::default() }
    }

    fn of_all(tests: u32, run: &PlainRun) -> Runs {
        let ordinals =
            (0..tests).flat_map(|test| (0..RUNS).map(move |ordinal| (TestNumber(test.into()), ordinal)));
        ordinals.map(|key| (key, run.clone())).collect()
    }

    fn uses<'a>(suite: &Runs, solo: &'a Runs, fresh: &'a Runs) -> OncePerJvmPairs<'a> {
        OncePerJvmPairs::new(|_| Some(0), suite, solo, fresh)
    }

    fn asked(tests: &BTreeSet<TestNumber>, run: &PlainRun) -> Runs {
        tests.iter().map(|test| ((*test, 0), run.clone())).collect()
    }

    #[test]
    fn few_tests_are_all_asked_in_jvms_of_their_own() {
        let (suite, solo, fresh) = (of_all(20, &used(1)), of_all(20, &used(0)), Runs::new());
        let uses = uses(&suite, &solo, &fresh);
        assert_eq!(uses.to_ask().len(), 20);
        assert!(uses.strays().is_empty());
    }

    #[test]
    fn many_are_asked_if_one_of_some_is_found_to_use_the_pair() {
        let (suite, solo, nothing) = (of_all(TESTS, &used(1)), of_all(TESTS, &used(0)), Runs::new());
        let first = uses(&suite, &solo, &nothing).to_ask();
        assert_eq!(first.len(), ASKED_FIRST);
        assert!(first.contains(&TestNumber(0)) && first.contains(&TestNumber(99)));
        let mut fresh = asked(&first, &used(0));
        assert!(uses(&suite, &solo, &fresh).to_ask().is_empty());
        let strays = uses(&suite, &solo, &fresh).strays();
        let by_others = OncePerJvmPair { configuration: 0, pair: PAIR, is_executed_later: false };
        assert_eq!(strays.get(&by_others), Some(&Stray { seen: 100, asked: 10, by_thread: false }));

        fresh.extend(first.last().map(|test| ((*test, 0), used(1))));
        let uses = uses(&suite, &solo, &fresh);
        assert_eq!(uses.to_ask().len(), TESTS as usize - ASKED_FIRST);
        assert!(uses.strays().is_empty());
    }

    #[test]
    fn a_test_of_the_thread_itself_says_nothing_of_those_that_come_after_it() {
        let (suite, mut solo) = (of_all(TESTS, &used(9)), of_all(TESTS, &used(0)));
        let own = TestNumber(0);
        solo.extend((0..RUNS).map(|ordinal| ((own, ordinal), used(3))));
        let nothing = Runs::new();
        let first = uses(&suite, &solo, &nothing).to_ask();
        assert!(first.contains(&own));
        let mut fresh = asked(&first, &used(0));
        fresh.insert((own, 0), used(4));
        assert!(uses(&suite, &solo, &fresh).to_ask().is_empty());
    }

    #[test]
    fn tests_that_fail_alone_refute_nothing() {
        let (suite, solo, nothing) = (of_all(TESTS, &used(1)), of_all(TESTS, &used(0)), Runs::new());
        let first = uses(&suite, &solo, &nothing).to_ask();
        let failed = PlainRun { outcome: PlainOutcome::Failed("no".to_owned()), ..used(1) };
        let mut fresh = asked(&first, &failed);
        assert!(uses(&suite, &solo, &fresh).strays().is_empty());
        assert_eq!(uses(&suite, &solo, &fresh).to_ask().len(), TESTS as usize - ASKED_FIRST);

        fresh.extend(first.iter().skip(1).map(|test| ((*test, 0), used(0))));
        assert_eq!(
            uses(&suite, &solo, &fresh).strays().len(),
            1,
            "one of ten proves nothing for a thousand others"
        );
        assert!(uses(&suite, &solo, &fresh).to_ask().is_empty());
    }

    #[test]
    fn each_configuration_is_asked_for_itself() {
        let (suite, solo, fresh) = (of_all(TESTS, &used(1)), of_all(TESTS, &used(0)), Runs::new());
        let two = OncePerJvmPairs::new(|test| Some(usize::from(test.0 >= 95)), &suite, &solo, &fresh);
        assert_eq!(two.to_ask().len(), ASKED_FIRST + 5);
    }

    #[test]
    fn tests_that_fail_in_a_worker_have_another_chance() {
        let failed = PlainRun { outcome: PlainOutcome::Failed("no".to_owned()), ..used(1) };
        let (suite, solo, fresh) = (of_all(3, &used(1)), of_all(3, &failed), Runs::new());
        assert_eq!(uses(&suite, &solo, &fresh).to_ask().len(), 3);
    }
}
