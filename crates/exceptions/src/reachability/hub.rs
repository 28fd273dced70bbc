//! A method that almost every call comes to, and from which most of the program is reached.
//!
//! A method that reaches a *door* reaches the hub, whatever objects are at hand: doors are the hub itself, methods that
//! surely call a door, and methods that come to a door when they are followed with no objects at all.

use super::calls::CallReceivers;
use super::following::State;
use super::sure::sure_callers;
use catchment_pointsto::{InstanceId, MethodId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Budget for finding a hub, as a multiple of the first search's size: there may be none.
const EFFORT_FOR_HUB: usize = 8;
/// Budget for finding doors, as a multiple of the same size.
const EFFORT_FOR_DOORS: usize = 4;
/// A search that visits more instances than this counts as far.
pub(super) const NEAR: usize = 2_000;

pub(super) struct Hub<S> {
    doors: FxHashSet<InstanceId>,
    /// The state of a search that began at the hub.
    state: S,
    /// The methods of what it has come to.
    methods: FxHashSet<MethodId>,
}

impl<S: State> Hub<S> {
    /// A hub for searches like the one that has reached all this.
    pub(super) fn seek(
        empty: &S,
        reached: &FxHashSet<InstanceId>,
        calls: &mut CallReceivers<'_, '_>,
    ) -> Option<Self> {
        let mut candidates = Candidates::new(reached, calls);
        let (start, state) = candidates.hub(empty, reached.len(), calls)?;
        let doors = candidates.doors(empty, start, reached.len(), calls);
        let methods = state.reached().iter().filter_map(|it| calls.method_of(*it)).collect();
        Some(Self { doors, state, methods })
    }

    pub(super) fn doors(&self) -> &FxHashSet<InstanceId> {
        &self.doors
    }

    pub(super) fn state(&self) -> &S {
        &self.state
    }

    pub(super) fn comes_to(&self, method: MethodId) -> bool {
        self.methods.contains(&method)
    }

    /// Follows it a little further; false if there is nothing left to do.
    pub(super) fn step(&mut self, calls: &mut CallReceivers<'_, '_>) -> bool {
        let known = self.state.reached().len();
        let is_further = self.state.step(calls);
        self.methods.extend(self.state.reached()[known..].iter().filter_map(|it| calls.method_of(*it)));
        is_further
    }
}

/// Instances to try, those with the most callers first.
struct Candidates {
    callers: FxHashMap<InstanceId, Vec<InstanceId>>,
    untried: std::vec::IntoIter<InstanceId>,
    /// Candidates that have been followed to their end in vain. More objects never lead to fewer methods, so whatever
    /// was reached on the way is in vain, too.
    vain: FxHashSet<InstanceId>,
}

impl Candidates {
    fn new(reached: &FxHashSet<InstanceId>, calls: &mut CallReceivers<'_, '_>) -> Self {
        let callers = sure_callers(calls);
        let mut untried: Vec<InstanceId> =
            callers.keys().filter(|it| reached.contains(it)).copied().collect();
        untried.sort_unstable_by_key(|instance| (usize::MAX - callers[instance].len(), *instance));
        Self { callers, untried: untried.into_iter(), vain: FxHashSet::default() }
    }

    /// One that leads to most of what the search has come to.
    fn hub<S: State>(
        &mut self,
        empty: &S,
        reached: usize,
        calls: &mut CallReceivers<'_, '_>,
    ) -> Option<(InstanceId, S)> {
        let mut effort = 0;
        while let Some(candidate) = self.untried.next() {
            let most = reached * 3 / 4;
            match self.try_one(empty, candidate, usize::MAX, |state| state.reached().len() >= most, calls) {
                (Some(state), _) => return Some((candidate, state)),
                (None, came_to) => effort += came_to,
            }
            if effort > EFFORT_FOR_HUB * reached {
                break;
            }
        }
        None
    }

    fn doors<S: State>(
        &mut self,
        empty: &S,
        hub: InstanceId,
        reached: usize,
        calls: &mut CallReceivers<'_, '_>,
    ) -> FxHashSet<InstanceId> {
        let mut doors = FxHashSet::default();
        self.open(hub, &mut doors);
        let mut effort = 0;
        while let Some(candidate) = self.untried.next() {
            if doors.contains(&candidate) {
                continue;
            }
            let mut looked_at = 0;
            let is_at_door = |state: &S| {
                let new = &state.reached()[looked_at..];
                looked_at += new.len();
                new.iter().any(|instance| doors.contains(instance))
            };
            let (arrived, came_to) = self.try_one(empty, candidate, NEAR, is_at_door, calls);
            if arrived.is_some() {
                self.open(candidate, &mut doors);
            }
            effort += came_to;
            if effort > EFFORT_FOR_DOORS * reached {
                break;
            }
        }
        doors
    }

    /// A door, and all that surely come to it.
    fn open(&self, door: InstanceId, doors: &mut FxHashSet<InstanceId>) {
        doors.insert(door);
        let mut open = vec![door];
        while let Some(door) = open.pop() {
            let before = self.callers.get(&door).into_iter().flatten();
            open.extend(before.filter(|caller| doors.insert(**caller)));
        }
    }

    /// Follows a candidate with no objects until it has arrived; also how many instances it has come to.
    fn try_one<S: State>(
        &mut self,
        empty: &S,
        candidate: InstanceId,
        far: usize,
        mut has_arrived: impl FnMut(&S) -> bool,
        calls: &mut CallReceivers<'_, '_>,
    ) -> (Option<S>, usize) {
        if self.vain.contains(&candidate) {
            return (None, 0);
        }
        let mut state = empty.empty();
        state.reach(candidate);
        loop {
            let came_to = state.reached().len();
            if has_arrived(&state) {
                return (Some(state), came_to);
            }
            if came_to > far {
                return (None, came_to);
            }
            if !state.step(calls) {
                self.vain.extend(state.reached());
                return (None, came_to);
            }
        }
    }
}
