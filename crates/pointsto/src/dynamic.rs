//! `invokedynamic`: lambdas, method references, string concatenation, records. What links itself in other ways is a blind spot.

use crate::callgraph::Code;
use crate::calls::Arguments;
use crate::ids::{InstanceId, MethodId, NodeId, SelectorId};
use crate::objects::{Lambda, Origin};
use crate::solver::{Instance, Part, Solver, Use};
use crate::statements::Adding;
use catchment_classfile::{Bootstrap, HandleKind, descriptor};
use catchment_ir::{InvokeKind, Operands, PoolIndex, Var};
use smallvec::SmallVec;

impl Solver<'_> {
    pub(crate) fn add_dynamic(
        &mut self,
        adding: &mut Adding<'_>,
        call: PoolIndex,
        arguments: Operands,
        dst: Option<Var>,
    ) {
        let Some(file) = self.world.class_of(adding.class).file() else { return };
        let (Some(bootstrap), Ok((name, descriptor))) = (file.bootstrap(call), file.pool.dynamic(call))
        else {
            return;
        };
        let factory = bootstrap.method.member.owner;
        let arguments = adding.nodes(arguments);
        if factory == "java/lang/invoke/LambdaMetafactory" {
            let interface = descriptor::returned(descriptor.as_bytes());
            self.add_lambda(adding, &bootstrap, name.as_bytes(), interface, &arguments, dst);
        } else if factory == "java/lang/invoke/StringConcatFactory" {
            self.add_concatenation(adding, &arguments, dst);
        } else if factory == "java/lang/runtime/ObjectMethods" {
            self.add_record_method(adding, &bootstrap, name.as_bytes(), &arguments, dst);
        } else if factory != "java/lang/runtime/SwitchBootstraps" {
            self.blind(adding.method, adding.pc, crate::blind::BlindSpot::Dynamic);
        }
    }

    fn add_lambda(
        &mut self,
        adding: &Adding<'_>,
        bootstrap: &Bootstrap<'_>,
        name: &[u8],
        interface: &[u8],
        captured: &[Option<NodeId>],
        dst: Option<Var>,
    ) {
        let Some(file) = self.world.class_of(adding.class).file() else { return };
        // The static arguments: the interface's method as it is declared, what the lambda does, its types as they are here.
        let [erased, handle, ..] = bootstrap.arguments[..] else { return };
        let (Some(handle), Ok(erased)) = (file.pool.method_handle(handle), file.pool.method_type(erased))
        else {
            return;
        };
        let (Some(target), Some(dst)) = (self.world.method_named(handle.member), dst) else { return };
        let Some(interface) = self.world.class_of_descriptor(interface) else { return };
        let proxy = self.add_proxy(target, erased.as_bytes());
        self.add_proxy_call(adding, proxy, handle.kind, target, captured);
        let number = self.objects.lambdas.len() as u32;
        self.objects.lambdas.push(Lambda { name: name.into(), proxy });
        let object = self.object(interface, Origin::Lambda(number));
        self.graph.add_object(adding.node(dst), object.0);
    }

    /// The method of the hidden class: a receiver and the parameters of the interface's method.
    fn add_proxy(&mut self, target: MethodId, descriptor: &[u8]) -> InstanceId {
        let is_reference = |parameter: &[u8]| matches!(parameter.first(), Some(b'L' | b'['));
        let parameters =
            descriptor::parameters(descriptor).map(|it| is_reference(it).then(|| self.graph.node()));
        let parameters: Box<[_]> = std::iter::once(None).chain(parameters).collect();
        self.add_instance_of(Code::Proxy(target), parameters)
    }

    fn add_proxy_call(
        &mut self,
        adding: &Adding<'_>,
        proxy: InstanceId,
        kind: HandleKind,
        target: MethodId,
        captured: &[Option<NodeId>],
    ) {
        let Instance { parameters, returned, thrown, .. } = &self.instances[proxy.index()];
        let given: SmallVec<[Option<NodeId>; 4]> = captured.iter().chain(&parameters[1..]).copied().collect();
        let (returned, thrown) = (*returned, *thrown);
        let (receiver, rest, result) = match (kind, given.split_first()) {
            (HandleKind::InvokeStatic, _) => (None, &*given, Some(returned)),
            (HandleKind::NewInvokeSpecial, _) => {
                (Some(self.made_by_lambda(adding, target, returned)), &*given, None)
            }
            (_, Some((Some(receiver), rest))) => (Some(*receiver), rest, Some(returned)),
            _ => return,
        };
        let arguments = Arguments { receiver, rest: rest.into(), result, thrown: Some(thrown) };
        self.add_call(proxy, 0, invoke_kind(kind), target, arguments);
    }

    /// A node that holds what `X::new` makes; it is also the result.
    fn made_by_lambda(&mut self, adding: &Adding<'_>, constructor: MethodId, result: NodeId) -> NodeId {
        let class = self.world.method(constructor).class;
        self.initialise(class);
        let object = self.new_object(adding, class);
        let node = self.graph.node();
        self.graph.add_object(node, object.0);
        self.graph.add_object(result, object.0);
        node
    }

    /// The target of a call whose receiver is a lambda object; nothing if the interface itself implements it.
    pub(crate) fn proxy_called(&self, selector: SelectorId, object: u32) -> Option<InstanceId> {
        let lambda = self.objects.lambda_of(object)?;
        let rest = self.world.selector_name(selector).strip_prefix(&*lambda.name)?;
        (rest.first() == Some(&b'(')).then_some(lambda.proxy)
    }

    /// What is concatenated is asked for its text.
    fn add_concatenation(&mut self, adding: &Adding<'_>, parts: &[Option<NodeId>], dst: Option<Var>) {
        for part in parts.iter().flatten() {
            self.call_object_method(adding, *part, b"toString", b"()Ljava/lang/String;");
        }
        if let Some(dst) = dst {
            let string = self.object(self.known.string, Origin::Merged);
            self.graph.add_object(adding.node(dst), string.0);
        }
    }

    /// `toString`, `hashCode` and `equals` of a record ask the same of its components.
    fn add_record_method(
        &mut self,
        adding: &Adding<'_>,
        bootstrap: &Bootstrap<'_>,
        name: &[u8],
        arguments: &[Option<NodeId>],
        dst: Option<Var>,
    ) {
        let descriptor: &[u8] = match name {
            b"toString" => b"()Ljava/lang/String;",
            b"hashCode" => b"()I",
            _ => b"(Ljava/lang/Object;)Z",
        };
        let Some(Some(this)) = arguments.first().copied() else { return };
        let Some(file) = self.world.class_of(adding.class).file() else { return };
        let getters: Vec<_> =
            bootstrap.arguments.iter().filter_map(|index| file.pool.method_handle(*index)).collect();
        for getter in getters {
            let Some(field) = self.world.field_named(getter.member) else { continue };
            if !self.world.field(field).is_reference {
                continue;
            }
            let component = self.graph.node();
            self.wait(this, Use::Load { part: Part::Field(field), into: component });
            self.call_object_method(adding, component, name, descriptor);
        }
        if let (Some(dst), b"toString") = (dst, name) {
            let string = self.object(self.known.string, Origin::Merged);
            self.graph.add_object(adding.node(dst), string.0);
        }
    }

    /// Calls a method of `Object` on what is in `receiver`.
    fn call_object_method(&mut self, adding: &Adding<'_>, receiver: NodeId, name: &[u8], descriptor: &[u8]) {
        let selector = self.world.selector(name, descriptor);
        let rest = descriptor::parameters(descriptor).map(|_| Some(receiver)).collect();
        let arguments =
            Arguments { receiver: Some(receiver), rest, result: None, thrown: Some(adding.raised) };
        self.add_virtual_call(adding.instance, adding.pc, selector, arguments);
    }
}

fn invoke_kind(kind: HandleKind) -> InvokeKind {
    match kind {
        HandleKind::InvokeStatic => InvokeKind::Static,
        HandleKind::InvokeSpecial | HandleKind::NewInvokeSpecial => InvokeKind::Special,
        HandleKind::InvokeInterface => InvokeKind::Interface,
        _ => InvokeKind::Virtual,
    }
}
