//! Wider types for a clause: which there are, and which of them are legal where the clause stands.

pub(crate) mod checked;
#[cfg(test)]
mod checked_tests;
mod escapes;
pub(crate) mod hierarchy;
pub(crate) mod interruption;
pub(crate) mod later;
pub(crate) mod rungs;
pub(crate) mod throws_clauses;
