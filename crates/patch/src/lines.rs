//! Lines of a text, their ends kept.

/// The byte order mark, which may stand before everything else in a file.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Tells whether the rest of this line is nothing but space and a comment. Kotlin's optional semicolon does not count.
pub(crate) fn is_end_of_line(rest: &str) -> bool {
    let line = rest.get(..line_end(rest)).unwrap_or_default();
    let line = line.trim_start().trim_start_matches(';').trim();
    let comment = line.strip_prefix("/*").and_then(|it| it.strip_suffix("*/"));
    line.is_empty() || line.starts_with("//") || comment.is_some_and(|it| !it.contains("*/"))
}

/// End of the first line, its newline left out.
pub(crate) fn line_end(text: &str) -> usize {
    let end = text.find('\n').unwrap_or(text.len());
    text.get(..end).map_or(end, |line| line.trim_end_matches('\r').len())
}

/// The first line with its newline.
pub(crate) fn first_line(text: &str) -> &str {
    text.split_inclusive('\n').next().unwrap_or_default()
}

/// Tells whether this is a line, and nothing is on it.
pub(crate) fn is_blank(line: &str) -> bool {
    !line.is_empty() && line.trim().is_empty()
}

/// The newline that the lines around a place have.
pub(crate) fn newline_at(text: &str, at: usize) -> &'static str {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let line = match after.find('\n') {
        Some(newline) => after.get(..newline),
        None => before.rfind('\n').and_then(|newline| before.get(..newline)),
    };
    // A newline right at the place has its carriage return before it.
    let line = if line == Some("") { Some(before) } else { line };
    if line.is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_end_a_line_and_code_does_not() {
        for rest in ["", " \r\n x", "; // a", " /* a */ \n", ";"] {
            assert!(is_end_of_line(rest), "{rest:?}");
        }
        for rest in [" x", "; x", " /* a */ x", " /* a\n */", " /* a */ x /* b */"] {
            assert!(!is_end_of_line(rest), "{rest:?}");
        }
    }

    #[test]
    fn the_newline_of_the_line_itself_counts() {
        let mixed = "a\nb\r\nc\nd";
        let newlines: Vec<&str> = (0..mixed.len()).map(|at| newline_at(mixed, at)).collect();
        assert_eq!(newlines, ["\n", "\n", "\r\n", "\r\n", "\r\n", "\n", "\n", "\n"]);
        assert_eq!(newline_at("", 0), "\n");
        assert_eq!(newline_at("a\r\nb", 4), "\r\n");
    }
}
