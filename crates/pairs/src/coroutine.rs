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
    (0..body.len()).filter_map(|index| suspension_at(body, index, marker)).collect()
}

fn suspension_at(body: &Body<'_>, index: usize, marker: u16) -> Option<PcRange> {
    let insn = |offset: usize| body.get(index + offset);
    let is_load = |insn: Insn<'_>| insn.aload() == Some(marker);
    let first = insn(0).filter(|it| it.opcode == DUP)?;
    insn(1).filter(|it| is_load(*it))?;
    insn(2).filter(|it| it.opcode == IF_ACMPNE)?;
    insn(3).filter(|it| is_load(*it))?;
    let last = insn(4).filter(|it| it.opcode == ARETURN)?;
    Some(PcRange { start: u16::try_from(first.pc).ok()?, end: u16::try_from(last.next_pc()).ok()? })
}

/// The slot that holds `COROUTINE_SUSPENDED`.
fn suspended_marker(body: &Body<'_>) -> Option<u16> {
    let asks = |insn: &Insn<'_>| {
        body.calls_into(insn, INTRINSICS)
            && body.member(insn).is_some_and(|it| it.name == "getCOROUTINE_SUSPENDED")
    };
    // What the last instruction asks nobody stores.
    let stored = body.insns().take(body.len().saturating_sub(1)).position(|insn| asks(&insn))?;
    body.get(stored + 1)?.astore()
}
