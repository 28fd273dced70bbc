//! Methods without bytecode: by their model, or by what they are declared to return.

use crate::blind::BlindSpot;
use crate::callgraph::{CallKind, Code};
use crate::graph::Filter;
use crate::ids::{ClassId, InstanceId, MethodId, NodeId, SelectorId};
use crate::models::{Effect, How, Term, TermPart, TermRoot};
use crate::objects::Origin;
use crate::solver::calls::Arguments;
use crate::solver::contexts::INSENSITIVE;
use crate::solver::{Instance, Part, Solver, Throw, Use};
use crate::world::World;
use catchment_classfile::descriptor;

/// The method that the JVM calls on a thread that ends by an exception.
pub(crate) const UNCAUGHT: (&[u8], &[u8]) = (b"dispatchUncaughtException", b"(Ljava/lang/Throwable;)V");

/// The result of native code that nobody has modelled.
pub(crate) enum Returned {
    /// An object of the class that it is declared to return.
    Object(ClassId),
    /// An object of any class below the declared one.
    Unknown,
    Nothing,
}

pub(crate) fn returned_by_native(world: &mut World<'_>, method: MethodId) -> Returned {
    match world.returned_class(method) {
        Some(class) if world.class_of(class).is_instantiable() && class != world.object => {
            Returned::Object(class)
        }
        Some(_) => Returned::Unknown,
        None => Returned::Nothing,
    }
}

impl Solver<'_> {
    /// Marks the methods that have a model, in the classes that there are.
    pub(crate) fn mark_models(&mut self) {
        for (class, methods) in self.models.all() {
            let Some(class) = self.world.class_that_is_there(class) else { continue };
            for method in methods {
                self.world.mark_modelled(class, method);
            }
        }
    }

    /// The parameters of a method without code, as nodes: the receiver first, nothing for numbers.
    pub(crate) fn bare_parameters(&mut self, method: MethodId) -> Box<[Option<NodeId>]> {
        let receiver = (!self.world.method(method).is_static()).then(|| Some(self.graph.node()));
        let parameters = descriptor::parameters(self.world.descriptor_of(method));
        let parameters: Vec<bool> = parameters.map(|it| matches!(it.first(), Some(b'L' | b'['))).collect();
        let parameters = parameters.into_iter().map(|is_reference| is_reference.then(|| self.graph.node()));
        receiver.into_iter().chain(parameters).collect()
    }

    /// The result of native code that nobody has modelled: an object of the declared class, if there can be one.
    pub(crate) fn return_anything(&mut self, instance: InstanceId, method: MethodId) {
        // What native code of a program calls and throws nobody knows. That of the JDK has a model where it does
        // either.
        if self.world.is_of_program(method) {
            self.blind(method, 0, BlindSpot::Native);
        }
        match returned_by_native(&mut self.world, method) {
            Returned::Object(class) => {
                let returned = self.instances[instance.index()].returned;
                self.give(returned, class);
            }
            Returned::Unknown => self.blind(method, 0, BlindSpot::Native),
            Returned::Nothing => {}
        }
    }

    /// Native code makes the exceptions that it is declared to throw, and nobody sees it. Other code makes its own.
    pub(crate) fn throw_declared(&mut self, instance: InstanceId, method: MethodId) {
        if !self.world.method(method).is_native() {
            return;
        }
        let thrown = self.instances[instance.index()].thrown;
        for class in self.world.declared_exceptions(method) {
            let object = self.object(class, Origin::Declared);
            self.graph.add_object(thrown, object.0);
        }
    }

    pub(crate) fn add_effects(&mut self, instance: InstanceId, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Code => {}
                Effect::Return(term) => {
                    let returned = self.instances[instance.index()].returned;
                    if let Some(node) = self.term(instance, term) {
                        self.graph.add_edge(node, returned, Filter::NONE);
                    }
                }
                Effect::Throw(term) => {
                    let raised = self.instances[instance.index()].thrown;
                    if let Some(thrown) = self.term(instance, term) {
                        self.throws.push(Throw { instance, pc: 0, thrown });
                        self.graph.add_edge(thrown, raised, Filter::NONE);
                    }
                }
                Effect::Flow { to, from } => self.add_flow(instance, to, from),
                Effect::Call { receiver, method, descriptor, how } => {
                    self.add_model_call(instance, receiver, method, descriptor, *how);
                }
            }
        }
    }

    fn add_flow(&mut self, instance: InstanceId, to: &Term, from: &Term) {
        let Some(from) = self.term(instance, from) else { return };
        let Some(root) = self.root(instance, &to.root) else { return };
        match to.part {
            Some(part) => self.wait(root, Use::Store { part: part.into(), from }),
            None => self.graph.add_edge(from, root, Filter::NONE),
        }
    }

    fn add_model_call(
        &mut self,
        instance: InstanceId,
        receiver: &Term,
        method: &str,
        descriptor: &str,
        how: How,
    ) {
        let Some(receiver) = self.term(instance, receiver) else { return };
        let selector = self.world.selector(method.as_bytes(), descriptor.as_bytes());
        if how == How::Started {
            return self.add_thread(instance, receiver, selector);
        }
        let Instance { returned, thrown, .. } = self.instances[instance.index()];
        let result = (how == How::Returned).then_some(returned);
        let arguments =
            Arguments { receiver: Some(receiver), rest: Box::default(), result, thrown: Some(thrown) };
        self.add_virtual_call(instance, 0, selector, arguments);
    }

    /// A method that runs in a thread of its own keeps its exceptions. The JVM hands them to the thread when it ends.
    fn add_thread(&mut self, instance: InstanceId, thread: NodeId, run: SelectorId) {
        self.graph.add_edge(thread, self.threads, Filter::NONE);
        let uncaught = self.graph.node();
        let site = self.sites.len() as u32;
        let arguments =
            Arguments { receiver: Some(thread), rest: Box::default(), result: None, thrown: Some(uncaught) };
        self.add_virtual_call(instance, 0, run, arguments);
        self.call_kinds.insert(site, CallKind::Thread);
        let dispatch = self.world.selector(UNCAUGHT.0, UNCAUGHT.1);
        let rest = Box::new([Some(uncaught)]);
        let arguments = Arguments { receiver: Some(thread), rest, result: None, thrown: None };
        self.add_virtual_call(instance, 0, dispatch, arguments);
    }

    /// A node that holds what the term means.
    fn term(&mut self, instance: InstanceId, term: &Term) -> Option<NodeId> {
        let root = self.root(instance, &term.root)?;
        let Some(part) = term.part else { return Some(root) };
        let into = self.graph.node();
        self.wait(root, Use::Load { part: part.into(), into });
        Some(into)
    }

    fn root(&mut self, instance: InstanceId, root: &TermRoot) -> Option<NodeId> {
        match root {
            TermRoot::Parameter { index, counts_receiver } => {
                let instance = &self.instances[instance.index()];
                let receiver = usize::from(instance.has_receiver(&self.world) && !counts_receiver);
                instance.parameters.get(index + receiver).copied().flatten()
            }
            TermRoot::Threads => Some(self.threads),
            TermRoot::New(class) => {
                let class = self.world.class(class.as_bytes());
                let object = self.object(class, Origin::Merged);
                let node = self.graph.node();
                self.graph.add_object(node, object.0);
                Some(node)
            }
            TermRoot::Made(class) => self.made_by_call(instance, class.as_bytes()),
            TermRoot::Static { class, field } => {
                let class = self.world.class(class.as_bytes());
                let fields = self.world.class_of(class).fields();
                let field = fields.into_iter().find(|it| self.world.field_name(*it) == field.as_bytes())?;
                Some(self.static_field(field))
            }
        }
    }

    /// A node with what a modelled method makes each time it is called.
    fn made_by_call(&mut self, instance: InstanceId, class: &[u8]) -> Option<NodeId> {
        let class = self.world.class(class);
        let Code::Method(method) = self.instances[instance.index()].code else { return None };
        (self.world.returned_class(method) == Some(class)).then_some(())?;
        let (method, pc, context) = match self.place_of_call(instance) {
            Some((caller, Code::Method(calling), pc)) => (calling, pc, self.context_of_made(caller)),
            _ => (method, 0, INSENSITIVE),
        };
        let object = self.object(class, Origin::AllocationSite { method, pc, level: 0, context });
        let node = self.graph.node();
        self.graph.add_object(node, object.0);
        Some(node)
    }
}

impl From<TermPart> for Part {
    fn from(part: TermPart) -> Self {
        match part {
            TermPart::Elements => Self::Elements,
            TermPart::Anything => Self::Anything,
        }
    }
}
