//! A watched run: all that its JVMs reported, as plain values in a fixed order.

use catchment_pairs::{ClassLocation, ClauseDescription};
use catchment_protocol::records::CounterKind;

/// Everything the JVMs of one run reported, merged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WatchedRun {
    /// JVMs that started under the agent, with application classes or not.
    pub jvms_started: usize,
    /// JVMs with application classes, by start.
    pub jvms: Vec<Jvm>,
    /// By class, then as in the class file.
    pub pairs: Vec<WatchedPair>,
    /// Classes of the application that ran as delivered.
    pub skipped: Vec<SkippedClass>,
    pub problems: Vec<Problem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jvm {
    pub pid: u32,
    pub java_version: String,
    /// Main class or jar with its arguments.
    pub command: String,
    pub ended: Ended,
    pub woven_classes: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By itself: end of main, `System.exit`, `Runtime.halt`.
    Orderly,
    /// From outside, or by a crash.
    Killed,
    /// Not yet: its counts are those of the moment they were read.
    Running,
}

impl Ended {
    /// The word used in reports and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Orderly => "orderly",
            Self::Killed => "killed",
            Self::Running => "running",
        }
    }
}

/// One try-catch pair, summed over JVMs, class loaders and compiled copies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WatchedPair {
    pub clause: ClauseDescription,
    /// The location of the clause's class: empty until somebody who knows the project fills it in.
    pub location: ClassLocation,
    /// The source file of the class; that of the clause is another if the clause comes from an inline function.
    pub class_source: Option<String>,
    /// Hash of the class file. Classes of one name and different bytes are kept apart.
    pub class_hash: u64,
    pub code_sources: Vec<String>,
    /// The reason why the counts below say nothing, if so.
    pub not_observed: Option<String>,
    pub usages: Usages,
    /// Clauses of the same try that caught instead, by pair id.
    pub siblings: Vec<(String, u64)>,
    /// Exceptions that this clause caught.
    pub caught: Vec<WatchedException>,
    /// Exceptions that left the try uncaught by any of its clauses.
    pub escaped: Vec<WatchedException>,
}

/// Executions of the try of a pair, by how they ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usages {
    pub entries: u64,
    /// Completed without an exception leaving the try.
    pub pink: u64,
    /// An exception was caught by this pair's clause.
    pub white: u64,
    /// Blue: an exception was caught by another clause of the try.
    pub sibling: u64,
    /// Blue: an exception was caught by none of its clauses.
    pub escaped: u64,
}

impl Usages {
    /// Adds the executions that a counter of this kind has counted.
    pub fn count(&mut self, kind: CounterKind, count: u64) {
        *match kind {
            CounterKind::Entry => &mut self.entries,
            CounterKind::Pink => &mut self.pink,
            CounterKind::White => &mut self.white,
            CounterKind::Sibling(_) => &mut self.sibling,
            CounterKind::Escaped => &mut self.escaped,
        } += count;
    }

    /// Adds the executions of another part of the same run.
    pub fn add(&mut self, more: &Self) {
        self.entries += more.entries;
        self.pink += more.pink;
        self.white += more.white;
        self.sibling += more.sibling;
        self.escaped += more.escaped;
    }

    pub fn blue(&self) -> u64 {
        self.sibling + self.escaped
    }

    /// Not ended when the JVM ended. Below zero only when counts are wrong, which is then reported as a problem.
    pub fn open(&self) -> i64 {
        let ended = self.pink + self.white + self.blue();
        self.entries.wrapping_sub(ended) as i64
    }
}

/// Exceptions of one class at one place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WatchedException {
    /// `None` when the class could not be noted (no stack or memory left).
    pub exception: Option<String>,
    pub count: u64,
    /// Origins of the first few.
    pub origins: Vec<Origin>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// `com.acme.Cache.load:83`; `None` when the exception has no stack trace.
    pub frame: Option<String>,
    /// The frame is the application's topmost, not the topmost of anyone.
    pub application: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkippedClass {
    pub class: String,
    pub code_source: String,
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Problem {
    /// A class, a method or a process.
    pub place: String,
    pub what: String,
}
