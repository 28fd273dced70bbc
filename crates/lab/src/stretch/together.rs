//! All accepted clauses stretched at once, with the whole suite; those that do not go together are dropped.

mod culprit;
mod delta;
mod falling;

use crate::baseline::suite::run_suite;
use crate::observations::PlainRun;
use crate::session::LabError;
use crate::slot::{Changes, Slot};
use crate::stretch::kept::once;
use crate::stretch::refusal::Refusal;
use crate::stretch::subject::{Stretchings, Subject, changes};
use crate::stretch::{Candidate, Stretching};
use crate::worker::WorkerEnd;
use catchment_verdicts::{SetAside, TestId};
use std::collections::HashMap;

/// A test that fails with some clauses stretched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failing {
    pub(crate) test: TestId,
    pub(crate) failure: String,
}

impl Stretching<'_, '_> {
    /// Afterwards the accepted candidates are such that the suite passes with all of them; not so if time was up.
    pub(crate) fn try_together(
        &self,
        slot: &mut Slot<'_>,
        candidates: &mut [Candidate],
    ) -> Result<bool, LabError> {
        let session = self.trials.session;
        session.reporter.phase("all of them together, the whole suite", None);
        self.withdraw_broken(slot, candidates)?;
        loop {
            let accepted = accepted(candidates);
            let failing = match self.suite_with(slot, &stretchings(candidates, &accepted))? {
                None => break,
                Some(None) => return Ok(true),
                Some(Some(failing)) => failing,
            };
            let Some((culprit, others)) = self.culprit(slot, candidates, accepted, &failing)? else { break };
            let with = others.iter().map(|index| candidates[*index].clause.pair).collect();
            let Failing { test, failure } = failing;
            candidates[culprit].clause.refuse(Refusal::Interplay { with, test, failure });
            self.withdraw_broken(slot, candidates)?;
        }
        if session.is_interrupted() { Err(LabError::Interrupted) } else { Ok(false) }
    }

    /// A test that does not pass in the suite, if that is so in a second run of it: the same one, if there is one. `None` if time
    /// was up.
    fn suite_with(
        &self,
        slot: &mut Slot<'_>,
        chosen: &Stretchings<'_>,
    ) -> Result<Option<Option<Failing>>, LabError> {
        if chosen.is_empty() {
            // Had there been more time, there might be some.
            return Ok((!self.trials.session.is_over()).then_some(None));
        }
        let tests = &self.trials.baseline.tests;
        let kept = once(self.trials.session, chosen, "suite", || {
            let asked = self.ask_suite(slot, chosen)?;
            let number_of = |failing: Failing| (tests[failing.test.index()].0.0, failing.failure);
            Ok(asked.map(|failing| failing.map(number_of)))
        })?;
        let known = |(number, failure): (_, String)| {
            let (test, _) = (0..).map(TestId).zip(tests).find(|(_, (own, _))| own.0 == number)?;
            Some(Failing { test, failure })
        };
        Ok(kept.map(|failing| failing.and_then(known)))
    }

    fn ask_suite(
        &self,
        slot: &mut Slot<'_>,
        chosen: &Stretchings<'_>,
    ) -> Result<Option<Option<Failing>>, LabError> {
        let Some(first) = self.failing_in_suite(slot, chosen)? else { return Ok(None) };
        if first.is_empty() {
            return Ok(Some(None));
        }
        let Some(mut second) = self.failing_in_suite(slot, chosen)? else { return Ok(None) };
        let same = second.iter().position(|failing| first.iter().any(|other| other.test == failing.test));
        Ok(Some((!second.is_empty()).then(|| second.swap_remove(same.unwrap_or(0)))))
    }

    /// `None` if time was up before all of it had run.
    pub(crate) fn failing_in_suite(
        &self,
        slot: &mut Slot<'_>,
        chosen: &Stretchings<'_>,
    ) -> Result<Option<Vec<Failing>>, LabError> {
        let mut failing = Vec::new();
        for configuration in 0..self.trials.session.project.configurations.len() {
            let expected = self.passing_before(configuration);
            if expected.is_empty() {
                continue;
            }
            if self.trials.session.is_over() {
                slot.change(Changes::default());
                return Ok(None);
            }
            self.wear(slot, chosen)?;
            let classes = &self.trials.session.project.configurations[configuration].test_classes;
            match run_suite(self.trials.session, slot, configuration, classes, None, &mut 0) {
                Ok(runs) if runs.is_cut => {
                    slot.change(Changes::default());
                    return Ok(None);
                }
                Ok(runs) => failing.extend(not_passing(&expected, &runs.runs)),
                Err(LabError::Worker(end)) => {
                    let of = |(_, test): (&str, TestId)| Failing { test, failure: end.to_string() };
                    failing.extend(expected.into_iter().map(of));
                }
                Err(error) => return Err(error),
            }
        }
        slot.change(Changes::default());
        Ok(Some(failing))
    }

    /// Tests that pass in the suite with nothing stretched, by what the driver knows them as.
    fn passing_before(&self, configuration: usize) -> Vec<(&str, TestId)> {
        let ledger = self.trials.session.ledger();
        let passes = |test: TestId| {
            let test = ledger.checked.tests.get(test.index());
            test.is_some_and(|test| {
                test.colour.is_some() && !matches!(test.set_aside, Some(SetAside::Flaky(_)))
            })
        };
        let tests = (0..).map(TestId).zip(&self.trials.baseline.tests);
        let own = tests.filter(|(id, (_, test))| test.configuration == configuration && passes(*id));
        own.map(|(id, (_, test))| (test.unit.id.as_str(), id)).collect()
    }

    pub(crate) fn wear(&self, slot: &mut Slot<'_>, chosen: &Stretchings<'_>) -> Result<(), LabError> {
        // All accepted ones can be changed together, so some of them can. If not, nothing may look as if it had passed.
        let unusable = |error| WorkerEnd::Unusable { what: format!("classes cannot be changed: {error}") };
        slot.change(changes(chosen).map_err(unusable)?);
        Ok(())
    }
}

/// A test that is skipped now, or does not run at all, does not pass.
fn not_passing(expected: &[(&str, TestId)], runs: &[(String, PlainRun)]) -> Vec<Failing> {
    let runs: HashMap<&str, &PlainRun> = runs.iter().map(|(unit, run)| (unit.as_str(), run)).collect();
    let failing = |&(unit, test): &(&str, TestId)| {
        let failure =
            runs.get(unit).map_or_else(|| Some("it did not run".to_owned()), |run| run.failure())?;
        Some(Failing { test, failure })
    };
    expected.iter().filter_map(failing).collect()
}

/// Clauses of one class have been changed one at a time so far.
pub(crate) fn refuse_unchangeable(candidates: &mut [Candidate]) {
    let mut kept: Vec<usize> = Vec::new();
    for index in accepted(candidates) {
        kept.push(index);
        if let Err(error) = changes(&stretchings(candidates, &kept)) {
            kept.pop();
            candidates[index].clause.refuse(error.into());
        }
    }
}

pub(crate) fn stretchings<'c>(candidates: &'c [Candidate], chosen: &[usize]) -> Vec<(&'c Subject, &'c str)> {
    chosen.iter().filter_map(|index| candidates[*index].stretching()).collect()
}

fn accepted(candidates: &[Candidate]) -> Vec<usize> {
    (0..candidates.len()).filter(|index| candidates[*index].stretching().is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observations::PlainOutcome;

    #[test]
    fn only_tests_that_pass_again_pass() {
        let run = |outcome| PlainRun { outcome, ..PlainRun::default() };
        let runs = [
            ("passes".to_owned(), run(PlainOutcome::Passed)),
            ("fails".to_owned(), run(PlainOutcome::Failed("why".into()))),
            ("skips".to_owned(), run(PlainOutcome::Skipped("now".into()))),
        ];
        let expected =
            [("passes", TestId(0)), ("fails", TestId(1)), ("skips", TestId(2)), ("gone", TestId(3))];
        let failing = not_passing(&expected, &runs);
        let facts: Vec<_> = failing.iter().map(|each| (each.test.0, each.failure.as_str())).collect();
        assert_eq!(facts, [(1, "why"), (2, "skipped: now"), (3, "it did not run")]);
    }
}
