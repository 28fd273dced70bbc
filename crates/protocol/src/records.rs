//! What the agent writes down: the names behind the counters.

use crate::wire::{Reader, Writer};

/// One entry of the log of one JVM.
#[derive(Debug, Clone, PartialEq, Eq)]
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
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JvmStarted {
    pub pid: u32,
    pub java_version: String,
    /// Main class or jar with its arguments, as the JVM names it.
    pub command: String,
    pub started_ms: u64,
}

/// A class as the agent saw and changed it. Probe `n` of the class counts in counter `base + n`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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

/// A pair of the `pairs` crate, as far as reports need it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WovenPair {
    pub id: String,
    pub method: String,
    pub descriptor: String,
    pub types: Vec<String>,
    pub try_line: Option<u32>,
    pub catch_line: Option<u32>,
    /// Index into the pairs of the class.
    pub parent: Option<u32>,
    pub source: Option<String>,
    pub maybe_generated: bool,
}

/// The probes of one compiled try, as numbers within the class. A missing one could not be placed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WovenTry {
    pub enter: Option<u32>,
    pub exit: Option<u32>,
    pub escape: Option<u32>,
    pub clauses: Vec<WovenClause>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WovenClause {
    /// Index into the pairs of the class.
    pub pair: u32,
    pub caught: Option<u32>,
}

/// A method left as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkippedMethod {
    pub method: String,
    pub descriptor: String,
    pub reason: String,
}

/// Where one of the first exceptions of a class at a counter came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    pub counter: u32,
    pub exception: String,
    /// `com.acme.Cache.load:83`; `None` when the exception carries no stack trace.
    pub frame: Option<String>,
    /// Whether the frame is the application's; otherwise it is the top frame, whoever's.
    pub application: bool,
}

/// Tags on the wire. Numbers are never reused.
mod tag {
    pub(super) const JVM_STARTED: u8 = 1;
    pub(super) const SELF_TEST_PASSED: u8 = 2;
    pub(super) const SELF_TEST_FAILED: u8 = 3;
    pub(super) const APPLICATION_SEEN: u8 = 4;
    pub(super) const CLASS_WOVEN: u8 = 5;
    pub(super) const CLASS_SKIPPED: u8 = 6;
    pub(super) const EXCEPTION_TYPE: u8 = 7;
    pub(super) const ORIGIN: u8 = 8;
    pub(super) const PROBLEM: u8 = 9;
    pub(super) const JVM_ENDED: u8 = 10;
}

impl Record {
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        match self {
            Self::JvmStarted(started) => write_started(&mut out, started),
            Self::SelfTestPassed => out.byte(tag::SELF_TEST_PASSED),
            Self::SelfTestFailed { what } => {
                out.byte(tag::SELF_TEST_FAILED);
                out.string(what);
            }
            Self::ApplicationSeen => out.byte(tag::APPLICATION_SEEN),
            Self::ClassWoven(class) => write_class(&mut out, class),
            Self::ClassSkipped { class, code_source, reason } => {
                out.byte(tag::CLASS_SKIPPED);
                out.string(class);
                out.string(code_source);
                out.string(reason);
            }
            Self::ExceptionType { counter, exception, type_counter } => {
                out.byte(tag::EXCEPTION_TYPE);
                out.number((*counter).into());
                out.string(exception);
                out.number((*type_counter).into());
            }
            Self::Origin(origin) => write_origin(&mut out, origin),
            Self::Problem { place, what } => {
                out.byte(tag::PROBLEM);
                out.string(place);
                out.string(what);
            }
            Self::JvmEnded => out.byte(tag::JVM_ENDED),
        }
        out.bytes
    }

    /// `None` when the bytes are not exactly one record.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader::new(bytes);
        let record = match from.byte()? {
            tag::JVM_STARTED => Self::JvmStarted(read_started(&mut from)?),
            tag::SELF_TEST_PASSED => Self::SelfTestPassed,
            tag::SELF_TEST_FAILED => Self::SelfTestFailed { what: from.string()? },
            tag::APPLICATION_SEEN => Self::ApplicationSeen,
            tag::CLASS_WOVEN => Self::ClassWoven(read_class(&mut from)?),
            tag::CLASS_SKIPPED => Self::ClassSkipped {
                class: from.string()?,
                code_source: from.string()?,
                reason: from.string()?,
            },
            tag::EXCEPTION_TYPE => Self::ExceptionType {
                counter: from.small()?,
                exception: from.string()?,
                type_counter: from.small()?,
            },
            tag::ORIGIN => Self::Origin(read_origin(&mut from)?),
            tag::PROBLEM => Self::Problem { place: from.string()?, what: from.string()? },
            tag::JVM_ENDED => Self::JvmEnded,
            _ => return None,
        };
        from.is_at_end().then_some(record)
    }
}

fn write_started(out: &mut Writer, started: &JvmStarted) {
    out.byte(tag::JVM_STARTED);
    out.number(started.pid.into());
    out.string(&started.java_version);
    out.string(&started.command);
    out.number(started.started_ms);
}

fn read_started(from: &mut Reader<'_>) -> Option<JvmStarted> {
    Some(JvmStarted {
        pid: from.small()?,
        java_version: from.string()?,
        command: from.string()?,
        started_ms: from.number()?,
    })
}

fn write_class(out: &mut Writer, class: &WovenClass) {
    out.byte(tag::CLASS_WOVEN);
    out.string(&class.class);
    out.number(class.hash);
    out.number(class.base.into());
    out.number(class.counters.into());
    out.string(&class.code_source);
    out.option(class.source_file.as_deref(), Writer::string);
    out.flag(class.changed_before);
    out.list(&class.pairs, write_pair);
    out.list(&class.tries, write_try);
    out.list(&class.skipped, |out, skipped| {
        out.string(&skipped.method);
        out.string(&skipped.descriptor);
        out.string(&skipped.reason);
    });
}

fn read_class(from: &mut Reader<'_>) -> Option<WovenClass> {
    Some(WovenClass {
        class: from.string()?,
        hash: from.number()?,
        base: from.small()?,
        counters: from.small()?,
        code_source: from.string()?,
        source_file: from.option(Reader::string)?,
        changed_before: from.flag()?,
        pairs: from.list(read_pair)?,
        tries: from.list(read_try)?,
        skipped: from.list(|from| {
            Some(SkippedMethod { method: from.string()?, descriptor: from.string()?, reason: from.string()? })
        })?,
    })
}

fn write_pair(out: &mut Writer, pair: &WovenPair) {
    out.string(&pair.id);
    out.string(&pair.method);
    out.string(&pair.descriptor);
    out.list(&pair.types, |out, name| out.string(name));
    write_small(out, pair.try_line);
    write_small(out, pair.catch_line);
    write_small(out, pair.parent);
    out.option(pair.source.as_deref(), Writer::string);
    out.flag(pair.maybe_generated);
}

fn read_pair(from: &mut Reader<'_>) -> Option<WovenPair> {
    Some(WovenPair {
        id: from.string()?,
        method: from.string()?,
        descriptor: from.string()?,
        types: from.list(Reader::string)?,
        try_line: from.option(Reader::small)?,
        catch_line: from.option(Reader::small)?,
        parent: from.option(Reader::small)?,
        source: from.option(Reader::string)?,
        maybe_generated: from.flag()?,
    })
}

fn write_try(out: &mut Writer, woven_try: &WovenTry) {
    write_small(out, woven_try.enter);
    write_small(out, woven_try.exit);
    write_small(out, woven_try.escape);
    out.list(&woven_try.clauses, |out, clause| {
        out.number(clause.pair.into());
        write_small(out, clause.caught);
    });
}

fn read_try(from: &mut Reader<'_>) -> Option<WovenTry> {
    Some(WovenTry {
        enter: from.option(Reader::small)?,
        exit: from.option(Reader::small)?,
        escape: from.option(Reader::small)?,
        clauses: from
            .list(|from| Some(WovenClause { pair: from.small()?, caught: from.option(Reader::small)? }))?,
    })
}

fn write_origin(out: &mut Writer, origin: &Origin) {
    out.byte(tag::ORIGIN);
    out.number(origin.counter.into());
    out.string(&origin.exception);
    out.option(origin.frame.as_deref(), Writer::string);
    out.flag(origin.application);
}

fn read_origin(from: &mut Reader<'_>) -> Option<Origin> {
    Some(Origin {
        counter: from.small()?,
        exception: from.string()?,
        frame: from.option(Reader::string)?,
        application: from.flag()?,
    })
}

fn write_small(out: &mut Writer, value: Option<u32>) {
    out.option(value, |out, value| out.number(value.into()));
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

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
                catch_line: None,
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
