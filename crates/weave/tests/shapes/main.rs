//! Methods built byte by byte, for shapes that no compiler at hand makes.

mod builder;
mod crowded;
mod usages;
