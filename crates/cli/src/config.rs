//! `catchment.toml`: what a project wants every time. What is typed goes before what it says.

use crate::duration;
use crate::exit::BadInput;
use crate::size;
use catchment_exceptions::FaultTable;
use catchment_lab::PairSelection;
use catchment_verdicts::Suppression;
use serde::Deserialize;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;
use toml::de::{DeTable, DeValue};

const FILE: &str = "catchment.toml";
const KEYS: [&str; 9] =
    ["budget", "build_silence", "exclude", "fault", "include", "jobs", "silence", "size_limit", "suppress"];
const FAULT_KEYS: [&str; 7] = ["class", "descriptor", "kind", "method", "since", "throws", "until"];
const SUPPRESS_KEYS: [&str; 2] = ["pair", "reason"];

/// The content of `catchment.toml`. No key is required.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) include: Vec<String>,
    pub(crate) exclude: Vec<String>,
    pub(crate) jobs: Option<NonZeroUsize>,
    pub(crate) budget: Option<Duration>,
    /// How long a suite may give no sign of life.
    pub(crate) silence: Option<Duration>,
    /// The same for a build.
    pub(crate) build_silence: Option<Duration>,
    /// The largest `.catchment` of a project, in bytes.
    pub(crate) size_limit: Option<u64>,
    pub(crate) suppress: Vec<Suppression>,
    /// Operations that the fault catalogue does not know.
    pub(crate) faults: Vec<FaultTable>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ConfigFile {
    include: Vec<String>,
    exclude: Vec<String>,
    jobs: Option<NonZeroUsize>,
    budget: Option<String>,
    silence: Option<String>,
    build_silence: Option<String>,
    size_limit: Option<String>,
    suppress: Vec<SuppressTable>,
    fault: Vec<FaultTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SuppressTable {
    pair: String,
    reason: String,
}

impl Config {
    /// The classes whose pairs are asked about: as typed, else as the file says.
    pub(crate) fn selection(&self, include: &[String], exclude: &[String]) -> PairSelection {
        let typed_or = |typed: &[String], configured: &[String]| {
            if typed.is_empty() { configured.to_vec() } else { typed.to_vec() }
        };
        PairSelection { include: typed_or(include, &self.include), exclude: typed_or(exclude, &self.exclude) }
    }

    /// That of the project in `folder`; empty if there is no file.
    pub(crate) fn of_project(folder: &Path) -> Result<Self, BadInput> {
        let path = folder.join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(BadInput(format!("cannot read {}: {error}", path.display()))),
        };
        parse(&text).map_err(|error| {
            let line = error.line.map_or_else(String::new, |line| format!(":{line}"));
            BadInput(format!("{}{line}: {}", path.display(), error.what))
        })
    }
}

/// An error in the file, with its place.
#[derive(Debug, PartialEq, Eq)]
struct ConfigError {
    line: Option<usize>,
    what: String,
}

fn parse(text: &str) -> Result<Config, ConfigError> {
    let wrong = |error: toml::de::Error| ConfigError {
        line: error.span().map(|span| line_of(text, span.start)),
        what: error.message().lines().collect::<Vec<_>>().join(", "),
    };
    let table = DeTable::parse(text).map_err(wrong)?;
    refuse_unknown_keys(text, table.get_ref())?;
    understood(toml::from_str(text).map_err(wrong)?)
}

fn understood(file: ConfigFile) -> Result<Config, ConfigError> {
    let wrong = |what: String| ConfigError { line: None, what };
    let time = |key: &str, text: Option<String>| {
        let parsed = text.as_deref().map(duration::parse).transpose();
        parsed.map_err(|error| wrong(format!("{key}: {error}")))
    };
    let size_limit = file.size_limit.as_deref().map(size::parse).transpose();
    let size_limit = size_limit.map_err(|error| wrong(format!("size_limit: {error}")))?;
    let suppress = file.suppress.into_iter().map(|it| Suppression { pair: it.pair, reason: it.reason });
    let suppress: Vec<_> = suppress.collect();
    if let Some(bare) = suppress.iter().find(|it| it.reason.trim().is_empty()) {
        return Err(wrong(format!("the suppression of {} has no reason", bare.pair)));
    }
    Ok(Config {
        include: file.include,
        exclude: file.exclude,
        jobs: file.jobs,
        budget: time("budget", file.budget)?,
        silence: time("silence", file.silence)?,
        build_silence: time("build_silence", file.build_silence)?,
        size_limit,
        suppress,
        faults: file.fault,
    })
}

/// Before serde does, as it does not know what was meant.
fn refuse_unknown_keys(text: &str, table: &DeTable<'_>) -> Result<(), ConfigError> {
    refuse_others(text, table, &KEYS)?;
    for (list, keys) in [("suppress", &SUPPRESS_KEYS[..]), ("fault", &FAULT_KEYS[..])] {
        let Some(DeValue::Array(tables)) = table.get(list).map(toml::Spanned::get_ref) else { continue };
        for table in tables.iter().filter_map(|value| value.get_ref().as_table()) {
            refuse_others(text, table, keys)?;
        }
    }
    Ok(())
}

fn refuse_others(text: &str, table: &DeTable<'_>, known: &[&str]) -> Result<(), ConfigError> {
    let is_known = |key: &str| known.contains(&key);
    let unknown = table.keys().filter(|key| !is_known(key.get_ref())).min_by_key(|key| key.span().start);
    let Some(unknown) = unknown else { return Ok(()) };
    let nearest = known.iter().min_by_key(|known| distance(unknown.get_ref(), known));
    let nearest = nearest.map_or_else(String::new, |key| format!("; did you mean `{key}`?"));
    Err(ConfigError {
        line: Some(line_of(text, unknown.span().start)),
        what: format!("unknown key `{}`{nearest}", unknown.get_ref()),
    })
}

/// Lines count from 1.
fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// Levenshtein's: how many characters have to be put in, taken out or replaced.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (number, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = number + 1;
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> (Option<usize>, String) {
        let error = parse(text).unwrap_err();
        (error.line, error.what)
    }

    #[test]
    fn everything_is_optional() {
        assert_eq!(parse("").unwrap(), Config::default());
    }

    #[test]
    fn all_keys_are_understood() {
        let text = r#"
            include = ["com.acme.*"]
            exclude = ["*Generated"]
            jobs = 4
            budget = "10m"
            silence = "5m"
            build_silence = "1h"
            size_limit = "3GB"
            [[suppress]]
            pair = "com.acme.Cache.load()V#0.0:E@1"
            reason = "told to"
            [[fault]]
            kind = "NET_READ"
            class = "com.acme.Client"
            method = "receive"
        "#;
        let expected = Config {
            include: vec!["com.acme.*".into()],
            exclude: vec!["*Generated".into()],
            jobs: NonZeroUsize::new(4),
            budget: Some(Duration::from_secs(600)),
            silence: Some(Duration::from_secs(300)),
            build_silence: Some(Duration::from_secs(3600)),
            size_limit: Some(3 << 30),
            suppress: vec![Suppression {
                pair: "com.acme.Cache.load()V#0.0:E@1".into(),
                reason: "told to".into(),
            }],
            faults: vec![FaultTable {
                kind: "NET_READ".into(),
                class: "com.acme.Client".into(),
                method: "receive".into(),
                descriptor: None,
                throws: Vec::new(),
                since: None,
                until: None,
            }],
        };
        assert_eq!(parse(text).unwrap(), expected);
    }

    #[test]
    fn the_key_lists_are_those_of_the_types() {
        // serde names what it expects when it meets another key.
        let expected = |error: toml::de::Error| error.message().to_owned();
        let file = expected(toml::from_str::<ConfigFile>("zzz = 1").unwrap_err());
        assert!(KEYS.iter().all(|key| file.contains(&format!("`{key}`"))), "{file}");
        assert_eq!(file.matches('`').count(), 2 * (KEYS.len() + 1), "{file}");
        let suppress = expected(toml::from_str::<SuppressTable>("zzz = 1").unwrap_err());
        assert_eq!(suppress.matches('`').count(), 2 * (SUPPRESS_KEYS.len() + 1), "{suppress}");
        let fault = expected(toml::from_str::<FaultTable>("zzz = 1").unwrap_err());
        assert!(FAULT_KEYS.iter().all(|key| fault.contains(&format!("`{key}`"))), "{fault}");
        assert_eq!(fault.matches('`').count(), 2 * (FAULT_KEYS.len() + 1), "{fault}");
    }

    #[test]
    fn an_unknown_key_names_its_line_and_the_nearest_key() {
        assert_eq!(
            error("jobs = 2\nincldue = []\n"),
            (Some(2), "unknown key `incldue`; did you mean `include`?".into())
        );
        let nested =
            "[[suppress]]\npair = \"a\"\nreason = \"b\"\n[[suppress]]\npair = \"a\"\nreson = \"b\"\n";
        assert_eq!(error(nested), (Some(6), "unknown key `reson`; did you mean `reason`?".into()));
        let fault = "[[fault]]\nkind = \"A\"\nclas = \"B\"\n";
        assert_eq!(error(fault), (Some(3), "unknown key `clas`; did you mean `class`?".into()));
    }

    #[test]
    fn wrong_values_are_refused_with_their_place() {
        assert_eq!(error("jobs = 0").0, Some(1));
        assert_eq!(error("\ninclude = 3").0, Some(2));
        assert_eq!(error("\n\n[[suppress]]\npair = \"a\"\n").0, Some(3));
        assert_eq!(error("a = = 1").0, Some(1));
        assert!(error("budget = \"soon\"").1.contains("soon"));
        assert!(error("silence = \"long\"").1.starts_with("silence: "));
        assert_eq!(error("suppress = 3").0, Some(1));
        let bare = error("[[suppress]]\npair = \"a\"\nreason = \" \"");
        assert_eq!(bare.1, "the suppression of a has no reason");
    }

    #[test]
    fn distances_are_levenshtein_s() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
