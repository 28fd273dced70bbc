//! A checked project with what follows from it: what all renderers of `check` read.

use catchment_verdicts::{
    CheckedPair, CheckedProject, Experiment, Finding, FindingKind, Findings, Suppression, Verdicts, find,
    judge_all,
};

#[derive(Debug)]
pub struct CheckReport<'a> {
    pub project: &'a CheckedProject,
    /// Of the project's pairs, in their order.
    pub verdicts: Vec<Verdicts>,
    pub findings: Findings,
    pub suppressions: &'a [Suppression],
}

impl<'a> CheckReport<'a> {
    pub fn new(project: &'a CheckedProject, suppressions: &'a [Suppression]) -> Self {
        let verdicts = judge_all(project);
        let findings = find(project, &verdicts, suppressions);
        Self { project, verdicts, findings, suppressions }
    }

    pub(crate) fn judged(&self) -> impl Iterator<Item = (&CheckedPair, &Verdicts)> {
        self.project.pairs.iter().zip(&self.verdicts)
    }

    pub(crate) fn pair_of(&self, finding: &Finding) -> (&CheckedPair, &Verdicts) {
        (&self.project.pairs[finding.pair], &self.verdicts[finding.pair])
    }

    pub(crate) fn test_name(&self, experiment: &Experiment) -> &str {
        self.project.test(experiment.test).map_or("?", |test| test.name.as_str())
    }

    pub(crate) fn suppression_of(&self, pair: &CheckedPair) -> Option<&Suppression> {
        self.suppressions.iter().find(|suppression| suppression.pair == pair.id)
    }
}

/// The word used in JSON.
pub(crate) fn kind_word(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::SourceDependent => "source_dependent",
        FindingKind::NotResilient => "not_resilient",
        FindingKind::Unreachable => "unreachable",
        FindingKind::Unstable => "unstable",
    }
}
