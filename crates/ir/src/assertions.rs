//! `assert`: compilers test a field that says whether assertions are off, and go on behind the statement if so.
//!
//! ```text
//!   getstatic $assertionsDisabled
//!   ifne behind
//!   ...                              the condition and the throw
//! behind:
//! ```

use crate::blocks::last_start;
use crate::scan::Scan;
use catchment_classfile::opcodes::GETSTATIC;
use catchment_classfile::{Code, ConstantPool, Insn};

const IFNE: u8 = 154;
const FIELD: &[u8] = b"$assertionsDisabled";

/// True if `assert` statements are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Assertions {
    #[default]
    On,
    /// Assertions are code that no control reaches.
    Off,
}

/// True if a branch, the last of the block that begins at `start`, goes past an `assert`.
pub(crate) fn is_test(
    branch: &Insn<'_>,
    start: u32,
    code: &Code<'_>,
    pool: &ConstantPool<'_>,
    scan: &Scan,
) -> bool {
    if branch.opcode != IFNE {
        return false;
    }
    let before = u32::try_from(branch.pc).ok().and_then(|pc| last_start(scan, start, pc));
    let before = before.and_then(|before| Insn::at(code.bytes, before).ok());
    before.is_some_and(|insn| {
        insn.opcode == GETSTATIC && pool.member_name(insn.u2()).is_ok_and(|name| name.as_bytes() == FIELD)
    })
}
