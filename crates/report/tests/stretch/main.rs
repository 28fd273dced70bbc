//! The reports of `stretch`, compared as a whole with the files beside this one. `UPDATE_GOLDEN=1` rewrites those.

#[path = "../check/golden.rs"]
mod golden;
mod json;
mod sample;
mod text;
