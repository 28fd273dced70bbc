//! Calls whose target's exceptions arrive inside another one: class initialisers and reflection.

use crate::flow::Building;
use crate::raises::{Raise, RaiseKind, Raised};
use catchment_pointsto::ids::{ClassId, MethodId, NodeId};
use catchment_pointsto::world::Typed;
use catchment_pointsto::{Call, CallKind};

const INITIALISER_ERROR: &[u8] = b"java/lang/ExceptionInInitializerError";
const TARGET_EXCEPTION: &[u8] = b"java/lang/reflect/InvocationTargetException";

/// The classes of such exceptions.
pub(crate) const WRAPPERS: [&[u8]; 2] = [INITIALISER_ERROR, TARGET_EXCEPTION];

/// A call whose target has not been seen to fail yet.
pub(crate) struct Wrapped {
    /// What comes out of the target, and where the call fails.
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) kind: CallKind,
    raise: Raise,
    wrapper: ClassId,
}

impl Wrapped {
    /// What the call fails with.
    pub(crate) fn raised(&self) -> Raised {
        Raised { raise: self.raise, typed: Typed::exactly(self.wrapper) }
    }
}

impl Building<'_, '_> {
    /// A call whose target's exceptions arrive inside another one. Errors leave an initialiser as they are (JVMS §5.5); what
    /// else leaves it arrives as an error that the JVM raises wherever the class is used first, one of those of linking.
    pub(crate) fn add_wrapping_call(&mut self, method: MethodId, call: &Call, to: NodeId) {
        let (kind, wrapper) = match call.kind {
            CallKind::Ordinary | CallKind::Thread => return,
            CallKind::Initialiser => (RaiseKind::Initialiser, INITIALISER_ERROR),
            CallKind::Reflective if !self.raises.throws => return,
            CallKind::Reflective => (RaiseKind::Throw, TARGET_EXCEPTION),
        };
        let error = self.reached.world.class(b"java/lang/Error");
        let wrapper = self.reached.world.class(wrapper);
        let raise = Raise { method, pc: call.pc, kind };
        let is_wrapped = call.kind != CallKind::Initialiser || self.raises.implicit.link;
        for from in self.nodes_of_targets(call) {
            if call.kind == CallKind::Initialiser {
                let filter = self.flow.graph.filters.is(error, &self.reached.world);
                self.flow.graph.add_edge(from, to, filter);
            }
            if is_wrapped {
                self.wrapped.push(Wrapped { from, to, kind: call.kind, raise, wrapper });
            }
        }
    }
}
