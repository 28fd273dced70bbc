//! The solved analysis for those who start again from one call: what every instance makes, reads, stores and hands on,
//! and the sets of objects that all of it came to.
//!
//! ```text
//! variables of an instance ── copies, loads, stores, calls ──► variables of the same instance
//!          ▲          ▲
//!          │          └── makes: objects that come from nowhere else
//!          └── inflows: what it reads of others, such as static fields and values that a lambda has captured
//! ```
//!
//! Kept only when asked for: it is about as large as the analysis itself.

mod build;

pub(crate) use build::Parts;

use crate::callgraph::{CallKind, Code};
use crate::graph::{NOBODY, Solution};
use crate::ids::{ClassId, InstanceId, NodeId, SelectorId};
use crate::sets::Set;
use crate::solver::ELEMENTS;
pub use crate::solver::Part;
use crate::world::World;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The variables by which objects enter and leave an instance; none for numbers.
#[derive(Debug)]
pub struct Frame {
    /// The receiver first.
    pub parameters: Box<[Option<NodeId>]>,
    pub returned: NodeId,
    pub thrown: NodeId,
}

/// A call site with the variables that it connects.
#[derive(Debug)]
pub struct HeapCall {
    pub caller: InstanceId,
    pub pc: u16,
    pub kind: CallKind,
    pub selector: SelectorId,
    /// Goes where its receivers say.
    is_virtual: bool,
    pub receiver: Option<NodeId>,
    pub arguments: Box<[Option<NodeId>]>,
    pub result: Option<NodeId>,
    pub thrown: Option<NodeId>,
    pub targets: SmallVec<[InstanceId; 1]>,
}

/// A variable is read from a part of what another holds, or written to it.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    pub part: Part,
    pub variable: NodeId,
}

#[derive(Debug)]
pub struct Heap {
    solution: Solution,
    owners: Vec<u32>,
    /// Nodes behind those of the graph: what calls hand on that is not the caller's own, as variables of the caller.
    handed_on: Vec<NodeId>,
    frames: Vec<Frame>,
    /// By object: numbers of fields and the nodes of what is in them.
    parts: Vec<Vec<(u32, NodeId)>>,
    /// By number of a field: objects and nodes.
    holders: FxHashMap<u32, Vec<(u32, NodeId)>>,
    all: Set,
    /// By object; there may be numbers without one.
    classes: Vec<ClassId>,
    /// Of objects that are lambdas: the method of their hidden class.
    lambdas: FxHashMap<u32, InstanceId>,
    /// The methods of proxy classes. What they are called on is in the first of their parameters.
    forwarders: FxHashSet<InstanceId>,
    /// By variable: where it is copied to within its instance.
    pub copies: Lists<NodeId>,
    /// By variable: what is read from the objects in it.
    pub loads: Lists<Access>,
    pub stores: Lists<Access>,
    /// By variable: calls whose receiver it is.
    pub received: Lists<u32>,
    /// By instance: objects and where they are put.
    pub makes: Lists<(NodeId, u32)>,
    /// By instance: from where to where.
    pub inflows: Lists<(NodeId, NodeId)>,
    /// By instance: parts that it reads.
    pub reads: Lists<Part>,
    /// Nodes that nobody owns and that get something in other ways than by stores.
    filled: Set,
    /// By caller, then by place.
    pub sites: Vec<HeapCall>,
}

impl Heap {
    /// The objects that a variable, or a part of an object, can hold.
    pub fn objects(&self, node: NodeId) -> &Set {
        self.solution.objects(self.in_graph(node))
    }

    /// Nodes with the same number here hold the same.
    pub fn set_of(&self, node: NodeId) -> usize {
        self.solution.root(self.in_graph(node))
    }

    fn in_graph(&self, node: NodeId) -> NodeId {
        match node.index().checked_sub(self.solution.len()) {
            Some(behind) => self.handed_on[behind],
            None => node,
        }
    }

    pub fn nodes(&self) -> usize {
        self.owners.len()
    }

    /// Nodes of static fields: what everybody can come to.
    pub fn shared(&self) -> impl Iterator<Item = NodeId> + '_ {
        let parts: Set = self.parts.iter().flatten().map(|(_, node)| node.0).collect();
        let unowned = (0..).zip(&self.owners).filter(|(_, owner)| **owner == NOBODY);
        unowned.filter(move |(node, _)| !parts.contains(*node)).map(|(node, _)| NodeId(node))
    }

    /// Tells whether a part of an object has something in it that no store has put there.
    pub fn is_filled(&self, part: NodeId) -> bool {
        self.filled.contains(part.0)
    }

    pub fn frame(&self, instance: InstanceId) -> &Frame {
        &self.frames[instance.index()]
    }

    pub fn all_objects(&self) -> impl Iterator<Item = u32> + '_ {
        self.all.iter()
    }

    pub fn class_of(&self, object: u32) -> ClassId {
        self.classes[object as usize]
    }

    /// The method of the hidden class, if the object is a lambda.
    pub fn lambda(&self, object: u32) -> Option<InstanceId> {
        self.lambdas.get(&object).copied()
    }

    /// Numbers of the fields of an object, and nodes of what is in them.
    pub fn parts_of(&self, object: u32) -> &[(u32, NodeId)] {
        self.parts.get(object as usize).map_or(&[], Vec::as_slice)
    }

    /// Nodes of one part of an object.
    pub fn part_of(&self, object: u32, part: Part) -> impl Iterator<Item = NodeId> + '_ {
        let wanted = number_of(part);
        let parts = self.parts_of(object).iter();
        parts.filter(move |(number, _)| wanted.is_none_or(|it| it == *number)).map(|(_, node)| *node)
    }

    /// The objects that have a field of this number, and what is in it.
    pub fn holders(&self, number: u32) -> &[(u32, NodeId)] {
        self.holders.get(&number).map_or(&[], Vec::as_slice)
    }

    /// The calls in one instance: where they begin and end in [`Self::sites`].
    pub fn sites_of(&self, instance: InstanceId) -> std::ops::Range<usize> {
        let start = self.sites.partition_point(|site| site.caller < instance);
        let end = self.sites.partition_point(|site| site.caller <= instance);
        start..end
    }

    /// The receivers that lead a call to each of its targets, by target. Nothing for targets without a receiver.
    pub fn receivers(&self, site: u32, instances: &[Code], world: &mut World<'_>) -> Vec<Option<Set>> {
        let site = &self.sites[site as usize];
        let Some(receiver) = site.receiver else { return vec![None; site.targets.len()] };
        let mut found = vec![Some(Set::default()); site.targets.len()];
        let mut by_code: FxHashMap<Code, SmallVec<[usize; 1]>> = FxHashMap::default();
        for (index, target) in site.targets.iter().enumerate() {
            by_code.entry(instances[target.index()]).or_default().push(index);
        }
        for object in self.objects(receiver).iter() {
            for index in self.candidates(site, object, &by_code, instances, world) {
                if self.is_receiver(object, site.targets[*index])
                    && let Some(receivers) = &mut found[*index]
                {
                    receivers.insert(object);
                }
            }
        }
        for (target, found) in site.targets.iter().zip(&mut found) {
            if let (true, Some(proxies)) = (self.forwarders.contains(target), self.this_of(*target)) {
                let mut common = Set::default();
                common.add_common(self.objects(receiver), self.objects(proxies));
                *found = Some(common);
            }
        }
        found
    }

    /// Places of the targets whose code a call on this object runs.
    fn candidates<'c>(
        &self,
        site: &HeapCall,
        object: u32,
        by_code: &'c FxHashMap<Code, SmallVec<[usize; 1]>>,
        instances: &[Code],
        world: &mut World<'_>,
    ) -> &'c [usize] {
        let code = if !site.is_virtual {
            site.targets.first().map(|target| instances[target.index()])
        } else if let Some(proxy) = self.lambda(object).filter(|proxy| site.targets.contains(proxy)) {
            Some(instances[proxy.index()])
        } else {
            world.dispatch(self.class_of(object), site.selector).map(Code::Method)
        };
        code.and_then(|code| by_code.get(&code)).map_or(&[], SmallVec::as_slice)
    }

    fn is_receiver(&self, object: u32, target: InstanceId) -> bool {
        match self.lambda(object) {
            Some(proxy) if proxy == target => true,
            _ => self.this_of(target).is_some_and(|this| self.objects(this).contains(object)),
        }
    }

    fn this_of(&self, instance: InstanceId) -> Option<NodeId> {
        self.frame(instance).parameters.first().copied().flatten()
    }
}

/// The number of a field, or of the elements of an array; nothing for all parts.
pub fn number_of(part: Part) -> Option<u32> {
    match part {
        Part::Field(field) => Some(field.0),
        Part::Elements => Some(ELEMENTS),
        Part::Anything => None,
    }
}

/// Many short lists in one: a list for each small number.
#[derive(Debug)]
pub struct Lists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Lists<T> {
    /// `count` lists; items keep their order.
    pub(crate) fn new(count: usize, mut items: Vec<(u32, T)>) -> Self {
        items.sort_by_key(|(number, _)| *number);
        let mut starts = vec![0; count + 1];
        for (number, _) in &items {
            starts[*number as usize + 1] += 1;
        }
        let mut before = 0;
        for start in &mut starts {
            before += *start;
            *start = before;
        }
        Self { starts, items: items.into_iter().map(|(_, item)| item).collect() }
    }

    pub fn of(&self, number: u32) -> &[T] {
        let at = number as usize;
        &self.items[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_its_own_items_in_their_order() {
        let lists = Lists::new(4, vec![(2, 'a'), (0, 'b'), (2, 'c')]);
        let all: Vec<&[char]> = (0..4).map(|number| lists.of(number)).collect();
        assert_eq!(all, [&['b'][..], &[], &['a', 'c'], &[]]);
    }
}
