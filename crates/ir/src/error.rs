//! Why a method cannot be translated.

use catchment_classfile::ClassError;

/// A method whose code no JVM would accept, or that is larger than anybody's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot translate {method} at pc {pc}: {fault}")]
pub struct TranslateError {
    /// Name and descriptor.
    pub method: String,
    pub pc: usize,
    pub fault: Fault,
}

/// A fault of the code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("{0}")]
    Class(Box<ClassError>),
    #[error("the code is empty or longer than 65,535 bytes")]
    Length,
    #[error("control goes to {0}, where no instruction begins")]
    Target(usize),
    #[error("control falls off the end of the code")]
    FallsOff,
    #[error("a row of the exception table begins or ends inside an instruction")]
    Range,
    #[error("the operand stack has too few values")]
    Underflow,
    #[error("the operand stack has more values than the method says")]
    Overflow,
    #[error("the operand stack has another height than on another way here")]
    Heights,
    #[error("there is no local variable {0}")]
    NoLocal(usize),
    #[error("no reference is where one is needed")]
    NotAReference,
    #[error("malformed descriptor")]
    Descriptor,
    #[error("the method is too large to be followed")]
    TooLarge,
}

impl From<ClassError> for Fault {
    fn from(error: ClassError) -> Self {
        Self::Class(Box::new(error))
    }
}

/// A fault and where it is; the method's name is put in front at the very end.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) pc: usize,
    pub(crate) fault: Fault,
}

impl Failure {
    pub(crate) fn at(pc: usize, fault: impl Into<Fault>) -> Self {
        Self { pc, fault: fault.into() }
    }
}
