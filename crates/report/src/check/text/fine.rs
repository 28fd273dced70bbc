//! Fine experiments for a terminal: faults thrown at the calls within a try.

use super::line_of;
use crate::check::CheckReport;
use crate::failure_text::shortened;
use crate::text::{counted, readable, shown_file, simple_name, source_place};
use catchment_verdicts::{
    CheckedPair, ExperimentResult, FineSite, Judgement, Outcome, SourceIndependence, explain,
};
use std::io::{self, Write};

/// Clauses that hold in the worst case and not at one of the calls: no findings by the rule of the paper, and worth as
/// much.
pub(crate) fn write_hidden(out: &mut dyn Write, report: &CheckReport<'_>) -> io::Result<()> {
    let failing: Vec<_> = report
        .judged()
        .filter_map(|(pair, verdicts)| {
            let fine = verdicts.fine.as_ref().filter(|fine| fine.verdict == SourceIndependence::Dependent)?;
            Some((pair, failure(pair, fine)?))
        })
        .collect();
    if failing.is_empty() {
        return Ok(());
    }
    let clauses = counted(failing.len(), "catch holds", "catches hold");
    writeln!(out)?;
    writeln!(out, "{clauses} when the exception comes at once, and not when it comes later:")?;
    for (pair, (experiment, site)) in failing {
        writeln!(out)?;
        writeln!(out, "-  {}", line_of(pair))?;
        writeln!(out, "   {}", failure_text(report, pair, experiment, site))?;
    }
    Ok(())
}

pub(crate) fn write_fine(
    out: &mut dyn Write,
    report: &CheckReport<'_>,
    pair: &CheckedPair,
    fine: &Judgement<SourceIndependence>,
) -> io::Result<()> {
    let why = match (fine.verdict, failure(pair, fine)) {
        (SourceIndependence::Independent, _) => {
            let places = pair.fine_grained.as_ref().map_or(0, |fine| fine.sites.len());
            let runs = counted(fine.evidence.len(), "run", "runs");
            format!(" ({runs}, {})", counted(places, "call", "calls"))
        }
        (SourceIndependence::Dependent, Some((experiment, site))) => {
            write_verdict(out, fine, "")?;
            return writeln!(out, "      {}", failure_text(report, pair, experiment, site));
        }
        _ => {
            let reasons = fine.unknown.iter();
            let why = reasons.filter_map(|reason| explain(reason, pair, &report.project.tests)).next();
            why.map(|why| format!(", {}", readable(&why))).unwrap_or_default()
        }
    };
    write_verdict(out, fine, &why)
}

fn write_verdict(out: &mut dyn Write, fine: &Judgement<SourceIndependence>, why: &str) -> io::Result<()> {
    writeln!(out, "    source independence, call by call: {}{why}", fine.verdict.as_str())
}

/// The run that decided, and where the exception was thrown.
fn failure<'a>(
    pair: &'a CheckedPair,
    fine: &Judgement<SourceIndependence>,
) -> Option<(&'a ExperimentResult, &'a FineSite)> {
    let experiment = fine.evidence.first().and_then(|number| pair.experiments.get(*number))?;
    let site = pair.fine_grained.as_ref()?.sites.get(experiment.mode.site()?)?;
    Some((experiment, site))
}

/// `T fails when IOException comes before the call of java.io.Reader.read (Cache.java:83): expected ...`.
fn failure_text(
    report: &CheckReport<'_>,
    pair: &CheckedPair,
    experiment: &ExperimentResult,
    at: &FineSite,
) -> String {
    let Outcome::Fail(failure) = &experiment.outcome else { return String::new() };
    let what = match &at.callee {
        Some(callee) => format!("the call of {callee}"),
        None => "the throw".to_owned(),
    };
    let name = at.site.file.as_deref();
    let file = if at.site.class == pair.clause.class { shown_file(&pair.location, name) } else { name };
    let inside = if at.is_in_body { String::new() } else { format!(" in {}", readable(&at.method())) };
    format!(
        "{} {} when {} comes before {what}{inside} ({}): {}",
        report.test_name(experiment),
        failure.kind.verb(),
        simple_name(&experiment.exception),
        source_place(file, at.site.line),
        shortened(&failure.text)
    )
}
