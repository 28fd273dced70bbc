//! The contracts, judged on small universes.

mod early_stop;
mod predicates;
mod universe;
