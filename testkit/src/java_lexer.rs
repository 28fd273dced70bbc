//! Just enough of a Java lexer to find statements in source text: words, brackets and where they are.
//!
//! Knows comments, strings, text blocks and characters; knows no numbers, operators or Unicode escapes.

/// A word or a single other character of the program text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'s> {
    pub(crate) text: &'s str,
    /// Byte offset.
    pub(crate) start: usize,
    /// From 1.
    pub(crate) line: u32,
}

impl Token<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The tokens of `source`, without white space, comments and literals.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut position = 0;
    let mut line = 1;
    while let Some(rest) = source.get(position..).filter(|rest| !rest.is_empty()) {
        let length = skipped_length(rest);
        if length == 0 {
            let text = &rest[..token_length(rest)];
            tokens.push(Token { text, start: position, line });
            position += text.len();
        } else {
            line += count_lines(&rest[..length]);
            position += length;
        }
    }
    tokens
}

/// Length of the white space, comment or literal that `text` starts with; 0 if it starts with a token.
fn skipped_length(text: &str) -> usize {
    let first = text.chars().next().unwrap_or(' ');
    if first.is_whitespace() {
        first.len_utf8()
    } else if text.starts_with("//") {
        text.find('\n').unwrap_or(text.len())
    } else if let Some(comment) = text.strip_prefix("/*") {
        comment.find("*/").map_or(text.len(), |end| end + 4)
    } else if let Some(block) = text.strip_prefix("\"\"\"") {
        3 + literal_length(block, "\"\"\"")
    } else if let Some(string) = text.strip_prefix('"') {
        1 + literal_length(string, "\"")
    } else if let Some(character) = text.strip_prefix('\'') {
        1 + literal_length(character, "'")
    } else {
        0
    }
}

/// Length up to and with `end`, which a backslash hides.
fn literal_length(text: &str, end: &str) -> usize {
    let mut position = 0;
    while let Some(rest) = text.get(position..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(end) {
            return position + end.len();
        }
        let escaped = rest.starts_with('\\');
        position += rest.chars().take(if escaped { 2 } else { 1 }).map(char::len_utf8).sum::<usize>();
    }
    text.len()
}

/// A word is an identifier, a keyword or a number; everything else is a token of one character.
fn token_length(text: &str) -> usize {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let word: usize = text.chars().take_while(|c| is_word(*c)).map(char::len_utf8).sum();
    if word > 0 { word } else { text.chars().next().map_or(1, char::len_utf8) }
}

fn count_lines(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').map(|_| 1).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<&str> {
        tokens(source).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn keywords_in_comments_and_literals_are_not_seen() {
        let source = r#"a // try {
            /* try { "*/ b "try { \" {" c '{' d '\'' e /** ' */ f"#;
        assert_eq!(words(source), ["a", "b", "c", "d", "e", "f"]);
    }

    #[test]
    fn text_blocks_end_at_three_quotes_only() {
        assert_eq!(words("a \"\"\"\n try { \" \"\" \\\"\"\" still \"\"\" b"), ["a", "b"]);
    }

    #[test]
    fn lines_are_counted_through_everything_that_is_skipped() {
        let source = "a\n/*\n*/ \"\"\"\n\"\"\" b // c\nd";
        let lines: Vec<(&str, u32)> = tokens(source).iter().map(|it| (it.text, it.line)).collect();
        assert_eq!(lines, [("a", 1), ("b", 4), ("d", 5)]);
    }

    #[test]
    fn words_keep_their_letters_whatever_the_alphabet() {
        assert_eq!(words("größe$_1{}entry"), ["größe$_1", "{", "}", "entry"]);
    }
}
