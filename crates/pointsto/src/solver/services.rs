//! `ServiceLoader`: what it hands out is made by constructors that no code names.

use crate::ids::{ClassId, InstanceId, MethodId};
use crate::objects::Origin;
use crate::solver::calls::Arguments;
use crate::solver::contexts::INSENSITIVE;
use crate::solver::{Instance, Solver};
use crate::world::{Layer, World};
use catchment_ir::InvokeKind;

/// The methods in which the JDK makes a provider: since JDK 9, and before.
pub(crate) const MAKERS: [(&[u8], &[u8]); 2] = [
    (b"java/util/ServiceLoader$ProviderImpl", b"get"),
    (b"java/util/ServiceLoader$LazyIterator", b"nextService"),
];

impl Solver<'_> {
    /// A service is asked for by its class object.
    pub(crate) fn load_service(&mut self, service: ClassId) {
        if !self.at_fixed_point.services.insert(service) {
            return;
        }
        let providers = self.world.providers_of(service);
        self.make_providers(&providers);
    }

    pub(crate) fn make_providers(&mut self, providers: &[ClassId]) {
        let makers: Vec<InstanceId> = MAKERS.iter().filter_map(|maker| self.maker(maker)).collect();
        for provider in providers {
            for maker in &makers {
                self.make_provider(*maker, *provider);
            }
        }
    }

    fn maker(&mut self, (class, name): &(&[u8], &[u8])) -> Option<InstanceId> {
        let maker = maker_named(&mut self.world, class, name)?;
        self.reach(maker, INSENSITIVE)
    }

    fn make_provider(&mut self, maker: InstanceId, provider: ClassId) {
        self.initialise_by((maker, 0), provider, self.world.object);
        let Instance { returned, thrown, .. } = self.instances[maker.index()];
        let thrown = Some(thrown);
        if let Some(method) = provider_method(&self.world, provider) {
            let arguments =
                Arguments { receiver: None, rest: Box::default(), result: Some(returned), thrown };
            return self.add_call(maker, 0, InvokeKind::Static, method, arguments);
        }
        let Some(constructor) = self.world.declared_as(provider, b"<init>", b"()V") else { return };
        let object = self.object(provider, Origin::Merged);
        let made = self.graph.node();
        self.graph.add_object(made, object.0);
        self.graph.add_object(returned, object.0);
        let arguments = Arguments { receiver: Some(made), rest: Box::default(), result: None, thrown };
        self.add_call(maker, 0, InvokeKind::Special, constructor, arguments);
    }
}

/// A method that makes providers.
pub(crate) fn maker_named(world: &mut World<'_>, class: &[u8], name: &[u8]) -> Option<MethodId> {
    let class = world.class_that_is_there(class)?;
    // Without its bridge, which returns the same.
    let returns_object = |method: &MethodId| world.descriptor_of(*method) == b"()Ljava/lang/Object;";
    world.declared_by_name(class, name).find(returns_object)
}

/// `public static provider()`, which only modules may use; the JDK consists of modules.
pub(crate) fn provider_method(world: &World<'_>, provider: ClassId) -> Option<MethodId> {
    let class = world.class_of(provider);
    let mut found = world.declared_by_name(provider, b"provider");
    let is_meant =
        |it: &MethodId| world.method(*it).is_static() && world.descriptor_of(*it).starts_with(b"()");
    (class.layer == Layer::Jdk).then(|| found.find(is_meant)).flatten()
}
