//! One file per command, with its arguments in the folder of the same name; commands only wire libraries together.

pub(crate) mod check;
pub(crate) mod clean;
pub(crate) mod demo;
pub(crate) mod handlers;
pub(crate) mod links;
mod project_args;
pub(crate) mod stretch;
pub(crate) mod watch;
