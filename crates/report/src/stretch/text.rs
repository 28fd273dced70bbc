//! A stretch for a terminal: clauses that can catch more, refusals with their reasons, and the patch.

use crate::failure_text::shortened;
use crate::plain_text::PlainText;
use crate::text::{clause_line, counted, readable, shown_file, simple_name, source_place};
use catchment_lab::{Accepted, Case, Refusal, Stretched, StretchedClause};
use catchment_patch::unified_diff;
use catchment_verdicts::TestId;
use std::io::{self, Write};

/// `is_applied`: the patch, if there is one, is in the sources now.
pub fn write_stretch_text(out: &mut dyn Write, stretched: &Stretched, is_applied: bool) -> io::Result<()> {
    let out = &mut PlainText::new(out);
    let (accepted, refused): (Vec<_>, Vec<_>) =
        stretched.clauses.iter().partition(|clause| clause.accepted.is_some());
    write_headline(out, stretched, accepted.len())?;
    accepted.iter().try_for_each(|clause| write_clause(out, stretched, clause))?;
    if !refused.is_empty() {
        let stay = counted(refused.len(), "clause stays as it is", "clauses stay as they are");
        writeln!(out)?;
        writeln!(out, "{stay}")?;
        refused.iter().try_for_each(|clause| write_clause(out, stretched, clause))?;
    }
    write_patch_summary(out, stretched, accepted.len(), is_applied)
}

/// Applies with `patch -p1` and `git apply`.
pub fn write_stretch_diff(out: &mut dyn Write, stretched: &Stretched) -> io::Result<()> {
    let files = stretched.patch.iter().flat_map(|patch| &patch.files);
    files.into_iter().try_for_each(|file| {
        let path = file.path.to_string_lossy();
        out.write_all(unified_diff(&path, &file.before, &file.after).as_bytes())
    })
}

fn write_headline(out: &mut dyn Write, stretched: &Stretched, accepted: usize) -> io::Result<()> {
    let candidates = stretched.clauses.len();
    let all = counted(
        candidates,
        "catch clause is source-independent or purely resilient",
        "catch clauses are source-independent or purely resilient",
    );
    match (candidates, accepted) {
        (0, _) if !stretched.together => {
            writeln!(
                out,
                "The budget was used up before any catch clause was known to hold: run again with more time."
            )
        }
        (0, _) => {
            writeln!(out, "No catch clause is source-independent or purely resilient: nothing to stretch.")
        }
        (_, 0) if not_tried(stretched) > 0 => {
            writeln!(out, "{all}; {} of them not tried: the budget was used up.", not_tried(stretched))
        }
        (_, 0) => writeln!(out, "{all}; none can catch more."),
        _ if !stretched.together => {
            writeln!(out, "{all}; {accepted} can catch more, each by itself")
        }
        _ => writeln!(out, "{all}; {accepted} can catch more"),
    }
}

/// Clauses of which nothing is known yet.
fn not_tried(stretched: &Stretched) -> usize {
    let is_late = |clause: &&StretchedClause| matches!(clause.refused.last(), Some((_, Refusal::OutOfTime)));
    stretched.clauses.iter().filter(is_late).count()
}

fn write_clause(out: &mut dyn Write, stretched: &Stretched, clause: &StretchedClause) -> io::Result<()> {
    let to = clause.accepted.as_ref().map(|accepted| format!(" -> {}", simple_name(&accepted.to)));
    writeln!(out)?;
    writeln!(out, "  {}{}", place(stretched, clause.pair), to.unwrap_or_default())?;
    if let Some(accepted) = &clause.accepted {
        write_evidence(out, accepted)?;
        write_merges(out, stretched, accepted)?;
    }
    for (rung, refusal) in &clause.refused {
        let rung = rung.as_ref().map(|rung| format!("not {}: ", simple_name(rung))).unwrap_or_default();
        let test = |id: TestId| test_name(stretched, id);
        let why = refusal.explain(test, |position| short_place(stretched, position));
        writeln!(out, "      {rung}{}", bounded(&why, refusal.failure()))?;
    }
    Ok(())
}

/// A failure has the whole length for itself: names of tests may be long, and the exception stands behind them.
fn bounded(why: &str, failure: Option<&str>) -> String {
    let failing = failure.and_then(|failure| Some((why.strip_suffix(failure)?, failure)));
    failing.map_or_else(|| shortened(why), |(test, failure)| readable(test) + &shortened(failure))
}

fn write_evidence(out: &mut dyn Write, accepted: &Accepted) -> io::Result<()> {
    let evidence = &accepted.evidence;
    let tests = counted(evidence.tests, "test passes", "tests pass");
    let with = format!("with {} thrown at the beginning of the try", simple_name(&accepted.to));
    let of_them = if evidence.injected == evidence.tests {
        String::new()
    } else {
        format!("{} of them ", evidence.injected)
    };
    writeln!(out, "      {tests}, {of_them}also {with}")?;
    if evidence.case == Case::CatchesMore {
        writeln!(
            out,
            "      it then catches exceptions that went elsewhere before, and the tests do not mind"
        )?;
    }
    if let Some(line) = accepted.takes_from {
        writeln!(
            out,
            "      it then takes from the clause at line {line} what that has caught of this type so far"
        )?;
    }
    if !accepted.swallows.is_empty() {
        let names: Vec<&str> = accepted.swallows.iter().map(|name| simple_name(name)).collect();
        writeln!(out, "      it then catches {}, which the method declares to throw", names.join(", "))?;
    }
    if accepted.catches_all_unchecked {
        writeln!(out, "      it then catches every unchecked exception, programming errors too")?;
    }
    Ok(())
}

fn write_merges(out: &mut dyn Write, stretched: &Stretched, accepted: &Accepted) -> io::Result<()> {
    for pair in accepted.merges.iter().filter_map(|position| stretched.checked.pairs.get(*position)) {
        let types: Vec<&str> = pair.clause.types.iter().map(|name| simple_name(name)).collect();
        let line = pair.clause.catch_line.map(|line| format!(" at line {line}")).unwrap_or_default();
        writeln!(out, "      the clause{line} for {} does the same and goes", types.join(" | "))?;
    }
    Ok(())
}

fn write_patch_summary(
    out: &mut dyn Write,
    stretched: &Stretched,
    accepted: usize,
    is_applied: bool,
) -> io::Result<()> {
    let sentence = match &stretched.patch {
        _ if !stretched.together && stretched.clauses.is_empty() => return Ok(()),
        _ if !stretched.together => {
            "The budget was used up before all of them were tried together.".to_owned()
        }
        Some(patch) => {
            let files = counted(patch.files.len(), "file", "files");
            let what = if is_applied { "is in the sources now" } else { "can be applied" };
            let tests = counted(patch.tests, "test passes", "tests pass");
            format!("The patch of {files} {what}: with it the project's own build compiles and {tests}.")
        }
        None if accepted > 0 && !stretched.can_patch => {
            "The whole suite passes with all of them, on bytecode.".to_owned()
        }
        None if accepted > 0 => {
            "The whole suite passes with all of them, on bytecode. --diff makes a patch that the \
                                 project's own build has compiled and tested, --apply applies it."
                .to_owned()
        }
        None => return Ok(()),
    };
    writeln!(out)?;
    writeln!(out, "{sentence}")
}

fn place(stretched: &Stretched, position: usize) -> String {
    stretched
        .checked
        .pairs
        .get(position)
        .map(|pair| clause_line(&pair.clause, &pair.location))
        .unwrap_or_default()
}

/// For the middle of a sentence.
fn short_place(stretched: &Stretched, position: usize) -> String {
    let Some(pair) = stretched.checked.pairs.get(position) else { return String::new() };
    let clause = &pair.clause;
    let place = source_place(shown_file(&pair.location, clause.source_file.as_deref()), clause.line());
    format!("{}.{} ({place})", clause.class, clause.method)
}

fn test_name(stretched: &Stretched, id: TestId) -> String {
    stretched.checked.test(id).map(|test| test.name.clone()).unwrap_or_default()
}
