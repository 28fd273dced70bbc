//! Nodes in one strongly connected component become one node.
//!
//! Done only when nothing flows any more: then all nodes of a component hold the same set, and nothing has to be caught
//! up on. Looking for components costs as much as the graph is large, so it is done again when the graph has grown by a
//! third.

use super::scc::Components;
use super::{Edge, Filter, Graph, UNUSED};
use crate::ids::NodeId;

impl Graph {
    /// Merges components if the graph has grown enough since the last time.
    pub(crate) fn collapse_if_grown(&mut self) {
        if self.edge_count > 1_000 && self.edge_count > self.edges_when_collapsed * 4 / 3 {
            self.collapse();
        }
    }

    /// Merges components. All nodes of a component have to hold the same objects: none, or what has flowed until
    /// nothing changed.
    pub(crate) fn collapse(&mut self) {
        let components = self.components(|edge| edge.filter == Filter::NONE);
        let components = (0..components.len())
            .map(|component| components.members(component))
            .filter(|nodes| nodes.len() > 1);
        // The node with the least number is the one that stays.
        let mut components: Vec<Vec<u32>> = components.map(<[u32]>::to_vec).collect();
        components.iter_mut().for_each(|nodes| nodes.sort_unstable());
        components.sort_unstable();
        for members in &components {
            self.unite(members);
        }
        self.refresh_edges();
        self.rank();
        self.edges_when_collapsed = self.edge_count;
    }

    /// Orders the nodes along the edges, those with a filter included: whoever is passed to waits until all has been
    /// passed to it. On a component nobody comes before the others.
    fn rank(&mut self) {
        let components = self.components(|_| true);
        for (rank, component) in self.ranks.iter_mut().zip(components.numbers()) {
            *rank = u32::MAX - 1 - component.min(&(u32::MAX - 1));
        }
    }

    /// The components along some of the edges, of the nodes that are left.
    fn components(&self, is_edge: impl Fn(&Edge) -> bool) -> Components {
        let mut components = Components::new(self.parents.len());
        let nodes = (0..self.parents.len() as u32).filter(|node| self.parents[*node as usize] == *node);
        components.find(nodes, |node, at| {
            let edges: &[Edge] = self.edges[node as usize].get(at as usize..)?;
            let skipped = edges.iter().position(&is_edge)?;
            Some((self.root(edges[skipped].to) as u32, at + skipped as u32 + 1))
        });
        components
    }

    pub(super) fn unite(&mut self, members: &[u32]) {
        let Some((first, rest)) = members.split_first() else { return };
        let into = *first as usize;
        for member in rest {
            let from = *member as usize;
            self.parents[from] = *first;
            self.objects[from] = Default::default();
            self.fresh[from] = Default::default();
            let edges = std::mem::take(&mut self.edges[from]);
            self.edges[into].extend(edges);
            self.append_waiting(into, from);
        }
    }

    fn append_waiting(&mut self, into: usize, from: usize) {
        let mut last = self.waiting_of[from];
        if last == UNUSED {
            return;
        }
        while self.waiting[last as usize].next != UNUSED {
            last = self.waiting[last as usize].next;
        }
        self.waiting[last as usize].next = self.waiting_of[into];
        self.waiting_of[into] = self.waiting_of[from];
        self.waiting_of[from] = UNUSED;
    }

    /// Edges lead to the nodes that are left, once each.
    fn refresh_edges(&mut self) {
        self.costly.clear();
        self.edge_count = 0;
        for node in 0..self.edges.len() {
            let mut edges = std::mem::take(&mut self.edges[node]);
            for edge in &mut edges {
                edge.to = NodeId(self.find(edge.to) as u32);
            }
            edges.retain(|edge| edge.to.index() != node);
            edges.sort_unstable();
            edges.dedup();
            self.edge_count += edges.len();
            self.edges[node] = edges;
        }
    }
}
