//! Objects that may be handed to a method or come back from it, by the types that it declares.

use super::calls::CallReceivers;
use catchment_classfile::descriptor;
use catchment_pointsto::Fits;
use catchment_pointsto::Set;
use catchment_pointsto::{ClassId, InstanceId, NodeId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Objects that are in one of several sets.
#[derive(Debug, Clone)]
pub(super) enum Mask {
    Everything,
    OneOf(Vec<Rc<Set>>),
}

/// Masks that have been asked for.
#[derive(Debug, Default)]
pub(super) struct Matching {
    /// Objects by their class.
    objects: Vec<(ClassId, Vec<u32>)>,
    by_class: FxHashMap<ClassId, Rc<Set>>,
    parameters: FxHashMap<InstanceId, Rc<Mask>>,
    returned: FxHashMap<InstanceId, Rc<Mask>>,
}

impl Matching {
    pub(super) fn new(calls: &CallReceivers<'_, '_>) -> Self {
        let mut objects: FxHashMap<ClassId, Vec<u32>> = FxHashMap::default();
        for object in calls.heap.all_objects() {
            objects.entry(calls.heap.class_of(object)).or_default().push(object);
        }
        Self { objects: objects.into_iter().collect(), ..Self::default() }
    }

    /// Objects that may be handed to an instance, its receiver apart.
    pub(super) fn parameters_of(
        &mut self,
        instance: InstanceId,
        calls: &mut CallReceivers<'_, '_>,
    ) -> Rc<Mask> {
        if let Some(mask) = self.parameters.get(&instance) {
            return Rc::clone(mask);
        }
        let nodes: Vec<NodeId> = calls.parameters_of(instance).iter().flatten().copied().collect();
        let method = calls.method_of(instance);
        let declared = method.map_or(&b"()V"[..], |method| calls.world.descriptor_of(method));
        let types: Vec<&[u8]> = descriptor::parameters(declared).collect();
        let mask = Rc::new(self.mask(&types, &nodes, calls));
        self.parameters.insert(instance, Rc::clone(&mask));
        mask
    }

    pub(super) fn returned_of(
        &mut self,
        instance: InstanceId,
        calls: &mut CallReceivers<'_, '_>,
    ) -> Rc<Mask> {
        if let Some(mask) = self.returned.get(&instance) {
            return Rc::clone(mask);
        }
        let method = calls.method_of(instance);
        let declared = method.map_or(&b"()V"[..], |method| calls.world.descriptor_of(method));
        let nodes = [calls.heap.frame(instance).returned];
        let mask = Rc::new(self.mask(&[descriptor::returned(declared)], &nodes, calls));
        self.returned.insert(instance, Rc::clone(&mask));
        mask
    }

    /// Objects of these types, and what the nodes are known to hold: hidden classes declare nothing that could be
    /// asked, and the JVM does not hold anybody to an interface.
    fn mask(&mut self, types: &[&[u8]], nodes: &[NodeId], calls: &mut CallReceivers<'_, '_>) -> Mask {
        let mut masks: Vec<Rc<Set>> = Vec::new();
        for declared in types {
            let Some(class) = calls.world.class_of_descriptor(declared) else { continue };
            if class == calls.world.object {
                return Mask::Everything;
            }
            let objects = self.of_class(class, calls);
            if !masks.iter().any(|mask| Rc::ptr_eq(mask, &objects)) {
                masks.push(objects);
            }
        }
        for node in nodes {
            let mut others = calls.heap.objects(*node).clone();
            for mask in &masks {
                let mut left = Set::default();
                left.add_filtered(&others, mask, false, &mut Set::default());
                others = left;
            }
            if !others.is_empty() {
                masks.push(Rc::new(others));
            }
        }
        Mask::OneOf(masks)
    }

    fn of_class(&mut self, class: ClassId, calls: &CallReceivers<'_, '_>) -> Rc<Set> {
        let Self { objects, by_class, .. } = self;
        let matching = by_class.entry(class).or_insert_with(|| {
            let fitting = objects.iter().filter(|(of, _)| calls.world.fits(*of, class) != Fits::No);
            let mut fitting: Vec<u32> = fitting.flat_map(|(_, objects)| objects).copied().collect();
            fitting.sort_unstable();
            Rc::new(fitting.into_iter().collect())
        });
        Rc::clone(matching)
    }
}
