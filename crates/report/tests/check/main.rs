//! The reports of `check`, compared as a whole with the files beside this one. `UPDATE_GOLDEN=1` rewrites those.

mod golden;
mod json;
mod markdown;
mod sample;
mod sarif;
mod text;
