//! What debug information tells about who wrote a handler.

use crate::body::Body;

/// Whether all instructions from `first` to `last` have one line. Statements written by hand rarely do.
pub(super) fn is_on_one_line(body: &Body<'_>, first: u16, last: u16) -> bool {
    let line = body.line(first);
    let rows = body.lines.rows().iter().filter(|row| (first..=last).contains(&row.pc));
    rows.map(|row| Some(row.line)).all(|it| it == line)
}

/// Whether the debug information names a variable in `slot` at `pc`. Compilers do not name their own.
pub(super) fn is_named(body: &Body<'_>, slot: u16, pc: u16) -> bool {
    let Some(table) = body.code.attributes.find(body.pool, "LocalVariableTable") else { return false };
    table.data.get(2..).unwrap_or_default().chunks_exact(10).any(|row| {
        let field = |at: usize| u16::from_be_bytes([row[at], row[at + 1]]);
        let (start, length) = (field(0), field(2));
        field(8) == slot && pc >= start && u32::from(pc) < u32::from(start) + u32::from(length)
    })
}
