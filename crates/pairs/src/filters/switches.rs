//! Handlers that compilers add for switches.

use super::matcher::Matcher;
use super::variables::is_named;
use crate::body::Body;
use crate::clauses::Handler;
use catchment_classfile::ClassFile;
use catchment_classfile::access;
use catchment_classfile::opcodes::{ATHROW, DUP, DUP_X1, NEW, SWAP};

/// True if the class exists to hold tables that translate enum constants to switch cases: `$SwitchMap$...` in a
/// synthetic class (javac), `$EnumSwitchMapping$...` in a class `WhenMappings` (kotlinc).
pub(super) fn is_switch_map_holder(class: &ClassFile<'_>) -> bool {
    let has_table = |prefix| class.fields.iter().any(|field| field.name.starts_with(prefix));
    (class.access & access::SYNTHETIC != 0 && has_table("$SwitchMap$"))
        || (class.name.ends_with("$WhenMappings") && has_table("$EnumSwitchMapping$"))
}

/// The table is filled constant by constant, each guarded against a constant that no longer exists. ecj does it in a
/// method of the class that switches.
pub(super) fn is_enum_switch_map(in_holder: bool, body: &Body<'_>, handler: &Handler) -> bool {
    let by_ecj =
        body.method.access & access::SYNTHETIC != 0 && body.method.name.starts_with("$SWITCH_TABLE$");
    (by_ecj || in_holder && body.method.name == "<clinit>")
        && catches_only(body, handler, "java/lang/NoSuchFieldError")
}

const MATCH_EXCEPTION: &str = "java/lang/MatchException";

/// `catch (Throwable t) { throw new MatchException(t.toString(), t); }` around a record accessor.
pub(super) fn is_pattern_switch(body: &Body<'_>, handler: &Handler) -> bool {
    catches_only(body, handler, "java/lang/Throwable")
        && (wraps_from_variable(body, handler).is_some() || wraps_on_stack(body, handler).is_some())
}

/// javac keeps the exception in a variable, which has no name.
fn wraps_from_variable(body: &Body<'_>, handler: &Handler) -> Option<()> {
    let mut code = Matcher::at(body, handler.pc);
    let thrown = code.astore()?;
    (!is_named(body, thrown, code.pc()?)).then_some(())?;
    code.class(NEW, MATCH_EXCEPTION)?;
    code.opcode(DUP)?;
    code.aload_of(thrown)?;
    code.call_of("java/lang/Throwable", "toString")?;
    code.aload_of(thrown)?;
    code.call_of(MATCH_EXCEPTION, "<init>")?;
    code.opcode(ATHROW)
}

/// ecj juggles it on the stack.
fn wraps_on_stack(body: &Body<'_>, handler: &Handler) -> Option<()> {
    let mut code = Matcher::at(body, handler.pc);
    code.class(NEW, MATCH_EXCEPTION)?;
    code.opcode(DUP_X1)?;
    code.opcode(SWAP)?;
    code.opcode(DUP)?;
    code.call_of("java/lang/Throwable", "toString")?;
    code.opcode(SWAP)?;
    code.call_of(MATCH_EXCEPTION, "<init>")?;
    code.opcode(ATHROW)
}

pub(super) fn catches_only(body: &Body<'_>, handler: &Handler, name: &str) -> bool {
    handler.only_type.is_some_and(|only| body.pool.class_name(only).is_ok_and(|it| it == name))
}
