//! The fault catalogue: for a terminal, and `catchment.catalogue/1`.

use crate::json::write_line;
use crate::plain_text::PlainText;
use crate::text::{counted, simple_name};
use catchment_exceptions::{CataloguedOperation, Match};
use serde::Serialize;
use std::io::{self, Write};

/// The fault catalogue by fault kind, each operation with whether the program reaches it.
pub fn write_catalogue_text(out: &mut dyn Write, catalogue: &[CataloguedOperation]) -> io::Result<()> {
    let out = &mut PlainText::new(out);
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

/// The fault catalogue, each operation with whether the program reaches it.
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
