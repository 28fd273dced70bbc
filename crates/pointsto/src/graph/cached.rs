//! A graph in which nothing flows any more, written and read. What is queued or has not been passed on is not written:
//! there is nothing of it.

use super::{Edge, Filters, Graph, Log, Waiting};
use crate::cache_format::{Cached, Reader, Writer};
use crate::sets::Set;
use rustc_hash::FxHashSet;
use std::collections::BinaryHeap;

impl Cached for Graph {
    fn write(&self, to: &mut Writer) {
        let Self { parents, objects, fresh: _, edges, is_queued: _, queue: _, arrivals, ranks, .. } = self;
        let Self {
            waiting_of,
            waiting,
            due: _,
            filters,
            costly: _,
            edge_count,
            edges_when_collapsed,
            log,
            ..
        } = self;
        parents.write(to);
        objects.write(to);
        edges.write(to);
        arrivals.write(to);
        ranks.write(to);
        waiting_of.write(to);
        to.list(waiting.iter().map(|waiting| &waiting.next));
        filters.write(to);
        edge_count.write(to);
        edges_when_collapsed.write(to);
        log.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let parents: Vec<u32> = Cached::read(from)?;
        let objects: Vec<Set> = Cached::read(from)?;
        let edges: Vec<Vec<Edge>> = Cached::read(from)?;
        let arrivals = Cached::read(from)?;
        let ranks: Vec<u32> = Cached::read(from)?;
        let waiting_of: Vec<u32> = Cached::read(from)?;
        let waiting: Vec<u32> = Cached::read(from)?;
        let waiting = waiting.into_iter().map(|next| Waiting { next, ..Waiting::default() }).collect();
        let filters: Filters = Cached::read(from)?;
        let (edge_count, edges_when_collapsed) = Cached::read(from)?;
        let log: Option<Box<Log>> = Cached::read(from)?;
        let nodes = parents.len();
        let is_whole = [objects.len(), edges.len(), ranks.len(), waiting_of.len()] == [nodes; 4];
        is_whole.then(|| Self {
            parents,
            objects,
            fresh: vec![Set::default(); nodes],
            edges,
            is_queued: vec![false; nodes],
            queue: BinaryHeap::new(),
            arrivals,
            ranks,
            waiting_of,
            waiting,
            due: Vec::new(),
            filters,
            costly: FxHashSet::default(),
            edge_count,
            edges_when_collapsed,
            log,
        })
    }
}
