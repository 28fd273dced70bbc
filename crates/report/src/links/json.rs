//! `catchment.links/2`.

use crate::json::{JsonLocation, JsonPair, JsonProblem, JsonSite, write_line};
use crate::links::LinksReport;
use crate::links::recorded_json::{JsonComparison, json_comparison};
use crate::links::words::{blind_spot, layer};
use catchment_exceptions::{
    BlindSite, ExceptionType, FoundLink, LinkedPair, LinksAnswer, PointDescription, RaisedBy, Site,
};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct JsonLinks<'a> {
    schema: &'static str,
    analysis: String,
    /// `exact`: every link by itself.
    view: &'static str,
    entries: Vec<JsonEntry<'a>>,
    pairs: Vec<JsonLinkedPair<'a>>,
    points: Vec<JsonPoint<'a>>,
    links: Vec<JsonLink<'a>>,
    stats: JsonStats,
    memory: Option<JsonMemory<'a>>,
    #[serde(rename = "experienced")]
    comparison: Option<JsonComparison<'a>>,
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
struct JsonLink<'a> {
    id: &'a str,
    number: usize,
    /// Index into `points`.
    from: usize,
    to: &'a str,
    /// Instructions of the try that the exceptions come out of.
    sites: Vec<JsonSite<'a>>,
    /// The nearest class that all of `exceptions` are.
    exception: &'a str,
    exceptions: Vec<JsonException<'a>>,
    /// A recording went through it; none if there is no recording.
    seen: Option<bool>,
}

/// A raising point.
#[derive(Serialize)]
pub(crate) struct JsonPoint<'a> {
    kind: &'static str,
    /// The catalogue entry, of operations only.
    operation: Option<String>,
    /// The kind of its fault, of operations only.
    fault: Option<&'a str>,
    #[serde(flatten)]
    site: JsonLocatedSite<'a>,
    /// The nearest class that all exceptions of its links are, where they have one name.
    #[serde(skip_serializing_if = "Option::is_none")]
    exception: Option<&'a str>,
}

/// A site, with whose code it is in and with the location of that.
#[derive(Serialize)]
struct JsonLocatedSite<'a> {
    #[serde(flatten)]
    site: JsonSite<'a>,
    layer: &'static str,
    #[serde(flatten)]
    location: JsonLocation<'a>,
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
        schema: "catchment.links/2",
        analysis: answer.analysis.to_string(),
        view: "exact",
        entries: answer
            .entries
            .iter()
            .map(|it| JsonEntry { class: &it.class, method: &it.method, descriptor: &it.descriptor })
            .collect(),
        pairs: answer.pairs.iter().map(|linked| linked_pair(report, linked)).collect(),
        points: json_points(report),
        links: answer.links.iter().map(|link| json_link(answer, link)).collect(),
        stats: stats(report),
        memory: answer.memory.as_ref().map(|memory| JsonMemory {
            ceiling_mib: memory.ceiling >> 20,
            asked: memory.asked.to_string(),
            coarse_packages: &memory.coarsened.packages,
            by_classes: memory.coarsened.by_classes,
            exceeded: memory.is_exceeded,
        }),
        comparison: answer.comparison.as_ref().map(|comparison| json_comparison(report, comparison)),
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

pub(crate) fn linked_pair<'a>(report: &'a LinksReport, linked: &'a LinkedPair) -> JsonLinkedPair<'a> {
    JsonLinkedPair {
        pair: JsonPair::of(&linked.pair, report.location_of(&linked.pair.class)),
        layer: layer(linked.layer),
        reached: linked.is_reached,
    }
}

fn json_link<'a>(answer: &'a LinksAnswer, link: &'a FoundLink) -> JsonLink<'a> {
    JsonLink {
        id: &link.id,
        number: link.number,
        from: link.from,
        to: &answer.pairs[link.to].pair.id,
        sites: link.sites.iter().map(|site| (&answer.sites[*site]).into()).collect(),
        exception: &link.exception,
        exceptions: json_exceptions(&link.exceptions),
        seen: answer.comparison.as_ref().map(|_| link.is_seen),
    }
}

pub(crate) fn json_exceptions(exceptions: &[ExceptionType]) -> Vec<JsonException<'_>> {
    let exceptions = exceptions.iter();
    exceptions.map(|exception| JsonException { class: &exception.name, exact: exception.is_exact }).collect()
}

fn json_points(report: &LinksReport) -> Vec<JsonPoint<'_>> {
    let points = report.answer.points.iter().zip(&report.answer.point_exceptions);
    points
        .map(|(point, exception)| JsonPoint {
            exception: Some(exception.as_str()),
            ..json_point(report, point)
        })
        .collect()
}

pub(crate) fn json_point<'a>(report: &'a LinksReport, point: &'a PointDescription) -> JsonPoint<'a> {
    let (operation, fault) = match &point.by {
        RaisedBy::Operation { kind, number } => (
            report.answer.catalogue.get(*number).map(|entry| entry.operation.to_string()),
            Some(kind.as_str()),
        ),
        RaisedBy::Throw | RaisedBy::Implicit | RaisedBy::Native => (None, None),
    };
    let site = located(report, &point.site);
    JsonPoint { kind: point_kind(&point.by), operation, fault, site, exception: None }
}

fn located<'a>(report: &'a LinksReport, site: &'a Site) -> JsonLocatedSite<'a> {
    let location = JsonLocation::of(report.location_of(&site.class), site.file.as_deref());
    JsonLocatedSite { site: site.into(), layer: layer(site.layer), location }
}

/// The word of the contracts for a kind of raising point.
pub(crate) fn point_kind(by: &RaisedBy) -> &'static str {
    match by {
        RaisedBy::Operation { .. } => "operation",
        RaisedBy::Throw => "throw",
        RaisedBy::Implicit => "implicit",
        RaisedBy::Native => "native",
    }
}

pub(crate) fn json_blind_spot(blind: &BlindSite) -> JsonBlindSpot<'_> {
    JsonBlindSpot {
        kind: blind_spot(blind.spot).0,
        class: &blind.site.class,
        method: &blind.site.method,
        line: blind.site.line,
    }
}

/// A raising point of the contracts that call the kind of a fault `operation`.
#[derive(Serialize)]
pub(crate) struct JsonCataloguePoint<'a> {
    kind: &'static str,
    operation: Option<&'a str>,
    #[serde(flatten)]
    site: JsonSiteWithFile<'a>,
}

/// A site of the contracts that call the file `source_file` as well.
#[derive(Serialize)]
pub(crate) struct JsonSiteWithFile<'a> {
    #[serde(flatten)]
    site: JsonLocatedSite<'a>,
    source_file: Option<&'a str>,
}

pub(crate) fn json_catalogue_point<'a>(
    report: &'a LinksReport,
    point: &'a PointDescription,
) -> JsonCataloguePoint<'a> {
    let operation = match &point.by {
        RaisedBy::Operation { kind, .. } => Some(kind.as_str()),
        RaisedBy::Throw | RaisedBy::Implicit | RaisedBy::Native => None,
    };
    JsonCataloguePoint { kind: point_kind(&point.by), operation, site: site_with_file(report, &point.site) }
}

pub(crate) fn site_with_file<'a>(report: &'a LinksReport, site: &'a Site) -> JsonSiteWithFile<'a> {
    JsonSiteWithFile { site: located(report, site), source_file: site.file.as_deref() }
}
