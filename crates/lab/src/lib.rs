//! Starts JVMs under the agent and reads what they saw.
//!
//! Processes, files and signals live here. What the numbers mean is decided in `merge.rs`; how they look,
//! in the `report` crate.

mod child;
mod embedded;
mod install;
mod merge;
mod progress;
pub mod project;
mod results;
mod seen;
mod unix;
mod watch;

pub use child::ChildEnd;
pub use embedded::driver_jar;
pub use install::InstallError;
pub use progress::{Progress, Silent};
pub use seen::{Ended, Jvm, Origin, Place, Problem, Seen, SeenException, SkippedClass, Usages, WatchedPair};
pub use watch::{WatchError, WatchOptions, Watched, watch, watch_command};
