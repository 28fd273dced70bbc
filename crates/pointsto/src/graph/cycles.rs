//! Nodes on a circle of edges become one node.
//!
//! Done only when nothing flows any more: then all nodes of a circle hold the same set, and nothing has to be caught up on.
//! Looking for circles costs as much as the graph is large, so it is done again when the graph has grown by a third.

use super::{Edge, Filter, Graph, UNUSED};
use crate::ids::NodeId;

const NONE: u32 = u32::MAX;

impl Graph {
    /// Merges circles if the graph has grown enough since the last time.
    pub(crate) fn collapse_if_grown(&mut self) {
        if self.edge_count > 1_000 && self.edge_count > self.edges_when_collapsed * 4 / 3 {
            self.collapse();
        }
    }

    /// Merges circles. All nodes of a circle have to hold the same objects: none, or what has flowed until nothing changed.
    pub fn collapse(&mut self) {
        let components = Components::of(self, |edge| edge.filter == Filter::NONE);
        for members in components.circles() {
            self.unite(&members);
        }
        self.refresh_edges();
        self.rank();
        self.edges_when_collapsed = self.edge_count;
    }

    /// Orders the nodes along the edges, those with a filter included: whoever is passed to waits until all has been passed
    /// to it. On a circle nobody comes before the others.
    fn rank(&mut self) {
        // Components are numbered from the ends of the edges.
        let components = Components::of(self, |_| true);
        for (rank, component) in self.ranks.iter_mut().zip(&components.component) {
            *rank = u32::MAX - 1 - component.min(&(u32::MAX - 1));
        }
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

/// Strongly connected components along some of the edges: Tarjan's algorithm without recursion.
struct Components {
    /// By node.
    component: Vec<u32>,
}

impl Components {
    fn of(graph: &Graph, is_edge: impl Fn(&Edge) -> bool) -> Self {
        let count = graph.parents.len();
        let mut search = Search {
            graph,
            is_edge,
            met: vec![NONE; count],
            low: vec![NONE; count],
            component: vec![NONE; count],
            open: Vec::new(),
            path: Vec::new(),
            next: 0,
            components: 0,
        };
        for node in 0..count as u32 {
            if graph.parents[node as usize] == node && search.met[node as usize] == NONE {
                search.run(node);
            }
        }
        Self { component: search.component }
    }

    /// The components of more than one node.
    fn circles(&self) -> Vec<Vec<u32>> {
        let components =
            self.component.iter().filter(|it| **it != NONE).max().map_or(0, |it| *it as usize + 1);
        let mut sizes = vec![0u32; components];
        for component in self.component.iter().filter(|it| **it != NONE) {
            sizes[*component as usize] += 1;
        }
        let mut circles: Vec<Vec<u32>> = Vec::new();
        let mut number = vec![NONE; components];
        for (node, component) in self.component.iter().enumerate() {
            if *component == NONE || sizes[*component as usize] < 2 {
                continue;
            }
            let at = &mut number[*component as usize];
            if *at == NONE {
                *at = circles.len() as u32;
                circles.push(Vec::new());
            }
            circles[*at as usize].push(node as u32);
        }
        circles
    }
}

struct Search<'g, F> {
    graph: &'g Graph,
    is_edge: F,
    /// By node: when it was first met.
    met: Vec<u32>,
    /// By node: the earliest that it leads back to.
    low: Vec<u32>,
    component: Vec<u32>,
    /// Nodes that were met and whose component is not known yet.
    open: Vec<u32>,
    /// The way from the start to here: node and its next edge.
    path: Vec<(u32, u32)>,
    next: u32,
    components: u32,
}

impl<F: Fn(&Edge) -> bool> Search<'_, F> {
    fn run(&mut self, start: u32) {
        self.enter(start);
        while let Some((node, at)) = self.path.pop() {
            match self.next_edge(node, at) {
                Some((to, following)) => {
                    self.path.push((node, following));
                    self.follow(node, to);
                }
                None => self.leave(node),
            }
        }
    }

    fn enter(&mut self, node: u32) {
        self.met[node as usize] = self.next;
        self.low[node as usize] = self.next;
        self.next += 1;
        self.open.push(node);
        self.path.push((node, 0));
    }

    fn next_edge(&self, node: u32, at: u32) -> Option<(u32, u32)> {
        let edges: &[Edge] = self.graph.edges[node as usize].get(at as usize..)?;
        let skipped = edges.iter().position(&self.is_edge)?;
        let to = self.graph.root(edges[skipped].to) as u32;
        Some((to, at + skipped as u32 + 1))
    }

    fn follow(&mut self, node: u32, to: u32) {
        if self.met[to as usize] == NONE {
            self.enter(to);
        } else if self.component[to as usize] == NONE {
            self.low[node as usize] = self.low[node as usize].min(self.met[to as usize]);
        }
    }

    fn leave(&mut self, node: u32) {
        if let Some((above, _)) = self.path.last() {
            let low = self.low[node as usize];
            let above = &mut self.low[*above as usize];
            *above = low.min(*above);
        }
        if self.low[node as usize] != self.met[node as usize] {
            return;
        }
        while let Some(member) = self.open.pop() {
            self.component[member as usize] = self.components;
            if member == node {
                break;
            }
        }
        self.components += 1;
    }
}
