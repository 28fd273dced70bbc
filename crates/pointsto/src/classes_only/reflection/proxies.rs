//! Dynamic proxies: every call goes to the `invoke` of some handler.

use super::ClassesOnly;
use crate::callgraph::{CallKind, Code};
use crate::ids::{ClassId, InstanceId, MethodId, SelectorId};
use crate::solver::reflection::{HANDLER, INVOKE, can_be_proxy};

impl ClassesOnly<'_> {
    pub(super) fn add_proxy_maker(&mut self, method: MethodId) {
        let makers = &mut self.reflections.proxy_makers;
        if makers.iter().all(|(known, _)| *known != method) {
            makers.push((method, 0));
        }
    }

    /// Every interface whose class object there is can be that of a proxy. Whether there was one more class.
    pub(super) fn make_proxies(&mut self) -> bool {
        let mut is_changed = false;
        for at in 0..self.reflections.proxy_makers.len() {
            let reflections = &mut self.reflections;
            let (maker, seen) = &mut reflections.proxy_makers[at];
            let (maker, classes) = (*maker, reflections.classes.unseen(seen));
            is_changed |= !classes.is_empty();
            for class in classes {
                if can_be_proxy(&self.world, maker, class)
                    && self.reflections.proxies.insert(class)
                    && let Some(forwarder) = self.forwarder()
                {
                    self.make_lambda(class, None, forwarder);
                }
            }
        }
        is_changed
    }

    /// A call on a proxy: its handler is told which method was called.
    pub(in crate::classes_only) fn forward(&mut self, interface: ClassId, selector: SelectorId) {
        if let Some(called) = self.world.resolve_method(interface, selector) {
            self.reflections.members.insert(called);
        }
    }

    /// The methods of all proxy classes.
    fn forwarder(&mut self) -> Option<InstanceId> {
        if let Some(known) = self.reflections.forwarder {
            return Some(known);
        }
        let class = self.world.class(HANDLER);
        let invoke = self.world.declared_as(class, b"invoke", INVOKE)?;
        let forwarder = self.add_instance(Code::Proxy(invoke));
        self.reflections.forwarder = Some(forwarder);
        let selector = self.world.method(invoke).selector;
        self.call_virtually(forwarder, 0, CallKind::Ordinary, class, selector);
        Some(forwarder)
    }
}
