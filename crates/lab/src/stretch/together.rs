//! All accepted clauses stretched at once, with the whole suite; on failure delta debugging finds those that do not go
//! together.

use super::delta::smallest;
use super::refusal::Refusal;
use super::subject::{Stretchings, Subject, changes};
use super::{Candidate, Stretching};
use crate::check::CheckError;
use crate::check::observations::PlainRun;
use crate::check::slot::{Changes, Slot};
use crate::check::solo::{plain_time_limit, run_fresh};
use crate::check::suite::run_suite;
use crate::worker::WorkerEnd;
use catchment_verdicts::{SetAside, TestId};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;

/// A test that fails with some clauses stretched.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Failing {
    test: TestId,
    failure: String,
}

impl Stretching<'_, '_, '_> {
    /// Afterwards the accepted candidates are such that the suite passes with all of them; not so if time was up.
    pub(super) fn try_together(
        &self,
        slot: &mut Slot<'_>,
        candidates: &mut [Candidate],
    ) -> Result<bool, CheckError> {
        let shared = self.experiments.shared;
        shared.lab.reporter.phase("all of them together, the whole suite", None);
        self.settle(slot, candidates)?;
        while !shared.is_over() {
            let accepted = accepted(candidates);
            let Some(failing) = self.suite_with(slot, &stretchings(candidates, &accepted))? else {
                return Ok(true);
            };
            let (culprit, others) = self.culprit(slot, candidates, accepted, &failing)?;
            let with = others.iter().map(|index| candidates[*index].clause.pair).collect();
            let Failing { test, failure } = failing;
            candidates[culprit].clause.refuse(Refusal::Interplay { with, test, failure });
            self.settle(slot, candidates)?;
        }
        if shared.is_interrupted() { Err(CheckError::Interrupted) } else { Ok(false) }
    }

    /// A test that does not pass in the suite, if that is so in a second run of it: the same one, if there is one.
    fn suite_with(
        &self,
        slot: &mut Slot<'_>,
        chosen: &Stretchings<'_>,
    ) -> Result<Option<Failing>, CheckError> {
        if chosen.is_empty() {
            return Ok(None);
        }
        let tests = &self.experiments.baseline.tests;
        let kept = self.once(chosen, "suite", || {
            let failing = self.ask_suite(slot, chosen)?;
            Ok(failing.map(|failing| (tests[failing.test.index()].0.0, failing.failure)))
        })?;
        Ok(kept.and_then(|(number, failure)| {
            let (test, _) = (0..).map(TestId).zip(tests).find(|(_, (each, _))| each.0 == number)?;
            Some(Failing { test, failure })
        }))
    }

    /// Asks unless the answer is known from an earlier run.
    fn once<A: Serialize + DeserializeOwned>(
        &self,
        chosen: &Stretchings<'_>,
        question: &str,
        ask: impl FnOnce() -> Result<A, CheckError>,
    ) -> Result<A, CheckError> {
        let shared = self.experiments.shared;
        let clauses = combination(chosen);
        let known = shared.campaign().store.of_combination(&clauses, question)?;
        if let Some(known) = known {
            return Ok(known);
        }
        let answer = ask()?;
        let campaign = shared.campaign();
        campaign.store.together(|| campaign.store.keep_of_combination(&clauses, question, &answer))?;
        Ok(answer)
    }

    fn ask_suite(
        &self,
        slot: &mut Slot<'_>,
        chosen: &Stretchings<'_>,
    ) -> Result<Option<Failing>, CheckError> {
        let first = self.failing_in_suite(slot, chosen)?;
        if first.is_empty() {
            return Ok(None);
        }
        let mut second = self.failing_in_suite(slot, chosen)?;
        let same = second.iter().position(|failing| first.iter().any(|each| each.test == failing.test));
        Ok((!second.is_empty()).then(|| second.swap_remove(same.unwrap_or(0))))
    }

    fn failing_in_suite(
        &self,
        slot: &mut Slot<'_>,
        chosen: &Stretchings<'_>,
    ) -> Result<Vec<Failing>, CheckError> {
        let mut failing = Vec::new();
        for configuration in 0..self.experiments.shared.lab.project.configurations.len() {
            let expected = self.passing_before(configuration);
            if expected.is_empty() {
                continue;
            }
            self.wear(slot, chosen)?;
            match run_suite(self.experiments.shared, slot, configuration, &mut 0) {
                Ok(runs) => failing.extend(not_passing(&expected, &runs.runs)),
                Err(CheckError::Worker(end)) if end != WorkerEnd::Interrupted => {
                    let of = |(_, test): (&str, TestId)| Failing { test, failure: end.to_string() };
                    failing.extend(expected.into_iter().map(of));
                }
                Err(error) => return Err(error),
            }
        }
        slot.change(Changes::default());
        Ok(failing)
    }

    /// Tests that pass in the suite with nothing stretched, by what the driver knows them as.
    fn passing_before(&self, configuration: usize) -> Vec<(&str, TestId)> {
        let campaign = self.experiments.shared.campaign();
        let passes = |test: TestId| {
            let test = campaign.checked.tests.get(test.index());
            test.is_some_and(|test| {
                test.colour.is_some() && !matches!(test.set_aside, Some(SetAside::Flaky(_)))
            })
        };
        let tests = (0..).map(TestId).zip(&self.experiments.baseline.tests);
        let own = tests.filter(|(id, (_, test))| test.configuration == configuration && passes(*id));
        own.map(|(id, (_, test))| (test.unit.id.as_str(), id)).collect()
    }

    /// One of the smallest set that makes the test fail, and the others of that set. Asked is the test alone or, where that
    /// says nothing, the whole suite.
    fn culprit(
        &self,
        slot: &mut Slot<'_>,
        candidates: &[Candidate],
        accepted: Vec<usize>,
        failing: &Failing,
    ) -> Result<(usize, Vec<usize>), CheckError> {
        let all = stretchings(candidates, &accepted);
        let tells_alone = self.fails_alone(slot, &all, failing)? && !self.fails_alone(slot, &[], failing)?;
        let mut smallest = smallest(accepted, |chosen| {
            let chosen = stretchings(candidates, chosen);
            match tells_alone {
                true => self.fails_alone(slot, &chosen, failing),
                false => self.fails_in_suite(slot, &chosen, failing),
            }
        })?;
        let culprit = smallest.pop().unwrap_or_default();
        Ok((culprit, smallest))
    }

    /// In a JVM of its own.
    fn fails_alone(
        &self,
        slot: &mut Slot<'_>,
        chosen: &Stretchings<'_>,
        failing: &Failing,
    ) -> Result<bool, CheckError> {
        let (number, test) = &self.experiments.baseline.tests[failing.test.index()];
        self.once(chosen, &format!("test {} alone", number.0), || {
            self.wear(slot, chosen)?;
            let limit = plain_time_limit(self.experiments.baseline.longest_micros(*number));
            let (run, _) = run_fresh(slot, test, limit)?;
            slot.change(Changes::default());
            Ok(!run.passed())
        })
    }

    fn fails_in_suite(
        &self,
        slot: &mut Slot<'_>,
        chosen: &Stretchings<'_>,
        failing: &Failing,
    ) -> Result<bool, CheckError> {
        let (number, _) = &self.experiments.baseline.tests[failing.test.index()];
        self.once(chosen, &format!("test {} in the suite", number.0), || {
            let found = self.failing_in_suite(slot, chosen)?;
            Ok(found.iter().any(|each| each.test == failing.test))
        })
    }

    fn wear(&self, slot: &mut Slot<'_>, chosen: &Stretchings<'_>) -> Result<(), CheckError> {
        // All accepted ones can be changed together, so some of them can. If not, nothing may look as if it had passed.
        let changes = changes(chosen).map_err(|refusal| {
            CheckError::Worker(WorkerEnd::Unusable {
                what: format!("classes cannot be changed: {refusal:?}"),
            })
        })?;
        slot.change(changes);
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
pub(super) fn refuse_unchangeable(candidates: &mut [Candidate]) {
    let mut kept: Vec<usize> = Vec::new();
    for index in accepted(candidates) {
        kept.push(index);
        if let Err(refusal) = changes(&stretchings(candidates, &kept)) {
            kept.pop();
            candidates[index].clause.refuse(refusal);
        }
    }
}

fn stretching(candidate: &Candidate) -> Option<(&Subject, &str)> {
    Some((candidate.subject.as_ref()?, candidate.clause.accepted.as_ref()?.to.as_str()))
}

fn stretchings<'c>(candidates: &'c [Candidate], chosen: &[usize]) -> Vec<(&'c Subject, &'c str)> {
    chosen.iter().filter_map(|index| stretching(&candidates[*index])).collect()
}

/// As the store knows them: pairs by number, with the types they are to catch.
fn combination(chosen: &Stretchings<'_>) -> String {
    let mut clauses: Vec<_> = chosen.iter().map(|(subject, to)| (subject.number, *to)).collect();
    clauses.sort_unstable();
    clauses.iter().map(|(number, to)| format!("{} {to}\n", number.0)).collect()
}

fn accepted(candidates: &[Candidate]) -> Vec<usize> {
    (0..candidates.len()).filter(|index| stretching(&candidates[*index]).is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::observations::PlainOutcome;

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
