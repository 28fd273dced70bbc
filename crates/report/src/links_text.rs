//! The links for a terminal: by clause or by what raises.

use crate::links::LinksReport;
use crate::links_words::{clause, exceptions, place, raised_by};
use crate::text::counted;
use catchment_exceptions::{FoundLink, Layer, LinksAnswer, RaisedBy};
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
const SHOWN: usize = 12;

pub fn write_links_text(out: &mut dyn Write, report: &LinksReport, view: LinksView) -> io::Result<()> {
    let answer = &report.answer;
    match view.by {
        LinksBy::Handler => write_by_handler(out, answer, view.all)?,
        LinksBy::Trigger => write_by_trigger(out, answer, view.all)?,
    }
    write_totals(out, report)
}

fn write_by_handler(out: &mut dyn Write, answer: &LinksAnswer, all: bool) -> io::Result<()> {
    for (pair, links) in grouped(answer, |link| link.to) {
        writeln!(out, "{}", clause(&answer.pairs[pair]))?;
        let (shown, rest) = split(answer, &links, all);
        for link in shown {
            write_raise(out, answer, link)?;
        }
        write_rest(out, answer, &rest)?;
    }
    Ok(())
}

fn grouped(answer: &LinksAnswer, by: impl Fn(&FoundLink) -> usize) -> BTreeMap<usize, Vec<&FoundLink>> {
    let mut groups: BTreeMap<usize, Vec<&FoundLink>> = BTreeMap::new();
    for link in &answer.links {
        groups.entry(by(link)).or_default().push(link);
    }
    groups
}

fn write_raise(out: &mut dyn Write, answer: &LinksAnswer, link: &FoundLink) -> io::Result<()> {
    let raise = &answer.raises[link.from];
    let number = format!("#{}", link.number);
    writeln!(out, "  {number:>6}  {:<11}  {}  {}", raised_by(raise), place(&raise.place), exceptions(link))
}

/// Operations and throws of the program itself are shown; those of others are counted unless they are asked for.
fn split<'l>(
    answer: &LinksAnswer,
    links: &[&'l FoundLink],
    all: bool,
) -> (Vec<&'l FoundLink>, Vec<&'l FoundLink>) {
    if all {
        return (links.to_vec(), Vec::new());
    }
    let (mut shown, mut rest): (Vec<_>, Vec<_>) = links.iter().partition(|link| is_telling(answer, link));
    if shown.len() > SHOWN {
        rest.extend(shown.split_off(SHOWN));
    }
    (shown, rest)
}

fn is_telling(answer: &LinksAnswer, link: &FoundLink) -> bool {
    let raise = &answer.raises[link.from];
    matches!(raise.by, RaisedBy::Operation { .. })
        || matches!(raise.place.layer, Layer::Application | Layer::Tests)
}

/// `and 12 more: 9 throws in the JDK, 3 in libraries (--all lists them)`
fn write_rest(out: &mut dyn Write, answer: &LinksAnswer, rest: &[&FoundLink]) -> io::Result<()> {
    if rest.is_empty() {
        return Ok(());
    }
    let count = |wanted: &dyn Fn(Layer) -> bool| {
        rest.iter().filter(|link| wanted(answer.raises[link.from].place.layer)).count()
    };
    let parts = [
        (count(&|layer| matches!(layer, Layer::Application | Layer::Tests)), "in the program"),
        (count(&|layer| layer == Layer::Library), "in libraries"),
        (count(&|layer| layer == Layer::Jdk), "in the JDK"),
    ];
    let parts: Vec<_> = parts.iter().filter(|(count, _)| *count > 0).collect();
    let parts: Vec<_> = parts.iter().map(|(count, place)| format!("{count} {place}")).collect();
    let more = counted(rest.len(), "more raising point", "more raising points");
    writeln!(out, "          and {more}: {} (--all lists them)", parts.join(", "))
}

fn write_by_trigger(out: &mut dyn Write, answer: &LinksAnswer, all: bool) -> io::Result<()> {
    let mut rest = Vec::new();
    for (raise, links) in grouped(answer, |link| link.from) {
        let raise = &answer.raises[raise];
        if !all && links.first().is_some_and(|link| !is_telling(answer, link)) {
            rest.extend(links);
            continue;
        }
        let clauses = counted(links.len(), "clause", "clauses");
        writeln!(out, "{}  {}  to {clauses}", raised_by(raise), place(&raise.place))?;
        for link in links.iter().take(if all { links.len() } else { SHOWN }) {
            let number = format!("#{}", link.number);
            writeln!(out, "  {number:>6}  {}  {}", clause(&answer.pairs[link.to]), exceptions(link))?;
        }
        if !all && links.len() > SHOWN {
            writeln!(out, "          and {} more (--all lists them)", links.len() - SHOWN)?;
        }
    }
    write_other_triggers(out, answer, &rest)
}

fn write_other_triggers(out: &mut dyn Write, answer: &LinksAnswer, rest: &[&FoundLink]) -> io::Result<()> {
    if rest.is_empty() {
        return Ok(());
    }
    let triggers: BTreeSet<_> = rest.iter().map(|link| link.from).collect();
    let clauses: BTreeSet<_> = rest.iter().map(|link| link.to).collect();
    let classes: BTreeSet<_> = triggers.iter().map(|raise| &answer.raises[*raise].place.class).collect();
    writeln!(
        out,
        "{} in {} of libraries and the JDK to {} (--all lists them)",
        counted(triggers.len(), "throw", "throws"),
        counted(classes.len(), "class", "classes"),
        counted(clauses.len(), "clause", "clauses"),
    )
}

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
    )
}
