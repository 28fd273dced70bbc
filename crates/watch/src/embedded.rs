//! The files `build.rs` made for the tested JVM.

/// The agent library.
pub(crate) const AGENT: &[u8] = include_bytes!(env!("CATCHMENT_AGENT"));

/// The classes of the probe runtime, packed.
pub(crate) const RUNTIME: &[u8] = include_bytes!(env!("CATCHMENT_RUNTIME"));

/// The test driver, a jar for the class path of a worker.
pub(crate) const DRIVER: &[u8] = include_bytes!(env!("CATCHMENT_DRIVER"));

/// The test driver, a jar with the main class `catchment.driver.Main`.
pub fn driver_jar() -> &'static [u8] {
    DRIVER
}
