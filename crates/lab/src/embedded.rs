//! The files `build.rs` made for the tested JVM.

/// The agent library.
pub(crate) const AGENT: &[u8] = include_bytes!(env!("CATCHMENT_AGENT"));

/// The classes of the probe runtime, packed.
pub(crate) const RUNTIME: &[u8] = include_bytes!(env!("CATCHMENT_RUNTIME"));
