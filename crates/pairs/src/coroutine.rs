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
use catchment_classfile::Insn;
use catchment_classfile::opcodes::{ARETURN, DUP, IF_ACMPNE};

const INTRINSICS: &str = "kotlin/coroutines/intrinsics/IntrinsicsKt";

/// The places where the method asks whether it was suspended, and returns if so. Sorted.
pub(crate) fn suspensions(body: &Body<'_>) -> Vec<PcRange> {
    let Some(marker) = suspended_marker(body) else { return Vec::new() };
    body.insns().filter_map(|insn| suspension_at(body, &insn, marker)).collect()
}

fn suspension_at<'a>(body: &Body<'a>, first: &Insn<'a>, marker: u16) -> Option<PcRange> {
    let next = |insn: &Insn<'a>| body.insn(insn.next_pc());
    let is_load = |insn: &Insn<'a>| insn.aload() == Some(marker);
    let load = Some(first).filter(|it| it.opcode == DUP).and_then(next).filter(is_load)?;
    let question = next(&load).filter(|it| it.opcode == IF_ACMPNE)?;
    let load = next(&question).filter(is_load)?;
    let last = next(&load).filter(|it| it.opcode == ARETURN)?;
    Some(PcRange { start: u16::try_from(first.pc).ok()?, end: u16::try_from(last.next_pc()).ok()? })
}

/// The slot that holds `COROUTINE_SUSPENDED`.
fn suspended_marker(body: &Body<'_>) -> Option<u16> {
    let asks = |call: &Insn<'_>| {
        body.calls_into(call, INTRINSICS)
            && body.member(call).is_some_and(|it| it.name == "getCOROUTINE_SUSPENDED")
    };
    let asking = body.calls().find(asks)?;
    body.insn(asking.next_pc())?.astore()
}
