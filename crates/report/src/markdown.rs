//! Text of others inside a Markdown table: nothing of it is markup, notifies anybody or ends the table.
//!
//! Numeric entities do all of that, also inside tables, where GitHub splits cells before it looks for anything else.

use crate::plain_text::escaped;
use std::fmt::Write;

/// Characters that may begin markup, a link, a formula or the next cell.
const MARKUP: &str = "&<>|\\`*_~[]$@#";
/// Behind a character that would begin a mention or a reference to an issue; entities alone are seen through.
const ZERO_WIDTH_SPACE: &str = "&#8203;";

/// Plain words of at most `longest` characters.
pub(crate) fn plain(text: &str, longest: usize) -> String {
    let mut escaped = String::new();
    for c in in_one_line(text, longest).replace("://", ": //").chars() {
        escape(&mut escaped, c);
        if matches!(c, '@' | '#') {
            escaped.push_str(ZERO_WIDTH_SPACE);
        }
    }
    escaped
}

/// A code span of at most `longest` characters.
pub(crate) fn code(text: &str, longest: usize) -> String {
    let text = in_one_line(text, longest);
    // A span that begins or ends with a space loses it, and an empty one is none.
    let is_simple = !text.is_empty() && text.trim() == text && !text.contains(['`', '|', '\\']);
    if is_simple {
        return format!("`{text}`");
    }
    let mut escaped = String::new();
    text.chars().for_each(|c| escape(&mut escaped, c));
    format!("<code>{escaped}</code>")
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
