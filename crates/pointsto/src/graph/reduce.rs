//! Makes a graph smaller before anything flows in it: nodes that are given the same by the same nodes are one node.

use super::incoming::Incoming;
use super::{Filter, Graph};
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
