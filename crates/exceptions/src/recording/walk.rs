//! The part of a recorded stack that the call graph follows, from the frame that caught towards the one that raised.
//!
//! A call may lead past frames of the recording: reflection and method handles lead to their target, models to what the
//! code behind them calls. So any frame further in may be the next one.

use super::resolved::{Instruction, instruction_at};
use catchment_pointsto::{Call, CallKind, Code, Reached};
use catchment_pointsto::{InstanceId, MethodId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A frame as the call graph knows it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// Nothing for classes that the analysis does not have.
    pub(super) method: Option<MethodId>,
    pub(super) pc: Option<u16>,
}

/// The instances of every method that is reached.
pub(super) type Instances = FxHashMap<MethodId, Vec<InstanceId>>;

pub(super) fn instances_of(reached: &Reached<'_>) -> Instances {
    let mut instances = Instances::default();
    for instance in (0..reached.instances.len()).map(InstanceId::new) {
        if let Some(method) = reached.method_of(instance) {
            instances.entry(method).or_default().push(instance);
        }
    }
    instances
}

/// By frame the instances in which it can be on such a stack; the last one is wherever it is reached.
pub(super) fn follow(reached: &Reached<'_>, steps: &[Step], instances: &Instances) -> Vec<Vec<InstanceId>> {
    let mut found: Vec<Vec<InstanceId>> = vec![Vec::new(); steps.len()];
    let mut places: FxHashMap<MethodId, Vec<usize>> = FxHashMap::default();
    for (index, step) in steps.iter().enumerate() {
        if let Some(method) = step.method {
            places.entry(method).or_default().push(index);
        }
    }
    let mut known: FxHashSet<(usize, InstanceId)> = FxHashSet::default();
    if let (Some(last), Some(all)) =
        (found.last_mut(), steps.last().and_then(|last| instances.get(&last.method?)))
    {
        last.clone_from(all);
    }
    for index in (1..steps.len()).rev() {
        let targets = targets_at(reached, steps[index], &found[index]);
        for target in targets {
            let Some(method) = reached.method_of(target) else { continue };
            for place in places.get(&method).into_iter().flatten().filter(|place| **place < index) {
                if known.insert((*place, target)) {
                    found[*place].push(target);
                }
            }
        }
    }
    found
}

/// Targets of the calls of these instances at the site of a frame, hidden classes left out. Sorted, so that nothing
/// depends on hashes.
pub(super) fn targets_at(reached: &Reached<'_>, step: Step, instances: &[InstanceId]) -> Vec<InstanceId> {
    let Some(method) = step.method else { return Vec::new() };
    // What a model calls is at the first instruction, which then is no call.
    let is_modelled = !matches!(instruction_at(&reached.world, method, 0), Some(Instruction::Call(_)));
    let is_meant = |call: &&Call| match call.kind {
        CallKind::Ordinary => step.pc == Some(call.pc) || call.pc == 0 && is_modelled,
        CallKind::Initialiser => step.pc == Some(call.pc),
        CallKind::Thread | CallKind::Reflective => false,
    };
    let calls = instances.iter().flat_map(|instance| reached.calls_of(*instance)).filter(is_meant);
    let mut open: Vec<InstanceId> = calls.flat_map(|call| reached.targets(call)).copied().collect();
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(target) = open.pop() {
        if !seen.insert(target) {
            continue;
        }
        match reached.instances[target.index()] {
            Code::Method(_) => found.push(target),
            Code::Proxy(_) => {
                let calls = reached.calls_of(target).iter();
                open.extend(calls.flat_map(|call| reached.targets(call)));
            }
        }
    }
    found.sort_unstable();
    found
}
