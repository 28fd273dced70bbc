//! The constraint graph: sets of objects, and edges along which objects flow from one to another.
//!
//! *Objects* are small numbers that have a type: abstract objects of the heap, or, for exception flow, raised
//! exceptions. They flow until nothing changes; what has not been passed on yet is kept apart, so that only differences
//! travel. Nodes in one strongly connected component hold the same set in the end, and are made one node (`collapse`).
//! A graph that is told all its edges before anything flows can be made smaller still (`reduce`), and be solved by
//! filter class (`filter_classes`).

mod cached;
mod collapse;
mod filter_classes;
mod filters;
mod log;
mod reduce;
mod scc;

pub use filter_classes::{FilterClass, FilterClassFlow};
pub use filters::{Filter, Filters};
pub(crate) use log::{Log, NOBODY, Solution};
pub use scc::strongly_connected;

use crate::cache_format::cached;
use crate::ids::NodeId;
use crate::sets::Set;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// After so many nodes it is asked again whether to go on.
const ASK_EVERY: usize = 4096;

/// No use of the node's objects is waited for.
const UNUSED: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) to: NodeId,
    pub(crate) filter: Filter,
}

cached! { struct Edge { to, filter } }

/// Uses that wait for the objects of a node: the number of a list that the solver keeps, and the objects it has not
/// been given yet.
#[derive(Debug, Clone, Default)]
pub(crate) struct Waiting {
    pub(crate) pending: Set,
    is_queued: bool,
    /// The list behind this one, of a node that has become one with this.
    next: u32,
}

#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// Of a node that has become one with another: that one. Otherwise itself.
    parents: Vec<u32>,
    objects: Vec<Set>,
    /// Objects that have not gone along the node's edges yet.
    fresh: Vec<Set>,
    edges: Vec<Vec<Edge>>,
    is_queued: Vec<bool>,
    /// Nodes with something to pass on, those that are passed from first.
    queue: BinaryHeap<Reverse<(u32, u32, u32)>>,
    /// The number of nodes that have been in the queue: among equals who came first goes first.
    arrivals: u32,
    /// By node: its place in an order that follows the edges, the same for all in one component; new nodes come last.
    ranks: Vec<u32>,
    /// By node: the first of its waiting lists.
    waiting_of: Vec<u32>,
    waiting: Vec<Waiting>,
    due: Vec<u32>,
    pub filters: Filters,
    /// Edges that a large set has gone along when they were added, since the last look for components: objects of many
    /// fields and elements come to be one node, and each of them would send the set along once more.
    costly: FxHashSet<(u32, u32, Filter)>,
    edge_count: usize,
    edges_when_collapsed: usize,
    /// The log of all that was told, if somebody will ask.
    pub(crate) log: Option<Box<Log>>,
}

impl Graph {
    pub fn node(&mut self) -> NodeId {
        self.nodes(1)
    }

    /// Makes this many nodes with numbers in a row, and gives the first.
    pub(crate) fn nodes(&mut self, count: u32) -> NodeId {
        let first = self.parents.len();
        let len = first + count as usize;
        self.parents.extend((first..len).map(|node| node as u32));
        self.objects.resize_with(len, Set::default);
        self.fresh.resize_with(len, Set::default);
        self.edges.resize_with(len, Vec::new);
        self.is_queued.resize(len, false);
        self.ranks.resize(len, u32::MAX);
        self.waiting_of.resize(len, UNUSED);
        if let Some(log) = &mut self.log {
            log.add_nodes(len);
        }
        NodeId::new(first)
    }

    pub(crate) fn node_count(&self) -> usize {
        self.parents.len()
    }

    /// The node that this one has become.
    pub(crate) fn find(&mut self, node: NodeId) -> usize {
        let mut at = node.index();
        while self.parents[at] as usize != at {
            let above = self.parents[at] as usize;
            self.parents[at] = self.parents[above];
            at = above;
        }
        at
    }

    /// Like [`Self::find`] where nothing may change.
    fn root(&self, node: NodeId) -> usize {
        let mut at = node.index();
        while self.parents[at] as usize != at {
            at = self.parents[at] as usize;
        }
        at
    }

    pub fn objects(&self, node: NodeId) -> &Set {
        &self.objects[self.root(node)]
    }

    pub(crate) fn add_object(&mut self, node: NodeId, object: u32) {
        if let Some(log) = &mut self.log {
            log.makes.push((node, object));
        }
        self.add_derived_object(node, object);
    }

    /// Like [`Self::add_object`] for what follows from calls, or comes from outside: it is not logged.
    pub(crate) fn add_derived_object(&mut self, node: NodeId, object: u32) {
        let node = self.find(node);
        if self.objects[node].insert(object) {
            self.fresh[node].insert(object);
            self.enqueue(node);
        }
    }

    /// From now on what is in `from` is in `to`, too.
    pub fn add_edge(&mut self, from: NodeId, to: NodeId, filter: Filter) {
        if let Some(log) = &mut self.log {
            log.copies.push((from, to));
        }
        self.add_derived_edge(from, to, filter);
    }

    /// Like [`Self::add_edge`] for what follows from calls, loads and stores: it is not logged.
    pub(crate) fn add_derived_edge(&mut self, from: NodeId, to: NodeId, filter: Filter) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to && filter == Filter::NONE {
            return;
        }
        let is_worth_knowing = self.objects[from].takes_long();
        if is_worth_knowing && !self.costly.insert((from as u32, to as u32, filter)) {
            return;
        }
        self.edges[from].push(Edge { to: NodeId(to as u32), filter });
        self.edge_count += 1;
        if from != to && !self.objects[from].is_empty() {
            let objects = std::mem::take(&mut self.objects[from]);
            self.flow(&objects, to, filter);
            self.objects[from] = objects;
        }
    }

    fn flow(&mut self, objects: &Set, to: usize, filter: Filter) {
        let (own, fresh) = (&mut self.objects[to], &mut self.fresh[to]);
        let is_changed = match self.filters.mask(filter) {
            None => own.add_all(objects, fresh),
            Some((mask, wanted)) => own.add_filtered(objects, mask, wanted, fresh),
        };
        if is_changed {
            self.enqueue(to);
        }
    }

    fn enqueue(&mut self, node: usize) {
        if !self.is_queued[node] {
            self.is_queued[node] = true;
            self.arrivals = self.arrivals.wrapping_add(1);
            self.queue.push(Reverse((self.ranks[node], self.arrivals, node as u32)));
        }
    }

    /// Lets objects flow until nothing changes, which is true, or it may not go on.
    pub(crate) fn propagate_while(&mut self, may_go_on: &impl Fn() -> bool) -> bool {
        let mut steps: usize = 0;
        while let Some(Reverse((_, _, node))) = self.queue.pop() {
            let node = node as usize;
            self.is_queued[node] = false;
            if self.parents[node] as usize != node {
                continue;
            }
            let fresh = std::mem::take(&mut self.fresh[node]);
            if fresh.is_empty() {
                continue;
            }
            steps += 1;
            if steps.is_multiple_of(ASK_EVERY) && !may_go_on() {
                return false;
            }
            let edges = std::mem::take(&mut self.edges[node]);
            for edge in &edges {
                let to = self.find(edge.to);
                if to != node {
                    self.flow(&fresh, to, edge.filter);
                }
            }
            self.edges[node] = edges;
            self.hand_over(node, &fresh);
        }
        true
    }

    /// To those who wait for the objects of `node`.
    fn hand_over(&mut self, node: usize, fresh: &Set) {
        let mut list = self.waiting_of[node];
        while list != UNUSED {
            let waiting = &mut self.waiting[list as usize];
            let mut ignored = Set::default();
            waiting.pending.add_all(fresh, &mut ignored);
            if !waiting.is_queued {
                waiting.is_queued = true;
                self.due.push(list);
            }
            list = waiting.next;
        }
    }

    /// The number of a new list for those who wait for the objects of `node`, those that are there already included.
    pub(crate) fn wait_for(&mut self, node: NodeId) -> u32 {
        let node = self.find(node);
        let list = self.waiting.len() as u32;
        let mut pending = self.objects[node].clone();
        pending.shrink();
        let is_queued = !pending.is_empty();
        self.waiting.push(Waiting { pending, is_queued, next: self.waiting_of[node] });
        if is_queued {
            self.due.push(list);
        }
        self.waiting_of[node] = list;
        list
    }

    /// Lists with something pending.
    pub(crate) fn take_due(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.due)
    }

    pub(crate) fn take_pending(&mut self, list: u32) -> Set {
        let waiting = &mut self.waiting[list as usize];
        waiting.is_queued = false;
        std::mem::take(&mut waiting.pending)
    }
}
