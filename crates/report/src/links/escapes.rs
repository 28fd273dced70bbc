//! Escapes of public methods: for a terminal, and `catchment.escapes/1`.

use crate::json::write_line;
use crate::links::LinksReport;
use crate::links::json::{
    JsonCataloguePoint, JsonException, JsonSiteWithFile, json_catalogue_point, site_with_file,
};
use crate::links::words::{place, raised_by};
use crate::plain_text::PlainText;
use crate::text::{counted, readable, simple_name};
use catchment_exceptions::{Escapes, EscapingException, LinksAnswer};
use serde::Serialize;
use std::io::{self, Write};

/// Escapes by public method, checked exceptions first.
pub fn write_escapes_text(
    out: &mut dyn Write,
    answer: &LinksAnswer,
    escapes: &[Escapes],
    all: bool,
) -> io::Result<()> {
    let out = &mut PlainText::new(out);
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
    method: JsonSiteWithFile<'a>,
    exceptions: Vec<JsonEscaping<'a>>,
}

#[derive(Serialize)]
struct JsonEscaping<'a> {
    #[serde(flatten)]
    exception: JsonException<'a>,
    checked: bool,
    from: Vec<JsonCataloguePoint<'a>>,
}

/// Escapes of the public methods of the application.
pub fn write_escapes_json(out: &mut dyn Write, report: &LinksReport, escapes: &[Escapes]) -> io::Result<()> {
    let analysis = report.answer.analysis.with(None).to_string();
    let methods = escapes.iter().map(|escapes| JsonEscapingFrom {
        method: site_with_file(report, &escapes.method),
        exceptions: escapes.exceptions.iter().map(|escaping| json_escaping(report, escaping)).collect(),
    });
    write_line(out, &JsonEscapes { schema: "catchment.escapes/1", analysis, methods: methods.collect() })
}

fn json_escaping<'a>(report: &'a LinksReport, escaping: &'a EscapingException) -> JsonEscaping<'a> {
    let exception = &escaping.exception;
    JsonEscaping {
        exception: JsonException { class: &exception.name, exact: exception.is_exact },
        checked: escaping.is_checked,
        from: escaping.points.iter().map(|point| json_catalogue_point(report, point)).collect(),
    }
}
