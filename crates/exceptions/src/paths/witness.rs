//! Witness paths: how an exception can come from its raising point to a clause.
//!
//! Searched on demand, for one raised exception at a time, from the try downwards: the shortest paths, or all calls by
//! which there is one. A call is followed only to methods that the exception can leave, and only if it can pass all
//! handlers on its way back.

use crate::answer::{Frame, Site, WitnessPath};
use crate::describe::site_of;
use crate::exception_flow::fate::Fates;
use crate::exception_flow::privileged;
use crate::exception_flow::raising_points::{RaisedException, RaisingKind};
use crate::links::Clause;
use crate::paths::ways::{Node, Stop, Ways};
use crate::search::LinkSearch;
use catchment_pointsto::{Call, CallKind};
use catchment_pointsto::{Fits, Typed};
use catchment_pointsto::{InstanceId, MethodId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Steps that are gone in search of the paths of one link, and at least for each of its types.
const MAX_STEPS: usize = 100_000;
const LEAST_STEPS: usize = 1_000;

/// The handlers of the clause that is asked about, by the instance of its method that they are in.
type Tries = FxHashMap<InstanceId, Vec<u16>>;

/// From the tries of a clause to where one exception is raised.
pub(crate) struct Way {
    pub(crate) raised: RaisedException,
    pub(crate) calls: Ways,
}

impl Way {
    /// Operations of the catalogue raise as a whole, not at one of their instructions.
    pub(crate) fn has_line(&self) -> bool {
        !is_operation(self.raised)
    }
}

impl LinkSearch<'_> {
    /// Up to `limit` paths of the link with this number, the shortest first. Nothing if there is no such link.
    pub fn paths(&mut self, number: usize, limit: usize) -> Option<Vec<WitnessPath>> {
        let ways = self.all_ways(number)?;
        let steps = (MAX_STEPS / ways.len().max(1)).max(LEAST_STEPS);
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        for way in &ways {
            let recursive = way.calls.recursive();
            way.calls.shortest(limit, steps, |path| {
                // Contexts are not shown, so paths through different ones may look alike.
                let witness = self.witness(way, &recursive, path);
                let is_new = seen.insert(lines_of(&witness));
                found.extend(is_new.then_some(witness));
                is_new
            });
        }
        found.sort_by_key(|path: &WitnessPath| path.frames.len());
        found.truncate(limit);
        Some(found)
    }

    /// The ways of each exception of a link.
    pub(crate) fn all_ways(&mut self, number: usize) -> Option<Vec<Way>> {
        let link = self.links.get(number.checked_sub(1)?)?.clone();
        let mut found = Vec::new();
        let mut fates = Fates::default();
        for part in &link.parts {
            for typed in &part.types {
                let raised = RaisedException { point: part.point, typed: *typed };
                let Some(number) = self.flow.raised.number(&raised) else { continue };
                let tries = self.tries(link.clause, number);
                let calls = self.ways(&tries, raised, number, &mut fates);
                found.push(Way { raised, calls });
            }
        }
        Some(found)
    }

    /// The sites where the clause catches this exception.
    fn tries(&self, clause: Clause, number: u32) -> Tries {
        let mut catching = Tries::default();
        for (instance, handler, caught) in self.flow.caught() {
            let Some(method) = self.reached.method_of(instance) else { continue };
            let declared = self.reached.world.method(method);
            let pair = || self.flow.handlers_of(declared.class)?.pair_at(declared.position, handler);
            if declared.class == clause.class && caught.contains(number) && pair() == Some(clause.pair) {
                catching.entry(instance).or_default().push(handler);
            }
        }
        catching
    }

    /// All ways from the tries to where the exception is raised.
    fn ways(&mut self, tries: &Tries, raised: RaisedException, number: u32, fates: &mut Fates) -> Ways {
        let mut ways = Ways::default();
        let mut open: VecDeque<Node> = tries.keys().map(|instance| Node::Try(*instance)).collect();
        let mut seen = FxHashSet::default();
        while let Some(node) = open.pop_front() {
            let wanted = match node {
                Node::Try(instance) => tries.get(&instance).map(Vec::as_slice),
                Node::Method(_) => None,
            };
            let stops = self.stops(node.instance(), wanted, raised, number, fates);
            for (_, stop) in &stops {
                if let Stop::Call(target) = stop
                    && seen.insert(*target)
                {
                    open.push_back(Node::Method(*target));
                }
            }
            ways.add(node, stops);
        }
        ways
    }

    /// The places of a method by which the exception comes out of it, or to one of these handlers if some are wanted.
    fn stops(
        &mut self,
        instance: InstanceId,
        wanted: Option<&[u16]>,
        raised: RaisedException,
        number: u32,
        fates: &mut Fates,
    ) -> Vec<(u16, Stop)> {
        let method = self.reached.method_of(instance);
        let is_raising = method == Some(raised.point.method);
        if is_raising && is_operation(raised) {
            return vec![(0, Stop::RaisingPoint)];
        }
        let mut stops = Vec::new();
        if is_raising && self.passes(method, raised.point.pc, wanted, raised, fates) {
            stops.push((raised.point.pc, Stop::RaisingPoint));
        }
        for call in self.reached.calls_of(instance).to_vec() {
            let targets = self.reached.targets(&call).iter().copied();
            let leads = targets.filter(|target| self.flow.escaping(*target).contains(number));
            let leads: Vec<InstanceId> = leads.collect();
            if !leads.is_empty()
                && self.comes_out(method, &call, raised.typed)
                && self.passes(method, call.pc, wanted, raised, fates)
            {
                stops.extend(leads.into_iter().map(|target| (call.pc, Stop::Call(target))));
            }
        }
        stops
    }

    /// Tells whether an exception that leaves the target of a call comes out of the call as it is. Hidden classes use
    /// no others.
    pub(crate) fn comes_out(&mut self, caller: Option<MethodId>, call: &Call, typed: Typed) -> bool {
        match (call.kind, caller) {
            (CallKind::Ordinary, Some(caller)) => {
                privileged::comes_out(&mut self.reached, caller, call, typed)
            }
            (CallKind::Ordinary, None) => true,
            // What else leaves an initialiser is raised anew, inside another one.
            (CallKind::Initialiser, Some(_)) => {
                let error = self.reached.world.class(b"java/lang/Error");
                self.reached.world.typed_fits(typed, error) != Fits::No
            }
            (CallKind::Initialiser, None) | (CallKind::Reflective | CallKind::Thread, _) => false,
        }
    }

    /// Tells whether the exception, raised here, leaves the method or, where some are wanted, comes to one of these
    /// handlers.
    fn passes(
        &mut self,
        method: Option<MethodId>,
        pc: u16,
        wanted: Option<&[u16]>,
        raised: RaisedException,
        fates: &mut Fates,
    ) -> bool {
        // Hidden classes catch nothing.
        let Some(method) = method else { return true };
        let fate = fates.of(&mut self.reached.world, method, pc, raised.typed);
        wanted.map_or(fate.leaves, |wanted| fate.caught.iter().any(|handler| wanted.contains(handler)))
    }

    fn witness(&self, way: &Way, recursive: &FxHashSet<Node>, path: &[(Node, u16)]) -> WitnessPath {
        let last = path.len().saturating_sub(1);
        let frames = path.iter().enumerate().filter_map(|(index, (node, pc))| {
            let method = self.reached.method_of(node.instance())?;
            let pc = Some(*pc).filter(|_| index < last || way.has_line());
            let site = site_of(&self.reached.world, method, pc);
            Some(Frame { site, is_recursive: recursive.contains(node) })
        });
        WitnessPath { frames: frames.collect() }
    }
}

/// A path as people see it: frames of one line are alike.
fn lines_of(path: &WitnessPath) -> Vec<(Site, bool)> {
    path.frames.iter().map(|frame| (frame.site.as_line(), frame.is_recursive)).collect()
}

fn is_operation(raised: RaisedException) -> bool {
    matches!(raised.point.kind, RaisingKind::Operation(_))
}
