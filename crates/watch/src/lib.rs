//! Puts the agent into the JVMs that a command starts, and reads the results they wrote.
//!
//! A command runs as a child process ([`watch`], [`record`]); every JVM below it writes files of its own, which are
//! merged into one [`WatchedRun`] (how often each try was executed, and how that ended) or one [`Recording`] (which
//! exceptions came to which handlers, by which calls). The agent and the Java it needs are built by `build.rs` and
//! embedded; [`install`] unpacks them. What only the operating system can do is in [`unix`].

mod cache_folders;
mod child;
mod embedded;
pub mod install;
mod merge;
mod private_files;
mod recording;
mod results;
pub mod unix;
mod watch;
mod watched_run;

pub use cache_folders::{
    RefusedCacheFolder, cache_folder, existing_private_folder, private_temporary_folder, refused_cache_folder,
};
pub use child::ChildEnd;
pub use embedded::driver_jar;
pub use install::{InstallError, InstalledAgent, embedded_content};
pub use private_files::{create_private_file, create_private_folder, open_private_file, write_private_file};
pub use recording::{Caught, Frame, RecordedMethod, Recording, ReflectiveCall};
pub use watch::{
    RecordedCommand, WatchError, WatchOptions, WatchedCommand, add_agent, record, record_command, watch,
    watch_command,
};
pub use watched_run::{
    Ended, Jvm, Origin, Problem, SkippedClass, Usages, WatchedException, WatchedPair, WatchedRun,
};
