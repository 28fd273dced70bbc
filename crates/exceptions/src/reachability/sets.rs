//! `dr`, `cdr` and `mdr`: one set of objects for everything, for each class, or for each method.
//!
//! A set begins with what a call hands over. Reached methods put in what they make and what they read from static
//! fields, and everything that the fields they read lead to from objects of the set. A call is followed when one of its
//! receivers is in the set; then objects that fit the callee's parameters go to its set, and those that fit what it
//! returns come back.

use super::calls::{CallReceivers, Receivers};
use super::following::{Frontier, State};
use super::matching::{Mask, Matching};
use catchment_pointsto::{CallKind, Set};
use catchment_pointsto::{Heap, Part, number_of};
use catchment_pointsto::{InstanceId, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// The unit that has a set of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Division {
    None,
    Classes,
    Methods,
}

/// A set of objects, and what waits for them.
#[derive(Clone, Default)]
struct Pool {
    objects: Set,
    /// Objects that nobody has been told of yet.
    fresh: Set,
    is_queued: bool,
    /// Numbers of the fields that are read here.
    fields: FxHashSet<u32>,
    reads_anything: bool,
    /// Sets of the analysis that are wholly in it.
    taken: FxHashSet<usize>,
    waiting: Vec<Waiting>,
    ways: Ways,
    wide: WideWays,
    linked: FxHashSet<InstanceId>,
}

/// A target that is called as soon as one of its receivers is there.
#[derive(Clone)]
struct Waiting {
    site: u32,
    target: usize,
    receivers: Receivers,
}

/// Ways of the objects of a set, by the gate they have to pass: most new objects fit few types, and then none of the
/// many ways behind the other types has to be looked at.
#[derive(Clone, Default)]
struct Ways {
    groups: Vec<Group>,
    by_gate: FxHashMap<GateKey, u32>,
}

/// Ways of every object of a set: through collections, for instance. That costs most and leads to least, so it waits
/// until there is nothing else to do, and much of it goes at once.
#[derive(Clone, Default)]
struct WideWays {
    to: Vec<u32>,
    /// The number of ways that have been gone.
    gone: usize,
    /// Objects that have yet to go there.
    fresh: Set,
    is_queued: bool,
}

#[derive(Clone)]
struct Group {
    gate: Gate,
    to: Vec<u32>,
}

/// A condition that lets some objects through.
#[derive(Clone)]
enum Gate {
    Type(Rc<Set>),
    Receivers(Receivers, usize),
    /// Thrown objects.
    Node(NodeId),
}

/// Gates with the same key let the same through.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum GateKey {
    Type(*const Set),
    Receivers(*const Option<Set>, usize),
    Held(usize),
}

/// The sets of one search.
#[derive(Clone)]
pub(super) struct Sets {
    matching: Rc<RefCell<Matching>>,
    /// By instance.
    pool_of: Rc<[u32]>,
    pools: Vec<Option<Box<Pool>>>,
    frontier: Frontier,
    queue: VecDeque<u32>,
    wide_queue: VecDeque<u32>,
}

impl State for Sets {
    fn empty(&self) -> Self {
        Self {
            matching: Rc::clone(&self.matching),
            pool_of: Rc::clone(&self.pool_of),
            pools: vec![None; self.pools.len()],
            frontier: Frontier::default(),
            queue: VecDeque::new(),
            wide_queue: VecDeque::new(),
        }
    }

    fn enter(
        &mut self,
        calls: &CallReceivers<'_, '_>,
        site: u32,
        target: InstanceId,
        receivers: Option<&Set>,
    ) {
        let pool = self.pool_of[target.index()];
        if let Some(receivers) = receivers {
            self.add(pool, receivers);
        }
        for argument in calls.heap.sites[site as usize].arguments.iter().flatten() {
            self.add(pool, calls.heap.objects(*argument));
        }
    }

    fn frontier(&self) -> &Frontier {
        &self.frontier
    }

    fn frontier_mut(&mut self) -> &mut Frontier {
        &mut self.frontier
    }

    fn read(&mut self, instance: InstanceId, calls: &mut CallReceivers<'_, '_>) {
        let heap = calls.heap;
        let pool = self.pool_of[instance.index()];
        let made = heap.makes.of(instance.0).iter().map(|(_, object)| *object).collect();
        self.add(pool, &made);
        for (from, to) in heap.inflows.of(instance.0) {
            let mut objects = Set::default();
            objects.add_filtered(heap.objects(*from), heap.objects(*to), true, &mut Set::default());
            self.add(pool, &objects);
        }
        for part in heap.reads.of(instance.0) {
            self.read_part(pool, *part, heap);
        }
        for site in heap.sites_of(instance) {
            if heap.sites[site].kind != CallKind::Thread {
                self.call(pool, site as u32, calls);
            }
        }
    }

    fn work(&mut self, calls: &mut CallReceivers<'_, '_>) -> bool {
        if let Some(pool) = self.queue.pop_front() {
            self.tell(pool, calls);
        } else if let Some(pool) = self.wide_queue.pop_front() {
            self.go_wide_ways(pool);
        } else {
            return false;
        }
        true
    }
}

impl Sets {
    pub(super) fn new(calls: &CallReceivers<'_, '_>, division: Division) -> Self {
        let pool_of: Rc<[u32]> = (0..calls.instances.len() as u32)
            .map(|number| match (division, calls.method_of(InstanceId(number))) {
                (Division::None, _) => 0,
                (Division::Methods, _) => number,
                // Hidden classes have one method each; their numbers lie behind those of the classes.
                (Division::Classes, None) => calls.world.classes() as u32 + number,
                (Division::Classes, Some(method)) => calls.world.method(method).class.0,
            })
            .collect();
        let count = pool_of.iter().max().map_or(0, |last| *last as usize + 1);
        Self {
            matching: Rc::new(RefCell::new(Matching::new(calls))),
            pool_of,
            pools: vec![None; count],
            frontier: Frontier::default(),
            queue: VecDeque::new(),
            wide_queue: VecDeque::new(),
        }
    }

    fn pool(&mut self, number: u32) -> &mut Pool {
        self.pools[number as usize].get_or_insert_default()
    }

    fn add(&mut self, pool: u32, objects: &Set) {
        let own = self.pools[pool as usize].get_or_insert_default();
        if own.objects.add_all(objects, &mut own.fresh) {
            enqueue(own, pool, &mut self.queue);
        }
    }

    /// All that a node can hold. Once is enough.
    fn take(&mut self, pool: u32, node: NodeId, heap: &Heap) {
        if self.pool(pool).taken.insert(heap.set_of(node)) {
            self.add(pool, heap.objects(node));
        }
    }

    fn read_part(&mut self, pool: u32, part: Part, heap: &Heap) {
        let own = self.pool(pool);
        match number_of(part) {
            Some(number) if own.fields.insert(number) => {
                for (object, node) in heap.holders(number) {
                    if self.pool(pool).objects.contains(*object) {
                        self.take(pool, *node, heap);
                    }
                }
            }
            None if !own.reads_anything => {
                own.reads_anything = true;
                let objects = own.objects.clone();
                self.look_into(pool, &objects, heap);
            }
            _ => {}
        }
    }

    /// Objects in the fields of these objects that are read.
    fn look_into(&mut self, pool: u32, objects: &Set, heap: &Heap) {
        for object in objects.iter() {
            for (number, node) in heap.parts_of(object) {
                let own = self.pool(pool);
                if own.reads_anything || own.fields.contains(number) {
                    self.take(pool, *node, heap);
                }
            }
        }
    }

    fn call(&mut self, pool: u32, site: u32, calls: &mut CallReceivers<'_, '_>) {
        let receivers = calls.receivers(site);
        for target in 0..receivers.len() {
            let waiting = Waiting { site, target, receivers: Rc::clone(&receivers) };
            let is_called = receivers[target]
                .as_ref()
                .is_none_or(|receivers| receivers.intersects(&self.pool(pool).objects));
            if is_called {
                self.link(pool, &waiting, calls);
            } else {
                self.pool(pool).waiting.push(waiting);
            }
        }
    }

    fn link(&mut self, pool: u32, call: &Waiting, calls: &mut CallReceivers<'_, '_>) {
        let heap = calls.heap;
        let target = heap.sites[call.site as usize].targets[call.target];
        self.reach(target);
        let to = self.pool_of[target.index()];
        if pool == to {
            return;
        }
        if call.receivers[call.target].is_some() {
            self.add_way(pool, to, Gate::Receivers(Rc::clone(&call.receivers), call.target), heap);
        }
        if self.pool(pool).linked.insert(target) {
            let parameters = self.matching.borrow_mut().parameters_of(target, calls);
            let returned = self.matching.borrow_mut().returned_of(target, calls);
            self.add_ways(pool, to, &parameters, heap);
            self.add_ways(to, pool, &returned, heap);
            let thrown = heap.frame(target).thrown;
            if !heap.objects(thrown).is_empty() {
                self.add_way(to, pool, Gate::Node(thrown), heap);
            }
        }
    }

    fn add_ways(&mut self, from: u32, to: u32, mask: &Mask, heap: &Heap) {
        match mask {
            Mask::Everything => {
                self.pool(from).wide.to.push(to);
                self.enqueue_wide(from);
            }
            Mask::OneOf(sets) => {
                for set in sets {
                    self.add_way(from, to, Gate::Type(Rc::clone(set)), heap);
                }
            }
        }
    }

    fn add_way(&mut self, from: u32, to: u32, gate: Gate, heap: &Heap) {
        let objects = std::mem::take(&mut self.pool(from).objects);
        let passed = gate.passed_by(&objects, heap);
        self.add(to, &passed);
        let own = self.pool(from);
        own.objects = objects;
        own.ways.add(gate, to, heap);
    }

    /// Lets new objects of a set have their effects.
    fn tell(&mut self, pool: u32, calls: &mut CallReceivers<'_, '_>) {
        let own = self.pool(pool);
        own.is_queued = false;
        let fresh = std::mem::take(&mut own.fresh);
        let ways = std::mem::take(&mut own.ways);
        let waiting = std::mem::take(&mut own.waiting);
        for group in &ways.groups {
            let passed = group.gate.passed_by(&fresh, calls.heap);
            if !passed.is_empty() {
                group.to.iter().for_each(|to| self.add(*to, &passed));
            }
        }
        let own = self.pool(pool);
        own.ways = ways;
        let is_called =
            |it: &Waiting| it.receivers[it.target].as_ref().is_none_or(|it| it.intersects(&fresh));
        let (called, waiting): (Vec<Waiting>, Vec<Waiting>) = waiting.into_iter().partition(is_called);
        own.waiting = waiting;
        if own.wide.gone > 0 {
            own.wide.fresh.add_all(&fresh, &mut Set::default());
            self.enqueue_wide(pool);
        }
        for call in &called {
            self.link(pool, call, calls);
        }
        self.look_into(pool, &fresh, calls.heap);
    }

    fn enqueue_wide(&mut self, pool: u32) {
        let wide = &mut self.pool(pool).wide;
        if !std::mem::replace(&mut wide.is_queued, true) {
            self.wide_queue.push_back(pool);
        }
    }

    fn go_wide_ways(&mut self, pool: u32) {
        let own = self.pool(pool);
        let mut wide = std::mem::take(&mut own.wide);
        let objects = std::mem::take(&mut own.objects);
        let (old, new) = wide.to.split_at(wide.gone);
        old.iter().for_each(|to| self.add(*to, &wide.fresh));
        new.iter().for_each(|to| self.add(*to, &objects));
        wide.gone = wide.to.len();
        wide.fresh = Set::default();
        wide.is_queued = false;
        let own = self.pool(pool);
        own.objects = objects;
        own.wide = wide;
    }
}

impl Ways {
    fn add(&mut self, gate: Gate, to: u32, heap: &Heap) {
        let groups = &mut self.groups;
        let at = *self.by_gate.entry(gate.key(heap)).or_insert_with(|| {
            groups.push(Group { gate, to: Vec::new() });
            groups.len() as u32 - 1
        });
        groups[at as usize].to.push(to);
    }
}

impl Gate {
    fn key(&self, heap: &Heap) -> GateKey {
        match self {
            Self::Type(set) => GateKey::Type(Rc::as_ptr(set)),
            Self::Receivers(receivers, target) => GateKey::Receivers(receivers.as_ptr(), *target),
            Self::Node(node) => GateKey::Held(heap.set_of(*node)),
        }
    }

    /// Objects that the filter lets through.
    fn passed_by(&self, objects: &Set, heap: &Heap) -> Set {
        let through = match self {
            Self::Type(set) => Some(&**set),
            Self::Receivers(receivers, target) => receivers[*target].as_ref(),
            Self::Node(node) => Some(heap.objects(*node)),
        };
        let mut passed = Set::default();
        if let Some(through) = through {
            passed.add_common(objects, through);
        }
        passed
    }
}

fn enqueue(pool: &mut Pool, number: u32, queue: &mut VecDeque<u32>) {
    if !pool.is_queued {
        pool.is_queued = true;
        queue.push_back(number);
    }
}
