//! `catchment.handlers/1`.

use crate::handlers::{HandlerListing, ListedClass};
use crate::json::{JsonPair, JsonProblem, write_line};
use catchment_pairs::{ClauseDescription, Filtered, Pair};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct JsonListing<'a> {
    schema: &'static str,
    pairs: Vec<JsonListedPair<'a>>,
    filtered: Vec<JsonFiltered<'a>>,
    problems: Vec<JsonProblem<'a>>,
}

#[derive(Serialize)]
struct JsonListedPair<'a> {
    #[serde(flatten)]
    pair: JsonPair<'a>,
    origin: &'a str,
    /// Without line numbers a compiler's copy of another pair cannot be told from a pair of its own.
    maybe_copy: bool,
}

#[derive(Serialize)]
struct JsonFiltered<'a> {
    class: &'a str,
    method: &'a str,
    descriptor: &'a str,
    line: Option<u32>,
    reason: &'static str,
    origin: &'a str,
}

/// Always with what was filtered: readers of JSON pick what they want.
pub fn write_handlers_json(out: &mut dyn Write, listing: &HandlerListing) -> io::Result<()> {
    let classes = &listing.classes;
    let described: Vec<Vec<ClauseDescription>> =
        classes.iter().map(|class| class.pairs.descriptions().collect()).collect();
    let value = JsonListing {
        schema: "catchment.handlers/1",
        pairs: classes
            .iter()
            .zip(&described)
            .flat_map(|(class, described)| {
                let pairs = class.pairs.pairs.iter().zip(described);
                pairs.map(|(pair, clause)| listed(class, pair, clause))
            })
            .collect(),
        filtered: classes
            .iter()
            .flat_map(|class| class.pairs.filtered.iter().map(|handler| filtered(class, handler)))
            .collect(),
        problems: listing
            .problems
            .iter()
            .map(|problem| JsonProblem { place: &problem.place, what: &problem.what })
            .collect(),
    };
    write_line(out, &value)
}

fn listed<'a>(class: &'a ListedClass, pair: &Pair, clause: &'a ClauseDescription) -> JsonListedPair<'a> {
    JsonListedPair {
        pair: JsonPair::of(clause, &class.location),
        origin: &class.origin,
        maybe_copy: pair.maybe_copy,
    }
}

fn filtered<'a>(class: &'a ListedClass, handler: &'a Filtered) -> JsonFiltered<'a> {
    JsonFiltered {
        class: &class.pairs.class,
        method: &handler.method,
        descriptor: &handler.descriptor,
        line: handler.line,
        reason: handler.reason.as_str(),
        origin: &class.origin,
    }
}
