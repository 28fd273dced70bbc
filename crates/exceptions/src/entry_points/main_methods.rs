//! The `main` that the `java` command would start in a class.

use crate::entry_points::above::own_and_above;
use catchment_classfile::access;
use catchment_pointsto::World;
use catchment_pointsto::{ClassId, MethodId};

/// From this release on it need neither be public nor static nor have a parameter (JEP 512).
const SIMPLE_MAIN: u32 = 25;
/// The one with arguments comes first.
const DESCRIPTORS: [&[u8]; 2] = [b"([Ljava/lang/String;)V", b"()V"];

/// Nothing if there is none for this release; an unknown one takes what any does.
pub(crate) fn main_method(world: &mut World<'_>, class: ClassId, release: Option<u32>) -> Option<MethodId> {
    let is_simple = release.is_none_or(|release| release >= SIMPLE_MAIN);
    let descriptors = if is_simple { &DESCRIPTORS[..] } else { &DESCRIPTORS[..1] };
    let mut methods = own_and_above(world, class);
    methods.retain(|method| world.name_of(*method) == b"main" && is_had_by(world, *method, class));
    methods.retain(|method| {
        if is_simple { is_simple_main(world, *method, class) } else { is_plain_main(world, *method) }
    });
    descriptors.iter().find_map(|descriptor| {
        methods.iter().copied().find(|method| world.descriptor_of(*method) == *descriptor)
    })
}

/// Static methods of interfaces are not inherited.
fn is_had_by(world: &World<'_>, method: MethodId, class: ClassId) -> bool {
    let declared = world.method(method);
    declared.class == class || !declared.is_static() || !world.class_of(declared.class).is_interface()
}

fn is_plain_main(world: &World<'_>, method: MethodId) -> bool {
    let declared = world.method(method);
    declared.is_static() && declared.access & access::PUBLIC != 0
}

/// An object to call it on is made without arguments.
fn is_simple_main(world: &World<'_>, method: MethodId, class: ClassId) -> bool {
    let declared = world.method(method);
    let is_made = || {
        let mut constructors = world.declared_by_name(class, b"<init>");
        world.class_of(class).is_instantiable()
            && constructors.any(|it| world.descriptor_of(it) == b"()V" && !world.method(it).is_private())
    };
    !declared.is_private() && !declared.is_abstract() && (declared.is_static() || is_made())
}
