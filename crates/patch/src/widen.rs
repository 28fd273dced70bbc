//! Carries out widenings: finds the clauses, names the types, changes the text.

use crate::clauses::{Clause, clauses_of};
use crate::find::{Wanted, find};
use crate::imports::Imported;
use crate::merge::removal;
use crate::naming::{Spelling, spelling};
use crate::scope::{Scope, is_import, is_package};
use crate::syntax::{Source, children, is_comment};
use crate::{Language, Patched, Refusal, Widening, imports};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use tree_sitter::Node;

/// A clause that will be changed.
struct Change<'c> {
    clause: &'c Clause,
    to: String,
    spelling: Spelling,
    /// Later clauses that go, each with all that goes with it.
    removed: Vec<(&'c Clause, Range<usize>)>,
}

/// Widens the clauses of one source. Those that are refused do not keep the others from being widened, and the order
/// in which they are given does not matter.
pub fn widen(source: &str, language: Language, widenings: &[Widening]) -> Patched {
    let unparsed = |widening: &Widening| Err(Refusal::DoesNotParse { line: widening.line });
    let parsed = Source::parse(source, language).filter(|source| !has_errors_in_imports(source));
    let Some(parsed) = parsed else {
        return Patched { text: source.to_owned(), outcomes: widenings.iter().map(unparsed).collect() };
    };
    let scope = Scope::of(&parsed);
    let clauses = clauses_of(&parsed);
    let mut planned: Vec<Result<Change<'_>, Refusal>> =
        widenings.iter().map(|widening| plan(&parsed, &scope, &clauses, widening)).collect();
    refuse_contradictions(&mut planned, widenings);
    let changes: Vec<&Change<'_>> = planned.iter().flatten().collect();
    let text = carry_out(&parsed, &scope, &changes);
    Patched { text, outcomes: planned.into_iter().map(|it| it.map(|_| ())).collect() }
}

/// Tells whether errors leave it open what the file imports: those in or between imports, and before the first
/// declaration.
fn has_errors_in_imports(source: &Source<'_>) -> bool {
    let is_head = |node: &Node<'_>| is_import(*node) || is_package(*node);
    let is_error = |node: &Node<'_>| node.is_error() || node.is_missing();
    let last_import = source.nodes().filter(is_head).map(|node| node.end_byte()).max();
    let top = children(source.root()).into_iter();
    let mut declarations = top.filter(|node| node.is_named() && !is_head(node) && !is_error(node));
    let first = declarations.find(|node| !is_comment(*node)).map(|node| node.start_byte());
    let end = last_import.max(first).unwrap_or(0);
    source.has_errors() && source.nodes().skip(1).any(|node| is_error(&node) && node.start_byte() < end)
}

fn plan<'c>(
    source: &Source<'_>,
    scope: &Scope,
    clauses: &'c [Clause],
    widening: &Widening,
) -> Result<Change<'c>, Refusal> {
    let Widening { try_line, .. } = *widening;
    let found = |line, from| find(clauses, scope, Wanted { line, try_line, from }, source.has_errors());
    let clause = found(widening.line, &widening.from)?;
    let removed = widening.merges.iter().map(|merged| {
        let later = found(merged.line, &merged.from)?;
        Ok((later, removal(source, clause, later).ok_or(Refusal::Differs { line: merged.line })?))
    });
    let removed = removed.collect::<Result<_, Refusal>>()?;
    let to = widening.to.clone();
    match spelling(source, scope, &to, widening.shadow, clause.start) {
        Some(spelling) => Ok(Change { clause, to, spelling, removed }),
        None => Err(Refusal::NotNameable { name: to }),
    }
}

/// A clause cannot catch two different types instead of its own; none of the two is better than the other. Nor can it
/// go and catch something, or hold a clause that does.
fn refuse_contradictions(planned: &mut [Result<Change<'_>, Refusal>], widenings: &[Widening]) {
    let mut wanted: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    for change in planned.iter().flatten() {
        wanted.entry(change.clause.start).or_default().insert(change.to.clone());
    }
    let removed: Vec<Range<usize>> = planned.iter().flatten().flat_map(removed_spans).collect();
    for (it, widening) in planned.iter_mut().zip(widenings) {
        let types = it.as_ref().ok().and_then(|change| wanted.get(&change.clause.start));
        let goes =
            it.as_ref().is_ok_and(|change| removed.iter().any(|span| span.contains(&change.clause.start)));
        if goes {
            *it = Err(Refusal::InRemoved { line: widening.line });
        } else if types.is_some_and(|types| types.len() > 1) {
            *it = Err(Refusal::Contradiction { line: widening.line });
        }
    }
}

fn carry_out(source: &Source<'_>, scope: &Scope, changes: &[&Change<'_>]) -> String {
    let granted = granted_imports(changes);
    let mut text = source.text.to_owned();
    let mut edits: BTreeMap<usize, (Range<usize>, &str)> = BTreeMap::new();
    for change in changes {
        let spelling = &change.spelling;
        let is_granted = spelling.import.as_ref().is_none_or(|path| granted.contains(path));
        let new = if is_granted { &spelling.text } else { &spelling.qualified };
        edits.insert(change.clause.span.start, (change.clause.span.clone(), new));
        edits.extend(removed_spans(change).map(|span| (span.start, (span, ""))));
    }
    for (span, new) in edits.into_values().rev() {
        text.replace_range(span, new);
    }
    for path in &granted {
        text = imports::add(&text, source.language, path);
    }
    imports::remove_unused(&text, source.language, &imports_of_old_types(scope, changes))
}

fn removed_spans<'c>(change: &'c Change<'_>) -> impl Iterator<Item = Range<usize>> + use<'c> {
    change.removed.iter().map(|(_, span)| span.clone())
}

/// The imports to add. Of several classes with one simple name the first gets it, the others are written in full.
fn granted_imports(changes: &[&Change<'_>]) -> BTreeSet<String> {
    let wanted: BTreeSet<&String> = changes.iter().filter_map(|it| it.spelling.import.as_ref()).collect();
    let mut names = BTreeSet::new();
    wanted.into_iter().filter(|path| names.insert(path.rsplit('.').next())).cloned().collect()
}

/// The imports that the types caught before came from.
fn imports_of_old_types(scope: &Scope, changes: &[&Change<'_>]) -> BTreeSet<Imported> {
    let clauses = changes.iter().flat_map(|it| {
        let removed = it.removed.iter().map(|(clause, _)| *clause);
        removed.chain([it.clause])
    });
    let names: BTreeSet<&String> = clauses.flat_map(|it| &it.types).filter_map(|name| name.first()).collect();
    let imported = scope.imports.iter().filter_map(|it| Some((it.path.clone(), it.local.clone()?)));
    imported.filter(|(_, local)| names.contains(local)).collect()
}
