//! Pieces of JSON that several contracts share.

use crate::handlers::ClassLocation;
use catchment_pairs::ClauseDescription;
use catchment_verdicts::{Finding, SourceSite};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// A problem, the same in every contract.
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
    pub(crate) try_end_line: Option<u32>,
    pub(crate) catch_line: Option<u32>,
    pub(crate) catch_end_line: Option<u32>,
    pub(crate) parent: Option<&'a str>,
    pub(crate) source_file: Option<&'a str>,
    pub(crate) maybe_generated: bool,
}

impl<'a> JsonPair<'a> {
    pub(crate) fn of(clause: &'a ClauseDescription) -> Self {
        Self {
            id: &clause.id,
            class: &clause.class,
            method: &clause.method,
            descriptor: &clause.descriptor,
            types: &clause.types,
            try_line: clause.try_line,
            try_end_line: clause.try_end_line,
            catch_line: clause.catch_line,
            catch_end_line: clause.catch_end_line,
            parent: clause.parent.as_deref(),
            source_file: clause.source_file.as_deref(),
            maybe_generated: clause.maybe_generated,
        }
    }
}

/// Where a class comes from in its project.
#[derive(Default, Serialize)]
pub(crate) struct JsonLocation<'a> {
    /// From the top of the repository, as the module is.
    pub(crate) source: Option<&'a str>,
    pub(crate) module: Option<&'a str>,
    pub(crate) jar: Option<&'a str>,
}

impl<'a> JsonLocation<'a> {
    /// The location of a class; `source` only for code in `file`, since code of inline functions is in other files than the
    /// class.
    pub(crate) fn of(location: &'a ClassLocation, file: Option<&str>) -> Self {
        let is_own = |source: &&str| file.is_some_and(|file| Path::new(source).ends_with(file));
        Self {
            source: location.source.as_deref().filter(is_own),
            module: location.module.as_deref(),
            jar: location.jar.as_deref(),
        }
    }
}

/// FINDING of the contracts; `E` is the evidence of the command.
#[derive(Serialize)]
pub(crate) struct JsonFinding<'a, E> {
    id: &'a str,
    rule: &'static str,
    level: &'static str,
    message: &'a str,
    site: JsonSite<'a>,
    pair: Option<&'a str>,
    related: Vec<JsonSite<'a>>,
    evidence: E,
    accepted: Option<&'a str>,
}

impl<'a, E> JsonFinding<'a, E> {
    pub(crate) fn of<F>(finding: &'a Finding<F>, evidence: E) -> Self {
        Self {
            id: &finding.id,
            rule: finding.rule.id(),
            level: finding.level.as_str(),
            message: &finding.message,
            site: JsonSite::of(&finding.site),
            pair: finding.pair.as_deref(),
            related: finding.related.iter().map(JsonSite::of).collect(),
            evidence,
            accepted: finding.accepted.as_deref(),
        }
    }
}

/// SITE of the contracts.
#[derive(Serialize)]
pub(crate) struct JsonSite<'a> {
    class: &'a str,
    method: &'a str,
    descriptor: &'a str,
    /// Null where no single instruction is meant.
    pc: Option<u16>,
    line: Option<u32>,
    file: Option<&'a str>,
}

impl<'a> JsonSite<'a> {
    fn of(site: &'a SourceSite) -> Self {
        Self {
            class: &site.class,
            method: &site.method,
            descriptor: &site.descriptor,
            pc: site.pc,
            line: site.line,
            file: site.file.as_deref(),
        }
    }
}

/// One line, so that it can be told from what a watched program printed before it.
pub(crate) fn write_line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}
