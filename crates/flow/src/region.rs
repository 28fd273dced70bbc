//! The code of a clause, and what comes behind it.

use crate::FlowError;
use crate::method::Method;
use catchment_classfile::variable_rows;
use catchment_pairs::end_of_exception_variable;

/// Which instructions are a clause's own: only its handler leads there, and the scope of its variable has not ended.
///
/// Without debug information, code behind the try that only the handler leads to counts as well.
#[derive(Debug)]
pub(crate) struct Region {
    /// Per block whether it is reached without the handler.
    shared: Vec<bool>,
    /// Where the scope of the clause's variable ends, by the same rule as in the ids of pairs.
    scope_end: Option<usize>,
}

impl Region {
    /// The region of the handler at `handler`.
    pub(crate) fn of(method: &Method<'_, '_>, handler: usize) -> Result<Self, FlowError> {
        let block = method.blocks.starting_at(handler)?;
        let first = method.blocks.insn_at(handler);
        let variables = variable_rows(&method.code, &method.class.pool);
        Ok(Self {
            shared: method.blocks.reachable(0, Some(block)),
            scope_end: first.and_then(|insn| end_of_exception_variable(insn, variables)),
        })
    }

    /// Whether the instruction at `pc` in `block`, which the handler leads to, is the clause's own.
    pub(crate) fn owns(&self, block: usize, pc: usize) -> bool {
        !self.shared.get(block).copied().unwrap_or(true) && self.scope_end.is_none_or(|end| pc < end)
    }
}
