//! Errors in the bytes of a class.

/// Why a class file could not be read. Offsets are bytes from the start of the class file unless said otherwise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClassError {
    #[error("not a class file: magic number is {0:#010x}")]
    Magic(u32),
    #[error("class file is cut off at offset {offset}: {needed} more bytes expected")]
    Truncated { offset: usize, needed: usize },
    #[error("constant tag {tag} at offset {offset} is unknown")]
    ConstantTag { tag: u8, offset: usize },
    #[error("constant {0} takes two entries, but the constant pool ends behind the first")]
    HalfConstant(usize),
    #[error("constant {index} is missing or not a {expected}")]
    Constant { index: u16, expected: &'static str },
    #[error("{0} bytes follow the end of the class")]
    TrailingBytes(usize),
    #[error("unknown opcode {opcode} at pc {pc}")]
    Opcode { opcode: u8, pc: usize },
    #[error("malformed switch at pc {0}")]
    Switch(usize),
    #[error("pc {0} is not the start of an instruction")]
    NotAnInstruction(usize),
    #[error("malformed {attribute} attribute: {what}")]
    Attribute { attribute: &'static str, what: String },
}
