//! Values inside one method: origins, uses and types.
//!
//! Follows the object that a `catch` clause caught through the code ([`handler_uses`]), lets the clause catch another
//! type ([`retype_clauses`]), says what a clause reads of what its try wrote ([`reliance`]), what a method's calls
//! and throws may end with ([`throw_sites`], [`handler_sites`]), and whether two clauses do the same ([`are_alike`]).
//!
//! Pure: one class at a time, no files. No hierarchy either: where it decides, the names of the types are in the result
//! ([`narrow_needs`]). Subroutines (`jsr`) are refused.

mod alike;
mod effects;
mod error;
mod method;
mod needs;
mod operands;
mod reliance;
mod repoint;
mod retype;
mod solve;
mod stack_map;
mod thrown;
mod uses;
mod value;
mod variables;
mod writes;

pub use alike::are_alike;
pub use error::FlowError;
pub use needs::{NarrowNeed, narrow_needs};
pub use reliance::{Access, Relied, fields_left_to_calls, reliance};
pub use retype::{Retype, retype_clauses};
pub use stack_map::{Held, Slot};
pub use thrown::{ThrowSite, Thrown, handler_sites, throw_sites};
pub use uses::{HandlerUses, Use, UseKind, handler_uses};
pub use variables::{Receiver, Variable};
