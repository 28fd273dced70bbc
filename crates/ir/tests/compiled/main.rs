//! Bodies of methods that real compilers made: as text, and by their invariants.

mod classes;
mod hostile;
mod invariants;
mod listings;
mod sweep;
