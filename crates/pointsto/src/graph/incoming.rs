//! The edges of a graph by the nodes that they lead to.

use super::{Edge, Filter};

pub(super) struct Incoming {
    /// By node: where its sources begin.
    starts: Vec<u32>,
    sources: Vec<(u32, Filter)>,
}

impl Incoming {
    /// `edges` are those that leave each node.
    pub(super) fn of(edges: &[Vec<Edge>]) -> Self {
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

    pub(super) fn of_node(&self, node: usize) -> &[(u32, Filter)] {
        &self.sources[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}
