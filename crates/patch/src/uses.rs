//! Uses of a simple name in a source.

use crate::Language;
use crate::scope::{is_import, is_package};
use crate::syntax::{Source, is_comment, is_identifier};
use tree_sitter::Node;

/// Tags of documentation comments that are followed by names of types.
const BLOCK_TAGS: &[&str] = &["@throws", "@exception", "@see"];
const INLINE_TAGS: &[&str] = &["{@link", "{@value"];

/// Tells whether the name occurs outside imports, as an identifier or as a reference in a documentation comment.
/// References count because documentation tools and style checkers resolve them.
pub(crate) fn is_used(source: &Source<'_>, name: &str) -> bool {
    let mut walk = source.nodes();
    while let Some(node) = walk.next() {
        if is_import(node) || is_package(node) {
            walk.skip_children();
        } else if node.child_count() == 0 && is_use(source, node, name) {
            return true;
        }
    }
    false
}

fn is_use(source: &Source<'_>, leaf: Node<'_>, name: &str) -> bool {
    let text = source.text_of(leaf);
    if source.has_errors() {
        // Code may pass for something else there, so every word counts.
        has_word(text, name)
    } else if is_comment(leaf) {
        is_referenced(text, name, source.language)
    } else {
        is_identifier(leaf) && text.trim_matches('`') == name
    }
}

fn is_referenced(comment: &str, name: &str, language: Language) -> bool {
    let is_documentation = comment.starts_with("/**") || comment.starts_with("///");
    // Brackets are links in KDoc and in the Markdown comments of newer Java.
    let has_brackets = language == Language::Kotlin || comment.starts_with("///");
    is_documentation
        && (follows(comment, BLOCK_TAGS, '\n', name)
            || follows(comment, INLINE_TAGS, '}', name)
            || (has_brackets && follows(comment, &["["], ']', name)))
}

/// Tells whether the name stands between one of the marks and the next `end`.
fn follows(text: &str, marks: &[&str], end: char, name: &str) -> bool {
    let ends = marks.iter().flat_map(|mark| text.match_indices(mark));
    let mut rests = ends.filter_map(|(at, mark)| text.get(at + mark.len()..));
    rests.any(|rest| rest.split(end).next().is_some_and(|part| has_word(part, name)))
}

fn has_word(text: &str, name: &str) -> bool {
    let is_part = |it: char| it.is_alphanumeric() || it == '_' || it == '$';
    text.split(|it: char| !is_part(it)).any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, text: &str, expected: bool) {
        let source = Source::parse(text, language).expect("a parser");
        assert_eq!(is_used(&source, "Gone"), expected, "{text}");
    }

    #[test]
    fn identifiers_in_code_are_uses() {
        check(Language::Java, "class A extends Gone {}", true);
        check(Language::Java, "class A { Object o = Gone.class; }", true);
        check(Language::Java, "@Gone class A {}", true);
        check(Language::Kotlin, "val a = \"${Gone()}\"", true);
        check(Language::Kotlin, "val a = `Gone`()", true);
    }

    #[test]
    fn imports_strings_and_plain_comments_are_none() {
        check(Language::Java, "import a.Gone; class A { String s = \"Gone\"; /* Gone */ // Gone\n }", false);
        check(Language::Java, "package Gone; class Goner {}", false);
        check(Language::Kotlin, "import a.Gone\nval a = \"Gone\" // [Gone]", false);
    }

    #[test]
    fn references_in_documentation_are_uses() {
        check(Language::Java, "/** {@link Gone} */ class A {}", true);
        check(Language::Java, "/** {@linkplain B#b(Gone) b} */ class A {}", true);
        check(Language::Java, "/**\n * @throws Gone if\n */ class A {}", true);
        check(Language::Java, "/// [Gone]\nclass A {}", true);
        check(Language::Kotlin, "/** [Gone] */ class A", true);
        check(Language::Java, "/** Gone, {@link B} [Gone] */ class A {}", false);
        check(Language::Java, "/* @see Gone */ class A {}", false);
    }

    #[test]
    fn every_word_counts_where_the_parser_stumbled() {
        check(Language::Java, "class A { void m( { // Gone\n", true);
    }
}
