//! Dynamic proxies: every call goes to the `invoke` of their handler.

use super::{Reflection, ReflectionId};
use crate::callgraph::Code;
use crate::graph::Filter;
use crate::ids::{ClassId, InstanceId, MethodId, NodeId, SelectorId};
use crate::objects::Origin;
use crate::solver::calls::Arguments;
use crate::solver::contexts::INSENSITIVE;
use crate::solver::{Instance, Solver};
use crate::world::World;
use catchment_classfile::{access, descriptor};
use rustc_hash::FxHashMap;

/// The methods of proxy classes: by the call that makes the proxy, the interface, and the method called.
pub(super) type Forwarders = FxHashMap<(ReflectionId, ClassId, SelectorId), InstanceId>;

pub(crate) const HANDLER: &[u8] = b"java/lang/reflect/InvocationHandler";
pub(crate) const INVOKE: &[u8] =
    b"(Ljava/lang/Object;Ljava/lang/reflect/Method;[Ljava/lang/Object;)Ljava/lang/Object;";

impl Solver<'_> {
    /// One object for each interface.
    pub(super) fn new_proxy(&mut self, id: ReflectionId, at: &Reflection, of: Origin) {
        match of {
            Origin::ClassOf(interface) if can_be_proxy(&self.world, at.method, interface) => {
                let proxy = self.object(interface, Origin::Proxy(id));
                self.give_result(at, proxy);
            }
            Origin::ClassOf(_) => {}
            _ => self.unknown_target(at),
        }
    }

    /// The handler that the call which made the proxy was given. Proxies are of no class of their own here, so the
    /// JDK's code, which reads a field of it, would find nothing.
    pub(super) fn handler_of_proxy(&mut self, at: &Reflection, of: Origin) {
        if let Origin::Proxy(maker) = of
            && let (Some(handler), Some(result)) = (self.handler(maker), at.arguments.result)
        {
            self.graph.add_edge(handler, result, Filter::NONE);
        }
    }

    fn handler(&self, maker: ReflectionId) -> Option<NodeId> {
        self.reflections.all[maker as usize].arguments.rest.get(2).copied().flatten()
    }

    /// The method of the proxy class. It calls the handler.
    pub(crate) fn forwarder(
        &mut self,
        id: ReflectionId,
        selector: SelectorId,
        proxy: u32,
    ) -> Option<InstanceId> {
        let interface = self.objects.get(proxy).class;
        if let Some(known) = self.reflections.forwarders.get(&(id, interface, selector)) {
            return Some(*known);
        }
        let handler = self.handler(id)?;
        let class = self.world.class(HANDLER);
        let invoke = self.world.declared_as(class, b"invoke", INVOKE)?;
        let parameters = self.forwarded_parameters(selector);
        let forwarder = self.add_instance_of(Code::Proxy(invoke), INSENSITIVE, parameters);
        self.reflections.forwarders.insert((id, interface, selector), forwarder);
        self.add_forwarded_call(forwarder, handler, interface, selector);
        Some(forwarder)
    }

    fn forwarded_parameters(&mut self, selector: SelectorId) -> Box<[Option<NodeId>]> {
        let called = self.world.selector_name(selector);
        let start = called.iter().position(|byte| *byte == b'(').unwrap_or(called.len());
        let is_reference = |parameter: &[u8]| matches!(parameter.first(), Some(b'L' | b'['));
        let references: Vec<bool> = descriptor::parameters(&called[start..]).map(is_reference).collect();
        let receiver = self.graph.node();
        let rest = references.into_iter().map(|it| it.then(|| self.graph.node()));
        std::iter::once(Some(receiver)).chain(rest).collect()
    }

    /// The result of the handler is cast to the type that the method is declared to return.
    fn result_of_handler(&mut self, selector: SelectorId, returned: NodeId) -> Option<NodeId> {
        let declared = descriptor::returned(self.world.selector_name(selector)).to_vec();
        let class = self.world.class_of_descriptor(&declared)?;
        let filter = self.graph.filters.is(class, &self.world);
        let result = self.graph.node();
        self.graph.add_edge(result, returned, filter);
        Some(result)
    }

    fn add_forwarded_call(
        &mut self,
        forwarder: InstanceId,
        handler: NodeId,
        interface: ClassId,
        selector: SelectorId,
    ) {
        let Instance { parameters, returned, thrown, .. } = &self.instances[forwarder.index()];
        let (parameters, returned, thrown) = (parameters.clone(), *returned, Some(*thrown));
        let result = self.result_of_handler(selector, returned);
        let (method, array) = (self.graph.node(), self.graph.node());
        if let Some(declared) = self.world.resolve_method(interface, selector) {
            let class = self.world.class(b"java/lang/reflect/Method");
            let object = self.object(class, Origin::Member(declared));
            self.graph.add_object(method, object.0);
        }
        let objects = self.world.class(b"[Ljava/lang/Object;");
        let given = self.object(objects, Origin::Forwarded(forwarder));
        self.graph.add_object(array, given.0);
        let elements = self.elements_of(given.0);
        for parameter in parameters[1..].iter().flatten() {
            self.graph.add_edge(*parameter, elements, Filter::NONE);
        }
        let invoke = self.world.selector(b"invoke", INVOKE);
        let rest = Box::new([parameters[0], Some(method), Some(array)]);
        let arguments = Arguments { receiver: Some(handler), rest, result, thrown };
        self.add_virtual_call(forwarder, 0, invoke, arguments);
    }
}

/// Tells whether a method can make a proxy of this class. Only interfaces can; what the JDK makes to read annotations
/// has the interface of an annotation.
pub(crate) fn can_be_proxy(world: &World<'_>, maker: MethodId, class: ClassId) -> bool {
    let Some(file) = world.class_of(class).file() else { return false };
    let caller = &world.class_of(world.method(maker).class).name;
    let is_annotation = file.access & access::ANNOTATION != 0;
    world.class_of(class).is_interface() && (is_annotation || !caller.starts_with(b"sun/reflect/annotation/"))
}
