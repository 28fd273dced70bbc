//! The handler that releases the monitor of a `synchronized` block.

use super::matcher::Matcher;
use crate::body::Body;
use crate::clauses::Handler;
use catchment_classfile::opcodes::{ATHROW, MONITOREXIT};

/// `astore t; aload m; monitorexit; aload t; athrow` (javac, kotlinc) or `aload m; monitorexit; athrow` (ecj).
pub(super) fn releases_monitor(body: &Body<'_>, handler: &Handler) -> bool {
    let matches = || {
        let mut code = Matcher::at(body, handler.pc);
        let thrown = code.optional(Matcher::astore);
        code.aload()?;
        code.opcode(MONITOREXIT)?;
        if let Some(thrown) = thrown {
            code.aload_of(thrown)?;
        }
        code.opcode(ATHROW)
    };
    matches().is_some()
}
