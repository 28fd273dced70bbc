//! The order of experiments, and how many there are.
//!
//! The order is a function of the plan: groups with a claim to it come first; then those with few experiments; then by
//! number. Measured time has a say only under a budget: the cheap ones come first, so that it buys the most. A budget is
//! itself a measured time, so which experiments it leaves out never was the same twice; without one every experiment that is
//! needed is run, whatever the order.
//!
//! Within a group, tests that an exception has made wait come last: one that waits for what never happens now does so
//! whichever clause of the same try the exception is for, and often another test decides the group before.

use catchment_verdicts::TestId;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::hash::Hash;

/// An experiment that was in doubt this often runs in a fresh JVM.
const SUSPICIONS: u32 = 2;

/// The name of one experiment among those of a campaign.
pub(crate) trait Key: std::fmt::Debug + Copy + Eq + Hash + Send {
    /// Experiments of one group, those with one pair for example, decide together what is still needed of them.
    fn group(&self) -> usize;

    fn test(&self) -> TestId;
}

/// All that a group needs, and what decides when it is its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Needs<K> {
    pub(crate) group: usize,
    /// Its turn comes before those of groups without a claim to it.
    pub(crate) is_first: bool,
    /// Microseconds that its experiments take, under a budget.
    pub(crate) micros: Option<u64>,
    pub(crate) needed: Vec<K>,
}

/// An experiment that is to be done now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken<K> {
    pub(crate) key: K,
    /// The experiment has been done before, in a worker that did not prove itself.
    pub(crate) is_repeated: bool,
    /// The experiment is to be done in a fresh JVM, after several workers that did not prove themselves.
    pub(crate) is_suspect: bool,
}

/// The experiments that are left to do.
#[derive(Debug)]
pub(crate) struct Queue<K> {
    /// The turn of each group.
    turns: HashMap<usize, usize>,
    /// By turn: what is to be repeated, before anything else is begun. No lane is empty, here or below, and nothing in one
    /// is in flight.
    again: BTreeMap<usize, VecDeque<K>>,
    /// By turn: the rest.
    waiting: BTreeMap<usize, VecDeque<K>>,
    in_flight: HashSet<K>,
    suspicions: HashMap<K, u32>,
    /// Tests that took far longer under injection than without.
    waiters: HashSet<TestId>,
}

impl<K: Key> Queue<K> {
    pub(crate) fn new(mut all: Vec<Needs<K>>) -> Self {
        all.retain(|needs| !needs.needed.is_empty());
        all.sort_by_key(|needs| (!needs.is_first, needs.micros, needs.needed.len(), needs.group));
        let mut queue = Self {
            turns: all.iter().enumerate().map(|(turn, needs)| (needs.group, turn)).collect(),
            again: BTreeMap::new(),
            waiting: BTreeMap::new(),
            in_flight: HashSet::new(),
            suspicions: HashMap::new(),
            waiters: HashSet::new(),
        };
        for needs in all {
            queue.set_needed(needs.group, needs.needed);
        }
        queue
    }

    /// The next experiment, which is in flight from now on.
    pub(crate) fn take(&mut self) -> Option<Taken<K>> {
        let again = self.again.first_entry();
        let mut lane = again.or_else(|| self.waiting.first_entry())?;
        // Another slot that is at work on the same test may be about to say what this one would.
        let busy: HashSet<TestId> = self.in_flight.iter().map(Key::test).collect();
        let is_free = |key: &&K| !self.waiters.contains(&key.test()) && !busy.contains(&key.test());
        let free = lane.get().iter().position(|key| is_free(&key));
        let at_once = free.or_else(|| lane.get().iter().position(|key| !self.waiters.contains(&key.test())));
        let key = lane.get_mut().remove(at_once.unwrap_or(0))?;
        if lane.get().is_empty() {
            lane.remove();
        }
        self.in_flight.insert(key);
        let suspicions = self.suspicions_of(key);
        Some(Taken { key, is_repeated: suspicions > 0, is_suspect: suspicions >= SUSPICIONS })
    }

    /// Further experiments of the same group that have never been done; they are in flight from now on.
    pub(crate) fn take_more(&mut self, group: usize, is_wanted: impl Fn(&K) -> bool) -> Vec<K> {
        let Some(turn) = self.turns.get(&group).copied() else { return Vec::new() };
        let lane = self.waiting.remove(&turn).unwrap_or_default();
        let (taken, left): (VecDeque<_>, VecDeque<_>) = lane.into_iter().partition(is_wanted);
        if !left.is_empty() {
            self.waiting.insert(turn, left);
        }
        self.in_flight.extend(taken.iter().copied());
        taken.into()
    }

    /// An experiment has its outcome, for the time being.
    pub(crate) fn finish(&mut self, key: K) {
        self.in_flight.remove(&key);
    }

    /// An experiment is not begun after all; it counts again when the group's needs are set.
    pub(crate) fn release(&mut self, key: K) {
        self.in_flight.remove(&key);
    }

    /// The outcome of an experiment is worth nothing; it counts when the group's needs are set again.
    pub(crate) fn suspect(&mut self, key: K) {
        *self.suspicions.entry(key).or_default() += 1;
    }

    /// The test has waited long under injection; what other tests say may make it unnecessary to let it wait again.
    pub(crate) fn postpone(&mut self, test: TestId) {
        self.waiters.insert(test);
    }

    /// The group needs these and no others. Those in flight may be among them; they have been begun already.
    pub(crate) fn set_needed(&mut self, group: usize, mut needed: Vec<K>) {
        let last = self.turns.len();
        let turn = *self.turns.entry(group).or_insert(last);
        needed.retain(|key| !self.in_flight.contains(key));
        let (again, waiting): (VecDeque<_>, VecDeque<_>) =
            needed.into_iter().partition(|key| self.suspicions_of(*key) > 0);
        for (lanes, needed) in [(&mut self.again, again), (&mut self.waiting, waiting)] {
            lanes.remove(&turn);
            if !needed.is_empty() {
                lanes.insert(turn, needed);
            }
        }
    }

    fn suspicions_of(&self, key: K) -> u32 {
        self.suspicions.get(&key).copied().unwrap_or(0)
    }

    pub(crate) fn has_work(&self) -> bool {
        !self.again.is_empty() || !self.waiting.is_empty()
    }

    /// Something is still to be repeated.
    pub(crate) fn has_repeats(&self) -> bool {
        !self.again.is_empty()
    }

    /// Number of groups that have needed something.
    pub(crate) fn groups(&self) -> usize {
        self.turns.len()
    }

    /// Of these, groups that still do, as far as is known.
    pub(crate) fn open_groups(&self) -> usize {
        let lanes = self.again.keys().chain(self.waiting.keys()).copied();
        let in_flight = self.in_flight.iter().filter_map(|key| self.turns.get(&key.group()).copied());
        lanes.chain(in_flight).collect::<HashSet<usize>>().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Group and test.
    impl Key for (usize, u32) {
        fn group(&self) -> usize {
            self.0
        }

        fn test(&self) -> TestId {
            TestId(self.1)
        }
    }

    fn needed(group: usize, tests: &[u32]) -> Vec<(usize, u32)> {
        tests.iter().map(|test| (group, *test)).collect()
    }

    fn pair(group: usize, is_first: bool, micros: Option<u64>, tests: &[u32]) -> Needs<(usize, u32)> {
        Needs { group, is_first, micros, needed: needed(group, tests) }
    }

    /// Pair and test of every experiment, in order, each of them finished before the next.
    fn played_out(queue: &mut Queue<(usize, u32)>) -> Vec<(usize, u32)> {
        let mut order = Vec::new();
        while let Some(taken) = queue.take() {
            queue.finish(taken.key);
            order.push(taken.key);
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
    fn a_group_is_open_until_nothing_is_needed_and_again_when_something_has_to_be_repeated() {
        let mut queue = Queue::new(vec![pair(0, true, None, &[1, 2]), pair(1, true, None, &[1, 2, 3])]);
        let mut open = Vec::new();
        for _ in 0..2 {
            let taken = queue.take().unwrap();
            queue.finish(taken.key);
            open.push(queue.open_groups());
        }
        assert_eq!(open, [2, 1]);
        // Both of the first pair were made in a worker that is gone.
        for test in [1, 2] {
            queue.suspect((0, test));
        }
        queue.set_needed(0, needed(0, &[1, 2]));
        assert_eq!(queue.open_groups(), 2);
        queue.set_needed(1, needed(1, &[3]));
        assert_eq!(played_out(&mut queue), [(0, 1), (0, 2), (1, 3)]);
        assert_eq!((queue.groups(), queue.open_groups()), (2, 0));
    }

    #[test]
    fn what_is_in_flight_is_neither_taken_nor_counted_twice() {
        let mut queue = Queue::new(vec![pair(0, true, None, &[1, 2])]);
        let first = queue.take().unwrap();
        // Another worker has learnt something about the pair, and not about this experiment.
        queue.set_needed(0, needed(0, &[1, 2]));
        assert_eq!(queue.open_groups(), 1);
        let second = queue.take().unwrap();
        assert_ne!(first.key, second.key);
        assert!(!queue.has_work());
        assert_eq!(queue.take(), None);
        queue.finish(first.key);
        assert_eq!(queue.open_groups(), 1);
        queue.finish(second.key);
        assert_eq!((queue.open_groups(), queue.take()), (0, None));
    }

    #[test]
    fn experiments_of_one_pair_can_be_taken_together() {
        let mut queue =
            Queue::new(vec![pair(0, true, None, &[1, 2, 3, 4]), pair(1, true, None, &[1, 2, 3, 4, 5])]);
        queue.suspect((0, 4));
        queue.set_needed(0, needed(0, &[1, 2, 3, 4]));
        assert_eq!(queue.take().unwrap().key.1, 4);
        assert_eq!(queue.take().unwrap().key.1, 1);
        let more = queue.take_more(0, |key| key.1 != 2);
        assert_eq!(more, [(0, 3)]);
        assert_eq!((queue.groups(), queue.open_groups()), (2, 2));
        assert_eq!(queue.take().unwrap().key.1, 2);
        assert_eq!(queue.take().unwrap().key.0, 1);
    }

    #[test]
    fn what_is_in_doubt_comes_before_everything_else_and_at_last_runs_in_a_fresh_jvm() {
        let mut queue = Queue::new(vec![pair(0, true, None, &[1, 2]), pair(1, true, None, &[1, 2, 3])]);
        let doubtful = (1, 2);
        let mut seen = Vec::new();
        for _ in 0..3 {
            queue.suspect(doubtful);
            queue.set_needed(1, needed(1, &[1, 2, 3]));
            assert!(queue.has_repeats());
            let taken = queue.take().unwrap();
            assert_eq!((taken.key, taken.is_repeated), (doubtful, true));
            queue.finish(taken.key);
            seen.push(taken.is_suspect);
        }
        assert_eq!(seen, [false, true, true]);
        assert!(!queue.has_repeats());
        assert_eq!(queue.take().unwrap().key.0, 0);
    }
}
