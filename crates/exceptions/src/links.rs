//! Links: which raising points lead to which catch clauses.

use crate::flow::Flow;
use crate::raises::Raise;
use catchment_pointsto::Reached;
use catchment_pointsto::ids::ClassId;
use catchment_pointsto::world::{Layer, Typed};
use std::collections::BTreeMap;

/// A catch clause that somebody wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clause {
    pub class: ClassId,
    /// Position among the pairs of the class.
    pub pair: usize,
}

/// A raising point whose exceptions can come to a clause, and their types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub raise: Raise,
    pub clause: Clause,
    pub types: Vec<Typed>,
}

/// Whose clauses are asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Handlers {
    #[default]
    Application,
    All,
}

/// All links into clauses, by clause and raising point.
pub fn links(reached: &Reached<'_>, flow: &Flow, handlers: Handlers) -> Vec<Link> {
    let mut found: BTreeMap<(Clause, Raise), Vec<Typed>> = BTreeMap::new();
    for (instance, handler, caught) in flow.caught() {
        let Some(method) = reached.method_of(instance) else { continue };
        let declared = reached.world.method(method);
        if handlers == Handlers::Application
            && reached.world.class_of(declared.class).layer != Layer::Application
        {
            continue;
        }
        let pair = flow.handlers_of(declared.class).and_then(|it| it.pair_at(declared.position, handler));
        let Some(pair) = pair else { continue };
        let clause = Clause { class: declared.class, pair };
        for number in caught.iter() {
            let raised = flow.raised.get(number);
            found.entry((clause, raised.raise)).or_default().push(raised.typed);
        }
    }
    let links = found.into_iter().map(|((clause, raise), mut types)| {
        types.sort_unstable();
        types.dedup();
        Link { raise, clause, types }
    });
    links.collect()
}
