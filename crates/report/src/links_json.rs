//! `catchment.links/1`.

use crate::json::{JsonPair, JsonProblem, write_line};
use crate::links::LinksReport;
use crate::links_words::{blind_spot, layer};
use crate::seen_links_json::{JsonExperienced, json_experienced};
use catchment_exceptions::{BlindPlace, FoundLink, LinkedPair, LinksAnswer, Place, RaisePoint, RaisedBy};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct JsonLinks<'a> {
    schema: &'static str,
    analysis: String,
    entries: Vec<JsonEntry<'a>>,
    pairs: Vec<JsonLinkedPair<'a>>,
    links: Vec<JsonLink<'a>>,
    stats: JsonStats,
    memory: Option<JsonMemory<'a>>,
    experienced: Option<JsonExperienced<'a>>,
    blind_spots: Vec<JsonBlindSpot<'a>>,
    missing_classes: &'a [String],
    problems: Vec<JsonProblem<'a>>,
}

#[derive(Serialize)]
struct JsonEntry<'a> {
    class: &'a str,
    method: &'a str,
    descriptor: &'a str,
}

#[derive(Serialize)]
pub(crate) struct JsonLinkedPair<'a> {
    #[serde(flatten)]
    pair: JsonPair<'a>,
    layer: &'static str,
    reached: bool,
}

#[derive(Serialize)]
pub(crate) struct JsonLink<'a> {
    number: usize,
    from: JsonRaise<'a>,
    to: &'a str,
    /// Whether a run has gone through it, if runs were given.
    seen: Option<bool>,
}

/// What raises, and what comes of it by one link.
#[derive(Serialize)]
struct JsonRaise<'a> {
    #[serde(flatten)]
    point: JsonRaisePoint<'a>,
    /// The nearest class that all of `exceptions` are.
    exception: &'a str,
    exceptions: Vec<JsonException<'a>>,
}

#[derive(Serialize)]
pub(crate) struct JsonRaisePoint<'a> {
    kind: &'static str,
    /// The kind of fault, of operations only.
    operation: Option<&'a str>,
    #[serde(flatten)]
    place: JsonPlace<'a>,
}

/// A method, and perhaps a line of it.
#[derive(Serialize)]
pub(crate) struct JsonPlace<'a> {
    class: &'a str,
    method: &'a str,
    descriptor: &'a str,
    source_file: Option<&'a str>,
    line: Option<u32>,
    layer: &'static str,
}

#[derive(Serialize)]
pub(crate) struct JsonException<'a> {
    pub(crate) class: &'a str,
    pub(crate) exact: bool,
}

#[derive(Serialize)]
struct JsonStats {
    classes: usize,
    reachable_methods: usize,
    call_edges: usize,
    nodes: usize,
    objects: usize,
    seconds: f64,
    peak_mib: Option<u64>,
}

#[derive(Serialize)]
pub(crate) struct JsonBlindSpot<'a> {
    kind: &'static str,
    class: &'a str,
    method: &'a str,
    line: Option<u32>,
}

#[derive(Serialize)]
struct JsonMemory<'a> {
    ceiling_mib: usize,
    asked: String,
    coarse_packages: &'a [String],
    by_classes: bool,
    exceeded: bool,
}

/// One element per link, however many types of exceptions come by it.
pub fn write_links_json(out: &mut dyn Write, report: &LinksReport) -> io::Result<()> {
    let answer = &report.answer;
    let unread =
        answer.problems.iter().map(|problem| JsonProblem { place: &problem.class, what: &problem.what });
    let problems =
        report.problems.iter().map(|problem| JsonProblem { place: &problem.place, what: &problem.what });
    let value = JsonLinks {
        schema: "catchment.links/1",
        analysis: answer.analysis.to_string(),
        entries: answer
            .entries
            .iter()
            .map(|it| JsonEntry { class: &it.class, method: &it.method, descriptor: &it.descriptor })
            .collect(),
        pairs: answer.pairs.iter().map(linked_pair).collect(),
        links: answer.links.iter().map(|link| json_link(answer, link)).collect(),
        stats: stats(report),
        memory: answer.memory.as_ref().map(|memory| JsonMemory {
            ceiling_mib: memory.ceiling >> 20,
            asked: memory.asked.to_string(),
            coarse_packages: &memory.coarsened.packages,
            by_classes: memory.coarsened.by_classes,
            exceeded: memory.is_exceeded,
        }),
        experienced: answer.experienced.as_ref().map(|it| json_experienced(it, answer.links.len())),
        blind_spots: answer.blind_spots.iter().map(json_blind_spot).collect(),
        missing_classes: &answer.missing_classes,
        problems: problems.chain(unread).collect(),
    };
    write_line(out, &value)
}

fn stats(report: &LinksReport) -> JsonStats {
    let stats = report.answer.stats;
    JsonStats {
        classes: stats.classes,
        reachable_methods: stats.reachable_methods,
        call_edges: stats.call_edges,
        nodes: stats.nodes,
        objects: stats.objects,
        seconds: report.seconds,
        peak_mib: report.peak_mib,
    }
}

pub(crate) fn linked_pair(linked: &LinkedPair) -> JsonLinkedPair<'_> {
    let pair = &linked.pair;
    JsonLinkedPair {
        pair: JsonPair {
            id: &pair.id,
            class: &linked.class,
            method: &pair.method,
            descriptor: &pair.descriptor,
            types: &pair.types,
            try_line: pair.try_line,
            catch_line: pair.catch_line,
            parent: linked.parent.as_deref(),
            source_file: linked.source_file.as_deref(),
            maybe_generated: pair.maybe_generated,
        },
        layer: layer(linked.layer),
        reached: linked.is_reached,
    }
}

pub(crate) fn json_link<'a>(answer: &'a LinksAnswer, link: &'a FoundLink) -> JsonLink<'a> {
    JsonLink {
        number: link.number,
        from: json_raise(&answer.raises[link.from], link),
        to: &answer.pairs[link.to].pair.id,
        seen: answer.experienced.as_ref().map(|_| link.is_seen),
    }
}

fn json_raise<'a>(raise: &'a RaisePoint, link: &'a FoundLink) -> JsonRaise<'a> {
    let exceptions = link.exceptions.iter();
    JsonRaise {
        point: json_raise_point(raise),
        exception: &link.exception,
        exceptions: exceptions.map(|it| JsonException { class: &it.name, exact: it.is_exact }).collect(),
    }
}

pub(crate) fn json_raise_point(raise: &RaisePoint) -> JsonRaisePoint<'_> {
    let (kind, operation) = match &raise.by {
        RaisedBy::Operation { kind, .. } => ("operation", Some(kind.as_str())),
        RaisedBy::Throw => ("throw", None),
        RaisedBy::Implicit => ("implicit", None),
        RaisedBy::Native => ("native", None),
    };
    JsonRaisePoint { kind, operation, place: json_place(&raise.place) }
}

pub(crate) fn json_place(place: &Place) -> JsonPlace<'_> {
    JsonPlace {
        class: &place.class,
        method: &place.method,
        descriptor: &place.descriptor,
        source_file: place.source_file.as_deref(),
        line: place.line,
        layer: layer(place.layer),
    }
}

pub(crate) fn json_blind_spot(blind: &BlindPlace) -> JsonBlindSpot<'_> {
    JsonBlindSpot {
        kind: blind_spot(blind.spot).0,
        class: &blind.place.class,
        method: &blind.place.method,
        line: blind.place.line,
    }
}
