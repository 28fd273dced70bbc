//! The methods that a project means by the class and method of a `[[fault]]` table.
//!
//! The class has the method, or has it from above. What is abstract, or of an interface, has no code of its own to
//! fail: all implementations that the program reaches stand for it.

use crate::catalogue::Operation;
use catchment_classfile::Insn;
use catchment_classfile::opcodes::{INVOKEINTERFACE, INVOKEVIRTUAL};
use catchment_pointsto::{Call, Code, Reached};
use catchment_pointsto::{ClassId, InstanceId, MethodId, SelectorId};
use catchment_pointsto::{Layer, World};
use rustc_hash::FxHashSet;

/// Methods of the operation that the class itself declares.
pub(crate) fn declared(world: &mut World<'_>, operation: &Operation) -> Vec<MethodId> {
    let class = class_of(world, operation);
    methods_in(world, class, operation)
}

/// Methods of the operation that the class declares, or else inherits; or the reason why there are none.
pub(crate) fn declared_or_inherited(
    world: &mut World<'_>,
    operation: &Operation,
) -> Result<Vec<MethodId>, String> {
    let class = class_of(world, operation);
    if world.class_of(class).is_missing() {
        return Err(format!("there is no class {}", operation.class));
    }
    let own = methods_in(world, class, operation);
    if !own.is_empty() {
        return Ok(own);
    }
    let inherited = inherited(world, class, operation);
    let Some(first) = inherited.first() else {
        return Err("neither the class nor one above it has such a method".to_owned());
    };
    let above = world.class_of(world.method(*first).class);
    if above.layer == Layer::Jdk {
        let above = above.binary_name();
        return Err(format!(
            "the class has the method from {above}; name that class if all below it are meant"
        ));
    }
    Ok(inherited)
}

fn class_of(world: &mut World<'_>, operation: &Operation) -> ClassId {
    world.class(operation.class.replace('.', "/").as_bytes())
}

fn methods_in(world: &World<'_>, class: ClassId, operation: &Operation) -> Vec<MethodId> {
    let is_wanted = |method: &MethodId| {
        let only = operation.descriptor.as_deref();
        only.is_none_or(|only| only.as_bytes() == world.descriptor_of(*method))
    };
    world.declared_by_name(class, operation.method.as_bytes()).filter(is_wanted).collect()
}

fn inherited(world: &World<'_>, class: ClassId, operation: &Operation) -> Vec<MethodId> {
    if operation.method.starts_with('<') {
        return Vec::new();
    }
    let above = (0..world.classes()).map(ClassId::new).filter(|above| world.is_subtype(class, *above));
    let found = above.flat_map(|above| methods_in(world, above, operation));
    // One that another overrides is not meant.
    let meant = found.filter_map(|method| world.resolve_method(class, world.method(method).selector));
    let mut meant: Vec<MethodId> = meant.collect();
    meant.sort_unstable();
    meant.dedup();
    meant
}

/// Methods that can run where one of these is called on an object of the operation's class: methods that are reached.
pub(crate) fn implementations(
    reached: &mut Reached<'_>,
    operation: &Operation,
    methods: &[MethodId],
) -> Vec<MethodId> {
    let world = &mut reached.world;
    let is_open = |method: &&MethodId| {
        let declared = world.method(**method);
        let is_of_interface = world.class_of(declared.class).is_interface();
        declared.is_abstract() || is_of_interface && !declared.is_static() && !declared.is_private()
    };
    let open: FxHashSet<MethodId> = methods.iter().filter(is_open).copied().collect();
    if open.is_empty() {
        return Vec::new();
    }
    let selectors: FxHashSet<SelectorId> = open.iter().map(|method| world.method(*method).selector).collect();
    let class = class_of(world, operation);
    let mut found = lambdas(reached, &open);
    for below in (0..reached.world.classes()).map(ClassId::new) {
        if reached.world.is_subtype(below, class) {
            found.extend(selectors.iter().filter_map(|selector| reached.world.dispatch(below, *selector)));
        }
    }
    found.retain(|method| !methods.contains(method));
    found.sort_unstable();
    found.dedup();
    found
}

/// The bodies of lambdas that calls of these methods come to. A method of the JDK that is only referred to stands for
/// more.
fn lambdas(reached: &mut Reached<'_>, methods: &FxHashSet<MethodId>) -> Vec<MethodId> {
    let mut found = Vec::new();
    for call in reached.calls().to_vec() {
        let bodies: Vec<MethodId> =
            reached.targets(&call).iter().filter_map(|target| body_of(reached, *target)).collect();
        if !bodies.is_empty() && named_by(reached, &call).is_some_and(|named| methods.contains(&named)) {
            found.extend(bodies);
        }
    }
    found
}

fn body_of(reached: &Reached<'_>, instance: InstanceId) -> Option<MethodId> {
    let Code::Proxy(method) = reached.instances[instance.index()] else { return None };
    let world = &reached.world;
    (world.class_of(world.method(method).class).layer != Layer::Jdk).then_some(method)
}

/// The method that the instruction of a call names.
fn named_by(reached: &mut Reached<'_>, call: &Call) -> Option<MethodId> {
    let world = &mut reached.world;
    let Code::Method(caller) = reached.instances[call.caller.index()] else { return None };
    let class = world.method(caller).class;
    let file = world.class_of(class).file()?;
    let (_, code) = file.code(world.member_of(caller)?).ok()??;
    let instruction = Insn::at(code.bytes, usize::from(call.pc)).ok()?;
    let is_call = (INVOKEVIRTUAL..=INVOKEINTERFACE).contains(&instruction.opcode);
    is_call.then(|| world.method_ref(class, instruction.u2())).flatten()
}
