//! Debug information that tells handlers of compilers from those that a programmer wrote.

use crate::body::Body;

/// True if all instructions from `first` to `last` have one line. Statements written by hand rarely do.
pub(super) fn is_on_one_line(body: &Body<'_>, first: u16, last: u16) -> bool {
    let line = body.line(first);
    let rows = body.lines().rows();
    let from = rows.partition_point(|row| row.pc < first);
    rows[from..].iter().take_while(|row| row.pc <= last).all(|row| Some(row.line) == line)
}

/// True if the debug information names a variable in `slot` at `pc`. Compilers do not name their own.
pub(super) fn is_named(body: &Body<'_>, slot: u16, pc: u16) -> bool {
    body.variables_in(slot).iter().any(|it| (it.start..it.end).contains(&pc))
}
