//! Pieces of JSON that several contracts share.

use catchment_exceptions::Site;
use catchment_pairs::{ClassLocation, ClauseDescription};
use catchment_verdicts::{Finding, RelatedSite, SourceSite};
use serde::Serialize;
use std::io::{self, Write};

/// A problem, the same in every contract.
#[derive(Serialize)]
pub(crate) struct JsonProblem<'a> {
    #[serde(rename = "where")]
    pub(crate) place: &'a str,
    pub(crate) what: &'a str,
}

/// PAIR of the contracts.
#[derive(Serialize)]
pub(crate) struct JsonPair<'a> {
    id: &'a str,
    class: &'a str,
    method: &'a str,
    descriptor: &'a str,
    types: &'a [String],
    try_line: Option<u32>,
    try_end_line: Option<u32>,
    catch_line: Option<u32>,
    catch_end_line: Option<u32>,
    parent: Option<&'a str>,
    source_file: Option<&'a str>,
    maybe_generated: bool,
    #[serde(flatten)]
    location: JsonLocation<'a>,
}

impl<'a> JsonPair<'a> {
    /// `location` is that of the clause's class.
    pub(crate) fn of(clause: &'a ClauseDescription, location: &'a ClassLocation) -> Self {
        let source_file = clause.source_file.as_deref();
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
            source_file,
            maybe_generated: clause.maybe_generated,
            location: JsonLocation::of(location, source_file),
        }
    }
}

/// The location of code in its project.
#[derive(Default, Serialize)]
pub(crate) struct JsonLocation<'a> {
    /// From the top of the repository, as the module is.
    source: Option<&'a str>,
    module: Option<&'a str>,
    jar: Option<&'a str>,
}

impl<'a> JsonLocation<'a> {
    pub(crate) fn of_class(location: &'a ClassLocation) -> Self {
        Self {
            source: location.source.as_deref(),
            module: location.module.as_deref(),
            jar: location.jar.as_deref(),
        }
    }

    /// The location of code of `file` in a class with this location.
    pub(crate) fn of(location: &'a ClassLocation, file: Option<&str>) -> Self {
        Self { source: location.source_of(file), ..Self::of_class(location) }
    }
}

/// FINDING of the contracts; `E` is the evidence of the command.
#[derive(Serialize)]
pub(crate) struct JsonFinding<'a, E> {
    id: &'a str,
    rule: &'static str,
    level: &'static str,
    message: String,
    site: JsonSite<'a>,
    pair: Option<&'a str>,
    related: Vec<JsonRelatedSite<'a>>,
    evidence: E,
    accepted: Option<&'a str>,
}

impl<'a, E> JsonFinding<'a, E> {
    pub(crate) fn of<F>(finding: &'a Finding<F>, evidence: E) -> Self {
        Self {
            id: &finding.id,
            rule: finding.rule.id(),
            level: finding.level.as_str(),
            message: finding.message.to_string(),
            site: (&finding.site).into(),
            pair: finding.pair.as_deref(),
            related: finding.related.iter().map(JsonRelatedSite::from).collect(),
            evidence,
            accepted: finding.accepted.as_deref(),
        }
    }
}

/// SITE with its part in a finding.
#[derive(Serialize)]
struct JsonRelatedSite<'a> {
    #[serde(flatten)]
    site: JsonSite<'a>,
    role: &'static str,
    words: &'a str,
}

impl<'a> From<&'a RelatedSite> for JsonRelatedSite<'a> {
    fn from(RelatedSite { role, site, words }: &'a RelatedSite) -> Self {
        Self { site: site.into(), role: role.as_str(), words }
    }
}

/// SITE of the contracts: an instruction, a line or a method as a whole.
#[derive(Serialize)]
pub(crate) struct JsonSite<'a> {
    class: &'a str,
    method: &'a str,
    /// Null where it is not known, and where a catalogue entry means all overloads.
    descriptor: Option<&'a str>,
    /// Null where no single instruction is meant.
    pc: Option<u16>,
    line: Option<u32>,
    file: Option<&'a str>,
}

impl<'a> From<&'a SourceSite> for JsonSite<'a> {
    fn from(SourceSite { class, method, descriptor, pc, line, file }: &'a SourceSite) -> Self {
        let descriptor = Some(descriptor.as_str()).filter(|descriptor| !descriptor.is_empty());
        Self { class, method, descriptor, pc: *pc, line: *line, file: file.as_deref() }
    }
}

impl<'a> From<&'a Site> for JsonSite<'a> {
    fn from(Site { class, method, descriptor, pc, line, file, .. }: &'a Site) -> Self {
        let descriptor = Some(descriptor.as_str()).filter(|descriptor| !descriptor.is_empty());
        Self { class, method, descriptor, pc: *pc, line: *line, file: file.as_deref() }
    }
}

/// One line, so that it can be told from what a watched program printed before it.
pub(crate) fn write_line(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}
