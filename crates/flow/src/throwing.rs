//! Which instructions can throw, but for errors of the JVM itself that may come at any time.

use catchment_classfile::{ClassFile, Insn, opcodes};

/// Constants whose loading resolves something: classes, handles, method types, dynamic ones.
const RESOLVED: [u8; 4] = [7, 15, 16, 17];

/// Whether `insn` can throw by what it does itself or by what it calls. Returns could only with unbalanced monitors.
pub(crate) fn can_throw(insn: &Insn<'_>, class: &ClassFile<'_>) -> bool {
    match insn.opcode {
        opcodes::LDC => resolves(insn.bytes.get(1).copied().map_or(0, u16::from), class),
        opcodes::LDC_W | opcodes::LDC2_W => resolves(insn.u2(), class),
        // Array elements; division and remainder of integers; members, objects, casts, monitors.
        46..=53 | 79..=86 | 108 | 109 | 112 | 113 | 178..=192 | 194 | 195 | 197 => true,
        _ => false,
    }
}

fn resolves(index: u16, class: &ClassFile<'_>) -> bool {
    class.pool.tag(index).is_some_and(|tag| RESOLVED.contains(&tag))
}
