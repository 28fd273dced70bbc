//! Calls: who is called from where, and what flows along with it.

use crate::cache_format::{Cached, Reader, Writer, cached};
use crate::callgraph::{CallKind, FoundCall, Targets};
use crate::graph::Filter;
use crate::ids::{ClassId, InstanceId, MethodId, NodeId, SelectorId};
use crate::objects::Origin;
use crate::sets::Set;
use crate::solver::{Solver, Use};
use crate::world::Method;
use catchment_ir::InvokeKind;
use smallvec::SmallVec;

/// A call in one instance of a method.
#[derive(Debug, Clone)]
pub(crate) struct CallSite {
    pub(crate) caller: InstanceId,
    pub(crate) pc: u16,
    /// The method that the call looks for.
    pub(crate) selector: SelectorId,
    pub(crate) arguments: Arguments,
    pub(crate) targets: SmallVec<[InstanceId; 1]>,
    /// The targets once more, to be asked.
    linked: Set,
    /// Classes of receivers that have been seen to.
    seen: Set,
}

/// The nodes that a call connects with those of its target; nothing for numbers.
#[derive(Debug, Clone)]
pub(crate) struct Arguments {
    pub(crate) receiver: Option<NodeId>,
    pub(crate) rest: Box<[Option<NodeId>]>,
    pub(crate) result: Option<NodeId>,
    /// The node to which exceptions of the callee go; nothing if it runs in a thread of its own.
    pub(crate) thrown: Option<NodeId>,
}

cached! { struct Arguments { receiver, rest, result, thrown } }

impl Cached for CallSite {
    fn write(&self, to: &mut Writer) {
        let Self { caller, pc, selector, arguments, targets, linked: _, seen } = self;
        (*caller, *pc, *selector).write(to);
        arguments.write(to);
        targets.write(to);
        seen.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let (caller, pc, selector) = Cached::read(from)?;
        let arguments = Cached::read(from)?;
        let targets: SmallVec<[InstanceId; 1]> = Cached::read(from)?;
        let linked = targets.iter().map(|target| target.0).collect();
        Some(Self { caller, pc, selector, arguments, targets, linked, seen: Cached::read(from)? })
    }
}

impl From<CallSite> for FoundCall {
    fn from(site: CallSite) -> Self {
        let kind = if site.arguments.thrown.is_some() { CallKind::Ordinary } else { CallKind::Thread };
        Self { caller: site.caller, pc: site.pc, kind, targets: Targets::Own(site.targets) }
    }
}

/// The number of a call site.
pub(crate) type SiteId = u32;

impl Solver<'_> {
    /// A new call.
    pub(crate) fn add_call(
        &mut self,
        caller: InstanceId,
        pc: u16,
        kind: InvokeKind,
        named: MethodId,
        arguments: Arguments,
    ) {
        let declared = *self.world.method(named);
        let Method { class, selector, .. } = declared;
        match declared.called_as(kind) {
            InvokeKind::Static => {
                self.initialise(class);
                let site = self.add_site(caller, pc, selector, arguments);
                self.connect_direct(site, named);
            }
            // A constructor, a private method or one of a superclass: there is only one it can come to.
            InvokeKind::Special => {
                let site = self.add_site(caller, pc, selector, arguments);
                self.connect_direct(site, named);
            }
            InvokeKind::Virtual | InvokeKind::Interface => {
                let selector = self.world.looked_for(named);
                self.add_virtual_call(caller, pc, selector, arguments);
            }
        }
    }

    /// A call that goes where its receivers say.
    pub(crate) fn add_virtual_call(
        &mut self,
        caller: InstanceId,
        pc: u16,
        selector: SelectorId,
        arguments: Arguments,
    ) {
        let Some(receiver) = arguments.receiver else { return };
        let site = self.add_site(caller, pc, selector, arguments);
        self.wait(receiver, Use::Call(site));
    }

    fn add_site(
        &mut self,
        caller: InstanceId,
        pc: u16,
        selector: SelectorId,
        arguments: Arguments,
    ) -> SiteId {
        let site = self.sites.len() as SiteId;
        self.sites.push(CallSite {
            caller,
            pc,
            selector,
            arguments,
            targets: SmallVec::new(),
            linked: Set::default(),
            seen: Set::default(),
        });
        site
    }

    fn connect_direct(&mut self, site: SiteId, method: MethodId) {
        let CallSite { caller, pc, ref arguments, .. } = self.sites[site as usize];
        let receiver = arguments.receiver;
        let is_static = self.world.method(method).is_static();
        if let (Some(receiver), false) = (receiver, is_static)
            && self.is_receiver_sensitive(method)
        {
            self.wait(receiver, Use::Direct { site, method });
            return;
        }
        let context = self.context_of_call(caller, pc, method);
        let Some(target) = self.reach(method, context) else { return };
        self.link(site, target);
        let this = self.instances[target.index()].parameters.first().copied().flatten();
        if let (Some(receiver), Some(this), false) = (receiver, this, is_static) {
            self.graph.add_derived_edge(receiver, this, Filter::NONE);
        }
    }

    /// New receivers of a call that can come to one method only.
    pub(crate) fn call_direct(&mut self, site: SiteId, method: MethodId, receivers: &Set) {
        for object in receivers.iter() {
            self.pass_receiver_sensitive(site, method, object);
        }
    }

    /// New receivers of a virtual call.
    pub(crate) fn dispatch_call(&mut self, site: SiteId, receivers: &Set) {
        let selector = self.sites[site as usize].selector;
        for object in receivers.iter() {
            if let Some(proxy) = self.proxy_called(selector, object) {
                self.link(site, proxy);
                if matches!(self.objects.get(object).origin, Origin::Proxy(_)) {
                    self.give_receiver(proxy, object);
                }
                continue;
            }
            let class = self.objects.get(object).class;
            let Some(method) = self.world.dispatch(class, selector) else { continue };
            if self.is_receiver_sensitive(method) {
                self.pass_receiver_sensitive(site, method, object);
            } else {
                self.receive(site, method, class, object);
            }
        }
    }

    fn receive(&mut self, site: SiteId, method: MethodId, class: ClassId, object: u32) {
        let CallSite { caller, pc, .. } = self.sites[site as usize];
        let is_new = self.sites[site as usize].seen.insert(class.0);
        let context = self.context_of_modelled(caller, pc, method);
        let Some(target) = self.reach(method, context) else { return };
        if is_new {
            self.link(site, target);
        }
        self.give_receiver(target, object);
    }

    /// The instance is that of the receiver alone.
    fn pass_receiver_sensitive(&mut self, site: SiteId, method: MethodId, object: u32) {
        let context = self.context_of_receiver(object, method);
        let Some(target) = self.reach(method, context) else { return };
        self.link(site, target);
        self.give_receiver(target, object);
    }

    fn give_receiver(&mut self, target: InstanceId, object: u32) {
        if let Some(Some(this)) = self.instances[target.index()].parameters.first() {
            let this = *this;
            self.graph.add_derived_object(this, object);
        }
    }

    /// Lets arguments, result and exceptions flow, but not the receiver.
    pub(crate) fn link(&mut self, site: SiteId, target: InstanceId) {
        let call = &mut self.sites[site as usize];
        if !call.linked.insert(target.0) {
            return;
        }
        call.targets.push(target);
        let arguments = call.arguments.clone();
        let instance = &self.instances[target.index()];
        let receiver = usize::from(instance.has_receiver(&self.world));
        let parameters = instance.parameters.get(receiver..).unwrap_or_default();
        let (returned, thrown) = (instance.returned, instance.thrown);
        for (argument, parameter) in arguments.rest.iter().zip(parameters) {
            if let (Some(argument), Some(parameter)) = (argument, parameter) {
                self.graph.add_derived_edge(*argument, *parameter, Filter::NONE);
            }
        }
        if let Some(result) = arguments.result {
            self.graph.add_derived_edge(returned, result, Filter::NONE);
        }
        if let Some(to) = arguments.thrown {
            self.graph.add_derived_edge(thrown, to, Filter::NONE);
        }
    }
}
