//! What happens to values inside one method.
//!
//! Follows the object that a `catch` clause caught through the code ([`handler_uses`]), lets the clause catch another type
//! ([`retype_clauses`]), and says what a clause reads of what its try wrote ([`reliance`]).
//!
//! Pure: one class at a time, no files. No hierarchy either: where it decides, the names of the types are in the result
//! ([`narrow_needs`]). Subroutines (`jsr`) are refused.

mod blocks;
mod effects;
mod error;
mod held;
mod method;
mod needs;
mod operands;
mod places;
mod region;
mod reliance;
mod repoint;
mod retype;
mod solve;
mod stack_map;
mod throwing;
mod uses;
mod value;
mod writes;

pub use error::FlowError;
pub use held::{Held, Slot};
pub use needs::{NarrowNeed, narrow_needs};
pub use places::{Place, Receiver};
pub use reliance::{Relied, Spot, reliance};
pub use retype::{Retype, retype_clauses};
pub use uses::{HandlerUses, Use, UseKind, handler_uses};
