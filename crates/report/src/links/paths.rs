//! Links explained by witness paths: for a terminal, and `catchment.paths/1`.

use crate::json::{JsonSite, write_line};
use crate::links::json::{
    JsonCataloguePoint, JsonException, JsonLinkedPair, JsonSiteWithFile, json_catalogue_point,
    json_exceptions, linked_pair, site_with_file,
};
use crate::links::words::{clause, exceptions, place, raised_by};
use crate::links::{ExplainedLink, LinksReport};
use crate::plain_text::PlainText;
use crate::text::counted;
use catchment_exceptions::{
    FoundLink, LinkGraph, LinksAnswer, Passage, Site, Station, StationKind, WitnessPath,
};
use serde::Serialize;
use std::io::{self, Write};

/// A link and its witness paths.
pub fn write_paths_text(
    out: &mut dyn Write,
    answer: &LinksAnswer,
    ExplainedLink { link, paths, graph }: &ExplainedLink,
) -> io::Result<()> {
    let out = &mut PlainText::new(out);
    let point = &answer.points[link.from];
    writeln!(out, "#{}  {}  {}  {}", link.number, raised_by(point), place(&point.site), exceptions(link))?;
    writeln!(out, "comes to {}", clause(&answer.pairs[link.to]))?;
    for (number, path) in (1..).zip(paths) {
        writeln!(out, "path {number}, {}:", counted(path.frames.len().saturating_sub(1), "call", "calls"))?;
        for (depth, frame) in path.frames.iter().enumerate() {
            let word = match depth {
                0 => "try in",
                last if last + 1 == path.frames.len() => "raised in",
                _ => "calls",
            };
            let mark = if frame.is_recursive { "  (recursive)" } else { "" };
            writeln!(out, "  {word:<9}  {}{mark}", place(&frame.site))?;
        }
    }
    let methods = counted(graph.stations.len(), "method", "methods");
    let calls = counted(graph.passages.len(), "place", "places");
    writeln!(out, "all paths lead through {methods} and {calls} in them (--paths shows more, --json all)")
}

#[derive(Serialize)]
struct JsonPaths<'a> {
    schema: &'static str,
    analysis: String,
    links: Vec<JsonExplained<'a>>,
}

#[derive(Serialize)]
struct JsonExplained<'a> {
    #[serde(flatten)]
    link: JsonNamedLink<'a>,
    pair: JsonLinkedPair<'a>,
    /// The shortest first: calls, the raising point last.
    paths: Vec<Vec<JsonFrame<'a>>>,
    graph: JsonGraph<'a>,
}

/// A link that stands by itself, with its raising point.
#[derive(Serialize)]
struct JsonNamedLink<'a> {
    id: &'a str,
    number: usize,
    from: JsonLinkedPoint<'a>,
    to: &'a str,
    /// Instructions of the try that the exceptions come out of.
    sites: Vec<JsonSite<'a>>,
    /// A recording went through it; none if there is no recording.
    seen: Option<bool>,
}

/// A raising point, and the exceptions that come from it by one link.
#[derive(Serialize)]
struct JsonLinkedPoint<'a> {
    #[serde(flatten)]
    point: JsonCataloguePoint<'a>,
    /// The nearest class that all of `exceptions` are.
    exception: &'a str,
    exceptions: Vec<JsonException<'a>>,
}

#[derive(Serialize)]
struct JsonFrame<'a> {
    #[serde(flatten)]
    site: JsonSiteWithFile<'a>,
    recursive: bool,
}

#[derive(Serialize)]
struct JsonGraph<'a> {
    stations: Vec<JsonStation<'a>>,
    passages: Vec<JsonPassage>,
}

#[derive(Serialize)]
struct JsonStation<'a> {
    kind: &'static str,
    #[serde(flatten)]
    frame: JsonFrame<'a>,
}

#[derive(Serialize)]
struct JsonPassage {
    from: usize,
    to: Option<usize>,
    line: Option<u32>,
}

/// Links, each with its shortest witness paths and all calls by which it comes.
pub fn write_paths_json(
    out: &mut dyn Write,
    report: &LinksReport,
    links: &[ExplainedLink],
) -> io::Result<()> {
    let links = links.iter().map(|explained| JsonExplained {
        link: named_link(report, &explained.link),
        pair: linked_pair(report, &report.answer.pairs[explained.link.to]),
        paths: explained.paths.iter().map(|path| json_path(report, path)).collect(),
        graph: json_graph(report, &explained.graph),
    });
    let analysis = report.answer.analysis.to_string();
    write_line(out, &JsonPaths { schema: "catchment.paths/1", analysis, links: links.collect() })
}

fn named_link<'a>(report: &'a LinksReport, link: &'a FoundLink) -> JsonNamedLink<'a> {
    let answer = &report.answer;
    JsonNamedLink {
        id: &link.id,
        number: link.number,
        from: JsonLinkedPoint {
            point: json_catalogue_point(report, &answer.points[link.from]),
            exception: &link.exception,
            exceptions: json_exceptions(&link.exceptions),
        },
        to: &answer.pairs[link.to].pair.id,
        sites: link.sites.iter().map(|site| (&answer.sites[*site]).into()).collect(),
        seen: answer.comparison.as_ref().map(|_| link.is_seen),
    }
}

fn json_path<'a>(report: &'a LinksReport, path: &'a WitnessPath) -> Vec<JsonFrame<'a>> {
    path.frames.iter().map(|frame| json_frame(report, &frame.site, frame.is_recursive)).collect()
}

fn json_frame<'a>(report: &'a LinksReport, site: &'a Site, recursive: bool) -> JsonFrame<'a> {
    JsonFrame { site: site_with_file(report, site), recursive }
}

fn json_graph<'a>(report: &'a LinksReport, graph: &'a LinkGraph) -> JsonGraph<'a> {
    let passages = graph.passages.iter();
    JsonGraph {
        stations: graph.stations.iter().map(|station| json_station(report, station)).collect(),
        passages: passages.map(|&Passage { from, to, line }| JsonPassage { from, to, line }).collect(),
    }
}

fn json_station<'a>(report: &'a LinksReport, station: &'a Station) -> JsonStation<'a> {
    let kind = match station.kind {
        StationKind::Try => "try",
        StationKind::Method => "method",
        StationKind::Lambda => "lambda",
    };
    JsonStation { kind, frame: json_frame(report, &station.method, station.is_recursive) }
}
