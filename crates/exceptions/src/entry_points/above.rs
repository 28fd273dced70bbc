//! Supertypes of a class and their members, by name.

use catchment_pointsto::{ClassId, MethodId};
use catchment_pointsto::{Layer, World};

pub(crate) fn is_below(world: &mut World<'_>, class: ClassId, name: &str) -> bool {
    let above = world.class(name.as_bytes());
    world.is_subtype(class, above)
}

/// The methods of a class, its superclasses and their interfaces, each once, the nearest first. Those of the JDK are
/// left out: no program begins there.
pub(crate) fn own_and_above(world: &World<'_>, class: ClassId) -> Vec<MethodId> {
    let mut classes = vec![class];
    let mut next = 0;
    while let Some(class) = classes.get(next).copied() {
        next += 1;
        let class = world.class_of(class);
        for above in class.superclass.iter().chain(&class.interfaces) {
            if world.class_of(*above).layer != Layer::Jdk && !classes.contains(above) {
                classes.push(*above);
            }
        }
    }
    classes.iter().flat_map(|class| world.class_of(*class).methods()).collect()
}
