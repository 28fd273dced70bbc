//! Reports of `stretch`.

pub(crate) mod json;
pub(crate) mod text;
