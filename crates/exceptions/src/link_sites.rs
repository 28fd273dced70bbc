//! Sites of links: the instructions of a try that the exceptions of a link come out of.

use crate::answer::{LinksAnswer, Site};
use crate::describe::site_of;
use crate::exception_flow::fate::Fates;
use crate::exception_flow::raising_points::{RaisingKind, RaisingPoint};
use crate::links::Clause;
use crate::reachability::ranges_of;
use crate::search::LinkSearch;
use catchment_pointsto::Typed;
use catchment_pointsto::{Call, Set};
use catchment_pointsto::{InstanceId, MethodId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers of links, by the methods that raise and the clause.
type Numbers = FxHashMap<(RaisingPoint, Clause), usize>;

/// By number of a link: instructions.
type Found = BTreeMap<usize, BTreeSet<(MethodId, u16)>>;

/// One handler of one instance of a method.
struct Handler {
    instance: InstanceId,
    method: MethodId,
    clause: Clause,
    pc: u16,
    caught: Set,
}

struct SiteFinder<'s, 'a> {
    search: &'s mut LinkSearch<'a>,
    numbers: Numbers,
    fates: Fates,
    /// By [`catchment_pointsto::Reached::targets_key`] and number of the targets: exceptions that leave the targets of
    /// a call.
    leaving: FxHashMap<(u32, usize), Set>,
    found: Found,
}

impl LinkSearch<'_> {
    /// Adds to the links of an answer of this search the instructions that their exceptions come out of.
    pub fn add_sites(&mut self, answer: &mut LinksAnswer) {
        let wanted: FxHashSet<usize> = answer.links.iter().map(|link| link.number).collect();
        let numbered = (1..).zip(&self.links).filter(|(number, _)| wanted.contains(number));
        let parts = numbered.flat_map(|(number, link)| link.parts.iter().map(move |part| (part, number)));
        let numbers = parts.map(|(part, number)| ((part.point, part.clause), number)).collect();
        let (fates, leaving, found) = (Fates::default(), FxHashMap::default(), Found::new());
        let mut finder = SiteFinder { search: self, numbers, fates, leaving, found };
        for handler in finder.handlers() {
            finder.add_calls(&handler);
            finder.add_own(&handler);
        }
        let found = finder.found;
        let mut known: BTreeMap<(MethodId, u16), usize> = BTreeMap::new();
        for link in &mut answer.links {
            for (method, pc) in found.get(&link.number).into_iter().flatten() {
                let index = *known.entry((*method, *pc)).or_insert_with(|| {
                    answer.sites.push(site_of(&self.reached.world, *method, Some(*pc)));
                    answer.sites.len() - 1
                });
                link.sites.push(index);
            }
            let sites: &[Site] = &answer.sites;
            link.sites.sort_by(|one, other| sites[*one].cmp(&sites[*other]));
        }
    }
}

impl SiteFinder<'_, '_> {
    /// Handlers of clauses that have links.
    fn handlers(&self) -> Vec<Handler> {
        let clauses: FxHashSet<Clause> = self.numbers.keys().map(|(_, clause)| *clause).collect();
        let LinkSearch { flow, reached, .. } = &*self.search;
        let handlers = flow.caught().filter_map(|(instance, pc, caught)| {
            let method = reached.method_of(instance)?;
            let declared = reached.world.method(method);
            let pair = flow.handlers_of(declared.class)?.pair_at(declared.position, pc)?;
            let clause = Clause { class: declared.class, pair };
            let handler = || Handler { instance, method, clause, pc, caught: caught.clone() };
            clauses.contains(&clause).then(handler)
        });
        handlers.collect()
    }

    /// Calls in the try that let exceptions of a link out.
    fn add_calls(&mut self, handler: &Handler) {
        let ranges = ranges_of(&self.search.reached, handler.method, handler.pc);
        for call in self.search.reached.calls_of(handler.instance).to_vec() {
            if !ranges.iter().any(|range| range.contains(&call.pc)) {
                continue;
            }
            let mut arriving = Set::default();
            arriving.add_filtered(self.leaving(&call), &handler.caught, true, &mut Set::default());
            let mut passing: FxHashMap<Typed, bool> = FxHashMap::default();
            for exception in arriving.iter() {
                let raised = *self.search.flow.raised.get(exception);
                let Some(number) = self.numbers.get(&(raised.point, handler.clause)).copied() else {
                    continue;
                };
                let passes = match passing.get(&raised.typed) {
                    Some(passes) => *passes,
                    None => {
                        let passes = self.search.comes_out(Some(handler.method), &call, raised.typed)
                            && self.comes_to(handler, call.pc, raised.typed);
                        passing.insert(raised.typed, passes);
                        passes
                    }
                };
                if passes {
                    self.found.entry(number).or_default().insert((handler.method, call.pc));
                }
            }
        }
    }

    /// Raising points that stand in the try themselves.
    fn add_own(&mut self, handler: &Handler) {
        for exception in handler.caught.iter() {
            let raised = *self.search.flow.raised.get(exception);
            let RaisingPoint { method, pc, kind } = raised.point;
            if method != handler.method || matches!(kind, RaisingKind::Operation(_)) {
                continue;
            }
            let Some(number) = self.numbers.get(&(raised.point, handler.clause)).copied() else { continue };
            if self.comes_to(handler, pc, raised.typed) {
                self.found.entry(number).or_default().insert((method, pc));
            }
        }
    }

    fn comes_to(&mut self, handler: &Handler, pc: u16, typed: Typed) -> bool {
        let fate = self.fates.of(&mut self.search.reached.world, handler.method, pc, typed);
        fate.caught.contains(&handler.pc)
    }

    /// Exceptions that leave the targets of a call.
    fn leaving(&mut self, call: &Call) -> &Set {
        let LinkSearch { flow, reached, .. } = &*self.search;
        let key = (reached.targets_key(call), reached.targets(call).len());
        self.leaving.entry(key).or_insert_with(|| {
            let mut leaving = Set::default();
            for target in reached.targets(call) {
                leaving.add_all(flow.escaping(*target), &mut Set::default());
            }
            leaving
        })
    }
}
