//! The fixtures under `fixtures/stretch`: projects as in `fixtures/check`, and what `catchment stretch` must say of each clause.
//!
//! ```text
//! # comment
//! Cache.load catch EOFException: not Exception (interruptible), IOException in case A, 2 tests, 1 injected
//! Cache.keep catch EOFException: not IOException (test_fails CacheTest.isBroken)
//! Cache.open catch IOException: no_wider_type on request
//! ```
//!
//! Wider types in the order they are tried; `injected` is the number of tests that pass with the type thrown, `all unchecked`
//! says that every unchecked exception is newly caught, `merges` how many later clauses go. Names are without packages.

use crate::check::{Facts, clause_name, test_name};
use crate::colours::simple_names;
use crate::workspace::root;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// The folder of these fixtures.
pub fn folder() -> PathBuf {
    root().join("fixtures/stretch")
}

/// What `fixtures/stretch/<name>/expected.txt` says.
pub fn expected(name: &str) -> Result<Facts> {
    let file = folder().join(name).join("expected.txt");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let fact = |line: &str| {
        let (about, value) = line.split_once(": ").with_context(|| format!("no colon in '{line}'"))?;
        Ok((about.to_owned(), value.to_owned()))
    };
    lines.map(fact).collect()
}

/// What `catchment stretch --json` said, in the words of the expected files.
pub fn facts(answer: &Value) -> Facts {
    let clauses = answer["clauses"].as_array().into_iter().flatten();
    clauses.map(|clause| (clause_name(clause), said_of(clause))).collect()
}

fn said_of(clause: &Value) -> String {
    let refused = clause["refused"].as_array().into_iter().flatten().map(refused);
    let accepted = Some(&clause["accepted"]).filter(|accepted| !accepted.is_null()).map(accepted);
    refused.chain(accepted).collect::<Vec<_>>().join(", ")
}

fn refused(refused: &Value) -> String {
    let mut why = refused["why"].as_str().unwrap_or_default().to_owned();
    if !refused["test"].is_null() {
        why = format!("{why} {}", test_name(&refused["test"]));
    }
    let text = refused["text"].as_str().unwrap_or_default();
    match refused["to"].as_str() {
        Some(to) => format!("not {} ({why})", simple_names([to])),
        None if text.contains("--to java.lang.Exception") => format!("{why} on request"),
        None => why,
    }
}

fn accepted(accepted: &Value) -> String {
    let to = simple_names(accepted["to"].as_str());
    let case = accepted["case"].as_str().unwrap_or_default();
    let tests = accepted["tests"].as_u64().unwrap_or_default();
    let plural = if tests == 1 { "" } else { "s" };
    let unchecked = if accepted["catches_all_unchecked"] == true { ", all unchecked" } else { "" };
    let merges = match accepted["merges"].as_array().map_or(0, Vec::len) {
        0 => String::new(),
        count => format!(", merges {count}"),
    };
    format!("{to} in case {case}, {tests} test{plural}, {} injected{unchecked}{merges}", accepted["injected"])
}
