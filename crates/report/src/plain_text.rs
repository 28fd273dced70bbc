//! Text that shows on a terminal, and in a log, as it is: names and messages of programs cannot steer either.
//!
//! A class file may name a class, a method or its source file as it likes. Escape sequences in such a name would
//! recolour or rewrite what stands before it, a newline could begin a line that a build server takes for a command, and
//! marks for writing from right to left could make one name look like another.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

/// The text with every character that is not seen for what it is written as in Java sources, `\u001b`; newlines too.
pub fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => plain.push_str("\\n"),
            '\r' => plain.push_str("\\r"),
            '\t' => plain.push_str("\\t"),
            c if is_unseen(c) => {
                let mut units = [0; 2];
                let units = c.encode_utf16(&mut units).iter();
                plain.extend(units.map(|unit| format!("\\u{unit:04x}")));
            }
            c => plain.push(c),
        }
    }
    Cow::Owned(plain)
}

/// Control characters, separators of lines and paragraphs, and the characters of Unicode that are format characters or
/// otherwise invisible.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
            | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e007f}')
}

/// A writer of lines. Each `write!` and `writeln!` writes a part of one line: of what it writes all is escaped but the
/// newline at its very end. So a renderer begins every line by a call of its own, and a `write!` ends with words of ours.
pub(crate) struct PlainText<'w>(&'w mut dyn Write);

impl<'w> PlainText<'w> {
    pub(crate) fn new(out: &'w mut dyn Write) -> Self {
        Self(out)
    }
}

impl Write for PlainText<'_> {
    fn write_fmt(&mut self, arguments: fmt::Arguments<'_>) -> io::Result<()> {
        let text = arguments.to_string();
        let (line, end) = text.strip_suffix('\n').map_or((text.as_str(), ""), |line| (line, "\n"));
        self.0.write_all(escaped(line).as_bytes())?;
        self.0.write_all(end.as_bytes())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_written_as_in_java() {
        let check = |text: &str, expected: &str| assert_eq!(escaped(text), expected);
        check("a\u{1b}[31mb\u{7}\0c\u{7f}\u{9b}", "a\\u001b[31mb\\u0007\\u0000c\\u007f\\u009b");
        check("one\ntwo\r\n\tthree", "one\\ntwo\\r\\n\\tthree");
        check("x\u{202e}y\u{2066}\u{200b}\u{feff}\u{2028}", "x\\u202ey\\u2066\\u200b\\ufeff\\u2028");
        check("\u{e0041}", "\\udb40\\udc41");
        for plain in ["", "com.acme.Größe$日本.<init>", "a \\ b", "naïve 🦀 — “x”"] {
            check(plain, plain);
        }
    }

    #[test]
    fn only_the_newline_at_the_end_of_a_call_is_one() {
        let mut text = Vec::new();
        let mut out = PlainText::new(&mut text);
        let name = "\n::error::x\n";
        write!(out, "{name};").unwrap();
        writeln!(out, " {name}").unwrap();
        writeln!(out).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "\\n::error::x\\n; \\n::error::x\\n\n\n");
    }
}
