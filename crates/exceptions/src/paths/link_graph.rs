//! All calls by which a link comes, as a graph for whoever wants to walk it themselves.

use crate::answer::{LinkGraph, Passage, Site, Station, StationKind};
use crate::describe::site_of;
use crate::paths::ways::{Node, Stop};
use crate::paths::witness::Way;
use crate::search::LinkSearch;
use catchment_pointsto::Code;
use std::collections::{BTreeMap, BTreeSet};

/// A station whatever its context; whether it is recursive is known when all contexts are.
type Key = (StationKind, Site);

#[derive(Default)]
struct Builder {
    stations: BTreeMap<Key, bool>,
    passages: BTreeSet<(Key, Option<Key>, Option<u32>)>,
}

impl LinkSearch<'_> {
    /// The graph of the link with this number. Nothing if there is no such link.
    pub fn graph(&mut self, number: usize) -> Option<LinkGraph> {
        let mut builder = Builder::default();
        for way in self.all_ways(number)? {
            self.add_way(&way, &mut builder);
        }
        Some(builder.finish())
    }

    fn add_way(&self, way: &Way, builder: &mut Builder) {
        let recursive = way.calls.recursive();
        for (node, pc, stop) in way.calls.leading() {
            let instance = node.instance();
            let from = self.key(node);
            let line = self.reached.method_of(instance).and_then(|method| {
                let is_somewhere = stop != Stop::RaisingPoint || way.has_line();
                site_of(&self.reached.world, method, is_somewhere.then_some(pc)).line
            });
            let to = match stop {
                Stop::RaisingPoint => None,
                Stop::Call(target) => Some(self.key(Node::Method(target))),
            };
            *builder.stations.entry(from.clone()).or_default() |= recursive.contains(&node);
            builder.passages.insert((from, to, line));
        }
    }

    fn key(&self, node: Node) -> Key {
        let (kind, method) = match (node, self.reached.instances[node.instance().index()]) {
            (_, Code::Proxy(method)) => (StationKind::Lambda, method),
            (Node::Try(_), Code::Method(method)) => (StationKind::Try, method),
            (Node::Method(_), Code::Method(method)) => (StationKind::Method, method),
        };
        (kind, site_of(&self.reached.world, method, None))
    }
}

impl Builder {
    fn finish(self) -> LinkGraph {
        let numbers: BTreeMap<&Key, usize> = self.stations.keys().zip(0..).collect();
        // Whatever is called leads on, so it is a station itself.
        let passages = self.passages.iter().filter_map(|(from, to, line)| {
            let to = match to {
                Some(to) => Some(*numbers.get(to)?),
                None => None,
            };
            Some(Passage { from: *numbers.get(from)?, to, line: *line })
        });
        let passages = passages.collect();
        let stations = self.stations.into_iter();
        let stations = stations.map(|((kind, method), is_recursive)| Station { kind, method, is_recursive });
        LinkGraph { stations: stations.collect(), passages }
    }
}
