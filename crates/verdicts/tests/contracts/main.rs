//! The contracts, judged on small universes.

mod early_stop;
mod findings;
mod predicates;
mod tables;
mod universe;
