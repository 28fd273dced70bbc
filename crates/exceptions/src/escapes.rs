//! Escapes: exceptions that can leave the public methods of the application.

use crate::answer::{Escapes, EscapingException, RaisedBy};
use crate::describe::{describe_point, exception_type, site_of};
use crate::search::LinkSearch;
use catchment_pointsto::{ClassId, InstanceId, MethodId};
use catchment_pointsto::{Layer, Typed};
use std::collections::{BTreeMap, BTreeSet};

impl LinkSearch<'_> {
    /// Public methods of public application classes that are reached and let something out, by class and method.
    pub fn escapes(&mut self) -> Vec<Escapes> {
        let unchecked = ["java/lang/RuntimeException", "java/lang/Error"];
        let unchecked = unchecked.map(|name| self.reached.world.class(name.as_bytes()));
        let mut numbers: BTreeMap<MethodId, BTreeSet<u32>> = BTreeMap::new();
        for index in 0..self.reached.instances.len() {
            let instance = InstanceId::new(index);
            if let Some(method) = self.reached.method_of(instance).filter(|method| self.is_public(*method)) {
                numbers.entry(method).or_default().extend(self.flow.escaping(instance).iter());
            }
        }
        numbers.retain(|_, numbers| !numbers.is_empty());
        let escapes = numbers.iter().map(|(method, numbers)| Escapes {
            method: site_of(&self.reached.world, *method, Some(0)),
            exceptions: self.exceptions(numbers, unchecked),
        });
        let mut escapes: Vec<_> = escapes.collect();
        escapes.sort_by(|one, other| one.method.cmp(&other.method));
        escapes
    }

    fn is_public(&self, method: MethodId) -> bool {
        let world = &self.reached.world;
        let declared = world.method(method);
        let class = world.class_of(declared.class);
        class.layer == Layer::Application
            && class.is_public()
            && declared.is_api()
            && world.name_of(method) != b"<clinit>"
    }

    fn exceptions(&self, numbers: &BTreeSet<u32>, unchecked: [ClassId; 2]) -> Vec<EscapingException> {
        let world = &self.reached.world;
        let mut by_type: BTreeMap<Typed, Vec<u32>> = BTreeMap::new();
        for number in numbers {
            by_type.entry(self.flow.raised.get(*number).typed).or_default().push(*number);
        }
        let exceptions = by_type.into_iter().map(|(typed, numbers)| {
            let raising = numbers.iter().map(|number| self.flow.raised.get(*number).point);
            let mut points: Vec<_> =
                raising.map(|point| describe_point(world, &self.catalogue, point)).collect();
            points.sort_unstable();
            // The methods of one catalogue entry are one raising point.
            points.dedup_by(|one, other| one.by == other.by && matches!(one.by, RaisedBy::Operation { .. }));
            EscapingException {
                exception: exception_type(world, typed),
                is_checked: !unchecked.iter().any(|class| world.is_subtype(typed.class, *class)),
                points,
            }
        });
        let mut exceptions: Vec<_> = exceptions.collect();
        exceptions.sort_by(|one, other| one.exception.cmp(&other.exception));
        exceptions
    }
}
