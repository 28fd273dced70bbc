//! Class objects: from names, from objects, and what is made with them.

use super::Reflection;
use super::actions::Action;
use crate::ids::{ClassId, MethodId, NodeId};
use crate::objects::Origin;
use crate::solver::Solver;
use crate::solver::calls::Arguments;
use crate::world::{Fits, World};
use catchment_ir::InvokeKind;

impl Solver<'_> {
    fn give_class(&mut self, at: &Reflection, class: ClassId) {
        let object = self.object(self.known.class, Origin::ClassOf(class));
        self.give_result(at, object);
    }

    pub(super) fn for_name(&mut self, at: &Reflection, name: u32, initialises: bool) {
        let name = self.objects.get(name);
        if name.class != self.known.string {
            return;
        }
        let Origin::NameOf(class) = name.origin else {
            if initialises {
                self.unknown_target(at);
            }
            return self.give_unknown(at, b"java/lang/Class");
        };
        if initialises {
            self.initialise_for(at, class);
        }
        self.give_class(at, class);
    }

    pub(super) fn new_array(&mut self, at: &Reflection, of: Origin) {
        let element = if let Origin::ClassOf(element) = of { element } else { self.world.object };
        let array = self.world.array_of(element);
        let object = self.made_here(at, array);
        self.give_result(at, object);
    }

    pub(super) fn new_instance(&mut self, at: &Reflection, of: Origin) {
        match of {
            Origin::ClassOf(class) => {
                if let Some(constructor) = self.world.declared_as(class, b"<init>", b"()V") {
                    let thrown = self.thrown_by_constructor(at);
                    self.construct(at, constructor, Box::default(), thrown);
                }
            }
            _ => self.construct_recorded(at),
        }
    }

    pub(super) fn get_constructor(&mut self, at: &Reflection, of: Origin) {
        let Origin::ClassOf(class) = of else { return self.give_unknown(at, CONSTRUCTOR) };
        for constructor in self.constructors_of(class) {
            let object = self.constructor_object(constructor);
            self.give_result(at, object);
        }
    }

    pub(super) fn get_constructors(&mut self, at: &Reflection, of: Origin) {
        let array = self.world.class(b"[Ljava/lang/reflect/Constructor;");
        let array = self.made_here(at, array);
        self.give_result(at, array);
        let elements = self.elements_of(array.0);
        let constructors = match of {
            Origin::ClassOf(class) => self.constructors_of(class),
            _ => Vec::new(),
        };
        for constructor in constructors {
            let object = self.constructor_object(constructor);
            self.graph.add_object(elements, object.0);
        }
        if !matches!(of, Origin::ClassOf(_)) {
            let class = self.world.class(CONSTRUCTOR);
            let object = self.object(class, Origin::Merged);
            self.graph.add_object(elements, object.0);
        }
    }

    fn constructors_of(&self, class: ClassId) -> Vec<MethodId> {
        self.world.declared_by_name(class, b"<init>").collect()
    }

    fn constructor_object(&mut self, constructor: MethodId) -> crate::ids::ObjectId {
        let class = self.world.class(CONSTRUCTOR);
        self.object(class, Origin::Member(constructor))
    }

    pub(super) fn construct_given(&mut self, at: &Reflection, of: Origin) {
        if is_modelled_elsewhere(&self.world, at.method) {
            return;
        }
        let Origin::Member(constructor) = of else { return self.construct_recorded(at) };
        let arguments = self.spread(constructor, at.given);
        let thrown = self.thrown_by_constructor(at);
        self.construct(at, constructor, arguments, thrown);
    }

    /// The node to which exceptions of the constructor go: `Class.newInstance` does not wrap them.
    fn thrown_by_constructor(&mut self, at: &Reflection) -> Option<NodeId> {
        if at.action == Action::NewInstance { at.arguments.thrown } else { self.wrapped(at) }
    }

    fn construct_recorded(&mut self, at: &Reflection) {
        let targets = self.recorded_targets(at);
        if targets.is_empty() {
            self.unknown_target(at);
        }
        for target in targets {
            if self.world.name_of(target) == b"<init>" {
                self.construct_given(at, Origin::Member(target));
            }
        }
    }

    /// Makes an object and calls its constructor. Exceptions go to `thrown`.
    pub(super) fn construct(
        &mut self,
        at: &Reflection,
        constructor: MethodId,
        rest: Box<[Option<NodeId>]>,
        thrown: Option<NodeId>,
    ) {
        let class = self.world.method(constructor).class;
        let is_wanted = at.cast.is_none_or(|cast| self.world.fits(class, cast) != Fits::No);
        if !is_wanted || !self.world.class_of(class).is_instantiable() {
            return;
        }
        self.initialise_for(at, class);
        let object = self.made_here(at, class);
        self.give_result(at, object);
        let made = self.graph.node();
        self.graph.add_object(made, object.0);
        let arguments = Arguments { receiver: Some(made), rest, result: None, thrown };
        self.add_reflective_call(at, InvokeKind::Special, constructor, arguments);
    }
}

const CONSTRUCTOR: &[u8] = b"java/lang/reflect/Constructor";

/// The objects that these methods make are told by `serialisation` and `services`.
pub(crate) fn is_modelled_elsewhere(world: &World<'_>, maker: MethodId) -> bool {
    let caller = &world.class_of(world.method(maker).class).name;
    **caller == *b"java/io/ObjectStreamClass" || caller.starts_with(b"java/util/ServiceLoader$")
}
