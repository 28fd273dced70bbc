//! The calls between a try and a raising point, and the shortest paths through them.

use catchment_pointsto::ids::InstanceId;
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Partial paths that are looked at before the search ends with what it has.
const MAX_STEPS: usize = 100_000;

/// Where a path comes by. The try is not its method: the method may be called again on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Node {
    Try,
    Method(InstanceId),
}

/// What a place leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Stop {
    Raise,
    Call(InstanceId),
}

/// All that one exception can come by.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    stops: FxHashMap<Node, Vec<(u16, Stop)>>,
}

/// A path under way: what it costs at least, whether it has ended, and its places.
type Partial = Reverse<(usize, bool, Vec<(Node, u16)>, Option<Node>)>;

impl Ways {
    pub(crate) fn add(&mut self, node: Node, stops: Vec<(u16, Stop)>) {
        self.stops.insert(node, stops);
    }

    /// Up to `limit` paths without circles from the try to the raise, the shortest first: nodes, each with the place by
    /// which the path goes on.
    pub(crate) fn shortest(&self, limit: usize) -> Vec<Vec<(Node, u16)>> {
        let distance = self.distances();
        let mut found = Vec::new();
        let mut open: BinaryHeap<Partial> =
            BinaryHeap::from([Reverse((0, false, Vec::new(), Some(Node::Try)))]);
        for _ in 0..MAX_STEPS {
            let Some(Reverse((_, _, path, next))) = open.pop() else { break };
            let Some(node) = next else {
                found.push(path);
                if found.len() >= limit {
                    break;
                }
                continue;
            };
            for (pc, stop) in self.stops_of(node) {
                let mut longer = path.clone();
                longer.push((node, *pc));
                let length = longer.len();
                match stop {
                    Stop::Raise => open.push(Reverse((length, true, longer, None))),
                    Stop::Call(target) => {
                        let target = Node::Method(*target);
                        let is_circle = longer.iter().any(|(on_path, _)| *on_path == target);
                        if let (Some(distance), false) = (distance.get(&target), is_circle) {
                            open.push(Reverse((length + distance, false, longer, Some(target))));
                        }
                    }
                }
            }
        }
        found
    }

    /// Nodes that can come to themselves again.
    pub(crate) fn recursive(&self) -> FxHashSet<Node> {
        let calls = self.stops.keys().flat_map(|node| self.targets_of(*node).map(|target| (*node, target)));
        let graph: DiGraphMap<Node, ()> = calls.collect();
        let circles = tarjan_scc(&graph);
        let circles = circles
            .into_iter()
            .filter(|nodes| nodes.len() > 1 || nodes.iter().any(|node| graph.contains_edge(*node, *node)));
        circles.flatten().collect()
    }

    /// All places by which a path can come to its end.
    pub(crate) fn leading(&self) -> Vec<(Node, u16, Stop)> {
        let distance = self.distances();
        let leads = |stop: &Stop| match stop {
            Stop::Raise => true,
            Stop::Call(target) => distance.contains_key(&Node::Method(*target)),
        };
        let places =
            self.stops.iter().flat_map(|(node, stops)| stops.iter().map(|(pc, stop)| (*node, *pc, *stop)));
        places.filter(|(_, _, stop)| leads(stop)).collect()
    }

    /// How many nodes there are at least from each to the end of a path, itself included.
    fn distances(&self) -> FxHashMap<Node, usize> {
        let mut callers: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
        let mut distance = FxHashMap::default();
        let mut open = VecDeque::new();
        for (node, stops) in &self.stops {
            if stops.iter().any(|(_, stop)| *stop == Stop::Raise) {
                distance.insert(*node, 1);
                open.push_back(*node);
            }
            for target in self.targets_of(*node) {
                callers.entry(target).or_default().push(*node);
            }
        }
        while let Some(node) = open.pop_front() {
            let next = distance[&node] + 1;
            for caller in callers.get(&node).into_iter().flatten() {
                if !distance.contains_key(caller) {
                    distance.insert(*caller, next);
                    open.push_back(*caller);
                }
            }
        }
        distance
    }

    fn stops_of(&self, node: Node) -> &[(u16, Stop)] {
        self.stops.get(&node).map_or(&[], Vec::as_slice)
    }

    fn targets_of(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        self.stops_of(node).iter().filter_map(|(_, stop)| match stop {
            Stop::Call(target) => Some(Node::Method(*target)),
            Stop::Raise => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(number: u32) -> Node {
        Node::Method(InstanceId(number))
    }

    fn call(number: u32) -> Stop {
        Stop::Call(InstanceId(number))
    }

    #[test]
    fn shorter_paths_come_first_and_circles_never() {
        let mut ways = Ways::default();
        ways.add(Node::Try, vec![(1, call(1)), (2, call(2))]);
        ways.add(method(1), vec![(3, call(2)), (4, call(1))]);
        ways.add(method(2), vec![(5, Stop::Raise), (6, call(1))]);
        let short = vec![(Node::Try, 2), (method(2), 5)];
        let long = vec![(Node::Try, 1), (method(1), 3), (method(2), 5)];
        assert_eq!(ways.shortest(10), [short.clone(), long]);
        assert_eq!(ways.shortest(1), [short]);
        assert_eq!(ways.recursive(), FxHashSet::from_iter([method(1), method(2)]));
    }

    #[test]
    fn a_try_that_calls_its_own_method_is_no_circle() {
        let mut ways = Ways::default();
        ways.add(Node::Try, vec![(1, call(1))]);
        ways.add(method(1), vec![(9, Stop::Raise)]);
        assert_eq!(ways.shortest(3), [vec![(Node::Try, 1), (method(1), 9)]]);
    }

    #[test]
    fn what_leads_nowhere_is_no_path() {
        let mut ways = Ways::default();
        ways.add(Node::Try, vec![(1, call(1))]);
        ways.add(method(1), vec![(2, call(1))]);
        assert_eq!(ways.shortest(3), Vec::<Vec<(Node, u16)>>::new());
        assert_eq!(ways.leading(), []);
        assert_eq!(ways.recursive(), FxHashSet::from_iter([method(1)]));
    }
}
