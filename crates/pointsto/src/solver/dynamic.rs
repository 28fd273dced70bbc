//! `invokedynamic`: lambdas, method references, string concatenation, records. What links itself in other ways is a
//! blind spot.

use crate::blind::BlindSpot;
use crate::callgraph::Code;
use crate::ids::{FieldId, InstanceId, MethodId, NodeId, SelectorId};
use crate::objects::{self, Origin};
use crate::solver::calls::Arguments;
use crate::solver::contexts::INSENSITIVE;
use crate::solver::statements::Adding;
use crate::solver::{Instance, Part, Solver, Use};
use crate::world::{Dynamic, Lambda};
use catchment_classfile::{HandleKind, descriptor};
use catchment_ir::{Operands, PoolIndex, Var};
use smallvec::SmallVec;

impl Solver<'_> {
    pub(crate) fn add_dynamic(
        &mut self,
        adding: &mut Adding<'_>,
        call: PoolIndex,
        arguments: Operands,
        dst: Option<Var>,
    ) {
        let Some(dynamic) = self.world.dynamic(adding.class, call) else { return };
        let arguments = adding.nodes(arguments);
        let dst = dst.map(|dst| adding.node(dst));
        match dynamic {
            Dynamic::Lambda(lambda) => self.add_lambda(adding, &lambda, &arguments, dst),
            Dynamic::Concatenation => self.add_concatenation(adding, &arguments, dst),
            Dynamic::Record { name, descriptor, components } => {
                self.add_record_method(adding, name, descriptor, &components, &arguments);
                if let (Some(dst), b"toString") = (dst, name) {
                    self.add_string(dst);
                }
            }
            Dynamic::Switch => {}
            Dynamic::Missing => self.blind(adding.method, adding.pc, BlindSpot::Missing),
            Dynamic::Unknown => self.blind(adding.method, adding.pc, BlindSpot::Dynamic),
        }
    }

    fn add_lambda(
        &mut self,
        adding: &Adding<'_>,
        lambda: &Lambda<'_>,
        captured: &[Option<NodeId>],
        dst: Option<NodeId>,
    ) {
        let Some(dst) = dst else { return };
        let proxy = self.add_proxy(lambda);
        self.add_proxy_call(adding, proxy, lambda, captured);
        let number = self.objects.lambdas.len() as u32;
        self.objects.lambdas.push(objects::Lambda { name: lambda.name.into(), proxy });
        let object = self.object(lambda.class, Origin::Lambda(number));
        self.graph.add_object(dst, object.0);
    }

    /// The method of the hidden class: a receiver and the parameters of the interface's method.
    fn add_proxy(&mut self, lambda: &Lambda<'_>) -> InstanceId {
        let is_reference = |parameter: &[u8]| matches!(parameter.first(), Some(b'L' | b'['));
        let parameters =
            descriptor::parameters(lambda.erased).map(|it| is_reference(it).then(|| self.graph.node()));
        let parameters: Box<[_]> = std::iter::once(None).chain(parameters).collect();
        self.add_instance_of(Code::Proxy(lambda.target), INSENSITIVE, parameters)
    }

    fn add_proxy_call(
        &mut self,
        adding: &Adding<'_>,
        proxy: InstanceId,
        lambda: &Lambda<'_>,
        captured: &[Option<NodeId>],
    ) {
        let Instance { parameters, returned, thrown, .. } = &self.instances[proxy.index()];
        let (parameters, returned, thrown) = (parameters.clone(), *returned, *thrown);
        let mut given: SmallVec<[Option<NodeId>; 4]> = captured.into();
        given.extend(self.cast_parameters(&parameters[1..], lambda));
        let (receiver, rest, result) = match (lambda.kind, given.split_first()) {
            (HandleKind::InvokeStatic, _) => {
                self.initialise_by((proxy, 0), self.world.method(lambda.target).class, adding.class);
                (None, &*given, Some(returned))
            }
            (HandleKind::NewInvokeSpecial, _) => {
                self.initialise_by((proxy, 0), self.world.method(lambda.target).class, adding.class);
                (Some(self.made_by_lambda(adding, lambda.target, returned)), &*given, None)
            }
            (_, Some((Some(receiver), rest))) => (Some(*receiver), rest, Some(returned)),
            _ => return,
        };
        let arguments = Arguments { receiver, rest: rest.into(), result, thrown: Some(thrown) };
        self.add_call(proxy, 0, lambda.invoke_kind(), lambda.target, arguments);
    }

    /// Arguments of the hidden class, as it hands them on: cast to the types that the lambda has here.
    fn cast_parameters(
        &mut self,
        parameters: &[Option<NodeId>],
        lambda: &Lambda<'_>,
    ) -> SmallVec<[Option<NodeId>; 4]> {
        let erased = descriptor::parameters(lambda.erased);
        let types = erased.zip(descriptor::parameters(lambda.instantiated));
        let mut cast = |(parameter, (erased, here)): (&Option<NodeId>, (&[u8], &[u8]))| {
            let parameter = (*parameter)?;
            match self.world.class_of_descriptor(here) {
                Some(class) if erased != here && !self.world.class_of(class).is_missing() => {
                    Some(self.filtered(parameter, class))
                }
                _ => Some(parameter),
            }
        };
        parameters.iter().zip(types).map(&mut cast).collect()
    }

    /// A node that holds what `X::new` makes; it is also the result.
    fn made_by_lambda(&mut self, adding: &Adding<'_>, constructor: MethodId, result: NodeId) -> NodeId {
        let class = self.world.method(constructor).class;
        let object = self.new_object(adding, class);
        let node = self.graph.node();
        self.graph.add_object(node, object.0);
        self.graph.add_object(result, object.0);
        node
    }

    /// The target of a call whose receiver is a lambda object; nothing if an interface of it has the code.
    pub(crate) fn proxy_called(&mut self, selector: SelectorId, object: u32) -> Option<InstanceId> {
        if let Origin::Proxy(made) = self.objects.get(object).origin {
            let is_forwarded = self.world.is_left_to_handler(selector);
            return is_forwarded.then(|| self.forwarder(made, selector, object)).flatten();
        }
        let class = self.objects.get(object).class;
        let lambda = self.objects.lambda_of(object)?;
        self.world.is_left_to_lambda(class, &lambda.name, selector).then_some(lambda.proxy)
    }

    /// Concatenated objects are asked for their text.
    fn add_concatenation(&mut self, adding: &Adding<'_>, parts: &[Option<NodeId>], dst: Option<NodeId>) {
        for part in parts.iter().flatten() {
            self.call_object_method(adding, *part, b"toString", b"()Ljava/lang/String;", None);
        }
        if let Some(dst) = dst {
            self.add_string(dst);
        }
    }

    fn add_string(&mut self, to: NodeId) {
        let string = self.object(self.known.string, Origin::Merged);
        self.graph.add_object(to, string.0);
    }

    /// `toString`, `hashCode` and `equals` of a record ask the same of its components.
    fn add_record_method(
        &mut self,
        adding: &Adding<'_>,
        name: &[u8],
        descriptor: &[u8],
        components: &[FieldId],
        arguments: &[Option<NodeId>],
    ) {
        let Some(Some(this)) = arguments.first().copied() else { return };
        // What `equals` is given counts only where it is a record of the same class.
        let other = arguments.get(1).copied().flatten().map(|other| self.filtered(other, adding.class));
        for field in components {
            let mut component_of = |record: NodeId| {
                let component = self.graph.node();
                self.wait(record, Use::Load { part: Part::Field(*field), into: component });
                component
            };
            let (component, other) = (component_of(this), other.map(&mut component_of));
            self.call_object_method(adding, component, name, descriptor, other);
        }
    }

    /// Calls a method of `Object` on what is in `receiver`, with `given` as its argument if it has one.
    fn call_object_method(
        &mut self,
        adding: &Adding<'_>,
        receiver: NodeId,
        name: &[u8],
        descriptor: &[u8],
        given: Option<NodeId>,
    ) {
        let selector = self.world.selector(name, descriptor);
        let rest = given.map(Some).into_iter().collect();
        let arguments =
            Arguments { receiver: Some(receiver), rest, result: None, thrown: Some(adding.raised) };
        self.add_virtual_call(adding.instance, adding.pc, selector, arguments);
    }
}
