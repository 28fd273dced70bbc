//! Probes are written while the code is copied: those in front of single instructions, and all of methods without
//! tries.

use crate::ProbeKinds;
use crate::constants::ProbeConstants;
use crate::escapes::{initialized_from, put_rethrow};
use crate::frames::FrameTable;
use crate::kinds::ControlKinds;
use crate::method::{put_entered, put_probe};
use crate::probe_points::{MethodIds, MethodProbePoints};
use crate::probes::Probe;
use catchment_classfile::{Constants, ControlKind, Inserter, MethodCode, RelocateError, StreamInserter};

/// The probes of one method, but for those of its tries.
pub(crate) struct StreamedProbes<'w, 'a> {
    source: &'w MethodCode<'w, 'a>,
    /// In front of which there is a probe.
    wanted: ControlKinds,
    ids: MethodIds,
    /// The id of the next probe at a single instruction.
    next_in_place: usize,
    pub(crate) constants: &'w mut ProbeConstants,
}

impl<'w, 'a> StreamedProbes<'w, 'a> {
    pub(crate) fn new(
        source: &'w MethodCode<'w, 'a>,
        points: &MethodProbePoints<'a>,
        kinds: ProbeKinds,
        constants: &'w mut ProbeConstants,
    ) -> Self {
        Self {
            source,
            wanted: kinds.in_place().with(ControlKind::Return, points.ids.exit.is_some()),
            ids: points.ids,
            next_in_place: points.first_in_place,
            constants,
        }
    }

    fn next_in_place(&mut self) -> usize {
        self.next_in_place += 1;
        self.next_in_place - 1
    }
}

impl Inserter for StreamedProbes<'_, '_> {
    /// `dup; ldc_w id; invokestatic`
    const MAX_INSERTED: usize = 7;

    #[inline]
    fn wants(&self, control: ControlKind) -> bool {
        self.wanted.contains(control)
    }

    // For every call of a class.
    #[inline(always)]
    fn put_before(&mut self, control: ControlKind, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        match (control, self.ids.exit) {
            (ControlKind::Return, Some(id)) => put_probe(self.ids.exit_probe(), id, self.constants, out),
            (ControlKind::Throw, _) => put_probe(Probe::Throwing, self.next_in_place(), self.constants, out),
            _ => put_probe(Probe::Call, self.next_in_place(), self.constants, out),
        }
    }
}

impl StreamInserter for StreamedProbes<'_, '_> {
    fn put_entry(&mut self, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        if let Some(id) = self.ids.enter {
            put_probe(self.ids.enter_probe(), id, self.constants, out)?;
        }
        self.ids.mark.map_or(Ok(()), |mark| put_entered(mark, self.constants, out))
    }

    fn put_handler(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, RelocateError> {
        let Some(id) = self.ids.escape else { return Ok(None) };
        let from = initialized_from(self.source, &FrameTable::new(self.source))?;
        if from.is_some() {
            put_rethrow(self.ids.escape_probe(), id, self.constants, out)?;
        }
        Ok(from)
    }

    fn constants(&mut self) -> &mut dyn Constants {
        self.constants
    }
}
