//! A method's bytecode without a stack.
//!
//! ```text
//!   aload_1                         v2 = checkcast v1 Order
//!   checkcast Order        ──►      invokevirtual v2 total
//!   invokevirtual total
//! ```
//!
//! Only references are variables: a number can neither be thrown nor called. Every definition is a variable of its own, and
//! where several meet there is a phi. What can throw, and which rows of the exception table it would come to, is explicit.
//!
//! No hierarchy, no other classes: names are indices into the constant pool of the method's class.

mod body;

pub use body::{
    ArrayKind, Block, BlockId, Body, Handler, HandlerId, InvokeKind, Op, Operands, PoolIndex, Stmt, Var,
};
