//! Statements of a source about the names in it: its package, its imports, the types it declares.

use crate::syntax::{Source, children};
use crate::{Language, kotlin};
use std::ops::Range;
use tree_sitter::Node;

/// Paths are dotted all through: `com.acme.Outer.Inner`.
pub(crate) struct Scope {
    pub(crate) language: Language,
    /// Empty for the unnamed package.
    pub(crate) package: String,
    pub(crate) imports: Vec<Import>,
    declared: Vec<Declared>,
    /// Bodies of types that have supertypes, and may inherit member types.
    heirs: Vec<Range<usize>>,
}

pub(crate) struct Import {
    /// Without the star.
    pub(crate) path: String,
    /// The name it has in this source; none for all of a package or class.
    pub(crate) local: Option<String>,
    pub(crate) is_static: bool,
    pub(crate) span: Range<usize>,
}

struct Declared {
    name: String,
    /// Unknown for type parameters and local types.
    path: Option<String>,
    /// The range in which the simple name means this type.
    visible: Range<usize>,
}

impl Scope {
    pub(crate) fn of(source: &Source<'_>) -> Self {
        let package = source.nodes().find(|node| is_package(*node));
        let package = package.map(|node| source.identifiers(node).join(".")).unwrap_or_default();
        let declared = source.nodes().filter_map(|node| declared(source, node, &package)).collect();
        let heirs = source.nodes().filter(|node| inherits(*node)).map(|node| node.byte_range()).collect();
        Self { language: source.language, package, imports: imports_of(source), declared, heirs }
    }

    /// The meaning of a simple name at a place, by the file itself.
    pub(crate) fn meaning(&self, name: &str, at: usize) -> Meaning {
        let visible = self.declared.iter().filter(|it| it.name == name && it.visible.contains(&at));
        if let Some(innermost) = visible.max_by_key(|it| it.visible.start) {
            return innermost.path.clone().map_or(Meaning::Other, Meaning::Is);
        }
        match self.imports.iter().find(|it| it.local.as_deref() == Some(name)) {
            Some(import) => Meaning::Is(import.path.clone()),
            None => Meaning::Unsaid,
        }
    }

    /// Tells whether the file declares or imports something under this name, wherever.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.declared.iter().any(|it| it.name == name)
            || self.imports.iter().any(|it| it.local.as_deref() == Some(name))
    }

    /// Tells whether types of this package (or members of this class) need no import of their own.
    pub(crate) fn is_open(&self, owner: &str) -> bool {
        owner == self.package
            || self.default_imports().contains(&owner)
            || self.imports.iter().any(|it| it.local.is_none() && it.path == owner)
    }

    /// Tells whether a member type of a supertype could be meant at a place.
    pub(crate) fn may_inherit(&self, at: usize) -> bool {
        self.heirs.iter().any(|body| body.contains(&at))
    }

    fn default_imports(&self) -> &'static [&'static str] {
        match self.language {
            Language::Java => &["java.lang"],
            Language::Kotlin => kotlin::DEFAULT_IMPORTS,
        }
    }
}

/// A file's statement about a name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Is(String),
    /// A type parameter or a local type.
    Other,
    /// The name comes from its package, an import of a whole package, or a supertype, if at all.
    Unsaid,
}

pub(crate) fn imports_of(source: &Source<'_>) -> Vec<Import> {
    source.nodes().filter(|node| is_import(*node)).map(|node| import(source, node)).collect()
}

pub(crate) fn is_import(node: Node<'_>) -> bool {
    node.is_named() && matches!(node.kind(), "import_declaration" | "import")
}

pub(crate) fn is_package(node: Node<'_>) -> bool {
    matches!(node.kind(), "package_declaration" | "package_header")
}

pub(crate) fn is_type(node: Node<'_>) -> bool {
    let declaration = matches!(
        node.kind(),
        "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration"
            | "object_declaration"
            | "companion_object"
    );
    declaration && node.is_named()
}

fn import(source: &Source<'_>, node: Node<'_>) -> Import {
    let parts = children(node);
    let has = |kind: &str| parts.iter().any(|part| part.kind() == kind);
    let mut identifiers = source.identifiers(node);
    let alias = if has("as") { identifiers.pop() } else { None };
    let on_demand = has("asterisk") || has("*");
    let local = if on_demand { None } else { alias.or_else(|| identifiers.last().cloned()) };
    Import { path: identifiers.join("."), local, is_static: has("static"), span: node.byte_range() }
}

fn declared(source: &Source<'_>, node: Node<'_>, package: &str) -> Option<Declared> {
    let whole = 0..source.text.len();
    if node.kind() == "type_parameter" {
        let name = source.identifiers(node).into_iter().next()?;
        let visible = node.parent().and_then(|list| list.parent()).map_or(whole, |owner| owner.byte_range());
        return Some(Declared { name, path: None, visible });
    }
    if node.kind() == "type_alias" {
        let name = source.identifiers(node).into_iter().next()?;
        let path = Some(joined(package, &name));
        return Some(Declared { name, path, visible: whole });
    }
    if !is_type(node) {
        return None;
    }
    let name = name_of(source, node)?;
    let outer: Vec<Node<'_>> = ancestors(node).filter(|it| is_type(*it) || hides(*it)).collect();
    let visible = outer.first().map_or(whole, |it| it.byte_range());
    let mut path = Some(name.clone());
    for outer in &outer {
        let name = if hides(*outer) { None } else { name_of(source, *outer) };
        path = path.and_then(|path| Some(joined(&name?, &path)));
    }
    Some(Declared { name, path: path.map(|path| joined(package, &path)), visible })
}

/// Tells whether types declared in the node have no name outside.
fn hides(node: Node<'_>) -> bool {
    let body =
        matches!(node.kind(), "block" | "object_creation_expression" | "object_literal" | "enum_constant");
    body || node.kind() == "lambda_literal" || node.kind() == "constructor_body"
}

fn name_of(source: &Source<'_>, node: Node<'_>) -> Option<String> {
    match node.child_by_field_name("name") {
        Some(name) => Some(source.text_of(name).trim_matches('`').to_owned()),
        None => (node.kind() == "companion_object").then(|| "Companion".to_owned()),
    }
}

/// Tells whether a node is a type with a supertype that is written down.
fn inherits(node: Node<'_>) -> bool {
    let kinds = ["superclass", "super_interfaces", "extends_interfaces", "delegation_specifiers"];
    let anonymous = || {
        let has_body = children(node).iter().any(|child| child.kind() == "class_body");
        has_body && matches!(node.kind(), "object_creation_expression" | "object_literal")
    };
    (is_type(node) && children(node).iter().any(|child| kinds.contains(&child.kind()))) || anonymous()
}

fn ancestors(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    std::iter::successors(node.parent(), Node::parent)
}

/// A name in its package or class.
pub(crate) fn joined(owner: &str, name: &str) -> String {
    if owner.is_empty() { name.to_owned() } else { format!("{owner}.{name}") }
}
