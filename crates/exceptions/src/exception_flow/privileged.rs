//! Exceptions that come out of a privileged action.
//!
//! `AccessController.doPrivileged` hands checked exceptions on inside a `PrivilegedActionException`. Who called it
//! takes them out and throws them again, or drops them:
//!
//! ```text
//!   try { return doPrivileged(action); } catch (PrivilegedActionException e) { throw (IOException) e.getException(); }
//! ```
//!
//! Exceptions of the action travel as if they had never been inside another one. But code of the JDK throws no checked
//! exception that it does not declare, so an exception that a caller there does not declare has ended in it: class
//! loading, which nearly all code can come to, drops what fails in an archive. Other code may be of a language where
//! nothing is declared.

use catchment_pointsto::{Call, CallKind, Reached};
use catchment_pointsto::{ClassId, MethodId};
use catchment_pointsto::{Fits, Layer, Typed, World};

const CONTROLLER: &[u8] = b"java/security/AccessController";
const ACTION: &[u8] = b"(Ljava/security/PrivilegedExceptionAction;";
pub(crate) const WRAPPER: &[u8] = b"java/security/PrivilegedActionException";
/// Exceptions that need no declaration.
const UNCHECKED: [&[u8]; 2] = [b"java/lang/RuntimeException", b"java/lang/Error"];

/// The classes of which something may come out of a call in `caller`; nothing if all may.
pub(crate) fn allowed(reached: &mut Reached<'_>, caller: MethodId, call: &Call) -> Option<Vec<ClassId>> {
    if call.kind != CallKind::Ordinary || !is_privileged(reached, call) {
        return None;
    }
    let world = &mut reached.world;
    if world.class_of(world.method(caller).class).layer != Layer::Jdk {
        return None;
    }
    let wrapper = world.class(WRAPPER);
    let mut allowed = world.declared_exceptions(caller);
    // The wrapper goes on as it is, and somebody else takes out what is in it.
    if allowed.iter().any(|class| world.fits(wrapper, *class) != Fits::No) {
        return None;
    }
    allowed.extend(UNCHECKED.map(|name| world.class(name)));
    Some(allowed)
}

/// Tells whether an exception may come out of a call in `caller`.
pub(crate) fn comes_out(reached: &mut Reached<'_>, caller: MethodId, call: &Call, typed: Typed) -> bool {
    let Some(allowed) = allowed(reached, caller, call) else { return true };
    allowed.iter().any(|class| reached.world.typed_fits(typed, *class) != Fits::No)
}

/// The target is one for all of these calls: the method is static.
pub(crate) fn is_privileged(reached: &Reached<'_>, call: &Call) -> bool {
    let [target] = reached.targets(call) else { return false };
    reached.method_of(*target).is_some_and(|method| is_door(&reached.world, method))
}

fn is_door(world: &World<'_>, method: MethodId) -> bool {
    *world.class_of(world.method(method).class).name == *CONTROLLER
        && world.name_of(method).starts_with(b"doPrivileged")
        && world.descriptor_of(method).starts_with(ACTION)
}
