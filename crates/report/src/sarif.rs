//! The parts of SARIF 2.1.0 that reports use, under its own names.
//!
//! What GitHub makes of them decided what is here: it shows `message.text`, rules with their help, related locations and
//! code flows, and leaves suppressed results open.

use crate::plain_text::escaped;
use serde::Serialize;
use std::collections::BTreeMap;

/// The schema of the errata, which is also what validators look for.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const VERSION: &str = "2.1.0";
/// The root of the repository, whatever folder that is for the reader.
const ROOT: &str = "%SRCROOT%";

#[derive(Serialize)]
pub(crate) struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

impl<'a> Log<'a> {
    pub(crate) fn of(run: Run<'a>) -> Self {
        Self { schema: SCHEMA, version: VERSION, runs: [run] }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Run<'a> {
    pub(crate) tool: Tool,
    pub(crate) automation_details: AutomationDetails<'a>,
    pub(crate) column_kind: &'static str,
    pub(crate) original_uri_base_ids: BTreeMap<&'static str, Described>,
    pub(crate) invocations: [Invocation; 1],
    pub(crate) results: Vec<Result<'a>>,
}

/// Base of all paths. Readers know where the repository lies for them, so that it has no address here.
pub(crate) fn source_root() -> BTreeMap<&'static str, Described> {
    let description = Text { text: "the root of the repository".to_owned() };
    BTreeMap::from([(ROOT, Described { description })])
}

#[derive(Serialize)]
pub(crate) struct Tool {
    pub(crate) driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Driver {
    pub(crate) name: &'static str,
    pub(crate) semantic_version: &'static str,
    pub(crate) rules: Vec<RuleDescriptor>,
    pub(crate) notifications: Vec<NotificationDescriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RuleDescriptor {
    pub(crate) id: &'static str,
    pub(crate) name: String,
    pub(crate) short_description: Text,
    pub(crate) full_description: Text,
    pub(crate) help: Help,
    pub(crate) default_configuration: Configuration,
    pub(crate) properties: RuleProperties,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NotificationDescriptor {
    pub(crate) id: &'static str,
    pub(crate) short_description: Text,
}

#[derive(Serialize)]
pub(crate) struct Help {
    pub(crate) text: String,
    pub(crate) markdown: String,
}

#[derive(Serialize)]
pub(crate) struct Configuration {
    pub(crate) level: &'static str,
}

/// Words that GitHub sorts and filters by.
#[derive(Serialize)]
pub(crate) struct RuleProperties {
    pub(crate) precision: &'static str,
    #[serde(rename = "problem.severity")]
    pub(crate) severity: &'static str,
    pub(crate) tags: [&'static str; 2],
}

#[derive(Serialize)]
pub(crate) struct AutomationDetails<'a> {
    pub(crate) id: &'a str,
}

#[derive(Serialize)]
pub(crate) struct Described {
    description: Text,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invocation {
    pub(crate) execution_successful: bool,
    pub(crate) tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
pub(crate) struct Notification {
    pub(crate) descriptor: DescriptorReference,
    pub(crate) level: &'static str,
    pub(crate) message: Text,
}

#[derive(Serialize)]
pub(crate) struct DescriptorReference {
    pub(crate) id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Result<'a> {
    pub(crate) rule_id: &'static str,
    pub(crate) rule_index: usize,
    /// Any other kind would force the level `none`.
    pub(crate) kind: &'static str,
    pub(crate) level: &'static str,
    pub(crate) message: Text,
    pub(crate) locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) code_flows: Vec<CodeFlow>,
    pub(crate) partial_fingerprints: BTreeMap<&'static str, &'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) suppressions: Vec<Suppression<'a>>,
    pub(crate) properties: ResultProperties<'a>,
}

#[derive(Serialize)]
pub(crate) struct ResultProperties<'a> {
    /// The id that `[[suppress]]` takes.
    pub(crate) pair: Option<&'a str>,
    /// Number of tests that show the finding.
    pub(crate) tests: usize,
}

#[derive(Serialize)]
pub(crate) struct Suppression<'a> {
    pub(crate) kind: &'static str,
    pub(crate) status: &'static str,
    pub(crate) justification: &'a str,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

impl PhysicalLocation {
    /// Lines of a file, given by its path from the root of the repository; no lines: the file.
    pub(crate) fn of(path: &str, first_line: Option<u32>, last_line: Option<u32>) -> Self {
        // Lines count from 1, and a last one before the first is worth nothing.
        let first_line = first_line.filter(|line| *line > 0);
        let region = first_line
            .map(|start_line| Region { start_line, end_line: last_line.filter(|last| *last > start_line) });
        Self { artifact_location: ArtifactLocation { uri: uri_of(path), uri_base_id: ROOT }, region }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    uri_base_id: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogicalLocation {
    pub(crate) fully_qualified_name: String,
    pub(crate) kind: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CodeFlow {
    pub(crate) message: Text,
    pub(crate) thread_flows: [ThreadFlow; 1],
}

#[derive(Serialize)]
pub(crate) struct ThreadFlow {
    pub(crate) locations: Vec<ThreadFlowLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ThreadFlowLocation {
    pub(crate) location: Location,
    pub(crate) nesting_level: u32,
    pub(crate) importance: &'static str,
}

/// A plain text, in which `{0}` would be a placeholder and `[a](1)` a link.
#[derive(Debug, Serialize)]
pub(crate) struct Text {
    text: String,
}

impl Text {
    pub(crate) fn of(text: &str) -> Self {
        Self { text: escaped(text).replace('{', "{{").replace('}', "}}").replace("](", "] (") }
    }
}

/// A relative reference: everything but letters, digits and a few marks is percent-encoded.
pub(crate) fn uri_of(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.trim_start_matches('/').bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'$' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_relative_references() {
        assert_eq!(uri_of("core/src/main/java/A$B.java"), "core/src/main/java/A$B.java");
        assert_eq!(uri_of("a b/ü#?%:.kt"), "a%20b/%C3%BC%23%3F%25%3A.kt");
        assert_eq!(uri_of("//evil.example/x"), "evil.example/x", "another host is no path");
    }

    #[test]
    fn what_a_test_says_is_neither_placeholder_nor_link() {
        let text = Text::of("expected {0} but was [see](1): loads[1]").text;
        assert_eq!(text, "expected {{0}} but was [see] (1): loads[1]");
    }

    #[test]
    fn lines_that_cannot_be_are_left_out() {
        let lines = |first, last| {
            let region = PhysicalLocation::of("A.java", first, last).region;
            region.map(|region| (region.start_line, region.end_line))
        };
        assert_eq!(lines(Some(3), Some(5)), Some((3, Some(5))));
        assert_eq!(lines(Some(3), Some(2)), Some((3, None)));
        assert_eq!(lines(Some(0), Some(2)), None);
        assert_eq!(lines(None, None), None);
    }
}
