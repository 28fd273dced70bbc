//! A watched run for a terminal: entered pairs first, each with its colours; then what was never entered.

use crate::text::{counted, pair_line};
use catchment_lab::{Ended, Origin, Seen, SeenException, WatchedPair};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

pub fn write_watch_text(out: &mut dyn Write, seen: &Seen) -> io::Result<()> {
    let several_versions = classes_with_several_versions(seen);
    let (entered, not_entered): (Vec<_>, Vec<_>) =
        seen.pairs.iter().partition(|pair| pair.usages.entries > 0);
    for pair in &entered {
        let is_ambiguous = several_versions.contains(pair.class.as_str());
        write_entered(out, pair, is_ambiguous)?;
    }
    write_not_entered(out, &not_entered)?;
    write_problems(out, seen)?;
    write_totals(out, seen, entered.len())
}

/// Different bytes under one name: only their code source tells them apart.
fn classes_with_several_versions(seen: &Seen) -> BTreeSet<&str> {
    let mut hashes: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for pair in &seen.pairs {
        hashes.entry(&pair.class).or_default().insert(pair.class_hash);
    }
    hashes.into_iter().filter(|(_, hashes)| hashes.len() > 1).map(|(class, _)| class).collect()
}

fn write_entered(out: &mut dyn Write, pair: &WatchedPair, is_ambiguous: bool) -> io::Result<()> {
    writeln!(out, "{}", line_of(pair))?;
    if is_ambiguous {
        writeln!(out, "    from {}", pair.code_sources.join(", "))?;
    }
    let usages = pair.usages;
    writeln!(
        out,
        "    entered {}: {} pink, {} white, {} blue, {} open",
        usages.entries,
        usages.pink,
        usages.white,
        usages.blue(),
        usages.open()
    )?;
    for exception in &pair.caught {
        write_exception(out, "caught", exception)?;
    }
    if usages.sibling > 0 {
        writeln!(out, "    blue     {} caught by another clause of this try", usages.sibling)?;
    }
    for exception in &pair.escaped {
        write_exception(out, "escaped", exception)?;
    }
    Ok(())
}

fn write_exception(out: &mut dyn Write, what: &str, seen: &SeenException) -> io::Result<()> {
    let name = seen.exception.as_deref().unwrap_or("(class not noted)");
    writeln!(out, "    {what:<8} {} {name}{}", seen.count, origins(&seen.origins))
}

fn origins(origins: &[Origin]) -> String {
    let texts: Vec<_> = origins.iter().map(origin).collect();
    if texts.is_empty() { String::new() } else { format!("  from {}", texts.join(", ")) }
}

fn origin(origin: &Origin) -> String {
    match &origin.frame {
        Some(frame) if origin.application => frame.clone(),
        Some(frame) => format!("{frame} (no frame of the application)"),
        None => "(no stack trace)".to_owned(),
    }
}

fn write_not_entered(out: &mut dyn Write, pairs: &[&WatchedPair]) -> io::Result<()> {
    if pairs.is_empty() {
        return Ok(());
    }
    writeln!(out, "never entered:")?;
    for pair in pairs {
        match &pair.not_observed {
            Some(reason) => writeln!(out, "    {}  (not observed: {reason})", line_of(pair))?,
            None => writeln!(out, "    {}", line_of(pair))?,
        }
    }
    Ok(())
}

fn write_problems(out: &mut dyn Write, seen: &Seen) -> io::Result<()> {
    for problem in &seen.problems {
        writeln!(out, "problem: {}: {}", problem.place, problem.what)?;
    }
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for skipped in &seen.skipped {
        reasons.entry(&skipped.reason).or_default().push(&skipped.class);
    }
    for (reason, classes) in reasons {
        let more = if classes.len() > 1 { ", ..." } else { "" };
        let count = counted(classes.len(), "class", "classes");
        writeln!(out, "not watched: {count} ({}{more}): {reason}", classes[0])?;
    }
    Ok(())
}

fn write_totals(out: &mut dyn Write, seen: &Seen, entered: usize) -> io::Result<()> {
    let jvms = counted(seen.jvms.len(), "JVM", "JVMs");
    let pairs = counted(seen.pairs.len(), "try-catch pair", "try-catch pairs");
    let white = seen.pairs.iter().filter(|pair| pair.usages.white > 0).count();
    writeln!(out, "{pairs} in {jvms}: {entered} entered, {white} caught something")?;
    for jvm in seen.jvms.iter().filter(|jvm| jvm.ended != Ended::Orderly) {
        let state = match jvm.ended {
            Ended::Running => "still runs; its counts are those of this moment",
            Ended::Killed | Ended::Orderly => "was killed; its counts are complete up to then",
        };
        writeln!(out, "process {} ({}) {state}", jvm.pid, jvm.command)?;
    }
    Ok(())
}

fn line_of(pair: &WatchedPair) -> String {
    let line = pair.place.catch_line.or(pair.place.try_line);
    pair_line(&pair.class, &pair.method, pair.place.source_file.as_deref(), line, &pair.types)
}
