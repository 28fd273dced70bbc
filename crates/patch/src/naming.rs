//! From the names in a source to classes and back.

use crate::scope::{Meaning, Scope, joined};
use crate::syntax::Source;
use crate::uses::is_used;
use crate::{Language, Shadow, kotlin};

/// How a class is written at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spelling {
    pub(crate) text: String,
    /// The import that makes the text right, where there is none yet.
    pub(crate) import: Option<String>,
    /// The name that can be written instead without any import.
    pub(crate) qualified: String,
}

/// Tells whether a name in the source can mean the class. The file's own words about the name decide; where there are
/// none, there must be a way for the name to mean that class.
pub(crate) fn is_named(scope: &Scope, name: &[String], class: &str, at: usize) -> bool {
    let Some((first, rest)) = name.split_first() else { return false };
    let paths = paths_of(scope.language, &dotted(class));
    let whole = dotted(&name.join("."));
    match scope.meaning(first, at) {
        Meaning::Is(meant) => paths.contains(&dotted(&[&[meant], rest].concat().join("."))),
        Meaning::Other => false,
        Meaning::Unsaid if !rest.is_empty() && paths.contains(&whole) => true,
        Meaning::Unsaid => {
            let may_inherit = class.contains('$') && scope.may_inherit(at);
            let owners = paths.iter().filter_map(|path| owner_of(path, &whole));
            owners.into_iter().any(|owner| may_inherit || scope.is_open(owner))
        }
    }
}

/// How to write the class at a place; `None` when there is no way. Where the package has another class of that name
/// only an import of the very class makes the simple name right, and nothing does where a supertype has one.
pub(crate) fn spelling(
    source: &Source<'_>,
    scope: &Scope,
    class: &str,
    shadow: Shadow,
    at: usize,
) -> Option<Spelling> {
    let (package, nested) = parts_of(class)?;
    let path = |depth: usize| joined(package, &nested[..=depth].join("."));
    let head = nested.first()?;
    let qualified = escaped(scope.language, &path(nested.len() - 1));
    let plain = |text: String| Spelling { text, import: None, qualified: qualified.clone() };
    if shadow == Shadow::Inherited {
        return (!package.is_empty()).then(|| plain(qualified.clone()));
    }
    for depth in (0..nested.len()).rev() {
        if let Some(local) = known_name(scope, &path(depth), nested[depth], at) {
            let text = [&[local.as_str()], &nested[depth + 1..]].concat().join(".");
            return Some(plain(escaped(scope.language, &text)));
        }
    }
    let simple = escaped(scope.language, &nested.join("."));
    let owners = paths_of(scope.language, &path(0));
    let is_open = owners.iter().any(|it| owner_of(it, head).is_some_and(|owner| scope.is_open(owner)));
    if shadow == Shadow::Package || scope.is_taken(head) {
        return (!package.is_empty()).then(|| plain(qualified.clone()));
    }
    if is_open {
        return Some(plain(simple));
    }
    if package.is_empty() {
        return None;
    }
    // A name that means something already, from the package or an import of all of another, must not change its
    // meaning.
    if is_used(source, head) {
        return Some(plain(qualified.clone()));
    }
    Some(Spelling { text: simple, import: Some(path(0)), qualified })
}

/// A qualified name as the language wants it written.
pub(crate) fn escaped(language: Language, path: &str) -> String {
    match language {
        Language::Java => path.to_owned(),
        Language::Kotlin => kotlin::escaped(path),
    }
}

/// The simple name under which the file knows a class at a place.
fn known_name(scope: &Scope, path: &str, simple: &str, at: usize) -> Option<String> {
    let paths = paths_of(scope.language, path);
    let imported =
        scope.imports.iter().filter(|it| paths.contains(&it.path)).filter_map(|it| it.local.clone());
    let mut names = std::iter::once(simple.to_owned()).chain(imported);
    names.find(|name| matches!(scope.meaning(name, at), Meaning::Is(meant) if paths.contains(&meant)))
}

/// All names of a class, its aliases included.
fn paths_of(language: Language, path: &str) -> Vec<String> {
    let aliases = match language {
        Language::Java => Vec::new(),
        Language::Kotlin => kotlin::aliases_of(path),
    };
    std::iter::once(path.to_owned()).chain(aliases).collect()
}

/// `a.b.Outer$Inner` as the package `a.b` and the names `Outer`, `Inner`. `None` for local and anonymous classes.
fn parts_of(class: &str) -> Option<(&str, Vec<&str>)> {
    let (package, simple) = class.rsplit_once('.').unwrap_or(("", class));
    let nested: Vec<&str> = simple.split('$').collect();
    let is_name = |name: &&str| name.starts_with(|first: char| !first.is_ascii_digit());
    nested.iter().all(is_name).then_some((package, nested))
}

/// The part of `path` before `name`.
fn owner_of<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    match path.strip_suffix(name)? {
        "" => Some(""),
        owner => owner.strip_suffix('.'),
    }
}

/// Nesting in class files and in sources looks the same, so dollars in names do no harm in comparisons.
fn dotted(class: &str) -> String {
    class.replace('$', ".")
}
