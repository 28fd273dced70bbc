//! `ServiceLoader`: what it hands out is made by constructors that no code names.

use crate::calls::Arguments;
use crate::contexts::INSENSITIVE;
use crate::ids::{ClassId, InstanceId, MethodId};
use crate::objects::Origin;
use crate::solver::{Instance, Solver};
use crate::world::Layer;
use catchment_ir::InvokeKind;

/// Where the JDK makes a provider: since JDK 9, and before.
const MAKERS: [(&[u8], &[u8]); 2] = [
    (b"java/util/ServiceLoader$ProviderImpl", b"get"),
    (b"java/util/ServiceLoader$LazyIterator", b"nextService"),
];

impl Solver<'_> {
    /// A service is asked for by its class object.
    pub(crate) fn load_service(&mut self, service: Origin) {
        let Origin::ClassOf(service) = service else { return };
        if !self.settled.services.insert(service) {
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
        let class = self.world.class_that_is_there(class)?;
        // Without its bridge, which returns the same.
        let returns_object = |method: &MethodId| self.world.descriptor_of(*method) == b"()Ljava/lang/Object;";
        let maker = self.world.declared_by_name(class, name).find(returns_object)?;
        self.reach(maker, INSENSITIVE)
    }

    fn make_provider(&mut self, maker: InstanceId, provider: ClassId) {
        self.initialise(provider);
        let Instance { returned, thrown, .. } = self.instances[maker.index()];
        let thrown = Some(thrown);
        if let Some(method) = self.provider_method(provider) {
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

    /// `public static provider()`, which only modules may use; the JDK consists of modules.
    fn provider_method(&self, provider: ClassId) -> Option<MethodId> {
        let class = self.world.class_of(provider);
        let mut found = self.world.declared_by_name(provider, b"provider");
        let is_meant = |it: &MethodId| {
            self.world.method(*it).is_static() && self.world.descriptor_of(*it).starts_with(b"()")
        };
        (class.layer == Layer::Jdk).then(|| found.find(is_meant)).flatten()
    }
}
