//! `dr`, `cdr` and `mdr`: one set of objects for everything, for each class, or for each method.
//!
//! A set begins with what a call hands over. Reached methods put in what they make and what they read from static fields, and
//! everything that the fields they read lead to from objects of the set. A call is followed when one of its receivers is in
//! the set; then objects that fit the callee's parameters go to its set, and those that fit what it returns come back.

use super::Follow;
use super::calls::{Calls, Receivers};
use super::matching::{Mask, Matching};
use catchment_pointsto::heap::{Part, number_of};
use catchment_pointsto::ids::{InstanceId, MethodId, NodeId};
use catchment_pointsto::{CallKind, Set};
use rustc_hash::FxHashSet;
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
#[derive(Default)]
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

pub(super) struct Sets<'h, 'a> {
    calls: Calls<'h, 'a>,
    matching: Matching,
    /// By instance.
    pool_of: Vec<u32>,
    pools: Vec<Pool>,
    touched: Vec<u32>,
    reached: FxHashSet<InstanceId>,
    unread: Vec<InstanceId>,
    queue: VecDeque<u32>,
}

impl Follow for Sets<'_, '_> {
    fn found_from(&mut self, site: u32, wanted: &FxHashSet<MethodId>) -> FxHashSet<MethodId> {
        self.forget();
        self.start(site);
        let mut found = FxHashSet::default();
        while found.len() < wanted.len() {
            if let Some(instance) = self.unread.pop() {
                found.extend(self.calls.method_of(instance).filter(|it| wanted.contains(it)));
                self.read(instance);
            } else if let Some(pool) = self.queue.pop_front() {
                self.tell(pool);
            } else {
                break;
            }
        }
        found
    }
}

impl<'h, 'a> Sets<'h, 'a> {
    pub(super) fn new(calls: Calls<'h, 'a>, division: Division) -> Self {
        let pool_of: Vec<u32> = (0..calls.instances.len() as u32)
            .map(|number| match (division, calls.method_of(InstanceId(number))) {
                (Division::None, _) => 0,
                (Division::Methods, _) => number,
                // Hidden classes have one method each; their numbers lie behind those of the classes.
                (Division::Classes, None) => calls.world.classes() as u32 + number,
                (Division::Classes, Some(method)) => calls.world.method(method).class.0,
            })
            .collect();
        let count = pool_of.iter().max().map_or(0, |last| *last as usize + 1);
        let pools = (0..count).map(|_| Pool::default()).collect();
        let matching = Matching::new(&calls);
        Self {
            calls,
            matching,
            pool_of,
            pools,
            touched: Vec::new(),
            reached: FxHashSet::default(),
            unread: Vec::new(),
            queue: VecDeque::new(),
        }
    }

    fn forget(&mut self) {
        for pool in self.touched.drain(..) {
            self.pools[pool as usize] = Pool::default();
        }
        self.reached.clear();
        self.unread.clear();
        self.queue.clear();
    }

    fn start(&mut self, site: u32) {
        let heap = self.calls.heap;
        let receivers = self.calls.receivers(site);
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

    fn reach(&mut self, instance: InstanceId) {
        if self.reached.insert(instance) {
            self.touched.push(self.pool_of[instance.index()]);
            self.unread.push(instance);
        }
    }

    fn add(&mut self, pool: u32, objects: &Set) {
        let own = &mut self.pools[pool as usize];
        if own.objects.add_all(objects, &mut own.fresh) {
            enqueue(own, pool, &mut self.queue);
        }
    }

    /// All that a node can hold. Once is enough.
    fn take(&mut self, pool: u32, node: NodeId) {
        let heap = self.calls.heap;
        if self.pools[pool as usize].taken.insert(heap.set_of(node)) {
            self.add(pool, heap.objects(node));
        }
    }

    /// What a method that is reached does by itself.
    fn read(&mut self, instance: InstanceId) {
        let heap = self.calls.heap;
        let pool = self.pool_of[instance.index()];
        let made = heap.makes.of(instance.0).iter().map(|(_, object)| *object).collect();
        self.add(pool, &made);
        for (from, to) in heap.inflows.of(instance.0) {
            let mut objects = Set::default();
            objects.add_filtered(heap.objects(*from), heap.objects(*to), true, &mut Set::default());
            self.add(pool, &objects);
        }
        for part in heap.reads.of(instance.0) {
            self.read_part(pool, *part);
        }
        for site in heap.sites_of(instance) {
            if heap.sites[site].kind != CallKind::Thread {
                self.call(pool, site as u32);
            }
        }
    }

    fn read_part(&mut self, pool: u32, part: Part) {
        let heap = self.calls.heap;
        let own = &mut self.pools[pool as usize];
        match number_of(part) {
            Some(number) if own.fields.insert(number) => {
                for (object, node) in heap.holders(number) {
                    if self.pools[pool as usize].objects.contains(*object) {
                        self.take(pool, *node);
                    }
                }
            }
            None if !own.reads_anything => {
                own.reads_anything = true;
                let objects = own.objects.clone();
                self.look_into(pool, &objects);
            }
            _ => {}
        }
    }

    /// What the fields that are read lead to from these objects.
    fn look_into(&mut self, pool: u32, objects: &Set) {
        let heap = self.calls.heap;
        for object in objects.iter() {
            for (number, node) in heap.parts_of(object) {
                let own = &self.pools[pool as usize];
                if own.reads_anything || own.fields.contains(number) {
                    self.take(pool, *node);
                }
            }
        }
    }

    fn call(&mut self, pool: u32, site: u32) {
        let receivers = self.calls.receivers(site);
        for target in 0..receivers.len() {
            let waiting = Waiting { site, target, receivers: Rc::clone(&receivers) };
            let is_called = receivers[target]
                .as_ref()
                .is_none_or(|receivers| receivers.intersects(&self.pools[pool as usize].objects));
            if is_called {
                self.link(pool, &waiting);
            } else {
                self.pools[pool as usize].waiting.push(waiting);
            }
        }
    }

    fn link(&mut self, pool: u32, call: &Waiting) {
        let heap = self.calls.heap;
        let target = heap.sites[call.site as usize].targets[call.target];
        self.reach(target);
        let to = self.pool_of[target.index()];
        if pool == to {
            return;
        }
        if call.receivers[call.target].is_some() {
            let through = Through::Receivers(Rc::clone(&call.receivers), call.target);
            self.add_way(pool, Way { to, through });
        }
        if self.pools[pool as usize].linked.insert(target) {
            let parameters = self.matching.parameters_of(target, &mut self.calls);
            let returned = self.matching.returned_of(target, &mut self.calls);
            self.add_way(pool, Way { to, through: Through::Types(parameters) });
            self.add_way(to, Way { to: pool, through: Through::Types(returned) });
            self.add_way(to, Way { to: pool, through: Through::Node(heap.frame(target).thrown) });
        }
    }

    fn add_way(&mut self, from: u32, way: Way) {
        if let Through::Types(mask) = &way.through
            && matches!(&**mask, Mask::OneOf(sets) if sets.is_empty())
        {
            return;
        }
        let objects = std::mem::take(&mut self.pools[from as usize].objects);
        self.go(&objects, &way);
        self.pools[from as usize].objects = objects;
        self.pools[from as usize].ways.push(way);
    }

    fn go(&mut self, objects: &Set, way: &Way) {
        let heap = self.calls.heap;
        let to = &mut self.pools[way.to as usize];
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
    fn tell(&mut self, pool: u32) {
        let own = &mut self.pools[pool as usize];
        own.is_queued = false;
        let fresh = std::mem::take(&mut own.fresh);
        let ways = std::mem::take(&mut own.ways);
        let waiting = std::mem::take(&mut own.waiting);
        for way in &ways {
            self.go(&fresh, way);
        }
        let own = &mut self.pools[pool as usize];
        own.ways = ways;
        let is_called =
            |it: &Waiting| it.receivers[it.target].as_ref().is_none_or(|it| it.intersects(&fresh));
        let (called, waiting): (Vec<Waiting>, Vec<Waiting>) = waiting.into_iter().partition(is_called);
        own.waiting = waiting;
        for call in &called {
            self.link(pool, call);
        }
        self.look_into(pool, &fresh);
    }
}

fn enqueue(pool: &mut Pool, number: u32, queue: &mut VecDeque<u32>) {
    if !pool.is_queued {
        pool.is_queued = true;
        queue.push_back(number);
    }
}
