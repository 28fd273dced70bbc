//! Starts JVMs under the agent and reads what they saw.
//!
//! `watch` runs any command; `check` finds out how a project runs its tests (`project`), runs them one by one in worker
//! JVMs (`worker`), keeps everything in a store and leaves the judging to the `verdicts` crate. Processes, files and signals
//! live here; how results look, in the `report` crate.

mod cache_folders;
mod check;
mod child;
mod compiled;
mod embedded;
mod experienced;
mod install;
mod merge;
mod progress;
pub mod project;
mod results;
mod seen;
mod store;
mod stretch;
mod unix;
mod watch;
mod worker;

pub use cache_folders::{cache_folders, existing_private_folder, private_temporary_folder};
pub use check::{CheckError, CheckRequest, PairSelection, check};
pub use child::ChildEnd;
pub use embedded::driver_jar;
pub use experienced::{Caught, Experienced, Frame, ReflectiveCall, SeenMethod};
pub use install::InstallError;
pub use progress::{Progress, Silent};
pub use seen::{Ended, Jvm, Origin, Place, Problem, Seen, SeenException, SkippedClass, Usages, WatchedPair};
pub use store::StoreError;
pub use stretch::{
    Accepted, Case, Evidence, Patch, PatchedFile, Refusal, StretchRequest, Stretched, StretchedClause,
    stretch,
};
pub use watch::{Recorded, WatchError, WatchOptions, Watched, record, record_command, watch, watch_command};
pub use worker::WorkerEnd;
