//! Receivers below classes, and groups of calls that they visit.

use super::ClassesOnly;
use crate::ids::{ClassId, InstanceId, SelectorId};
use crate::sets::Set;
use rustc_hash::{FxHashMap, FxHashSet};

/// Something whose methods are called.
#[derive(Debug, Clone, Copy)]
struct Receiver {
    class: ClassId,
    lambda: Option<u32>,
}

/// A lambda object or a proxy: the class of its receiver is the interface.
#[derive(Debug)]
struct LambdaObject {
    /// The method that it implements; nothing if it implements all.
    name: Option<Box<[u8]>>,
    proxy: InstanceId,
}

/// Calls of one method on one class, as part of a group.
#[derive(Debug, Clone, Copy)]
struct Part {
    selector: SelectorId,
    group: u32,
}

#[derive(Debug, Default)]
pub(super) struct Groups {
    /// By group.
    targets: Vec<Set>,
    by_call: FxHashMap<(ClassId, SelectorId), u32>,
    /// By class: the calls on it, and the receivers that are instances of it.
    calls_on: FxHashMap<ClassId, Vec<Part>>,
    below: FxHashMap<ClassId, Vec<Receiver>>,
    /// Receivers with something missing above them may be instances of anything: by the methods that they have.
    unsure: FxHashMap<SelectorId, Vec<Receiver>>,
    calls_of: FxHashMap<SelectorId, Vec<Part>>,
    made: FxHashSet<ClassId>,
    lambdas: Vec<LambdaObject>,
}

impl Groups {
    /// The number of receivers.
    pub(super) fn receivers(&self) -> usize {
        self.made.len() + self.lambdas.len()
    }

    /// A group that has no targets yet.
    pub(super) fn add(&mut self) -> u32 {
        self.targets.push(Set::default());
        self.targets.len() as u32 - 1
    }

    pub(super) fn add_target(&mut self, group: u32, target: InstanceId) {
        self.targets[group as usize].insert(target.0);
    }

    /// The targets of each group.
    pub(super) fn into_targets(self) -> Vec<Vec<InstanceId>> {
        self.targets.iter().map(|targets| targets.iter().map(InstanceId).collect()).collect()
    }
}

impl ClassesOnly<'_> {
    /// There are objects of exactly this class, if there can be.
    pub(super) fn make(&mut self, class: ClassId) {
        if self.world.class_of(class).is_instantiable() {
            self.make_anyway(class);
        }
    }

    /// There are objects that are known to be of this class, if perhaps of one below.
    pub(super) fn make_anyway(&mut self, class: ClassId) {
        if self.groups.made.insert(class) {
            self.add_receiver(Receiver { class, lambda: None });
        }
    }

    /// There are objects of a hidden class that implements the method of this name in `interface` by `proxy`, or all
    /// methods.
    pub(super) fn make_lambda(&mut self, interface: ClassId, name: Option<&[u8]>, proxy: InstanceId) {
        let number = self.groups.lambdas.len() as u32;
        self.groups.lambdas.push(LambdaObject { name: name.map(Into::into), proxy });
        self.add_receiver(Receiver { class: interface, lambda: Some(number) });
    }

    fn add_receiver(&mut self, receiver: Receiver) {
        self.unexamined.push(receiver.class);
        let mut above = self.world.class_of(receiver.class).supertypes.clone();
        if !above.contains(&self.world.object) {
            above.push(self.world.object);
        }
        let mut visited: Vec<Part> = Vec::new();
        for class in &above {
            self.groups.below.entry(*class).or_default().push(receiver);
            visited.extend(self.groups.calls_on.get(class).into_iter().flatten());
        }
        if self.world.is_unsure(receiver.class) {
            for selector in self.selectors_of(&above) {
                self.groups.unsure.entry(selector).or_default().push(receiver);
                visited.extend(self.groups.calls_of.get(&selector).into_iter().flatten());
            }
        }
        for part in visited {
            self.visit(part, receiver);
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
        let group = self.groups.add();
        self.groups.by_call.insert((class, selector), group);
        self.add_to_group(group, class, selector);
        group
    }

    /// The calls of a group also go where receivers of `class` and below say.
    pub(super) fn add_to_group(&mut self, group: u32, class: ClassId, selector: SelectorId) {
        let part = Part { selector, group };
        self.groups.calls_on.entry(class).or_default().push(part);
        let (declared, _) = self.world.parts_of_looked_for(selector);
        self.groups.calls_of.entry(declared).or_default().push(part);
        let below = self.groups.below.get(&class).cloned().unwrap_or_default();
        let unsure = self.groups.unsure.get(&declared).cloned().unwrap_or_default();
        for receiver in below.into_iter().chain(unsure) {
            self.visit(part, receiver);
        }
    }

    /// A receiver that these calls have not seen yet.
    fn visit(&mut self, part: Part, receiver: Receiver) {
        let Part { selector, group } = part;
        let target = match self.proxy_called(selector, receiver) {
            Some(proxy) => Some(proxy),
            None => self.world.dispatch(receiver.class, selector).and_then(|method| self.reach(method)),
        };
        if let Some(target) = target {
            self.groups.add_target(group, target);
        }
    }

    fn proxy_called(&mut self, selector: SelectorId, receiver: Receiver) -> Option<InstanceId> {
        let lambda = self.groups.lambdas.get(receiver.lambda? as usize)?;
        match &lambda.name {
            Some(name) => {
                self.world.is_left_to_lambda(receiver.class, name, selector).then_some(lambda.proxy)
            }
            None if !self.world.is_left_to_handler(selector) => None,
            None => {
                let proxy = lambda.proxy;
                self.forward(receiver.class, selector);
                Some(proxy)
            }
        }
    }
}
