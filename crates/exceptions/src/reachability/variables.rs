//! `vdr`: a set of objects for each variable.
//!
//! Like the analysis itself, but from one call: its arguments hold what they can hold in the whole program, everything
//! else begins empty. What is read from an object that has been there before the call is what the whole program has put
//! into it. Objects that do not outlive the method that makes them (`locals`) cannot have been there before: they hold
//! what is put into them during this call, unless one of them comes from outside all the same.

use super::calls::CallReceivers;
use super::following::{Frontier, State};
use super::locals::local_objects;
use catchment_pointsto::{Access, Heap};
use catchment_pointsto::{CallKind, Set};
use catchment_pointsto::{InstanceId, NodeId};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;
use std::rc::Rc;

/// The variable has no set yet.
const NONE: u32 = u32::MAX;

/// Objects that a variable, or a field of a local object, holds during the call.
#[derive(Clone)]
struct Variable {
    node: NodeId,
    objects: Set,
    fresh: Set,
    is_queued: bool,
    /// Variables to which objects go through calls, and into and out of local objects.
    ways: Vec<NodeId>,
}

/// The variables of one search.
#[derive(Clone)]
pub(super) struct Variables {
    local: Rc<Set>,
    /// By node: its place among the variables.
    places: Vec<u32>,
    variables: Vec<Variable>,
    /// Local objects that may have been there before.
    outside: Set,
    frontier: Frontier,
    linked: FxHashSet<(u32, u32)>,
    ways: FxHashSet<(NodeId, NodeId)>,
    /// Variables that have got all of a set of the analysis.
    taken: FxHashSet<(NodeId, usize)>,
    queue: VecDeque<u32>,
}

impl State for Variables {
    fn empty(&self) -> Self {
        Self::with(Rc::clone(&self.local), self.places.len())
    }

    fn enter(
        &mut self,
        calls: &CallReceivers<'_, '_>,
        site: u32,
        target: InstanceId,
        receivers: Option<&Set>,
    ) {
        let heap = calls.heap;
        let this = heap.frame(target).parameters.first().copied().flatten();
        if let (Some(receivers), Some(this)) = (receivers, this) {
            self.come_from_outside(receivers, heap);
            self.flow(receivers, this, heap);
        }
        let arguments = heap.sites[site as usize].arguments.iter();
        for (argument, parameter) in arguments.zip(calls.parameters_of(target)) {
            if let (Some(argument), Some(parameter)) = (argument, parameter) {
                self.take(*argument, *parameter, heap);
            }
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
        for (node, object) in heap.makes.of(instance.0) {
            self.flow(&[*object].into_iter().collect(), *node, heap);
        }
        for (from, to) in heap.inflows.of(instance.0) {
            self.take(*from, *to, heap);
        }
        for site in heap.sites_of(instance) {
            let call = &heap.sites[site];
            if call.receiver.is_none() && call.kind != CallKind::Thread {
                for target in &call.targets {
                    self.link(site as u32, *target, calls);
                }
            }
        }
    }

    fn work(&mut self, calls: &mut CallReceivers<'_, '_>) -> bool {
        let next = self.queue.pop_front();
        next.is_some_and(|variable| {
            self.tell(variable, calls);
            true
        })
    }
}

impl Variables {
    pub(super) fn new(calls: &CallReceivers<'_, '_>) -> Self {
        Self::with(Rc::new(local_objects(calls)), calls.heap.nodes())
    }

    fn with(local: Rc<Set>, nodes: usize) -> Self {
        Self {
            local,
            places: vec![NONE; nodes],
            variables: Vec::new(),
            outside: Set::default(),
            frontier: Frontier::default(),
            linked: FxHashSet::default(),
            ways: FxHashSet::default(),
            taken: FxHashSet::default(),
            queue: VecDeque::new(),
        }
    }

    fn place(&mut self, node: NodeId) -> usize {
        if self.places[node.index()] == NONE {
            self.places[node.index()] = self.variables.len() as u32;
            let (objects, fresh) = (Set::default(), Set::default());
            self.variables.push(Variable { node, objects, fresh, is_queued: false, ways: Vec::new() });
        }
        self.places[node.index()] as usize
    }

    /// Never more than the analysis has found: that is also what casts and handlers let through.
    fn flow(&mut self, objects: &Set, to: NodeId, heap: &Heap) {
        let possible = heap.objects(to);
        let place = self.place(to);
        let variable = &mut self.variables[place];
        if variable.objects.add_filtered(objects, possible, true, &mut variable.fresh) && !variable.is_queued
        {
            variable.is_queued = true;
            self.queue.push_back(place as u32);
        }
    }

    /// All that `from` can hold in the whole program.
    fn take(&mut self, from: NodeId, to: NodeId, heap: &Heap) {
        if self.taken.insert((to, heap.set_of(from))) {
            self.come_from_outside(heap.objects(from), heap);
            self.flow(heap.objects(from), to, heap);
        }
    }

    /// Local objects among these may hold what was stored before the call.
    fn come_from_outside(&mut self, objects: &Set, heap: &Heap) {
        let mut known = Set::default();
        self.outside.add_filtered(objects, &self.local, true, &mut known);
        for object in known.iter() {
            for (_, part) in heap.parts_of(object) {
                if self.places[part.index()] != NONE {
                    self.take(*part, *part, heap);
                }
            }
        }
    }

    fn is_made_here(&self, object: u32) -> bool {
        self.local.contains(object) && !self.outside.contains(object)
    }

    /// From now on what is in `from` is in `to`, too.
    fn add_way(&mut self, from: NodeId, to: NodeId, heap: &Heap) {
        if self.ways.insert((from, to)) {
            let place = self.place(from);
            self.variables[place].ways.push(to);
            let objects = std::mem::take(&mut self.variables[place].objects);
            if from != to {
                self.flow(&objects, to, heap);
            }
            self.variables[place].objects = objects;
        }
    }

    fn link(&mut self, site: u32, target: InstanceId, calls: &CallReceivers<'_, '_>) {
        if !self.linked.insert((site, target.0)) {
            return;
        }
        let heap = calls.heap;
        self.reach(target);
        let call = &heap.sites[site as usize];
        for (argument, parameter) in call.arguments.iter().zip(calls.parameters_of(target)) {
            if let (Some(argument), Some(parameter)) = (argument, parameter) {
                self.add_way(*argument, *parameter, heap);
            }
        }
        let frame = heap.frame(target);
        if let Some(result) = call.result {
            self.add_way(frame.returned, result, heap);
        }
        if let Some(thrown) = call.thrown {
            self.add_way(frame.thrown, thrown, heap);
        }
    }

    /// Lets new objects of a variable have their effects.
    fn tell(&mut self, place: u32, calls: &mut CallReceivers<'_, '_>) {
        let heap = calls.heap;
        let variable = &mut self.variables[place as usize];
        variable.is_queued = false;
        let fresh = std::mem::take(&mut variable.fresh);
        let node = variable.node;
        let ways = std::mem::take(&mut variable.ways);
        for to in heap.copies.of(node.0).iter().chain(&ways) {
            if *to != node {
                self.flow(&fresh, *to, heap);
            }
        }
        self.variables[place as usize].ways.splice(0..0, ways);
        for access in heap.loads.of(node.0) {
            self.load(&fresh, *access, heap);
        }
        for access in heap.stores.of(node.0) {
            self.store(&fresh, *access, heap);
        }
        for site in heap.received.of(node.0) {
            self.receive(*site, &fresh, calls);
        }
    }

    fn load(&mut self, objects: &Set, access: Access, heap: &Heap) {
        for object in objects.iter() {
            for part in heap.part_of(object, access.part) {
                if self.is_made_here(object) {
                    self.add_way(part, access.variable, heap);
                } else {
                    self.take(part, access.variable, heap);
                }
            }
        }
    }

    fn store(&mut self, objects: &Set, access: Access, heap: &Heap) {
        let mut local = Set::default();
        local.add_filtered(objects, &self.local, true, &mut Set::default());
        for object in local.iter() {
            for part in heap.part_of(object, access.part) {
                self.add_way(access.variable, part, heap);
            }
        }
    }

    /// New receivers of a call.
    fn receive(&mut self, site: u32, objects: &Set, calls: &mut CallReceivers<'_, '_>) {
        let heap = calls.heap;
        let call = &heap.sites[site as usize];
        if call.kind == CallKind::Thread {
            return;
        }
        let receivers = calls.receivers(site);
        for (target, receivers) in call.targets.iter().zip(receivers.iter()) {
            let mut here = Set::default();
            if let Some(receivers) = receivers
                && here.add_filtered(objects, receivers, true, &mut Set::default())
            {
                self.link(site, *target, calls);
                if let Some(this) = heap.frame(*target).parameters.first().copied().flatten() {
                    self.flow(&here, this, heap);
                }
            }
        }
    }
}
