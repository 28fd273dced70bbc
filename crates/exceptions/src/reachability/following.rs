//! Follows many calls, and does what they have in common once.
//!
//! In a large program almost every call comes to some method from which half of the JDK is reached. One such method, the *hub*, is
//! followed by itself, with no objects at hand. Whatever call comes to the hub comes to all that the hub comes to, so it is
//! enough to see it arrive. What the hub alone does not come to is looked for beyond it: first for all calls at once, since
//! what they do not come to together none of them does, then call by call.

use super::calls::Calls;
use catchment_pointsto::CallKind;
use catchment_pointsto::heap::Site;
use catchment_pointsto::ids::{InstanceId, MethodId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A search that has come so far is worth a hub.
const MANY: usize = 4_000;
/// So many methods are tried.
const CANDIDATES: usize = 400;
/// They may come to so many times what the search has come to, all together: there may be no hub.
const EFFORT: usize = 8;

/// What a search does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Reached(InstanceId),
    Worked,
    Done,
}

/// The methods that a search has come to.
#[derive(Debug, Clone, Default)]
pub(super) struct Frontier {
    reached: FxHashSet<InstanceId>,
    /// The nearest first: most of what is asked for is near.
    unread: VecDeque<InstanceId>,
}

/// A search under way. More objects to begin with never lead to fewer methods.
pub(super) trait State: Clone {
    /// A search that has not begun.
    fn empty(&self) -> Self;
    /// Begins with what a call hands over.
    fn start(&mut self, calls: &mut Calls<'_, '_>, site: u32);
    fn frontier(&mut self) -> &mut Frontier;
    fn reached(&self) -> &FxHashSet<InstanceId>;
    /// What a method that is reached does by itself.
    fn read(&mut self, instance: InstanceId, calls: &mut Calls<'_, '_>);
    /// Lets some of the new objects have their effects; false if there are none.
    fn work(&mut self, calls: &mut Calls<'_, '_>) -> bool;

    /// Comes to a method, with no objects.
    fn reach(&mut self, instance: InstanceId) {
        let Frontier { reached, unread } = self.frontier();
        if reached.insert(instance) {
            unread.push_back(instance);
        }
    }

    fn step(&mut self, calls: &mut Calls<'_, '_>) -> Step {
        if let Some(instance) = self.frontier().unread.pop_front() {
            self.read(instance, calls);
            Step::Reached(instance)
        } else if self.work(calls) {
            Step::Worked
        } else {
            Step::Done
        }
    }
}

impl Frontier {
    pub(super) fn reached(&self) -> &FxHashSet<InstanceId> {
        &self.reached
    }
}

struct Hub<S> {
    /// The hub, and all from which it is called without any object.
    doors: FxHashSet<InstanceId>,
    /// Where a search that began there has ended.
    state: S,
    methods: FxHashSet<MethodId>,
}

pub(super) struct Following<'h, 'a, S> {
    calls: Calls<'h, 'a>,
    empty: S,
    /// All calls that will be asked about.
    sites: Vec<u32>,
    hub: Option<Hub<S>>,
    is_hub_sought: bool,
    /// Methods that the hub and all calls come to together.
    possible: Option<FxHashSet<MethodId>>,
}

impl<'h, 'a, S: State> Following<'h, 'a, S> {
    pub(super) fn new(calls: Calls<'h, 'a>, empty: S, sites: Vec<u32>) -> Self {
        Self { calls, empty, sites, hub: None, is_hub_sought: false, possible: None }
    }

    /// Which of the wanted methods can be run during this call.
    pub(super) fn found_from(&mut self, site: u32, wanted: &FxHashSet<MethodId>) -> FxHashSet<MethodId> {
        let mut state = self.empty.empty();
        state.start(&mut self.calls, site);
        let doors = self.hub.as_ref().map(|hub| &hub.doors);
        let mut found = FxHashSet::default();
        let comes_to_hub = search(&mut state, &mut self.calls, wanted, &mut found, doors);
        if !comes_to_hub {
            if self.hub.is_none() && state.reached().len() > MANY {
                self.seek_hub(state.reached());
            }
            return found;
        }
        if let Some(hub) = &self.hub {
            found.extend(wanted.intersection(&hub.methods));
        }
        if found.len() < wanted.len() && self.may_find_more(wanted, &found) {
            self.search_beyond(site, wanted, &mut found);
        }
        found
    }

    fn may_find_more(&mut self, wanted: &FxHashSet<MethodId>, found: &FxHashSet<MethodId>) -> bool {
        let Some(hub) = &self.hub else { return true };
        let Self { calls, sites, .. } = self;
        let possible = self.possible.get_or_insert_with(|| {
            let mut state = hub.state.clone();
            for site in sites {
                state.start(calls, *site);
            }
            run(&mut state, calls);
            methods_of(calls, state.reached())
        });
        wanted.difference(found).any(|method| possible.contains(method))
    }

    fn search_beyond(&mut self, site: u32, wanted: &FxHashSet<MethodId>, found: &mut FxHashSet<MethodId>) {
        if let Some(hub) = &self.hub {
            let mut state = hub.state.clone();
            state.start(&mut self.calls, site);
            search(&mut state, &mut self.calls, wanted, found, None);
        }
    }

    /// A method that needs no objects, that many call, and that leads to most of what this search has reached.
    fn seek_hub(&mut self, reached: &FxHashSet<InstanceId>) {
        if std::mem::replace(&mut self.is_hub_sought, true) {
            return;
        }
        let mut callers: FxHashMap<InstanceId, u32> = FxHashMap::default();
        for site in self
            .calls
            .heap
            .sites
            .iter()
            .filter(|site| site.receiver.is_none() && site.kind != CallKind::Thread)
        {
            for target in site.targets.iter().filter(|target| reached.contains(target)) {
                *callers.entry(*target).or_default() += 1;
            }
        }
        let mut candidates: Vec<(u32, InstanceId)> =
            callers.into_iter().map(|(instance, callers)| (callers, instance)).collect();
        candidates.sort_unstable_by(|one, other| other.cmp(one));
        let mut effort = 0;
        for (_, instance) in candidates.into_iter().take(CANDIDATES) {
            let mut state = self.empty.empty();
            state.reach(instance);
            run(&mut state, &mut self.calls);
            if state.reached().len() * 4 >= reached.len() * 3 {
                let methods = methods_of(&self.calls, state.reached());
                let doors = doors_of(&self.calls, instance);
                self.hub = Some(Hub { doors, state, methods });
                return;
            }
            effort += state.reached().len();
            if effort > EFFORT * reached.len() {
                return;
            }
        }
    }
}

fn doors_of(calls: &Calls<'_, '_>, hub: InstanceId) -> FxHashSet<InstanceId> {
    let mut callers: FxHashMap<InstanceId, Vec<InstanceId>> = FxHashMap::default();
    let is_direct = |site: &&Site| site.receiver.is_none() && site.kind != CallKind::Thread;
    for site in calls.heap.sites.iter().filter(is_direct) {
        for target in &site.targets {
            callers.entry(*target).or_default().push(site.caller);
        }
    }
    let mut doors = FxHashSet::from_iter([hub]);
    let mut open = vec![hub];
    while let Some(door) = open.pop() {
        let before = callers.remove(&door).unwrap_or_default();
        open.extend(before.into_iter().filter(|caller| doors.insert(*caller)));
    }
    doors
}

/// Until all that is wanted is found, nothing is left, or a door of the hub is reached: whether one was.
fn search<S: State>(
    state: &mut S,
    calls: &mut Calls<'_, '_>,
    wanted: &FxHashSet<MethodId>,
    found: &mut FxHashSet<MethodId>,
    doors: Option<&FxHashSet<InstanceId>>,
) -> bool {
    while found.len() < wanted.len() {
        match state.step(calls) {
            Step::Reached(instance) => {
                found.extend(calls.method_of(instance).filter(|it| wanted.contains(it)));
                if doors.is_some_and(|doors| doors.contains(&instance)) {
                    return true;
                }
            }
            Step::Worked => {}
            Step::Done => break,
        }
    }
    false
}

fn run<S: State>(state: &mut S, calls: &mut Calls<'_, '_>) {
    while state.step(calls) != Step::Done {}
}

fn methods_of(calls: &Calls<'_, '_>, reached: &FxHashSet<InstanceId>) -> FxHashSet<MethodId> {
    reached.iter().filter_map(|instance| calls.method_of(*instance)).collect()
}
