//! The sets are those that plain propagation finds.

use super::super::{Filter, Graph};
use super::{FilterClass, FilterClassFlow};
use crate::ids::NodeId;
use crate::world::{ClassSource, Layer, Typed, World};

/// Classes of these names, each with the class above it.
const CLASSES: [(&str, &str); 5] = [
    ("java/lang/Object", ""),
    ("A", "java/lang/Object"),
    ("B", "A"),
    ("C", "java/lang/Object"),
    ("D", "Missing"),
];

struct Source(Vec<(String, Vec<u8>)>);

impl Source {
    fn new() -> Self {
        Self(CLASSES.map(|(name, above)| (name.to_owned(), class_file(name, above))).into())
    }
}

impl ClassSource for Source {
    fn find(&self, name: &[u8]) -> Option<(&[u8], Layer)> {
        let found = self.0.iter().find(|(known, _)| known.as_bytes() == name)?;
        Some((&found.1, Layer::Application))
    }

    fn for_each_name(&self, with: &mut dyn FnMut(&[u8])) {
        self.0.iter().for_each(|(name, _)| with(name.as_bytes()));
    }
}

/// A class without members (JVMS §4.1).
fn class_file(name: &str, above: &str) -> Vec<u8> {
    let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 5];
    for name in [name, above] {
        bytes.push(1);
        bytes.extend((name.len() as u16).to_be_bytes());
        bytes.extend(name.as_bytes());
    }
    bytes.extend([7, 0, 1, 7, 0, 2]);
    let above = if above.is_empty() { 0 } else { 4 };
    bytes.extend([0, 0x21, 0, 3, 0, above, 0, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

/// Numbers that look random and are the same in every run.
struct Numbers(u32);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % bound
    }
}

struct Sample {
    nodes: u32,
    /// From, to, and which of the filters.
    edges: Vec<(u32, u32, usize)>,
    /// Node and type.
    given: Vec<(NodeId, Typed)>,
}

impl Sample {
    fn new(seed: u32, world: &mut World<'_>) -> Self {
        let mut numbers = Numbers(seed);
        let nodes = 4 + numbers.below(60);
        let edges = (0..2 * nodes).map(|_| {
            let (from, to) = (numbers.below(nodes) as u32, numbers.below(nodes) as u32);
            (from, to, numbers.below(2 + 2 * CLASSES.len()))
        });
        let edges = edges.collect();
        let given = (0..nodes / 2).map(|_| {
            let class = world.class(CLASSES[1 + numbers.below(CLASSES.len() - 1)].0.as_bytes());
            (NodeId::new(numbers.below(nodes)), Typed { class, is_exact: numbers.below(2) == 0 })
        });
        Self { nodes: nodes as u32, given: given.collect(), edges }
    }

    fn graph(&self, world: &mut World<'_>) -> Graph {
        let mut graph = Graph::default();
        graph.nodes(self.nodes);
        let classes = CLASSES.map(|(name, _)| world.class(name.as_bytes()));
        for (from, to, filter) in &self.edges {
            let filter = match classes.get(filter / 2) {
                Some(class) if filter % 2 == 0 => graph.filters.is(*class, world),
                Some(class) => graph.filters.is_not(*class, world),
                None => Filter::NONE,
            };
            graph.add_edge(NodeId(*from), NodeId(*to), filter);
        }
        graph
    }
}

#[test]
fn every_set_is_what_plain_propagation_finds() {
    let source = Source::new();
    let mut world = World::new(&source);
    for seed in 0..300 {
        let sample = Sample::new(seed, &mut world);
        let mut by_class = sample.graph(&mut world);
        let mut plain = sample.graph(&mut world);

        let mut classes: Vec<FilterClass> = Vec::new();
        let mut given: Vec<(usize, NodeId, Typed)> = Vec::new();
        for (node, typed) in &sample.given {
            let class = by_class.filter_class_of(*typed, &world);
            let at = classes.iter().position(|known| *known == class).unwrap_or(classes.len());
            if at == classes.len() {
                classes.push(class);
            }
            given.push((at, *node, *typed));
        }
        given.sort_by_key(|(class, ..)| *class);

        by_class.reduce(given.iter().map(|(_, node, _)| *node));
        let mut flow = FilterClassFlow::new(&by_class);
        let mut is_marked = vec![false; flow.nodes()];
        for (at, class) in classes.iter().enumerate() {
            let numbered = (0..).zip(&given).filter(|(_, (of, ..))| *of == at);
            let objects: Vec<(NodeId, u32)> =
                numbered.map(|(object, (_, node, _))| (*node, object)).collect();
            flow.add(class, &objects, &mut is_marked);
        }
        for (object, (_, node, typed)) in (0..).zip(&given) {
            plain.filters.add_object(object, *typed, &world);
            plain.add_object(*node, object);
        }
        assert!(plain.propagate_while(&|| true));
        let marked: Vec<bool> =
            (0..sample.nodes).map(|node| is_marked[flow.root(NodeId(node)).index()]).collect();
        flow.finish(&mut by_class);
        for node in (0..sample.nodes).map(NodeId) {
            assert_eq!(by_class.objects(node), plain.objects(node), "sample {seed}, {node:?}");
            assert_eq!(marked[node.index()], !plain.objects(node).is_empty(), "sample {seed}, {node:?}");
        }
    }
}
