//! A source with its syntax tree.

use crate::{Language, kotlin};
use tree_sitter::{Node, Parser, Tree};

/// A parsed source. The parser never gives up: a text that is no program has a tree with errors in it.
pub(crate) struct Source<'s> {
    pub(crate) text: &'s str,
    pub(crate) language: Language,
    tree: Tree,
}

impl<'s> Source<'s> {
    /// `None` when there is no parser for the language in this build.
    pub(crate) fn parse(text: &'s str, language: Language) -> Option<Self> {
        let mut parser = Parser::new();
        let tree = match language {
            Language::Java => {
                parser.set_language(&tree_sitter_java::LANGUAGE.into()).ok()?;
                parser.parse(text, None)
            }
            Language::Kotlin => {
                parser.set_language(&tree_sitter_kotlin_ng::LANGUAGE.into()).ok()?;
                parser.parse(kotlin::without_trailing_commas(text), None)
            }
        };
        Some(Self { text, language, tree: tree? })
    }

    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.root().has_error()
    }

    /// All nodes, each before its children.
    pub(crate) fn nodes(&self) -> Preorder<'_> {
        preorder(self.root())
    }

    pub(crate) fn text_of(&self, node: Node<'_>) -> &'s str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The identifiers below a node, without those of annotations, backticks stripped.
    pub(crate) fn identifiers(&self, node: Node<'_>) -> Vec<String> {
        let mut walk = preorder(node);
        let mut identifiers = Vec::new();
        while let Some(node) = walk.next() {
            if is_annotation(node) {
                walk.skip_children();
            } else if is_identifier(node) {
                identifiers.push(self.text_of(node).trim_matches('`').to_owned());
            }
        }
        identifiers
    }
}

/// Nodes below a node, itself included. A stack of its own: sources nest deeper than a thread's stack may.
pub(crate) struct Preorder<'t> {
    stack: Vec<Node<'t>>,
    /// How many children the node given last has put on the stack.
    pushed: usize,
}

impl<'t> Preorder<'t> {
    /// Leaves out what is below the node given last.
    pub(crate) fn skip_children(&mut self) {
        self.stack.truncate(self.stack.len() - self.pushed);
        self.pushed = 0;
    }
}

impl<'t> Iterator for Preorder<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        let node = self.stack.pop()?;
        let mut below = children(node);
        below.reverse();
        self.pushed = below.len();
        self.stack.append(&mut below);
        Some(node)
    }
}

pub(crate) fn preorder(node: Node<'_>) -> Preorder<'_> {
    Preorder { stack: vec![node], pushed: 0 }
}

pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}

/// Counted from 1, as in class files.
pub(crate) fn first_line(node: Node<'_>) -> u32 {
    line(node.start_position().row)
}

pub(crate) fn last_line(node: Node<'_>) -> u32 {
    line(node.end_position().row)
}

pub(crate) fn is_comment(node: Node<'_>) -> bool {
    matches!(node.kind(), "line_comment" | "block_comment")
}

pub(crate) fn is_annotation(node: Node<'_>) -> bool {
    matches!(node.kind(), "annotation" | "marker_annotation")
}

pub(crate) fn is_identifier(node: Node<'_>) -> bool {
    node.child_count() == 0 && matches!(node.kind(), "identifier" | "type_identifier")
}

fn line(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX).saturating_add(1)
}
