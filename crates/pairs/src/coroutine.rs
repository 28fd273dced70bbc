//! Kotlin coroutines: leaving a try to be suspended is not leaving it.

use crate::body::Body;
use catchment_classfile::opcodes::ARETURN;

const INTRINSICS: &str = "kotlin/coroutines/intrinsics/IntrinsicsKt";

/// Pcs of the code that returns `COROUTINE_SUSPENDED`: the load and the return behind it. Sorted.
pub(crate) fn suspensions(body: &Body<'_>) -> Vec<u16> {
    let Some(marker) = suspended_marker(body) else { return Vec::new() };
    let returns =
        body.insns.windows(2).filter(|pair| pair[0].aload() == Some(marker) && pair[1].opcode == ARETURN);
    returns.flatten().filter_map(|insn| u16::try_from(insn.pc).ok()).collect()
}

/// The slot that holds `COROUTINE_SUSPENDED`.
fn suspended_marker(body: &Body<'_>) -> Option<u16> {
    let stored = body.insns.windows(2).find(|pair| {
        pair[0].is_call()
            && body
                .member(&pair[0])
                .is_some_and(|it| it.owner == INTRINSICS && it.name == "getCOROUTINE_SUSPENDED")
    });
    stored.and_then(|pair| pair[1].astore())
}
