//! From what a worker says of one injected run to an attempt, and from attempts to an experiment's outcome.
//!
//! A failure in a warm worker may be the worker's fault, so a fresh JVM has to confirm it; two fresh JVMs outvote it.
//! What happens once per JVM runs in fresh ones only. Passes in a warm worker stand, unless the user wants them confirmed too.

use super::heard::describe;
use super::observations::Attempt;
use crate::worker::WorkerEnd;
use catchment_protocol::lab::{Injected, Outcome as RunOutcome, TestRun};
use catchment_verdicts::{
    CaughtElsewhere, CheckedPair, Experiment, Failure, FailureKind, Mode, NoOutcome, Outcome, TestId,
};

/// In what kind of JVM to try next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Warm,
    Fresh,
}

/// What is asked of an experiment's attempts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Demands {
    /// Nothing that a warm worker says would count.
    pub(crate) only_fresh: bool,
    /// A pass in a warm worker needs a fresh JVM beside it, as a failure does.
    pub(crate) confirmed_passes: bool,
}

/// Where the experiment is to be tried next; `None` when it has its outcome.
pub(crate) fn next_place(attempts: &[Attempt], demands: Demands) -> Option<Place> {
    let fresh: Vec<_> = attempts.iter().filter(|attempt| attempt.is_fresh).collect();
    let warm = attempts.iter().find(|attempt| !attempt.is_fresh);
    let failed = |attempt: &Attempt| matches!(attempt.outcome, Outcome::Fail(_));
    match (warm, fresh.as_slice()) {
        (None, []) => Some(if demands.only_fresh { Place::Fresh } else { Place::Warm }),
        (Some(warm), []) => needs_confirmation(warm, demands).then_some(Place::Fresh),
        (Some(warm), [one]) if failed(warm) && one.outcome == Outcome::Pass => Some(Place::Fresh),
        (Some(warm), [one]) if !failed(warm) && failed(one) => Some(Place::Fresh),
        (None, [one]) if failed(one) => Some(Place::Fresh),
        _ => None,
    }
}

fn needs_confirmation(warm: &Attempt, demands: Demands) -> bool {
    is_doubtful(warm) || (demands.confirmed_passes && warm.outcome == Outcome::Pass)
}

/// Speaks against the pair, or against the worker: in the baseline the test reached the try.
pub(crate) fn is_doubtful(attempt: &Attempt) -> bool {
    matches!(
        attempt.outcome,
        Outcome::Fail(_)
            | Outcome::None(NoOutcome::NotReached | NoOutcome::Diverged | NoOutcome::WorkerLost(_))
    )
}

/// The test no longer passes with nothing armed, so what it says under injection means nothing.
pub(crate) fn not_itself() -> Attempt {
    none(NoOutcome::WorkerLost("the test failed with nothing injected".to_owned()))
}

/// What the attempts say together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Conclusion<'a> {
    /// The attempt to be shown.
    pub(crate) attempt: &'a Attempt,
    pub(crate) confirmed_fresh: bool,
    pub(crate) unstable: bool,
}

pub(crate) fn conclude(attempts: &[Attempt]) -> Option<Conclusion<'_>> {
    let decisive: Vec<_> = {
        let fresh: Vec<_> = attempts.iter().filter(|attempt| attempt.is_fresh).collect();
        if fresh.is_empty() { attempts.iter().collect() } else { fresh }
    };
    let attempt = *decisive.iter().find(|attempt| is_failure(attempt)).or(decisive.first())?;
    let alike = attempts.iter().filter(|each| is_alike(each, attempt)).count();
    let unstable = decisive.iter().any(|each| is_failure(each) != is_failure(attempt));
    let confirmed_fresh = attempt.is_fresh && alike > 1;
    Some(Conclusion { attempt, confirmed_fresh, unstable })
}

/// Two failures, or two passes.
fn is_alike(one: &Attempt, other: &Attempt) -> bool {
    match (&one.outcome, &other.outcome) {
        (Outcome::None(_), _) | (_, Outcome::None(_)) => false,
        _ => is_failure(one) == is_failure(other),
    }
}

pub(crate) fn is_failure(attempt: &Attempt) -> bool {
    matches!(attempt.outcome, Outcome::Fail(_))
}

pub(crate) fn experiment_of(test: TestId, exception: &str, attempts: &[Attempt]) -> Option<Experiment> {
    let conclusion = conclude(attempts)?;
    let attempt = conclusion.attempt;
    Some(Experiment {
        test,
        exception: exception.to_owned(),
        mode: Mode::ShortCircuit,
        outcome: attempt.outcome.clone(),
        confirmed_fresh: conclusion.confirmed_fresh,
        unstable: conclusion.unstable,
        reached: attempt.reached,
        fired: attempt.fired,
        caught_here: attempt.caught_here,
        caught_elsewhere: attempt.caught_elsewhere.clone(),
        made: attempt.made.clone(),
    })
}

/// What an earlier check found out, unless more is asked now. Where it lost its JVMs, another one is worth trying.
pub(crate) fn taken_over(
    test: TestId,
    exception: &str,
    attempts: &[Attempt],
    demands: Demands,
) -> Option<Experiment> {
    let was_lost =
        |experiment: &Experiment| matches!(experiment.outcome, Outcome::None(NoOutcome::WorkerLost(_)));
    let asks_more = next_place(attempts, demands).is_some();
    experiment_of(test, exception, attempts).filter(|experiment| !asks_more && !was_lost(experiment))
}

/// It needs no further attempt.
pub(crate) fn is_final(experiment: &Experiment) -> bool {
    match &experiment.outcome {
        Outcome::Fail(_) => experiment.confirmed_fresh || experiment.unstable,
        Outcome::Pass => true,
        Outcome::None(why) => !matches!(why, NoOutcome::NotRun(_)),
    }
}

/// Why no injected exception reaches the clause, when none of them did, whatever its type.
pub(crate) fn not_injectable(pair: &CheckedPair) -> Option<String> {
    let was_tried = |name: &String| pair.experiments.iter().any(|experiment| experiment.exception == *name);
    if !pair.types.iter().all(was_tried) {
        return None;
    }
    let mut reasons = pair.experiments.iter().map(|experiment| match &experiment.outcome {
        Outcome::None(NoOutcome::CaughtElsewhere(place)) => {
            Some(format!("{} is caught before it reaches this clause, by {place}", experiment.exception))
        }
        Outcome::None(NoOutcome::NotConstructible(why)) => {
            Some(format!("no {} can be made: {why}", experiment.exception))
        }
        _ => None,
    });
    let first = reasons.next().flatten()?;
    reasons.all(|reason| reason.is_some()).then_some(first)
}

/// `com.acme.Cache.load  Cache.java:83`.
pub(crate) fn place_of(pair: &CheckedPair) -> String {
    let line = pair.catch_line.or(pair.try_line).map(|line| format!(":{line}")).unwrap_or_default();
    let file = pair.source_file.as_deref().unwrap_or("unknown source");
    format!("{}.{}  {file}{line}", pair.class, pair.method)
}

/// How a run of a test with an injection ended. Whether anything was thrown matters where the JVM ended: before that, it
/// was not the injection's doing.
pub(crate) fn attempt_of(
    result: &Result<TestRun, WorkerEnd>,
    has_fired: bool,
    place_of_clause: impl Fn(u32) -> Option<String>,
) -> Attempt {
    match result {
        Err(end) if !has_fired => none(NoOutcome::WorkerLost(format!("before anything was thrown: {end}"))),
        Err(end) => Attempt { outcome: outcome_of_end(end), ..Attempt::default() },
        Ok(run) => match &run.injected {
            None => none(NoOutcome::WorkerLost("the worker did not say what became of the injection".into())),
            Some(injected) => attempt_of_run(run, injected, place_of_clause),
        },
    }
}

fn none(why: NoOutcome) -> Attempt {
    Attempt { outcome: Outcome::None(why), ..Attempt::default() }
}

fn outcome_of_end(end: &WorkerEnd) -> Outcome {
    let kind = match end {
        WorkerEnd::Timeout { .. } | WorkerEnd::EndlessLoop { .. } => FailureKind::Timeout,
        WorkerEnd::Exit { .. } => FailureKind::Exit,
        WorkerEnd::OutOfMemory => FailureKind::Oom,
        WorkerEnd::Crash { .. } => FailureKind::Crash,
        WorkerEnd::Unusable { what } => return Outcome::None(NoOutcome::WorkerLost(what.clone())),
        WorkerEnd::Interrupted => return Outcome::None(NoOutcome::WorkerLost(end.to_string())),
    };
    Outcome::Fail(Failure { kind, text: end.to_string() })
}

fn attempt_of_run(
    run: &TestRun,
    injected: &Injected,
    place_of_clause: impl Fn(u32) -> Option<String>,
) -> Attempt {
    let place = |counter: u32| place_of_clause(counter).unwrap_or_else(|| "another clause".to_owned());
    let caught_elsewhere: Vec<_> = injected
        .caught_elsewhere
        .iter()
        .map(|(counter, count)| CaughtElsewhere { place: place(*counter), count: *count })
        .collect();
    Attempt {
        outcome: outcome_of_run(run, injected, &caught_elsewhere),
        reached: injected.reached,
        fired: injected.fired,
        caught_here: injected.caught_here,
        caught_elsewhere,
        made: injected.made.clone().ok(),
        ..Attempt::default()
    }
}

fn outcome_of_run(run: &TestRun, injected: &Injected, caught_elsewhere: &[CaughtElsewhere]) -> Outcome {
    if injected.reached == 0 {
        return Outcome::None(NoOutcome::NotReached);
    }
    // What part of the executions says is not what all of them would.
    if injected.fired < injected.reached {
        let why = injected.made.clone().err().map(NoOutcome::NotConstructible);
        return Outcome::None(why.unwrap_or(NoOutcome::NotFired));
    }
    if let (0, Some(elsewhere)) = (injected.caught_here, caught_elsewhere.first()) {
        return Outcome::None(NoOutcome::CaughtElsewhere(elsewhere.place.clone()));
    }
    match (run.outcome, &run.failure) {
        (RunOutcome::Passed, _) => Outcome::Pass,
        // An assumption that no longer holds says neither yes nor no.
        (RunOutcome::Skipped, failure) => {
            Outcome::None(NoOutcome::Skipped(failure.as_ref().map(describe).unwrap_or_default()))
        }
        (RunOutcome::Failed, Some(failure)) if failure.is_artefact => {
            Outcome::None(NoOutcome::Artefact(describe(failure)))
        }
        (RunOutcome::Failed, failure) => {
            // An injected OutOfMemoryError is told like any other exception: there was memory.
            let is_out_of_memory =
                failure.as_ref().is_some_and(|failure| failure.is_out_of_memory && !failure.is_injected);
            let kind = if is_out_of_memory { FailureKind::Oom } else { FailureKind::Assertion };
            let text = failure.as_ref().map_or_else(|| "the test failed".to_owned(), describe);
            Outcome::Fail(Failure { kind, text })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_protocol::occurrences::Occurrences;

    const USUAL: Demands = Demands { only_fresh: false, confirmed_passes: false };
    const ONLY_FRESH: Demands = Demands { only_fresh: true, ..USUAL };
    const CONFIRMED: Demands = Demands { confirmed_passes: true, ..USUAL };

    fn pass(is_fresh: bool) -> Attempt {
        Attempt { is_fresh, ..Attempt::default() }
    }

    fn fail(is_fresh: bool) -> Attempt {
        let failure = Failure { kind: FailureKind::Assertion, text: "no".into() };
        Attempt { is_fresh, outcome: Outcome::Fail(failure), ..Attempt::default() }
    }

    #[test]
    fn a_clause_is_out_of_reach_only_if_none_of_its_types_gets_there() {
        let mut pair =
            CheckedPair { types: vec!["a.Gone".into(), "a.Here".into()], ..CheckedPair::default() };
        let cannot_be_made = Outcome::None(NoOutcome::NotConstructible("there is no such class".into()));
        pair.experiments.push(Experiment::new(TestId(0), "a.Gone", cannot_be_made.clone()));
        assert_eq!(not_injectable(&pair), None);
        pair.experiments.push(Experiment::new(TestId(0), "a.Here", cannot_be_made));
        assert!(not_injectable(&pair).is_some());
        pair.experiments.push(Experiment::new(TestId(1), "a.Here", Outcome::Pass));
        assert_eq!(not_injectable(&pair), None);
    }

    fn run(outcome: RunOutcome, reached: u64, fired: u64) -> TestRun {
        let made = Ok(String::new());
        let injected = Injected {
            reached,
            fired,
            caught_here: fired,
            caught_elsewhere: vec![],
            made,
            occurrences: Occurrences::default(),
            samples: Vec::new(),
            places: Vec::new(),
            bubbled: None,
        };
        TestRun { outcome, injected: Some(Box::new(injected)), ..TestRun::default() }
    }

    fn outcome(result: Result<TestRun, WorkerEnd>, has_fired: bool) -> Outcome {
        attempt_of(&result, has_fired, |_| None).outcome
    }

    #[test]
    fn only_what_comes_after_the_exception_is_held_against_the_clause() {
        let exit = WorkerEnd::Exit { code: Some(3) };
        assert!(matches!(outcome(Err(exit.clone()), true), Outcome::Fail(_)));
        let before = outcome(Err(exit), false);
        assert!(matches!(before, Outcome::None(NoOutcome::WorkerLost(why)) if why.contains("exit code 3")));
    }

    #[test]
    fn a_test_counts_when_every_execution_threw_and_it_did_not_skip_itself() {
        assert_eq!(outcome(Ok(run(RunOutcome::Passed, 2, 2)), true), Outcome::Pass);
        for part in [RunOutcome::Passed, RunOutcome::Failed] {
            assert_eq!(outcome(Ok(run(part, 2, 1)), true), Outcome::None(NoOutcome::NotFired));
        }
        let skipped = outcome(Ok(run(RunOutcome::Skipped, 1, 1)), true);
        assert!(matches!(skipped, Outcome::None(NoOutcome::Skipped(_))));
    }

    /// Plays out the attempts that are asked for; where they end, whether confirmed, whether unstable.
    fn play(warm: &Attempt, fresh: &[Attempt], demands: Demands) -> (bool, bool, bool) {
        let (mut attempts, mut fresh) = (Vec::new(), fresh.iter());
        while let Some(place) = next_place(&attempts, demands) {
            attempts.push(match place {
                Place::Warm => warm.clone(),
                Place::Fresh => fresh.next().expect("no more fresh JVMs than that").clone(),
            });
        }
        assert_eq!(fresh.next(), None, "fewer fresh JVMs than expected");
        let conclusion = conclude(&attempts).unwrap();
        (is_failure(conclusion.attempt), conclusion.confirmed_fresh, conclusion.unstable)
    }

    #[test]
    fn a_pass_in_a_warm_worker_stands() {
        assert_eq!(play(&pass(false), &[], USUAL), (false, false, false));
    }

    #[test]
    fn where_passes_are_confirmed_a_fresh_jvm_has_the_last_word() {
        assert_eq!(play(&pass(false), &[pass(true)], CONFIRMED), (false, true, false));
        assert_eq!(play(&pass(false), &[fail(true), fail(true)], CONFIRMED), (true, true, false));
        assert_eq!(play(&pass(false), &[fail(true), pass(true)], CONFIRMED), (true, false, true));
        assert_eq!(play(&fail(false), &[fail(true)], CONFIRMED), (true, true, false));
        assert_eq!(taken_over(TestId(0), "a.E", &[pass(false)], CONFIRMED), None);
        assert!(taken_over(TestId(0), "a.E", &[pass(false), pass(true)], CONFIRMED).is_some());
    }

    #[test]
    fn a_failure_is_confirmed_by_one_fresh_jvm_and_outvoted_by_two() {
        assert_eq!(play(&fail(false), &[fail(true)], USUAL), (true, true, false));
        assert_eq!(play(&fail(false), &[pass(true), pass(true)], USUAL), (false, true, false));
        assert_eq!(play(&fail(false), &[pass(true), fail(true)], USUAL), (true, true, true));
    }

    #[test]
    fn a_failure_that_only_a_fresh_jvm_saw_is_confirmed_by_another() {
        assert_eq!(play(&not_itself(), &[fail(true), fail(true)], USUAL), (true, true, false));
        assert_eq!(play(&not_itself(), &[fail(true), pass(true)], USUAL), (true, false, true));
    }

    #[test]
    fn what_happens_once_per_jvm_runs_in_fresh_ones_only() {
        assert_eq!(play(&fail(false), &[pass(true)], ONLY_FRESH), (false, false, false));
        assert_eq!(play(&fail(false), &[fail(true), fail(true)], ONLY_FRESH), (true, true, false));
        assert_eq!(play(&fail(false), &[fail(true), pass(true)], ONLY_FRESH), (true, false, true));
    }

    #[test]
    fn what_an_earlier_check_lost_is_tried_again() {
        let lost = [not_itself(), Attempt { is_fresh: true, ..not_itself() }];
        assert!(experiment_of(TestId(0), "a.E", &lost).is_some());
        assert_eq!(taken_over(TestId(0), "a.E", &lost, USUAL), None);
        assert!(taken_over(TestId(0), "a.E", &[pass(false)], USUAL).is_some());
    }

    #[test]
    fn no_outcome_is_not_tried_again_unless_the_worker_may_be_to_blame() {
        let artefact = none(NoOutcome::Artefact("null".into()));
        assert_eq!(next_place(&[artefact], USUAL), None);
        let not_reached = none(NoOutcome::NotReached);
        assert_eq!(next_place(std::slice::from_ref(&not_reached), USUAL), Some(Place::Fresh));
        assert_eq!(next_place(&[not_reached.clone(), pass(true)], USUAL), None);
        assert_eq!(next_place(&[not_itself()], USUAL), Some(Place::Fresh));
        assert_eq!(conclude(&[not_reached, pass(true)]).unwrap().attempt.outcome, Outcome::Pass);
    }
}
