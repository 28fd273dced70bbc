//! Kotlin coroutines: leaving a try to be suspended is not leaving it.
//!
//! After every call that may suspend the compiler writes
//!
//! ```text
//!   dup; aload SUSPENDED; if_acmpne GO_ON; aload SUSPENDED; areturn
//! ```
//!
//! and takes it out of the ranges of the tries around the call, so that it looks like a way out of them.

use crate::PcRange;
use crate::body::Body;
use catchment_classfile::opcodes::{ARETURN, DUP, IF_ACMPNE};

const INTRINSICS: &str = "kotlin/coroutines/intrinsics/IntrinsicsKt";

/// The places where the method asks whether it was suspended, and returns if so. Sorted.
pub(crate) fn suspensions(body: &Body<'_>) -> Vec<PcRange> {
    let Some(marker) = suspended_marker(body) else { return Vec::new() };
    let checks = body.insns.windows(5).filter(|window| {
        window[0].opcode == DUP
            && window[1].aload() == Some(marker)
            && window[2].opcode == IF_ACMPNE
            && window[3].aload() == Some(marker)
            && window[4].opcode == ARETURN
    });
    let ranges = checks.map(|window| {
        let start = u16::try_from(window[0].pc).ok()?;
        Some(PcRange { start, end: u16::try_from(window[4].next_pc()).ok()? })
    });
    ranges.flatten().collect()
}

/// The slot that holds `COROUTINE_SUSPENDED`.
fn suspended_marker(body: &Body<'_>) -> Option<u16> {
    let stored = body.insns.windows(2).find(|pair| {
        body.calls_into(&pair[0], INTRINSICS)
            && body.member(&pair[0]).is_some_and(|it| it.name == "getCOROUTINE_SUSPENDED")
    });
    stored.and_then(|pair| pair[1].astore())
}
