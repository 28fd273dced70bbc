//! The calls between a try and a raising point, and the shortest paths through them.

use catchment_pointsto::InstanceId;
use catchment_pointsto::strongly_connected;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A place that a path comes by. A try is not its method: the method may be called again on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Node {
    Try(InstanceId),
    Method(InstanceId),
}

impl Node {
    pub(crate) fn instance(self) -> InstanceId {
        let (Self::Try(instance) | Self::Method(instance)) = self;
        instance
    }
}

/// The places that a place leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Stop {
    RaisingPoint,
    Call(InstanceId),
}

/// All that one exception can come by.
#[derive(Debug, Default)]
pub(crate) struct Ways {
    stops: FxHashMap<Node, Vec<(u16, Stop)>>,
}

/// Nodes, each with the place by which the path goes on.
pub(crate) type Path = Vec<(Node, u16)>;

/// A path under way, and which place of its last node is looked at next. Those are sorted by where they lead, so that
/// the others wait until this one is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// The least length of the path.
    length: usize,
    /// Of those that will be as long the one that has come further is first: else all of them would be begun before one
    /// ends.
    depth: Reverse<usize>,
    /// Index of the step before.
    after: Option<usize>,
    node: Node,
    choice: usize,
}

struct Step {
    after: Option<usize>,
    node: Node,
    pc: u16,
}

/// The places of a node that lead to the raising point, each with the nodes that are still to come, the nearest first.
type Choices = Vec<(usize, u16, Stop)>;

impl Ways {
    pub(crate) fn add(&mut self, node: Node, stops: Vec<(u16, Stop)>) {
        self.stops.insert(node, stops);
    }

    /// Up to `limit` paths without cycles from a try to the raising point, the shortest first, of those that are new to
    /// the caller. After so many steps the search ends with what it has; a path takes as many as it has nodes.
    pub(crate) fn shortest(
        &self,
        limit: usize,
        steps: usize,
        mut is_new: impl FnMut(&[(Node, u16)]) -> bool,
    ) -> Vec<Path> {
        let distance = self.distances();
        let mut choices: FxHashMap<Node, Choices> = FxHashMap::default();
        let mut taken: Vec<Step> = Vec::new();
        let mut found = Vec::new();
        let begin = |node: Node| {
            let length = *distance.get(&node)?;
            Some(Reverse(Candidate { length, depth: Reverse(0), after: None, node, choice: 0 }))
        };
        let tries = self.stops.keys().copied().filter(|node| matches!(node, Node::Try(_)));
        let mut open: BinaryHeap<_> = tries.filter_map(begin).collect();
        for _ in 0..steps {
            let Some(Reverse(at)) = open.pop() else { break };
            let choices = choices.entry(at.node).or_insert_with(|| self.choices(at.node, &distance));
            let Some((_, pc, stop)) = choices.get(at.choice).copied() else { continue };
            let Reverse(depth) = at.depth;
            if let Some((rest, ..)) = choices.get(at.choice + 1) {
                open.push(Reverse(Candidate { length: depth + 1 + rest, choice: at.choice + 1, ..at }));
            }
            taken.push(Step { after: at.after, node: at.node, pc });
            let after = Some(taken.len() - 1);
            match stop {
                Stop::RaisingPoint => {
                    let path = path_to(&taken, after);
                    if is_new(&path) {
                        found.push(path);
                    }
                    if found.len() >= limit {
                        break;
                    }
                }
                Stop::Call(target) => {
                    let node = Node::Method(target);
                    if steps_to(&taken, after).any(|step| step.node == node) {
                        continue;
                    }
                    let depth = depth + 1;
                    let length = depth + distance.get(&node).copied().unwrap_or_default();
                    open.push(Reverse(Candidate { length, depth: Reverse(depth), after, node, choice: 0 }));
                }
            }
        }
        found
    }

    fn choices(&self, node: Node, distance: &FxHashMap<Node, usize>) -> Choices {
        let rest = |stop: &Stop| match stop {
            Stop::RaisingPoint => Some(0),
            Stop::Call(target) => distance.get(&Node::Method(*target)).copied(),
        };
        let stops = self.stops_of(node).iter();
        let mut choices: Choices = stops.filter_map(|(pc, stop)| Some((rest(stop)?, *pc, *stop))).collect();
        choices.sort_unstable();
        choices
    }

    /// Nodes that can come to themselves again.
    pub(crate) fn recursive(&self) -> FxHashSet<Node> {
        // A node without stops is called by others and calls none: it cannot come to itself.
        let nodes: Vec<Node> = self.stops.keys().copied().collect();
        let numbers: FxHashMap<Node, u32> = nodes.iter().copied().zip(0..).collect();
        let calls =
            |node: &Node| self.targets_of(*node).filter_map(|target| numbers.get(&target).copied()).collect();
        let calls: Vec<Vec<u32>> = nodes.iter().map(calls).collect();
        let components = strongly_connected(&calls).into_iter();
        let is_recursive = |component: &Vec<u32>| {
            component.len() > 1 || component.iter().any(|node| calls[*node as usize].contains(node))
        };
        components.filter(is_recursive).flatten().map(|node| nodes[node as usize]).collect()
    }

    /// All places by which a path can come to its end.
    pub(crate) fn leading(&self) -> Vec<(Node, u16, Stop)> {
        let distance = self.distances();
        let leads = |stop: &Stop| match stop {
            Stop::RaisingPoint => true,
            Stop::Call(target) => distance.contains_key(&Node::Method(*target)),
        };
        let places =
            self.stops.iter().flat_map(|(node, stops)| stops.iter().map(|(pc, stop)| (*node, *pc, *stop)));
        places.filter(|(_, _, stop)| leads(stop)).collect()
    }

    /// By node: the least number of nodes to the end of a path, itself included.
    fn distances(&self) -> FxHashMap<Node, usize> {
        let mut callers: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
        let mut distance = FxHashMap::default();
        let mut open = VecDeque::new();
        for (node, stops) in &self.stops {
            if stops.iter().any(|(_, stop)| *stop == Stop::RaisingPoint) {
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
            Stop::RaisingPoint => None,
        })
    }
}

/// The steps of a path, the last one first.
fn steps_to(taken: &[Step], last: Option<usize>) -> impl Iterator<Item = &Step> {
    std::iter::successors(last.map(|last| &taken[last]), |step| step.after.map(|after| &taken[after]))
}

fn path_to(taken: &[Step], last: Option<usize>) -> Path {
    let mut path: Path = steps_to(taken, last).map(|step| (step.node, step.pc)).collect();
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRY: Node = Node::Try(InstanceId(0));

    fn method(number: u32) -> Node {
        Node::Method(InstanceId(number))
    }

    fn call(number: u32) -> Stop {
        Stop::Call(InstanceId(number))
    }

    fn shortest(ways: &Ways, limit: usize) -> Vec<Path> {
        ways.shortest(limit, 1000, |_| true)
    }

    #[test]
    fn shorter_paths_come_first_and_cycles_never() {
        let mut ways = Ways::default();
        ways.add(TRY, vec![(1, call(1)), (2, call(2))]);
        ways.add(method(1), vec![(3, call(2)), (4, call(1))]);
        ways.add(method(2), vec![(5, Stop::RaisingPoint), (6, call(1))]);
        let short = vec![(TRY, 2), (method(2), 5)];
        let long = vec![(TRY, 1), (method(1), 3), (method(2), 5)];
        assert_eq!(shortest(&ways, 10), [short.clone(), long]);
        assert_eq!(shortest(&ways, 1), [short]);
        assert_eq!(ways.recursive(), FxHashSet::from_iter([method(1), method(2)]));
    }

    #[test]
    fn a_try_that_calls_its_own_method_is_no_circle() {
        let mut ways = Ways::default();
        ways.add(TRY, vec![(1, call(1))]);
        ways.add(method(1), vec![(9, Stop::RaisingPoint)]);
        assert_eq!(shortest(&ways, 3), [vec![(TRY, 1), (method(1), 9)]]);
    }

    #[test]
    fn what_leads_nowhere_is_no_path() {
        let mut ways = Ways::default();
        ways.add(TRY, vec![(1, call(1))]);
        ways.add(method(1), vec![(2, call(1))]);
        assert_eq!(shortest(&ways, 3), Vec::<Path>::new());
        assert_eq!(ways.leading(), []);
        assert_eq!(ways.recursive(), FxHashSet::from_iter([method(1)]));
    }

    /// Layers of two methods each, of which each calls both of the next.
    fn layers(count: u32) -> Ways {
        let both = |layer: u32| vec![(1, call(2 * layer)), (2, call(2 * layer + 1))];
        let mut ways = Ways::default();
        ways.add(TRY, both(0));
        for layer in 0..count {
            let stops = if layer + 1 == count { vec![(9, Stop::RaisingPoint)] } else { both(layer + 1) };
            ways.add(method(2 * layer), stops.clone());
            ways.add(method(2 * layer + 1), stops);
        }
        ways
    }

    #[test]
    fn a_path_takes_as_many_steps_as_it_has_nodes_however_many_are_as_long() {
        let ways = layers(60);
        assert_eq!(ways.shortest(1, 61, |_| true).len(), 1);
        let paths = shortest(&ways, 3);
        assert!(paths.iter().all(|path| path.len() == 61) && paths[0] != paths[1] && paths[1] != paths[2]);
    }

    #[test]
    fn paths_that_are_known_are_passed_over() {
        let mut odd = 0;
        let paths = layers(3).shortest(2, 1000, |_| {
            odd += 1;
            odd % 2 == 1
        });
        assert_eq!((paths.len(), odd), (2, 3));
    }

    #[test]
    fn all_paths_come_if_there_are_no_more() {
        assert_eq!(shortest(&layers(3), 100).len(), 8);
    }

    #[test]
    fn the_shortest_path_of_all_tries_comes_first() {
        let mut ways = Ways::default();
        ways.add(TRY, vec![(1, call(1))]);
        ways.add(Node::Try(InstanceId(9)), vec![(2, call(2))]);
        ways.add(method(1), vec![(3, call(2))]);
        ways.add(method(2), vec![(4, Stop::RaisingPoint)]);
        let of_others = vec![(Node::Try(InstanceId(9)), 2), (method(2), 4)];
        assert_eq!(shortest(&ways, 1), [of_others]);
        assert_eq!(shortest(&ways, 9).len(), 2);
    }
}
