//! Catchment's side: `catchment links` at the configuration that is Tai-e's.

use super::{Analysis, Counts};
use crate::bench::measured::{self, End};
use crate::bench::subjects::Program;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

pub(super) fn analyse(
    catchment: &Path,
    program: &Program,
    folder: &Path,
    limit: Duration,
) -> Result<Analysis> {
    let result = folder.join("links.json");
    let mut command = links(catchment, program, &result)?;
    let (measured, end) = measured::run(&mut command, limit)?;
    let counts = match end {
        // 1 means findings, which are not what is asked for here.
        End::Exit(Some(0 | 1)) => {
            Ok(read_counts(&fs::read_to_string(&result).context("catchment links wrote no result")?)?)
        }
        End::Exit(code) => Err(format!("failed: {code:?}")),
        End::Limit => Err("ended at the limit".to_owned()),
    };
    Ok(Analysis { measured, counts })
}

/// One line per method in the form of [`super::method_names`]. To be asked where [`analyse`] has succeeded, so that a
/// failure is one of the question: an empty answer would look like an analysis that reaches nothing.
pub(super) fn reached_methods(
    catchment: &Path,
    program: &Program,
    folder: &Path,
    limit: Duration,
) -> Result<BTreeSet<String>> {
    let list = folder.join("methods.txt");
    let mut command = links(catchment, program, &folder.join("links.json"))?;
    let (_, end) = measured::run(command.arg("--methods").arg(&list), limit)?;
    if !matches!(end, End::Exit(Some(0 | 1))) {
        bail!("catchment links does not list its methods: {end:?}");
    }
    let text = fs::read_to_string(&list).context("catchment links wrote no methods")?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// Nothing is read from the cache: Tai-e has none.
fn links(catchment: &Path, program: &Program, result: &Path) -> Result<Command> {
    let mut command = program.links(catchment, "pta", result)?;
    command.arg("--no-cache");
    Ok(command)
}

fn read_counts(result: &str) -> Result<Counts> {
    let result: Value = serde_json::from_str(result).context("catchment links wrote no JSON")?;
    let number = |name: &str| {
        let number = result.get("stats").and_then(|stats| stats.get(name)).and_then(Value::as_u64);
        number.with_context(|| format!("the result of catchment links has no stats.{name}"))
    };
    Ok(Counts { methods: number("reachable_methods")?, edges: number("call_edges")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_the_stats() {
        let result =
            r#"{"schema": "catchment.links/2", "stats": {"reachable_methods": 7, "call_edges": 12}}"#;
        assert_eq!(read_counts(result).unwrap(), Counts { methods: 7, edges: 12 });
        let error = read_counts(r#"{"stats": {"call_edges": 12}}"#).unwrap_err().to_string();
        assert!(error.contains("stats.reachable_methods"), "{error}");
    }
}
