//! The baseline: the project's tests with nothing injected, paid for when a verdict needs it.
//!
//! ```text
//! suite        all tests of a run configuration in one JVM: colours, durations, which tests execute which try
//! on_demand    a test alone, before its first experiment: twice in a warm worker; in a JVM of its own, or with its class,
//!              where those runs say that its experiments will need that
//! plain_runs   what all of these amount to: which tests are evidence, and what they execute
//! ```

pub(crate) mod on_demand;
mod once_per_jvm;
mod plain_runs;
pub(crate) mod shared_contexts;
pub(crate) mod solo;
pub(crate) mod suite;

use crate::observations::{PairNumber, TestNumber};
use crate::store::{KnownTest, Store, StoreError};
use catchment_verdicts::{CheckedPair, CheckedTest, ColourCounts, ExecutingTest, TestId};
use catchment_watch::Usages;
use plain_runs::{PlainRuns, runs_of};
use std::collections::{BTreeMap, HashMap};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The tests of a project and their plain runs so far, for all threads.
#[derive(Debug)]
pub(crate) struct Baseline {
    /// Tests, in the order of their [`TestId`]s.
    pub(crate) tests: Vec<(TestNumber, KnownTest)>,
    runs: RwLock<PlainRuns>,
}

impl Baseline {
    pub(crate) fn read(store: &Store) -> Result<Self, StoreError> {
        let mut tests: Vec<_> = store.tests()?.into_iter().collect();
        tests.sort_by(|(_, a), (_, b)| {
            let key = |test: &KnownTest| (test.configuration, test.unit.class.clone(), test.unit.id.clone());
            key(a).cmp(&key(b))
        });
        let runs = RwLock::new(PlainRuns::read(store, &tests)?);
        Ok(Self { tests, runs })
    }

    fn runs(&self) -> RwLockReadGuard<'_, PlainRuns> {
        self.runs.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn runs_mut(&self) -> RwLockWriteGuard<'_, PlainRuns> {
        self.runs.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn checked_tests(&self, allow_external: bool) -> Vec<CheckedTest> {
        let runs = self.runs();
        let checked = |(number, test): &(TestNumber, KnownTest)| {
            let mut checked = CheckedTest {
                name: display_name(test),
                configuration: test.configuration,
                ..CheckedTest::default()
            };
            runs.describe(*number, test.configuration, allow_external, &mut checked);
            checked
        };
        self.tests.iter().map(checked).collect()
    }

    /// Enters in the test what its runs say by now.
    fn describe(&self, id: TestId, allow_external: bool, checked: &mut CheckedTest) {
        let (number, test) = &self.tests[id.index()];
        self.runs().describe(*number, test.configuration, allow_external, checked);
    }

    /// The pairs whose tries the test executes, as far as its runs tell by now.
    fn executions(&self, id: TestId) -> BTreeMap<PairNumber, ExecutingTest> {
        let (number, test) = &self.tests[id.index()];
        self.runs().executions(*number, test, id)
    }

    /// Microseconds of a plain run of the test: alone or, as long as it has not run alone, in the suite.
    pub(crate) fn micros(&self, test: TestNumber) -> u64 {
        let runs = self.runs();
        runs.steady(test).or_else(|| runs.suite.get(&(test, 0))).map_or(0, |run| run.micros)
    }

    /// The longest that the test took with nothing armed: it may have been the first in its JVM.
    pub(crate) fn longest_micros(&self, test: TestNumber) -> u64 {
        let runs = self.runs();
        let all = [&runs.suite, &runs.solo, &runs.fresh].into_iter().flat_map(|runs| runs_of(runs, test));
        all.map(|run| run.micros).max().unwrap_or(0)
    }

    /// Microseconds of a plain run of its class, if its experiments run in batches.
    pub(crate) fn class_micros(&self, test: TestNumber) -> u64 {
        self.runs().class.get(&(test, shared_contexts::RUNS - 1)).map_or(0, |run| run.micros)
    }

    /// Tells whether experiments with this pair run together with those of other tests of the class.
    pub(crate) fn is_together(&self, test: TestNumber, pair: PairNumber) -> bool {
        let runs = self.runs();
        let steady = runs.steady(test);
        steady.is_some_and(|steady| shared_contexts::uses_as_alone(&runs.class, test, pair, steady))
    }

    pub(crate) fn leaves_threads(&self, test: TestNumber) -> bool {
        runs_of(&self.runs().solo, test).any(|run| !run.threads_left.is_empty())
    }

    /// Tells whether an exception leaves the application into the test when it runs alone.
    pub(crate) fn reaches_test(&self, test: TestNumber) -> bool {
        let runs = self.runs();
        runs_of(&runs.solo, test).chain(runs_of(&runs.fresh, test)).any(|run| run.escaped > 0)
    }

    /// Puts usages and executions into the pairs.
    pub(crate) fn add_to(&self, pairs: &mut [CheckedPair], positions: &HashMap<PairNumber, usize>) {
        let runs = self.runs();
        for (index, (number, test)) in (0..).zip(&self.tests) {
            if let Some(run) = runs.suite.get(&(*number, 0)) {
                for (pair, usages) in run.usages.iter().chain(&run.before) {
                    if let Some(position) = positions.get(pair) {
                        add(&mut pairs[*position].usages, usages);
                    }
                }
            }
            for (pair, executing) in runs.executions(*number, test, TestId(index)) {
                if let Some(position) = positions.get(&pair) {
                    pairs[*position].executing_tests.push(executing);
                }
            }
        }
    }
}

fn add(sum: &mut ColourCounts, usages: &Usages) {
    let usages = crate::observations::by_colour(usages);
    sum.pink += usages.pink;
    sum.white += usages.white;
    sum.blue += usages.blue;
    sum.open += usages.open;
}

fn display_name(test: &KnownTest) -> String {
    match test.unit.class.as_str() {
        "" => test.unit.name.clone(),
        class => format!("{class}.{}", test.unit.name),
    }
}
