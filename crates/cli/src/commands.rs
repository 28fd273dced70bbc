//! One file per command; commands only wire libraries together.

pub(crate) mod check;
pub(crate) mod demo;
pub(crate) mod handlers;
pub(crate) mod links;
pub(crate) mod stretch;
pub(crate) mod watch;
