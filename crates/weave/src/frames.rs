//! All stack map frames of a method, decoded, for the frames of appended blocks.

use catchment_classfile::{ClassError, ClassFile, Code, Frame, FrameWalk, Member, VerificationType};

/// Frames by pc; empty for methods without a stack map.
#[derive(Debug, Default)]
pub(crate) struct FrameTable<'a> {
    frames: Vec<(usize, Frame<'a>)>,
}

impl<'a> FrameTable<'a> {
    pub(crate) fn read(
        class: &ClassFile<'a>,
        method: &Member<'a>,
        code: &Code<'a>,
    ) -> Result<Self, ClassError> {
        let mut frames = Vec::new();
        if class.major >= 50
            && let Some(table) = code.stack_map(&class.pool)
        {
            let mut walk = FrameWalk::new(table, Frame::at_entry(class, method))?;
            while let Some(frame) = walk.advance()? {
                frames.push((frame.pc, walk.state().clone()));
            }
        }
        Ok(Self { frames })
    }

    pub(crate) fn at(&self, pc: usize) -> Option<&Frame<'a>> {
        let index = self.frames.binary_search_by_key(&pc, |(at, _)| *at).ok()?;
        Some(&self.frames[index].1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Whether some frame from `pc` on still holds an object whose constructor has not called `super()`.
    pub(crate) fn uninitialized_this_from(&self, pc: usize) -> bool {
        self.frames.iter().filter(|(at, _)| *at >= pc).any(|(_, frame)| has_uninitialized_this(frame))
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
