//! The questions that a world has put to its source. A source with the same answers would make the same world.

use super::{ClassSource, World};
use crate::cache_format::cached;
use crate::ids::ClassId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Questions beyond those whose answers are the classes themselves.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    /// Names that are those of no class.
    absent: FxHashSet<Box<[u8]>>,
    /// Services, and the names of those who provide them.
    providers: FxHashMap<ClassId, Vec<Vec<u8>>>,
}

cached! { struct Asked { absent, providers } }

/// A question that two sources answer differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Differs {
    /// About the class of this internal name: there or not, its bytes, whose code it is.
    Class(Box<[u8]>),
    /// A provider of this service is gone.
    Service(Box<[u8]>),
}

impl<'a> World<'a> {
    pub(super) fn is_absent(&mut self, name: &[u8]) -> bool {
        let is_absent = self.asked.absent.contains(name) || self.source.find(name).is_none();
        if is_absent && !self.asked.absent.contains(name) {
            self.asked.absent.insert(name.into());
        }
        is_absent
    }

    pub(super) fn ask_for_providers(&mut self, service: ClassId) -> Vec<Vec<u8>> {
        let providers = self.source.services(&self.class_of(service).name);
        self.asked.providers.insert(service, providers.clone());
        providers
    }

    /// From now on classes come from `source`, which has to know all that was asked and may know more. Classes that
    /// provide more of the services that were asked for.
    pub(crate) fn continue_with(&mut self, source: &'a dyn ClassSource) -> Result<Vec<ClassId>, Differs> {
        self.compare_classes(source)?;
        self.source = source;
        let mut services: Vec<ClassId> = self.asked.providers.keys().copied().collect();
        services.sort_unstable();
        let mut more = Vec::new();
        for service in services {
            let before = self.asked.providers.get(&service).cloned().unwrap_or_default();
            let now = self.ask_for_providers(service);
            if before.iter().any(|provider| !now.contains(provider)) {
                return Err(Differs::Service((*self.class_of(service).name).into()));
            }
            let new = now.iter().filter(|provider| !before.contains(provider));
            more.extend(new.filter_map(|provider| self.class_that_is_there(provider)));
        }
        Ok(more)
    }

    fn compare_classes(&self, source: &dyn ClassSource) -> Result<(), Differs> {
        let classes = self.classes.iter().filter(|class| class.element().is_none()).map(|class| &*class.name);
        let names = classes.chain(self.asked.absent.iter().map(|name| &**name));
        let differing = names.filter(|name| !is_same(self.source, source, name));
        // The absent ones come in no order.
        differing.min().map_or(Ok(()), |name| Err(Differs::Class(name.into())))
    }
}

fn is_same(one: &dyn ClassSource, other: &dyn ClassSource, name: &[u8]) -> bool {
    match (one.find(name), other.find(name)) {
        (None, None) => true,
        (Some((one, layer)), Some((other, layer_of_other))) => {
            layer == layer_of_other && (std::ptr::eq(one, other) || one == other)
        }
        _ => false,
    }
}
