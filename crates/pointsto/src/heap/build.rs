//! From what the solver was told to a [`Heap`].

use super::{Access, Frame, Heap, HeapCall, Lists};
use crate::callgraph::{CallKind, FoundCall, Targets};
use crate::graph::{Log, NOBODY, Solution};
use crate::ids::{ClassId, InstanceId, NodeId, SelectorId};
use crate::objects::Objects;
use crate::solver::{Instance, Use};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The pieces of a solver that a heap is made of.
pub(crate) struct Parts {
    pub(crate) log: Log,
    pub(crate) solution: Solution,
    pub(crate) instances: Vec<Instance>,
    pub(crate) uses: Vec<(NodeId, Use)>,
    pub(crate) sites: Vec<HeapCall>,
    pub(crate) parts: Vec<Vec<(u32, NodeId)>>,
    pub(crate) objects: Objects,
    pub(crate) forwarders: FxHashSet<InstanceId>,
}

impl HeapCall {
    /// Tells whether its receivers decide is not known here.
    pub(crate) fn of(call: &crate::solver::calls::CallSite) -> Self {
        let arguments = call.arguments.clone();
        let kind = if arguments.thrown.is_some() { CallKind::Ordinary } else { CallKind::Thread };
        Self {
            caller: call.caller,
            pc: call.pc,
            kind,
            selector: call.selector,
            is_virtual: false,
            receiver: arguments.receiver,
            arguments: arguments.rest,
            result: arguments.result,
            thrown: arguments.thrown,
            targets: call.targets.clone(),
        }
    }

    pub(crate) fn of_initialiser(call: &FoundCall) -> Self {
        Self {
            caller: call.caller,
            pc: call.pc,
            kind: CallKind::Initialiser,
            selector: SelectorId(0),
            is_virtual: false,
            receiver: None,
            arguments: Box::default(),
            result: None,
            thrown: None,
            targets: match &call.targets {
                Targets::Own(targets) => targets.clone(),
                Targets::Group(_) => SmallVec::new(),
            },
        }
    }
}

impl Heap {
    pub(crate) fn of(parts: Parts) -> Self {
        let Parts { log, solution, instances, uses, mut sites, parts, objects, forwarders } = parts;
        for (_, it) in &uses {
            if let Use::Call(site) = it {
                sites[*site as usize].is_virtual = true;
            }
        }
        sites.retain(|site| !site.targets.is_empty());
        sites.sort_by_key(|site| (site.caller, site.pc, site.kind));
        let mut owners = log.owners;
        let (mut handed_on, mut inflows, mut copies) = (Vec::new(), Vec::new(), Vec::new());
        let mut filled = Vec::new();
        for (from, to) in log.copies {
            let owner = owners[to.index()];
            if owner == NOBODY {
                filled.push(to.0);
            } else if owners[from.index()] == owner {
                copies.push((from.0, to));
            } else {
                inflows.push((owner, (from, to)));
            }
        }
        for site in &mut sites {
            for node in site.receiver.iter_mut().chain(site.arguments.iter_mut().flatten()) {
                if owners[node.index()] != site.caller.0 {
                    let own = NodeId::new(owners.len());
                    owners.push(site.caller.0);
                    handed_on.push(*node);
                    inflows.push((site.caller.0, (*node, own)));
                    *node = own;
                }
            }
        }
        let (nodes, count) = (owners.len(), instances.len());
        let made = log.makes.into_iter().map(|(node, object)| (owners[node.index()], (node, object)));
        let (unowned, makes): (Vec<_>, Vec<_>) = made.partition(|(owner, _)| *owner == NOBODY);
        filled.extend(unowned.into_iter().map(|(_, (node, _))| node.0));
        filled.sort_unstable();
        let receivers = (0..).zip(&sites).filter_map(|(number, site)| Some((site.receiver?.0, number)));
        let received = Lists::new(nodes, receivers.collect());
        let access = |(node, it): &(NodeId, Use)| match *it {
            Use::Load { part, into } => Some((node.0, true, Access { part, variable: into })),
            Use::Store { part, from } => Some((node.0, false, Access { part, variable: from })),
            // What reflection makes and stores is in the log like everything else.
            Use::Call(_) | Use::Direct { .. } | Use::Reflect(_) => None,
        };
        let (mut loads, mut stores, mut reads) = (Vec::new(), Vec::new(), Vec::new());
        for (node, is_load, access) in uses.iter().filter_map(access) {
            if is_load {
                loads.push((node, access));
                reads.push((owners[node as usize], access.part));
            } else {
                stores.push((node, access));
            }
        }
        reads.retain(|(owner, _)| *owner != NOBODY);
        Self {
            solution,
            owners,
            handed_on,
            holders: holders_of(&parts),
            parts,
            all: objects.numbers().collect(),
            classes: classes_of(&objects),
            lambdas: lambdas_of(&objects),
            forwarders,
            copies: Lists::new(nodes, copies),
            loads: Lists::new(nodes, loads),
            stores: Lists::new(nodes, stores),
            received,
            makes: Lists::new(count, makes),
            inflows: Lists::new(count, inflows),
            reads: Lists::new(count, reads),
            filled: filled.into_iter().collect(),
            sites,
            frames: instances.into_iter().map(frame_of).collect(),
        }
    }
}

fn frame_of(instance: Instance) -> Frame {
    let Instance { parameters, returned, thrown, .. } = instance;
    Frame { parameters, returned, thrown }
}

fn classes_of(objects: &Objects) -> Vec<ClassId> {
    let mut classes = Vec::new();
    for object in objects.numbers() {
        classes.resize(object as usize, ClassId(0));
        classes.push(objects.get(object).class);
    }
    classes
}

fn holders_of(parts: &[Vec<(u32, NodeId)>]) -> FxHashMap<u32, Vec<(u32, NodeId)>> {
    let mut holders: FxHashMap<u32, Vec<(u32, NodeId)>> = FxHashMap::default();
    for (object, parts) in (0..).zip(parts) {
        for (number, node) in parts {
            holders.entry(*number).or_default().push((object, *node));
        }
    }
    holders
}

fn lambdas_of(objects: &Objects) -> FxHashMap<u32, InstanceId> {
    objects.numbers().filter_map(|object| Some((object, objects.lambda_of(object)?.proxy))).collect()
}
