//! Bars: figures that a measurement must meet.

/// The word to print for a bar.
pub(crate) fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}
