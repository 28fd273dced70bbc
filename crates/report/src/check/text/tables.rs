//! The tables of the papers for a terminal.

use super::reasons::commonest;
use super::{CheckDetail, line_of};
use crate::check::CheckReport;
use crate::check::sentences::pairs_of;
use crate::failure_text::shortened;
use crate::text::{counted, readable};
use catchment_verdicts::{
    CheckedConfiguration, CheckedProject, CheckedTest, PairTables, SetAside, SourceIndependence, TestTable,
    Unknown, Verdicts,
};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Number of tests of each kind that are named without `--all`.
const NAMES_SHOWN: usize = 5;

/// The verdicts, over the pairs whose try was executed and over those whose catch was entered.
pub(crate) fn write_pair_table(
    out: &mut dyn Write,
    report: &CheckReport<'_>,
    detail: CheckDetail,
) -> io::Result<()> {
    let tables = PairTables::of(report.project, &report.verdicts);
    writeln!(out)?;
    writeln!(out, "{}", pairs_of(&tables))?;
    writeln!(out)?;
    writeln!(out, "  {:<24}{:>14}{:>16}", "verdict", "try executed", "catch entered")?;
    let (executed, entered) = (&tables.executed, &tables.entered);
    let rows = [
        ("source-independent", executed.source_independent, entered.source_independent),
        ("source-dependent", executed.source_dependent, entered.source_dependent),
        ("source unknown", executed.unknown_source, entered.unknown_source),
        ("purely resilient", executed.purely_resilient, entered.purely_resilient),
        ("not purely resilient", executed.not_resilient, entered.not_resilient),
        ("resilience unknown", executed.unknown_resilience, entered.unknown_resilience),
    ];
    for (name, executed, entered) in rows {
        writeln!(out, "  {name:<24}{executed:>14}{entered:>16}")?;
    }
    writeln!(out, "  source-independent: the catch works wherever in its try the exception comes from")?;
    writeln!(out, "  purely resilient: tests pass even when the try fails at once")?;
    let decided = (tables.all.selectively_independent, tables.all.selectively_dependent);
    if decided != (0, 0) {
        writeln!(
            out,
            "  of the source unknown, execution by execution: {} independent, {} dependent",
            decided.0, decided.1
        )?;
        write_selectively_dependent(out, report)?;
    }
    write_call_by_call(out, report, detail)?;
    match tables.all.unstable {
        0 => Ok(()),
        count => writeln!(out, "  {} unstable", counted(count, "unknown pair is", "unknown pairs are")),
    }
}

/// Of what `--fine` has asked about, with the commonest reason of what stays unknown.
fn write_call_by_call(out: &mut dyn Write, report: &CheckReport<'_>, detail: CheckDetail) -> io::Result<()> {
    let asked: Vec<_> =
        report.judged().filter_map(|(pair, verdicts)| Some((pair, verdicts.fine.as_ref()?))).collect();
    if asked.is_empty() {
        return Ok(());
    }
    let [held, failed, open] =
        [SourceIndependence::Independent, SourceIndependence::Dependent, SourceIndependence::Unknown]
            .map(|verdict| asked.iter().filter(|(_, fine)| fine.verdict == verdict).count());
    writeln!(
        out,
        "  of the source-independent, call by call: {held} independent, {failed} dependent, {open} unknown"
    )?;
    let reasons = asked.iter().map(|(pair, fine)| (*pair, fine.unknown.as_slice()));
    match commonest(reasons, &report.project.tests) {
        Some((why, count)) if !detail.all => writeln!(
            out,
            "    why unknown ({count} of {open}): {}; --all has the reasons of each",
            readable(&why)
        ),
        _ => Ok(()),
    }
}

/// Pairs that only selective experiments show to be dependent: by the rule of the paper they are no findings.
fn write_selectively_dependent(out: &mut dyn Write, report: &CheckReport<'_>) -> io::Result<()> {
    let is_dependent = |verdicts: &Verdicts| {
        let selective = verdicts.selective.as_ref().map(|selective| selective.verdict);
        verdicts.source_independence.verdict == SourceIndependence::Unknown
            && selective == Some(SourceIndependence::Dependent)
    };
    for (pair, _) in report.judged().filter(|(pair, verdicts)| !pair.left_out && is_dependent(verdicts)) {
        writeln!(out, "    dependent: {}", line_of(pair))?;
    }
    Ok(())
}

/// How much of the exception handling the tests specify.
pub(crate) fn write_test_table(out: &mut dyn Write, project: &CheckedProject) -> io::Result<()> {
    let table = TestTable::of(&project.tests);
    let tests = counted(table.total, "test", "tests");
    writeln!(out)?;
    writeln!(out, "{tests}{}", run_by(&project.configurations))?;
    let reached = table.expected_exceptions.map(|count| format!(" ({count} reached test code)"));
    let blue = format!("see an exception come out of the application{}", reached.unwrap_or_default());
    let white =
        format!("run while the application catches exceptions ({} caught)", table.internal_exceptions);
    write_share(out, table.blue, table.total, &blue)?;
    write_share(out, table.white, table.total, &white)?;
    write_share(out, table.pink, table.total, "see no exception")?;
    match project.tests.iter().filter(|test| test.shared_context).count() {
        0 => Ok(()),
        count => writeln!(
            out,
            "  {count} with a shared context: tried together with their class, failures confirmed alone"
        ),
    }
}

/// `, run by JUnit 5.10.2 on Java 17.0.9`, each kind once.
fn run_by(configurations: &[CheckedConfiguration]) -> String {
    let known =
        configurations.iter().filter(|each| !each.framework.is_empty() && !each.java_version.is_empty());
    let kinds: BTreeSet<_> =
        known.map(|each| format!("{} on Java {}", each.framework, each.java_version)).collect();
    let kinds: Vec<_> = kinds.into_iter().collect();
    if kinds.is_empty() { String::new() } else { format!(", run by {}", kinds.join(" and ")) }
}

fn write_share(out: &mut dyn Write, count: usize, total: usize, what: &str) -> io::Result<()> {
    let share = if total == 0 { 0.0 } else { 100.0 * count as f64 / total as f64 };
    writeln!(out, "  {count:>7} ({share:>3.0} %)  {what}")
}

/// Tests that are no evidence, by reason.
pub(crate) fn write_set_aside(
    out: &mut dyn Write,
    report: &CheckReport<'_>,
    detail: CheckDetail,
) -> io::Result<()> {
    let tests = &report.project.tests;
    let set_aside: Vec<_> = tests.iter().filter_map(|test| Some((test, test.set_aside.as_ref()?))).collect();
    if set_aside.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(
        out,
        "{} set aside, no evidence for anything",
        counted(set_aside.len(), "test is", "tests are")
    )?;
    let mut reasons: Vec<&str> = Vec::new();
    for (_, why) in &set_aside {
        if !reasons.contains(&why.as_str()) {
            reasons.push(why.as_str());
        }
    }
    for reason in reasons {
        let tests: Vec<_> = set_aside.iter().filter(|(_, why)| why.as_str() == reason).copied().collect();
        write_reason(out, reason, &tests, detail)?;
        if let Some((_, SetAside::OrderDependent(_))) = tests.first() {
            write_way_out(out, report)?;
        }
    }
    Ok(())
}

/// The clauses that wait for order-dependent tests, and the way to get their verdicts.
fn write_way_out(out: &mut dyn Write, report: &CheckReport<'_>) -> io::Result<()> {
    let is_order_dependent = |reason: &Unknown| {
        let Unknown::SetAside(test) = reason else { return false };
        let test = report.project.test(*test);
        matches!(test.and_then(|test| test.set_aside.as_ref()), Some(SetAside::OrderDependent(_)))
    };
    let waits = |verdicts: &&Verdicts| {
        let reasons = verdicts.source_independence.unknown.iter().chain(&verdicts.pure_resilience.unknown);
        reasons.into_iter().any(is_order_dependent)
    };
    writeln!(
        out,
        "    They pass after other tests and fail alone: each needs what another test leaves behind."
    )?;
    match report.verdicts.iter().filter(waits).count() {
        0 => Ok(()),
        waiting => writeln!(
            out,
            "    {} for them: let each test set up what it needs, and run it alone to see \
             (mvn test -Dtest=Class#method, gradle test --tests Class.method).",
            counted(waiting, "clause waits", "clauses wait")
        ),
    }
}

fn write_reason(
    out: &mut dyn Write,
    reason: &str,
    tests: &[(&CheckedTest, &SetAside)],
    detail: CheckDetail,
) -> io::Result<()> {
    let shown = if detail.all { tests.len() } else { NAMES_SHOWN };
    writeln!(out, "  {} {reason}", tests.len())?;
    for (test, why) in tests.iter().take(shown) {
        match shortened(&why.detail()) {
            detail if detail.is_empty() => writeln!(out, "    {}", test.name)?,
            detail => writeln!(out, "    {}: {detail}", test.name)?,
        }
    }
    match tests.len().saturating_sub(shown) {
        0 => Ok(()),
        more => writeln!(out, "    and {more} more"),
    }
}
