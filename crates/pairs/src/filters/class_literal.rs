//! Class literals before Java 5: `Foo.class` compiled to `Class.forName` behind a guard.

use super::matcher::Matcher;
use super::switches::catches_only;
use crate::body::Body;
use crate::clauses::Handler;
use catchment_classfile::access;
use catchment_classfile::opcodes::{ATHROW, DUP_X1, NEW, SWAP};

pub(super) fn is_class_literal(body: &Body<'_>, handler: &Handler) -> bool {
    catches_only(body, handler, "java/lang/ClassNotFoundException")
        && (is_helper_method(body) || is_inline_guard(body, handler))
}

/// javac before 1.5 put the guard in a helper: `static Class class$(String name)`.
fn is_helper_method(body: &Body<'_>) -> bool {
    let synthetic = body.method.access & access::SYNTHETIC != 0
        || body.method.attributes.find(body.pool, "Synthetic").is_some();
    synthetic && body.method.name == "class$"
}

/// ecj writes it out where the literal stands, with the exception on the stack all the time:
/// `throw new NoClassDefFoundError(e.getMessage())`. A programmer's exception would be in a variable.
fn is_inline_guard(body: &Body<'_>, handler: &Handler) -> bool {
    const ERROR: &str = "java/lang/NoClassDefFoundError";
    let matches = || {
        let mut code = Matcher::at(body, handler.pc);
        code.class(NEW, ERROR)?;
        code.opcode(DUP_X1)?;
        code.opcode(SWAP)?;
        code.call_of("java/lang/Throwable", "getMessage")?;
        code.call_of(ERROR, "<init>")?;
        code.opcode(ATHROW)
    };
    matches().is_some()
}
