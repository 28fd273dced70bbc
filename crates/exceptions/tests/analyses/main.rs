//! Analyses of compiled programs together with a real JDK.
//!
//! Tests of `pointsto` are among them (`base`, `ceiling`, `calls`, `models`, `outside`): they share the programs, the JDK
//! that is solved once for all of them (`bases`), and the links by which one analysis is held against another
//! (`inclusion`). `testkit`, which knows nothing of the crates under test, could not hold these.

mod base;
mod bases;
mod cache;
mod calls;
mod ceiling;
mod comparison;
mod entries;
mod hostile;
mod ids;
mod implicit;
mod inclusion;
mod models;
mod operations;
mod optional;
mod outside;
mod program;
mod recording;
mod roundabout;
mod scope;
mod silent;
mod thrown;
mod thrown_again;
mod why;
