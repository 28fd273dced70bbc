//! Methods and fields by their names, and what is done with them.

use super::Reflection;
use super::actions::Action;
use crate::callgraph::CallKind;
use crate::graph::Filter;
use crate::ids::{ClassId, FieldId, MethodId, NodeId};
use crate::objects::Origin;
use crate::solver::calls::Arguments;
use crate::solver::{Part, Solver, Use};
use catchment_classfile::descriptor;
use catchment_ir::InvokeKind;

/// Numbers by their descriptors, and the classes of their boxes.
pub(crate) const BOXES: [(&str, &str); 8] = [
    ("Z", "java/lang/Boolean"),
    ("B", "java/lang/Byte"),
    ("C", "java/lang/Character"),
    ("S", "java/lang/Short"),
    ("I", "java/lang/Integer"),
    ("J", "java/lang/Long"),
    ("F", "java/lang/Float"),
    ("D", "java/lang/Double"),
];

const METHOD: &[u8] = b"java/lang/reflect/Method";
const FIELD: &[u8] = b"java/lang/reflect/Field";

impl Solver<'_> {
    pub(super) fn get_method(&mut self, at: &Reflection, of: Origin) {
        let Origin::ClassOf(class) = of else { return self.give_unknown(at, METHOD) };
        self.give_others(at, METHOD);
        for method in self.methods_named(class, &at.names.constants) {
            let class = self.world.class(METHOD);
            let object = self.object(class, Origin::Member(method));
            self.give_result(at, object);
        }
    }

    /// Methods of these names in the class and above.
    pub(super) fn methods_named(&self, class: ClassId, names: &[Box<[u8]>]) -> Vec<MethodId> {
        let above = self.world.class_of(class).supertypes.iter();
        let methods = above.flat_map(|class| self.world.class_of(*class).methods());
        methods.filter(|method| names.iter().any(|name| **name == *self.world.name_of(*method))).collect()
    }

    pub(super) fn fields_named(&self, class: ClassId, names: &[Box<[u8]>]) -> Vec<FieldId> {
        let above = self.world.class_of(class).supertypes.iter();
        let fields = above.flat_map(|class| self.world.class_of(*class).fields());
        fields.filter(|field| names.iter().any(|name| **name == *self.world.field_name(*field))).collect()
    }

    pub(super) fn get_field(&mut self, at: &Reflection, of: Origin) {
        let Origin::ClassOf(class) = of else { return self.give_unknown(at, FIELD) };
        self.give_others(at, FIELD);
        for field in self.fields_named(class, &at.names.constants) {
            let class = self.world.class(FIELD);
            let object = self.object(class, Origin::FieldOf(field));
            self.give_result(at, object);
        }
    }

    pub(super) fn invoke_given(&mut self, at: &Reflection, of: Origin) {
        let Origin::Member(method) = of else { return self.invoke_recorded(at) };
        let rest = self.spread(method, at.given);
        let receiver = at.arguments.rest.first().copied().flatten();
        let thrown = self.wrapped(at);
        self.invoke(at, method, receiver, rest, thrown);
    }

    fn invoke_recorded(&mut self, at: &Reflection) {
        let targets = self.recorded_targets(at);
        if targets.is_empty() {
            self.unknown_target(at);
        }
        for target in targets {
            if self.world.name_of(target) != b"<init>" {
                self.invoke_given(at, Origin::Member(target));
            }
        }
    }

    /// Calls a method on a receiver that may be of any class.
    pub(super) fn invoke(
        &mut self,
        at: &Reflection,
        method: MethodId,
        receiver: Option<NodeId>,
        rest: Box<[Option<NodeId>]>,
        thrown: Option<NodeId>,
    ) {
        let declared = *self.world.method(method);
        self.give_boxed(at, method);
        let result = at.arguments.result;
        if declared.is_static() {
            self.initialise_for(at, declared.class);
            let arguments = Arguments { receiver: None, rest, result, thrown };
            return self.add_reflective_call(at, InvokeKind::Static, method, arguments);
        }
        let Some(receiver) = receiver else { return };
        let receiver = self.filtered(receiver, declared.class);
        let arguments = Arguments { receiver: Some(receiver), rest, result, thrown };
        self.add_reflective_call(at, InvokeKind::Virtual, method, arguments);
    }

    pub(super) fn add_reflective_call(
        &mut self,
        at: &Reflection,
        kind: InvokeKind,
        method: MethodId,
        arguments: Arguments,
    ) {
        let site = self.sites.len();
        self.add_call(at.caller, at.pc, kind, method, arguments);
        if matches!(at.action, Action::Invoke | Action::Construct) {
            self.call_kinds.insert(site as u32, CallKind::Reflective);
        }
    }

    /// A number that a method returns arrives in a box.
    fn give_boxed(&mut self, at: &Reflection, method: MethodId) {
        let returned = descriptor::returned(self.world.descriptor_of(method));
        if let Some((_, class)) = BOXES.iter().find(|(number, _)| number.as_bytes() == returned) {
            self.give_unknown(at, class.as_bytes());
        }
    }

    /// The elements of an array as arguments of a method: each may be any that fits.
    pub(super) fn spread(&mut self, method: MethodId, given: Option<NodeId>) -> Box<[Option<NodeId>]> {
        let parameters = descriptor::parameters(self.world.descriptor_of(method));
        let argument = |parameter: &[u8]| {
            let class = self.world.class_of_descriptor(parameter)?;
            Some(self.filtered(given?, class))
        };
        parameters.map(argument).collect()
    }

    /// A node of what is in `node` and an instance of the class.
    pub(crate) fn filtered(&mut self, node: NodeId, class: ClassId) -> NodeId {
        if self.known.named.contains(&class) {
            let some = self.graph.node();
            let object = self.object(class, Origin::Merged);
            self.graph.add_object(some, object.0);
            return some;
        }
        let filter = self.graph.filters.is(class, &self.world);
        if filter == Filter::NONE {
            return node;
        }
        let into = self.graph.node();
        self.graph.add_edge(node, into, filter);
        into
    }

    /// The node to which exceptions of the target go: into the exception that the caller sees.
    pub(super) fn wrapped(&mut self, at: &Reflection) -> Option<NodeId> {
        let class = self.world.class(b"java/lang/reflect/InvocationTargetException");
        let wrapper = self.object(class, Origin::Merged);
        let inside = self.graph.node();
        for field in self.fields_named(class, &[b"target".as_slice().into()]) {
            let part = self.field_of(wrapper.0, field);
            self.graph.add_edge(inside, part, Filter::NONE);
        }
        if let Some(thrown) = at.arguments.thrown {
            self.graph.add_object(thrown, wrapper.0);
        }
        Some(inside)
    }

    pub(super) fn read_field(&mut self, at: &Reflection, of: Origin) {
        let Origin::FieldOf(field) = of else { return self.unknown_target(at) };
        let base = at.arguments.rest.first().copied().flatten();
        self.load_field(at, field, base);
    }

    pub(super) fn load_field(&mut self, at: &Reflection, field: FieldId, base: Option<NodeId>) {
        let Some(into) = at.arguments.result else { return };
        let declared = *self.world.field(field);
        if declared.is_static {
            self.initialise_for(at, declared.class);
            let from = self.static_field(field);
            self.graph.add_edge(from, into, Filter::NONE);
        } else if let Some(base) = base {
            let base = self.filtered(base, declared.class);
            self.wait(base, Use::Load { part: Part::Field(field), into });
        }
    }

    pub(super) fn write_field(&mut self, at: &Reflection, of: Origin) {
        let Origin::FieldOf(field) = of else { return self.unknown_target(at) };
        let argument = |index: usize| at.arguments.rest.get(index).copied().flatten();
        if let Some(from) = argument(1) {
            self.store_field(at, field, argument(0), from);
        }
    }

    pub(super) fn store_field(
        &mut self,
        at: &Reflection,
        field: FieldId,
        base: Option<NodeId>,
        from: NodeId,
    ) {
        let declared = *self.world.field(field);
        let Some(class) = self.world.field_class(field) else { return };
        let from = self.filtered(from, class);
        if declared.is_static {
            self.initialise_for(at, declared.class);
            let to = self.static_field(field);
            self.graph.add_edge(from, to, Filter::NONE);
        } else if let Some(base) = base {
            let base = self.filtered(base, declared.class);
            self.wait(base, Use::Store { part: Part::Field(field), from });
        }
    }
}
