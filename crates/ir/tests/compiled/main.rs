//! Bodies of methods that real compilers made: as text, by their invariants, and beside what ASM says of them.

mod asm;
mod classes;
mod hostile;
mod invariants;
mod listings;
mod nullness;
mod old_code;
mod sweep;
