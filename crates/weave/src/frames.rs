//! All stack map frames of a method, decoded, for the frames of appended blocks.

use catchment_classfile::{
    ClassError, ClassFile, Code, Frame, FrameWalk, Member, MethodCode, VerificationType,
};
use std::cell::OnceCell;

/// Frames by pc, decoded when first asked for: most methods never need them.
#[derive(Debug)]
pub(crate) struct FrameTable<'w, 'a> {
    class: &'w ClassFile<'a>,
    method: &'w Member<'a>,
    code: Code<'a>,
    decoded: OnceCell<Result<Vec<(usize, Frame<'a>)>, ClassError>>,
}

impl<'w, 'a> FrameTable<'w, 'a> {
    pub(crate) fn new(source: &MethodCode<'w, 'a>) -> Self {
        let MethodCode { class, method, code, .. } = *source;
        Self { class, method, code, decoded: OnceCell::new() }
    }

    /// Whether the method has a stack map.
    pub(crate) fn exist(&self) -> bool {
        self.encoded().is_some()
    }

    /// The encoded table, where the class has one that counts.
    fn encoded(&self) -> Option<&'a [u8]> {
        if self.class.major >= 50 { self.code.stack_map(&self.class.pool) } else { None }
    }

    /// Shows every frame in turn.
    fn walk(&self, mut visit: impl FnMut(usize, &Frame<'a>)) -> Result<(), ClassError> {
        let Some(table) = self.encoded() else { return Ok(()) };
        let mut walk = FrameWalk::new(table, Frame::at_entry(self.class, self.method))?;
        while let Some(frame) = walk.advance()? {
            visit(frame.pc, walk.state());
        }
        Ok(())
    }

    fn frames(&self) -> Result<&[(usize, Frame<'a>)], ClassError> {
        match self.decoded.get_or_init(|| self.decode()) {
            Ok(frames) => Ok(frames),
            Err(error) => Err(error.clone()),
        }
    }

    fn decode(&self) -> Result<Vec<(usize, Frame<'a>)>, ClassError> {
        let mut frames = Vec::new();
        self.walk(|pc, frame| frames.push((pc, frame.clone())))?;
        Ok(frames)
    }

    pub(crate) fn at(&self, pc: usize) -> Result<Option<&Frame<'a>>, ClassError> {
        let frames = self.frames()?;
        Ok(frames.binary_search_by_key(&pc, |(at, _)| *at).ok().map(|index| &frames[index].1))
    }

    /// Whether some frame from `pc` on still holds an object whose constructor has not called `super()`.
    pub(crate) fn uninitialized_this_from(&self, pc: usize) -> Result<bool, ClassError> {
        let mut found = false;
        self.walk(|at, frame| found |= at >= pc && has_uninitialized_this(frame))?;
        Ok(found)
    }
}

pub(crate) fn has_uninitialized_this(frame: &Frame<'_>) -> bool {
    frame.locals.contains(&VerificationType::UninitializedThis)
}

/// Local variables by slot number; the second half of a long or double is `None`.
pub(crate) fn by_slot<'a>(locals: &[VerificationType<'a>]) -> Vec<Option<VerificationType<'a>>> {
    let mut slots = Vec::with_capacity(locals.len());
    for it in locals {
        slots.push(Some(*it));
        if matches!(it, VerificationType::Long | VerificationType::Double) {
            slots.push(None);
        }
    }
    slots
}
