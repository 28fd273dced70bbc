//! Calls whose target's exceptions arrive inside another one: class initialisers, reflection, privileged actions and
//! proxies.

use crate::exception_flow::Building;
use crate::exception_flow::privileged;
use crate::exception_flow::raising_points::{RaisedException, RaisingKind, RaisingPoint};
use catchment_pointsto::{Call, CallKind, Code};
use catchment_pointsto::{ClassId, InstanceId, MethodId, NodeId};
use catchment_pointsto::{Layer, Typed};

const INITIALISER_ERROR: &[u8] = b"java/lang/ExceptionInInitializerError";
const TARGET_EXCEPTION: &[u8] = b"java/lang/reflect/InvocationTargetException";
const UNDECLARED: &[u8] = b"java/lang/reflect/UndeclaredThrowableException";
const HANDLER: &[u8] = b"java/lang/reflect/InvocationHandler";

/// The classes of such exceptions.
pub(crate) const WRAPPERS: [&[u8]; 4] =
    [INITIALISER_ERROR, TARGET_EXCEPTION, UNDECLARED, privileged::WRAPPER];

/// The exceptions of a target that arrive inside another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inside {
    Anything,
    AllButErrors,
    Checked,
}

/// A call whose target has not been seen to fail yet.
pub(crate) struct Wrapped {
    /// The node of exceptions that leave the target, and the node where the call fails.
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) inside: Inside,
    point: RaisingPoint,
    wrapper: ClassId,
}

impl Wrapped {
    /// The exception that the call fails with.
    pub(crate) fn raised(&self) -> RaisedException {
        RaisedException { point: self.point, typed: Typed::exactly(self.wrapper) }
    }
}

impl Building<'_, '_> {
    /// A call whose target's exceptions arrive inside another one. Errors leave an initialiser as they are (JVMS §5.5);
    /// what else leaves it arrives as an error that the JVM raises wherever the class is used first, one of those of
    /// linking.
    pub(crate) fn add_wrapping_call(&mut self, method: MethodId, call: &Call, to: NodeId) {
        let (kind, wrapper) = match call.kind {
            CallKind::Ordinary => return self.add_privileged_call(method, call, to),
            CallKind::Thread => return,
            CallKind::Initialiser => (RaisingKind::Initialiser, INITIALISER_ERROR),
            CallKind::Reflective if !self.options.throws => return,
            CallKind::Reflective => (RaisingKind::Throw, TARGET_EXCEPTION),
        };
        let error = self.reached.world.class(b"java/lang/Error");
        let wrapper = self.reached.world.class(wrapper);
        let point = RaisingPoint { method, pc: call.pc, kind };
        let inside = if call.kind == CallKind::Initialiser { Inside::AllButErrors } else { Inside::Anything };
        let is_wrapped = call.kind != CallKind::Initialiser || self.options.implicit.link;
        for from in self.nodes_of_targets(call) {
            if call.kind == CallKind::Initialiser {
                let filter = self.flow.graph.filters.is(error, &self.reached.world);
                self.flow.graph.add_edge(from, to, filter);
            }
            if is_wrapped {
                self.wrapped.push(Wrapped { from, to, inside, point, wrapper });
            }
        }
    }

    /// Callers in the JDK take out what is in it (`privileged`). Others may do so, and may catch the exception around
    /// it.
    fn add_privileged_call(&mut self, method: MethodId, call: &Call, to: NodeId) {
        let world = &self.reached.world;
        let is_jdk = world.class_of(world.method(method).class).layer == Layer::Jdk;
        if is_jdk || !self.options.throws || !privileged::is_privileged(self.reached, call) {
            return;
        }
        let wrapper = self.reached.world.class(privileged::WRAPPER);
        let point = RaisingPoint { method, pc: call.pc, kind: RaisingKind::Throw };
        for from in self.nodes_of_targets(call) {
            self.wrapped.push(Wrapped { from, to, inside: Inside::Checked, point, wrapper });
        }
    }

    /// A dynamic proxy hands checked exceptions on as they are only if the interface declares them, which is not looked
    /// at.
    pub(crate) fn add_wrapping_proxy(&mut self, instance: InstanceId, call: &Call, to: NodeId) {
        let Code::Proxy(method) = self.reached.instances[instance.index()] else { return };
        let world = &mut self.reached.world;
        if *world.class_of(world.method(method).class).name != *HANDLER || !self.options.throws {
            return;
        }
        let wrapper = world.class(UNDECLARED);
        for target in self.reached.targets(call).to_vec() {
            // A proxy class has no code that could be named: the handler has thrown.
            let (Code::Method(handler) | Code::Proxy(handler)) = self.reached.instances[target.index()];
            let point = RaisingPoint { method: handler, pc: 0, kind: RaisingKind::Throw };
            let from = self.flow.escaping[target.index()];
            self.wrapped.push(Wrapped { from, to, inside: Inside::Checked, point, wrapper });
        }
    }
}
