//! Witness paths: how an exception can come from its raising point to a clause.
//!
//! Searched on demand, for one raised exception at a time, from the try downwards: the shortest paths, or all calls by which
//! there is one. A call is followed only to methods that the
//! exception can leave, and only if it can pass all handlers on its way back.

use crate::answer::{Frame, WitnessPath};
use crate::describe::place_of;
use crate::fate::Fates;
use crate::links::Link;
use crate::privileged;
use crate::raises::{RaiseKind, Raised};
use crate::search::LinkSearch;
use crate::ways::{Node, Stop, Ways};
use catchment_pointsto::CallKind;
use catchment_pointsto::ids::{InstanceId, MethodId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A try in one instance of its method, and the handlers of the clause that is asked about.
pub(crate) struct Try {
    pub(crate) instance: InstanceId,
    handlers: Vec<u16>,
}

/// From a try to where one exception is raised.
pub(crate) struct Way {
    pub(crate) site: Try,
    pub(crate) raised: Raised,
    pub(crate) calls: Ways,
}

impl Way {
    pub(crate) fn instance(&self, node: Node) -> InstanceId {
        match node {
            Node::Try => self.site.instance,
            Node::Method(instance) => instance,
        }
    }

    /// Operations of the catalogue raise as a whole, not at one of their instructions.
    pub(crate) fn has_line(&self) -> bool {
        !is_operation(self.raised)
    }
}

impl LinkSearch<'_> {
    /// Up to `limit` paths of the link with this number, the shortest first. Nothing if there is no such link.
    pub fn paths(&mut self, number: usize, limit: usize) -> Option<Vec<WitnessPath>> {
        let mut found = Vec::new();
        for way in self.all_ways(number)? {
            let recursive = way.calls.recursive();
            let paths = way.calls.shortest(limit);
            found.extend(paths.iter().map(|path| self.witness(&way, &recursive, path)));
        }
        found.sort_by_key(|path: &WitnessPath| path.frames.len());
        let mut seen = FxHashSet::default();
        found.retain(|path| seen.insert(path.clone()));
        found.truncate(limit);
        Some(found)
    }

    /// The ways of each exception of a link into each instance of its try.
    pub(crate) fn all_ways(&mut self, number: usize) -> Option<Vec<Way>> {
        let link = self.links.get(number.checked_sub(1)?)?.clone();
        let mut found = Vec::new();
        let mut fates = Fates::default();
        for typed in &link.types {
            let raised = Raised { raise: link.raise, typed: *typed };
            let Some(number) = self.flow.raised.number(&raised) else { continue };
            for site in self.tries(&link, number) {
                let calls = self.ways(&site, raised, number, &mut fates);
                found.push(Way { site, raised, calls });
            }
        }
        Some(found)
    }

    /// Where the clause catches this exception.
    fn tries(&self, link: &Link, number: u32) -> Vec<Try> {
        let mut catching: FxHashMap<InstanceId, Vec<u16>> = FxHashMap::default();
        for (instance, handler, caught) in self.flow.caught() {
            let Some(method) = self.reached.method_of(instance) else { continue };
            let declared = self.reached.world.method(method);
            let pair = || self.flow.handlers_of(declared.class)?.pair_at(declared.position, handler);
            if declared.class == link.clause.class
                && caught.contains(number)
                && pair() == Some(link.clause.pair)
            {
                catching.entry(instance).or_default().push(handler);
            }
        }
        let tries = catching.into_iter().map(|(instance, handlers)| Try { instance, handlers });
        let mut tries: Vec<_> = tries.collect();
        tries.sort_unstable_by_key(|site| site.instance);
        tries
    }

    /// All ways from the try to where the exception is raised.
    fn ways(&mut self, site: &Try, raised: Raised, number: u32, fates: &mut Fates) -> Ways {
        let mut ways = Ways::default();
        let mut open = VecDeque::from([Node::Try]);
        let mut seen = FxHashSet::from_iter([Node::Try]);
        while let Some(node) = open.pop_front() {
            let stops = self.stops(node, site, raised, number, fates);
            for (_, stop) in &stops {
                if let Stop::Call(target) = stop
                    && seen.insert(Node::Method(*target))
                {
                    open.push_back(Node::Method(*target));
                }
            }
            ways.add(node, stops);
        }
        ways
    }

    /// The places of a method, or of the try, by which the exception comes.
    fn stops(
        &mut self,
        node: Node,
        site: &Try,
        raised: Raised,
        number: u32,
        fates: &mut Fates,
    ) -> Vec<(u16, Stop)> {
        let (instance, wanted) = match node {
            Node::Try => (site.instance, Some(site.handlers.as_slice())),
            Node::Method(instance) => (instance, None),
        };
        let method = self.reached.method_of(instance);
        let is_raising = method == Some(raised.raise.method);
        if is_raising && is_operation(raised) {
            return vec![(0, Stop::Raise)];
        }
        let mut stops = Vec::new();
        if is_raising && self.passes(method, raised.raise.pc, wanted, raised, fates) {
            stops.push((raised.raise.pc, Stop::Raise));
        }
        for call in self.reached.calls_of(instance).to_vec() {
            let targets = self.reached.targets(&call).iter().copied();
            let leads = targets.filter(|target| self.flow.escaping(*target).contains(number));
            let leads: Vec<InstanceId> =
                if call.kind == CallKind::Ordinary { leads.collect() } else { Vec::new() };
            let comes_out = |search: &mut Self| {
                method.is_none_or(|it| privileged::comes_out(&mut search.reached, it, &call, raised.typed))
            };
            if !leads.is_empty() && comes_out(self) && self.passes(method, call.pc, wanted, raised, fates) {
                stops.extend(leads.into_iter().map(|target| (call.pc, Stop::Call(target))));
            }
        }
        stops
    }

    /// Whether the exception, raised here, leaves the method or, where some are wanted, comes to one of these handlers.
    fn passes(
        &mut self,
        method: Option<MethodId>,
        pc: u16,
        wanted: Option<&[u16]>,
        raised: Raised,
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
            let method = self.reached.method_of(way.instance(*node))?;
            let pc = Some(*pc).filter(|_| index < last || way.has_line());
            let place = place_of(&self.reached.world, method, pc);
            Some(Frame { place, is_recursive: recursive.contains(node) })
        });
        WitnessPath { frames: frames.collect() }
    }
}

fn is_operation(raised: Raised) -> bool {
    matches!(raised.raise.kind, RaiseKind::Operation(_))
}
