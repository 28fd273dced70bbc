//! Analyses of compiled programs together with a real JDK.

mod implicit;
mod inclusion;
mod program;
mod thrown;
