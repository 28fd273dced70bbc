//! The instructions of a clause.

use crate::blocks::Blocks;
use crate::instructions::Instructions;
use catchment_classfile::{Insn, VariableRow};

/// The instructions of the clause at instruction `handler`, in code order: those only reachable through it, up to the
/// end of the variable it stores the exception in, where debug information has it. Without that, code behind the try
/// that nothing else leads to counts as well.
pub fn clause_extent(
    insns: &Instructions<'_>,
    blocks: &Blocks,
    handler: usize,
    variables: impl IntoIterator<Item = VariableRow>,
) -> Vec<usize> {
    let end = insns.get(handler).and_then(|first| end_of_exception_variable(&first, variables));
    let own = |index: &usize| end.is_none_or(|end| insns.pc(*index) < end);
    blocks.only_through(handler).into_iter().flatten().filter(own).collect()
}

/// The pc at which the scope of the variable ends that a clause stores its exception in with its first instruction;
/// `None` if it stores none, or debug information does not name it.
///
/// The scope begins right behind the store: a variable that is there already is another's, whose slot is used again.
fn end_of_exception_variable(
    first: &Insn<'_>,
    variables: impl IntoIterator<Item = VariableRow>,
) -> Option<usize> {
    let slot = first.astore()?;
    let is_of_clause = |row: &VariableRow| row.slot == slot && usize::from(row.start) == first.next_pc();
    variables.into_iter().filter(is_of_clause).map(|row| usize::from(row.end)).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_classfile::opcodes;

    /// Slot, start and end of each variable; the store of slot 1 is at 3 and two bytes long.
    fn end(variables: &[(u16, u16, u16)]) -> Option<usize> {
        let bytes = [opcodes::ASTORE, 1];
        let store = Insn { pc: 3, opcode: bytes[0], bytes: &bytes };
        let row = |(slot, start, end): &(u16, u16, u16)| VariableRow {
            slot: *slot,
            start: *start,
            end: *end,
            ..VariableRow::default()
        };
        end_of_exception_variable(&store, variables.iter().map(row))
    }

    #[test]
    fn the_scope_begins_behind_the_store() {
        assert_eq!(end(&[(1, 5, 9), (2, 5, 30), (1, 12, 20)]), Some(9));
        assert_eq!(end(&[(1, 5, 5)]), Some(5), "of an empty clause");
        assert_eq!(end(&[]), None);
    }

    #[test]
    fn a_variable_that_was_there_before_is_not_the_clauses() {
        assert_eq!(end(&[(1, 0, 40)]), None);
        assert_eq!(end(&[(1, 0, 40), (1, 5, 9)]), Some(9));
    }
}
