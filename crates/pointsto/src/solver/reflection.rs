//! Reflection: calls of the JDK that lead to members by their names.
//!
//! Strings that name a class, class objects, and objects that stand for methods, constructors and fields are abstract
//! objects like any other, and flow. At a reflective call ([`actions`]) the objects say what is meant. Names of members
//! have to be constants of the method that asks for them. What is not known stays a blind spot, unless a run has been
//! recorded ([`ReflectiveTarget`]). The JDK's own code of these calls is analysed as well, but its results are not
//! used.

pub(crate) mod actions;
mod classes;
mod handles;
mod known;
mod members;
pub(crate) mod names;
mod proxies;
mod recorded_targets;

pub(crate) use classes::is_modelled_elsewhere;
pub(crate) use handles::passes_handles_on;
pub(crate) use members::BOXES;
pub(crate) use proxies::{HANDLER, INVOKE, can_be_proxy};
pub use recorded_targets::ReflectiveTarget;
pub(crate) use recorded_targets::recorded_targets;

use crate::blind::BlindSpot;
use crate::cache_format::cached;
use crate::ids::{ClassId, InstanceId, MethodId, NodeId, ObjectId};
use crate::objects::Origin;
use crate::sets::Set;
use crate::solver::calls::Arguments;
use crate::solver::statements::Adding;
use crate::solver::{Part, Solver, Use};
use actions::{Action, Watched};
use names::Names;
use proxies::Forwarders;
use rustc_hash::FxHashSet;

/// The number of a reflective call.
pub(crate) type ReflectionId = u32;

/// A reflective call in one instance of a method.
#[derive(Debug, Clone)]
pub(crate) struct Reflection {
    action: Action,
    caller: InstanceId,
    method: MethodId,
    pc: u16,
    /// Holds the objects that say what is meant.
    watched: NodeId,
    arguments: Arguments,
    /// The elements of the array of arguments, for calls that have one.
    given: Option<NodeId>,
    /// Names of members that it asks for.
    names: Names,
    /// The class that the method casts the result to: other objects would go no further.
    cast: Option<ClassId>,
}

cached! { struct Reflection { action, caller, method, pc, watched, arguments, given, names, cast } }

/// All reflective calls.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reflections {
    classes: FxHashSet<ClassId>,
    all: Vec<Reflection>,
    /// Calls and objects that have been seen to.
    done: FxHashSet<(ReflectionId, u32)>,
    forwarders: Forwarders,
    recorded: Vec<ReflectiveTarget>,
    /// Methods with calls that nothing but a run can tell the targets of.
    unknown: FxHashSet<MethodId>,
}

cached! { struct Reflections { classes, all, done, forwarders, recorded, unknown } }

impl Reflections {
    /// The methods of proxy classes.
    pub(crate) fn forwarders(&self) -> FxHashSet<InstanceId> {
        self.forwarders.values().copied().collect()
    }
}

impl Solver<'_> {
    /// Tells whether methods of the class may be reflective.
    #[inline]
    pub(crate) fn is_reflective(&self, class: ClassId) -> bool {
        self.reflections.classes.contains(&class)
    }

    /// Finds the classes whose methods are reflective, and keeps what a run has shown.
    pub(crate) fn prepare_reflection(&mut self, recorded: &[ReflectiveTarget]) {
        let classes = actions::CLASSES.iter().map(|name| self.world.class(name.as_bytes()));
        self.reflections.classes = classes.collect();
        self.reflections.recorded = recorded.to_vec();
    }

    /// A call of a method of a reflective class. What it returns is no longer that of the method's own code.
    pub(crate) fn add_reflection(&mut self, adding: &Adding<'_>, named: MethodId, arguments: &mut Arguments) {
        let class = &self.world.class_of(self.world.method(named).class).name;
        let Some((action, watched)) =
            actions::find(class, self.world.name_of(named), self.world.descriptor_of(named))
        else {
            return;
        };
        let names = self.names_asked(adding, action, arguments);
        self.watch(adding, action, watched, arguments.clone(), names);
        if action.replaces_result() {
            arguments.result = None;
        }
    }

    fn watch(
        &mut self,
        adding: &Adding<'_>,
        action: Action,
        watched: Watched,
        arguments: Arguments,
        names: Names,
    ) {
        let argument = |index: usize| arguments.rest.get(index).copied().flatten();
        let node = match watched {
            Watched::Receiver => arguments.receiver,
            Watched::Argument(index) => argument(index),
            Watched::Elements(index) => argument(index).map(|array| self.elements_in(array)),
        };
        let Some(node) = node else { return };
        let given = action.array_of_arguments().and_then(argument).map(|array| self.elements_in(array));
        let (caller, method, pc) = (adding.instance, adding.method, adding.pc);
        let id = self.reflections.all.len() as ReflectionId;
        let cast = self.cast_of_result(adding, &arguments);
        let reflection =
            Reflection { action, caller, method, pc, watched: node, arguments, given, names, cast };
        self.reflections.all.push(reflection.clone());
        self.wait(node, Use::Reflect(id));
        self.use_recorded(&reflection);
    }

    /// A node of what the arrays in `array` hold.
    fn elements_in(&mut self, array: NodeId) -> NodeId {
        let into = self.graph.node();
        self.wait(array, Use::Load { part: Part::Elements, into });
        into
    }

    /// New objects have come to a reflective call.
    pub(crate) fn reflect(&mut self, id: ReflectionId, objects: &Set) {
        let at = self.reflections.all[id as usize].clone();
        // What it reads, the method that calls reads.
        let before = self.graph.own_new(at.caller.0);
        for object in objects.iter() {
            if self.reflections.done.insert((id, object)) {
                self.act(id, &at, object);
            }
        }
        self.graph.own_new(before);
    }

    fn act(&mut self, id: ReflectionId, at: &Reflection, object: u32) {
        let origin = self.objects.get(object).origin;
        match at.action {
            Action::ForName => self.for_name(at, object, true),
            Action::LoadClass => self.for_name(at, object, false),
            Action::NewInstance => self.new_instance(at, origin),
            Action::GetConstructor => self.get_constructor(at, origin),
            Action::GetConstructors => self.get_constructors(at, origin),
            Action::Construct => self.construct_given(at, origin),
            Action::GetMethod => self.get_method(at, origin),
            Action::Invoke => self.invoke_given(at, origin),
            Action::GetField => self.get_field(at, origin),
            Action::ReadField => self.read_field(at, origin),
            Action::WriteField => self.write_field(at, origin),
            Action::NewArray => self.new_array(at, origin),
            Action::NewProxy => self.new_proxy(id, at, origin),
            Action::HandlerOfProxy => self.handler_of_proxy(at, origin),
            Action::LoadService => self.load_service_of(at, origin),
            Action::FindHandle => self.find_handle(at, origin),
            Action::FindConstructor => self.find_constructor(at, origin),
            Action::FindFieldHandle => self.find_field(at, origin, b"java/lang/invoke/MethodHandle"),
            Action::FindVarHandle => self.find_field(at, origin, b"java/lang/invoke/VarHandle"),
            Action::Unreflect => self.unreflect(at, origin),
            Action::InvokeHandle => self.invoke_handle(at, origin),
            Action::AccessVariable => self.access_variable(at, origin),
        }
    }

    fn give_result(&mut self, at: &Reflection, object: ObjectId) {
        if let Some(result) = at.arguments.result {
            self.graph.add_object(result, object.0);
        }
    }

    /// The result is some object of the class, nobody knows which.
    fn give_unknown(&mut self, at: &Reflection, class: &[u8]) {
        let class = self.world.class(class);
        let object = self.object(class, Origin::Merged);
        self.give_result(at, object);
    }

    /// Members whose names are no constants, as some object of the class.
    fn give_others(&mut self, at: &Reflection, class: &[u8]) {
        if at.names.has_others {
            self.give_unknown(at, class);
        }
    }

    fn unknown_target(&mut self, at: &Reflection) {
        self.blind(at.method, at.pc, BlindSpot::Reflection);
    }

    /// Calls of the program that nothing has come to, once everything is solved: what they mean was made in a way
    /// nobody has modelled.
    pub(crate) fn blind_where_nothing_came(&mut self) {
        for at in 0..self.reflections.all.len() {
            let Reflection { action, method, pc, watched, .. } = self.reflections.all[at];
            let is_silent = action.is_use() && self.graph.objects(watched).iter().next().is_none();
            if is_silent && self.world.is_of_program(method) {
                self.blind(method, pc, BlindSpot::Reflection);
            }
        }
    }

    fn load_service_of(&mut self, at: &Reflection, of: Origin) {
        match of {
            Origin::ClassOf(service) => self.load_service(service),
            // The JDK asks for a service by what it was asked for.
            _ if self.world.is_of_program(at.method) => self.unknown_target(at),
            _ => {}
        }
    }

    /// Made by the call.
    fn made_here(&mut self, at: &Reflection, class: ClassId) -> ObjectId {
        let context = self.context_of_made(at.caller);
        self.object(class, Origin::AllocationSite { method: at.method, pc: at.pc, level: 0, context })
    }

    fn initialise_for(&mut self, at: &Reflection, class: ClassId) {
        let by = self.world.method(at.method).class;
        self.initialise_by((at.caller, at.pc), class, by);
    }
}
