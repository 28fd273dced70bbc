//! A checked project with what follows from it: what all renderers of `check` read.

pub(crate) mod json;
pub(crate) mod markdown;
pub(crate) mod sarif;
mod sentences;
pub(crate) mod text;

use catchment_verdicts::{
    CheckFinding, CheckedPair, CheckedProject, ExperimentResult, FindingPolicy, Findings, Rule, Suppression,
    Verdicts, findings_of, judge_all,
};

/// A judged project.
#[derive(Debug)]
pub struct CheckReport<'a> {
    pub project: &'a CheckedProject,
    /// Verdicts of the project's pairs, in their order.
    pub verdicts: Vec<Verdicts>,
    pub findings: Findings,
    pub suppressions: &'a [Suppression],
}

impl<'a> CheckReport<'a> {
    pub fn new(project: &'a CheckedProject, policy: FindingPolicy<'a>) -> Self {
        let verdicts = judge_all(project);
        let findings = findings_of(project, &verdicts, policy);
        Self { project, verdicts, findings, suppressions: policy.suppressions }
    }

    pub(crate) fn judged(&self) -> impl Iterator<Item = (&CheckedPair, &Verdicts)> {
        self.project.pairs.iter().zip(&self.verdicts)
    }

    pub(crate) fn pair_of(&self, finding: &CheckFinding) -> (&CheckedPair, &Verdicts) {
        let position = finding.evidence.pair;
        (&self.project.pairs[position], &self.verdicts[position])
    }

    pub(crate) fn test_name(&self, experiment: &ExperimentResult) -> &str {
        self.project.test(experiment.test).map_or("?", |test| test.name.as_str())
    }

    pub(crate) fn suppression_of(&self, pair: &CheckedPair) -> Option<&Suppression> {
        self.suppressions.iter().find(|suppression| suppression.pair == pair.clause.id)
    }
}

/// The word for a finding in the JSON of its pair.
pub(crate) fn finding_word(rule: Rule) -> &'static str {
    match rule {
        Rule::FailsAtOnce => "source_dependent",
        Rule::BreaksTheJvm | Rule::NotResilient => "not_resilient",
        Rule::Unreachable => "unreachable",
        Rule::Unstable => "unstable",
    }
}
