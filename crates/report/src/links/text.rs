//! The links for a terminal: by clause or by what raises.

use crate::links::LinksReport;
use crate::links::recorded_text::{seen_mark, write_comparison};
use crate::links::words::{clause, exceptions, place, raised_by};
use crate::plain_text::PlainText;
use crate::text::{counted, simple_name};
use catchment_exceptions::{FoundLink, Layer, LinkedPair, LinksAnswer, MemoryUse, RaisedBy};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// How the links are grouped, and how many of them are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinksView {
    pub by: LinksBy,
    /// Also every throw in code that is not the program's own.
    pub all: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinksBy {
    Handler,
    Trigger,
}

/// More links than these of one clause or trigger are only counted.
const SHOWN: usize = 8;
/// Number of operations of one fault kind that are named.
const NAMED: usize = 3;

pub fn write_links_text(out: &mut dyn Write, report: &LinksReport, view: LinksView) -> io::Result<()> {
    let out = &mut PlainText::new(out);
    let answer = &report.answer;
    match view.by {
        LinksBy::Handler => {
            write_by_handler(out, answer, view.all)?;
            if view.all {
                write_without_links(out, answer)?;
            }
        }
        LinksBy::Trigger => write_by_trigger(out, answer, view.all)?,
    }
    write_totals(out, report)?;
    let possible = answer.links.len();
    answer.comparison.as_ref().map_or(Ok(()), |it| write_comparison(out, it, possible, view.all))
}

fn write_by_handler(out: &mut dyn Write, answer: &LinksAnswer, all: bool) -> io::Result<()> {
    for (pair, links) in grouped(answer, |link| link.to) {
        writeln!(out, "{}", clause(&answer.pairs[pair]))?;
        if all {
            links.iter().try_for_each(|link| write_raise(out, answer, link))?;
            continue;
        }
        let (operations, throws): (Vec<_>, Vec<_>) =
            links.into_iter().partition(|link| is_operation(answer, link));
        write_operations(out, answer, &operations)?;
        let (mut own, mut others): (Vec<_>, Vec<_>) =
            throws.into_iter().partition(|link| is_own(answer, link));
        others.extend(own.split_off(own.len().min(SHOWN)));
        own.iter().try_for_each(|link| write_raise(out, answer, link))?;
        let is_alone = own.is_empty() && operations.is_empty();
        write_rest(out, answer, &others, is_alone)?;
    }
    Ok(())
}

/// Clauses that the program comes to and nothing was found to come to.
fn without_links(answer: &LinksAnswer) -> Vec<&LinkedPair> {
    let linked: BTreeSet<usize> = answer.links.iter().map(|link| link.to).collect();
    let pairs = answer.pairs.iter().enumerate();
    pairs.filter(|(index, pair)| pair.is_reached && !linked.contains(index)).map(|(_, pair)| pair).collect()
}

fn write_without_links(out: &mut dyn Write, answer: &LinksAnswer) -> io::Result<()> {
    without_links(answer).into_iter().try_for_each(|pair| {
        writeln!(out, "{}", clause(pair))?;
        writeln!(out, "             nothing was found that comes here")
    })
}

/// A line per kind of fault: `#27-#30  DSK_CLOSE  FileInputStream.close, RandomAccessFile.close and 2 more`.
fn write_operations(out: &mut dyn Write, answer: &LinksAnswer, links: &[&FoundLink]) -> io::Result<()> {
    for of_kind in links.chunk_by(|one, other| kind(answer, one) == kind(answer, other)) {
        let (Some(first), Some(last)) = (of_kind.first(), of_kind.last()) else { continue };
        let name = |link: &&FoundLink| {
            let place = &answer.points[link.from].site;
            format!("{}.{}", simple_name(&place.class), place.method)
        };
        let mut names: Vec<String> = of_kind.iter().map(name).collect();
        names.dedup();
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        // Filters leave gaps between the numbers, so only real rows are written as such.
        let numbers = match of_kind.len() {
            1 => format!("#{}", first.number),
            count if last.number - first.number + 1 == count => format!("#{}-{}", first.number, last.number),
            _ => format!("#{}...", first.number),
        };
        let (names, seen) = (names.join(", "), seen_mark(of_kind));
        writeln!(out, "  {numbers:>9}  {:<11}  {names}{more}{seen}", kind(answer, first))?;
    }
    Ok(())
}

fn kind<'a>(answer: &'a LinksAnswer, link: &FoundLink) -> &'a str {
    raised_by(&answer.points[link.from])
}

fn grouped(answer: &LinksAnswer, by: impl Fn(&FoundLink) -> usize) -> BTreeMap<usize, Vec<&FoundLink>> {
    let mut groups: BTreeMap<usize, Vec<&FoundLink>> = BTreeMap::new();
    for link in &answer.links {
        groups.entry(by(link)).or_default().push(link);
    }
    groups
}

fn write_raise(out: &mut dyn Write, answer: &LinksAnswer, link: &FoundLink) -> io::Result<()> {
    let point = &answer.points[link.from];
    let number = format!("#{}", link.number);
    let (kind, place, exceptions) = (raised_by(point), place(&point.site), exceptions(link));
    writeln!(out, "  {number:>9}  {kind:<11}  {place}  {exceptions}{}", seen_mark(&[link]))
}

fn is_operation(answer: &LinksAnswer, link: &FoundLink) -> bool {
    matches!(answer.points[link.from].by, RaisedBy::Operation { .. })
}

fn is_own(answer: &LinksAnswer, link: &FoundLink) -> bool {
    matches!(answer.points[link.from].site.layer, Layer::Application | Layer::Tests)
}

/// `and 12 more throws: 9 in libraries, 3 in the JDK (--all lists them)`; `12 throws: ...` where nothing else is shown.
/// Exceptions of the JVM have places instead.
fn write_rest(
    out: &mut dyn Write,
    answer: &LinksAnswer,
    rest: &[&FoundLink],
    is_alone: bool,
) -> io::Result<()> {
    if rest.is_empty() {
        return Ok(());
    }
    let count = |wanted: &dyn Fn(Layer) -> bool| {
        rest.iter().filter(|link| wanted(answer.points[link.from].site.layer)).count()
    };
    let parts = [
        (count(&|layer| matches!(layer, Layer::Application | Layer::Tests)), "in the program"),
        (count(&|layer| layer == Layer::Library), "in libraries"),
        (count(&|layer| layer == Layer::Jdk), "in the JDK"),
    ];
    let parts: Vec<_> = parts.iter().filter(|(count, _)| *count > 0).collect();
    let parts: Vec<_> = parts.iter().map(|(count, place)| format!("{count} {place}")).collect();
    let points: Vec<_> = rest.iter().map(|link| link.from).collect();
    let counts = match is_alone {
        true => counted_points(answer, &points, ""),
        false => format!("and {}", counted_points(answer, &points, "more ")),
    };
    let (parts, seen) = (parts.join(", "), seen_mark(rest));
    writeln!(out, "             {counts}: {parts} (--all lists them){seen}")
}

/// `3 more throws and 2 more places where the JVM raises`, of raising points that are no operations.
fn counted_points(answer: &LinksAnswer, points: &[usize], more: &str) -> String {
    let throws = points.iter().filter(|point| answer.points[**point].by == RaisedBy::Throw).count();
    let words = [
        (throws, "throw", "throws"),
        (points.len() - throws, "place where the JVM raises", "places where the JVM raises"),
    ];
    let words = words.iter().filter(|(count, ..)| *count > 0);
    let words =
        words.map(|(count, one, many)| counted(*count, &format!("{more}{one}"), &format!("{more}{many}")));
    words.collect::<Vec<_>>().join(" and ")
}

fn write_by_trigger(out: &mut dyn Write, answer: &LinksAnswer, all: bool) -> io::Result<()> {
    let mut rest = Vec::new();
    for (point, links) in grouped(answer, |link| link.from) {
        let point = &answer.points[point];
        if !all && links.first().is_some_and(|link| !is_operation(answer, link) && !is_own(answer, link)) {
            rest.extend(links);
            continue;
        }
        let clauses = counted(links.len(), "clause", "clauses");
        writeln!(out, "{}  {}  to {clauses}", raised_by(point), place(&point.site))?;
        for link in links.iter().take(if all { links.len() } else { SHOWN }) {
            let number = format!("#{}", link.number);
            let (clause, seen) = (clause(&answer.pairs[link.to]), seen_mark(&[link]));
            writeln!(out, "  {number:>9}  {clause}  {}{seen}", exceptions(link))?;
        }
        if !all && links.len() > SHOWN {
            writeln!(out, "             and {} more (--all lists them)", links.len() - SHOWN)?;
        }
    }
    write_other_triggers(out, answer, &rest)
}

fn write_other_triggers(out: &mut dyn Write, answer: &LinksAnswer, rest: &[&FoundLink]) -> io::Result<()> {
    if rest.is_empty() {
        return Ok(());
    }
    let triggers: BTreeSet<_> = rest.iter().map(|link| link.from).collect();
    let triggers: Vec<usize> = triggers.into_iter().collect();
    let clauses: BTreeSet<_> = rest.iter().map(|link| link.to).collect();
    let classes: BTreeSet<_> = triggers.iter().map(|point| &answer.points[*point].site.class).collect();
    writeln!(
        out,
        "{} in {} of libraries and the JDK to {} (--all lists them)",
        counted_points(answer, &triggers, ""),
        counted(classes.len(), "class", "classes"),
        counted(clauses.len(), "clause", "clauses"),
    )
}

/// Packages that are named.
const SHOWN_PACKAGES: usize = 8;

fn write_totals(out: &mut dyn Write, report: &LinksReport) -> io::Result<()> {
    let answer = &report.answer;
    let with_links: BTreeSet<_> = answer.links.iter().map(|link| link.to).collect();
    let unreached = answer.pairs.iter().filter(|pair| !pair.is_reached).count();
    write!(
        out,
        "{} into {} of {} ({})",
        counted(answer.links.len(), "link", "links"),
        with_links.len(),
        counted(answer.pairs.len(), "catch clause", "catch clauses"),
        answer.analysis,
    )?;
    let without = without_links(answer).len();
    if without > 0 {
        write!(out, "; nothing found for {} (--all)", counted(without, "other", "others"))?;
    }
    if unreached > 0 {
        write!(
            out,
            "; {} in methods that the entry points do not reach",
            counted(unreached, "clause", "clauses")
        )?;
    }
    writeln!(out)?;
    let stats = answer.stats;
    let (methods, edges) = (stats.reachable_methods, stats.call_edges);
    let blind = counted(answer.blind_spots.len(), "blind spot", "blind spots");
    writeln!(
        out,
        "{methods} methods and {edges} calls reached in {:.1} s; {blind} (--blind-spots)",
        report.seconds
    )?;
    write_missing(out, &answer.missing_classes)?;
    answer.memory.as_ref().map_or(Ok(()), |memory| write_memory(out, memory))
}

/// Missing classes: the analysis cannot follow calls into them.
fn write_missing(out: &mut dyn Write, missing: &[String]) -> io::Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let count = counted(missing.len(), "class that the program uses is", "classes that the program uses are");
    let named = missing.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = missing.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    writeln!(
        out,
        "{count} missing, so what comes from there is not seen: {named}{more} (--libraries adds jars)"
    )
}

/// The precision that a ceiling on memory has cost, if it was met.
fn write_memory(out: &mut dyn Write, memory: &MemoryUse) -> io::Result<()> {
    let MemoryUse { ceiling, asked, coarsened, is_exceeded } = memory;
    let mib = ceiling >> 20;
    if coarsened.by_classes {
        writeln!(
            out,
            "{mib} MiB are not enough to follow objects, as {asked} does: calls were followed by classes{}",
            if asked.filter().is_some() { " and nothing was filtered" } else { "" }
        )?;
    } else if !coarsened.packages.is_empty() {
        let shown: Vec<&str> = coarsened.packages.iter().take(SHOWN_PACKAGES).map(String::as_str).collect();
        let count = counted(coarsened.packages.len(), "package", "packages");
        writeln!(
            out,
            "to keep within {mib} MiB, context sensitivity is lowered for {count}: {}",
            shown.join(", ")
        )?;
    }
    if *is_exceeded {
        writeln!(out, "more than {mib} MiB were held all the same")?;
    }
    Ok(())
}
