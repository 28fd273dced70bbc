//! Reports of `watch`.

pub(crate) mod json;
pub(crate) mod text;
