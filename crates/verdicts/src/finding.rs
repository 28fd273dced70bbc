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
    /// Other sites that help to understand the finding; the one where the exception is thrown first.
    pub related: Vec<RelatedSite>,
    pub evidence: E,
    /// The user's reason for living with the finding.
    pub accepted: Option<String>,
}

/// The text of a finding; every report shows these words. No sentence ends with a full stop.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// The answer first, then the experiment that shows it.
    pub sentences: Vec<String>,
    /// The first line of the failure that shows it best, in the words of the test.
    pub failure: Option<String>,
    /// More that is known: what the clause relies on, how sure the evidence is.
    pub reasons: Vec<String>,
    /// The mend, or the question to ask where no reason is known.
    pub to_do: Option<String>,
}

impl Message {
    /// The message in one line, with `failure` in place of its own.
    pub fn with_failure(&self, failure: Option<&str>) -> String {
        let shown = self.sentences.join(". ");
        let shown = [Some(shown.as_str()), failure].into_iter().flatten().collect::<Vec<_>>().join(": ");
        let to_do = self.to_do.iter().map(|to_do| format!("To do: {to_do}"));
        let parts = [shown].into_iter().chain(self.reasons.iter().cloned()).chain(to_do);
        parts.collect::<Vec<_>>().join(". ")
    }
}

impl fmt::Display for Message {
    /// In one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.with_failure(self.failure.as_deref()))
    }
}

/// A site that helps to understand a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedSite {
    pub role: SiteRole,
    pub site: SourceSite,
    /// The role in words: `the try sets variable total`.
    pub words: String,
}

/// The part that a related site plays in a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteRole {
    /// The exception is thrown there.
    Throws,
    /// The try sets there what is read later.
    Sets,
    /// The clause, or the code after it, reads there what the try sets.
    Reads,
    /// The failure comes from there: the test, or the code that it runs.
    Fails,
}

impl SiteRole {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Throws => "throws",
            Self::Sets => "sets",
            Self::Reads => "reads",
            Self::Fails => "fails",
        }
    }
}

/// A site for people: the instruction, or the whole line, with the source file to open. An experiment names its sites
/// by `catchment_protocol::experiment::Site`, which has no line and always an instruction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SourceSite {
    /// Binary name with dots.
    pub class: String,
    pub method: String,
    /// Empty where it is not known.
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
