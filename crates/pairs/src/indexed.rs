//! A method opened up, with its instructions numbered.

use crate::blocks::Blocks;
use crate::body::Body;
use crate::clause_extent::clause_extent;
use crate::instructions::Instructions;
use catchment_classfile::ClassError;

#[derive(Debug)]
pub(crate) struct IndexedBody<'b, 'a> {
    pub(crate) body: &'b Body<'a>,
    pub(crate) insns: Instructions<'a>,
}

impl<'b, 'a> IndexedBody<'b, 'a> {
    pub(crate) fn new(body: &'b Body<'a>) -> Result<Self, ClassError> {
        Ok(Self { body, insns: Instructions::of(&body.code)? })
    }

    /// The index of the instruction at `pc`.
    pub(crate) fn index(&self, pc: u16) -> Option<usize> {
        self.insns.index_at(usize::from(pc))
    }

    /// The instructions of the clause at `handler`; without `blocks`, which large methods cannot afford, its first
    /// straight line.
    pub(crate) fn extent(&self, handler: usize, blocks: Option<&Blocks>) -> Vec<usize> {
        let Some(blocks) = blocks else { return self.insns.straight_line(handler) };
        let slot = self.insns.get(handler).and_then(|store| store.astore());
        let variables = slot.map(|slot| self.body.variables_in(slot)).unwrap_or_default();
        clause_extent(&self.insns, blocks, handler, variables.iter().copied())
    }
}
