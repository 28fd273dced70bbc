//! Edges and objects that the graph was told of, as it was told: before components became one node, and without what
//! followed from it.
//!
//! A run that starts again from a part of the program needs the log; the graph itself keeps what is enough to finish.

use super::Graph;
use crate::cache_format::cached;
use crate::ids::{InstanceId, NodeId};
use crate::sets::Set;

/// Owner of nodes that belong to no instance: static fields, and parts of objects.
pub(crate) const NOBODY: u32 = u32::MAX;

#[derive(Debug, Clone)]
pub(crate) struct Log {
    /// The owner of the nodes that are made now.
    owner: u32,
    /// By node.
    pub(crate) owners: Vec<u32>,
    /// From where to where.
    pub(crate) copies: Vec<(NodeId, NodeId)>,
    pub(crate) makes: Vec<(NodeId, u32)>,
}

cached! { struct Log { owner, owners, copies, makes } }

/// The sets of a finished graph.
#[derive(Debug)]
pub(crate) struct Solution {
    parents: Vec<u32>,
    objects: Vec<Set>,
}

impl Default for Log {
    fn default() -> Self {
        Self { owner: NOBODY, owners: Vec::new(), copies: Vec::new(), makes: Vec::new() }
    }
}

impl Log {
    pub(super) fn add_nodes(&mut self, len: usize) {
        self.owners.resize(len, self.owner);
    }
}

impl Graph {
    /// From now on new nodes belong to `owner`. Who owned them before.
    pub(crate) fn own_new(&mut self, owner: u32) -> u32 {
        self.log.as_mut().map_or(NOBODY, |log| std::mem::replace(&mut log.owner, owner))
    }

    /// These nodes belong to an instance.
    pub(crate) fn own(&mut self, owner: InstanceId, nodes: impl Iterator<Item = NodeId>) {
        if let Some(log) = &mut self.log {
            for node in nodes {
                log.owners[node.index()] = owner.0;
            }
        }
    }

    /// A node that belongs to nobody.
    pub(crate) fn unowned_node(&mut self) -> NodeId {
        let before = self.own_new(NOBODY);
        let node = self.node();
        self.own_new(before);
        node
    }

    /// The rest of a graph when nothing flows any more.
    pub(crate) fn into_solution(self) -> Solution {
        Solution { parents: self.parents, objects: self.objects }
    }
}

impl Solution {
    /// The node whose set this one has.
    pub(crate) fn root(&self, node: NodeId) -> usize {
        let mut at = node.index();
        while self.parents[at] as usize != at {
            at = self.parents[at] as usize;
        }
        at
    }

    pub(crate) fn objects(&self, node: NodeId) -> &Set {
        &self.objects[self.root(node)]
    }

    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }
}
