//! Follows many calls, and does what they have in common once.
//!
//! In a large program almost every call comes to some method from which half of the JDK is reached. One such method,
//! the *hub*, is followed by itself, with no objects at hand. Whatever call comes to the hub comes to all that the hub
//! comes to, so it is enough to see it arrive. The hub is followed as far as the questions ask and no further. What it
//! does not come to at all is looked for beyond it, call by call; if that is asked for many calls, first for all at
//! once, since what they do not come to together none of them does.

use super::calls::CallReceivers;
use super::hub::{Hub, NEAR};
use catchment_pointsto::{InstanceId, MethodId, Set};
use rustc_hash::FxHashSet;

/// A search that has come so far is worth a hub.
const MANY: usize = 4_000;

/// The number of calls that are asked one by one; beyond it all are asked at once.
const FEW: usize = 8;

/// The methods that a search has come to.
#[derive(Debug, Clone, Default)]
pub(super) struct Frontier {
    reached: FxHashSet<InstanceId>,
    /// In the order in which it has come to them. The nearest are read first: most of what is asked for is near.
    order: Vec<InstanceId>,
    read: usize,
}

impl Frontier {
    fn next(&mut self) -> Option<InstanceId> {
        let next = self.order.get(self.read).copied();
        self.read += usize::from(next.is_some());
        next
    }
}

/// A search under way. More objects to begin with never lead to fewer methods.
pub(super) trait State: Clone {
    /// A search that has not begun.
    fn empty(&self) -> Self;
    /// Takes what a call hands over to one of its targets, on these receivers if it has any.
    fn enter(
        &mut self,
        calls: &CallReceivers<'_, '_>,
        site: u32,
        target: InstanceId,
        receivers: Option<&Set>,
    );
    fn frontier(&self) -> &Frontier;
    fn frontier_mut(&mut self) -> &mut Frontier;
    /// The effects of a method that is reached, by itself.
    fn read(&mut self, instance: InstanceId, calls: &mut CallReceivers<'_, '_>);
    /// Lets some of the new objects have their effects; false if there are none.
    fn work(&mut self, calls: &mut CallReceivers<'_, '_>) -> bool;

    /// Begins with what a call hands over.
    fn start(&mut self, calls: &mut CallReceivers<'_, '_>, site: u32) {
        let receivers = calls.receivers(site);
        let targets = &calls.heap.sites[site as usize].targets;
        for (target, receivers) in targets.iter().zip(receivers.iter()) {
            if !receivers.as_ref().is_some_and(Set::is_empty) {
                self.reach(*target);
                self.enter(calls, site, *target, receivers.as_ref());
            }
        }
    }

    /// Comes to a method, with no objects.
    fn reach(&mut self, instance: InstanceId) {
        let Frontier { reached, order, .. } = self.frontier_mut();
        if reached.insert(instance) {
            order.push(instance);
        }
    }

    /// All that it has come to.
    fn reached(&self) -> &[InstanceId] {
        &self.frontier().order
    }

    /// Goes a little further; false if there is nothing left to do.
    fn step(&mut self, calls: &mut CallReceivers<'_, '_>) -> bool {
        match self.frontier_mut().next() {
            Some(instance) => {
                self.read(instance, calls);
                true
            }
            None => self.work(calls),
        }
    }
}

/// One call, and the methods that are asked for.
struct Search<S> {
    state: S,
    /// The number of instances that it has come to and that have been looked at.
    looked_at: usize,
    missing: FxHashSet<MethodId>,
}

/// The end of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    AtDoor,
    /// All is found, or there is nothing more.
    Over,
}

impl<S: State> Search<S> {
    fn new(state: S, wanted: &FxHashSet<MethodId>) -> Self {
        Self { state, looked_at: 0, missing: wanted.clone() }
    }

    /// Up to a door of the hub, if there is one.
    fn run(&mut self, calls: &mut CallReceivers<'_, '_>, doors: Option<&FxHashSet<InstanceId>>) -> End {
        loop {
            let is_at_door = self.look(calls, doors);
            if self.missing.is_empty() {
                return End::Over;
            }
            if is_at_door {
                return End::AtDoor;
            }
            if !self.state.step(calls) {
                return End::Over;
            }
        }
    }

    /// Tells whether there is a door among the instances that it has just come to. Nothing that is wanted is missing
    /// any more when it is among them: what is reached will be read.
    fn look(&mut self, calls: &CallReceivers<'_, '_>, doors: Option<&FxHashSet<InstanceId>>) -> bool {
        let new = &self.state.reached()[self.looked_at..];
        for method in new.iter().filter_map(|instance| calls.method_of(*instance)) {
            self.missing.remove(&method);
        }
        let is_at_door = doors.is_some_and(|doors| new.iter().any(|instance| doors.contains(instance)));
        self.looked_at += new.len();
        is_at_door
    }
}

pub(super) struct Following<'h, 'a, S> {
    calls: CallReceivers<'h, 'a>,
    empty: S,
    /// All calls that will be asked about.
    sites: Vec<u32>,
    hub: Option<Hub<S>>,
    is_hub_sought: bool,
    /// The number of calls that have been asked for methods to which the hub does not come.
    beyond: usize,
    /// Methods that the hub and all calls come to together.
    possible: Option<FxHashSet<MethodId>>,
}

impl<'h, 'a, S: State> Following<'h, 'a, S> {
    pub(super) fn new(calls: CallReceivers<'h, 'a>, empty: S, sites: Vec<u32>) -> Self {
        Self { calls, empty, sites, hub: None, is_hub_sought: false, beyond: 0, possible: None }
    }

    /// The wanted methods that can be run during this call.
    pub(super) fn found_from(&mut self, site: u32, wanted: &FxHashSet<MethodId>) -> FxHashSet<MethodId> {
        let mut search = Search::new(self.empty.empty(), wanted);
        search.state.start(&mut self.calls, site);
        let doors = self.hub.as_ref().map(Hub::doors);
        let missing = match search.run(&mut self.calls, doors) {
            End::AtDoor => self.missing_with_hub(search, site),
            End::Over => {
                if !self.is_hub_sought && search.state.reached().len() > MANY {
                    self.is_hub_sought = true;
                    self.hub = Hub::seek(&self.empty, &search.state.frontier().reached, &mut self.calls);
                }
                search.missing
            }
        };
        wanted.difference(&missing).copied().collect()
    }

    /// The wanted methods are near the call, or the hub comes to them: both are followed by turns. The hub has to be
    /// followed to its end only for what is far from the call and from the hub.
    fn missing_with_hub(&mut self, mut search: Search<S>, site: u32) -> FxHashSet<MethodId> {
        let Some(hub) = &mut self.hub else { return search.missing };
        loop {
            search.look(&self.calls, None);
            search.missing.retain(|method| !hub.comes_to(*method));
            if search.missing.is_empty() {
                return search.missing;
            }
            if !hub.step(&mut self.calls) {
                return self.missing_beyond(search.missing, site);
            }
            if search.looked_at < NEAR && !search.state.step(&mut self.calls) {
                return search.missing;
            }
        }
    }

    /// With all that the hub comes to at hand.
    fn missing_beyond(&mut self, missing: FxHashSet<MethodId>, site: u32) -> FxHashSet<MethodId> {
        self.beyond += 1;
        if (self.beyond <= FEW || self.may_find_more(&missing))
            && let Some(hub) = &self.hub
        {
            let mut search = Search::new(hub.state().clone(), &missing);
            search.state.start(&mut self.calls, site);
            search.run(&mut self.calls, None);
            return search.missing;
        }
        missing
    }

    /// Tells whether all calls together come to something that is still missing.
    fn may_find_more(&mut self, missing: &FxHashSet<MethodId>) -> bool {
        let Some(hub) = &self.hub else { return true };
        let Self { calls, sites, .. } = self;
        let possible = self.possible.get_or_insert_with(|| {
            let mut state = hub.state().clone();
            for site in sites {
                state.start(calls, *site);
            }
            while state.step(calls) {}
            state.reached().iter().filter_map(|instance| calls.method_of(*instance)).collect()
        });
        missing.iter().any(|method| possible.contains(method))
    }
}
