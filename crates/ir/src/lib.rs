//! A method's bytecode without a stack.
//!
//! ```text
//!   aload_1                         v2 = checkcast v1 Order
//!   checkcast Order        ──►      invokevirtual v2 total
//!   invokevirtual total
//! ```
//!
//! Only references are variables: a number can neither be thrown nor called. Every definition is a variable of its
//! own, and where several meet there is a phi. What can throw, and which rows of the exception table it would come
//! to, is explicit.
//!
//! No hierarchy, no other classes: names are indices into the constant pool of the method's class.
//!
//! ```no_run
//! # fn bytes() -> Vec<u8> { Vec::new() }
//! use catchment_classfile::ClassFile;
//! use catchment_ir::Translator;
//! let bytes = bytes();
//! let class = ClassFile::parse(&bytes)?;
//! let mut translator = Translator::default();
//! for method in &class.methods {
//!     match translator.translate(&class, method) {
//!         Ok(Some(body)) => println!("{}\n{body}", method.name),
//!         Ok(None) => println!("{} has no code", method.name),
//!         Err(error) => eprintln!("{error}"),
//!     }
//! }
//! # Ok::<(), catchment_classfile::ClassError>(())
//! ```

mod assemble;
mod assertions;
mod blocks;
mod body;
mod descriptor;
mod error;
mod fill;
mod graph;
mod listing;
mod members;
mod nullness;
mod phis;
mod scan;
mod stack;
mod stack_effects;
mod step;
mod subroutines;
mod translator;
mod uses;
mod values;

pub use assertions::Assertions;
pub use body::{
    ArrayKind, Block, BlockId, Body, Handler, HandlerId, InvokeKind, Op, Operands, PoolIndex, Stmt, Var,
};
pub use error::{Fault, TranslateError};
pub use nullness::{StatementSet, never_null};
pub use translator::Translator;
