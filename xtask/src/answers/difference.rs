//! Differences between two answers in normal form.
//!
//! Elements of sets are named by `[...]` keys (see `normal_form.rs`); an element that only one side has is a
//! difference. A field that only the answer before has is one too; a field that only the answer after has is an
//! addition.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Longer values are cut in what is printed, never in what is compared.
const SHOWN: usize = 300;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Differences {
    /// Path, value before, value after.
    pub(super) lines: Vec<String>,
    /// Paths of fields that only the answer after has, without the names of elements.
    pub(super) added: BTreeSet<String>,
}

pub(super) fn differences(before: &Value, after: &Value) -> Differences {
    let mut found = Differences::default();
    found.compare("", before, after);
    found
}

impl Differences {
    fn compare(&mut self, path: &str, before: &Value, after: &Value) {
        match (before, after) {
            (Value::Object(before), Value::Object(after)) => self.compare_fields(path, before, after),
            (Value::Array(before), Value::Array(after)) => self.compare_lists(path, before, after),
            (before, after) if before == after => {}
            (before, after) => self.add(path, Some(before), Some(after)),
        }
    }

    fn compare_fields(&mut self, path: &str, before: &Map<String, Value>, after: &Map<String, Value>) {
        for name in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
            let path = joined(path, name);
            match (before.get(name), after.get(name)) {
                (Some(before), Some(after)) => self.compare(&path, before, after),
                (None, Some(_)) if !is_element(name) => {
                    self.added.insert(without_elements(&path));
                }
                (before, after) => self.add(&path, before, after),
            }
        }
    }

    fn compare_lists(&mut self, path: &str, before: &[Value], after: &[Value]) {
        for position in 0..before.len().max(after.len()) {
            let path = format!("{path}[{position}]");
            match (before.get(position), after.get(position)) {
                (Some(before), Some(after)) => self.compare(&path, before, after),
                (before, after) => self.add(&path, before, after),
            }
        }
    }

    fn add(&mut self, path: &str, before: Option<&Value>, after: Option<&Value>) {
        self.lines.push(format!("{path}: before {}, after {}", shown(before), shown(after)));
    }
}

fn is_element(name: &str) -> bool {
    name.starts_with('[')
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() || is_element(name) { format!("{path}{name}") } else { format!("{path}.{name}") }
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "absent".to_owned() };
    let text = value.to_string();
    if text.chars().count() <= SHOWN {
        return text;
    }
    let start: String = text.chars().take(SHOWN).collect();
    format!("{start}...")
}

/// `pairs[com.acme.Cache...].lines` as `pairs[].lines`. Names of elements may have brackets of their own.
fn without_elements(path: &str) -> String {
    let mut depth = 0_usize;
    let mut short = String::new();
    for c in path.chars() {
        match c {
            '[' => {
                depth += 1;
                if depth == 1 {
                    short.push_str("[]");
                }
            }
            ']' => depth = depth.saturating_sub(1),
            c if depth == 0 => short.push(c),
            _ => {}
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_changed_value_and_a_field_that_is_gone_are_differences() {
        let before = json!({"a": 1, "b": {"c": [1, 2]}, "gone": null});
        let after = json!({"a": 2, "b": {"c": [1]}});
        assert_eq!(
            differences(&before, &after).lines,
            ["a: before 1, after 2", "b.c[1]: before 2, after absent", "gone: before null, after absent"]
        );
    }

    #[test]
    fn an_added_field_is_told_once_and_an_added_element_is_a_difference() {
        let before = json!({"pairs": {"[x[0]]": {}, "[y]": {}}});
        let after = json!({"pairs": {"[x[0]]": {"lines": 1}, "[y]": {"lines": 2}, "[z]": {}}});
        let found = differences(&before, &after);
        assert_eq!(found.lines, ["pairs[z]: before absent, after {}"]);
        assert_eq!(found.added, BTreeSet::from(["pairs[].lines".to_owned()]));
    }
}
