//! Parts of a translated method.

use smallvec::SmallVec;

/// An index into the constant pool of the method's class.
pub type PoolIndex = u16;

/// A reference: one definition, or the meeting of several. Numbered from 0 in each method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId(pub u32);

/// A row of the exception table, by its place there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HandlerId(pub u16);

/// A method that has code. What no control can reach is left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Body {
    pub variables: u32,
    /// The receiver first, then one for each parameter; nothing for numbers.
    pub parameters: Vec<Option<Var>>,
    /// In the order of the code, phis before the statements of their block.
    pub statements: Vec<Stmt>,
    /// In the order of the code; the first is where the method begins.
    pub blocks: Vec<Block>,
    /// All rows of the exception table, in its order.
    pub handlers: Vec<Handler>,
    pub(crate) operands: Vec<Option<Var>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stmt {
    /// Of the instruction; for phis and catches that of the block's first.
    pub pc: u16,
    pub op: Op,
}

/// Statements without a jump into or out of them, all of them under the same rows of the exception table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// Range in [`Body::statements`].
    pub statements: std::ops::Range<u32>,
    /// Successors when nothing is thrown.
    pub successors: SmallVec<[BlockId; 2]>,
    /// Handlers of exceptions that are thrown here, in the order in which the JVM tries them; none follows one that
    /// catches all.
    pub handlers: SmallVec<[HandlerId; 2]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Handler {
    /// Nothing if it takes everything.
    pub catch_type: Option<PoolIndex>,
    pub start: u16,
    pub end: u16,
    /// The first instruction of the handler.
    pub target: u16,
    /// Nothing if no statement that is left can come here.
    pub block: Option<BlockId>,
}

/// A list of references, nothing for numbers; [`Body::operands`] has them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Operands {
    pub(crate) start: u32,
    pub(crate) len: u16,
}

/// The operation of a statement on references. Arithmetic and jumps are only there where they can throw or tell nulls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// One of the sources, depending on where control came from.
    Phi {
        dst: Var,
        sources: Operands,
    },
    /// The exception that was thrown; the first statement of a handler behind its phis.
    Catch {
        dst: Var,
    },
    Null {
        dst: Var,
    },
    /// A string, class, method handle, method type or dynamic constant.
    Constant {
        dst: Var,
        constant: PoolIndex,
    },
    /// A dynamic constant that is a number: resolving it can throw.
    NumberConstant {
        constant: PoolIndex,
    },
    New {
        dst: Var,
        class: PoolIndex,
    },
    NewArray {
        dst: Var,
        kind: ArrayKind,
    },
    Cast {
        dst: Var,
        src: Var,
        class: PoolIndex,
    },
    InstanceOf {
        src: Var,
        class: PoolIndex,
    },
    GetField {
        dst: Option<Var>,
        base: Var,
        field: PoolIndex,
    },
    PutField {
        base: Var,
        field: PoolIndex,
        src: Option<Var>,
    },
    GetStatic {
        dst: Option<Var>,
        field: PoolIndex,
    },
    PutStatic {
        field: PoolIndex,
        src: Option<Var>,
    },
    /// `dst` is nothing for arrays of numbers.
    ArrayLoad {
        dst: Option<Var>,
        array: Var,
    },
    ArrayStore {
        array: Var,
        src: Option<Var>,
    },
    ArrayLength {
        array: Var,
    },
    Invoke {
        kind: InvokeKind,
        method: PoolIndex,
        receiver: Option<Var>,
        arguments: Operands,
        dst: Option<Var>,
    },
    InvokeDynamic {
        call: PoolIndex,
        arguments: Operands,
        dst: Option<Var>,
    },
    Throw {
        src: Var,
    },
    Return {
        src: Option<Var>,
    },
    MonitorEnter {
        src: Var,
    },
    MonitorExit {
        src: Var,
    },
    /// A division or remainder of whole numbers, unless the divisor is plainly not 0.
    Divide,
    /// Ends a block: where control goes if `src` is null, and where otherwise.
    NullTest {
        src: Var,
        if_null: BlockId,
        otherwise: BlockId,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InvokeKind {
    Virtual,
    Interface,
    Special,
    Static,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArrayKind {
    /// Of numbers: the operand of `newarray`.
    Numbers(u8),
    /// Of this element class.
    Of(PoolIndex),
    /// The same, surely of length 0.
    EmptyOf(PoolIndex),
    /// Of this array class, so many levels of it made at once.
    Nested { class: PoolIndex, levels: u8 },
}

impl Body {
    pub fn operands(&self, operands: Operands) -> &[Option<Var>] {
        let start = operands.start as usize;
        self.operands.get(start..start + usize::from(operands.len)).unwrap_or_default()
    }

    pub fn statements_of(&self, block: &Block) -> &[Stmt] {
        self.statements
            .get(block.statements.start as usize..block.statements.end as usize)
            .unwrap_or_default()
    }
}
