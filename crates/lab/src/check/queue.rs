//! Which experiment comes next, and how many there are.
//!
//! The order is a function of the plan: pairs whose clause some test enters come first, as both contracts wait for them;
//! then those with few experiments; then as in [`CheckedProject::pairs`]. Measured time has a say only under a budget: the
//! cheap ones come first, so that it buys the most. A budget is itself a measured time, so which experiments it leaves out
//! never was the same twice; without one every experiment that is needed is run, whatever the order.
//!
//! Within a pair, tests that an exception has made wait come last: one that waits for what never happens now does so whichever
//! clause of the same try the exception is for, and often another test decides the pair before.
//!
//! [`CheckedProject::pairs`]: catchment_verdicts::CheckedProject::pairs

use catchment_verdicts::{Needed, TestId};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// An experiment that was in doubt this often runs in a fresh JVM.
const SUSPICIONS: u32 = 2;

/// One experiment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// Of the pair.
    pub(crate) position: usize,
    pub(crate) test: TestId,
    /// Index into the pair's types.
    pub(crate) exception: usize,
}

impl Key {
    fn of(position: usize, needed: &Needed) -> Self {
        Self { position, test: needed.test, exception: needed.exception }
    }
}

/// All that a pair needs, and what decides when it is its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PairNeeds {
    pub(crate) position: usize,
    /// Some test enters its clause.
    pub(crate) is_entered: bool,
    /// What its experiments take, under a budget.
    pub(crate) micros: Option<u64>,
    pub(crate) needed: Vec<Needed>,
}

/// An experiment that is to be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) key: Key,
    /// It has been done before, in a worker that did not prove itself.
    pub(crate) is_repeated: bool,
    /// That happened so often that it is to be done in a fresh JVM.
    pub(crate) is_suspect: bool,
}

/// What is left to do.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// Positions of pairs; the index is the pair's turn.
    order: Vec<usize>,
    turns: HashMap<usize, usize>,
    /// By turn: what is to be repeated, before anything else is begun. No lane is empty, here or below, and nothing in one
    /// is in flight.
    again: BTreeMap<usize, VecDeque<Needed>>,
    /// By turn: the rest.
    waiting: BTreeMap<usize, VecDeque<Needed>>,
    in_flight: HashSet<Key>,
    suspicions: HashMap<Key, u32>,
    /// Tests that took far longer under injection than without.
    waiters: HashSet<TestId>,
    done: u64,
}

impl Queue {
    pub(crate) fn new(mut pairs: Vec<PairNeeds>) -> Self {
        pairs.retain(|pair| !pair.needed.is_empty());
        pairs.sort_by_key(|pair| (!pair.is_entered, pair.micros, pair.needed.len(), pair.position));
        let order: Vec<_> = pairs.iter().map(|pair| pair.position).collect();
        let turns = order.iter().enumerate().map(|(turn, position)| (*position, turn)).collect();
        let mut queue = Self { order, turns, ..Self::default() };
        for pair in pairs {
            queue.set_needed(pair.position, pair.needed);
        }
        queue
    }

    /// The next experiment, which is in flight from now on.
    pub(crate) fn take(&mut self) -> Option<Taken> {
        let again = self.again.first_entry();
        let mut lane = again.or_else(|| self.waiting.first_entry())?;
        let position = *self.order.get(*lane.key())?;
        let at_once = lane.get().iter().position(|needed| !self.waiters.contains(&needed.test));
        let needed = lane.get_mut().remove(at_once.unwrap_or(0))?;
        if lane.get().is_empty() {
            lane.remove();
        }
        let key = Key::of(position, &needed);
        self.in_flight.insert(key);
        let suspicions = self.suspicions_of(key);
        Some(Taken { key, is_repeated: suspicions > 0, is_suspect: suspicions >= SUSPICIONS })
    }

    /// Further experiments of the same pair that have never been done; they are in flight from now on.
    pub(crate) fn take_more(&mut self, position: usize, is_wanted: impl Fn(&Key) -> bool) -> Vec<Key> {
        let Some(turn) = self.turns.get(&position).copied() else { return Vec::new() };
        let lane = self.waiting.remove(&turn).unwrap_or_default();
        let (taken, left): (VecDeque<_>, VecDeque<_>) =
            lane.into_iter().partition(|needed| is_wanted(&Key::of(position, needed)));
        if !left.is_empty() {
            self.waiting.insert(turn, left);
        }
        let taken: Vec<_> = taken.iter().map(|needed| Key::of(position, needed)).collect();
        self.in_flight.extend(&taken);
        taken
    }

    /// An experiment has its outcome, for the time being.
    pub(crate) fn finish(&mut self, key: Key) {
        if self.in_flight.remove(&key) {
            self.done += 1;
        }
    }

    /// The outcome of an experiment is worth nothing; it counts when the pair's needs are set again.
    pub(crate) fn suspect(&mut self, key: Key) {
        *self.suspicions.entry(key).or_default() += 1;
    }

    /// The test has waited long under injection; what other tests say may make it unnecessary to let it wait again.
    pub(crate) fn postpone(&mut self, test: TestId) {
        self.waiters.insert(test);
    }

    /// The pair needs these and no others. Those in flight may be among them; they have been begun already.
    pub(crate) fn set_needed(&mut self, position: usize, mut needed: Vec<Needed>) {
        let Some(turn) = self.turns.get(&position).copied() else { return };
        needed.retain(|each| !self.in_flight.contains(&Key::of(position, each)));
        let (again, waiting): (VecDeque<_>, VecDeque<_>) =
            needed.into_iter().partition(|each| self.suspicions_of(Key::of(position, each)) > 0);
        for (lanes, needed) in [(&mut self.again, again), (&mut self.waiting, waiting)] {
            lanes.remove(&turn);
            if !needed.is_empty() {
                lanes.insert(turn, needed);
            }
        }
    }

    fn suspicions_of(&self, key: Key) -> u32 {
        self.suspicions.get(&key).copied().unwrap_or(0)
    }

    pub(crate) fn has_work(&self) -> bool {
        !self.again.is_empty() || !self.waiting.is_empty()
    }

    /// Something is still to be repeated.
    pub(crate) fn has_repeats(&self) -> bool {
        !self.again.is_empty()
    }

    /// What is done, under way and to be done. Never less than what is done.
    pub(crate) fn total(&self) -> u64 {
        let lanes = self.again.values().chain(self.waiting.values());
        let left = lanes.map(VecDeque::len).sum::<usize>() + self.in_flight.len();
        self.done + left as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_verdicts::Step;

    fn needed(tests: &[u32]) -> Vec<Needed> {
        tests.iter().map(|test| Needed { test: TestId(*test), exception: 0, step: Step::Run }).collect()
    }

    fn pair(position: usize, is_entered: bool, micros: Option<u64>, tests: &[u32]) -> PairNeeds {
        PairNeeds { position, is_entered, micros, needed: needed(tests) }
    }

    /// Pair and test of every experiment, in order, each of them finished before the next.
    fn played_out(queue: &mut Queue) -> Vec<(usize, u32)> {
        let mut order = Vec::new();
        while let Some(taken) = queue.take() {
            queue.finish(taken.key);
            order.push((taken.key.position, taken.key.test.0));
        }
        order
    }

    #[test]
    fn entered_pairs_come_first_then_those_with_few_experiments() {
        let pairs = || {
            vec![
                pair(0, false, None, &[1]),
                pair(1, true, None, &[1, 2, 3]),
                pair(2, true, None, &[4, 5]),
                pair(3, true, None, &[6, 7]),
                pair(4, true, None, &[]),
            ]
        };
        let expected = [(2, 4), (2, 5), (3, 6), (3, 7), (1, 1), (1, 2), (1, 3), (0, 1)];
        assert_eq!(played_out(&mut Queue::new(pairs())), expected);
        let mut reversed = pairs();
        reversed.reverse();
        assert_eq!(played_out(&mut Queue::new(reversed)), expected);
    }

    #[test]
    fn under_a_budget_the_cheap_ones_come_first() {
        let pairs = vec![pair(0, true, Some(900), &[1]), pair(1, true, Some(20), &[1, 2])];
        assert_eq!(played_out(&mut Queue::new(pairs)), [(1, 1), (1, 2), (0, 1)]);
    }

    #[test]
    fn tests_that_were_made_to_wait_come_last() {
        let mut queue = Queue::new(vec![pair(0, true, None, &[1, 2, 3]), pair(1, true, None, &[1, 2, 3, 4])]);
        queue.postpone(TestId(1));
        queue.postpone(TestId(3));
        let expected = [(0, 2), (0, 1), (0, 3), (1, 2), (1, 4), (1, 1), (1, 3)];
        assert_eq!(played_out(&mut queue), expected);
    }

    #[test]
    fn the_total_grows_with_what_has_to_be_repeated_and_shrinks_with_what_is_not_needed() {
        let mut queue = Queue::new(vec![pair(0, true, None, &[1, 2]), pair(1, true, None, &[1, 2, 3])]);
        assert_eq!(queue.total(), 5);
        for _ in 0..2 {
            let taken = queue.take().unwrap();
            queue.finish(taken.key);
            assert_eq!(queue.total(), 5);
        }
        // Both of the first pair were made in a worker that is gone.
        for test in [1, 2] {
            queue.suspect(Key { position: 0, test: TestId(test), exception: 0 });
        }
        queue.set_needed(0, needed(&[1, 2]));
        assert_eq!(queue.total(), 7);
        queue.set_needed(1, needed(&[3]));
        assert_eq!(queue.total(), 5);
        assert_eq!(played_out(&mut queue), [(0, 1), (0, 2), (1, 3)]);
        assert_eq!((queue.total(), queue.done), (5, 5));
    }

    #[test]
    fn what_is_in_flight_is_neither_taken_nor_counted_twice() {
        let mut queue = Queue::new(vec![pair(0, true, None, &[1, 2])]);
        let first = queue.take().unwrap();
        // Another worker has learnt something about the pair, and not about this experiment.
        queue.set_needed(0, needed(&[1, 2]));
        assert_eq!(queue.total(), 2);
        let second = queue.take().unwrap();
        assert_ne!(first.key, second.key);
        assert!(!queue.has_work());
        assert_eq!(queue.take(), None);
        queue.finish(first.key);
        queue.finish(second.key);
        assert_eq!((queue.total(), queue.take()), (2, None));
    }

    #[test]
    fn experiments_of_one_pair_can_be_taken_together() {
        let mut queue =
            Queue::new(vec![pair(0, true, None, &[1, 2, 3, 4]), pair(1, true, None, &[1, 2, 3, 4, 5])]);
        queue.suspect(Key { position: 0, test: TestId(4), exception: 0 });
        queue.set_needed(0, needed(&[1, 2, 3, 4]));
        assert_eq!(queue.take().unwrap().key.test, TestId(4));
        assert_eq!(queue.take().unwrap().key.test, TestId(1));
        let more = queue.take_more(0, |key| key.test != TestId(2));
        assert_eq!(more.iter().map(|key| key.test.0).collect::<Vec<_>>(), [3]);
        assert_eq!(queue.total(), 9);
        assert_eq!(queue.take().unwrap().key.test, TestId(2));
        assert_eq!(queue.take().unwrap().key.position, 1);
    }

    #[test]
    fn what_is_in_doubt_comes_before_everything_else_and_at_last_runs_in_a_fresh_jvm() {
        let mut queue = Queue::new(vec![pair(0, true, None, &[1, 2]), pair(1, true, None, &[1, 2, 3])]);
        let doubtful = Key { position: 1, test: TestId(2), exception: 0 };
        let mut seen = Vec::new();
        for _ in 0..3 {
            queue.suspect(doubtful);
            queue.set_needed(1, needed(&[1, 2, 3]));
            assert!(queue.has_repeats());
            let taken = queue.take().unwrap();
            assert_eq!((taken.key, taken.is_repeated), (doubtful, true));
            queue.finish(taken.key);
            seen.push(taken.is_suspect);
        }
        assert_eq!(seen, [false, true, true]);
        assert!(!queue.has_repeats());
        assert_eq!(queue.take().unwrap().key.position, 0);
    }
}
