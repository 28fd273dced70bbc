//! Puts code into a method and moves everything that carries a code offset.
//!
//! At each old instruction there may be a group of inserted pieces in front of it:
//!
//! ```text
//!   old:            | insn at pc |
//!   new:  | piece 0 | piece 1 | ... | insn at pc |
//!         ^slot 0   ^slot 1         ^slot n
//! ```
//!
//! Jumps land on a chosen slot (the first one unless [`CodeEdit::landings`] says otherwise), single jumps can be
//! sent elsewhere ([`CodeEdit::redirects`]), and blocks can be appended behind the old code. Offsets that mean
//! *the instruction itself* (`new` of an uninitialised value, type annotations) always follow the instruction.
//!
//! With an empty edit the result equals the old contents byte for byte.

mod attributes;
mod copy;
mod emit;
mod jumps;
mod layout;
mod positions;
mod stack_map;
mod stops;
mod stream;

use crate::class::Tail;
use crate::{
    Attribute, ClassError, ClassFile, Code, ExceptionRow, Frame, Member, Outline, PoolAppender,
    VerificationType,
};
use attributes::AttributeNames;
use emit::{CODE_HEADER, Emitter};
use layout::Layout;
use positions::Positions;
use stack_map::FrameTargets;
use std::ops::Range;

pub(crate) use stack_map::{SAME_EXTENDED, SAME_LOCALS_1_EXTENDED, put_type};

pub use copy::{Inserter, PieceGroup};
pub use stream::{PlannedInserter, StreamInserter};

/// A position in the new code, said in terms of the old.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodePosition {
    /// In front of inserted piece number `slot` at the old `pc`; the number of pieces means the instruction.
    Slot { pc: usize, slot: usize },
    /// The first instruction of an appended block.
    Appended(usize),
    /// Just behind an appended block.
    AfterAppended(usize),
}

impl CodePosition {
    /// In front of everything inserted at `pc`.
    pub fn before(pc: usize) -> Self {
        Self::Slot { pc, slot: 0 }
    }
}

/// Code inserted in front of the old instruction at `pc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// A span of [`CodeEdit::code`]: straight-line instructions.
    Code {
        pc: usize,
        start: usize,
        end: usize,
    },
    Goto {
        pc: usize,
        to: CodePosition,
    },
}

impl Piece {
    pub fn pc(&self) -> usize {
        match self {
            Self::Code { pc, .. } | Self::Goto { pc, .. } => *pc,
        }
    }
}

/// A block behind the old code, entered by redirected jumps or as a handler.
#[derive(Debug, Clone)]
pub struct Appended<'a> {
    /// A span of [`CodeEdit::code`].
    pub code: Range<usize>,
    pub end: AppendedEnd,
    /// The frame at its start, for the verifier. Ignored for classes without stack maps.
    pub frame: BlockFrame<'a>,
}

/// The state at the start of an appended block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockFrame<'a> {
    /// Jumps come here.
    Jump(Frame<'a>),
    /// Exceptions come here: nothing but one on the stack. The locals are given.
    Handler(Vec<VerificationType<'a>>),
}

impl<'a> BlockFrame<'a> {
    pub fn locals(&self) -> &[VerificationType<'a>] {
        match self {
            Self::Jump(frame) => &frame.locals,
            Self::Handler(locals) => locals,
        }
    }

    fn stack(&self) -> &[VerificationType<'a>] {
        match self {
            Self::Jump(frame) => &frame.stack,
            Self::Handler(_) => &[VerificationType::Named(THROWABLE)],
        }
    }
}

/// How an appended block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppendedEnd {
    /// Its code ends in `athrow`.
    Throws,
    Goto(CodePosition),
}

/// A row of the new exception table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewException {
    pub start: CodePosition,
    pub end: CodePosition,
    pub handler: CodePosition,
    pub catch_type: u16,
    /// The old row this one stands for; annotations on it follow.
    pub original: Option<u16>,
}

impl NewException {
    /// The old row number `index`, covering what is inserted at its first instruction.
    pub fn keep(index: u16, row: ExceptionRow) -> Self {
        Self {
            start: CodePosition::before(usize::from(row.start)),
            end: CodePosition::before(usize::from(row.end)),
            handler: CodePosition::before(usize::from(row.handler)),
            catch_type: row.catch_type,
            original: Some(index),
        }
    }
}

/// The changes to one method.
#[derive(Debug, Clone, Default)]
pub struct CodeEdit<'a> {
    /// Bytes of all inserted and appended code; pieces and blocks are spans of it.
    pub code: Vec<u8>,
    /// Sorted by pc; several at one pc stand in this order.
    pub pieces: Vec<Piece>,
    /// (pc, slot) where ordinary jumps to pc land, if not on slot 0. Sorted by pc.
    pub landings: Vec<(usize, usize)>,
    /// ((source pc, old target pc), new target). Sorted by key.
    pub redirects: Vec<((usize, usize), CodePosition)>,
    pub appended: Vec<Appended<'a>>,
    /// The whole new table.
    pub exceptions: Vec<NewException>,
    pub max_stack: u16,
}

impl CodeEdit<'_> {
    /// An edit that changes nothing.
    pub fn unchanged(code: &Code<'_>) -> Self {
        let exceptions =
            code.exceptions().zip(0..).map(|(row, index)| NewException::keep(index, row)).collect();
        Self { exceptions, max_stack: code.max_stack, ..Self::default() }
    }

    /// Forgets everything and keeps the memory.
    pub fn clear(&mut self) {
        self.code.clear();
        self.pieces.clear();
        self.landings.clear();
        self.redirects.clear();
        self.appended.clear();
        self.exceptions.clear();
        self.max_stack = 0;
    }

    /// An empty edit with the same memory.
    pub fn emptied<'b>(mut self) -> CodeEdit<'b> {
        self.clear();
        let Self { code, pieces, landings, redirects, exceptions, max_stack, .. } = self;
        CodeEdit { code, pieces, landings, redirects, appended: Vec::new(), exceptions, max_stack }
    }

    fn landing(&self, pc: usize) -> usize {
        self.landings.binary_search_by_key(&pc, |(at, _)| *at).map_or(0, |index| self.landings[index].1)
    }

    fn jump(&self, source: usize, target: usize) -> CodePosition {
        if !self.redirects.is_empty()
            && let Ok(index) = self.redirects.binary_search_by_key(&(source, target), |(edge, _)| *edge)
        {
            return self.redirects[index].1;
        }
        let slot = if self.landings.is_empty() { 0 } else { self.landing(target) };
        CodePosition::Slot { pc: target, slot }
    }

    /// True if the code stays as it is.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.appended.is_empty()
    }
}

/// Why a method cannot hold the edit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RelocateError {
    #[error("it would pass the limit of 65,535 bytes")]
    TooLong,
    #[error("a conditional branch would no longer reach its target")]
    BranchTooFar,
    #[error("its operand stack would pass the limit of 65,535 slots")]
    StackTooDeep,
    #[error("it nests too many handlers")]
    TooManyHandlers,
    #[error("the constant pool is full")]
    PoolFull,
    #[error("class files before version 45.3 are not rewritten")]
    OldHeader,
    #[error(transparent)]
    Class(#[from] ClassError),
}

const THROWABLE: &[u8] = b"java/lang/Throwable";

/// Gives constant pool indices for what the new code needs.
pub trait Constants {
    /// A class constant for an internal name or array descriptor.
    fn class(&mut self, name: &[u8]) -> Option<u16>;
    /// The same for what every handler catches.
    fn throwable(&mut self) -> Option<u16> {
        self.class(THROWABLE)
    }
    /// A character constant `StackMapTable`.
    fn stack_map_name(&mut self) -> Option<u16>;
}

/// The method an edit is made to.
#[derive(Debug, Clone, Copy)]
pub struct MethodCode<'m, 'a> {
    pub class: &'m ClassFile<'a>,
    pub method: &'m Member<'a>,
    pub attribute: Attribute<'a>,
    pub code: Code<'a>,
    pub outline: Outline<'m>,
}

impl MethodCode<'_, '_> {
    /// Before version 45.3 the sizes in front of the code were shorter.
    fn has_old_header(&self) -> bool {
        self.class.major == 45 && self.class.minor < 3
    }

    /// Offset of the code in the class file.
    fn code_offset(&self) -> usize {
        self.attribute.offset + CODE_HEADER
    }
}

/// The memory of a [`Relocator`], to be used for one class after the other.
#[derive(Debug, Default)]
pub struct RelocatorBuffers {
    work: WorkBuffers,
    tail: Tail,
}

/// Buffers for the method at hand, and the names of attributes.
#[derive(Debug, Default)]
struct WorkBuffers {
    positions: Positions,
    frame_targets: FrameTargets,
    names: AttributeNames,
}

/// Applies edits to the methods of one class, in file order.
#[derive(Debug)]
pub struct Relocator<'r, 'a> {
    class: &'r ClassFile<'a>,
    buffers: &'r mut RelocatorBuffers,
}

impl<'r, 'a> Relocator<'r, 'a> {
    pub fn new(class: &'r ClassFile<'a>, buffers: &'r mut RelocatorBuffers) -> Self {
        buffers.work.names.clear();
        buffers.tail.begin(class);
        Self { class, buffers }
    }

    /// Gives the method new code with `edit` applied; on an error it stays as it is.
    pub fn relocate(
        &mut self,
        source: &MethodCode<'_, 'a>,
        edit: &CodeEdit<'a>,
        constants: &mut dyn Constants,
    ) -> Result<(), RelocateError> {
        let RelocatorBuffers { work, tail } = &mut *self.buffers;
        let WorkBuffers { positions, frame_targets: targets, names } = work;
        tail.replace(source.class.bytes, source.attribute, |out| {
            let changed = !edit.is_empty();
            if source.has_old_header() {
                out.extend_from_slice(source.attribute.data);
                return if changed { Err(RelocateError::OldHeader) } else { Ok(true) };
            }
            let layout = Layout::of(source, edit, positions)?;
            targets.clear();
            Emitter { source, edit, layout: &layout, targets, changed, constants }.emit(names, out)?;
            Ok(true)
        })
    }

    /// Number of methods with new code.
    pub fn changed_methods(&self) -> usize {
        self.buffers.tail.replaced()
    }

    /// The class with the new code and the constants for it, lent from the buffers.
    pub fn finish(self, constants: &PoolAppender) -> &'r [u8] {
        self.buffers.tail.finish(self.class, constants)
    }
}
