//! Objects that do not outlive the method that makes them.
//!
//! Such an object is not in a static field, not in a thread, and nothing leads to it from what its maker is given,
//! returns or throws. All that is ever stored in its fields is stored while its maker runs.

use super::calls::CallReceivers;
use catchment_pointsto::Heap;
use catchment_pointsto::{CallKind, Code, Set};
use catchment_pointsto::{InstanceId, NodeId};
use rustc_hash::FxHashMap;

/// Through more holders than this an object is not followed, and counts as one that lives on.
const MAX_HOLDERS: usize = 256;

pub(super) fn local_objects(calls: &CallReceivers<'_, '_>) -> Set {
    let heap = calls.heap;
    let shared = shared_objects(calls);
    let holders = holders_of(heap, &shared);
    let mut makers: FxHashMap<u32, Vec<InstanceId>> = FxHashMap::default();
    for instance in (0..calls.instances.len() as u32).map(InstanceId) {
        for (_, object) in heap.makes.of(instance.0).iter().filter(|(_, object)| !shared.contains(*object)) {
            makers.entry(*object).or_default().push(instance);
        }
    }
    let stays = |object: u32, makers: &[InstanceId]| {
        let is_stored_to = heap.parts_of(object).iter().all(|(_, node)| !heap.is_filled(*node));
        is_stored_to
            && above(object, &holders)
                .is_some_and(|above| makers.iter().all(|maker| !leads_out(heap, *maker, &above)))
    };
    let mut local: Vec<u32> =
        makers.iter().filter(|(object, makers)| stays(**object, makers)).map(|(object, _)| *object).collect();
    local.sort_unstable();
    local.into_iter().collect()
}

/// Objects to which static fields and threads lead.
fn shared_objects(calls: &CallReceivers<'_, '_>) -> Set {
    let heap = calls.heap;
    let mut shared = Set::default();
    let mut open = Set::default();
    let mut add = |node: NodeId, open: &mut Set| shared.add_all(heap.objects(node), open);
    for node in heap.shared() {
        add(node, &mut open);
    }
    for site in heap.sites.iter().filter(|site| site.kind == CallKind::Thread) {
        for node in site.receiver.iter().chain(site.arguments.iter().flatten()) {
            add(*node, &mut open);
        }
    }
    // What one method gives another without a call. Captured values are different: their lambda leads to them.
    for (instance, code) in (0..).zip(calls.instances) {
        if matches!(code, Code::Method(_)) {
            for (from, _) in heap.inflows.of(instance) {
                add(*from, &mut open);
            }
        }
    }
    while !open.is_empty() {
        for object in std::mem::take(&mut open).iter() {
            for node in contents(heap, object) {
                add(node, &mut open);
            }
        }
    }
    shared
}

/// Nodes of what an object leads to.
fn contents(heap: &Heap, object: u32) -> impl Iterator<Item = NodeId> + '_ {
    let parts = heap.parts_of(object).iter().map(|(_, node)| *node);
    let captured = heap.lambda(object).into_iter().flat_map(|proxy| heap.inflows.of(proxy.0));
    parts.chain(captured.map(|(from, _)| *from))
}

/// By object that is not shared: the objects that hold it.
fn holders_of(heap: &Heap, shared: &Set) -> FxHashMap<u32, Vec<u32>> {
    let mut holders: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for holder in heap.all_objects().filter(|object| !shared.contains(*object)) {
        for node in contents(heap, holder) {
            let mut held = Set::default();
            held.add_filtered(heap.objects(node), shared, false, &mut Set::default());
            for object in held.iter() {
                let known = holders.entry(object).or_default();
                if known.last() != Some(&holder) && known.len() <= MAX_HOLDERS {
                    known.push(holder);
                }
            }
        }
    }
    holders
}

/// An object and all that lead to it; nothing if they are too many.
fn above(object: u32, holders: &FxHashMap<u32, Vec<u32>>) -> Option<Set> {
    let mut found: Set = [object].into_iter().collect();
    let mut open = vec![object];
    let mut count = 0;
    while let Some(object) = open.pop() {
        for holder in holders.get(&object).into_iter().flatten() {
            if found.insert(*holder) {
                count += 1;
                open.push(*holder);
            }
        }
        if count > MAX_HOLDERS {
            return None;
        }
    }
    Some(found)
}

/// Tells whether one of these objects is given to the method, returned or thrown by it.
fn leads_out(heap: &Heap, maker: InstanceId, objects: &Set) -> bool {
    let frame = heap.frame(maker);
    let nodes = frame.parameters.iter().flatten().copied().chain([frame.returned, frame.thrown]);
    nodes.into_iter().any(|node| heap.objects(node).intersects(objects))
}
