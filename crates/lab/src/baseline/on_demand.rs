//! Plain runs that a verdict turns out to need: a test runs alone just before its first experiment.
//!
//! ```text
//! twice in the warm worker ──fails──► in a JVM of its own: evidence there, order-dependent or flaky
//!        │ passes
//!        ├─ takes far longer than in the suite ──► twice with its class, whose tests then share the experiments
//!        └─ executes the try less often than in the suite ──► in a JVM of its own: once per JVM, or nobody's
//! ```
//!
//! A worker in which the test fails has had other tests, and experiments, before; another worker is asked once.

use crate::baseline::once_per_jvm::{OncePerJvmPair, Stray};
use crate::baseline::shared_contexts;
use crate::baseline::solo::{plain_time_limit, run_fresh, run_twice};
use crate::observations::{Phase, PlainRun, TestNumber};
use crate::session::LabError;
use crate::slot::Slot;
use crate::store::KnownTest;
use crate::trial::ask::AllOrNothing;
use crate::trial::engine::Trials;
use crate::trial::proof::{Keeper, Unproven};
use catchment_protocol::experiment::Sample;
use catchment_verdicts::{CheckedTest, ExecutingTest, TestId};
use std::collections::BTreeSet;
use std::time::Instant;

/// A plain run that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    Alone,
    Fresh,
}

impl Trials<'_, '_> {
    /// Makes the plain runs on which experiments with the test and the pair at `position` rest, and enters in the ledger
    /// what they say. Gives the positions of the pairs of which the test now executes something else than was known;
    /// `None` if nothing was missing.
    pub(crate) fn observe<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        test: TestId,
        position: usize,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<Option<BTreeSet<usize>>, LabError> {
        let Some(missing) = self.missing(test, position) else { return Ok(None) };
        let begun = Instant::now();
        let mut changed = BTreeSet::new();
        match missing {
            Missing::Alone => changed.extend(self.observe_alone(slot, test, unproven)?),
            Missing::Fresh => changed.extend(self.observe_fresh(slot, test)?),
        }
        self.session.stats().solo.add(begun.elapsed().as_secs_f64());
        Ok(Some(changed))
    }

    /// Makes all plain runs on which questions to the test about the pair rest.
    pub(crate) fn observe_fully(
        &self,
        slot: &mut Slot<'_>,
        test: TestId,
        position: usize,
    ) -> Result<(), LabError> {
        let keeper = AllOrNothing::default();
        let mut unproven = Unproven::of(&keeper);
        while self.observe(slot, test, position, &mut unproven)?.is_some() {}
        Ok(())
    }

    /// The same for every test that counts and seems to execute the try.
    pub(crate) fn observe_evidence(&self, slot: &mut Slot<'_>, position: usize) -> Result<(), LabError> {
        let tests: Vec<TestId> = {
            let ledger = self.session.ledger();
            let executing = ledger.checked.pairs[position].executing_tests.iter().map(|each| each.test);
            executing.filter(|test| ledger.checked.tests[test.index()].is_evidence()).collect()
        };
        tests.into_iter().try_for_each(|test| self.observe_fully(slot, test, position))
    }

    fn missing(&self, id: TestId, position: usize) -> Option<Missing> {
        let (number, _) = self.test(id);
        let is_together = || self.baseline.is_together(*number, self.session.number_of(position));
        if !self.baseline.runs().has_run_alone(*number) && !is_together() {
            return Some(Missing::Alone);
        }
        let is_fresh_known = self.baseline.runs().fresh.contains_key(&(*number, 0));
        let ledger = self.session.ledger();
        let mut executing = ledger.checked.pairs[position].executing_tests.iter();
        let executing: Option<&ExecutingTest> = executing.find(|executing| executing.test == id);
        let comes_first = executing.is_some_and(ExecutingTest::comes_first);
        (comes_first && !is_fresh_known).then_some(Missing::Fresh)
    }

    fn observe_alone<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        id: TestId,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<BTreeSet<usize>, LabError> {
        let (number, test) = self.test(id);
        self.prove_before_another(slot, id, unproven)?;
        let is_new = slot.warm_configuration().is_none();
        let mut alone = self.run_alone(slot, id, unproven)?;
        if alone.iter().any(|run| !run.passed()) && !is_new {
            self.replace(slot, slot.warm_configuration().is_none(), unproven)?;
            alone = self.run_alone(slot, id, unproven)?;
        }
        self.baseline.runs_mut().add_solo(*number, test.configuration, &alone);
        let mut changed = self.enter(&[id]);
        if alone.iter().any(|run| !run.passed()) {
            changed.extend(self.observe_fresh(slot, id)?);
        } else if shared_contexts::has_context(&self.baseline.runs(), *number) {
            changed.extend(self.observe_class(slot, id, unproven)?);
        }
        Ok(changed)
    }

    fn run_alone<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        id: TestId,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<Vec<PlainRun>, LabError> {
        let (number, test) = self.test(id);
        let limit = plain_time_limit(self.baseline.longest_micros(*number));
        let solo = self.session.turns.take(|| run_twice(slot, test, limit))?;
        if solo.has_ended {
            // Also if the second run was in another JVM: that one cannot answer for what the first has said.
            unproven.put_back();
        }
        if solo.has_littered && slot.warm_configuration().is_some() && slot.note_litter() {
            // Not between the runs: the second shows what a test does that is not the first in its JVM.
            self.replace(slot, false, unproven)?;
        }
        self.keep(*number, Phase::Solo, &solo.runs, &solo.samples)?;
        Ok(solo.runs)
    }

    fn observe_fresh(&self, slot: &mut Slot<'_>, id: TestId) -> Result<BTreeSet<usize>, LabError> {
        let (number, test) = self.test(id);
        let limit = plain_time_limit(self.baseline.longest_micros(*number));
        let (run, samples) = self.session.turns.take(|| run_fresh(slot, test, limit))?;
        self.keep(*number, Phase::Fresh, std::slice::from_ref(&run), &samples)?;
        self.baseline.runs_mut().fresh.insert((*number, 0), run);
        if !self.baseline.runs().shows_strays(*number, test.configuration) {
            return Ok(self.enter(&[id]));
        }
        // Whoever seemed to execute the try before no longer does.
        Ok(self.enter(&(0..).map(TestId).take(self.baseline.tests.len()).collect::<Vec<_>>()))
    }

    /// Runs the class of the test twice with nothing armed, as its experiments will.
    fn observe_class<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        id: TestId,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<BTreeSet<usize>, LabError> {
        let (_, first) = self.test(id);
        let is_member = |test: &KnownTest| {
            (test.configuration, &test.unit.class) == (first.configuration, &first.unit.class)
        };
        let passes =
            |number: &TestNumber| self.baseline.runs().suite.get(&(*number, 0)).is_some_and(PlainRun::passed);
        let members = (0..).map(TestId).zip(&self.baseline.tests);
        let members: Vec<_> =
            members.filter(|(_, (number, test))| is_member(test) && passes(number)).collect();
        if members.len() < 2 {
            return Ok(BTreeSet::new());
        }
        let of_class: Vec<_> = members.iter().map(|(_, (number, test))| (*number, test)).collect();
        let longest = of_class.iter().map(|(number, _)| self.baseline.longest_micros(*number)).max();
        for ordinal in 0..shared_contexts::RUNS {
            let run = || shared_contexts::run_class(slot, &of_class, longest.unwrap_or(0));
            let runs = self.session.turns.take(run)?;
            if slot.warm_configuration().is_none() {
                unproven.put_back();
            }
            {
                let ledger = self.session.ledger();
                let store = &ledger.store;
                let mut kept = runs.iter();
                store.together(|| {
                    kept.try_for_each(|(test, run)| store.keep_run(*test, Phase::Class, ordinal, run))
                })?;
            }
            let class = runs.into_iter().map(|(test, run)| ((test, ordinal), run));
            self.baseline.runs_mut().class.extend(class);
        }
        Ok(self.enter(&members.iter().map(|(id, _)| *id).collect::<Vec<_>>()))
    }

    fn keep(
        &self,
        number: TestNumber,
        phase: Phase,
        runs: &[PlainRun],
        samples: &[(crate::observations::PairNumber, Sample)],
    ) -> Result<(), LabError> {
        let ledger = self.session.ledger();
        let store = &ledger.store;
        store.together(|| {
            for (ordinal, run) in (0..).zip(runs) {
                store.keep_run(number, phase, ordinal, run)?;
            }
            samples.iter().try_for_each(|(pair, sample)| store.keep_sample(*pair, number, sample))
        })?;
        Ok(())
    }

    /// Enters what the runs now say of these tests in the ledger; the positions of pairs of which they execute something
    /// else than was known, or no longer count.
    fn enter(&self, ids: &[TestId]) -> BTreeSet<usize> {
        let mut ledger = self.session.ledger();
        let checked = &mut ledger.checked;
        let mut changed = BTreeSet::new();
        for id in ids {
            let test: &mut CheckedTest = &mut checked.tests[id.index()];
            let before = test.set_aside.clone();
            self.baseline.describe(*id, self.session.allows_external(), test);
            let is_other_evidence = test.set_aside != before;
            let executions = self.baseline.executions(*id);
            for (position, pair) in checked.pairs.iter_mut().enumerate() {
                let known = pair.executing_tests.binary_search_by_key(id, |executing| executing.test);
                let found = executions.get(&self.session.number_of(position)).copied();
                let is_changed = match (known, found) {
                    (Ok(index), Some(found)) => {
                        std::mem::replace(&mut pair.executing_tests[index], found) != found
                            || is_other_evidence
                    }
                    (Ok(index), None) => {
                        pair.executing_tests.remove(index);
                        true
                    }
                    (Err(index), Some(found)) => {
                        pair.executing_tests.insert(index, found);
                        true
                    }
                    (Err(_), None) => false,
                };
                if is_changed {
                    changed.insert(position);
                }
            }
        }
        changed
    }

    /// Reports threads and other leftovers of tests that executed tries during later tests of the suite.
    pub(crate) fn tell_strays(&self) {
        let strays = self.baseline.runs().strays();
        strays.into_iter().for_each(|(pair, stray)| self.tell_stray(pair, stray));
    }

    fn tell_stray(&self, pair: OncePerJvmPair, stray: Stray) {
        if pair.is_executed_later {
            return;
        }
        let ledger = self.session.ledger();
        let Some(position) = self.session.position_of(pair.pair) else { return };
        let clause = &ledger.checked.pairs[position].clause;
        let seen = self.baseline.runs().seen_in_suite(&self.baseline.tests, pair);
        let left = if stray.by_thread { "a thread" } else { "something" };
        let what = format!(
            "its try was executed while {seen} tests ran in the suite, and by none of {} of them alone: by {left} that \
             another test left behind",
            stray.asked
        );
        self.session.problem(&format!("{}.{}", clause.class, clause.method), &what);
    }
}
