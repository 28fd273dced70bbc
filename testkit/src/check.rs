//! The fixtures under `fixtures/check`: small projects with tests and, beside each, what `catchment check` must say.
//!
//! ```text
//! <name>/main, test      sources; `test-<framework>` where one project is tested by several frameworks
//! <name>/earlier, later  classes as they were when `main` was compiled, and as they are now (see `project.rs`)
//! <name>/outside         classes of the application that are compiled to a folder outside the project
//! <name>/catchment.toml  if it needs settings of its own
//! <name>/expected.txt    see `expected.rs`
//! ```
//!
//! What is expected and what was answered become [`Facts`], lines of the form "what: how it is", so that a difference
//! can be read without knowing either format.

mod answer;
mod expected;
mod left_over;
mod project;
mod snapshot;

pub use answer::Answer;
pub(crate) use answer::{clause_name, test_name};
pub use left_over::Marker;
pub use project::{CheckProject, Framework, binary};
pub use snapshot::Snapshot;

use crate::workspace::root;
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

/// What is known of a project, by what it is about: `pair Cache.load catch IOException` is `independent, resilient`.
pub type Facts = BTreeMap<String, String>;

/// The folder of these fixtures.
pub fn folder() -> PathBuf {
    root().join("fixtures/check")
}

/// What `fixtures/check/<name>/expected.txt` says.
pub fn expected(name: &str) -> Result<Facts> {
    let file = folder().join(name).join("expected.txt");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    expected::parse(&text).with_context(|| format!("cannot read {}", file.display()))
}

/// A line for every fact that differs. Where `expected` says nothing of a count, or of how a test is tried, any will do.
pub fn differences(expected: &Facts, actual: &Facts) -> Vec<String> {
    let mut lines = Vec::new();
    for about in expected.keys().chain(actual.keys()).collect::<BTreeSet<_>>() {
        match (expected.get(about), actual.get(about)) {
            (Some(wanted), Some(found)) if wanted == found => {}
            (Some(wanted), Some(found)) => {
                lines.push(format!("{about}: expected {wanted}, but it is {found}"));
            }
            (Some(wanted), None) => {
                lines.push(format!("{about}: expected {wanted}, but nothing is said of it"));
            }
            (None, Some(_)) if is_optional(about) => {}
            (None, Some(found)) => lines.push(format!("{about}: is {found}, which is not expected")),
            (None, None) => {}
        }
    }
    lines
}

fn is_optional(about: &str) -> bool {
    about.starts_with("tests ") || about.starts_with("shared ") || about.ends_with(" usages")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(facts: &[(&str, &str)]) -> Facts {
        facts.iter().map(|(about, value)| ((*about).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn wrong_missing_and_surplus_facts_are_told_apart() {
        let expected = facts(&[("pair a", "independent"), ("pair b", "unknown"), ("pair c", "unknown")]);
        let actual = facts(&[
            ("pair a", "dependent"),
            ("pair c", "unknown"),
            ("pair d", "unknown"),
            ("pair d usages", "none"),
        ]);
        assert_eq!(
            differences(&expected, &actual),
            [
                "pair a: expected independent, but it is dependent",
                "pair b: expected unknown, but nothing is said of it",
                "pair d: is unknown, which is not expected",
            ]
        );
    }

    #[test]
    fn every_expected_file_can_be_read() {
        for fixture in fs::read_dir(folder()).unwrap() {
            let name = fixture.unwrap().file_name().into_string().unwrap();
            let facts = expected(&name).unwrap();
            assert!(facts.keys().any(|about| about.starts_with("pair ")), "{name}");
        }
    }
}
