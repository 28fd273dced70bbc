//! Method handles and variable handles: found by name, and used by calls whose descriptors no method declares (JVMS
//! §2.9.3).

use super::Reflection;
use super::actions::{self, Watched};
use super::names::Names;
use crate::blind::BlindSpot;
use crate::graph::Filter;
use crate::ids::{ClassId, MethodId, NodeId};
use crate::objects::Origin;
use crate::solver::calls::Arguments;
use crate::solver::statements::Adding;
use crate::solver::{Part, Solver, Use};
use crate::world::{Element, World};
use catchment_classfile::descriptor;
use catchment_ir::PoolIndex;

const METHOD_HANDLE: &[u8] = b"java/lang/invoke/MethodHandle";

impl Solver<'_> {
    /// A call of a method that takes whatever it is given; false if it is none.
    pub(crate) fn add_polymorphic(
        &mut self,
        adding: &Adding<'_>,
        method: PoolIndex,
        arguments: &Arguments,
    ) -> bool {
        let Some(member) = self.world.member_ref(adding.class, method) else { return false };
        let Some(action) = actions::of_polymorphic(member.owner.as_bytes()) else { return false };
        if passes_handles_on(&self.world, adding.class) {
            self.blind(adding.method, adding.pc, BlindSpot::Reflection);
            return true;
        }
        let mut arguments = arguments.clone();
        arguments.result = arguments.result.map(|result| {
            // The descriptor of the call says what the result is cast to.
            let class = self.world.class_of_descriptor(descriptor::returned(member.descriptor.as_bytes()));
            let filter = class.map_or(Filter::NONE, |class| self.graph.filters.is(class, &self.world));
            let unchecked = self.graph.node();
            self.graph.add_edge(unchecked, result, filter);
            unchecked
        });
        self.watch(adding, action, Watched::Receiver, arguments, Names::default());
        true
    }

    /// A method handle that is a constant.
    pub(crate) fn handle_constant(&mut self, adding: &Adding<'_>, constant: PoolIndex) -> Option<u32> {
        let method = self.world.handle_ref(adding.class, constant)?;
        Some(self.handle_of(method).0)
    }

    fn handle_of(&mut self, method: MethodId) -> crate::ids::ObjectId {
        let class = self.world.class(METHOD_HANDLE);
        self.object(class, Origin::Member(method))
    }

    pub(super) fn find_handle(&mut self, at: &Reflection, of: Origin) {
        let Origin::ClassOf(class) = of else { return self.give_unknown(at, METHOD_HANDLE) };
        self.give_others(at, METHOD_HANDLE);
        for method in self.methods_named(class, &at.names.constants) {
            let handle = self.handle_of(method);
            self.give_result(at, handle);
        }
    }

    pub(super) fn find_constructor(&mut self, at: &Reflection, of: Origin) {
        let Origin::ClassOf(class) = of else { return self.give_unknown(at, METHOD_HANDLE) };
        for constructor in self.world.declared_by_name(class, b"<init>").collect::<Vec<_>>() {
            let handle = self.handle_of(constructor);
            self.give_result(at, handle);
        }
    }

    /// A handle of a field, as an object of class `handle`.
    pub(super) fn find_field(&mut self, at: &Reflection, of: Origin, handle: &[u8]) {
        let Origin::ClassOf(class) = of else { return self.give_unknown(at, handle) };
        self.give_others(at, handle);
        for field in self.fields_named(class, &at.names.constants) {
            let handle = self.world.class(handle);
            let object = self.object(handle, Origin::FieldOf(field));
            self.give_result(at, object);
        }
    }

    pub(super) fn unreflect(&mut self, at: &Reflection, of: Origin) {
        match of {
            Origin::Member(method) => {
                let handle = self.handle_of(method);
                self.give_result(at, handle);
            }
            _ => self.give_unknown(at, METHOD_HANDLE),
        }
    }

    pub(super) fn invoke_handle(&mut self, at: &Reflection, of: Origin) {
        let rest = &at.arguments.rest;
        let first = rest.first().copied().flatten();
        match of {
            Origin::Member(method) => self.call_through_handle(at, method),
            Origin::FieldOf(field) if at.arguments.result.is_some() => self.load_field(at, field, first),
            Origin::FieldOf(field) => {
                if let Some(from) = rest.last().copied().flatten() {
                    self.store_field(at, field, first, from);
                }
            }
            _ => self.unknown_target(at),
        }
    }

    /// A handle takes what its method takes, behind a receiver if that has one; the JVM refuses other calls.
    fn call_through_handle(&mut self, at: &Reflection, method: MethodId) {
        let is_constructor = self.world.name_of(method) == b"<init>";
        let receiver = usize::from(!is_constructor && !self.world.method(method).is_static());
        let Some((before, behind)) = at.arguments.rest.split_at_checked(receiver) else { return };
        let Some(given) = self.given_to(at, method, behind) else { return };
        if is_constructor {
            self.construct(at, method, given, at.arguments.thrown);
        } else {
            self.invoke(at, method, before.first().copied().flatten(), given, at.arguments.thrown);
        }
    }

    /// Arguments that a handle passes to its method; nothing if that takes more or fewer.
    fn given_to(
        &mut self,
        at: &Reflection,
        method: MethodId,
        given: &[Option<NodeId>],
    ) -> Option<Box<[Option<NodeId>]>> {
        if self.world.takes_any_number(method) {
            return self.given_and_collected(at, method, given);
        }
        let parameters: Vec<&[u8]> = descriptor::parameters(self.world.descriptor_of(method)).collect();
        (parameters.len() == given.len()).then(|| self.cast_to(&parameters, given).collect())
    }

    fn cast_to<'p>(
        &mut self,
        parameters: &'p [&[u8]],
        given: &'p [Option<NodeId>],
    ) -> impl Iterator<Item = Option<NodeId>> {
        given.iter().zip(parameters).map(|(argument, parameter)| {
            let class = self.world.class_of_descriptor(parameter)?;
            Some(self.filtered((*argument)?, class))
        })
    }

    /// A method with any number of arguments finds those behind the others in an array.
    fn given_and_collected(
        &mut self,
        at: &Reflection,
        method: MethodId,
        given: &[Option<NodeId>],
    ) -> Option<Box<[Option<NodeId>]>> {
        let parameters: Vec<&[u8]> = descriptor::parameters(self.world.descriptor_of(method)).collect();
        let (array, parameters) = parameters.split_last()?;
        let (given, behind) = given.split_at_checked(parameters.len())?;
        let array = self.world.class_of_descriptor(array)?;
        let collected = self.collected(at, array, behind);
        Some(self.cast_to(parameters, given).chain([Some(collected)]).collect())
    }

    /// A node of the array that holds these; a single one may be the array itself.
    fn collected(&mut self, at: &Reflection, array: ClassId, given: &[Option<NodeId>]) -> NodeId {
        let made = self.made_here(at, array);
        let node = self.graph.node();
        self.graph.add_object(node, made.0);
        if let Some(Element::Class(element)) = self.world.class_of(array).element() {
            let elements = self.elements_of(made.0);
            for argument in given.iter().flatten() {
                let fitting = self.filtered(*argument, element);
                self.graph.add_edge(fitting, elements, Filter::NONE);
            }
        }
        if let [Some(argument)] = given {
            let whole = self.filtered(*argument, array);
            self.graph.add_edge(whole, node, Filter::NONE);
        }
        node
    }

    /// Every access is taken to read and to write all that it is given.
    pub(super) fn access_variable(&mut self, at: &Reflection, of: Origin) {
        let Origin::FieldOf(field) = of else { return self.access_anything(at) };
        let base = at.arguments.rest.first().copied().flatten();
        self.load_field(at, field, base);
        let coordinates = usize::from(!self.world.field(field).is_static);
        for from in at.arguments.rest.iter().skip(coordinates).flatten() {
            self.store_field(at, field, base, *from);
        }
    }

    /// A handle of array elements, or of nobody knows what in its first argument.
    fn access_anything(&mut self, at: &Reflection) {
        let Some(Some(base)) = at.arguments.rest.first().copied() else { return };
        if let Some(into) = at.arguments.result {
            self.wait(base, Use::Load { part: Part::Anything, into });
        }
        let written: Vec<NodeId> = at.arguments.rest.iter().skip(1).flatten().copied().collect();
        for from in written {
            self.wait(base, Use::Store { part: Part::Anything, from });
        }
    }
}

/// Tells whether a class belongs to the JDK's own machinery of handles, which passes all of them through the same few
/// calls.
pub(crate) fn passes_handles_on(world: &World<'_>, class: ClassId) -> bool {
    world.class_of(class).name.starts_with(b"java/lang/invoke/")
}
