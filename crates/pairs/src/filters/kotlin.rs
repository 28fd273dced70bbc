//! Handlers of Kotlin's standard inline functions.
//!
//! Most inline functions leave lines of their own in the source map. Those marked `@InlineOnly` do not: their
//! code looks as if it stood at the call, and only its shape tells.

use super::matcher::Matcher;
use super::switches::catches_only;
use super::try_with_resources::stores_and_rethrows;
use crate::body::Body;
use crate::clauses::Handler;
use catchment_classfile::Insn;
use catchment_classfile::opcodes::{GETSTATIC, POP};

pub(super) fn is_inline_only(body: &Body<'_>, handler: &Handler) -> bool {
    catches_only(body, handler, "java/lang/Throwable")
        && (is_use(body, handler) || is_run_catching(body, handler))
}

/// `use`: `catch (e: Throwable) { exception = e; throw e }`, with `exception` handed to `closeFinally`.
fn is_use(body: &Body<'_>, handler: &Handler) -> bool {
    stores_and_rethrows(body, handler)
        .is_some_and(|(exception, _)| is_handed_to_close_finally(body, exception))
}

/// True if the exception in `slot` is handed to the library's `closeFinally`.
fn is_handed_to_close_finally(body: &Body<'_>, slot: u16) -> bool {
    body.insns().any(|insn| {
        let called = || body.insn(insn.next_pc()).filter(Insn::is_call).and_then(|call| body.member(&call));
        insn.aload() == Some(slot)
            && called().is_some_and(|it| it.owner.starts_with("kotlin/") && it.name == "closeFinally")
    })
}

/// `runCatching`: `catch (e: Throwable) { Result.failure(e) }` on the line of the call.
fn is_run_catching(body: &Body<'_>, handler: &Handler) -> bool {
    let matches = || {
        let mut code = Matcher::at(body, handler.pc);
        let thrown = code.astore()?;
        code.optional(|code| {
            code.opcode(GETSTATIC)?;
            code.opcode(POP)
        });
        code.aload_of(thrown)?;
        code.call_of("kotlin/ResultKt", "createFailure")?;
        code.call_of("kotlin/Result", "constructor-impl")
    };
    let start = handler.ranges.first().map_or(handler.pc, |range| range.start);
    matches().is_some() && body.line(start) == body.line(handler.pc)
}
