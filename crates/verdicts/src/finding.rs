//! A finding: the one value in which every command says what is worth a look, and every report reads it.

use crate::rules::{Level, Rule};
use catchment_protocol::hash::Fnv;
use std::fmt;

/// One finding; `E` is the command's evidence for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<E> {
    /// Stable from run to run: a hash of the rule, and of the pair or site.
    pub id: String,
    pub rule: Rule,
    pub level: Level,
    pub message: Message,
    pub site: SourceSite,
    /// Id of the pair, where the finding is about one.
    pub pair: Option<String>,
    /// Other sites that help to understand the finding.
    pub related: Vec<SourceSite>,
    pub evidence: E,
    /// The user's reason for living with the finding.
    pub accepted: Option<String>,
}

/// The text of a finding; every report shows these words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// From the general to the particular.
    pub sentences: Vec<String>,
    /// The first line of the failure that shows it best, in the words of the test.
    pub failure: Option<String>,
}

impl fmt::Display for Message {
    /// In one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<&str> = self.sentences.iter().chain(&self.failure).map(String::as_str).collect();
        f.write_str(&parts.join(": "))
    }
}

/// A site for people: the instruction, or the whole line, with the source file to open. An experiment names its sites
/// by `catchment_protocol::experiment::Site`, which has no line and always an instruction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SourceSite {
    /// Binary name with dots.
    pub class: String,
    pub method: String,
    pub descriptor: String,
    /// Byte offset in the code of the method, where one instruction is meant.
    pub pc: Option<u16>,
    pub line: Option<u32>,
    /// Path of the source file from the top of the repository; where it is not known, its name as the class file has
    /// it.
    pub file: Option<String>,
}

/// The id of a finding about `subject`: a pair's id, or the place of a site.
pub(crate) fn finding_id(rule: Rule, subject: &str) -> String {
    let mut hash = Fnv::NEW;
    rule.id().bytes().chain([0]).chain(subject.bytes()).for_each(|byte| hash.byte(byte));
    format!("{:016x}", hash.value())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_never_change() {
        assert_eq!(finding_id(Rule::FailsAtOnce, "a"), finding_id(Rule::FailsAtOnce, "a"));
        let ids: BTreeSet<_> =
            Rule::ALL.iter().flat_map(|rule| ["a", "b"].map(|subject| finding_id(*rule, subject))).collect();
        assert_eq!(ids.len(), 2 * Rule::ALL.len());
        assert_eq!(finding_id(Rule::FailsAtOnce, "a.B.c()V#0.0:a.E@00000001"), "3a2b551b25cdb753");
    }
}
