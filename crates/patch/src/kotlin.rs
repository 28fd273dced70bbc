//! Peculiarities of Kotlin: its own names for Java's exceptions, its keywords, and the gaps of its grammar.

/// Packages whose types need no import.
pub(crate) const DEFAULT_IMPORTS: &[&str] = &[
    "java.lang",
    "kotlin",
    "kotlin.annotation",
    "kotlin.collections",
    "kotlin.comparisons",
    "kotlin.io",
    "kotlin.jvm",
    "kotlin.ranges",
    "kotlin.sequences",
    "kotlin.text",
];

/// Type aliases of the standard library and of kotlinx.coroutines for classes outside `java.lang`.
const ALIASES: &[(&str, &str)] = &[
    ("kotlin.NoSuchElementException", "java.util.NoSuchElementException"),
    ("kotlin.ConcurrentModificationException", "java.util.ConcurrentModificationException"),
    ("kotlin.text.CharacterCodingException", "java.nio.charset.CharacterCodingException"),
    ("kotlin.coroutines.cancellation.CancellationException", "java.util.concurrent.CancellationException"),
    ("kotlinx.coroutines.CancellationException", "java.util.concurrent.CancellationException"),
];

/// The types of `java.lang` that package `kotlin` has an alias for.
const ALIASES_IN_KOTLIN: &[&str] = &[
    "ArithmeticException",
    "AssertionError",
    "ClassCastException",
    "Error",
    "Exception",
    "IllegalArgumentException",
    "IllegalStateException",
    "IndexOutOfBoundsException",
    "NullPointerException",
    "NumberFormatException",
    "RuntimeException",
    "Throwable",
    "UnsupportedOperationException",
];

const KEYWORDS: &[&str] = &[
    "as",
    "break",
    "class",
    "continue",
    "do",
    "else",
    "false",
    "for",
    "fun",
    "if",
    "in",
    "interface",
    "is",
    "null",
    "object",
    "package",
    "return",
    "super",
    "this",
    "throw",
    "true",
    "try",
    "typealias",
    "typeof",
    "val",
    "var",
    "when",
    "while",
];

/// The names that Kotlin has for a class of Java: `kotlin.Exception` for `java.lang.Exception`.
pub(crate) fn aliases_of(class: &str) -> Vec<String> {
    let listed = ALIASES.iter().filter(|(_, behind)| *behind == class).map(|(alias, _)| (*alias).to_owned());
    let simple = class.strip_prefix("java.lang.").filter(|name| ALIASES_IN_KOTLIN.contains(name));
    listed.chain(simple.map(|name| format!("kotlin.{name}"))).collect()
}

/// A qualified name as Kotlin wants it written: keywords in backticks.
pub(crate) fn escaped(path: &str) -> String {
    let segments = path.split('.');
    let escaped: Vec<String> =
        segments.map(|it| if KEYWORDS.contains(&it) { format!("`{it}`") } else { it.to_owned() }).collect();
    escaped.join(".")
}

/// The text with a space for each comma in `catch (e: T,)`, which the grammar does not know. All else keeps its place.
pub(crate) fn without_trailing_commas(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for (at, word) in text.match_indices("catch") {
        if let Some(comma) = trailing_comma(text.as_bytes(), at + word.len()) {
            bytes[comma] = b' ';
        }
    }
    bytes
}

/// Position of the last comma, if nothing but space separates it from the parenthesis that closes those opened at `at`.
fn trailing_comma(bytes: &[u8], at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut last = None;
    let opening = bytes.iter().skip(at).position(|byte| !byte.is_ascii_whitespace())? + at;
    for (at, byte) in bytes.iter().enumerate().skip(opening) {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            // A header has no braces; whoever comes to one did not start at a header.
            b'{' | b'}' => return None,
            _ => {}
        }
        if depth == 0 {
            return last.filter(|&comma| bytes.get(comma) == Some(&b','));
        }
        if !byte.is_ascii_whitespace() {
            last = Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(String::from_utf8(without_trailing_commas(text)).unwrap(), expected);
    }

    #[test]
    fn only_commas_before_the_closing_parenthesis_of_a_catch_are_masked() {
        check("catch (e: A,) {", "catch (e: A ) {");
        check("catch(\n @X(1,) e: A,\n) {", "catch(\n @X(1,) e: A \n) {");
        check("catch (e: A) { f(1,) }", "catch (e: A) { f(1,) }");
        check("f(catch, 1,) catch", "f(catch, 1,) catch");
        check("catch (", "catch (");
    }

    #[test]
    fn classes_of_java_have_names_in_kotlin() {
        assert_eq!(aliases_of("java.lang.Exception"), ["kotlin.Exception"]);
        assert_eq!(
            aliases_of("java.util.concurrent.CancellationException"),
            [
                "kotlin.coroutines.cancellation.CancellationException",
                "kotlinx.coroutines.CancellationException"
            ]
        );
        assert!(aliases_of("java.lang.InterruptedException").is_empty());
    }

    #[test]
    fn keywords_in_names_are_escaped() {
        assert_eq!(escaped("com.acme.object.in.X"), "com.acme.`object`.`in`.X");
    }
}
