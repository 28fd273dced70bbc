//! Entry points of a program, and the objects they are given.

use crate::ids::{ClassId, InstanceId, MethodId, NodeId};
use crate::objects::Origin;
use crate::solver::Solver;
use crate::solver::contexts::INSENSITIVE;
use crate::world::{Element, World};
use catchment_classfile::descriptor;

/// Methods that the JVM itself calls. Those that the JDK at hand does not have are passed over.
const CALLED_BY_THE_JVM: [(&str, &str, &str); 9] = [
    ("java/lang/System", "initializeSystemClass", "()V"),
    ("java/lang/System", "initPhase1", "()V"),
    ("java/lang/Thread", "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/Runnable;)V"),
    ("java/lang/Thread", "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V"),
    ("java/lang/Thread", "exit", "()V"),
    ("java/lang/ThreadGroup", "<init>", "()V"),
    ("java/lang/ThreadGroup", "<init>", "(Ljava/lang/ThreadGroup;Ljava/lang/String;)V"),
    ("java/lang/ThreadGroup", "uncaughtException", "(Ljava/lang/Thread;Ljava/lang/Throwable;)V"),
    ("java/lang/ClassLoader", "<init>", "()V"),
];

/// Methods that the JVM calls before and besides the program's own.
pub(crate) fn called_by_the_jvm(world: &mut World<'_>) -> Vec<MethodId> {
    let found = CALLED_BY_THE_JVM.iter().filter_map(|(class, name, descriptor)| {
        let class = world.class(class.as_bytes());
        world.declared_as(class, name.as_bytes(), descriptor.as_bytes())
    });
    found.collect()
}

/// The classes of the objects that a method is called on from outside: its own, and those below it that are known by
/// now and do not override it. All classes among which entry points were looked for are known.
pub(crate) fn receivers(world: &mut World<'_>, method: MethodId) -> Vec<ClassId> {
    let declared = world.method(method);
    let (class, selector) = (declared.class, declared.selector);
    let is_inherited = !declared.is_private() && !world.name_of(method).starts_with(b"<");
    if declared.is_static() {
        return Vec::new();
    }
    let candidates = (0..world.classes()).map(ClassId::new);
    let candidates: Vec<ClassId> = candidates
        .filter(|it| *it == class || is_inherited && world.is_subtype(*it, class))
        .filter(|it| world.class_of(*it).is_instantiable())
        .collect();
    let inherits = |it: &ClassId| *it == class || world.dispatch(*it, selector) == Some(method);
    candidates.into_iter().filter(inherits).collect()
}

/// The object that a method is called on from outside was made by a constructor of its class, whichever it was.
pub(crate) fn constructors_of(world: &mut World<'_>, method: MethodId) -> Vec<MethodId> {
    let receivers = receivers(world, method);
    receivers.iter().flat_map(|class| world.declared_by_name(*class, b"<init>")).collect()
}

/// The classes of what a method that is called from outside is given: the receiver first, nothing for numbers.
pub(crate) fn given(world: &mut World<'_>, method: MethodId) -> Vec<Option<ClassId>> {
    let declared = world.method(method);
    let receiver = (!declared.is_static()).then_some(Some(declared.class));
    let parameters: Vec<&[u8]> = descriptor::parameters(world.descriptor_of(method)).collect();
    let parameters = parameters.into_iter().map(|it| world.class_of_descriptor(it));
    receiver.into_iter().chain(parameters).collect()
}

impl Solver<'_> {
    /// Methods that the JVM calls by itself.
    pub(crate) fn start(&mut self) {
        for method in called_by_the_jvm(&mut self.world) {
            self.add_entry(method);
        }
    }

    pub(crate) fn add_entries(&mut self, entries: &[MethodId]) {
        for method in entries {
            for constructor in constructors_of(&mut self.world, *method) {
                self.add_entry(constructor);
            }
            if let Some(instance) = self.add_entry(*method) {
                self.entries.push(instance);
                self.give_receivers(*method, instance);
                self.give_parameters(*method, instance);
            }
        }
    }

    fn give_receivers(&mut self, method: MethodId, instance: InstanceId) {
        let receiver = self.instances[instance.index()].parameters.first().copied().flatten();
        if let Some(receiver) = receiver {
            for class in receivers(&mut self.world, method) {
                self.give(receiver, class);
            }
        }
    }

    fn give_parameters(&mut self, method: MethodId, instance: InstanceId) {
        let is_static = self.world.method(method).is_static();
        let parameters = self.instances[instance.index()].parameters.clone();
        let given = parameters.iter().zip(given(&mut self.world, method));
        for (parameter, class) in given.skip(usize::from(!is_static)) {
            if let (Some(parameter), Some(class)) = (parameter, class) {
                self.give_from_outside(method, *parameter, class);
            }
        }
    }

    /// A method that is called from outside, on and with objects of the declared classes.
    fn add_entry(&mut self, method: MethodId) -> Option<InstanceId> {
        self.initialise(self.world.method(method).class);
        let instance = self.reach(method, INSENSITIVE)?;
        let parameters = self.instances[instance.index()].parameters.clone();
        for (parameter, class) in parameters.iter().zip(given(&mut self.world, method)) {
            if let (Some(parameter), Some(class)) = (parameter, class) {
                self.give(*parameter, class);
            }
        }
        Some(instance)
    }

    /// An object of this class, and arrays with such objects in them.
    pub(crate) fn give(&mut self, node: NodeId, class: ClassId) {
        if !self.world.class_of(class).is_instantiable() {
            return;
        }
        let object = self.object(class, Origin::Merged);
        self.graph.add_derived_object(node, object.0);
        if let Some(Element::Class(element)) = self.world.class_of(class).element() {
            let elements = self.elements_of(object.0);
            self.give(elements, element);
        }
    }
}
