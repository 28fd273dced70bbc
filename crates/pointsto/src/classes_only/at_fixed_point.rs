//! Steps at a fixed point: calls that the JVM and the JDK make because of an object's class (finalisers, references,
//! serialisation, services).

use super::ClassesOnly;
use crate::callgraph::{CallKind, FoundCall, Targets};
use crate::ids::{ClassId, InstanceId, MethodId};
use crate::solver::at_fixed_point::{has_finaliser, pending_references, registration};
use crate::solver::serialisation::{CALLBACKS, first_constructor, has_callbacks, stream_method};
use crate::solver::services::{MAKERS, maker_named, provider_method};
use rustc_hash::FxHashMap;

/// Calls because of classes, as groups.
#[derive(Debug, Default)]
pub(super) struct AtFixedPoint {
    /// Classes whose objects have methods that streams call.
    serialised: Vec<ClassId>,
    /// By callback, and one more for what is read: number of those classes that are done.
    seen: [usize; CALLBACKS.len() + 1],
    /// By caller.
    groups: FxHashMap<InstanceId, u32>,
}

impl ClassesOnly<'_> {
    /// Examines new classes. True if that puts more on the work list.
    pub(super) fn step_at_fixed_point(&mut self) -> bool {
        for class in std::mem::take(&mut self.unexamined) {
            self.examine_class(class);
        }
        let is_called = self.call_serialised();
        self.step_reflection() || is_called || !self.unread.is_empty()
    }

    fn examine_class(&mut self, class: ClassId) {
        if has_finaliser(&mut self.world, class)
            && let Some(register) = registration(&mut self.world)
        {
            self.initialise(self.world.method(register).class);
            self.reach(register);
        }
        let reference = self.world.class(b"java/lang/ref/Reference");
        if self.world.is_subtype(class, reference)
            && let Some(method) = pending_references(&mut self.world)
        {
            self.reach(method);
        }
        if has_callbacks(&mut self.world, class) {
            self.at_fixed_point.serialised.push(class);
        }
    }

    /// True if there was a class that was not done.
    fn call_serialised(&mut self) -> bool {
        let mut is_changed = false;
        for (number, callback) in CALLBACKS.iter().enumerate() {
            let Some(caller) = self.stream_method(callback.caller) else { continue };
            for class in self.unseen_serialised(number) {
                is_changed = true;
                for method in callback.methods(&mut self.world, class) {
                    self.call_from(caller, method);
                }
            }
        }
        if let Some(maker) = self.stream_method(b"newInstance") {
            for class in self.unseen_serialised(CALLBACKS.len()) {
                is_changed = true;
                if let Some(constructor) = first_constructor(&mut self.world, class) {
                    self.call_from(maker, constructor);
                }
            }
        }
        is_changed
    }

    fn unseen_serialised(&mut self, number: usize) -> Vec<ClassId> {
        let unseen = self.at_fixed_point.serialised[self.at_fixed_point.seen[number]..].to_vec();
        self.at_fixed_point.seen[number] = self.at_fixed_point.serialised.len();
        unseen
    }

    /// A method of `ObjectStreamClass`, if it has been reached.
    fn stream_method(&mut self, name: &[u8]) -> Option<InstanceId> {
        let method = stream_method(&mut self.world, name)?;
        self.by_method.get(&method).copied().flatten()
    }

    /// A call that no instruction makes.
    fn call_from(&mut self, caller: InstanceId, method: MethodId) {
        let group = match self.at_fixed_point.groups.get(&caller) {
            Some(group) => *group,
            None => {
                let group = self.groups.add();
                self.at_fixed_point.groups.insert(caller, group);
                let targets = Targets::Group(group);
                self.calls.push(FoundCall { caller, pc: 0, kind: CallKind::Ordinary, targets });
                group
            }
        };
        self.add_target(group, method);
    }

    /// A service is asked for by its class object.
    pub(super) fn load_service(&mut self, service: ClassId) {
        let providers = self.world.providers_of(service);
        if providers.is_empty() {
            return;
        }
        for (class, name) in MAKERS {
            let maker = maker_named(&mut self.world, class, name).and_then(|maker| self.reach(maker));
            let Some(maker) = maker else { continue };
            for provider in &providers {
                self.make_provider(maker, *provider);
            }
        }
    }

    fn make_provider(&mut self, maker: InstanceId, provider: ClassId) {
        self.initialise_by((maker, 0), provider, self.world.object);
        if let Some(method) = provider_method(&self.world, provider) {
            self.call_from(maker, method);
        } else if let Some(constructor) = self.world.declared_as(provider, b"<init>", b"()V") {
            self.make(provider);
            self.call_from(maker, constructor);
        }
    }
}
