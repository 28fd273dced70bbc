//! Pieces of JSON that several contracts share.

use serde::Serialize;
use std::io::{self, Write};

/// Where and what. The same in every contract.
#[derive(Serialize)]
pub(crate) struct JsonProblem<'a> {
    #[serde(rename = "where")]
    pub(crate) place: &'a str,
    pub(crate) what: &'a str,
}

/// PAIR of the contracts, with the source file added.
#[derive(Serialize)]
pub(crate) struct JsonPair<'a> {
    pub(crate) id: &'a str,
    pub(crate) class: &'a str,
    pub(crate) method: &'a str,
    pub(crate) descriptor: &'a str,
    pub(crate) types: &'a [String],
    pub(crate) try_line: Option<u32>,
    pub(crate) catch_line: Option<u32>,
    pub(crate) parent: Option<&'a str>,
    pub(crate) source_file: Option<&'a str>,
    pub(crate) maybe_generated: bool,
}

/// One line, so that it can be told from what a watched program printed before it.
pub(crate) fn write_line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}
