//! Calls that make objects and call methods by what was found: those that cannot be told apart share their targets.

use super::super::statements::StatementPosition;
use super::ClassesOnly;
use crate::blind::BlindSpot;
use crate::callgraph::{self, CallKind, FoundCall};
use crate::ids::{ClassId, MethodId};
use crate::solver::reflection::actions::Action;
use crate::solver::reflection::recorded_targets;
use crate::world::Fits;
use catchment_classfile::descriptor;

/// The key by which calls differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct UseKey {
    pub(super) action: Action,
    /// The class that the method casts the result to: other objects would go no further.
    pub(super) cast: Option<ClassId>,
    /// The number of arguments that a handle is given.
    pub(super) arguments: usize,
}

/// Groups of what is called, and of the initialisers that run before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Targets {
    called: u32,
    initialised: u32,
}

/// Calls with the same key, and how many of what can come to them have been seen to.
#[derive(Debug)]
pub(super) struct User {
    key: UseKey,
    targets: Targets,
    seen: usize,
}

impl ClassesOnly<'_> {
    /// A call that uses what is known.
    pub(super) fn use_known(&mut self, at: StatementPosition, key: UseKey) {
        let targets = match self.reflections.by_key.get(&key) {
            Some(known) => *known,
            None => {
                let targets = self.no_targets();
                self.reflections.by_key.insert(key, targets);
                self.reflections.users.push(User { key, targets, seen: 0 });
                targets
            }
        };
        self.add_reflective_call(at, key.action, targets);
        if matches!(key.action, Action::NewInstance | Action::Construct | Action::Invoke) {
            self.use_recorded(at, key);
        }
        // Whether all that can come to it is known, classes alone do not tell.
        if key.action != Action::AccessVariable {
            self.blind(at.method, at.pc, BlindSpot::Reflection);
        }
    }

    fn no_targets(&mut self) -> Targets {
        Targets { called: self.groups.add(), initialised: self.groups.add() }
    }

    fn add_reflective_call(&mut self, at: StatementPosition, action: Action, targets: Targets) {
        let kind = match action {
            Action::Construct | Action::Invoke => CallKind::Reflective,
            _ => CallKind::Ordinary,
        };
        for (kind, group) in [(kind, targets.called), (CallKind::Initialiser, targets.initialised)] {
            let targets = callgraph::Targets::Group(group);
            self.calls.push(FoundCall { caller: at.instance, pc: at.pc, kind, targets });
        }
    }

    /// Targets that a run has shown for this call.
    fn use_recorded(&mut self, at: StatementPosition, key: UseKey) {
        let found = recorded_targets(&mut self.world, &self.reflections.recorded, at.method);
        if found.is_empty() {
            return;
        }
        let targets = self.no_targets();
        self.add_reflective_call(at, key.action, targets);
        for method in found {
            self.use_member(key, targets, method);
        }
    }

    /// Tells whether anything came to a call that had not yet.
    pub(super) fn call_used(&mut self) -> bool {
        let mut is_changed = false;
        for at in 0..self.reflections.users.len() {
            let reflections = &mut self.reflections;
            let User { key, targets, seen } = &mut reflections.users[at];
            let (key, targets) = (*key, *targets);
            let (classes, members) = match key.action {
                Action::ForName => (reflections.names.unseen(seen), Vec::new()),
                Action::NewInstance => (reflections.classes.unseen(seen), Vec::new()),
                Action::Construct | Action::Invoke => (Vec::new(), reflections.members.unseen(seen)),
                Action::InvokeHandle => (Vec::new(), reflections.handles.unseen(seen)),
                _ => (reflections.static_fields.unseen(seen), Vec::new()),
            };
            is_changed |= !classes.is_empty() || !members.is_empty();
            for class in classes {
                self.use_class(key, targets, class);
            }
            for member in members {
                self.use_member(key, targets, member);
            }
        }
        is_changed
    }

    fn use_class(&mut self, key: UseKey, targets: Targets, class: ClassId) {
        if key.action != Action::NewInstance {
            return self.initialise_for(targets, class);
        }
        if let Some(constructor) = self.world.declared_as(class, b"<init>", b"()V") {
            self.construct(key, targets, constructor);
        }
    }

    fn use_member(&mut self, key: UseKey, targets: Targets, member: MethodId) {
        let is_constructor = self.world.name_of(member) == b"<init>";
        let is_meant = match key.action {
            Action::Invoke => !is_constructor,
            Action::InvokeHandle => self.takes(member, is_constructor, key.arguments),
            _ => is_constructor,
        };
        match (is_meant, is_constructor) {
            (false, _) => {}
            (true, true) => self.construct(key, targets, member),
            (true, false) => self.invoke(targets, member),
        }
    }

    /// Tells whether a handle of the method takes so many arguments.
    fn takes(&self, method: MethodId, is_constructor: bool, arguments: usize) -> bool {
        let receiver = usize::from(!is_constructor && !self.world.method(method).is_static());
        let parameters = descriptor::parameters(self.world.descriptor_of(method)).count() + receiver;
        parameters == arguments || self.world.takes_any_number(method) && parameters <= arguments + 1
    }

    fn construct(&mut self, key: UseKey, targets: Targets, constructor: MethodId) {
        let class = self.world.method(constructor).class;
        let is_wanted = key.cast.is_none_or(|cast| self.world.fits(class, cast) != Fits::No);
        if is_wanted && self.world.class_of(class).is_instantiable() {
            self.initialise_for(targets, class);
            self.make(class);
            self.add_target(targets.called, constructor);
        }
    }

    /// Calls a method on whatever has it.
    fn invoke(&mut self, targets: Targets, method: MethodId) {
        let declared = *self.world.method(method);
        if declared.is_static() {
            self.initialise_for(targets, declared.class);
            self.add_target(targets.called, method);
        } else if declared.is_private() {
            self.add_target(targets.called, method);
        } else {
            let selector = self.world.looked_for(method);
            self.add_to_group(targets.called, declared.class, selector);
        }
    }

    fn initialise_for(&mut self, targets: Targets, class: ClassId) {
        self.initialise(class);
        for initialiser in self.initialisers.instances_of(&self.world, class) {
            self.groups.add_target(targets.initialised, initialiser);
        }
    }
}
