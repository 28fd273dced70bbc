//! Text of others inside a Markdown table: nothing of it is markup, notifies anybody or ends the table.
//!
//! Numeric entities do all of that, also inside tables, where GitHub splits cells before it looks for anything else.

use crate::plain_text::escaped;
use std::fmt::Write;
use std::ops::RangeInclusive;

/// Characters that may begin markup, a link, a formula or the next cell.
const MARKUP: &str = "&<>|\\`*_~[]$@#";
/// Inside of what would be a mention, a link, or a reference to an issue or a commit; entities alone are seen through.
const ZERO_WIDTH_SPACE: &str = "&#8203;";
/// Digits of a commit that GitHub takes for one.
const COMMIT_DIGITS: RangeInclusive<usize> = 7..=40;

/// Plain words of at most `longest` characters.
pub(crate) fn plain(text: &str, longest: usize) -> String {
    unlinked(&in_one_line(text, longest))
}

/// A code span of at most `longest` characters.
pub(crate) fn code(text: &str, longest: usize) -> String {
    let text = in_one_line(text, longest);
    // A span that begins or ends with a space loses it, and an empty one is none.
    let is_simple = !text.is_empty() && text.trim() == text && !text.contains(['`', '|', '\\']);
    if is_simple {
        return format!("`{text}`");
    }
    format!("<code>{}</code>", unlinked(&text))
}

/// The text with everything escaped, and broken where it would become a link or notify somebody.
fn unlinked(text: &str) -> String {
    let chars: Vec<char> = text.replace("://", ": //").chars().collect();
    let mut escaped = String::new();
    for (position, c) in chars.iter().enumerate() {
        escape(&mut escaped, *c);
        if is_broken_behind(&chars, position) {
            escaped.push_str(ZERO_WIDTH_SPACE);
        }
    }
    escaped
}

/// Tells whether the text is to be broken behind the character at this position: behind the sign of a mention or an issue, before
/// the dot of `www.evil.example`, before the hyphen of `GH-12`, and after the third digit of a commit.
fn is_broken_behind(chars: &[char], position: usize) -> bool {
    let (to_here, rest) = chars.split_at(position + 1);
    let ends_with = |word: &str| {
        let tail = to_here.len().checked_sub(word.len()).map(|start| &to_here[start..]);
        tail.is_some_and(|tail| {
            tail.iter().zip(word.chars()).all(|(c, wanted)| c.eq_ignore_ascii_case(&wanted))
        })
    };
    match (to_here.last(), rest.first()) {
        (Some('@' | '#'), _) => true,
        (_, Some('.')) => ends_with("www"),
        (_, Some('-')) => ends_with("gh") && rest.get(1).is_some_and(char::is_ascii_digit),
        _ => is_in_commit(to_here, rest),
    }
}

/// Tells whether behind three characters of a word there are others that make it the name of a commit.
fn is_in_commit(to_here: &[char], rest: &[char]) -> bool {
    let is_of_word = |c: &&char| c.is_alphanumeric();
    let before = to_here.iter().rev().take_while(is_of_word).count();
    let after = rest.iter().take_while(is_of_word).count();
    let digits = || to_here[to_here.len() - before..].iter().chain(&rest[..after]);
    before == 3 && COMMIT_DIGITS.contains(&(before + after)) && digits().all(char::is_ascii_hexdigit)
}

fn escape(escaped: &mut String, c: char) {
    if MARKUP.contains(c) {
        let _ = write!(escaped, "&#{};", u32::from(c));
    } else {
        escaped.push(c);
    }
}

fn in_one_line(text: &str, longest: usize) -> String {
    let text = escaped(text);
    if text.chars().count() <= longest {
        return text.into_owned();
    }
    text.chars().take(longest).chain(" ...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_notified_and_nothing_is_linked() {
        assert_eq!(plain("by @octocat in #12", 99), "by &#64;&#8203;octocat in &#35;&#8203;12");
        assert_eq!(plain("see https://example.org", 99), "see https: //example.org");
        assert_eq!(plain("[1] www.evil.example", 99), "&#91;1&#93; www&#8203;.evil.example");
        assert_eq!(plain("WWW.evil.example, gh-12", 99), "WWW&#8203;.evil.example, gh&#8203;-12");
        assert_eq!(plain("since 1a2b3c4, not 1234", 99), "since 1a2&#8203;b3c4, not 1234");
        let words = "ww.x, high-level, cafe, 1234567x";
        assert_eq!(plain(words, 99), words);
        assert_eq!(
            code("| www.evil.example x@evil.example https://x", 99),
            "<code>&#124; www&#8203;.evil.example x&#64;&#8203;evil.example https: //x</code>"
        );
    }

    #[test]
    fn the_length_of_a_text_changes_nothing() {
        assert_eq!(plain("w", 9), "w");
        assert_eq!(plain("ww.", 9), "ww.");
        assert_eq!(plain("www.", 9), "www&#8203;.");
        assert_eq!(plain("", 9), "");
    }

    #[test]
    fn markup_and_cells_stay_text() {
        assert_eq!(plain("a|b\n<b>_x_</b>", 99), "a&#124;b&#92;n&#60;b&#62;&#95;x&#95;&#60;/b&#62;");
        assert_eq!(plain("\\| $x$", 99), "&#92;&#124; &#36;x&#36;");
        assert_eq!(plain("lambda$load$0[1]", 99), "lambda&#36;load&#36;0&#91;1&#93;");
    }

    #[test]
    fn code_is_a_plain_span_where_that_is_safe() {
        assert_eq!(code("a.B<@x>.<init>", 99), "`a.B<@x>.<init>`");
        assert_eq!(code("a|b", 99), "<code>a&#124;b</code>");
        assert_eq!(code("tick ` and \\| that", 99), "<code>tick &#96; and &#92;&#124; that</code>");
        assert_eq!(code("two\nlines", 99), "<code>two&#92;nlines</code>");
        assert_eq!(code("", 99), "<code></code>");
    }

    #[test]
    fn no_part_is_longer_than_it_may_be() {
        assert_eq!(plain(&"ü".repeat(9), 4), "üüüü ...");
        assert_eq!(code("abcdef", 3), "`abc ...`");
    }
}
