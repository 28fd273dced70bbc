//! Fixtures, compilers and oracles for the tests. Never shipped.
//!
//! Everything fetched or compiled lands under the workspace's `target/`, keyed by what it was made from, so
//! that a second run needs neither network nor compilers. No test may skip because something is absent: the
//! functions here return an error of one clear line instead.

pub mod check;
pub mod colours;
pub mod compilers;
pub mod fixtures;
mod java_lexer;
mod java_tries;
pub mod jdk;
pub mod lang3;
pub mod links;
pub mod maven;
pub mod oracle;
pub mod pinned;
pub mod random;
pub mod random_programs;
pub mod schema;
pub mod source_counters;
pub mod stretch;
pub mod test_classes;
pub mod unpacked;
pub mod workspace;
