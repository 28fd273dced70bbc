//! `dr`, `cdr` and `mdr`: one set of objects for everything, for each class, or for each method.
//!
//! A set begins with what a call hands over. Reached methods put in what they make and what they read from static fields, and
//! everything that the fields they read lead to from objects of the set. A call is followed when one of its receivers is in
//! the set; then objects that fit the callee's parameters go to its set, and those that fit what it returns come back.

use super::calls::{Calls, Receivers};
use super::following::{Frontier, State};
use super::matching::{Mask, Matching};
use catchment_pointsto::heap::{Heap, Part, number_of};
use catchment_pointsto::ids::{InstanceId, NodeId};
use catchment_pointsto::{CallKind, Set};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

/// What has a set of its own.
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
    /// What nobody has been told of yet.
    fresh: Set,
    is_queued: bool,
    /// Numbers of the fields that are read here.
    fields: FxHashSet<u32>,
    reads_anything: bool,
    /// Sets of the analysis that are wholly in it.
    taken: FxHashSet<usize>,
    waiting: Vec<Waiting>,
    ways: Vec<Way>,
    linked: FxHashSet<InstanceId>,
}

/// A target that is called as soon as one of its receivers is there.
#[derive(Clone)]
struct Waiting {
    site: u32,
    target: usize,
    receivers: Receivers,
}

/// Where objects of a set go.
#[derive(Clone)]
struct Way {
    to: u32,
    through: Through,
}

#[derive(Clone)]
enum Through {
    Types(Rc<Mask>),
    Receivers(Receivers, usize),
    /// What is thrown.
    Node(NodeId),
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
}

impl State for Sets {
    fn empty(&self) -> Self {
        Self {
            matching: Rc::clone(&self.matching),
            pool_of: Rc::clone(&self.pool_of),
            pools: vec![None; self.pools.len()],
            frontier: Frontier::default(),
            queue: VecDeque::new(),
        }
    }

    fn start(&mut self, calls: &mut Calls<'_, '_>, site: u32) {
        let heap = calls.heap;
        let receivers = calls.receivers(site);
        let call = &heap.sites[site as usize];
        for (target, receivers) in call.targets.iter().zip(receivers.iter()) {
            if receivers.as_ref().is_some_and(Set::is_empty) {
                continue;
            }
            self.reach(*target);
            let pool = self.pool_of[target.index()];
            if let Some(receivers) = receivers {
                self.add(pool, receivers);
            }
            for argument in call.arguments.iter().flatten() {
                self.add(pool, heap.objects(*argument));
            }
        }
    }

    fn frontier(&mut self) -> &mut Frontier {
        &mut self.frontier
    }

    fn reached(&self) -> &FxHashSet<InstanceId> {
        self.frontier.reached()
    }

    fn read(&mut self, instance: InstanceId, calls: &mut Calls<'_, '_>) {
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

    fn work(&mut self, calls: &mut Calls<'_, '_>) -> bool {
        let next = self.queue.pop_front();
        next.is_some_and(|pool| {
            self.tell(pool, calls);
            true
        })
    }
}

impl Sets {
    pub(super) fn new(calls: &Calls<'_, '_>, division: Division) -> Self {
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

    /// What the fields that are read lead to from these objects.
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

    fn call(&mut self, pool: u32, site: u32, calls: &mut Calls<'_, '_>) {
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

    fn link(&mut self, pool: u32, call: &Waiting, calls: &mut Calls<'_, '_>) {
        let heap = calls.heap;
        let target = heap.sites[call.site as usize].targets[call.target];
        self.reach(target);
        let to = self.pool_of[target.index()];
        if pool == to {
            return;
        }
        if call.receivers[call.target].is_some() {
            let through = Through::Receivers(Rc::clone(&call.receivers), call.target);
            self.add_way(pool, Way { to, through }, heap);
        }
        if self.pool(pool).linked.insert(target) {
            let parameters = self.matching.borrow_mut().parameters_of(target, calls);
            let returned = self.matching.borrow_mut().returned_of(target, calls);
            self.add_way(pool, Way { to, through: Through::Types(parameters) }, heap);
            self.add_way(to, Way { to: pool, through: Through::Types(returned) }, heap);
            self.add_way(to, Way { to: pool, through: Through::Node(heap.frame(target).thrown) }, heap);
        }
    }

    fn add_way(&mut self, from: u32, way: Way, heap: &Heap) {
        if let Through::Types(mask) = &way.through
            && matches!(&**mask, Mask::OneOf(sets) if sets.is_empty())
        {
            return;
        }
        let objects = std::mem::take(&mut self.pool(from).objects);
        self.go(&objects, &way, heap);
        self.pool(from).objects = objects;
        self.pool(from).ways.push(way);
    }

    fn go(&mut self, objects: &Set, way: &Way, heap: &Heap) {
        let to = &mut **self.pools[way.to as usize].get_or_insert_default();
        let mut add = |mask: &Set| to.objects.add_filtered(objects, mask, true, &mut to.fresh);
        let is_changed = match &way.through {
            Through::Receivers(receivers, target) => receivers[*target].as_ref().is_some_and(&mut add),
            Through::Node(node) => add(heap.objects(*node)),
            Through::Types(mask) => match &**mask {
                Mask::OneOf(sets) => {
                    let mut is_changed = false;
                    for mask in sets {
                        is_changed |= add(mask);
                    }
                    is_changed
                }
                Mask::Everything => to.objects.add_all(objects, &mut to.fresh),
            },
        };
        if is_changed {
            enqueue(to, way.to, &mut self.queue);
        }
    }

    /// Lets new objects of a set have their effects.
    fn tell(&mut self, pool: u32, calls: &mut Calls<'_, '_>) {
        let own = self.pool(pool);
        own.is_queued = false;
        let fresh = std::mem::take(&mut own.fresh);
        let ways = std::mem::take(&mut own.ways);
        let waiting = std::mem::take(&mut own.waiting);
        for way in &ways {
            self.go(&fresh, way, calls.heap);
        }
        let own = self.pool(pool);
        own.ways = ways;
        let is_called =
            |it: &Waiting| it.receivers[it.target].as_ref().is_none_or(|it| it.intersects(&fresh));
        let (called, waiting): (Vec<Waiting>, Vec<Waiting>) = waiting.into_iter().partition(is_called);
        own.waiting = waiting;
        for call in &called {
            self.link(pool, call, calls);
        }
        self.look_into(pool, &fresh, calls.heap);
    }
}

fn enqueue(pool: &mut Pool, number: u32, queue: &mut VecDeque<u32>) {
    if !pool.is_queued {
        pool.is_queued = true;
        queue.push_back(number);
    }
}
