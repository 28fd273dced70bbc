//! The links that runs have gone through, for a terminal: how many there are, and those that were not found.

use crate::links::words::{clause, place, raised_by};
use crate::text::{counted, simple_name};
use catchment_exceptions::{Comparison, FoundLink, RecordedLink, SetAside, Unfound};
use std::io::{self, Write};

/// Links that were not found and are shown.
const SHOWN: usize = 8;

/// Behind a link, or links in one line, that runs have gone through.
pub(crate) fn seen_mark(links: &[&FoundLink]) -> String {
    let seen = links.iter().filter(|link| link.is_seen).count();
    match (seen, links.len()) {
        (0, _) => String::new(),
        (1, 1) => "  (seen)".to_owned(),
        (seen, all) => format!("  ({seen} of {all} seen)"),
    }
}

/// `possible` is how many links were found.
pub(crate) fn write_comparison(
    out: &mut dyn Write,
    comparison: &Comparison,
    possible: usize,
    all: bool,
) -> io::Result<()> {
    let (count, found) = (comparison.links.len(), comparison.found());
    let links = counted(count, "link", "links");
    write!(out, "E: {links} seen in runs, {found} of them found{}", share(found, count))?;
    writeln!(out, "; coverage {found} of {}{}", counted(possible, "link", "links"), share(found, possible))?;
    write_set_aside(out, comparison)?;
    if found == count {
        return Ok(());
    }
    let causes = comparison.causes();
    let mut causes: Vec<_> = causes.iter().collect();
    causes.sort_by_key(|(cause, count)| (std::cmp::Reverse(**count), **cause));
    let causes: Vec<String> = causes.iter().map(|(cause, count)| format!("{count} {cause}")).collect();
    writeln!(out, "not found: {} ({})", count - found, causes.join(", "))?;
    let shown = if all { count } else { SHOWN };
    for (link, unfound) in comparison.unfound().take(shown) {
        write_unfound(out, link, unfound)?;
    }
    if count - found > shown {
        writeln!(out, "  and {} more (--all lists them)", count - found - shown)?;
    }
    Ok(())
}

/// ` (99.4 %)`
fn share(part: usize, whole: usize) -> String {
    if whole == 0 { String::new() } else { format!(" ({:.1} %)", 100.0 * part as f64 / whole as f64) }
}

/// Caught exceptions that were set aside, but for those that are outside of the request.
fn write_set_aside(out: &mut dyn Write, comparison: &Comparison) -> io::Result<()> {
    let words = [
        (SetAside::Implicit, "raised by the JVM (--implicit compares them)"),
        (SetAside::NoOrigin, "passed on by code that was not seen to catch them"),
        (SetAside::FramesLeftOut, "whose stacks were too deep to be recorded as a whole"),
        (SetAside::OtherClasses, "in classes other than those analysed"),
    ];
    for (why, words) in words {
        if let Some(count) = comparison.set_aside.get(&why) {
            writeln!(out, "not compared: {} {words}", counted(*count, "exception", "exceptions"))?;
        }
    }
    Ok(())
}

fn write_unfound(out: &mut dyn Write, link: &RecordedLink, unfound: &Unfound) -> io::Result<()> {
    let exceptions: Vec<&str> = link.exceptions.iter().map(|name| simple_name(name)).collect();
    let raised =
        format!("{:<11}  {}  {}", raised_by(&link.from), place(&link.from.site), exceptions.join(" | "));
    writeln!(out, "  {raised}")?;
    writeln!(out, "    comes to  {}", clause(&link.to))?;
    let called = unfound.called.as_ref().map(|called| format!("  calls {}", place(called)));
    writeln!(out, "    {}: {}{}", unfound.cause, place(&unfound.at), called.unwrap_or_default())
}
