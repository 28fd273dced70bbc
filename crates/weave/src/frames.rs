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
    decoded: OnceCell<Result<Decoded<'a>, ClassError>>,
}

/// All frames of a method; their types stand in one list.
#[derive(Debug, Default)]
struct Decoded<'a> {
    /// Pc, where its locals start, where its stack starts and ends.
    frames: Vec<(usize, [usize; 3])>,
    types: Vec<VerificationType<'a>>,
}

/// One of the frames.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameView<'t, 'a> {
    pub(crate) locals: &'t [VerificationType<'a>],
    stack: &'t [VerificationType<'a>],
}

impl<'a> FrameView<'_, 'a> {
    /// The constant of the class of the only value on the stack.
    pub(crate) fn only_class_on_stack(self) -> Option<u16> {
        match self.stack {
            [VerificationType::Object(class)] => Some(*class),
            _ => None,
        }
    }

    pub(crate) fn to_frame(self) -> Frame<'a> {
        Frame { locals: self.locals.to_vec(), stack: self.stack.to_vec() }
    }
}

impl<'a> Decoded<'a> {
    fn push(&mut self, pc: usize, frame: &Frame<'a>) {
        let start = self.types.len();
        self.types.extend_from_slice(&frame.locals);
        let stack = self.types.len();
        self.types.extend_from_slice(&frame.stack);
        self.frames.push((pc, [start, stack, self.types.len()]));
    }

    fn at(&self, pc: usize) -> Option<FrameView<'_, 'a>> {
        let index = self.frames.binary_search_by_key(&pc, |(at, _)| *at).ok()?;
        let (_, [start, stack, end]) = self.frames[index];
        Some(FrameView { locals: &self.types[start..stack], stack: &self.types[stack..end] })
    }
}

impl<'w, 'a> FrameTable<'w, 'a> {
    pub(crate) fn new(source: &MethodCode<'w, 'a>) -> Self {
        let MethodCode { class, method, code, .. } = *source;
        Self { class, method, code, decoded: OnceCell::new() }
    }

    /// True if the method has a stack map.
    pub(crate) fn exist(&self) -> bool {
        !matches!(self.frames(), Ok(None))
    }

    fn frames(&self) -> Result<Option<FrameWalk<'a>>, ClassError> {
        FrameWalk::of(self.class, self.method, &self.code)
    }

    /// Shows every frame in turn.
    fn walk(&self, mut visit: impl FnMut(usize, &Frame<'a>)) -> Result<(), ClassError> {
        let Some(mut walk) = self.frames()? else { return Ok(()) };
        while let Some(frame) = walk.advance()? {
            visit(frame.pc, walk.state());
        }
        Ok(())
    }

    fn decode(&self) -> Result<Decoded<'a>, ClassError> {
        // A frame takes about four bytes.
        let count = self.code.stack_map(&self.class.pool).map_or(0, |table| table.data.len() / 4);
        let mut decoded = Decoded { frames: Vec::with_capacity(count), types: Vec::with_capacity(4 * count) };
        self.walk(|pc, frame| decoded.push(pc, frame))?;
        Ok(decoded)
    }

    pub(crate) fn at(&self, pc: usize) -> Result<Option<FrameView<'_, 'a>>, ClassError> {
        match self.decoded.get_or_init(|| self.decode()) {
            Ok(decoded) => Ok(decoded.at(pc)),
            Err(error) => Err(error.clone()),
        }
    }

    /// True if some frame from `pc` on still holds an object whose constructor has not called `super()`.
    pub(crate) fn uninitialized_this_from(&self, pc: usize) -> Result<bool, ClassError> {
        let mut found = false;
        self.walk(|at, frame| found |= at >= pc && has_uninitialized_this(&frame.locals))?;
        Ok(found)
    }
}

pub(crate) fn has_uninitialized_this(locals: &[VerificationType<'_>]) -> bool {
    locals.contains(&VerificationType::UninitializedThis)
}

/// Local variables by slot number; the second half of a long or double is `None`.
pub(crate) fn by_slot<'a>(
    locals: &[VerificationType<'a>],
) -> impl Iterator<Item = Option<VerificationType<'a>>> {
    locals.iter().flat_map(|it| {
        let is_wide = matches!(it, VerificationType::Long | VerificationType::Double);
        std::iter::once(Some(*it)).chain(is_wide.then_some(None))
    })
}
