//! Weaves the methods of one class into one set of constants, with buffers that go from method to method.

use crate::constants::ProbeConstants;
use crate::inserts::Insert;
use crate::method::{MethodBuffers, MethodWeaver, max_stack};
use crate::planned::PlannedProbes;
use crate::probe_points::{ClassProbePoints, MethodProbePoints};
use crate::streamed::StreamedProbes;
use crate::{FirstNumbers, SkippedMethod, Woven};
use catchment_classfile::{ClassFile, CodeEdit, MethodCode, RelocateError, Relocator, RelocatorBuffers};
use std::borrow::Cow;

/// Memory that goes from class to class.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    constants: Vec<u8>,
    relocator: RelocatorBuffers,
    edit: CodeEdit<'static>,
    inserts: Vec<Insert>,
    method: MethodBuffers,
}

pub(crate) struct ClassWeaver<'w, 'a> {
    class: &'w ClassFile<'a>,
    points: &'w ClassProbePoints<'a>,
    constants: ProbeConstants,
    relocator: Relocator<'w, 'a>,
    edit: CodeEdit<'a>,
    inserts: &'w mut Vec<Insert>,
    method: &'w mut MethodBuffers,
}

/// The new class, or `None` if nothing has changed, and the methods left as they were.
pub(crate) fn weave_class<'w, 'a>(
    class: &'w ClassFile<'a>,
    points: &'w ClassProbePoints<'a>,
    first: FirstNumbers,
    buffers: &'w mut Buffers,
) -> Woven<'w> {
    let mut weaver = ClassWeaver {
        class,
        points,
        constants: ProbeConstants::new(
            &class.pool,
            first,
            points.count,
            std::mem::take(&mut buffers.constants),
        ),
        relocator: Relocator::new(class, &mut buffers.relocator),
        edit: std::mem::take(&mut buffers.edit),
        inserts: &mut buffers.inserts,
        method: &mut buffers.method,
    };
    let mut skipped = Vec::new();
    for method in &points.methods {
        if let Err(reason) = weaver.weave_method(method) {
            skipped.push(SkippedMethod::new(method.method, &class.methods[method.method], &reason));
        }
    }
    let ClassWeaver { relocator, constants, edit, .. } = weaver;
    let is_changed = relocator.changed_methods() > 0;
    let bytes = is_changed.then(|| Cow::Borrowed(relocator.finish(constants.appended())));
    buffers.constants = constants.into_buffer();
    buffers.edit = edit.emptied();
    Woven { bytes, skipped }
}

impl<'a> ClassWeaver<'_, 'a> {
    /// Adds the method's new code, if there is anything to change.
    pub(crate) fn weave_method(&mut self, points: &MethodProbePoints<'a>) -> Result<(), RelocateError> {
        let source = MethodCode {
            class: self.class,
            method: &self.class.methods[points.method],
            attribute: points.attribute,
            code: points.code,
            outline: self.points.outlines.get(&points.outline),
        };
        if points.tries.is_empty() {
            let mut probes = StreamedProbes::new(&source, points, self.points.kinds, &mut self.constants);
            if self.relocator.stream_without_tries(&source, max_stack(&source)?, &mut probes)? {
                return Ok(());
            }
        }
        self.weave_planned(&source, points)
    }

    fn weave_planned(
        &mut self,
        source: &MethodCode<'_, 'a>,
        points: &MethodProbePoints<'a>,
    ) -> Result<(), RelocateError> {
        let Self { constants, edit, inserts, .. } = self;
        let tries = &self.points.tries[points.tries.clone()];
        let weaver = MethodWeaver::new(*source, tries, points, self.points.kinds, self.method);
        let edges = weaver.insert_groups(inserts)?;
        edit.clear();
        edit.max_stack = max_stack(source)?;
        let in_place = StreamedProbes::new(source, points, self.points.kinds, constants);
        let mut probes =
            PlannedProbes { weaver: &weaver, in_place, edges: &edges, inserts, written: 0, edit };
        if self.relocator.stream_planned(source, &mut probes)? {
            return Ok(());
        }
        edit.clear();
        edit.max_stack = max_stack(source)?;
        weaver.fill(&edges, inserts, constants, edit)?;
        if edit.is_empty() {
            return Ok(());
        }
        self.relocator.relocate(source, edit, constants)
    }
}
