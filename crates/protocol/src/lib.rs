//! Messages between controller and agent; versioned, tiny. No IO.
//!
//! ```text
//! controller --- options string (-agentpath:lib=...) --->  agent
//! controller <-- record log   (names: what was woven) ---  agent, appended with write(2)
//! controller <-- counter file (numbers: what happened) --  probe runtime, through a shared mapping
//! controller <-> socket (tests and experiments on demand) -  agent, in workers only
//! ```
//!
//! Both files are complete at every moment, so a JVM that is halted or killed loses nothing. Whatever is read
//! from them may be garbage: decoding gives errors or what was readable, never a panic.

pub mod conversation;
pub mod counters;
pub mod equipment;
pub mod experiment;
pub mod hash;
pub mod log;
pub mod occurrences;
pub mod options;
pub mod pattern;
pub mod recording;
pub mod records;
pub mod runtime_abi;
mod wire;

/// Exit code of a JVM that the agent ended because it could not do its job there.
pub const AGENT_FAILED_EXIT: i32 = 97;

/// Exit code of a worker that the agent ended: it has said why, or there was nobody left to tell.
pub const WORKER_ENDED_EXIT: i32 = 98;

/// How the two files of one JVM end: `<stem>.log` and `<stem>.counters`.
pub const LOG_EXTENSION: &str = "log";
pub const COUNTERS_EXTENSION: &str = "counters";
