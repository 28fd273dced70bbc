//! Place or object: the reason why a clause is source-dependent.
//!
//! For each test that decided so: see what every execution of its try catches, with nothing thrown; then give each
//! execution a copy of what it caught, once at its catch (the control run, in which the try works as it does) and once
//! at its start.
//! Fresh JVMs confirm what a finding rests on: the failure at the start, and that the control run passes.

use crate::campaign::inquiry::Inquiry;
use crate::check::inquiries::{experiment, subjects};
use crate::session::LabError;
use crate::slot::Slot;
use crate::trial::ask::{
    Answers, Line, QuestionSeries, SeriesQuestion, Subject, Unavailable, UnprovenSeries,
};
use crate::trial::engine::{Question, Trials, most_visits};
use catchment_protocol::conversation::TestRun;
use catchment_protocol::equipment::Equipment;
use catchment_protocol::experiment::{Experiment, Sample, Sites, Watch};
use catchment_verdicts::{
    Attempt, CheckedPair, CheckedProject, Demands, Dependence, ExperimentResult, Mode, NoOutcome, Outcome,
    SourceIndependence, judge,
};
use serde::{Deserialize, Serialize};

/// The inquiry about every pair that is source-dependent by the paper's rule.
pub(crate) struct DependenceInquiry;

/// The moment at which an execution of the try is given its copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Moment {
    Start,
    Catch,
}

impl Moment {
    /// The control run comes first: where it fails, the other need not be made.
    const ALL: [Self; 2] = [Self::Catch, Self::Start];

    fn experiment(self, pair: String, samples: Vec<(u64, Sample)>, most_visits: u64) -> Experiment {
        match self {
            Self::Start => Experiment::copies_at_start(pair, samples, most_visits),
            Self::Catch => Experiment::copies_at_catch(pair, samples, most_visits),
        }
    }

    fn mode(self) -> Mode {
        match self {
            Self::Start => Mode::CopyAtStart,
            Self::Catch => Mode::CopyAtCatch,
        }
    }
}

impl Inquiry for DependenceInquiry {
    type About = Moment;

    const KIND: &'static str = "place or object";
    const PHASE: &'static str = "place or object";
    const LINE: Line = |stats| &mut stats.copies;
    const EQUIPMENT: Equipment = Equipment::EXCHANGE;

    fn subjects(&self, trials: Trials<'_, '_>) -> Vec<Subject> {
        let all = subjects(
            trials,
            true,
            |verdicts| verdicts.source_independence.verdict == SourceIndependence::Dependent,
            |_| {},
        );
        let ledger = trials.session.ledger();
        let checked = &ledger.checked;
        let decides = |subject: &Subject| {
            let pair = &checked.pairs[subject.position];
            let is_answer = |it: &ExperimentResult| {
                it.test == subject.test && matches!(it.mode, Mode::CopyAtStart | Mode::CopyAtCatch)
            };
            let has_none = pair.without_copies.iter().any(|(test, _)| *test == subject.test);
            if has_none || pair.experiments.iter().any(is_answer) {
                return false;
            }
            let evidence = judge(pair, &checked.tests).source_independence.evidence;
            evidence.iter().any(|&number| pair.experiments[number].test == subject.test)
        };
        all.into_iter().filter(decides).collect()
    }

    fn is_decided(&self, checked: &CheckedProject, position: usize) -> bool {
        let dependence = judge(&checked.pairs[position], &checked.tests).dependence;
        dependence.is_some_and(|dependence| dependence.on == Dependence::Place)
    }

    fn questions(
        &self,
        trials: Trials<'_, '_>,
        slot: &mut Slot<'_>,
        subject: &Subject,
        unproven: &mut UnprovenSeries<'_>,
    ) -> Result<Result<QuestionSeries<Moment>, Unavailable>, LabError> {
        let copies = Watch { copies: true, ..Watch::default() };
        let looking = || (Sites::Tries, copies.clone());
        let watch = || trials.watch(slot, subject, unproven, looking(), Self::LINE);
        let watched = trials.session.turns.take(watch)?;
        let entries = subject.usages.entries();
        let (samples, are_alike) = match watched.and_then(|run| samples_in(&run, entries)) {
            Ok(samples) => samples,
            Err(unavailable) => return Ok(Err(unavailable)),
        };
        let ledger = trials.session.ledger();
        let pair = &ledger.checked.pairs[subject.position].clause.id;
        let exception = samples[0].1.exception.clone();
        let question = |moment: Moment| {
            let demands = Demands { routine_failures_stand: moment == Moment::Catch, ..subject.demands };
            let experiment = moment.experiment(pair.clone(), samples.clone(), most_visits(entries));
            let question = Question {
                reading: Box::new(move |attempt, run| {
                    if are_alike { attempt } else { invalidate_if_mixed_up(attempt, run.test_run(), entries) }
                }),
                all_white: Some(subject.pair_number),
                ..Question::new(subject.test, experiment, demands, subject.comes_first)
            };
            SeriesQuestion { about: moment, exception: exception.clone(), question }
        };
        Ok(Ok(QuestionSeries { questions: Moment::ALL.map(question).into(), left: 0 }))
    }

    fn add(&self, pair: &mut CheckedPair, subject: &Subject, answers: &Answers<Moment>) {
        match answers {
            Answers::Unavailable(unavailable) => {
                pair.without_copies.push((subject.test, unavailable.why.clone()));
            }
            Answers::Given { runs, .. } => {
                let made = runs.iter().map(|run| experiment(run, subject.test, run.about.mode()));
                pair.experiments.extend(made);
            }
        }
    }
}

/// Samples of what each execution caught in a run that only watched, and whether all are the same: then it does not
/// matter which execution is given which copy.
fn samples_in(run: &TestRun, entries: u64) -> Result<(Vec<(u64, Sample)>, bool), Unavailable> {
    let Some(observed) = &run.observed else { return Err(Unavailable::for_now("it was not watched")) };
    let executions = &observed.executions;
    if executions.is_cut {
        return Err(Unavailable::lasting("there are too many executions of the try"));
    }
    if executions.iter().count() as u64 != entries {
        return Err(Unavailable::for_now("executions of the try are not the same in every run"));
    }
    let mut samples = observed.samples.clone();
    samples.sort_by_key(|(execution, _)| *execution);
    samples.dedup_by_key(|(execution, _)| *execution);
    let Some((_, first)) = samples.first().filter(|_| samples.len() as u64 == entries) else {
        return Err(Unavailable::lasting("they hold more than simple values"));
    };
    let are_alike = samples.iter().all(|(_, sample)| sample == first);
    if are_alike {
        return Ok((vec![(0, first.clone())], true));
    }
    if executions.is_interleaved {
        return Err(Unavailable::lasting("several threads or coroutines execute the try"));
    }
    // Thrown at the start of the outer execution, the copy keeps the inner ones from beginning, and all later ones would be
    // given the exceptions of others.
    if executions.iter().any(|execution| execution.depth > 0) {
        return Err(Unavailable::lasting(
            "the try executes itself, with other exceptions inside than outside",
        ));
    }
    Ok((samples, false))
}

/// A run counts if each execution was given its own copy: in the order in which the `watched` ones came, none of them
/// within another, and none more.
fn invalidate_if_mixed_up(attempt: Attempt, run: Option<&TestRun>, watched: u64) -> Attempt {
    let executions = run.and_then(|run| run.observed.as_ref()).map(|observed| &observed.executions);
    let is_mixed_up = executions.is_some_and(|executions| {
        executions.is_interleaved
            || executions.is_cut
            || executions.iter().count() as u64 > watched
            || executions.iter().any(|execution| execution.depth > 0)
    });
    match attempt.outcome {
        Outcome::Pass | Outcome::Fail(_) if is_mixed_up => {
            Attempt { outcome: Outcome::None(NoOutcome::Diverged), ..attempt }
        }
        _ => attempt,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_protocol::experiment::Observed;
    use catchment_protocol::occurrences::{Colour, Occurrence, Occurrences};

    fn sample(message: &str) -> Sample {
        Sample { exception: "a.E".into(), message: Some(message.into()), ..Sample::default() }
    }

    fn run(samples: &[(u64, &str)], executions: usize, is_interleaved: bool) -> TestRun {
        nested_run(samples, &vec![0; executions], is_interleaved)
    }

    fn nested_run(samples: &[(u64, &str)], depths: &[u32], is_interleaved: bool) -> TestRun {
        let mut occurrences = Occurrences::default();
        occurrences.is_interleaved = is_interleaved;
        depths.iter().for_each(|&depth| occurrences.push(Occurrence { depth, colour: Colour::White }));
        let samples = samples.iter().map(|(execution, message)| (*execution, sample(message))).collect();
        let observed = Observed { samples, executions: occurrences, ..Observed::default() };
        TestRun { observed: Some(Box::new(observed)), ..TestRun::default() }
    }

    #[test]
    fn each_execution_has_the_sample_of_what_it_caught() {
        let second_first = run(&[(1, "second"), (0, "first")], 2, false);
        let expected = vec![(0, sample("first")), (1, sample("second"))];
        assert_eq!(samples_in(&second_first, 2), Ok((expected, false)));
    }

    #[test]
    fn without_the_samples_and_the_executions_of_the_baseline_nothing_is_asked() {
        assert!(samples_in(&run(&[], 1, false), 1).unwrap_err().is_lasting);
        assert!(samples_in(&run(&[(0, "a")], 2, false), 2).unwrap_err().is_lasting, "one has no sample");
        assert!(!samples_in(&run(&[(0, "a")], 1, false), 2).unwrap_err().is_lasting);
    }

    #[test]
    fn executions_within_others_and_in_other_threads_matter_only_if_they_catch_other_things() {
        let (alike, different) = ([(0, "a"), (1, "a")], [(0, "a"), (1, "b")]);
        let given = Ok((vec![(0, sample("a"))], true));
        assert_eq!(samples_in(&run(&alike, 2, true), 2), given);
        assert_eq!(samples_in(&nested_run(&alike, &[0, 1], false), 2), given);
        assert!(samples_in(&run(&different, 2, true), 2).unwrap_err().is_lasting);
        assert!(samples_in(&nested_run(&different, &[0, 1], false), 2).unwrap_err().is_lasting);
    }

    #[test]
    fn a_run_counts_as_far_as_its_executions_are_the_watched_ones() {
        let judged = |run: TestRun| invalidate_if_mixed_up(Attempt::default(), Some(&run), 2).outcome;
        let diverged = Outcome::None(NoOutcome::Diverged);
        assert_eq!(judged(run(&[], 2, false)), Outcome::Pass);
        assert_eq!(judged(run(&[], 1, false)), Outcome::Pass, "the test may end early");
        assert_eq!(judged(run(&[], 3, false)), diverged);
        assert_eq!(judged(run(&[], 2, true)), diverged);
        assert_eq!(judged(nested_run(&[], &[0, 1], false)), diverged);
    }
}
