//! A check as Markdown for the comment or the summary of a pull request: a table of the first findings, then what else
//! there is to know.

use super::sentences::{pairs_of, unfinished};
use crate::check::CheckReport;
use crate::failure_text::shortened;
use crate::markdown::{code, plain};
use crate::sarif::uri_of;
use crate::text::{capitalised, counted, readable, simple_names, source_place};
use catchment_verdicts::{CheckFinding, PairTables};
use std::io::{self, Write};

/// Findings in the table.
const MOST_ROWS: usize = 20;
/// Bytes of the table. A comment on GitHub has room for 65,536 characters.
const MOST_BYTES: usize = 60_000;
/// Characters of one cell, but for the failure, which has its own limit.
const LONGEST: usize = 1_000;

/// The user's wishes about the text.
#[derive(Debug, Clone, Copy, Default)]
pub struct MarkdownOptions<'a> {
    /// Address to which the path of a source file is added: places are links.
    pub sources: Option<&'a str>,
}

pub fn write_check_markdown(
    out: &mut dyn Write,
    report: &CheckReport<'_>,
    options: MarkdownOptions<'_>,
) -> io::Result<()> {
    let open = &report.findings.open;
    match open.len() {
        0 => writeln!(out, "### Catchment: no findings")?,
        count => writeln!(out, "### Catchment: {}", counted(count, "finding", "findings"))?,
    }
    let rows = rows(report, options);
    if !rows.is_empty() {
        writeln!(out, "\n| | clause | what was seen | what to do |\n| --- | --- | --- | --- |")?;
        rows.iter().try_for_each(|row| out.write_all(row.as_bytes()))?;
    }
    match open.len() - rows.len() {
        0 => {}
        more => writeln!(out, "\nand {more} more")?,
    }
    write_rest(out, report)
}

/// As many as there is room for.
fn rows(report: &CheckReport<'_>, options: MarkdownOptions<'_>) -> Vec<String> {
    let mut room = MOST_BYTES;
    let rows = report.findings.open.iter().take(MOST_ROWS).map(|finding| row(report, options, finding));
    rows.take_while(|row| {
        let fits = row.len() <= room;
        room = room.saturating_sub(row.len());
        fits
    })
    .collect()
}

fn row(report: &CheckReport<'_>, options: MarkdownOptions<'_>, finding: &CheckFinding) -> String {
    let message = &finding.message;
    let mut seen = plain(&readable(&message.sentences.join(". ")), LONGEST);
    seen.push_str(&match &message.failure {
        Some(failure) => format!(":<br>{}", code(&shortened(failure), LONGEST)),
        None => ".".to_owned(),
    });
    for reason in &message.reasons {
        seen.push_str(&format!("<br>{}.", plain(&readable(reason), LONGEST)));
    }
    let to_do =
        message.to_do.as_deref().map(|to_do| format!("{}.", plain(&capitalised(&readable(to_do)), LONGEST)));
    format!(
        "| {} | {} | {seen} | {} |\n",
        finding.level.as_str(),
        clause(report, options, finding),
        to_do.unwrap_or_default()
    )
}

fn clause(report: &CheckReport<'_>, options: MarkdownOptions<'_>, finding: &CheckFinding) -> String {
    let (pair, _) = report.pair_of(finding);
    let site = &finding.site;
    let name = code(&readable(&format!("{}.{}", site.class, site.method)), LONGEST);
    let place = code(&source_place(site.file.as_deref(), site.line), LONGEST);
    let place = match (options.sources, &pair.location.source, &site.file) {
        (Some(sources), Some(source), Some(file)) if source == file => {
            let line = site.line.map(|line| format!("#L{line}")).unwrap_or_default();
            format!("[{place}]({}/{}{line})", sources.trim_end_matches('/'), uri_of(file))
        }
        _ => place,
    };
    format!("{name}<br>{place}<br>{}", code(&format!("catch {}", simple_names(&pair.clause.types)), LONGEST))
}

fn write_rest(out: &mut dyn Write, report: &CheckReport<'_>) -> io::Result<()> {
    let set_aside = report.project.tests.iter().filter(|test| !test.is_evidence()).count();
    let accepted = report.findings.accepted.len();
    let sentences = [
        Some(unfinished(report).join(" ")).filter(|sentences| !sentences.is_empty()),
        (accepted > 0).then(|| format!("{} suppressed.", counted(accepted, "finding is", "findings are"))),
        (set_aside > 0).then(|| {
            format!("{} set aside, no evidence for anything.", counted(set_aside, "test is", "tests are"))
        }),
        Some(format!("{}.", pairs_of(&PairTables::of(report.project, &report.verdicts)))),
    ];
    sentences.into_iter().flatten().try_for_each(|sentence| writeln!(out, "\n{sentence}"))
}
