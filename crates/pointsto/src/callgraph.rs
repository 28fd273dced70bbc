//! The call graph, which every analysis gives: methods that can be reached, calls with their targets, and throws.
//!
//! The same for all analyses, so that exception flow does not have to know which one it stands on.

mod cached;

use crate::blind::Blind;
use crate::cache_format::cached;
use crate::heap::Heap;
use crate::ids::{InstanceId, MethodId};
use crate::implicit::Implicit;
use crate::world::{Typed, World};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::ops::Range;

/// The code of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    Method(MethodId),
    /// The hidden class of a lambda that stands for this method.
    Proxy(MethodId),
}

cached! { enum Code { 0 => Method(method), 1 => Proxy(method) } }

/// The way in which a call leads to its targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallKind {
    Ordinary,
    /// In a thread of its own, which keeps its exceptions.
    Thread,
    /// The initialiser of a class that is used here; what it throws arrives as an `ExceptionInInitializerError`.
    Initialiser,
    /// By reflection; what it throws arrives inside an `InvocationTargetException`.
    Reflective,
}

cached! { enum CallKind { 0 => Ordinary, 1 => Thread, 2 => Initialiser, 3 => Reflective } }

/// A place that calls, and what it can come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub caller: InstanceId,
    pub pc: u16,
    pub kind: CallKind,
    targets: Range<u32>,
}

/// A `throw`, and the classes of what it can throw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thrown {
    pub instance: InstanceId,
    pub pc: u16,
    pub types: SmallVec<[Typed; 1]>,
}

/// A program as far as it can be reached from its entry points.
#[derive(Debug)]
pub struct Reached<'a> {
    pub world: World<'a>,
    pub instances: Vec<Code>,
    /// The entry points.
    pub entries: Vec<InstanceId>,
    /// By caller, then by place.
    calls: Vec<Call>,
    targets: Vec<InstanceId>,
    /// By instance, then by place.
    throws: Vec<Thrown>,
    /// By method, then by place.
    implicit: Vec<Implicit>,
    pub blind_spots: Vec<Blind>,
    pub stats: Stats,
    /// The objects behind it, if they were asked for.
    pub heap: Option<Heap>,
}

/// The size of an analysis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    pub classes: usize,
    /// Methods, whatever the number of their contexts; hidden classes of lambdas are not counted.
    pub reachable_methods: usize,
    pub call_edges: usize,
    /// Sets of objects; none if only classes are looked at.
    pub nodes: usize,
    /// Objects, or classes of which there are objects if only classes are looked at.
    pub objects: usize,
}

/// A call as an analysis finds it.
#[derive(Debug)]
pub(crate) struct FoundCall {
    pub(crate) caller: InstanceId,
    pub(crate) pc: u16,
    pub(crate) kind: CallKind,
    pub(crate) targets: Targets,
}

#[derive(Debug)]
pub(crate) enum Targets {
    Own(SmallVec<[InstanceId; 1]>),
    /// Targets of the group with this number in [`Found::groups`], which other calls have too.
    Group(u32),
}

/// The findings of an analysis, in any order.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    pub(crate) world: World<'a>,
    pub(crate) instances: Vec<Code>,
    pub(crate) entries: Vec<InstanceId>,
    pub(crate) calls: Vec<FoundCall>,
    pub(crate) groups: Vec<Vec<InstanceId>>,
    pub(crate) throws: Vec<Thrown>,
    pub(crate) implicit: Vec<Implicit>,
    pub(crate) blind_spots: Vec<Blind>,
    pub(crate) nodes: usize,
    pub(crate) objects: usize,
    pub(crate) heap: Option<Heap>,
}

impl<'a> Found<'a> {
    /// Everything in its order, which is the same in every run.
    pub(crate) fn into_reached(mut self) -> Reached<'a> {
        self.calls.sort_by_key(|call| (call.caller, call.pc, call.kind));
        self.throws.sort_by_key(|thrown| (thrown.instance, thrown.pc));
        self.implicit.sort_unstable();
        self.implicit.dedup();
        self.blind_spots.sort_unstable();
        let (calls, targets) = placed(self.calls, self.groups);
        let stats = Stats {
            classes: self.world.classes(),
            reachable_methods: count_methods(&self.instances),
            call_edges: calls.iter().map(|call| call.targets.len()).sum(),
            nodes: self.nodes,
            objects: self.objects,
        };
        let Self { world, instances, entries, throws, implicit, blind_spots, heap, .. } = self;
        Reached { world, instances, entries, calls, targets, throws, implicit, blind_spots, stats, heap }
    }
}

/// Targets in one list, calls with their ranges of it; calls that lead nowhere are left out.
fn placed(found: Vec<FoundCall>, groups: Vec<Vec<InstanceId>>) -> (Vec<Call>, Vec<InstanceId>) {
    let mut targets: Vec<InstanceId> = Vec::new();
    let mut place = |found: &[InstanceId]| {
        let start = targets.len() as u32;
        targets.extend(found);
        start..targets.len() as u32
    };
    let groups: Vec<Range<u32>> = groups.iter().map(|group| place(group)).collect();
    let calls = found.into_iter().map(|FoundCall { caller, pc, kind, targets }| {
        let targets = match targets {
            Targets::Own(own) => place(&own),
            Targets::Group(group) => groups[group as usize].clone(),
        };
        Call { caller, pc, kind, targets }
    });
    let calls = calls.filter(|call| !call.targets.is_empty()).collect();
    (calls, targets)
}

fn count_methods(instances: &[Code]) -> usize {
    let methods = instances.iter().filter_map(|code| match code {
        Code::Method(method) => Some(*method),
        Code::Proxy(_) => None,
    });
    methods.collect::<FxHashSet<MethodId>>().len()
}

impl Reached<'_> {
    /// The calls in one instance, by place.
    pub fn calls_of(&self, instance: InstanceId) -> &[Call] {
        let start = self.calls.partition_point(|call| call.caller < instance);
        let end = self.calls.partition_point(|call| call.caller <= instance);
        &self.calls[start..end]
    }

    /// All calls, by caller.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// Calls with the same key have the same targets.
    pub fn targets_key(&self, call: &Call) -> u32 {
        call.targets.start
    }

    pub fn targets(&self, call: &Call) -> &[InstanceId] {
        &self.targets[call.targets.start as usize..call.targets.end as usize]
    }

    /// The throws of one instance, by place.
    pub fn throws_of(&self, instance: InstanceId) -> &[Thrown] {
        let start = self.throws.partition_point(|thrown| thrown.instance < instance);
        let end = self.throws.partition_point(|thrown| thrown.instance <= instance);
        &self.throws[start..end]
    }

    pub fn throws(&self) -> &[Thrown] {
        &self.throws
    }

    /// Exceptions that the JVM itself can throw in a method, by place; nothing if nobody asked for it.
    pub fn implicit_in(&self, method: MethodId) -> &[Implicit] {
        let start = self.implicit.partition_point(|it| it.method < method);
        let end = self.implicit.partition_point(|it| it.method <= method);
        &self.implicit[start..end]
    }

    /// The method whose code an instance runs; nothing for hidden classes.
    pub fn method_of(&self, instance: InstanceId) -> Option<MethodId> {
        match self.instances[instance.index()] {
            Code::Method(method) => Some(method),
            Code::Proxy(_) => None,
        }
    }
}
