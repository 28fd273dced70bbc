//! Imports: a new one is put where a person would put it, and those that nothing needs any more are removed.

use crate::Language;
use crate::lines::{BYTE_ORDER_MARK, first_line, is_blank, is_end_of_line, line_end, newline_at};
use crate::naming::escaped;
use crate::scope::{Import, imports_of, is_import, is_package};
use crate::syntax::{Source, children, is_comment};
use crate::uses::is_used;
use std::collections::BTreeSet;
use std::ops::Range;

/// The place for a new import.
enum InsertionPoint {
    /// On the line after what ends here.
    After(usize),
    /// On a line of its own before what starts here.
    Before(usize),
    /// After what ends here, with blank lines around.
    Apart(usize),
    /// Before what starts here, with a blank line after.
    Top(usize),
}

/// The text with an import of `path`.
pub(crate) fn add(text: &str, language: Language, path: &str) -> String {
    let Some(source) = Source::parse(text, language) else { return text.to_owned() };
    let path = escaped(language, path);
    let import = match language {
        Language::Java => format!("import {path};"),
        Language::Kotlin => format!("import {path}"),
    };
    let (at, lines) = match place(&source, &path) {
        InsertionPoint::After(end) => (behind(text, end), format!("\n{import}")),
        InsertionPoint::Before(start) => (start, format!("{import}\n")),
        InsertionPoint::Apart(end) => {
            let at = behind(text, end);
            (at, format!("\n\n{import}{}", gap_before(&text[at..])))
        }
        InsertionPoint::Top(start) => (start, format!("{import}\n\n")),
    };
    let lines = lines.replace('\n', newline_at(text, at));
    [&text[..at], &lines, &text[at..]].concat()
}

fn place(source: &Source<'_>, path: &str) -> InsertionPoint {
    let imports = imports_of(source);
    let groups = groups(source.text, &imports);
    let Some(last) = groups.iter().flatten().next_back() else { return place_of_first(source) };
    let nearness = |group: &Vec<&Import>| group.iter().map(|it| common(&it.path, path)).max().unwrap_or(0);
    let best = groups.iter().map(nearness).max().unwrap_or(0);
    let Some(group) = groups.iter().find(|group| nearness(group) == best) else {
        return InsertionPoint::After(last.span.end);
    };
    let related: Vec<&Import> = group.iter().copied().filter(|it| common(&it.path, path) > 0).collect();
    let is_only = groups.len() == 1;
    let sorted = (best > 0 || is_only).then(|| sorted_place(group, path)).flatten();
    // Some layouts sort by first segment in an order of their own (`org` before `java`).
    sorted.or_else(|| sorted_place(&related, path)).unwrap_or_else(|| {
        let nearest = group.iter().rfind(|it| best > 0 && common(&it.path, path) == best);
        InsertionPoint::After(nearest.unwrap_or(last).span.end)
    })
}

/// Imports without a blank line between them. Static ones are groups of another kind.
fn groups<'i>(text: &str, imports: &'i [Import]) -> Vec<Vec<&'i Import>> {
    let mut groups: Vec<Vec<&Import>> = Vec::new();
    let mut previous: Option<&Import> = None;
    for import in imports {
        let gap = previous.and_then(|previous| text.get(previous.span.end..import.span.start));
        let is_apart = gap.is_none_or(|gap| gap.matches('\n').count() > 1 && has_blank_line(gap))
            || previous.is_some_and(|it| it.is_static);
        previous = Some(import);
        match groups.last_mut() {
            _ if import.is_static => {}
            Some(group) if !is_apart => group.push(import),
            _ => groups.push(vec![import]),
        }
    }
    groups
}

fn has_blank_line(gap: &str) -> bool {
    let lines: Vec<&str> = gap.split('\n').collect();
    lines.get(1..lines.len() - 1).is_some_and(|inner| inner.iter().any(|line| line.trim().is_empty()))
}

/// The place among imports that are in order, with or without regard to case.
fn sorted_place(imports: &[&Import], path: &str) -> Option<InsertionPoint> {
    let first = imports.first()?;
    let exact = |path: &str| path.to_owned();
    let orders: [fn(&str) -> String; 2] = [exact, str::to_lowercase];
    let order = orders.into_iter().find(|order| imports.is_sorted_by_key(|it| order(&it.path)))?;
    let previous = imports.iter().rfind(|it| order(&it.path) <= order(path));
    Some(previous.map_or(InsertionPoint::Before(first.span.start), |it| InsertionPoint::After(it.span.end)))
}

/// How many first segments two names share.
fn common(a: &str, b: &str) -> usize {
    a.split('.').zip(b.split('.')).take_while(|(a, b)| a == b).count()
}

/// The place in a file without imports, but with static ones perhaps.
fn place_of_first(source: &Source<'_>) -> InsertionPoint {
    let top = children(source.root());
    let precedes = |kind: &str| matches!(kind, "file_annotation" | "shebang");
    let anchor = top.iter().rfind(|it| is_import(**it) || is_package(**it) || precedes(it.kind()));
    if let Some(anchor) = anchor {
        return InsertionPoint::Apart(anchor.end_byte());
    }
    let is_header = |pair: &&[tree_sitter::Node<'_>]| {
        let [comment, next] = pair else { return false };
        let gap = source.text.get(comment.end_byte()..next.start_byte()).unwrap_or_default();
        let is_licence =
            source.text_of(*comment).starts_with("/*") && !source.text_of(*comment).starts_with("/**");
        has_blank_line(gap) || (is_licence && !is_comment(*next))
    };
    let header = top.iter().take_while(|it| is_comment(**it)).count();
    let header = top.windows(2).take(header).rfind(is_header);
    match (header, top.first()) {
        (Some(header), _) => InsertionPoint::Apart(header[0].end_byte()),
        (None, Some(first)) => InsertionPoint::Top(first.start_byte()),
        (None, None) => InsertionPoint::Top(0),
    }
}

/// The end of the line if only a comment comes before it, else the very place.
fn behind(text: &str, end: usize) -> usize {
    let rest = text.get(end..).unwrap_or_default();
    if is_end_of_line(rest) { end + line_end(rest) } else { end }
}

/// The text that must follow an import so that a blank line does.
fn gap_before(rest: &str) -> &'static str {
    let mut lines = rest.split('\n');
    let here = lines.next().unwrap_or_default().trim();
    match lines.next() {
        _ if !here.is_empty() => "\n\n",
        Some(next) if !next.trim().is_empty() => "\n",
        _ => "",
    }
}

/// The path that an import names, and the name it gives to it.
pub(crate) type Imported = (String, String);

/// The text without those of these imports that nothing uses any more.
pub(crate) fn remove_unused(text: &str, language: Language, imports: &BTreeSet<Imported>) -> String {
    let mut left = text.to_owned();
    let Some(source) = Source::parse(text, language) else { return left };
    // From the end, so that the spans still to come stay right.
    for import in imports_of(&source).into_iter().rev() {
        let Some(local) = import.local else { continue };
        if !is_used(&source, &local) && imports.contains(&(import.path, local)) {
            left.replace_range(with_its_line(&left, import.span), "");
        }
    }
    left
}

/// The text that goes with an import: its line, and one of two blank lines that would meet.
fn with_its_line(text: &str, import: Range<usize>) -> Range<usize> {
    let (before, after) = (&text[..import.start], &text[import.end..]);
    let same_line = before.split('\n').next_back().unwrap_or_default().trim_start_matches(BYTE_ORDER_MARK);
    let is_alone = same_line.trim().is_empty() && is_end_of_line(after);
    if !is_alone {
        let spaces = after.len() - after.trim_start_matches([' ', '\t']).len();
        return import.start..import.end + spaces;
    }
    let start = import.start - same_line.len();
    let end = import.end + first_line(after).len();
    let next = first_line(&text[end..]);
    let previous = text[..start].split_inclusive('\n').next_back().unwrap_or_default();
    let follows_blank = is_blank(previous) || previous.trim_start_matches(BYTE_ORDER_MARK).is_empty();
    start..if follows_blank && is_blank(next) { end + next.len() } else { end }
}
