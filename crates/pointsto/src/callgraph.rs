//! What an analysis gives: methods that can be reached, who calls whom from where, and what is thrown where.
//!
//! The same for all analyses, so that exception flow does not have to know which one it stands on.

use crate::blind::Blind;
use crate::ids::{InstanceId, MethodId};
use crate::world::{Typed, World};
use smallvec::SmallVec;
use std::ops::Range;

/// What runs in an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    Method(MethodId),
    /// The hidden class of a lambda that stands for this method.
    Proxy(MethodId),
}

/// How a call leads to its targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CallKind {
    Ordinary,
    /// In a thread of its own, which keeps its exceptions.
    Thread,
    /// The initialiser of a class that is used here; what it throws arrives as an `ExceptionInInitializerError`.
    Initialiser,
}

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
    /// Where the analysis began.
    pub entries: Vec<InstanceId>,
    /// By caller, then by place.
    calls: Vec<Call>,
    targets: Vec<InstanceId>,
    /// By instance, then by place.
    throws: Vec<Thrown>,
    pub blind_spots: Vec<Blind>,
    pub stats: Stats,
}

/// How much there was to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    pub classes: usize,
    /// Methods, whatever the number of their contexts; hidden classes of lambdas are not counted.
    pub reachable_methods: usize,
    pub call_edges: usize,
    pub nodes: usize,
    pub objects: usize,
}

/// A call as an analysis finds it.
#[derive(Debug)]
pub(crate) struct FoundCall {
    pub(crate) caller: InstanceId,
    pub(crate) pc: u16,
    pub(crate) kind: CallKind,
    pub(crate) targets: SmallVec<[InstanceId; 1]>,
}

/// What an analysis has found, in any order.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    pub(crate) world: World<'a>,
    pub(crate) instances: Vec<Code>,
    pub(crate) entries: Vec<InstanceId>,
    pub(crate) calls: Vec<FoundCall>,
    pub(crate) throws: Vec<Thrown>,
    pub(crate) blind_spots: Vec<Blind>,
    pub(crate) stats: Stats,
}

impl<'a> Found<'a> {
    /// Everything in its order, which is the same in every run.
    pub(crate) fn into_reached(mut self) -> Reached<'a> {
        self.calls.sort_by_key(|call| (call.caller, call.pc, call.kind));
        self.throws.sort_by_key(|thrown| (thrown.instance, thrown.pc));
        self.blind_spots.sort_unstable();
        let mut targets = Vec::new();
        let calls = self.calls.into_iter().map(|FoundCall { caller, pc, kind, targets: found }| {
            let start = targets.len() as u32;
            targets.extend(found);
            Call { caller, pc, kind, targets: start..targets.len() as u32 }
        });
        let calls = calls.collect();
        let Self { world, instances, entries, throws, blind_spots, stats, .. } = self;
        Reached { world, instances, entries, calls, targets, throws, blind_spots, stats }
    }
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

    /// The method whose code an instance runs; nothing for hidden classes.
    pub fn method_of(&self, instance: InstanceId) -> Option<MethodId> {
        match self.instances[instance.index()] {
            Code::Method(method) => Some(method),
            Code::Proxy(_) => None,
        }
    }
}
