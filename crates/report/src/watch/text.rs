//! A watched run for a terminal: entered pairs first, each with how its executions ended; then what was never entered.

use crate::plain_text::PlainText;
use crate::text::{clause_line, counted, readable};
use catchment_watch::{Ended, Jvm, Origin, WatchedException, WatchedPair, WatchedRun};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

pub fn write_watch_text(out: &mut dyn Write, run: &WatchedRun) -> io::Result<()> {
    let out = &mut PlainText::new(out);
    let several_versions = classes_with_several_versions(run);
    let (entered, not_entered): (Vec<_>, Vec<_>) = run.pairs.iter().partition(|pair| pair.usages.entries > 0);
    for pair in &entered {
        let is_ambiguous = several_versions.contains(pair.clause.class.as_str());
        write_entered(out, pair, is_ambiguous)?;
    }
    write_not_entered(out, &not_entered)?;
    write_problems(out, run)?;
    write_totals(out, run, entered.len())
}

/// Different bytes under one name: only their code source tells them apart.
fn classes_with_several_versions(run: &WatchedRun) -> BTreeSet<&str> {
    let mut hashes: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for pair in &run.pairs {
        hashes.entry(&pair.clause.class).or_default().insert(pair.class_hash);
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
        "    entered {}: {} without exception, {} caught here, {} not caught here, {} unfinished",
        counted(usize::try_from(usages.entries).unwrap_or(usize::MAX), "time", "times"),
        usages.pink,
        usages.white,
        usages.blue(),
        usages.open()
    )?;
    for exception in &pair.caught {
        write_exception(out, "caught", exception)?;
    }
    if usages.sibling > 0 {
        writeln!(out, "    elsewhere {} caught by another clause of this try", usages.sibling)?;
    }
    for exception in &pair.escaped {
        write_exception(out, "escaped", exception)?;
    }
    Ok(())
}

fn write_exception(out: &mut dyn Write, what: &str, watched: &WatchedException) -> io::Result<()> {
    let name = watched.exception.as_deref().unwrap_or("(class not noted)");
    writeln!(out, "    {what:<9} {} {name}{}", watched.count, origins(&watched.origins))
}

fn origins(origins: &[Origin]) -> String {
    let texts: Vec<_> = origins.iter().map(origin).collect();
    if texts.is_empty() { String::new() } else { format!("  from {}", texts.join(", ")) }
}

fn origin(origin: &Origin) -> String {
    match &origin.frame {
        Some(frame) if origin.application => readable(frame),
        Some(frame) => format!("{} (no frame of the application)", readable(frame)),
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

fn write_problems(out: &mut dyn Write, run: &WatchedRun) -> io::Result<()> {
    for problem in &run.problems {
        writeln!(out, "problem: {}: {}", problem.place, problem.what)?;
    }
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for skipped in &run.skipped {
        reasons.entry(&skipped.reason).or_default().push(&skipped.class);
    }
    for (reason, classes) in reasons {
        let more = if classes.len() > 1 { ", ..." } else { "" };
        let count = counted(classes.len(), "class", "classes");
        writeln!(out, "not watched: {count} ({}{more}): {reason}", classes[0])?;
    }
    Ok(())
}

fn write_totals(out: &mut dyn Write, run: &WatchedRun, entered: usize) -> io::Result<()> {
    let jvms = counted(run.jvms.len(), "JVM", "JVMs");
    let pairs = counted(run.pairs.len(), "try-catch pair", "try-catch pairs");
    let white = run.pairs.iter().filter(|pair| pair.usages.white > 0).count();
    writeln!(out, "{pairs} of loaded classes in {jvms}: {entered} entered, {white} caught something")?;
    write_jvms(out, run)
}

/// A single JVM that ended by itself needs no line.
fn write_jvms(out: &mut dyn Write, run: &WatchedRun) -> io::Result<()> {
    let is_worth_a_line = |jvm: &&Jvm| run.jvms.len() > 1 || jvm.ended != Ended::Orderly;
    for jvm in run.jvms.iter().filter(is_worth_a_line) {
        let ending = match jvm.ended {
            Ended::Orderly => "",
            Ended::Running => ", still runs: its counts are those of this moment",
            Ended::Killed => ", killed: its counts are complete up to then",
        };
        let classes = counted(jvm.woven_classes, "class", "classes");
        writeln!(
            out,
            "    process {}: {} (Java {}), {classes} woven{ending}",
            jvm.pid, jvm.command, jvm.java_version
        )?;
    }
    Ok(())
}

fn line_of(pair: &WatchedPair) -> String {
    clause_line(&pair.clause, &pair.location)
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_pairs::ClauseDescription;
    use catchment_watch::{Problem, SkippedClass, Usages};

    fn pair(class_hash: u64, code_source: &str) -> WatchedPair {
        WatchedPair {
            clause: ClauseDescription {
                class: "a.B".into(),
                method: "m".into(),
                types: vec!["java.io.IOException".into()],
                source_file: Some("B.java".into()),
                try_line: Some(1),
                catch_line: Some(2),
                ..ClauseDescription::default()
            },
            class_hash,
            code_sources: vec![code_source.into()],
            ..WatchedPair::default()
        }
    }

    fn text_of(run: &WatchedRun) -> String {
        let mut text = Vec::new();
        write_watch_text(&mut text, run).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn versions_of_a_class_are_told_apart_by_their_code_source() {
        let usages = Usages { entries: 2, pink: 1, ..Usages::default() };
        let entered = |hash, source| WatchedPair { usages, ..pair(hash, source) };
        let run = WatchedRun { pairs: vec![entered(1, "/one"), entered(2, "/two")], ..WatchedRun::default() };
        let expected = "\
a.B.m  B.java:2  catch IOException
    from /one
    entered 2 times: 1 without exception, 0 caught here, 0 not caught here, 1 unfinished
a.B.m  B.java:2  catch IOException
    from /two
    entered 2 times: 1 without exception, 0 caught here, 0 not caught here, 1 unfinished
2 try-catch pairs of loaded classes in 0 JVMs: 2 entered, 0 caught something
";
        assert_eq!(text_of(&run), expected);
    }

    #[test]
    fn what_was_not_seen_is_said() {
        let unobserved = WatchedPair { not_observed: Some("method too large".into()), ..pair(1, "/one") };
        let skipped = |class: &str| SkippedClass {
            class: class.into(),
            code_source: "/one".into(),
            reason: "made at run time".into(),
        };
        let jvm = Jvm {
            pid: 7,
            java_version: "17".into(),
            command: "Main".into(),
            ended: Ended::Killed,
            woven_classes: 1,
        };
        let run = WatchedRun {
            jvms_started: 1,
            jvms: vec![jvm],
            pairs: vec![unobserved],
            skipped: vec![skipped("a.C"), skipped("a.D")],
            problems: vec![Problem { place: "a.B".into(), what: "odd".into() }],
        };
        let expected = "\
never entered:
    a.B.m  B.java:2  catch IOException  (not observed: method too large)
problem: a.B: odd
not watched: 2 classes (a.C, ...): made at run time
1 try-catch pair of loaded classes in 1 JVM: 0 entered, 0 caught something
    process 7: Main (Java 17), 1 class woven, killed: its counts are complete up to then
";
        assert_eq!(text_of(&run), expected);
    }

    #[test]
    fn origins_say_whose_frame_they_are() {
        let origin =
            |frame: Option<&str>, application| Origin { frame: frame.map(str::to_owned), application };
        let all = [origin(Some("a.B.m:1"), true), origin(Some("java.x.Y.z:2"), false), origin(None, false)];
        let expected = "  from a.B.m:1, java.x.Y.z:2 (no frame of the application), (no stack trace)";
        assert_eq!(origins(&all), expected);
    }
}
