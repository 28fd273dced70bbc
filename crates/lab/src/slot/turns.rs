//! Turns of slots: tests that want the same port cannot run side by side.
//!
//! The suite runs them one after the other, several slots do not. A test that finds its port taken runs again while all
//! other slots wait, and only the second run counts.

use catchment_protocol::conversation::{Failure, TestRun};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

thread_local! {
    /// This thread has its turn.
    static IS_IN_TURN: Cell<bool> = const { Cell::new(false) };
}

#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// Held shared by a slot that runs a test beside others, exclusively by one whose test needs the machine alone.
    running: RwLock<()>,
    /// Runs that have found a port taken.
    collisions: AtomicU64,
    /// There are other slots.
    has_others: bool,
}

impl Turns {
    pub(crate) fn of_slots(slots: usize) -> Self {
        Self { has_others: slots > 1, ..Self::default() }
    }

    /// Lets `run` run tests, once more and with nobody beside it if some test found its port taken meanwhile. What takes its
    /// turn within a turn is part of that.
    pub(crate) fn take<T, E>(&self, mut run: impl FnMut() -> Result<T, E>) -> Result<T, E> {
        if IS_IN_TURN.replace(true) {
            return run();
        }
        let _turn = Turn;
        let before = self.collisions.load(Ordering::SeqCst);
        {
            let _beside = self.running.read().unwrap_or_else(PoisonError::into_inner);
            let result = run()?;
            if !self.has_others || self.collisions.load(Ordering::SeqCst) == before {
                return Ok(result);
            }
        }
        let _alone = self.running.write().unwrap_or_else(PoisonError::into_inner);
        run()
    }

    pub(crate) fn note(&self, run: &TestRun) {
        if run.failure.as_ref().is_some_and(found_port_taken) {
            self.collisions.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// Ends the turn of this thread however it ends.
struct Turn;

impl Drop for Turn {
    fn drop(&mut self) {
        IS_IN_TURN.set(false);
    }
}

fn found_port_taken(failure: &Failure) -> bool {
    let causes = failure.causes.iter().map(|(exception, _)| exception);
    std::iter::once(&failure.exception).chain(causes).any(|exception| exception == "java.net.BindException")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times_run(turns: &Turns, failure: &Failure) -> u32 {
        let mut times = 0;
        let result: Result<(), ()> = turns.take(|| {
            times += 1;
            turns.note(&TestRun { failure: Some(failure.clone()), ..TestRun::default() });
            Ok(())
        });
        assert_eq!(result, Ok(()));
        times
    }

    #[test]
    fn a_test_whose_port_was_taken_runs_again_if_somebody_ran_beside_it() {
        let bind = "java.net.BindException".to_owned();
        let wrapped = Failure { causes: vec![(bind.clone(), None)], ..Failure::default() };
        let plain = Failure { exception: bind, ..Failure::default() };
        for failure in [&wrapped, &plain] {
            assert_eq!(times_run(&Turns::of_slots(2), failure), 2);
            assert_eq!(times_run(&Turns::of_slots(1), failure), 1);
        }
        assert_eq!(times_run(&Turns::of_slots(2), &Failure::default()), 1);
    }

    #[test]
    fn a_turn_within_a_turn_waits_for_nobody() {
        let turns = Turns::of_slots(2);
        let taken = Failure { exception: "java.net.BindException".to_owned(), ..Failure::default() };
        let mut inner = 0;
        let result: Result<(), ()> = turns.take(|| {
            inner += times_run(&turns, &taken);
            Ok(())
        });
        assert_eq!((result, inner), (Ok(()), 2), "beside others, then alone");
        assert_eq!(times_run(&turns, &taken), 2, "the turn has ended");
    }
}
