//! Methods with tries: the probes of these stand in groups, and the rest of the plan is made once all of them are
//! written.

use crate::edges::Edges;
use crate::inserts::{Action, Insert, landing};
use crate::method::{MethodWeaver, put_insert};
use crate::streamed::StreamedProbes;
use catchment_classfile::{
    CodeEdit, Constants, ControlKind, Inserter, PieceGroup, PlannedInserter, RelocateError,
};

/// All probes of one method.
pub(crate) struct PlannedProbes<'w, 'a> {
    pub(crate) weaver: &'w MethodWeaver<'w, 'a>,
    pub(crate) in_place: StreamedProbes<'w, 'a>,
    pub(crate) edges: &'w Edges,
    /// All but those in place, sorted.
    pub(crate) inserts: &'w [Insert],
    /// Number of them that are written.
    pub(crate) written: usize,
    /// Empty at first.
    pub(crate) edit: &'w mut CodeEdit<'a>,
}

impl Inserter for PlannedProbes<'_, '_> {
    const MAX_INSERTED: usize = StreamedProbes::MAX_INSERTED;

    #[inline]
    fn wants(&self, control: ControlKind) -> bool {
        self.in_place.wants(control)
    }

    #[inline]
    fn put_before(&mut self, control: ControlKind, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        self.in_place.put_before(control, out)
    }

    #[inline]
    fn next_group(&self) -> Option<usize> {
        self.inserts.get(self.written).map(Insert::pc)
    }

    fn put_group(&mut self, group: &mut PieceGroup<'_>) -> Result<(), RelocateError> {
        let rest = &self.inserts[self.written..];
        let count = rest.iter().take_while(|insert| insert.pc() == group.pc()).count();
        let landing = landing(&rest[..count]);
        if landing > 0 {
            self.edit.landings.push((group.pc(), landing));
        }
        for insert in &rest[..count] {
            if let Action::BypassCaught = insert.action {
                group.put_goto(landing);
            } else {
                put_insert(insert, self.in_place.constants, group.begin_piece())?;
            }
        }
        self.written += count;
        Ok(())
    }
}

impl<'a> PlannedInserter<'a> for PlannedProbes<'_, 'a> {
    fn plan(&mut self) -> Result<(&CodeEdit<'a>, &mut dyn Constants), RelocateError> {
        let constants = &mut *self.in_place.constants;
        self.weaver.complete(self.edges, self.inserts, constants, self.edit)?;
        Ok((self.edit, constants))
    }
}
