//! Fine-grain injection: clauses that hold when the exception comes at once are asked call by call.
//!
//! For each test that enters the catch: see which calls and throws of the application run within executions of the try, then
//! run it once for each of them with the exception thrown there. Those in the body of the try come first, in the order in
//! which they run: the first that fails is the line that makes the difference, and the last that is asked.

use super::answers::{Answers, Line, Question, Subject};
use super::campaign::CheckError;
use super::experiments::{Experiments, Task};
use super::history::Untold;
use super::observations::Attempt;
use super::places::PlaceReader;
use super::proof::Unproven;
use super::slot::Slot;
use catchment_protocol::lab::{Aim, TestRun, ThrowPlace};
use catchment_verdicts::{
    FailureKind, FineGrained, FinePlace, Mode, NoOutcome, Outcome, SourceIndependence, judge,
};

/// So many places are asked of one test at most.
const MOST_ASKED: usize = 60;

/// In the store.
const KIND: &str = "calls";

/// What such runs cost.
const LINE: Line = |stats| &mut stats.fine;

/// By where the exception was thrown.
type FineRuns = Answers<ThrowPlace>;

impl Experiments<'_, '_> {
    /// Asks about every pair that is source-independent in the worst case.
    pub(crate) fn ask_places(&self, slots: &mut [Slot<'_>]) -> Result<(), CheckError> {
        let subjects =
            self.subjects(|verdicts| verdicts.source_independence.verdict == SourceIndependence::Independent);
        {
            let mut campaign = self.shared.campaign();
            for subject in &subjects {
                campaign.checked.pairs[subject.position].fine_grained.get_or_insert_default();
            }
        }
        let mut left = Vec::new();
        for subject in subjects {
            if !self.take_over_places(subject)? {
                left.push(subject);
            }
        }
        slots.iter_mut().for_each(|slot| slot.let_calls_throw(true));
        let outcome = self.for_each_subject(slots, "calls within tries", left, LINE, |slot, subject| {
            if self.is_finely_decided(subject.position) {
                Ok(())
            } else {
                self.ask_subject_finely(slot, subject)
            }
        });
        slots.iter_mut().for_each(|slot| slot.let_calls_throw(false));
        outcome
    }

    /// Whether an earlier check knows what the test says.
    fn take_over_places(&self, subject: Subject) -> Result<bool, CheckError> {
        let task = self.task_of(subject);
        let (pair, test) = (task.planned.pair, task.planned.test);
        let known: Option<FineRuns> = self.shared.campaign().store.answer(pair, test, KIND)?;
        let known = known.filter(|runs| runs.is_final(subject.test, task.demands));
        known.iter().for_each(|runs| self.add_places(subject, runs));
        Ok(known.is_some())
    }

    fn ask_subject_finely(&self, slot: &mut Slot<'_>, subject: Subject) -> Result<(), CheckError> {
        let task = self.task_of(subject);
        let asked = if task.comes_first {
            Some(FineRuns::Untold(Untold::lasting("it executes the try once per JVM")))
        } else {
            self.ask_until_proven(slot, &task, |slot, task, unproven| {
                self.ask_each_place(slot, task, unproven)
            })?
        };
        let Some(runs) = asked else { return Ok(()) };
        {
            let campaign = self.shared.campaign();
            let (pair, test) = (task.planned.pair, task.planned.test);
            campaign.store.together(|| campaign.store.keep_answer(pair, test, KIND, &runs))?;
        }
        self.add_places(subject, &runs);
        Ok(())
    }

    fn is_finely_decided(&self, position: usize) -> bool {
        let campaign = self.shared.campaign();
        let fine = judge(&campaign.checked.pairs[position], &campaign.checked.tests).fine;
        fine.is_some_and(|judgement| judgement.verdict == SourceIndependence::Dependent)
    }

    fn ask_each_place(
        &self,
        slot: &mut Slot<'_>,
        task: &Task,
        unproven: &mut Unproven,
    ) -> Result<Option<(FineRuns, bool)>, CheckError> {
        let watched = self.shared.lab.turns.take(|| self.watch(slot, task, unproven, Aim::Places, LINE))?;
        let places = match watched.and_then(|run| places_in(&run)) {
            Ok(places) => self.body_first(task, places),
            Err(untold) => return Ok(Some((FineRuns::Untold(untold), true))),
        };
        let left = places.len().saturating_sub(MOST_ASKED);
        let types = self.shared.campaign().checked.pairs[task.key.position].types.clone();
        let mut questions = Vec::new();
        for (exception, name) in types.iter().enumerate() {
            questions.extend(places.iter().take(MOST_ASKED).map(|place| Question {
                about: place.clone(),
                task: task.at_place(exception, name, place.clone()),
            }));
        }
        self.ask_each(slot, questions, left, unproven, LINE)
    }

    /// Those in the body of the try, then the others.
    fn body_first(&self, task: &Task, places: Vec<ThrowPlace>) -> Vec<ThrowPlace> {
        let pair = self.shared.campaign().checked.pairs[task.key.position].clone();
        let reader = PlaceReader::new(self.shared.lab.project, &pair);
        let (body, deeper): (Vec<_>, Vec<_>) = places.into_iter().partition(|place| reader.is_in_body(place));
        [body, deeper].concat()
    }

    /// What the runs say goes to the evidence of the pair.
    fn add_places(&self, subject: Subject, runs: &FineRuns) {
        let mut campaign = self.shared.campaign();
        let pair = &mut campaign.checked.pairs[subject.position];
        let mut fine = pair.fine_grained.take().unwrap_or_default();
        match runs {
            FineRuns::Untold(untold) => fine.untold.push((subject.test, untold.why.clone())),
            FineRuns::Told { runs, left } => {
                fine.left += left;
                let mut reader = PlaceReader::new(self.shared.lab.project, pair);
                pair.experiments.extend(runs.iter().map(|run| {
                    let place = added(&mut fine, reader.describe(&run.about));
                    run.experiment(subject.test, Mode::Place(place))
                }));
            }
        }
        pair.fine_grained = Some(fine);
    }
}

/// The index of the place, which is added if it is new.
fn added(fine: &mut FineGrained, place: FinePlace) -> usize {
    let known = fine.places.iter().position(|each| *each == place);
    known.unwrap_or_else(|| {
        fine.places.push(place);
        fine.places.len() - 1
    })
}

/// A run counts if every execution of the try came to the place, and this clause caught what was thrown there: then it differs
/// from the run that passed in nothing but where the exception came from. One that does not end may do so because of what
/// watching so many calls takes.
pub(crate) fn unless_elsewhere(attempt: Attempt, run: Option<&TestRun>) -> Attempt {
    let why = match (&attempt.outcome, run.and_then(|run| run.injected.as_ref())) {
        (Outcome::None(_), _) => return attempt,
        (Outcome::Fail(failure), _) if failure.kind == FailureKind::Timeout => {
            NoOutcome::WorkerLost("it did not end in time".to_owned())
        }
        // The JVM has ended, and cannot be asked.
        (_, None) => return attempt,
        (_, Some(injected)) => {
            let executions = &injected.occurrences;
            let count = executions.iter().count() as u64;
            if executions.is_interleaved || executions.is_cut {
                NoOutcome::Diverged
            } else if count != injected.reached {
                let outcome = Outcome::None(NoOutcome::NotFired);
                return Attempt { outcome, reached: count, ..attempt };
            } else if injected.caught_here < injected.fired {
                let first = attempt.caught_elsewhere.first().map(|elsewhere| elsewhere.place.clone());
                NoOutcome::CaughtElsewhere(first.unwrap_or_else(|| "code that is not observed".to_owned()))
            } else {
                return attempt;
            }
        }
    };
    Attempt { outcome: Outcome::None(why), ..attempt }
}

/// What a run that only watched came to.
fn places_in(run: &TestRun) -> Result<Vec<ThrowPlace>, Untold> {
    let Some(injected) = &run.injected else { return Err(Untold::for_now("it was not watched")) };
    if injected.occurrences.is_interleaved {
        return Err(Untold::lasting("several threads or coroutines execute the try"));
    }
    if injected.places.is_empty() {
        return Err(Untold::lasting("nothing of the application is called in the try"));
    }
    Ok(injected.places.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_protocol::lab::Injected;
    use catchment_protocol::occurrences::{Colour, Occurrence, Occurrences};
    use catchment_verdicts::Failure;

    /// A test that passes after so many executions of the try, so many of which came to the place.
    fn passed(executions: usize, reached: u64, caught_here: u64) -> NoOutcomeOrPass {
        let mut occurrences = Occurrences::default();
        (0..executions).for_each(|_| occurrences.push(Occurrence { depth: 0, colour: Colour::White }));
        let injected = Injected {
            reached,
            fired: reached,
            caught_here,
            caught_elsewhere: Vec::new(),
            made: Ok(String::new()),
            occurrences,
            samples: Vec::new(),
            places: Vec::new(),
            bubbled: None,
        };
        let run = TestRun { injected: Some(Box::new(injected)), ..TestRun::default() };
        match unless_elsewhere(Attempt::default(), Some(&run)).outcome {
            Outcome::None(why) => Some(why.as_str()),
            _ => None,
        }
    }

    type NoOutcomeOrPass = Option<&'static str>;

    #[test]
    fn a_run_counts_if_every_execution_was_hit_and_the_clause_caught_it() {
        assert_eq!(passed(2, 2, 2), None);
        assert_eq!(passed(2, 1, 1), Some("not fired"));
        assert_eq!(passed(2, 2, 1), Some("caught elsewhere"));
        let timeout = Failure { kind: FailureKind::Timeout, text: String::new() };
        let hung = Attempt { outcome: Outcome::Fail(timeout), ..Attempt::default() };
        assert!(matches!(unless_elsewhere(hung, None).outcome, Outcome::None(NoOutcome::WorkerLost(_))));
    }
}
