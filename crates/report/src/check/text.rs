//! A check for a terminal: the few findings worth a look first, then the totals, then where the rest is.
//!
//! Findings come in the order of `catchment_verdicts::findings_of`, which says why.

mod fine;
pub(crate) mod plan;
mod reasons;
pub(crate) mod stats;
mod tables;

use crate::check::CheckReport;
use crate::check::sentences::unfinished;
use crate::failure_text::shortened;
use crate::plain_text::PlainText;
use crate::text::{clause_line, counted, readable, simple_name};
use catchment_verdicts::{
    CheckFinding, CheckedPair, ColourCounts, ExperimentResult, Findings, Judgement, Message, Outcome,
    PureResilience, SourceIndependence, Verdicts, advice_on_dependence, explain, nearest_test,
    reliance_words,
};
use fine::{write_fine, write_hidden};
use reasons::write_reasons;
use std::io::{self, Write};
use tables::{write_pair_table, write_set_aside, write_test_table};

/// Number of findings that are shown without `--all`.
const WORTH_DOING_FIRST: usize = 10;
/// Number of problems that are shown without `--all`.
const PROBLEMS_SHOWN: usize = 5;

/// The level of detail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckDetail {
    /// All findings, all pairs, all tests that were set aside; otherwise what is worth doing first, and totals.
    pub all: bool,
}

pub fn write_check_text(
    out: &mut dyn Write,
    report: &CheckReport<'_>,
    detail: CheckDetail,
) -> io::Result<()> {
    let out = &mut PlainText::new(out);
    write_findings(out, report, detail)?;
    write_hidden(out, report)?;
    if detail.all {
        write_all_pairs(out, report)?;
    }
    write_pair_table(out, report, detail)?;
    write_test_table(out, report.project)?;
    write_set_aside(out, report, detail)?;
    write_notes(out, report)?;
    write_unfinished(out, report)?;
    write_problems(out, report, detail)?;
    write_stale(out, report)?;
    if !detail.all {
        writeln!(out)?;
        writeln!(out, "--all lists every pair with its verdicts, --json every experiment.")?;
    }
    Ok(())
}

fn write_findings(out: &mut dyn Write, report: &CheckReport<'_>, detail: CheckDetail) -> io::Result<()> {
    let Findings { open, routine, accepted, .. } = &report.findings;
    let shown = if detail.all { open.len() } else { open.len().min(WORTH_DOING_FIRST) };
    match open.len() {
        0 if routine.is_empty() => writeln!(out, "No findings.")?,
        0 => writeln!(out, "No findings worth doing first.")?,
        all if all == shown => writeln!(out, "{}", counted(all, "finding", "findings"))?,
        all => writeln!(out, "The first {shown} of {all} findings; --all shows the others")?,
    }
    for (number, finding) in open.iter().take(shown).enumerate() {
        write_finding(out, report, &format!("{}.", number + 1), finding)?;
    }
    if !routine.is_empty() {
        write_not_resilient(out, report, routine.len())?;
    }
    if detail.all {
        routine.iter().try_for_each(|finding| write_finding(out, report, "- ", finding))?;
    }
    match accepted.len() {
        0 => Ok(()),
        count => {
            writeln!(out)?;
            writeln!(out, "{} suppressed", counted(count, "finding is", "findings are"))
        }
    }
}

/// The clauses that are not purely resilient, as the table counts them, and where they are listed.
fn write_not_resilient(out: &mut dyn Write, report: &CheckReport<'_>, routine: usize) -> io::Result<()> {
    let count = |findings: &[CheckFinding]| {
        let verdicts = findings.iter().map(|finding| report.pair_of(finding).1.pure_resilience.verdict);
        verdicts.filter(|verdict| *verdict == PureResilience::NotResilient).count()
    };
    let (open, suppressed) = (count(&report.findings.open), count(&report.findings.accepted));
    let clauses = counted(open + routine + suppressed, "clause is", "clauses are");
    writeln!(out)?;
    write!(out, "{clauses} not purely resilient")?;
    let elsewhere = [(open, "is a finding", "are findings"), (suppressed, "is suppressed", "are suppressed")];
    let elsewhere = elsewhere.iter().filter(|(count, ..)| *count > 0);
    let elsewhere: Vec<_> = elsewhere.map(|(count, one, many)| counted(*count, one, many)).collect();
    match elsewhere.as_slice() {
        [] => write!(out, ": ")?,
        parts => write!(out, ": {}; for {routine} ", parts.join(", "))?,
    }
    writeln!(out, "a test merely notices the failure, which is normal.")
}

fn write_finding(
    out: &mut dyn Write,
    report: &CheckReport<'_>,
    label: &str,
    finding: &CheckFinding,
) -> io::Result<()> {
    let (pair, _) = report.pair_of(finding);
    writeln!(out)?;
    writeln!(out, "{label} {}", line_of(pair))?;
    write_message(out, &finding.message)
}

/// A finding in one line, for the moment at which it is found.
pub fn finding_line(pair: &CheckedPair, finding: &CheckFinding) -> String {
    let shown = finding.message.sentences.last().map_or("", String::as_str);
    format!("{}: {}", line_of(pair), readable(shown))
}

/// The answer, what shows it, what is known of the reason, what to do: a line each.
fn write_message(out: &mut dyn Write, message: &Message) -> io::Result<()> {
    let (last, first) =
        message.sentences.split_last().map_or(("", [].as_slice()), |(last, first)| (last, first));
    first.iter().try_for_each(|sentence| writeln!(out, "   {}.", readable(sentence)))?;
    match &message.failure {
        Some(failure) => {
            writeln!(out, "   {}:", readable(last))?;
            writeln!(out, "     {}", shortened(failure))?;
        }
        None => writeln!(out, "   {}.", readable(last))?,
    }
    message.reasons.iter().try_for_each(|reason| writeln!(out, "   {}.", readable(reason)))?;
    message.to_do.iter().try_for_each(|to_do| writeln!(out, "   To do: {}.", readable(to_do)))
}

pub(crate) fn line_of(pair: &CheckedPair) -> String {
    let text = clause_line(&pair.clause, &pair.location);
    if pair.clause.maybe_generated { format!("{text}  (maybe generated)") } else { text }
}

fn write_all_pairs(out: &mut dyn Write, report: &CheckReport<'_>) -> io::Result<()> {
    writeln!(out)?;
    writeln!(out, "All pairs")?;
    for (pair, verdicts) in report.judged().filter(|(pair, _)| !pair.left_out) {
        write_pair(out, report, pair, verdicts)?;
    }
    Ok(())
}

fn write_pair(
    out: &mut dyn Write,
    report: &CheckReport<'_>,
    pair: &CheckedPair,
    verdicts: &Verdicts,
) -> io::Result<()> {
    writeln!(out)?;
    writeln!(out, "{}", line_of(pair))?;
    writeln!(out, "    id {}", pair.clause.id)?;
    let ColourCounts { pink, white, blue, open } = pair.usages;
    let entries = usize::try_from(pair.usages.entries()).unwrap_or(usize::MAX);
    writeln!(
        out,
        "    the try is executed {} by {}: {pink} without exception, {white} caught here, {blue} not caught here, \
         {open} unfinished",
        counted(entries, "time", "times"),
        counted(pair.executing_tests.len(), "test", "tests")
    )?;
    writeln!(
        out,
        "    source independence: {}; pure resilience: {}",
        verdicts.source_independence.verdict.as_str(),
        verdicts.pure_resilience.verdict.as_str().replace('_', " ")
    )?;
    if verdicts.is_unnoticed(pair) {
        writeln!(
            out,
            "    no test could have noticed: each passes without the work of the try, and none enters the catch"
        )?;
    }
    let types = pair.clause.types.len();
    if types > 1 {
        writeln!(out, "    every test is tried with each of its {types} types, and must pass with all")?;
    }
    if let Some(advice) = advice_on_dependence(pair, verdicts, &report.project.tests) {
        writeln!(out, "    {advice}")?;
    }
    pair.relies_on.iter().try_for_each(|relied| writeln!(out, "    {}", reliance_words(relied)))?;
    if let Some(selective) = &verdicts.selective {
        write_selective(out, report, pair, selective)?;
    }
    if let Some(fine) = &verdicts.fine {
        write_fine(out, report, pair, fine)?;
    }
    write_reasons(out, pair, verdicts, &report.project.tests)?;
    if let Some(nearest) = nearest_test(report.project, pair) {
        let name = report.project.test(nearest.test).map_or("?", |test| test.name.as_str());
        writeln!(out, "    to start from: {}, which {}", readable(name), nearest.nearness.as_str())?;
    }
    match report.suppression_of(pair) {
        Some(suppression) => writeln!(out, "    suppressed: {}", suppression.reason),
        None => Ok(()),
    }
}

/// The selective verdict of a pair whose verdict is unknown otherwise.
fn write_selective(
    out: &mut dyn Write,
    report: &CheckReport<'_>,
    pair: &CheckedPair,
    selective: &Judgement<SourceIndependence>,
) -> io::Result<()> {
    let label = format!("    source independence, execution by execution: {}", selective.verdict.as_str());
    let first = selective.evidence.first().and_then(|number| pair.experiments.get(*number));
    match (selective.verdict, first) {
        (SourceIndependence::Independent, _) => {
            let runs = counted(selective.evidence.len(), "run", "runs");
            let white: u64 = pair.executing_tests.iter().map(|executing| executing.usages.white).sum();
            let white = usize::try_from(white).unwrap_or(usize::MAX);
            let ends = counted(white, "execution ends", "executions end");
            writeln!(out, "{label} ({runs}, {ends} in the catch)")
        }
        (SourceIndependence::Dependent, Some(experiment)) => {
            writeln!(out, "{label}")?;
            write_selective_failure(out, report, experiment)?;
            match selective.only_timeouts {
                true => writeln!(out, "      the only evidence is a timeout"),
                false => Ok(()),
            }
        }
        _ => {
            let reasons = selective.unknown.iter();
            let why = reasons.filter_map(|reason| explain(reason, pair, &report.project.tests)).next();
            let why = why.map(|why| format!(", {}", readable(&why)));
            writeln!(out, "{label}{}", why.unwrap_or_default())
        }
    }
}

fn write_selective_failure(
    out: &mut dyn Write,
    report: &CheckReport<'_>,
    experiment: &ExperimentResult,
) -> io::Result<()> {
    let Outcome::Fail(failure) = &experiment.outcome else { return Ok(()) };
    let (test, verb) = (report.test_name(experiment), failure.kind.verb());
    let exception = simple_name(&experiment.exception);
    let execution = experiment.mode.occurrence().unwrap_or_default();
    writeln!(out, "      {test} {verb} when {exception} comes at the start of execution {execution}")?;
    writeln!(out, "        {}", shortened(&failure.text))
}

/// How observation differs from what the build does.
fn write_notes(out: &mut dyn Write, report: &CheckReport<'_>) -> io::Result<()> {
    for configuration in &report.project.configurations {
        for note in &configuration.notes {
            writeln!(out)?;
            writeln!(out, "note: {}: {note}", configuration.name)?;
        }
    }
    Ok(())
}

/// A check that was cut short must not look like one that was not.
fn write_unfinished(out: &mut dyn Write, report: &CheckReport<'_>) -> io::Result<()> {
    let sentences = unfinished(report);
    let Some((first, others)) = sentences.split_first() else { return Ok(()) };
    writeln!(out)?;
    writeln!(out, "{first}")?;
    others.iter().try_for_each(|sentence| writeln!(out, "  {sentence}"))
}

fn write_problems(out: &mut dyn Write, report: &CheckReport<'_>, detail: CheckDetail) -> io::Result<()> {
    let problems = &report.project.problems;
    if problems.is_empty() {
        return Ok(());
    }
    let shown = if detail.all { problems.len() } else { PROBLEMS_SHOWN };
    writeln!(out)?;
    writeln!(out, "{}", counted(problems.len(), "problem", "problems"))?;
    for problem in problems.iter().take(shown) {
        writeln!(out, "  {}: {}", readable(&problem.place), readable(&problem.what))?;
    }
    match problems.len().saturating_sub(shown) {
        0 => Ok(()),
        more => writeln!(out, "  and {more} more"),
    }
}

fn write_stale(out: &mut dyn Write, report: &CheckReport<'_>) -> io::Result<()> {
    for stale in &report.findings.stale {
        writeln!(out)?;
        writeln!(out, "warning: stale suppression of {}: {}", stale.pair, stale.why)?;
    }
    Ok(())
}
