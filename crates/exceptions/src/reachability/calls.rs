//! Calls as all filters see them: which receivers lead to which target.

use catchment_pointsto::Heap;
use catchment_pointsto::World;
use catchment_pointsto::{Code, Set};
use catchment_pointsto::{InstanceId, MethodId, NodeId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// By target: the receivers that lead there, or nothing if it needs none.
pub(super) type Receivers = Rc<[Option<Set>]>;

pub(super) struct CallReceivers<'h, 'a> {
    pub(super) heap: &'h Heap,
    pub(super) instances: &'h [Code],
    pub(super) world: &'h mut World<'a>,
    receivers: FxHashMap<u32, Receivers>,
}

impl<'h, 'a> CallReceivers<'h, 'a> {
    pub(super) fn new(heap: &'h Heap, instances: &'h [Code], world: &'h mut World<'a>) -> Self {
        Self { heap, instances, world, receivers: FxHashMap::default() }
    }

    pub(super) fn receivers(&mut self, site: u32) -> Receivers {
        let found = self.receivers.entry(site);
        Rc::clone(found.or_insert_with(|| self.heap.receivers(site, self.instances, self.world).into()))
    }

    pub(super) fn method_of(&self, instance: InstanceId) -> Option<MethodId> {
        match self.instances[instance.index()] {
            Code::Method(method) => Some(method),
            Code::Proxy(_) => None,
        }
    }

    /// The parameters of an instance without its receiver.
    pub(super) fn parameters_of(&self, instance: InstanceId) -> &'h [Option<NodeId>] {
        let has_receiver = self.method_of(instance).is_none_or(|it| !self.world.method(it).is_static());
        let parameters = &self.heap.frame(instance).parameters;
        parameters.get(usize::from(has_receiver)..).unwrap_or_default()
    }
}
