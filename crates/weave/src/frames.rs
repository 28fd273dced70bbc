//! All stack map frames of a method, decoded, for the frames of appended blocks.

use catchment_classfile::{ClassError, ClassFile, Code, Frame, FrameWalk, Member, VerificationType};
use std::cell::OnceCell;

/// Frames by pc, decoded when first asked for: most methods never need them.
#[derive(Debug)]
pub(crate) struct FrameTable<'w, 'a> {
    class: &'w ClassFile<'a>,
    method: &'w Member<'a>,
    /// The encoded table, where the class has one that counts.
    encoded: Option<&'a [u8]>,
    decoded: OnceCell<Result<Vec<(usize, Frame<'a>)>, ClassError>>,
}

impl<'w, 'a> FrameTable<'w, 'a> {
    pub(crate) fn new(class: &'w ClassFile<'a>, method: &'w Member<'a>, code: Code<'a>) -> Self {
        let encoded = if class.major >= 50 { code.stack_map(&class.pool) } else { None };
        Self { class, method, encoded, decoded: OnceCell::new() }
    }

    /// Whether the method has a stack map.
    pub(crate) fn exist(&self) -> bool {
        self.encoded.is_some()
    }

    fn frames(&self) -> Result<&[(usize, Frame<'a>)], ClassError> {
        match self.decoded.get_or_init(|| self.decode()) {
            Ok(frames) => Ok(frames),
            Err(error) => Err(error.clone()),
        }
    }

    fn decode(&self) -> Result<Vec<(usize, Frame<'a>)>, ClassError> {
        let mut frames = Vec::new();
        if let Some(table) = self.encoded {
            let mut walk = FrameWalk::new(table, Frame::at_entry(self.class, self.method))?;
            while let Some(frame) = walk.advance()? {
                frames.push((frame.pc, walk.state().clone()));
            }
        }
        Ok(frames)
    }

    pub(crate) fn at(&self, pc: usize) -> Result<Option<&Frame<'a>>, ClassError> {
        let frames = self.frames()?;
        Ok(frames.binary_search_by_key(&pc, |(at, _)| *at).ok().map(|index| &frames[index].1))
    }

    /// Whether some frame from `pc` on still holds an object whose constructor has not called `super()`.
    pub(crate) fn uninitialized_this_from(&self, pc: usize) -> Result<bool, ClassError> {
        Ok(self.frames()?.iter().filter(|(at, _)| *at >= pc).any(|(_, frame)| has_uninitialized_this(frame)))
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
