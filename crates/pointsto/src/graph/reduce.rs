//! Makes a graph smaller before anything flows in it: nodes that are given the same by the same nodes are one node.

use super::{Edge, Filter, Graph};
use crate::ids::NodeId;
use rustc_hash::FxHashMap;

/// Passes over all nodes in search of equal ones: more find little more.
const PASSES: usize = 8;

impl Graph {
    /// Nothing may flow yet, and from now on no edge may be added. Only the nodes in `given` may be given objects.
    pub fn reduce(&mut self, given: impl Iterator<Item = NodeId>) {
        self.collapse();
        let mut is_given = vec![false; self.parents.len()];
        for node in given {
            is_given[self.root(node)] = true;
        }
        self.unite_equals(&is_given);
        self.collapse();
    }

    fn unite_equals(&mut self, is_given: &[bool]) {
        let into = Incoming::of(&self.edges);
        let count = self.parents.len() as u32;
        let mut order: Vec<u32> = (0..count).filter(|node| self.parents[*node as usize] == *node).collect();
        order.sort_by_key(|node| self.ranks[*node as usize]);
        order.retain(|node| !is_given[*node as usize]);
        // By node: one that is known to hold the same.
        let mut equal: Vec<u32> = (0..count).collect();
        for _ in 0..PASSES {
            if !find_equals(&order, &into, &mut equal) {
                break;
            }
        }
        for node in order {
            let (one, other) = (self.find(NodeId(node)), self.find(NodeId(equal[node as usize])));
            if one != other {
                self.unite(&[other as u32, one as u32]);
            }
        }
    }
}

/// One pass over nodes that are given nothing but by edges. Whether that changed anything.
fn find_equals(order: &[u32], into: &Incoming, equal: &mut [u32]) -> bool {
    let mut known: FxHashMap<Vec<(u32, Filter)>, u32> = FxHashMap::default();
    let mut is_changed = false;
    for node in order {
        let sources = into.of_node(*node as usize).iter();
        let mut sources: Vec<(u32, Filter)> =
            sources.map(|(from, filter)| (equal[*from as usize], *filter)).collect();
        sources.sort_unstable();
        sources.dedup();
        let found = match sources[..] {
            [(from, Filter::NONE)] => from,
            _ => *known.entry(sources).or_insert(*node),
        };
        is_changed |= std::mem::replace(&mut equal[*node as usize], found) != found;
    }
    is_changed
}

/// The edges of a graph by the nodes that they lead to.
struct Incoming {
    /// By node: where its sources begin.
    starts: Vec<u32>,
    sources: Vec<(u32, Filter)>,
}

impl Incoming {
    /// `edges` are those that leave each node.
    fn of(edges: &[Vec<Edge>]) -> Self {
        let mut starts = vec![0u32; edges.len() + 1];
        for edge in edges.iter().flatten() {
            starts[edge.to.index() + 1] += 1;
        }
        for node in 1..starts.len() {
            starts[node] += starts[node - 1];
        }
        let mut next = starts.clone();
        let mut sources = vec![(0, Filter::NONE); starts[edges.len()] as usize];
        for (from, edges) in (0..).zip(edges) {
            for Edge { to, filter } in edges {
                sources[next[to.index()] as usize] = (from, *filter);
                next[to.index()] += 1;
            }
        }
        Self { starts, sources }
    }

    fn of_node(&self, node: usize) -> &[(u32, Filter)] {
        &self.sources[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}
