//! Records that the agent writes: the names behind the counters.

use crate::recording::{Arrival, NumberedMethod, Reflected};
use crate::wire;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// One entry of the log of one JVM. Variants are numbered on the wire by their order: new ones go to the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Record {
    JvmStarted(JvmStarted),
    /// The hook, the weaver, the runtime and the counters work in this JVM.
    SelfTestPassed,
    /// The self-test failed and the agent ended the JVM.
    SelfTestFailed {
        what: String,
    },
    /// The first class of the application was loaded; whether it has pairs or not.
    ApplicationSeen,
    ClassWoven(WovenClass),
    /// A class of the application that runs as it was delivered.
    ClassSkipped {
        class: String,
        code_source: String,
        reason: String,
    },
    /// From now on `type_counter` counts the exceptions of class `exception` that `counter` counts.
    ExceptionType {
        counter: u32,
        exception: String,
        type_counter: u32,
    },
    Origin(Origin),
    Problem {
        place: String,
        what: String,
    },
    /// The JVM ended by itself (also by `Runtime.halt`), not by a kill.
    JvmEnded,
    Launched(Launch),
    /// A class of the application whose bytes are not those of its class file.
    ClassChanged {
        class: String,
    },
    Method(NumberedMethod),
    Arrived(Arrival),
    Reflected(Reflected),
}

/// How this JVM was started, so that another can be started in the same way. Written when the options ask for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Raw bytes, as all of this: neither paths nor arguments need to be UTF-8.
    pub executable: Vec<u8>,
    /// Without the program's name.
    pub arguments: Vec<Vec<u8>>,
    pub environment: Vec<(Vec<u8>, Vec<u8>)>,
    pub working_folder: Vec<u8>,
    /// Small files that arguments name, which whoever started the JVM may delete: argument files, Surefire's booter jar
    /// and properties. Path and content.
    pub files: Vec<(Vec<u8>, Vec<u8>)>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JvmStarted {
    pub pid: u32,
    pub java_version: String,
    /// Main class or jar with its arguments, as the JVM names it.
    pub command: String,
    pub started_ms: u64,
}

/// A class as the agent saw and changed it. Probe `n` of the class counts in counter `base + n`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WovenClass {
    /// Binary name with dots.
    pub class: String,
    /// Hash of the bytes the JVM delivered.
    pub hash: u64,
    pub base: u32,
    pub counters: u32,
    pub code_source: String,
    pub source_file: Option<String>,
    /// The bytes differ from the class file in the code source: another agent or a class loader changed them.
    pub changed_before: bool,
    pub pairs: Vec<WovenPair>,
    /// Only tries whose method carries probes.
    pub tries: Vec<WovenTry>,
    pub skipped: Vec<SkippedMethod>,
}

impl WovenClass {
    /// Why nothing is counted for the pair, if so: a method that the weaver skipped has no probes, and its zeros are no
    /// observations.
    pub fn not_observed(&self, pair: &WovenPair) -> Option<&str> {
        let in_method =
            |skipped: &&SkippedMethod| skipped.method == pair.method && skipped.descriptor == pair.descriptor;
        self.skipped.iter().find(in_method).map(|skipped| skipped.reason.as_str())
    }
}

/// A pair of the `pairs` crate, as far as reports need it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WovenPair {
    pub id: String,
    pub method: String,
    pub descriptor: String,
    pub types: Vec<String>,
    pub try_line: Option<u32>,
    pub try_end_line: Option<u32>,
    pub catch_line: Option<u32>,
    pub catch_end_line: Option<u32>,
    /// Index into the pairs of the class.
    pub parent: Option<u32>,
    pub source: Option<String>,
    pub maybe_generated: bool,
}

/// The probes of one compiled try, as numbers within the class. A missing one could not be placed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WovenTry {
    pub enter: Option<u32>,
    pub exit: Option<u32>,
    pub escape: Option<u32>,
    pub clauses: Vec<WovenClause>,
}

/// The kind of a counter, seen from a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CounterKind {
    Entry,
    Pink,
    White,
    /// Caught by another clause of the try: blue, and this is its pair, as an index into those of the class.
    Sibling(u32),
    /// Left the try uncaught: blue as well.
    Escaped,
}

impl WovenTry {
    /// Counters of the try: pair, as an index into those of the class, kind, and number within the class. Everything
    /// that happens to the try concerns all of its pairs; the clauses of one try may be parts of one pair.
    pub fn counters(&self) -> impl Iterator<Item = (u32, CounterKind, u32)> {
        let pairs: BTreeSet<u32> = self.clauses.iter().map(|clause| clause.pair).collect();
        pairs.into_iter().flat_map(|pair| {
            let of_try = [
                (CounterKind::Entry, self.enter),
                (CounterKind::Pink, self.exit),
                (CounterKind::Escaped, self.escape),
            ];
            let of_clauses = self.clauses.iter().map(move |clause| {
                let kind =
                    if clause.pair == pair { CounterKind::White } else { CounterKind::Sibling(clause.pair) };
                (kind, clause.caught)
            });
            let all = of_try.into_iter().chain(of_clauses);
            all.filter_map(move |(kind, counter)| Some((pair, kind, counter?)))
        })
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WovenClause {
    /// Index into the pairs of the class.
    pub pair: u32,
    pub caught: Option<u32>,
}

/// A method left as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedMethod {
    pub method: String,
    pub descriptor: String,
    pub reason: String,
}

/// The origin of one of the first exceptions of a class at a counter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub counter: u32,
    pub exception: String,
    /// `com.acme.Cache.load:83`; `None` when the exception carries no stack trace.
    pub frame: Option<String>,
    /// True if the frame is the application's; otherwise it is the top frame, whoever's.
    pub application: bool,
}

impl Record {
    pub fn encode(&self) -> Vec<u8> {
        wire::encode(self)
    }

    /// `None` when the bytes are not exactly one record.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        wire::decode(bytes)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::recording::{Frame, MethodName};

    pub(crate) fn one_of_each() -> Vec<Record> {
        vec![
            Record::JvmStarted(JvmStarted {
                pid: 42,
                java_version: "17.0.15".into(),
                command: "com.acme.Main \u{e4}".into(),
                started_ms: 1_700_000_000_123,
            }),
            Record::SelfTestPassed,
            Record::SelfTestFailed { what: "pink: 0 exits instead of 2".into() },
            Record::ApplicationSeen,
            Record::ClassWoven(woven_class()),
            Record::ClassSkipped { class: "a.B".into(), code_source: "/c".into(), reason: "jsr".into() },
            Record::ExceptionType { counter: 7, exception: "a.E".into(), type_counter: u32::MAX },
            Record::Origin(Origin {
                counter: 7,
                exception: "a.E".into(),
                frame: Some("a.B.m:3".into()),
                application: true,
            }),
            Record::Origin(Origin { exception: "a.E".into(), ..Origin::default() }),
            Record::Problem { place: "a.B".into(), what: "odd".into() },
            Record::JvmEnded,
            Record::Launched(Launch {
                executable: b"/j/bin/java".to_vec(),
                arguments: vec![b"-jar".to_vec(), vec![0xff]],
                environment: vec![(b"A".to_vec(), b"b".to_vec())],
                working_folder: b"/w".to_vec(),
                files: vec![(b"/w/args".to_vec(), b"-cp x".to_vec())],
            }),
            Record::ClassChanged { class: "a.B".into() },
            Record::Method(NumberedMethod {
                number: u32::MAX,
                name: MethodName { class: "a.B".into(), method: "<clinit>".into(), descriptor: "()V".into() },
                is_application: true,
                is_hidden: false,
            }),
            Record::Arrived(Arrival {
                number: 3,
                exception: "a.E".into(),
                frames: vec![Frame { method: 0, pc: -1 }, Frame { method: u32::MAX, pc: 65_535 }],
                frames_left_out: 100_000,
                handler_pc: 7,
                after: Some(2),
            }),
            Record::Arrived(Arrival { exception: "a.E".into(), ..Arrival::default() }),
            Record::Reflected(Reflected { caller: None, target: 1 }),
            Record::Reflected(Reflected { caller: Some(0), target: u32::MAX }),
        ]
    }

    fn woven_class() -> WovenClass {
        WovenClass {
            class: "a.B".into(),
            hash: u64::MAX,
            base: 4095,
            counters: 5,
            code_source: "/classes".into(),
            source_file: Some("B.java".into()),
            changed_before: true,
            pairs: vec![WovenPair {
                id: "id".into(),
                method: "m".into(),
                descriptor: "()V".into(),
                types: vec!["a.E".into(), "a.F".into()],
                try_line: Some(1),
                try_end_line: Some(3),
                catch_line: None,
                catch_end_line: None,
                parent: Some(0),
                source: Some("C.kt".into()),
                maybe_generated: true,
            }],
            tries: vec![WovenTry {
                enter: Some(0),
                exit: Some(1),
                escape: None,
                clauses: vec![
                    WovenClause { pair: 0, caught: Some(3) },
                    WovenClause { pair: 0, caught: None },
                ],
            }],
            skipped: vec![SkippedMethod {
                method: "n".into(),
                descriptor: "()I".into(),
                reason: "too large".into(),
            }],
        }
    }

    #[test]
    fn every_record_comes_back_as_it_was() {
        for record in one_of_each() {
            assert_eq!(Record::decode(&record.encode()), Some(record));
        }
    }

    #[test]
    fn a_record_cut_anywhere_or_followed_by_anything_is_refused() {
        for record in one_of_each() {
            let bytes = record.encode();
            for length in 0..bytes.len() {
                assert_eq!(Record::decode(&bytes[..length]), None, "{record:?} cut at {length}");
            }
            assert_eq!(Record::decode(&[bytes, vec![0]].concat()), None, "{record:?} with a byte more");
        }
    }
}
