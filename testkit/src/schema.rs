//! As much of JSON Schema as our schemas use. A keyword it does not know is a violation, so none is ignored in silence.

use crate::workspace::root;
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
                "$schema" | "$id" | "$defs" | "title" | "description" => true,
                "$ref" => self.follow(rule, value, at),
                "type" => has_type(rule, value),
                "const" => rule == value,
                "enum" => rule.as_array().is_some_and(|allowed| allowed.contains(value)),
                "minimum" => value.as_f64() >= rule.as_f64(),
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

fn has_all(rule: &Value, object: &Map<String, Value>) -> bool {
    rule.as_array()
        .is_some_and(|names| names.iter().all(|name| name.as_str().is_some_and(|it| object.contains_key(it))))
}
