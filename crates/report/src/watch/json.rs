//! `catchment.watch/1`: what a watched run saw.
//!
//! ```text
//! {"schema":"catchment.watch/1", "exit":{"code","signal"}, "jvms_started",
//!  "jvms":[{"pid","java","command","ended":"orderly|killed|running","woven_classes"}],
//!  "pairs":[PAIR + {"class_hash","code_sources":[..],"not_observed":reason|null,
//!           "usages":{"entries","pink","white","blue","open","sibling","escaped"},
//!           "siblings":[{"pair":id,"count"}], "caught":[EXCEPTION], "escaped":[EXCEPTION]}],
//!  "skipped":[{"class","code_source","reason"}], "problems":[{"where","what"}]}
//! EXCEPTION  {"exception":binary name|null,"count","origins":[{"frame":"com.acme.Cache.load:83"|null,"application"}]}
//! ```
//!
//! PAIR is that of `catchment.handlers/1`. An origin's frame is the application's topmost if `application`, else the
//! topmost of anyone.

use crate::json::{JsonPair, JsonProblem, write_line};
use catchment_watch::{ChildEnd, WatchedCommand, WatchedException, WatchedPair};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct JsonWatch<'a> {
    schema: &'static str,
    exit: JsonExit,
    jvms_started: usize,
    jvms: Vec<JsonJvm<'a>>,
    pairs: Vec<JsonWatchedPair<'a>>,
    skipped: Vec<JsonSkipped<'a>>,
    problems: Vec<JsonProblem<'a>>,
}

#[derive(Serialize)]
struct JsonExit {
    code: Option<i32>,
    signal: Option<i32>,
}

#[derive(Serialize)]
struct JsonJvm<'a> {
    pid: u32,
    java: &'a str,
    command: &'a str,
    ended: &'static str,
    woven_classes: usize,
}

#[derive(Serialize)]
struct JsonWatchedPair<'a> {
    #[serde(flatten)]
    pair: JsonPair<'a>,
    /// Tells apart classes of one name and different bytes.
    class_hash: String,
    code_sources: &'a [String],
    /// Why the numbers say nothing, or null.
    not_observed: Option<&'a str>,
    usages: JsonUsages,
    siblings: Vec<JsonSibling<'a>>,
    caught: Vec<JsonException<'a>>,
    escaped: Vec<JsonException<'a>>,
}

/// entries = pink + white + blue + open; blue = sibling + escaped.
#[derive(Serialize)]
struct JsonUsages {
    entries: u64,
    pink: u64,
    white: u64,
    blue: u64,
    open: i64,
    sibling: u64,
    escaped: u64,
}

#[derive(Serialize)]
struct JsonSibling<'a> {
    pair: &'a str,
    count: u64,
}

#[derive(Serialize)]
struct JsonException<'a> {
    exception: Option<&'a str>,
    count: u64,
    origins: Vec<JsonOrigin<'a>>,
}

#[derive(Serialize)]
struct JsonOrigin<'a> {
    frame: Option<&'a str>,
    application: bool,
}

#[derive(Serialize)]
struct JsonSkipped<'a> {
    class: &'a str,
    code_source: &'a str,
    reason: &'a str,
}

pub fn write_watch_json(out: &mut dyn Write, watched: &WatchedCommand) -> io::Result<()> {
    let run = &watched.run;
    let value = JsonWatch {
        schema: "catchment.watch/1",
        exit: exit(watched.end),
        jvms_started: run.jvms_started,
        jvms: run.jvms.iter().map(jvm).collect(),
        pairs: run.pairs.iter().map(watched_pair).collect(),
        skipped: run
            .skipped
            .iter()
            .map(|each| JsonSkipped {
                class: &each.class,
                code_source: &each.code_source,
                reason: &each.reason,
            })
            .collect(),
        problems: run
            .problems
            .iter()
            .map(|each| JsonProblem { place: &each.place, what: &each.what })
            .collect(),
    };
    write_line(out, &value)
}

fn exit(end: ChildEnd) -> JsonExit {
    match end {
        ChildEnd::Exited(code) => JsonExit { code: Some(code), signal: None },
        ChildEnd::Killed(signal) => JsonExit { code: None, signal: Some(signal) },
    }
}

fn jvm(jvm: &catchment_watch::Jvm) -> JsonJvm<'_> {
    JsonJvm {
        pid: jvm.pid,
        java: &jvm.java_version,
        command: &jvm.command,
        ended: jvm.ended.as_str(),
        woven_classes: jvm.woven_classes,
    }
}

fn watched_pair(pair: &WatchedPair) -> JsonWatchedPair<'_> {
    let usages = pair.usages;
    JsonWatchedPair {
        pair: JsonPair::of(&pair.clause, &pair.location),
        class_hash: format!("{:016x}", pair.class_hash),
        code_sources: &pair.code_sources,
        not_observed: pair.not_observed.as_deref(),
        usages: JsonUsages {
            entries: usages.entries,
            pink: usages.pink,
            white: usages.white,
            blue: usages.blue(),
            open: usages.open(),
            sibling: usages.sibling,
            escaped: usages.escaped,
        },
        siblings: pair.siblings.iter().map(|(pair, count)| JsonSibling { pair, count: *count }).collect(),
        caught: pair.caught.iter().map(exception).collect(),
        escaped: pair.escaped.iter().map(exception).collect(),
    }
}

fn exception(watched: &WatchedException) -> JsonException<'_> {
    let origins = watched.origins.iter();
    JsonException {
        exception: watched.exception.as_deref(),
        count: watched.count,
        origins: origins
            .map(|origin| JsonOrigin { frame: origin.frame.as_deref(), application: origin.application })
            .collect(),
    }
}
