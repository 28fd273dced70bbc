//! Why a method's flow cannot be told, or a clause not be given another type.

use catchment_classfile::{ClassError, RelocateError};

/// An error in a method, or a method that is too much. Pcs are offsets into the method's code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FlowError {
    #[error("the class has no such method with code, or the method no such clause")]
    NoSuchClause,
    #[error("the method has a subroutine (jsr) at pc {0}")]
    Subroutine(usize),
    #[error("the operand stack or a local variable is not as the instruction at pc {0} needs it")]
    Malformed(usize),
    #[error("the method is too large to be followed")]
    TooLarge,
    #[error("the caught object meets other values of type {narrow} at pc {pc}")]
    Merged { pc: usize, narrow: String },
    #[error("the call at pc {pc} is bound to {owner}")]
    Bound { pc: usize, owner: String },
    #[error("the code at pc {pc} needs a {narrow}")]
    Needed { pc: usize, narrow: String },
    #[error("two new types are wanted for the same place")]
    Ambiguous,
    #[error("the new class cannot be written: {0}")]
    Write(#[from] RelocateError),
    #[error(transparent)]
    Class(#[from] ClassError),
}
