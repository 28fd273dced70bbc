//! As much of JSON Schema as our schemas and that of SARIF use. A keyword it does not know is a violation, so none is
//! ignored in silence.

use crate::unpacked::unpacked;
use crate::workspace::root;
use crate::{maven, pinned};
use anyhow::{Context, Result};
use serde_json::{Map, Value};
use std::fs;

/// The newest schema of a command, or of one of its views.
pub fn schema(command: &str) -> Result<Value> {
    let paths = [2, 1].map(|version| root().join(format!("docs/schema/catchment.{command}.{version}.json")));
    let path =
        paths.iter().find(|path| path.is_file()).with_context(|| format!("{command} has no schema"))?;
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is no JSON", path.display()))
}

/// The schema of SARIF 2.1.0 as OASIS published it, from a library that was generated from it. What the errata of 2023
/// demand beyond it is that a region begins somewhere.
pub fn sarif() -> Result<Value> {
    let jar = maven::resolve(&[pinned::SARIF_SCHEMA])?.into_iter().next().context("no jar")?;
    let path = unpacked(&jar)?.join("schema/sarif-schema-2.1.0.json");
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("{} is no JSON", path.display()))
}

/// A line for everything in which `value` does not follow `schema`.
pub fn violations(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Checker { root: schema, found: &mut found }.check(schema, value, "");
    found
}

struct Checker<'a> {
    root: &'a Value,
    found: &'a mut Vec<String>,
}

impl Checker<'_> {
    fn check(&mut self, schema: &Value, value: &Value, at: &str) {
        for (keyword, rule) in schema.as_object().into_iter().flatten() {
            let holds = match keyword.as_str() {
                "$schema" | "$id" | "$defs" | "definitions" | "title" | "description" | "default" => true,
                "$ref" => self.follow(rule, value, at),
                "type" => has_type(rule, value),
                "const" => rule == value,
                "enum" => rule.as_array().is_some_and(|allowed| allowed.contains(value)),
                "minimum" => value.as_f64() >= rule.as_f64(),
                "maximum" => value.as_f64() <= rule.as_f64(),
                "minItems" => value.as_array().is_none_or(|items| Some(items.len() as u64) >= rule.as_u64()),
                "uniqueItems" => rule == false || value.as_array().is_none_or(|items| are_unique(items)),
                "format" => has_format(rule, value),
                "anyOf" => self.count_of(rule, value) > 0,
                "oneOf" => self.count_of(rule, value) == 1,
                "additionalProperties" => self.additional(schema, rule, value, at),
                "required" => value.as_object().is_none_or(|object| has_all(rule, object)),
                "properties" => self.properties(rule, value, at),
                "items" => self.items(rule, value, at),
                unknown => unknown.is_empty(),
            };
            if !holds {
                self.found.push(format!("{at}: {keyword} {rule}"));
            }
        }
    }

    fn follow(&mut self, rule: &Value, value: &Value, at: &str) -> bool {
        let pointer = rule.as_str().and_then(|reference| reference.strip_prefix('#'));
        let Some(target) = pointer.and_then(|pointer| self.root.pointer(pointer)) else { return false };
        self.check(target, value, at);
        true
    }

    fn properties(&mut self, rule: &Value, value: &Value, at: &str) -> bool {
        for (name, schema) in rule.as_object().into_iter().flatten() {
            if let Some(value) = value.get(name) {
                self.check(schema, value, &format!("{at}/{name}"));
            }
        }
        true
    }

    /// Properties that `properties` beside this keyword does not name.
    fn additional(&mut self, schema: &Value, rule: &Value, value: &Value, at: &str) -> bool {
        let is_named = |name: &str| schema["properties"].get(name).is_some();
        let unnamed = value.as_object().into_iter().flatten().filter(|(name, _)| !is_named(name));
        let mut holds = true;
        for (name, value) in unnamed {
            match rule {
                Value::Bool(allowed) => holds &= allowed,
                schema => self.check(schema, value, &format!("{at}/{name}")),
            }
        }
        holds
    }

    /// The number of these schemas that `value` follows.
    fn count_of(&self, schemas: &Value, value: &Value) -> usize {
        let follows = |schema: &&Value| {
            let mut found = Vec::new();
            Checker { root: self.root, found: &mut found }.check(schema, value, "");
            found.is_empty()
        };
        schemas.as_array().into_iter().flatten().filter(follows).count()
    }

    fn items(&mut self, rule: &Value, value: &Value, at: &str) -> bool {
        for (number, value) in value.as_array().into_iter().flatten().enumerate() {
            self.check(rule, value, &format!("{at}/{number}"));
        }
        true
    }
}

fn has_type(rule: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64() || value.is_i64(),
        Some("number") => value.is_number(),
        Some("null") => value.is_null(),
        _ => false,
    };
    rule.as_array().map_or_else(|| is(rule), |names| names.iter().any(is))
}

fn are_unique(items: &[Value]) -> bool {
    (1..).zip(items).all(|(next, item)| !items.iter().skip(next).any(|other| other == item))
}

/// No white space and nothing that has to be percent-encoded in addresses; no other format is known.
fn has_format(rule: &Value, value: &Value) -> bool {
    let Some(text) = value.as_str() else { return true };
    let is_plain = |c: char| c.is_ascii_graphic() && !"<>\"\\^`{|}".contains(c);
    matches!(rule.as_str(), Some("uri" | "uri-reference")) && text.chars().all(is_plain)
}

fn has_all(rule: &Value, object: &Map<String, Value>) -> bool {
    rule.as_array()
        .is_some_and(|names| names.iter().all(|name| name.as_str().is_some_and(|it| object.contains_key(it))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_keyword_tells_good_from_bad() {
        for (schema, good, bad) in [
            (json!({"minItems": 1}), json!([1]), json!([])),
            (json!({"uniqueItems": true}), json!([1, 2]), json!([1, 2, 1])),
            (json!({"maximum": 100.0}), json!(99.5), json!(101)),
            (json!({"format": "uri-reference"}), json!("a%20b/c.java"), json!("a b/c.java")),
            (json!({"format": "date"}), json!(1), json!("today")),
            (json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}), json!({"a": 1}), json!({"c": 1})),
            (json!({"oneOf": [{"type": "integer"}, {"type": "number"}]}), json!(1.5), json!(1)),
            (
                json!({"properties": {"a": {}}, "additionalProperties": false}),
                json!({"a": 1}),
                json!({"b": 1}),
            ),
            (json!({"additionalProperties": {"type": "string"}}), json!({"a": "1"}), json!({"a": 1})),
            (json!({"pattern": "x"}), json!(null), json!("x")),
        ] {
            let is_unknown = schema.get("pattern").is_some();
            assert_eq!(violations(&schema, &good).is_empty(), !is_unknown, "{schema}");
            assert_ne!(violations(&schema, &bad), Vec::<String>::new(), "{schema}");
        }
    }
}
