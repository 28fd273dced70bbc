//! The links of one program under one configuration, found by a process of their own: its memory is nobody else's.

use super::configurations::Configuration;
use crate::bench::measured::{self, End, Measured};
use crate::bench::subjects::Program;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Faults of disk and network; what the program itself throws is no such fault.
const FAULTS: [&str; 3] = ["--faults", "DSK_*,NET_*", "--no-throws"];

/// A raising point, and the clause that its exceptions come to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    pub(super) point: String,
    pub(super) clause: String,
}

#[derive(Debug)]
pub(super) struct Counted {
    pub(super) measured: Measured,
    /// Or why there is none: a configuration that takes too long is missing, and the others go on.
    pub(super) found: Result<Found, String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) links: BTreeSet<Link>,
    pub(super) methods: u64,
}

pub(super) fn count(
    catchment: &Path,
    program: &Program,
    configuration: Configuration,
    folder: &Path,
    limit: Duration,
) -> Result<Counted> {
    let result = folder.join(format!("{configuration}.json"));
    let mut command = program.links(catchment, &configuration.to_string(), &result)?;
    command.args(FAULTS).args(program.includes());
    let (measured, end) = measured::run(&mut command, limit)?;
    let found = match end {
        // 1 means findings.
        End::Exit(Some(0 | 1)) => {
            Ok(read(&fs::read_to_string(&result).context("catchment links wrote no result")?)?)
        }
        End::Exit(code) => Err(format!("failed: {code:?}")),
        End::Limit => Err("ended at the limit".to_owned()),
    };
    Ok(Counted { measured, found })
}

fn read(result: &str) -> Result<Found> {
    let result: Value = serde_json::from_str(result).context("catchment links wrote no JSON")?;
    let methods = result["stats"]["reachable_methods"].as_u64().context("no number of methods")?;
    let links = result["links"].as_array().context("no links")?;
    Ok(Found { links: links.iter().map(read_link).collect::<Result<_>>()?, methods })
}

fn read_link(link: &Value) -> Result<Link> {
    let from = &link["from"];
    let part =
        |name: &str| from[name].as_str().with_context(|| format!("a link whose raising point has no {name}"));
    let point = format!("{}.{}{}", part("class")?, part("method")?, part("descriptor")?);
    // Only code with line numbers has one, native methods have none.
    let line = from["line"].as_u64().map(|line| format!(":{line}")).unwrap_or_default();
    let clause = link["to"].as_str().context("a link without a clause")?.to_owned();
    Ok(Link { point: point + &line, clause })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_read_by_what_raises_and_where_they_end() {
        let result = r#"{"stats": {"reachable_methods": 7}, "links": [
            {"number": 1, "from": {"class": "A", "method": "m", "descriptor": "()V", "line": 3}, "to": "x"},
            {"number": 2, "from": {"class": "A", "method": "n", "descriptor": "()V", "line": null}, "to": "x"}]}"#;
        let link = |point: &str| Link { point: point.to_owned(), clause: "x".to_owned() };
        let links = BTreeSet::from([link("A.m()V:3"), link("A.n()V")]);
        assert_eq!(read(result).unwrap(), Found { links, methods: 7 });
        assert!(read(r#"{"links": []}"#).is_err() && read(r#"{"stats": {"reachable_methods": 1}}"#).is_err());
    }
}
