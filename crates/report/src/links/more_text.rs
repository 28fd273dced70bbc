//! What can be asked beside the links, for a terminal: witness paths, escapes, blind spots and the catalogue.

use crate::links::ExplainedLink;
use crate::links::words::{blind_spot, clause, exceptions, place, raised_by};
use crate::text::{counted, readable, simple_name};
use catchment_exceptions::{BlindSite, CataloguedOperation, Escapes, EscapingException, LinksAnswer, Match};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Places of one kind of blind spot, and raising points of one exception, that are shown.
const SHOWN: usize = 5;

/// A link and the ways by which it comes.
pub fn write_paths_text(
    out: &mut dyn Write,
    answer: &LinksAnswer,
    ExplainedLink { link, paths, graph }: &ExplainedLink,
) -> io::Result<()> {
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

/// Per public method what can leave it, checked exceptions first.
pub fn write_escapes_text(
    out: &mut dyn Write,
    answer: &LinksAnswer,
    escapes: &[Escapes],
    all: bool,
) -> io::Result<()> {
    for method in escapes {
        writeln!(
            out,
            "{}.{}{}",
            method.method.class,
            readable(&method.method.method),
            method.method.descriptor
        )?;
        let (checked, unchecked): (Vec<_>, Vec<_>) = method.exceptions.iter().partition(|it| it.is_checked);
        for exception in checked.into_iter().chain(unchecked) {
            write_escaping(out, exception, all)?;
        }
    }
    let methods = counted(escapes.len(), "public method lets", "public methods let");
    let analysis = answer.analysis;
    writeln!(out, "{methods} exceptions out ({})", analysis.with(None))?;
    if analysis.filter().is_some() {
        writeln!(out, "filters are about the calls in tries: {analysis} drops none of these")?;
    }
    Ok(())
}

fn write_escaping(out: &mut dyn Write, escaping: &EscapingException, all: bool) -> io::Result<()> {
    let checked = if escaping.is_checked { "checked" } else { "unchecked" };
    let name = simple_name(&escaping.exception.name);
    let below = if escaping.exception.is_exact { "" } else { " or below" };
    writeln!(out, "  {checked:<9}  {name}{below}")?;
    let shown = if all { escaping.points.len() } else { 1 };
    for point in escaping.points.iter().take(shown) {
        writeln!(out, "             {}  {}", raised_by(point), place(&point.site))?;
    }
    let rest = escaping.points.len().saturating_sub(shown);
    if rest > 0 {
        writeln!(out, "             and {}", counted(rest, "more raising point", "more raising points"))?;
    }
    Ok(())
}

/// By kind, with counts and some of the places.
pub fn write_blind_spots_text(out: &mut dyn Write, spots: &[BlindSite], all: bool) -> io::Result<()> {
    let mut kinds: BTreeMap<_, Vec<&BlindSite>> = BTreeMap::new();
    for spot in spots {
        kinds.entry(spot.spot).or_default().push(spot);
    }
    for (spot, places) in kinds {
        let (word, meaning) = blind_spot(spot);
        writeln!(out, "{word}: {}, {meaning}", counted(places.len(), "place", "places"))?;
        let shown = if all { places.len() } else { SHOWN };
        for blind in places.iter().take(shown) {
            writeln!(out, "  {}", place(&blind.site))?;
        }
        if places.len() > shown {
            writeln!(out, "  and {} more (--all lists them)", places.len() - shown)?;
        }
    }
    writeln!(out, "{}", counted(spots.len(), "blind spot", "blind spots"))
}

/// The catalogue, with what the program and the JDK at hand have of it.
pub fn write_catalogue_text(out: &mut dyn Write, catalogue: &[CataloguedOperation]) -> io::Result<()> {
    let mut kinds: Vec<(&str, Vec<&CataloguedOperation>)> = Vec::new();
    for entry in catalogue {
        let kind = entry.operation.kind.as_str();
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, entries)) => entries.push(entry),
            None => kinds.push((kind, vec![entry])),
        }
    }
    for (kind, entries) in kinds {
        writeln!(out, "{kind}")?;
        for entry in entries {
            let throws: Vec<_> = entry.operation.throws.iter().map(|name| simple_name(name)).collect();
            writeln!(out, "  {:<13}  {}  {}", found(entry.found), entry.operation, throws.join(", "))?;
        }
    }
    let count = |wanted: fn(Match) -> bool| catalogue.iter().filter(|entry| wanted(entry.found)).count();
    let lacking = catalogue.iter().filter(|entry| entry.found == Match::Lacking);
    let (own, of_jdk): (Vec<_>, Vec<_>) = lacking.partition(|entry| entry.operation.table.is_some());
    let own = match own.len() {
        0 => String::new(),
        lacking => format!(", {lacking} of catchment.toml that no class has"),
    };
    writeln!(
        out,
        "{}: {} reached, {} not reached, {} that this JDK lacks, {} of other releases{own}",
        counted(catalogue.len(), "operation", "operations"),
        count(|found| matches!(found, Match::Reached(_))),
        count(|found| found == Match::Unreached),
        of_jdk.len(),
        count(|found| found == Match::OtherRelease),
    )
}

fn found(found: Match) -> &'static str {
    match found {
        Match::Reached(_) => "reached",
        Match::Unreached => "not reached",
        Match::Lacking => "LACKING",
        Match::OtherRelease => "other release",
    }
}
