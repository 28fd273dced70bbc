//! Wider types for a clause: which there are ([`rungs`]), and which of them are legal where the clause stands
//! ([`Clause::illegal`]).
//!
//! Classes are only read, those of the clauses and all that could be loaded beside them ([`LoadableClasses`]). Where
//! class files do not tell what the compiler sees, a type passes for legal.

mod checked;
#[cfg(test)]
mod checked_tests;
mod clause;
mod error;
mod escapes;
mod hierarchy;
mod illegal;
mod interruption;
mod later;
mod narrow_needs;
mod rungs;
mod throws_clauses;

pub use clause::{Clause, WidenedClass, illegal_together, widened_class};
pub use error::WideningError;
pub use hierarchy::{Hierarchy, LoadableClasses};
pub use illegal::Illegal;
pub use later::Later;
pub use rungs::{could_go_to_exception, newly_catches_all_unchecked, rungs};
