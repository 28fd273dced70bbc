//! Analyses of compiled programs together with a real JDK.

mod base;
mod ceiling;
mod implicit;
mod inclusion;
mod program;
mod recording;
mod scope;
mod seen;
mod thrown;
