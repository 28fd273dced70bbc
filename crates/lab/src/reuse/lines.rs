//! Lines that have moved: stored texts name lines, and are told with the new ones.
//!
//! The lines of a method stand in its class file in the order of its code. Where the code is the same, the old and the
//! new list say the same places, one by one.

use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// New lines by old ones, of each class and method name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct MovedLines(BTreeMap<(String, String), HashMap<u32, u32>>);

/// An old line of which nobody can tell which line it is now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ambiguous;

impl MovedLines {
    /// The lines of one more method. Methods of one name share their lines, since texts name no more.
    pub(crate) fn add(
        &mut self,
        class: &str,
        method: &str,
        old: &[u16],
        new: &[u16],
    ) -> Result<(), Ambiguous> {
        if old.len() != new.len() {
            return Err(Ambiguous);
        }
        let lines = self.0.entry((class.to_owned(), method.to_owned())).or_default();
        for (old, new) in old.iter().zip(new) {
            let (old, new) = (u32::from(*old), u32::from(*new));
            if *lines.entry(old).or_insert(new) != new {
                return Err(Ambiguous);
            }
        }
        Ok(())
    }

    /// Leaves out what has not moved. To be called when all methods are there.
    pub(crate) fn without_unmoved(mut self) -> Self {
        self.0.retain(|_, lines| lines.iter().any(|(old, new)| old != new));
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The JSON with new lines; `None` if it names none that has moved.
    pub(crate) fn in_json(&self, json: &str) -> Option<String> {
        let mut value: Value = serde_json::from_str(json).ok()?;
        self.in_value(&mut value).then(|| value.to_string())
    }

    fn in_value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => {
                let moved = self.in_text(text);
                let is_moved = moved != *text;
                *text = moved;
                is_moved
            }
            Value::Array(values) => {
                values.iter_mut().fold(false, |moved, value| self.in_value(value) | moved)
            }
            Value::Object(fields) => {
                fields.iter_mut().fold(false, |moved, (_, value)| self.in_value(value) | moved)
            }
            _ => false,
        }
    }

    /// Lines stand behind a method: `a.B.c:12`, `a.B.c(B.java:12)`, `a.B.c  B.java:12`.
    fn in_text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(colon) = rest.find(':') {
            let (before, behind) = rest.split_at(colon + 1);
            out.push_str(before);
            let digits = behind.len() - behind.trim_start_matches(|sign: char| sign.is_ascii_digit()).len();
            let (number, after) = behind.split_at(digits);
            match number.parse().ok().and_then(|line| self.moved(&out[..out.len() - 1], line)) {
                Some(line) => out.push_str(&line.to_string()),
                None => out.push_str(number),
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn moved(&self, before: &str, line: u32) -> Option<u32> {
        let name = last_name(before);
        let in_front = &before[..before.len() - name.len()];
        let method = self.lines_of(name).or_else(|| {
            let method = in_front.strip_suffix('(').or_else(|| in_front.strip_suffix("  "))?;
            self.lines_of(last_name(method))
        })?;
        method.get(&line).copied()
    }

    fn lines_of(&self, name: &str) -> Option<&HashMap<u32, u32>> {
        let (class, method) = name.rsplit_once('.')?;
        self.0.get(&(class.to_owned(), method.to_owned()))
    }
}

/// The name at the end of a text, with the dots in it.
fn last_name(text: &str) -> &str {
    let is_part = |sign: char| sign.is_alphanumeric() || "._$<>-".contains(sign);
    &text[text.trim_end_matches(is_part).len()..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved() -> MovedLines {
        let mut moved = MovedLines::default();
        moved.add("a.B", "c", &[10, 12, 10], &[11, 13, 11]).unwrap();
        moved.add("a.B", "<init>", &[5], &[7]).unwrap();
        moved.add("a.B", "same", &[1], &[1]).unwrap();
        moved.without_unmoved()
    }

    #[test]
    fn lines_behind_a_method_are_moved_and_others_stay() {
        for (text, expected) in [
            ("E: no at a.B.c:12", "E: no at a.B.c:13"),
            ("at a.B.c(B.java:10) and a.B.<init>:5", "at a.B.c(B.java:11) and a.B.<init>:7"),
            ("a.B.c  B.java:12", "a.B.c  B.java:13"),
            ("a.B.c:99, a.B.d:12, x:12, 12:12:", "a.B.c:99, a.B.d:12, x:12, 12:12:"),
            ("a.B.same:1 aa.B.c:12", "a.B.same:1 aa.B.c:12"),
        ] {
            assert_eq!(moved().in_text(text), expected);
        }
    }

    #[test]
    fn texts_anywhere_in_json_are_moved() {
        let json = r#"{"outcome":{"Failed":"a.B.c:10"},"micros":7,"list":["a.B.c:12"]}"#;
        let expected = r#"{"outcome":{"Failed":"a.B.c:11"},"micros":7,"list":["a.B.c:13"]}"#;
        let value = |json: &str| serde_json::from_str::<Value>(json).unwrap();
        assert_eq!(value(&moved().in_json(json).unwrap()), value(expected));
        assert_eq!(moved().in_json(r#"{"a":"a.B.same:1"}"#), None);
    }

    #[test]
    fn a_line_that_became_two_is_ambiguous() {
        let mut lines = MovedLines::default();
        assert_eq!(lines.add("a.B", "c", &[1, 1], &[1, 2]), Err(Ambiguous));
        assert_eq!(lines.add("a.B", "d", &[1], &[]), Err(Ambiguous));
    }
}
