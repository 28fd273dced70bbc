//! Propagation through a graph whose edges are all there: one filter class after the other.
//!
//! Objects of one filter class pass the same filters. For one class the graph is one without filters, in which the
//! large components that filters cut are whole: all nodes of a component hold the same objects of the class. So each
//! class goes over the graph once, and the set of a node is made of one piece for each class:
//!
//! ```text
//!   objects    | class 0 | class 1     | class 2 |      numbers go up from class to class
//!   node       | piece   | piece       | piece   |      a shape: the last piece, behind the shape that was before it
//! ```
//!
//! Nodes with the same shape hold the same and become one node in the end.

#[cfg(test)]
mod tests;

use super::scc::Components;
use super::{Edge, Filter, Graph};
use crate::ids::NodeId;
use crate::sets::Set;
use crate::world::{Fits, Typed, World};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A filter class: all objects that pass the same filters of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FilterClass {
    /// By mask.
    fits: Box<[Fits]>,
}

impl FilterClass {
    fn passes(&self, filter: Filter) -> bool {
        match filter.parts() {
            None => true,
            Some((mask, true)) => self.fits[mask] != Fits::No,
            Some((mask, false)) => self.fits[mask] != Fits::Yes,
        }
    }
}

impl Graph {
    /// The filter class of objects of a type. From now on no filter may be made.
    pub fn filter_class_of(&self, typed: Typed, world: &World<'_>) -> FilterClass {
        FilterClass { fits: self.filters.classes().map(|class| world.typed_fits(typed, class)).collect() }
    }
}

/// The piece of a shape, and the shape before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Shape {
    before: u32,
    piece: u32,
}

/// A propagation under way.
#[derive(Debug)]
pub struct FilterClassFlow {
    /// By node: where its edges begin. Only nodes that have not become another have edges.
    starts: Vec<u32>,
    edges: Vec<Edge>,
    roots: Vec<u32>,
    /// Of all filter classes.
    pieces: Vec<Rc<Set>>,
    /// By node.
    shape_of: Vec<u32>,
    shapes: Vec<Shape>,
    components: Components,
}

/// The shape of nodes that hold nothing.
const NOTHING: u32 = 0;

impl FilterClassFlow {
    pub fn new(graph: &Graph) -> Self {
        let roots = (0..graph.parents.len()).map(|node| graph.root(NodeId::new(node)) as u32).collect();
        let mut starts = Vec::with_capacity(graph.edges.len() + 1);
        let mut edges = Vec::new();
        for leaving in &graph.edges {
            starts.push(edges.len() as u32);
            edges.extend(leaving.iter().map(|edge| Edge { to: NodeId(graph.root(edge.to) as u32), ..*edge }));
        }
        starts.push(edges.len() as u32);
        let count = graph.parents.len();
        Self {
            starts,
            edges,
            roots,
            pieces: Vec::new(),
            shape_of: vec![NOTHING; count],
            shapes: vec![Shape { before: NOTHING, piece: 0 }],
            components: Components::new(count),
        }
    }

    fn edges_of(&self, node: u32) -> &[Edge] {
        &self.edges[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// Visits the nodes that objects of a filter class come to from these nodes, but for those that have been visited.
    pub fn visit(
        &self,
        class: &FilterClass,
        from: impl Iterator<Item = NodeId>,
        is_visited: &mut [bool],
        mut with: impl FnMut(NodeId),
    ) {
        let mut open: Vec<NodeId> = from.map(|node| self.root(node)).collect();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut is_visited[node.index()], true) {
                with(node);
                let edges = self.edges_of(node.0).iter().filter(|edge| class.passes(edge.filter));
                open.extend(edges.map(|edge| edge.to).filter(|to| !is_visited[to.index()]));
            }
        }
    }

    /// The node that this one has become.
    pub fn root(&self, node: NodeId) -> NodeId {
        NodeId(self.roots[node.index()])
    }

    pub fn nodes(&self) -> usize {
        self.roots.len()
    }

    /// Propagates all objects of one filter class, and marks the nodes that they come to. Their numbers are larger than
    /// those of all classes before.
    pub fn add(&mut self, class: &FilterClass, given: &[(NodeId, u32)], is_marked: &mut [bool]) {
        let mut own: FxHashMap<u32, Set> = FxHashMap::default();
        for (node, object) in given {
            own.entry(self.roots[node.index()]).or_default().insert(*object);
        }
        let mut starts: Vec<u32> = own.keys().copied().collect();
        starts.sort_unstable();
        let mut components = std::mem::replace(&mut self.components, Components::new(0));
        components.find(starts, |node, at| {
            let edges = self.edges_of(node).get(at as usize..)?;
            let skipped = edges.iter().position(|edge| class.passes(edge.filter))?;
            Some((edges[skipped].to.0, at + skipped as u32 + 1))
        });
        self.fill(class, &components, &own);
        for node in components.all() {
            is_marked[*node as usize] = true;
        }
        components.forget();
        self.components = components;
    }

    /// From where objects come first to where they come last.
    fn fill(&mut self, class: &FilterClass, components: &Components, own: &FxHashMap<u32, Set>) {
        let mut known = Pieces::default();
        let mut shapes: FxHashMap<Shape, u32> = FxHashMap::default();
        let mut piece_of: Vec<Option<u32>> = vec![None; components.len()];
        for component in (0..components.len()).rev() {
            let members = components.members(component);
            for set in members.iter().filter_map(|node| own.get(node)) {
                piece_of[component] = Some(known.united(piece_of[component], set));
            }
            let Some(piece) = piece_of[component] else { continue };
            for edge in members.iter().flat_map(|node| self.edges_of(*node)) {
                if class.passes(edge.filter) {
                    let to = components.component_of(edge.to.0);
                    if to != component && piece_of[to] != Some(piece) {
                        piece_of[to] = Some(known.both(piece_of[to], piece));
                    }
                }
            }
            let held = *known.held.entry(piece).or_insert_with(|| {
                self.pieces.push(Rc::clone(&known.sets[piece as usize]));
                self.pieces.len() as u32 - 1
            });
            for node in members {
                let shape = Shape { before: self.shape_of[*node as usize], piece: held };
                self.shape_of[*node as usize] = *shapes.entry(shape).or_insert_with(|| {
                    self.shapes.push(shape);
                    self.shapes.len() as u32 - 1
                });
            }
        }
    }

    /// Puts the sets into the graph, each once. Its edges have done their work.
    pub fn finish(self, graph: &mut Graph) {
        graph.edges = vec![Vec::new(); graph.parents.len()];
        let mut first: FxHashMap<u32, u32> = FxHashMap::default();
        for node in 0..graph.parents.len() as u32 {
            if graph.parents[node as usize] != node {
                continue;
            }
            let shape = self.shape_of[node as usize];
            let one = *first.entry(shape).or_insert(node);
            graph.parents[node as usize] = one;
            if one == node {
                graph.objects[node as usize] = self.set_of(shape);
            }
        }
    }

    fn set_of(&self, mut shape: u32) -> Set {
        let mut pieces = Vec::new();
        while shape != NOTHING {
            let Shape { before, piece } = self.shapes[shape as usize];
            pieces.push(piece);
            shape = before;
        }
        let mut set = Set::default();
        for piece in pieces.iter().rev() {
            set.add_all(&self.pieces[*piece as usize], &mut Set::default());
        }
        set.shrink();
        set
    }
}

/// Pieces of one filter class by what is in them.
#[derive(Default)]
struct Pieces {
    sets: Vec<Rc<Set>>,
    by_set: FxHashMap<Rc<Set>, u32>,
    by_both: FxHashMap<(u32, u32), u32>,
    /// Pieces that nodes hold, by their numbers among the pieces of all filter classes.
    held: FxHashMap<u32, u32>,
}

impl Pieces {
    fn number(&mut self, set: Set) -> u32 {
        if let Some(known) = self.by_set.get(&set) {
            return *known;
        }
        let number = self.sets.len() as u32;
        let set = Rc::new(set);
        self.sets.push(Rc::clone(&set));
        self.by_set.insert(set, number);
        number
    }

    /// The piece with all of another one and of a set.
    fn united(&mut self, piece: Option<u32>, set: &Set) -> u32 {
        let mut all = piece.map(|piece| Set::clone(&self.sets[piece as usize])).unwrap_or_default();
        all.add_all(set, &mut Set::default());
        self.number(all)
    }

    fn both(&mut self, one: Option<u32>, other: u32) -> u32 {
        let Some(one) = one else { return other };
        let key = (one.min(other), one.max(other));
        if let Some(known) = self.by_both.get(&key) {
            return *known;
        }
        let set = Rc::clone(&self.sets[other as usize]);
        let found = self.united(Some(one), &set);
        self.by_both.insert(key, found);
        found
    }
}
