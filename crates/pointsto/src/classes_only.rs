//! Call graphs by classes alone: `cha` and `rta`.
//!
//! A virtual call on a class comes to the methods that receivers below that class select. Receivers are, for `cha`, all
//! classes there are; for `rta` those that reachable code makes objects of; for both the lambdas of reachable code.
//! Calls of the same method on the same class share one group of targets. A new receiver visits the groups of the
//! classes above it, a new group the receivers below its class.

mod at_fixed_point;
mod dynamic;
mod groups;
mod natives;
mod reflection;
mod statements;

use crate::blind::{Blind, BlindSpot};
use crate::callgraph::{CallKind, Code, Found, FoundCall, Targets, Thrown};
use crate::ids::{ClassId, InstanceId, MethodId, SelectorId};
use crate::implicit::Implicit;
use crate::models::{Effect, Models};
use crate::options::{CallGraphKind, Options};
use crate::solver::entries::{called_by_the_jvm, constructors_of, given, receivers};
use crate::solver::initialisers::Initialisers;
use crate::world::{ClassSource, Element, World};
use at_fixed_point::AtFixedPoint;
use catchment_ir::{Body, Translator};
use groups::Groups;
use reflection::Reflections;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

pub(crate) struct ClassesOnly<'a> {
    pub(crate) world: World<'a>,
    options: Options,
    instances: Vec<Code>,
    by_method: FxHashMap<MethodId, Option<InstanceId>>,
    unread: Vec<(InstanceId, MethodId)>,
    entries: Vec<InstanceId>,
    calls: Vec<FoundCall>,
    throws: Vec<Thrown>,
    implicit: Vec<Implicit>,
    initialisers: Initialisers,
    groups: Groups,
    reflections: Reflections,
    at_fixed_point: AtFixedPoint,
    /// Classes of receivers that are examined at the next fixed point.
    unexamined: Vec<ClassId>,
    models: Models,
    translator: Translator,
    blind_spots: FxHashSet<Blind>,
}

impl<'a> ClassesOnly<'a> {
    pub(crate) fn new(source: &'a dyn ClassSource, options: Options) -> Self {
        let mut calls = Self {
            world: World::new(source),
            options,
            instances: Vec::new(),
            by_method: FxHashMap::default(),
            unread: Vec::new(),
            entries: Vec::new(),
            calls: Vec::new(),
            throws: Vec::new(),
            implicit: Vec::new(),
            initialisers: Initialisers::default(),
            groups: Groups::default(),
            reflections: Reflections::default(),
            at_fixed_point: AtFixedPoint::default(),
            unexamined: Vec::new(),
            models: Models::new(),
            translator: Translator::default(),
            blind_spots: FxHashSet::default(),
        };
        if options.analysis == CallGraphKind::Cha {
            source.for_each_name(&mut |name| {
                let class = calls.world.class(name);
                calls.make(class);
            });
        }
        calls
    }

    pub(crate) fn add_entries(&mut self, entries: &[MethodId]) {
        for method in called_by_the_jvm(&mut self.world) {
            self.add_entry(method);
        }
        for method in entries {
            for constructor in constructors_of(&mut self.world, *method) {
                self.add_entry(constructor);
            }
            if let Some(instance) = self.add_entry(*method) {
                self.entries.push(instance);
            }
            for class in receivers(&mut self.world, *method) {
                self.make_with_elements(class);
            }
        }
    }

    fn add_entry(&mut self, method: MethodId) -> Option<InstanceId> {
        self.initialise(self.world.method(method).class);
        let instance = self.reach(method)?;
        for class in given(&mut self.world, method).into_iter().flatten() {
            self.make_with_elements(class);
        }
        Some(instance)
    }

    fn make_with_elements(&mut self, class: ClassId) {
        self.make(class);
        if let Some(Element::Class(element)) = self.world.class_of(class).element() {
            self.make_with_elements(element);
        }
    }

    /// Solves to a fixed point.
    pub(crate) fn solve(&mut self) {
        loop {
            while let Some((instance, method)) = self.unread.pop() {
                if let Some(body) = self.body_of(method) {
                    self.add_statements(instance, method, &body);
                }
            }
            if !self.step_at_fixed_point() {
                break;
            }
        }
    }

    fn body_of(&mut self, method: MethodId) -> Option<Body> {
        let class = self.world.method(method).class;
        let member = self.world.member_of(method)?;
        let class = self.world.class_of(class);
        match self.translator.translate_with(class.file()?, member, class.assertions()) {
            Ok(body) => body,
            Err(_) => {
                self.blind(method, 0, BlindSpot::Unreadable);
                None
            }
        }
    }

    /// The instance of a method; nothing if it has no code and no model.
    fn reach(&mut self, method: MethodId) -> Option<InstanceId> {
        if let Some(instance) = self.by_method.get(&method) {
            return *instance;
        }
        let effects = self.models.of(&self.world, method).map(<[Effect]>::to_vec);
        let declared = self.world.method(method);
        let (is_native, is_abstract) = (declared.is_native(), declared.is_abstract());
        let instance = (effects.is_some() || !is_abstract).then(|| self.add_instance(Code::Method(method)));
        // Before anything else: what the method calls may be the method itself.
        self.by_method.insert(method, instance);
        let instance = instance?;
        if is_native {
            self.throw_declared(method);
        }
        match effects {
            Some(effects) => self.add_effects(instance, method, &effects),
            None if is_native => self.return_anything(method),
            None => self.unread.push((instance, method)),
        }
        Some(instance)
    }

    fn add_instance(&mut self, code: Code) -> InstanceId {
        let id = InstanceId::new(self.instances.len());
        self.instances.push(code);
        id
    }

    /// A call that can come to one method only.
    fn call_directly(&mut self, caller: InstanceId, pc: u16, method: MethodId) {
        if let Some(target) = self.reach(method) {
            let targets = Targets::Own(SmallVec::from_elem(target, 1));
            self.calls.push(FoundCall { caller, pc, kind: CallKind::Ordinary, targets });
        }
    }

    /// Calls of the group can come to this method.
    fn add_target(&mut self, group: u32, method: MethodId) {
        if let Some(target) = self.reach(method) {
            self.groups.add_target(group, target);
        }
    }

    /// A call that goes where receivers of `class` and below say.
    fn call_virtually(
        &mut self,
        caller: InstanceId,
        pc: u16,
        kind: CallKind,
        class: ClassId,
        selector: SelectorId,
    ) {
        let group = self.group(class, selector);
        self.calls.push(FoundCall { caller, pc, kind, targets: Targets::Group(group) });
    }

    /// The class is used at this place, by the code of class `by`.
    fn initialise_by(&mut self, place: (InstanceId, u16), class: ClassId, by: ClassId) {
        self.initialise(class);
        self.initialisers.add_use(&self.world, place, class, by);
    }

    fn initialise(&mut self, class: ClassId) {
        for (class, initialiser) in self.initialisers.begin(&mut self.world, class) {
            if let Some(instance) = self.reach(initialiser) {
                self.initialisers.add(class, instance);
            }
        }
    }

    fn blind(&mut self, method: MethodId, pc: u16, spot: BlindSpot) {
        self.blind_spots.insert(Blind { spot, method, pc });
    }

    pub(crate) fn into_found(mut self) -> Found<'a> {
        self.calls.extend(self.initialisers.calls());
        Found {
            objects: self.groups.receivers(),
            groups: self.groups.into_targets(),
            world: self.world,
            instances: self.instances,
            entries: self.entries,
            calls: self.calls,
            throws: self.throws,
            implicit: self.implicit,
            blind_spots: self.blind_spots.into_iter().collect(),
            nodes: 0,
            heap: None,
        }
    }
}
