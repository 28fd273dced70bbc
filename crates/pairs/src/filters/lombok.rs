//! Code that Lombok wrote: marked with `@lombok.Generated`, or only looking like it.

use super::matcher::Matcher;
use crate::body::Body;
use catchment_classfile::opcodes::ATHROW;
use catchment_classfile::{Attributes, ConstantPool, annotation_types};

/// True if a class or method carries `@lombok.Generated`.
pub(super) fn is_marked<'a>(attributes: &Attributes<'a>, pool: &ConstantPool<'a>) -> bool {
    annotation_types(attributes, pool).iter().any(|name| *name == "Llombok/Generated;")
}

/// The handler that `@SneakyThrows` leaves: the caught object thrown on, through `Lombok.sneakyThrow` unless Lombok's
/// post compiler removed the call, on the line of the annotation or the method's head: not below the try.
pub(crate) fn looks_generated(body: &Body<'_>, handler: u16, try_start: u16) -> bool {
    let matches = || {
        let mut code = Matcher::at(body, handler);
        let thrown = code.astore()?;
        code.aload_of(thrown)?;
        let through_lombok = code.call_of("lombok/Lombok", "sneakyThrow").is_some();
        code.opcode(ATHROW)?;
        Some(through_lombok)
    };
    let not_below = body.line(handler).is_some() && body.line(handler) <= body.line(try_start);
    matches().is_some_and(|through_lombok| through_lombok || not_below)
}
