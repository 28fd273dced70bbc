//! Counters before and after a test.
//!
//! Looking at nine slots of every counter for every test would cost more than many a test. A slot without an owner at
//! the beginning and at the end, and none in between, has not moved: it is not looked at.

use crate::mapping::CounterFile;
use catchment_protocol::counters::{OWNED_SLOTS, SLOTS};
use std::sync::atomic::{AtomicU64, Ordering};

/// Values at the beginning of a test, by slot and counter. Empty for a slot that is not looked at.
#[derive(Debug, Default)]
pub(crate) struct Snapshots {
    values: [Vec<u64>; SLOTS],
}

/// Slots that threads have left since they were last looked at, one bit each.
#[derive(Debug, Default)]
pub(crate) struct LeftSlots(AtomicU64);

impl LeftSlots {
    /// To be called before the slot of the thread is free for others.
    pub(crate) fn thread_ended(&self, thread: u64) {
        let slot = 1 + thread % OWNED_SLOTS as u64;
        self.0.fetch_or(1 << slot, Ordering::SeqCst);
    }

    fn take(&self) -> u64 {
        self.0.swap(0, Ordering::SeqCst)
    }

    fn peek(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

impl Snapshots {
    /// A test begins.
    pub(crate) fn begin(&mut self, counters: &CounterFile, left: &LeftSlots) {
        let count = counters.allocated();
        let moved = slots_in_use(counters) | left.take();
        for (slot, values) in self.values.iter_mut().enumerate() {
            // What has not moved since it was last looked at is still right.
            if moved & (1 << slot) != 0 {
                values.clear();
                values.extend(counters.slot_values(slot, count));
            }
        }
    }

    /// The test has ended: which counters moved since, and by how much.
    pub(crate) fn end(&mut self, counters: &CounterFile, left: &LeftSlots) -> Vec<(u32, u64)> {
        let count = counters.allocated();
        let moved = slots_in_use(counters) | left.peek();
        let mut sums = vec![0u64; count as usize];
        for (slot, before) in self.values.iter().enumerate() {
            if moved & (1 << slot) == 0 {
                continue;
            }
            let before = before.iter().copied().chain(std::iter::repeat(0));
            for ((sum, now), before) in sums.iter_mut().zip(counters.slot_values(slot, count)).zip(before) {
                *sum = sum.wrapping_add(now.wrapping_sub(before));
            }
        }
        (0..count).zip(sums).filter(|(_, sum)| *sum != 0).collect()
    }
}

/// One bit each. To be asked before [`LeftSlots`]: a thread that ends in between is then seen here, and one that ended
/// before is seen there, as it says so before it gives its slot back.
fn slots_in_use(counters: &CounterFile) -> u64 {
    let owned = (1..SLOTS).filter(|slot| counters.owner_of(*slot) != 0);
    owned.fold(1, |bits, slot| bits | 1 << slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters() -> (tempfile::TempDir, CounterFile) {
        let folder = tempfile::tempdir().unwrap();
        let counters = CounterFile::create(&folder.path().join("counters")).unwrap();
        counters.allocate(5000).unwrap();
        (folder, counters)
    }

    #[test]
    fn only_what_moved_since_the_beginning_counts_whichever_slot_it_is_in() {
        let ((_folder, counters), left) = (counters(), LeftSlots::default());
        let mut snapshots = Snapshots::default();
        counters.own(3, 10);
        for (id, slot) in [(7, 0), (7, 3), (4999, 3)] {
            counters.count(id, slot);
        }
        snapshots.begin(&counters, &left);
        assert_eq!(snapshots.end(&counters, &left), []);
        for (id, slot) in [(7, 0), (7, 3), (4999, 3), (8, 3)] {
            counters.count(id, slot);
        }
        assert_eq!(snapshots.end(&counters, &left), [(7, 2), (8, 1), (4999, 1)]);
        snapshots.begin(&counters, &left);
        assert_eq!(snapshots.end(&counters, &left), []);
    }

    #[test]
    fn slots_given_back_during_or_between_tests_are_not_forgotten() {
        let ((_folder, counters), left) = (counters(), LeftSlots::default());
        let mut snapshots = Snapshots::default();
        let run_thread = |thread: u64| {
            let slot = 1 + (thread % OWNED_SLOTS as u64) as usize;
            counters.own(slot, thread);
            counters.count(1, slot);
            left.thread_ended(thread);
            counters.release_slot(thread);
        };
        run_thread(5);
        snapshots.begin(&counters, &left);
        run_thread(5);
        run_thread(6);
        assert_eq!(snapshots.end(&counters, &left), [(1, 2)]);
        run_thread(6);
        snapshots.begin(&counters, &left);
        assert_eq!(snapshots.end(&counters, &left), []);
        run_thread(6);
        assert_eq!(snapshots.end(&counters, &left), [(1, 1)]);
    }

    #[test]
    fn a_thread_that_ends_while_its_counts_are_read_is_not_forgotten() {
        let ((_folder, counters), left) = (counters(), LeftSlots::default());
        let mut snapshots = Snapshots::default();
        let (thread, slot) = (5, 6);
        let turn = AtomicU64::new(0);
        let await_turn = |number: u64| {
            let mut looked = 0u32;
            while turn.load(Ordering::SeqCst) != number {
                looked += 1;
                // Mostly spinning: the other thread is to go on at the same moment.
                if looked.is_multiple_of(2000) { std::thread::yield_now() } else { std::hint::spin_loop() }
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 0..3000 {
                    await_turn(2 * round + 1);
                    left.thread_ended(thread);
                    counters.release_slot(thread);
                    turn.store(2 * round + 2, Ordering::SeqCst);
                }
            });
            let mut lost = 0;
            for round in 0..3000 {
                snapshots.begin(&counters, &left);
                counters.own(slot, thread);
                counters.count(1, slot);
                turn.store(2 * round + 1, Ordering::SeqCst);
                lost += u64::from(snapshots.end(&counters, &left) != [(1, 1)]);
                await_turn(2 * round + 2);
            }
            assert_eq!(lost, 0);
        });
    }

    #[test]
    fn counters_allocated_during_the_test_start_at_zero() {
        let ((_folder, counters), left) = (counters(), LeftSlots::default());
        let mut snapshots = Snapshots::default();
        snapshots.begin(&counters, &left);
        let new = counters.allocate(1).unwrap();
        counters.count(new, 0);
        assert_eq!(snapshots.end(&counters, &left), [(new, 1)]);
    }
}
