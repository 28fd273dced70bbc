//! Class file bytes to typed values and back, exactly.
//!
//! Reading keeps spans into the given bytes and copies nothing; writing copies everything untouched byte for
//! byte, so a class that is not changed comes out identical, unknown attributes included. Every read is
//! checked: bad bytes are a [`ClassError`], never a panic.
//!
//! No IO, no class path, no hierarchy: one class at a time.

pub mod access;
mod annotations;
mod attribute;
mod bootstrap;
mod bytes;
mod class;
mod code;
mod declarations;
pub mod descriptor;
mod error;
mod frame_table;
mod frames;
mod insn;
mod names;
pub mod opcodes;
mod outline;
mod overwrite;
mod pool;
mod relocate;
mod rewrite;
mod tables;
pub mod tag;
mod test_framework;
mod type_annotations;
mod variants;

pub use annotations::{annotated_classes, annotation_types};
pub use attribute::{Attribute, Attributes};
pub use bootstrap::{Bootstrap, HandleKind, MethodHandle};
pub use class::{ClassFile, ClassMemory, Member};
pub use code::{Code, ExceptionRow};
pub use error::ClassError;
pub use frame_table::encode_frames;
pub use frames::{Frame, FrameWalk, VerificationType};
pub use insn::Insn;
pub use names::JvmStr;
pub use opcodes::ControlKind;
pub use outline::{Landmark, Outline, OutlineSpan, Outlines};
pub use overwrite::{Overwrite, overwritten};
pub use pool::{ConstantPool, MemberRef, PoolAppender};
pub use relocate::{
    Appended, AppendedEnd, BlockFrame, CodeEdit, CodePosition, Constants, Inserter, MethodCode, NewException,
    Piece, PieceGroup, PlannedInserter, RelocateError, Relocator, RelocatorBuffers, StreamInserter,
};
pub use rewrite::rewrite;
pub use tables::{LineTable, VariableRow, VariableTable, variable_rows};
pub use test_framework::TestFramework;
