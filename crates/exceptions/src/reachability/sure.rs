//! Calls that are made whenever their method is run: those without a receiver, and those on objects that the method has
//! made or read by itself. Whoever comes to the caller comes to the target, whatever objects are at hand.

use super::calls::CallReceivers;
use catchment_pointsto::Heap;
use catchment_pointsto::{CallKind, Set};
use catchment_pointsto::{InstanceId, NodeId};
use rustc_hash::FxHashMap;

/// By target: those from which it is surely called.
pub(super) fn sure_callers(calls: &mut CallReceivers<'_, '_>) -> FxHashMap<InstanceId, Vec<InstanceId>> {
    let heap = calls.heap;
    let mut callers: FxHashMap<InstanceId, Vec<InstanceId>> = FxHashMap::default();
    for caller in (0..calls.instances.len() as u32).map(InstanceId) {
        let own = own_objects(caller, heap);
        for number in heap.sites_of(caller) {
            let site = &heap.sites[number];
            if site.kind == CallKind::Thread {
                continue;
            }
            let Some(receiver) = site.receiver else {
                site.targets.iter().for_each(|target| callers.entry(*target).or_default().push(caller));
                continue;
            };
            let Some(own) = own.get(&receiver) else { continue };
            let receivers = calls.receivers(number as u32);
            for (target, receivers) in site.targets.iter().zip(receivers.iter()) {
                if receivers.as_ref().is_none_or(|receivers| receivers.intersects(own)) {
                    callers.entry(*target).or_default().push(caller);
                }
            }
        }
    }
    callers
}

/// By variable: what it holds whenever the instance is run.
fn own_objects(instance: InstanceId, heap: &Heap) -> FxHashMap<NodeId, Set> {
    let mut own: FxHashMap<NodeId, Set> = FxHashMap::default();
    let mut queue = Vec::new();
    let mut put = |objects: &Set, node: NodeId, queue: &mut Vec<(NodeId, Set)>| {
        let mut fresh = Set::default();
        let known = own.entry(node).or_default();
        if known.add_filtered(objects, heap.objects(node), true, &mut fresh) {
            queue.push((node, fresh));
        }
    };
    for (node, object) in heap.makes.of(instance.0) {
        put(&[*object].into_iter().collect(), *node, &mut queue);
    }
    for (from, to) in heap.inflows.of(instance.0) {
        put(heap.objects(*from), *to, &mut queue);
    }
    while let Some((node, fresh)) = queue.pop() {
        for to in heap.copies.of(node.0) {
            put(&fresh, *to, &mut queue);
        }
    }
    own
}
