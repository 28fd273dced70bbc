//! Calls whose target's exceptions arrive inside another one: class initialisers and reflection.

use crate::flow::Building;
use crate::raises::{Raise, RaiseKind, Raised};
use catchment_pointsto::ids::{ClassId, InstanceId, MethodId, NodeId};
use catchment_pointsto::world::{Fits, Typed};
use catchment_pointsto::{Call, CallKind};

const INITIALISER_ERROR: &[u8] = b"java/lang/ExceptionInInitializerError";
const TARGET_EXCEPTION: &[u8] = b"java/lang/reflect/InvocationTargetException";

/// A call whose target has not been seen to fail yet.
pub(crate) struct Wrapped {
    target: InstanceId,
    kind: CallKind,
    raise: Raise,
    wrapper: ClassId,
    raised: NodeId,
}

impl Building<'_, '_> {
    /// A call whose target's exceptions arrive inside another one. Errors leave an initialiser as they are (JVMS §5.5).
    pub(crate) fn add_wrapping_call(&mut self, method: MethodId, call: &Call, raised: NodeId) {
        let (kind, wrapper) = match call.kind {
            CallKind::Ordinary | CallKind::Thread => return,
            CallKind::Initialiser => (RaiseKind::Initialiser, INITIALISER_ERROR),
            CallKind::Reflective if !self.raises.throws => return,
            CallKind::Reflective => (RaiseKind::Throw, TARGET_EXCEPTION),
        };
        let error = self.reached.world.class(b"java/lang/Error");
        let wrapper = self.reached.world.class(wrapper);
        let raise = Raise { method, pc: call.pc, kind };
        for target in self.reached.targets(call).to_vec() {
            if call.kind == CallKind::Initialiser {
                let filter = self.flow.graph.filters.is(error, &self.reached.world);
                self.flow.graph.add_edge(self.flow.escaping[target.index()], raised, filter);
            }
            self.wrapped.push(Wrapped { target, kind: call.kind, raise, wrapper, raised });
        }
    }

    /// What leaves a target makes the call fail with another exception. Whether there was one more.
    pub(crate) fn raise_wrappers(&mut self) -> bool {
        let error = self.reached.world.class(b"java/lang/Error");
        let calls = std::mem::take(&mut self.wrapped);
        let (failing, rest): (Vec<Wrapped>, Vec<Wrapped>) =
            calls.into_iter().partition(|it| self.is_wrapping(it, error));
        self.wrapped = rest;
        for it in &failing {
            self.add_raised(Raised { raise: it.raise, typed: Typed::exactly(it.wrapper) }, it.raised);
        }
        !failing.is_empty()
    }

    fn is_wrapping(&self, it: &Wrapped, error: ClassId) -> bool {
        let passes = |number: u32| {
            let typed = self.flow.raised.get(number).typed;
            it.kind == CallKind::Initialiser && self.reached.world.typed_fits(typed, error) == Fits::Yes
        };
        self.flow.escaping(it.target).iter().any(|number| !passes(number))
    }
}
