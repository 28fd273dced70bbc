//! Java's `.properties` files, as `java.util.Properties` writes and reads them.

/// Keys and values in the order of the file.
pub(super) fn parse(bytes: &[u8]) -> Vec<(String, String)> {
    // The format is Latin-1; everything else is escaped.
    let text: String = bytes.iter().map(|&byte| char::from(byte)).collect();
    logical_lines(&text).iter().map(|line| split(line)).collect()
}

/// Joins lines that end in an odd number of backslashes with the next; drops comments and blank lines.
fn logical_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut continues = false;
    for line in text.split(['\n', '\r']) {
        let line = line.trim_start_matches([' ', '\t', '\u{c}']);
        if !continues && (line.is_empty() || line.starts_with(['#', '!'])) {
            continue;
        }
        let ends_open = line.chars().rev().take_while(|&c| c == '\\').count() % 2 == 1;
        let content = if ends_open { &line[..line.len() - 1] } else { line };
        match lines.last_mut() {
            Some(last) if continues => last.push_str(content),
            _ => lines.push(content.to_owned()),
        }
        continues = ends_open;
    }
    lines
}

/// The key ends at the first `=`, `:` or blank that is not escaped.
fn split(line: &str) -> (String, String) {
    let is_blank = |c: char| matches!(c, ' ' | '\t' | '\u{c}');
    let mut escaped = false;
    let end = line.find(|c: char| {
        let ends = !escaped && (matches!(c, '=' | ':') || is_blank(c));
        escaped = c == '\\' && !escaped;
        ends
    });
    let (key, rest) = line.split_at(end.unwrap_or(line.len()));
    let rest = rest.trim_start_matches(is_blank);
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest).trim_start_matches(is_blank);
    (unescape(key), unescape(value))
}

fn unescape(text: &str) -> String {
    // UTF-16, because a character outside the basic plane is written as two escapes.
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let unescaped = if c == '\\' { escape(&mut chars) } else { Some(u32::from(c)) };
        units.extend(unescaped.and_then(|unit| u16::try_from(unit).ok()));
    }
    String::from_utf16_lossy(&units)
}

fn escape(chars: &mut std::str::Chars<'_>) -> Option<u32> {
    match chars.next()? {
        't' => Some(9),
        'n' => Some(10),
        'f' => Some(12),
        'r' => Some(13),
        'u' => {
            let digits: String = chars.by_ref().take(4).collect();
            u32::from_str_radix(&digits, 16).ok()
        }
        other => Some(u32::from(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let expected: Vec<_> =
            expected.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        assert_eq!(parse(text.as_bytes()), expected, "{text:?}");
    }

    #[test]
    fn everything_java_writes_is_read() {
        check("#surefire\n#Sun Nov 15\r\n\na=b\n", &[("a", "b")]);
        check("pipe=pipe\\://1\nsome\\ key=a\\=b\n", &[("pipe", "pipe://1"), ("some key", "a=b")]);
        check("u=\\u00e4\\uD83D\\uDE00\\\\n\\n", &[("u", "\u{e4}\u{1f600}\\n\n")]);
        check("empty=\nrequestedTest=", &[("empty", ""), ("requestedTest", "")]);
    }

    #[test]
    fn what_people_write_is_read_too() {
        check("  a : b\nc d\ne", &[("a", "b"), ("c", "d"), ("e", "")]);
        check("list=one,\\\n   two\\\\\nnext=1", &[("list", "one,two\\"), ("next", "1")]);
    }
}
