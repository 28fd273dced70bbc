//! Flow in classes of real compilers: what is said of their clauses, and whether JVMs accept them retyped.

mod alike;
mod classes;
mod hostile;
mod libraries;
mod reliance;
mod retype;
mod thrown;
mod uses;
