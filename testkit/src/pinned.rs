//! The Maven artifacts that tests use, each with the reason it is here.
//!
//! They are fetched together: the first test that needs one of them brings all (see [`jars`]).

use crate::maven;
use anyhow::Result;
use std::path::PathBuf;

/// Reads and compares classes independently of our own class-file code.
pub const ASM: &str = "org.ow2.asm:asm:9.9.1";
pub const ASM_TREE: &str = "org.ow2.asm:asm-tree:9.9.1";

const ALL: &[&str] = &[ASM, ASM_TREE];

/// The files of `coordinates`, after making sure that every pinned artifact is on this machine.
pub fn jars(coordinates: &[&str]) -> Result<Vec<PathBuf>> {
    maven::resolve(ALL)?;
    maven::resolve(coordinates)
}
