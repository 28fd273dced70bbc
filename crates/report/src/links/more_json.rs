//! What can be asked beside the links, for programs: `catchment.paths/1`, `catchment.escapes/1`, `catchment.blind-spots/1` and
//! `catchment.catalogue/1`.

use crate::json::write_line;
use crate::links::ExplainedLink;
use crate::links::json::{
    JsonBlindSpot, JsonException, JsonLinkedPair, JsonSite, json_blind_spot, json_exceptions, json_site,
    linked_pair, point_kind,
};
use crate::links::words::layer;
use catchment_exceptions::{
    BlindSite, CataloguedOperation, Escapes, EscapingException, FoundLink, LinkGraph, LinksAnswer, Match,
    PointDescription, RaisedBy, Site, Station, StationKind, WitnessPath,
};
use serde::Serialize;
use std::io::{self, Write};

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
    from: JsonRaise<'a>,
    to: &'a str,
    /// Instructions of the try that the exceptions come out of.
    sites: Vec<JsonSite<'a>>,
    /// Whether a run has gone through it, if runs were given.
    seen: Option<bool>,
}

/// A raising point, and the exceptions that come from it by one link.
#[derive(Serialize)]
struct JsonRaise<'a> {
    #[serde(flatten)]
    point: JsonCataloguePoint<'a>,
    /// The nearest class that all of `exceptions` are.
    exception: &'a str,
    exceptions: Vec<JsonException<'a>>,
}

/// A raising point of the contracts that call the kind of a fault `operation`.
#[derive(Serialize)]
struct JsonCataloguePoint<'a> {
    kind: &'static str,
    operation: Option<&'a str>,
    #[serde(flatten)]
    place: JsonPlace<'a>,
}

/// A site of the contracts that call the file `source_file` as well.
#[derive(Serialize)]
pub(crate) struct JsonPlace<'a> {
    #[serde(flatten)]
    site: JsonSite<'a>,
    source_file: Option<&'a str>,
    layer: &'static str,
}

#[derive(Serialize)]
struct JsonFrame<'a> {
    #[serde(flatten)]
    place: JsonPlace<'a>,
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

/// Links, each with its shortest paths and all calls by which it comes.
pub fn write_paths_json(
    out: &mut dyn Write,
    answer: &LinksAnswer,
    links: &[ExplainedLink],
) -> io::Result<()> {
    let links = links.iter().map(|explained| JsonExplained {
        link: named_link(answer, &explained.link),
        pair: linked_pair(&answer.pairs[explained.link.to]),
        paths: explained.paths.iter().map(json_path).collect(),
        graph: json_graph(&explained.graph),
    });
    let analysis = answer.analysis.to_string();
    write_line(out, &JsonPaths { schema: "catchment.paths/1", analysis, links: links.collect() })
}

fn named_link<'a>(answer: &'a LinksAnswer, link: &'a FoundLink) -> JsonNamedLink<'a> {
    JsonNamedLink {
        id: &link.id,
        number: link.number,
        from: JsonRaise {
            point: json_catalogue_point(&answer.points[link.from]),
            exception: &link.exception,
            exceptions: json_exceptions(&link.exceptions),
        },
        to: &answer.pairs[link.to].pair.id,
        sites: link.sites.iter().map(|site| json_site(&answer.sites[*site])).collect(),
        seen: answer.comparison.as_ref().map(|_| link.is_seen),
    }
}

fn json_catalogue_point(point: &PointDescription) -> JsonCataloguePoint<'_> {
    let operation = match &point.by {
        RaisedBy::Operation { kind, .. } => Some(kind.as_str()),
        RaisedBy::Throw | RaisedBy::Implicit | RaisedBy::Native => None,
    };
    JsonCataloguePoint { kind: point_kind(&point.by), operation, place: json_place(&point.site) }
}

pub(crate) fn json_place(site: &Site) -> JsonPlace<'_> {
    JsonPlace { site: json_site(site), source_file: site.file.as_deref(), layer: layer(site.layer) }
}

fn json_path(path: &WitnessPath) -> Vec<JsonFrame<'_>> {
    let frames = path.frames.iter();
    frames.map(|it| JsonFrame { place: json_place(&it.site), recursive: it.is_recursive }).collect()
}

fn json_graph(graph: &LinkGraph) -> JsonGraph<'_> {
    let passages = graph.passages.iter();
    JsonGraph {
        stations: graph.stations.iter().map(json_station).collect(),
        passages: passages.map(|it| JsonPassage { from: it.from, to: it.to, line: it.line }).collect(),
    }
}

fn json_station(station: &Station) -> JsonStation<'_> {
    let kind = match station.kind {
        StationKind::Try => "try",
        StationKind::Method => "method",
        StationKind::Lambda => "lambda",
    };
    let frame = JsonFrame { place: json_place(&station.method), recursive: station.is_recursive };
    JsonStation { kind, frame }
}

#[derive(Serialize)]
struct JsonEscapes<'a> {
    schema: &'static str,
    /// Without a filter: those are about clauses.
    analysis: String,
    methods: Vec<JsonEscapingFrom<'a>>,
}

#[derive(Serialize)]
struct JsonEscapingFrom<'a> {
    #[serde(flatten)]
    method: JsonPlace<'a>,
    exceptions: Vec<JsonEscaping<'a>>,
}

#[derive(Serialize)]
struct JsonEscaping<'a> {
    #[serde(flatten)]
    exception: JsonException<'a>,
    checked: bool,
    from: Vec<JsonCataloguePoint<'a>>,
}

/// What can leave the public methods of the application.
pub fn write_escapes_json(out: &mut dyn Write, answer: &LinksAnswer, escapes: &[Escapes]) -> io::Result<()> {
    let analysis = answer.analysis.with(None).to_string();
    let methods = escapes.iter().map(|escapes| JsonEscapingFrom {
        method: json_place(&escapes.method),
        exceptions: escapes.exceptions.iter().map(json_escaping).collect(),
    });
    write_line(out, &JsonEscapes { schema: "catchment.escapes/1", analysis, methods: methods.collect() })
}

fn json_escaping(escaping: &EscapingException) -> JsonEscaping<'_> {
    let exception = &escaping.exception;
    JsonEscaping {
        exception: JsonException { class: &exception.name, exact: exception.is_exact },
        checked: escaping.is_checked,
        from: escaping.points.iter().map(json_catalogue_point).collect(),
    }
}

#[derive(Serialize)]
struct JsonBlindSpots<'a> {
    schema: &'static str,
    blind_spots: Vec<JsonBlindSpot<'a>>,
}

/// What was not modelled.
pub fn write_blind_spots_json(out: &mut dyn Write, spots: &[BlindSite]) -> io::Result<()> {
    let blind_spots = spots.iter().map(json_blind_spot).collect();
    write_line(out, &JsonBlindSpots { schema: "catchment.blind-spots/1", blind_spots })
}

#[derive(Serialize)]
struct JsonCatalogue<'a> {
    schema: &'static str,
    operations: Vec<JsonOperation<'a>>,
}

#[derive(Serialize)]
struct JsonOperation<'a> {
    fault: &'a str,
    operation: String,
    throws: &'a [String],
    found: &'static str,
}

/// The fault catalogue, with what the program and the JDK at hand have of it.
pub fn write_catalogue_json(out: &mut dyn Write, catalogue: &[CataloguedOperation]) -> io::Result<()> {
    let operations = catalogue.iter().map(|entry| JsonOperation {
        fault: entry.operation.kind.as_str(),
        operation: entry.operation.to_string(),
        throws: &entry.operation.throws,
        found: match entry.found {
            Match::Reached(_) => "reached",
            Match::Unreached => "not_reached",
            Match::Lacking => "lacking",
            Match::OtherRelease => "other_release",
        },
    });
    write_line(out, &JsonCatalogue { schema: "catchment.catalogue/1", operations: operations.collect() })
}
