//! Components among nodes, a single node being one as well: Tarjan's algorithm without recursion, again and again on
//! the same memory.

/// The node has not been met.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(super) struct Components {
    /// By node: when it was first met, the earliest that it leads back to, and its component.
    met: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    /// Nodes that were met and whose component is not known yet.
    open: Vec<u32>,
    /// The way from the start to here: node and its next edge.
    path: Vec<(u32, u32)>,
    next: u32,
    /// Nodes component by component, those that edges lead to last first; and where each component begins.
    members: Vec<u32>,
    starts: Vec<u32>,
}

/// The strongly connected components of a graph, given by the successors of each node; a node outside all cycles is a
/// component of its own.
pub fn strongly_connected(successors: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut components = Components::new(successors.len());
    let next_edge =
        |node: u32, edge: u32| successors[node as usize].get(edge as usize).map(|to| (*to, edge + 1));
    components.find(0..successors.len() as u32, next_edge);
    (0..components.len()).map(|component| components.members(component).to_vec()).collect()
}

impl Components {
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            met: vec![NONE; nodes],
            low: vec![NONE; nodes],
            component: vec![NONE; nodes],
            open: Vec::new(),
            path: Vec::new(),
            next: 0,
            members: Vec::new(),
            starts: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(super) fn members(&self, component: usize) -> &[u32] {
        let end = self.starts.get(component + 1).map_or(self.members.len(), |end| *end as usize);
        &self.members[self.starts[component] as usize..end]
    }

    /// The nodes of all components.
    pub(super) fn all(&self) -> &[u32] {
        &self.members
    }

    pub(super) fn component_of(&self, node: u32) -> usize {
        self.component[node as usize] as usize
    }

    /// By node: the number of its component, which are counted from the ends of the edges; or none.
    pub(super) fn numbers(&self) -> &[u32] {
        &self.component
    }

    /// Everything that edges lead to from these nodes. `next_edge` gives, from the edge of a node with this number on,
    /// where the next one that counts leads, and the number to go on with.
    pub(super) fn find(
        &mut self,
        starts: impl IntoIterator<Item = u32>,
        next_edge: impl Fn(u32, u32) -> Option<(u32, u32)>,
    ) {
        for start in starts {
            if self.met[start as usize] == NONE {
                self.run(start, &next_edge);
            }
        }
    }

    /// Ready for other edges.
    pub(super) fn forget(&mut self) {
        for node in self.members.drain(..) {
            self.met[node as usize] = NONE;
            self.component[node as usize] = NONE;
        }
        self.starts.clear();
        self.next = 0;
    }

    fn run(&mut self, start: u32, next_edge: &impl Fn(u32, u32) -> Option<(u32, u32)>) {
        self.enter(start);
        while let Some((node, at)) = self.path.pop() {
            match next_edge(node, at) {
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

    fn follow(&mut self, node: u32, to: u32) {
        if self.met[to as usize] == NONE {
            self.enter(to);
        } else if self.component[to as usize] == NONE {
            self.lower(node, self.met[to as usize]);
        }
    }

    fn lower(&mut self, node: u32, to: u32) {
        let low = &mut self.low[node as usize];
        *low = (*low).min(to);
    }

    fn leave(&mut self, node: u32) {
        if let Some((above, _)) = self.path.last() {
            self.lower(*above, self.low[node as usize]);
        }
        if self.low[node as usize] != self.met[node as usize] {
            return;
        }
        let number = self.starts.len() as u32;
        self.starts.push(self.members.len() as u32);
        while let Some(member) = self.open.pop() {
            self.component[member as usize] = number;
            self.members.push(member);
            if member == node {
                break;
            }
        }
    }
}
