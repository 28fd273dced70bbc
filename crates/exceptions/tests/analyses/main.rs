//! Analyses of compiled programs together with a real JDK.

mod base;
mod calls;
mod ceiling;
mod entries;
mod hostile;
mod implicit;
mod inclusion;
mod optional;
mod program;
mod recording;
mod scope;
mod seen;
mod silent;
mod thrown;
mod thrown_again;
