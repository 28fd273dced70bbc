//! Later clauses that can go because an earlier one says the same.

use crate::clauses::{Clause, JAVA_CLAUSE, KOTLIN_CLAUSE};
use crate::syntax::{Source, children, is_comment, is_identifier, preorder};
use std::ops::Range;
use tree_sitter::Node;

/// The range to take away with `later`; `None` if it is not a later clause of the same try, or something would be lost:
/// a body that is not the same word for word, with the same comments, or what stands in its header or in front of it.
/// Only white space and the name of the caught object may differ.
pub(crate) fn removal(source: &Source<'_>, clause: &Clause, later: &Clause) -> Option<Range<usize>> {
    let is_later = clause.try_at == later.try_at && clause.end <= later.start;
    let (own, other) = (node_of(source, clause)?, node_of(source, later)?);
    let before = other.prev_sibling().filter(|before| !is_comment(*before))?;
    let header = source.text.get(later.start..body_of(other)?.start_byte())?;
    let is_plain = !header.contains(['/', '@']);
    let says_the_same = words(source, own)? == words(source, other)?;
    (is_later && is_plain && says_the_same).then(|| before.end_byte()..later.end)
}

fn node_of<'t>(source: &'t Source<'_>, clause: &Clause) -> Option<Node<'t>> {
    let is_clause = |node: &Node<'_>| matches!(node.kind(), JAVA_CLAUSE | KOTLIN_CLAUSE);
    source.nodes().find(|node| node.start_byte() == clause.start && is_clause(node))
}

fn body_of(clause: Node<'_>) -> Option<Node<'_>> {
    children(clause).into_iter().find(|child| child.kind() == "block")
}

/// The body of a clause without white space; the caught object has the same name in each. `None` if it does not parse.
fn words<'s>(source: &Source<'s>, clause: Node<'_>) -> Option<Vec<&'s str>> {
    let name = source.text_of(variable(clause)?);
    let body = body_of(clause).filter(|body| !body.has_error())?;
    let mut words = Vec::new();
    let mut walk = preorder(body);
    while let Some(node) = walk.next() {
        // White space within quotes is no white space.
        let is_whole = is_comment(node) || node.kind().contains("string") || node.kind().contains("literal");
        if is_whole {
            walk.skip_children();
        }
        if is_whole || node.child_count() == 0 {
            let text = source.text_of(node).trim_end();
            words.push(if is_identifier(node) && text == name { "" } else { text });
        }
    }
    Some(words)
}

/// The name of the caught object.
fn variable(clause: Node<'_>) -> Option<Node<'_>> {
    let parameter = children(clause).into_iter().find(|child| child.kind() == "catch_formal_parameter");
    parameter.map_or_else(
        || children(clause).into_iter().find(|child| is_identifier(*child)),
        |parameter| parameter.child_by_field_name("name"),
    )
}
