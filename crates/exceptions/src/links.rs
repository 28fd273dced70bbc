//! Links: which raising points lead to which catch clauses.

use crate::exception_flow::ExceptionFlow;
use crate::exception_flow::raising_points::{RaisingKind, RaisingPoint};
use catchment_pointsto::ClassId;
use catchment_pointsto::Reached;
use catchment_pointsto::{Layer, Typed};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A clause of a class, by its pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clause {
    pub class: ClassId,
    /// Position among the pairs of the class.
    pub pair: usize,
}

/// A raising point whose exceptions can come to a clause, and their types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub point: RaisingPoint,
    pub clause: Clause,
    pub types: Vec<Typed>,
}

/// A link as it is counted: one per raising point and clause, where all methods of a catalogue entry are one raising
/// point.
#[derive(Debug, Clone)]
pub(crate) struct MergedLink {
    pub(crate) clause: Clause,
    /// One for each method that raises; never empty.
    pub(crate) parts: Vec<Link>,
}

impl MergedLink {
    /// The raising point that stands for all parts.
    pub(crate) fn point(&self) -> RaisingPoint {
        self.parts[0].point
    }

    /// Thrown types, each once.
    pub(crate) fn types(&self) -> Vec<Typed> {
        let mut types: Vec<Typed> = self.parts.iter().flat_map(|part| &part.types).copied().collect();
        types.sort_unstable();
        types.dedup();
        types
    }
}

/// The clauses that links are searched for: of the application, or of all classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClauseScope {
    #[default]
    Application,
    All,
}

/// All links into clauses, by clause and raising point.
pub fn links(reached: &Reached<'_>, flow: &ExceptionFlow, scope: ClauseScope) -> Vec<Link> {
    let mut found: BTreeMap<(Clause, RaisingPoint), Vec<Typed>> = BTreeMap::new();
    for (instance, handler, caught) in flow.caught() {
        let Some(method) = reached.method_of(instance) else { continue };
        let declared = reached.world.method(method);
        if scope == ClauseScope::Application
            && reached.world.class_of(declared.class).layer != Layer::Application
        {
            continue;
        }
        let pair = flow.handlers_of(declared.class).and_then(|it| it.pair_at(declared.position, handler));
        let Some(pair) = pair else { continue };
        let clause = Clause { class: declared.class, pair };
        for number in caught.iter() {
            let raised = flow.raised.get(number);
            found.entry((clause, raised.point)).or_default().push(raised.typed);
        }
    }
    let links = found.into_iter().map(|((clause, point), mut types)| {
        types.sort_unstable();
        types.dedup();
        Link { point, clause, types }
    });
    links.collect()
}

/// Links from methods of the same catalogue entry become one.
pub(crate) fn merge(links: Vec<Link>) -> Vec<MergedLink> {
    let mut merged: Vec<MergedLink> = Vec::new();
    let mut operations: FxHashMap<(Clause, u32), usize> = FxHashMap::default();
    for link in links {
        let clause = link.clause;
        if let RaisingKind::Operation(entry) = link.point.kind {
            let index = *operations.entry((clause, entry)).or_insert(merged.len());
            if let Some(known) = merged.get_mut(index) {
                known.parts.push(link);
                continue;
            }
        }
        merged.push(MergedLink { clause, parts: vec![link] });
    }
    merged
}
