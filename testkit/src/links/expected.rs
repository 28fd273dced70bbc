//! `expected.toml` of a fixture: its settings, and its links with the configurations that report them.

use anyhow::{Result, bail};
use serde::Deserialize;

/// Every analysis with every filter that it takes.
pub const CONFIGURATIONS: [&str; 17] = [
    "cha",
    "rta",
    "pta",
    "pta+dr",
    "pta+cdr",
    "pta+mdr",
    "pta+vdr",
    "inpta",
    "inpta+dr",
    "inpta+cdr",
    "inpta+mdr",
    "inpta+vdr",
    "2obj",
    "2obj+dr",
    "2obj+cdr",
    "2obj+mdr",
    "2obj+vdr",
];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedFile {
    #[serde(default = "java_8")]
    pub(super) level: u32,
    #[serde(default)]
    pub(super) links: Scope,
    #[serde(default)]
    pub(super) kinds: Vec<String>,
    #[serde(default)]
    pub(super) implicit: bool,
    #[serde(default)]
    pub(super) link: Vec<ExpectedLink>,
    #[serde(default)]
    pub(super) known: Vec<KnownDifference>,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Scope {
    #[default]
    All,
    Own,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedLink {
    pub(super) from: String,
    pub(super) to: String,
    r#in: Option<Vec<String>>,
    #[serde(default)]
    not_in: Vec<String>,
    #[serde(default)]
    pub(super) maybe: Vec<String>,
    pub(super) doubt: Option<String>,
}

/// The tool is known to say the opposite of what is expected.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownDifference {
    pub(super) from: String,
    pub(super) to: String,
    r#in: Vec<String>,
    pub(super) cause: String,
}

impl KnownDifference {
    pub(super) fn is_in(&self, configuration: &str) -> bool {
        fits_any(&self.r#in, configuration)
    }

    pub(super) fn check(&self) -> Result<()> {
        check_patterns(self.r#in.iter())
    }
}

impl ExpectedLink {
    pub(super) fn is_in(&self, configuration: &str) -> bool {
        let is_listed = self.r#in.as_ref().is_none_or(|patterns| fits_any(patterns, configuration));
        is_listed && !fits_any(&self.not_in, configuration)
    }

    pub(super) fn check(&self) -> Result<()> {
        check_patterns(self.r#in.iter().flatten().chain(&self.not_in).chain(&self.maybe))
    }
}

fn check_patterns<'p>(patterns: impl Iterator<Item = &'p String>) -> Result<()> {
    for pattern in patterns {
        if !CONFIGURATIONS.iter().any(|configuration| fits(pattern, configuration)) {
            bail!("`{pattern}` fits no configuration");
        }
    }
    Ok(())
}

pub(super) fn fits_any(patterns: &[String], configuration: &str) -> bool {
    patterns.iter().any(|pattern| fits(pattern, configuration))
}

fn fits(pattern: &str, configuration: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => configuration.starts_with(start) && configuration.ends_with(end),
        None => pattern == configuration,
    }
}

fn java_8() -> u32 {
    8
}
