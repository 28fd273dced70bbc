//! Warm workers prove that they still are what they were; until then what they say is provisional.
//!
//! An experiment may leave something behind in its JVM that lets later ones pass, or fail, wrongly. So from time to time a
//! worker runs a test with nothing armed, a sentinel. Only when that passes do the results since the last one count, and
//! only then are they written to the store: whoever is killed before does them again. A worker that fails its sentinel, or
//! ends without one, takes its provisional results with it; they are repeated in another worker, which then has to prove
//! itself at once, and in the end in fresh JVMs. What a fresh JVM has confirmed or refuted needs no proof.

use crate::baseline::solo::run_plain;
use crate::session::LabError;
use crate::slot::Slot;
use crate::trial::engine::Trials;
use catchment_verdicts::TestId;
use std::time::Instant;

/// A worker proves itself after this many experiments at the latest.
const MOST_RESULTS: usize = 50;
/// A worker proves itself once its unproven results have taken this long: more is not lost when it dies.
const LONGEST_MICROS: u64 = 30_000_000;
/// But not before they have taken so many times what the proof will take.
const WORTH_A_PROOF: u64 = 10;

/// The owner of provisional results.
pub(crate) trait Keeper {
    type Result;

    /// These results stand.
    fn keep(&self, proven: Vec<Self::Result>) -> Result<(), LabError>;

    /// The worker is gone, or not to be trusted, and with it these results.
    fn put_back(&self, lost: Vec<Self::Result>);
}

/// Results of a slot's warm worker since it last proved itself.
pub(crate) struct Unproven<'k, K: Keeper> {
    keeper: &'k K,
    results: Vec<K::Result>,
    /// The test that ran last.
    last_test: Option<TestId>,
    micros: u64,
    /// The worker is to be replaced once it has proven itself.
    is_condemned: bool,
}

impl<'k, K: Keeper> Unproven<'k, K> {
    pub(crate) fn of(keeper: &'k K) -> Self {
        Self { keeper, results: Vec::new(), last_test: None, micros: 0, is_condemned: false }
    }

    pub(crate) fn add(&mut self, test: TestId, micros: u64, result: K::Result) {
        self.micros += micros;
        self.last_test = Some(test);
        self.results.push(result);
    }

    /// Something is wrong with the worker, though not with what it has said.
    pub(crate) fn condemn(&mut self) {
        self.is_condemned = true;
    }

    /// `sentinel_micros` is what the proof will take.
    fn is_due(&self, sentinel_micros: u64) -> bool {
        self.is_condemned
            || self.results.len() >= MOST_RESULTS
            || self.micros >= LONGEST_MICROS.max(sentinel_micros.saturating_mul(WORTH_A_PROOF))
    }

    fn take(&mut self) -> Vec<K::Result> {
        std::mem::replace(self, Self::of(self.keeper)).results
    }

    /// The worker is gone, or not to be trusted.
    pub(crate) fn put_back(&mut self) {
        let lost = self.take();
        if !lost.is_empty() {
            self.keeper.put_back(lost);
        }
    }
}

impl Trials<'_, '_> {
    /// A slot has one warm worker, and workers are per configuration: it may have to go for this test.
    pub(crate) fn prove_before_another<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        test: TestId,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<(), LabError> {
        if slot.warm_configuration() == Some(self.test(test).1.configuration) {
            return Ok(());
        }
        self.prove_last(slot, unproven)
    }

    /// The worker will not do for another test, which need not mean that what it has said is wrong.
    pub(crate) fn replace<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        has_ended: bool,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<(), LabError> {
        if !has_ended {
            self.prove_last(slot, unproven)?;
        }
        slot.discard();
        unproven.put_back();
        Ok(())
    }

    /// Something doubtful makes a proof due at once.
    pub(crate) fn prove_if_due<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        doubtful: Option<TestId>,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<(), LabError> {
        let Some(test) = doubtful.or(unproven.last_test) else { return self.prove_last(slot, unproven) };
        if doubtful.is_some() || unproven.is_due(self.micros_of(test)) {
            self.prove(slot, test, unproven)?;
        }
        Ok(())
    }

    pub(crate) fn prove_last<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<(), LabError> {
        match unproven.last_test {
            Some(test) => self.prove(slot, test, unproven)?,
            None if unproven.is_condemned => {
                slot.discard();
                unproven.take();
            }
            None => {}
        }
        Ok(())
    }

    /// Runs the test with nothing armed. If it does not pass any more, nothing since the last proof counts.
    fn prove<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        test: TestId,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<(), LabError> {
        let (_, known) = self.test(test);
        if slot.warm_configuration() != Some(known.configuration) {
            unproven.put_back();
            return Ok(());
        }
        let begun = Instant::now();
        let limit = self.plain_limit(test);
        let ((plain, _), _) =
            self.session.turns.take(|| run_plain(slot.warm(known.configuration)?, known, limit))?;
        self.session.stats().sentinels.add(begun.elapsed().as_secs_f64());
        if !plain.passed() {
            slot.discard();
            unproven.put_back();
            return Ok(());
        }
        if unproven.is_condemned {
            slot.discard();
        }
        let keeper = unproven.keeper;
        keeper.keep(unproven.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ignorant;

    impl Keeper for Ignorant {
        type Result = ();

        fn keep(&self, _: Vec<()>) -> Result<(), LabError> {
            Ok(())
        }

        fn put_back(&self, _: Vec<()>) {}
    }

    fn unproven(count: usize, micros: u64) -> Unproven<'static, Ignorant> {
        let mut unproven = Unproven::of(&Ignorant);
        (0..count).for_each(|_| unproven.add(TestId(0), micros, ()));
        unproven
    }

    #[test]
    fn a_proof_is_due_after_many_results_or_much_time_but_not_at_any_price() {
        let second = 1_000_000;
        assert!(!unproven(49, 10).is_due(10));
        assert!(unproven(50, 10).is_due(10));
        assert!(!unproven(29, second).is_due(second));
        assert!(unproven(30, second).is_due(second));
        assert!(!unproven(9, 5 * second).is_due(5 * second));
        assert!(unproven(10, 5 * second).is_due(5 * second));
        assert!(!unproven(0, 0).is_due(0));
    }

    #[test]
    fn a_condemned_worker_proves_itself_at_once() {
        let mut unproven = unproven(1, 1);
        unproven.condemn();
        assert!(unproven.is_due(1));
    }
}
