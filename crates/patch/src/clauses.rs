//! The catch clauses of a source, with what is needed to recognise and to change one.

use crate::syntax::{Source, children, first_line, is_comment, is_identifier, last_line};
use std::ops::{Range, RangeInclusive};
use tree_sitter::Node;

pub(crate) const JAVA_CLAUSE: &str = "catch_clause";
pub(crate) const KOTLIN_CLAUSE: &str = "catch_block";

/// One `catch` clause.
pub(crate) struct Clause {
    /// Start of the clause, to tell clauses and what is in scope there.
    pub(crate) start: usize,
    /// End of the clause.
    pub(crate) end: usize,
    /// Start of its try, to tell tries.
    pub(crate) try_at: usize,
    /// The lines from `catch` to the brace of the body.
    pub(crate) header: RangeInclusive<u32>,
    /// The lines of the clause with its body.
    pub(crate) whole: RangeInclusive<u32>,
    /// The line where the try's body begins to do something.
    pub(crate) try_start: u32,
    /// The lines of the try up to its first clause.
    pub(crate) try_body: RangeInclusive<u32>,
    /// The caught types as written: the segments of each name.
    pub(crate) types: Vec<Vec<String>>,
    /// The text of all types, the bars between them included.
    pub(crate) span: Range<usize>,
    /// The span holds more than types and bars.
    pub(crate) interspersed: bool,
    /// The parser stumbled over the header.
    pub(crate) broken: bool,
}

pub(crate) fn clauses_of(source: &Source<'_>) -> Vec<Clause> {
    source.nodes().filter_map(|node| clause(source, node)).collect()
}

fn clause(source: &Source<'_>, node: Node<'_>) -> Option<Clause> {
    let types = match node.kind() {
        JAVA_CLAUSE => java_types(node)?,
        KOTLIN_CLAUSE => kotlin_types(node)?,
        _ => return None,
    };
    let (first, last) = (types.first()?, types.last()?);
    let span = first_segment(*first)?.start_byte()..last.end_byte();
    let body = children(node).into_iter().find(|child| child.kind() == "block");
    let header_end = body.map_or(last_line(node), first_line);
    let parts = types.iter().map(|it| source.identifiers(*it));
    let try_node = node.parent()?;
    Some(Clause {
        start: node.start_byte(),
        end: node.end_byte(),
        try_at: try_node.start_byte(),
        header: first_line(node)..=header_end,
        whole: first_line(node)..=last_line(node),
        try_start: first_action(try_node),
        try_body: first_line(try_node)..=last_line_of_body(try_node),
        types: parts.collect(),
        interspersed: is_interspersed(source, &span),
        span,
        broken: children(node).iter().any(|child| child.kind() != "block" && child.has_error()),
    })
}

fn java_types(clause: Node<'_>) -> Option<Vec<Node<'_>>> {
    let parameter = children(clause).into_iter().find(|child| child.kind() == "catch_formal_parameter")?;
    let union = children(parameter).into_iter().find(|child| child.kind() == "catch_type")?;
    let is_type = |node: &Node<'_>| matches!(node.kind(), "type_identifier" | "scoped_type_identifier");
    Some(children(union).into_iter().filter(is_type).collect())
}

fn kotlin_types(clause: Node<'_>) -> Option<Vec<Node<'_>>> {
    let caught = children(clause).into_iter().find(|child| child.kind() == "user_type")?;
    Some(vec![caught])
}

/// Start of the name itself: annotations of a Kotlin type belong to its node.
fn first_segment(name: Node<'_>) -> Option<Node<'_>> {
    let is_part = |node: &Node<'_>| is_identifier(*node) || node.kind() == "scoped_type_identifier";
    if is_part(&name) { Some(name) } else { children(name).into_iter().find(is_part) }
}

/// Type names hold letters, dots, bars and space; anything else is a comment or an annotation.
fn is_interspersed(source: &Source<'_>, span: &Range<usize>) -> bool {
    source.text.get(span.clone()).is_none_or(|text| text.contains(['/', '@', '<']))
}

/// The line where a try begins to do something. A try at the beginning of a try is looked into.
fn first_action(try_node: Node<'_>) -> u32 {
    let mut action = try_node;
    while let Some(first) = if is_try(action) { first_inside(action) } else { None } {
        action = first;
    }
    first_line(action)
}

/// The first statement of a try, or the first of its resources.
fn first_inside(try_node: Node<'_>) -> Option<Node<'_>> {
    let begins = |node: &Node<'_>| matches!(node.kind(), "block" | "resource_specification");
    let block = children(try_node).into_iter().find(begins)?;
    children(block).into_iter().find(|node| node.is_named() && !is_comment(*node))
}

fn last_line_of_body(try_node: Node<'_>) -> u32 {
    let body = children(try_node).into_iter().find(|child| child.kind() == "block");
    body.map_or(first_line(try_node), last_line)
}

fn is_try(node: Node<'_>) -> bool {
    matches!(node.kind(), "try_statement" | "try_with_resources_statement" | "try_expression")
}
