//! Nodes on a circle of edges become one node.
//!
//! Done only when nothing flows any more: then all nodes of a circle hold the same set, and nothing has to be caught up on.
//! Looking for circles costs as much as the graph is large, so it is done again when the graph has grown by a third.

use super::circles::Circles;
use super::{Edge, Filter, Graph, UNUSED};
use crate::ids::NodeId;

impl Graph {
    /// Merges circles if the graph has grown enough since the last time.
    pub(crate) fn collapse_if_grown(&mut self) {
        if self.edge_count > 1_000 && self.edge_count > self.edges_when_collapsed * 4 / 3 {
            self.collapse();
        }
    }

    /// Merges circles. All nodes of a circle have to hold the same objects: none, or what has flowed until nothing changed.
    pub fn collapse(&mut self) {
        let circles = self.circles(|edge| edge.filter == Filter::NONE);
        let circles =
            (0..circles.len()).map(|circle| circles.members(circle)).filter(|nodes| nodes.len() > 1);
        // The node with the least number is the one that stays.
        let mut circles: Vec<Vec<u32>> = circles.map(<[u32]>::to_vec).collect();
        circles.iter_mut().for_each(|nodes| nodes.sort_unstable());
        circles.sort_unstable();
        for members in &circles {
            self.unite(members);
        }
        self.refresh_edges();
        self.rank();
        self.edges_when_collapsed = self.edge_count;
    }

    /// Orders the nodes along the edges, those with a filter included: whoever is passed to waits until all has been passed
    /// to it. On a circle nobody comes before the others.
    fn rank(&mut self) {
        let circles = self.circles(|_| true);
        for (rank, circle) in self.ranks.iter_mut().zip(circles.numbers()) {
            *rank = u32::MAX - 1 - circle.min(&(u32::MAX - 1));
        }
    }

    /// The circles along some of the edges, of the nodes that are left.
    fn circles(&self, is_edge: impl Fn(&Edge) -> bool) -> Circles {
        let mut circles = Circles::new(self.parents.len());
        let nodes = (0..self.parents.len() as u32).filter(|node| self.parents[*node as usize] == *node);
        circles.find(nodes, |node, at| {
            let edges: &[Edge] = self.edges[node as usize].get(at as usize..)?;
            let skipped = edges.iter().position(&is_edge)?;
            Some((self.root(edges[skipped].to) as u32, at + skipped as u32 + 1))
        });
        circles
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
