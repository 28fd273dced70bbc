//! Recordings of runs (`catchment.seen/1`): written after a watched run, read again for `--seen`.

pub(crate) mod json;
pub(crate) mod read;
pub(crate) mod text;
