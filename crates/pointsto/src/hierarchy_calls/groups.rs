//! Receivers below classes, and groups of calls that they visit.

use super::HierarchyCalls;
use crate::ids::{ClassId, InstanceId, SelectorId};
use crate::sets::Set;
use rustc_hash::{FxHashMap, FxHashSet};

/// Something whose methods are called.
#[derive(Debug, Clone, Copy)]
struct Receiver {
    class: ClassId,
    lambda: Option<u32>,
}

/// A lambda object: the class of its receiver is the interface.
#[derive(Debug)]
struct LambdaObject {
    name: Box<[u8]>,
    proxy: InstanceId,
}

/// All calls of one method on one class.
#[derive(Debug)]
struct Group {
    selector: SelectorId,
    targets: Set,
}

#[derive(Debug, Default)]
pub(super) struct Groups {
    groups: Vec<Group>,
    by_call: FxHashMap<(ClassId, SelectorId), u32>,
    /// By class: the groups of calls on it, and the receivers that are instances of it.
    groups_on: FxHashMap<ClassId, Vec<u32>>,
    below: FxHashMap<ClassId, Vec<Receiver>>,
    /// Receivers with something missing above them may be instances of anything: by the methods that they have.
    unsure: FxHashMap<SelectorId, Vec<Receiver>>,
    groups_of: FxHashMap<SelectorId, Vec<u32>>,
    made: FxHashSet<ClassId>,
    lambdas: Vec<LambdaObject>,
}

impl Groups {
    /// How many receivers there are.
    pub(super) fn receivers(&self) -> usize {
        self.made.len() + self.lambdas.len()
    }

    /// The targets of each group.
    pub(super) fn into_targets(self) -> Vec<Vec<InstanceId>> {
        let groups = self.groups.into_iter();
        groups.map(|group| group.targets.iter().map(InstanceId).collect()).collect()
    }
}

impl HierarchyCalls<'_> {
    /// There are objects of exactly this class, if there can be.
    pub(super) fn make(&mut self, class: ClassId) {
        if self.world.class_of(class).is_instantiable() && self.groups.made.insert(class) {
            self.add_receiver(Receiver { class, lambda: None });
        }
    }

    /// There are objects of a hidden class that implements `interface` by `proxy`.
    pub(super) fn make_lambda(&mut self, interface: ClassId, name: &[u8], proxy: InstanceId) {
        let number = self.groups.lambdas.len() as u32;
        self.groups.lambdas.push(LambdaObject { name: name.into(), proxy });
        self.add_receiver(Receiver { class: interface, lambda: Some(number) });
    }

    fn add_receiver(&mut self, receiver: Receiver) {
        let mut above = self.world.class_of(receiver.class).supertypes.clone();
        if !above.contains(&self.world.object) {
            above.push(self.world.object);
        }
        let mut visited: Vec<u32> = Vec::new();
        for class in &above {
            self.groups.below.entry(*class).or_default().push(receiver);
            visited.extend(self.groups.groups_on.get(class).into_iter().flatten());
        }
        if self.world.is_unsure(receiver.class) {
            for selector in self.selectors_of(&above) {
                self.groups.unsure.entry(selector).or_default().push(receiver);
                visited.extend(self.groups.groups_of.get(&selector).into_iter().flatten());
            }
        }
        for group in visited {
            self.visit(group, receiver);
        }
    }

    /// The methods that classes declare.
    fn selectors_of(&self, classes: &[ClassId]) -> FxHashSet<SelectorId> {
        let methods = classes.iter().flat_map(|class| self.world.class_of(*class).methods());
        methods.map(|method| self.world.method(method).selector).collect()
    }

    /// The group of calls of a method on a class.
    pub(super) fn group(&mut self, class: ClassId, selector: SelectorId) -> u32 {
        if let Some(group) = self.groups.by_call.get(&(class, selector)) {
            return *group;
        }
        let number = self.groups.groups.len() as u32;
        self.groups.groups.push(Group { selector, targets: Set::default() });
        self.groups.by_call.insert((class, selector), number);
        self.groups.groups_on.entry(class).or_default().push(number);
        self.groups.groups_of.entry(selector).or_default().push(number);
        let below = self.groups.below.get(&class).cloned().unwrap_or_default();
        let unsure = self.groups.unsure.get(&selector).cloned().unwrap_or_default();
        for receiver in below.into_iter().chain(unsure) {
            self.visit(number, receiver);
        }
        number
    }

    /// A receiver that a group of calls has not seen yet.
    fn visit(&mut self, group: u32, receiver: Receiver) {
        let selector = self.groups.groups[group as usize].selector;
        let target = match self.proxy_called(selector, receiver) {
            Some(proxy) => Some(proxy),
            None => self.world.dispatch(receiver.class, selector).and_then(|method| self.reach(method)),
        };
        if let Some(target) = target {
            self.groups.groups[group as usize].targets.insert(target.0);
        }
    }

    fn proxy_called(&self, selector: SelectorId, receiver: Receiver) -> Option<InstanceId> {
        let lambda = self.groups.lambdas.get(receiver.lambda? as usize)?;
        self.world.is_named(selector, &lambda.name).then_some(lambda.proxy)
    }
}
