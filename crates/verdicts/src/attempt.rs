//! The voting rule: from runs of one experiment to its outcome.
//!
//! An experiment is attempted in a warm JVM, which has run other tests before, or in a fresh one. A failure in a warm
//! JVM may be that JVM's fault, so a fresh JVM has to confirm it; two fresh JVMs outvote it. A failure that can be no more
//! than routine stands without: whoever made the attempt has the warm JVM pass the same test again. A try that is executed
//! once per JVM is attempted in fresh JVMs only. Passes in a warm JVM stand, unless the user wants them confirmed as
//! well.

use crate::experiment::{CaughtElsewhere, ExperimentResult, Failure, FailureKind, Mode, NoOutcome, Outcome};
use crate::project::{CheckedPair, TestId};

/// One run of an experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// In a JVM of its own.
    pub is_fresh: bool,
    pub outcome: Outcome,
    /// Executions of the try that were to be hit.
    pub reached: u64,
    /// Executions of the try that were hit.
    pub fired: u64,
    /// Injected exceptions that the pair's own clause caught first.
    pub caught_here: u64,
    /// Injected exceptions that other clauses caught first.
    pub caught_elsewhere: Vec<CaughtElsewhere>,
    /// The way in which the thrown object was made.
    pub made: Option<String>,
    pub micros: u64,
    /// Microseconds of the same test alone with nothing armed.
    pub plain_micros: u64,
}

impl Default for Attempt {
    fn default() -> Self {
        Self {
            is_fresh: false,
            outcome: Outcome::Pass,
            reached: 0,
            fired: 0,
            caught_here: 0,
            caught_elsewhere: Vec::new(),
            made: None,
            micros: 0,
            plain_micros: 0,
        }
    }
}

impl Attempt {
    /// An attempt that says nothing.
    pub fn without_outcome(why: NoOutcome) -> Self {
        Self { outcome: Outcome::None(why), ..Self::default() }
    }

    /// The test no longer passes with nothing armed, so its failure under injection would mean nothing.
    pub fn baseline_failed() -> Self {
        Self::lost("the test failed with nothing injected".to_owned())
    }

    /// The JVM was lost, and not by the injected exception.
    pub fn lost(why: String) -> Self {
        Self::without_outcome(NoOutcome::WorkerLost(why))
    }

    /// The JVM ended before the test did. Its end is held against the clause only if an exception had been thrown.
    pub fn of_jvm_end(end: JvmEnd, has_fired: bool) -> Self {
        match end.kind {
            _ if !has_fired => Self::lost(format!("before anything was thrown: {}", end.text)),
            None => Self::lost(end.text),
            Some(kind) => {
                Self { outcome: Outcome::Fail(Failure { kind, text: end.text }), ..Self::default() }
            }
        }
    }

    /// The test ended, well or badly.
    pub fn of_run(run: ObservedRun) -> Self {
        Self {
            outcome: outcome_of_run(&run),
            reached: run.reached,
            fired: run.fired,
            caught_here: run.caught_here,
            caught_elsewhere: run.caught_elsewhere,
            made: run.made.ok(),
            ..Self::default()
        }
    }

    pub fn is_failure(&self) -> bool {
        matches!(self.outcome, Outcome::Fail(_))
    }

    /// An outcome that speaks against the pair, or against the JVM: in the baseline the test reached the try.
    pub fn is_doubtful(&self) -> bool {
        let is_suspicious = |why: &NoOutcome| {
            matches!(why, NoOutcome::NotReached | NoOutcome::Diverged | NoOutcome::WorkerLost(_))
        };
        self.is_failure() || matches!(&self.outcome, Outcome::None(why) if is_suspicious(why))
    }
}

/// The end of a JVM in the middle of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JvmEnd {
    /// `None` when the tested code had no part in it.
    pub kind: Option<FailureKind>,
    /// The end in one line.
    pub text: String,
}

/// A run of a test under an experiment that came to its end, as the worker observed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedRun {
    pub end: TestEnd,
    /// Executions of the try that were to be hit.
    pub reached: u64,
    /// Executions of the try that were hit.
    pub fired: u64,
    pub caught_here: u64,
    pub caught_elsewhere: Vec<CaughtElsewhere>,
    /// The way in which the thrown object was made, or why none could be.
    pub made: Result<String, String>,
}

/// The end of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestEnd {
    Passed,
    /// An assumption did not hold; its message.
    Skipped(String),
    Failed(TestFailure),
}

/// The exception with which a test failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TestFailure {
    /// The failure in one line.
    pub text: String,
    /// The injected exception is the failure or among its causes.
    pub is_injected: bool,
    /// The failure comes from what the injected object lacks.
    pub is_artefact: bool,
    pub is_out_of_memory: bool,
}

/// The kind of JVM of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JvmKind {
    /// A worker that has run other tests and experiments.
    Warm,
    /// A JVM of the attempt's own.
    Fresh,
}

/// Demands on the attempts of an experiment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Demands {
    /// No attempt in a warm JVM would count.
    pub only_fresh: bool,
    /// A pass in a warm JVM needs a fresh one beside it, as a failure does.
    pub confirmed_passes: bool,
    /// A failure as tests fail can be no more than routine, and needs no other JVM beside its own.
    pub routine_failures_stand: bool,
}

/// The JVM in which to attempt the experiment next; `None` when it has its outcome.
pub fn next_jvm(attempts: &[Attempt], demands: Demands) -> Option<JvmKind> {
    let fresh: Vec<_> = attempts.iter().filter(|attempt| attempt.is_fresh).collect();
    let warm = attempts.iter().find(|attempt| !attempt.is_fresh);
    match (warm, fresh.as_slice()) {
        (None, []) => Some(if demands.only_fresh { JvmKind::Fresh } else { JvmKind::Warm }),
        (Some(warm), []) => needs_confirmation(warm, demands).then_some(JvmKind::Fresh),
        (Some(warm), [fresh]) if warm.is_failure() && fresh.outcome == Outcome::Pass => Some(JvmKind::Fresh),
        (Some(warm), [fresh]) if !warm.is_failure() && fresh.is_failure() => Some(JvmKind::Fresh),
        (None, [fresh]) if fresh.is_failure() && !stands_as_routine(fresh, demands) => Some(JvmKind::Fresh),
        _ => None,
    }
}

fn needs_confirmation(warm: &Attempt, demands: Demands) -> bool {
    let is_doubtful = warm.is_doubtful() && !stands_as_routine(warm, demands);
    is_doubtful || (demands.confirmed_passes && warm.outcome == Outcome::Pass)
}

fn stands_as_routine(attempt: &Attempt, demands: Demands) -> bool {
    demands.routine_failures_stand
        && matches!(&attempt.outcome, Outcome::Fail(failure) if failure.kind.is_routine())
}

/// The result of the vote.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Conclusion<'a> {
    /// The attempt to be shown.
    attempt: &'a Attempt,
    confirmed_fresh: bool,
    unstable: bool,
}

/// Attempts in fresh JVMs decide, where there are any; a failure among them is shown before a pass.
fn conclude(attempts: &[Attempt]) -> Option<Conclusion<'_>> {
    let decisive: Vec<_> = {
        let fresh: Vec<_> = attempts.iter().filter(|attempt| attempt.is_fresh).collect();
        if fresh.is_empty() { attempts.iter().collect() } else { fresh }
    };
    let shown = *decisive.iter().find(|attempt| attempt.is_failure()).or(decisive.first())?;
    let alike = attempts.iter().filter(|attempt| are_alike(attempt, shown)).count();
    let unstable = decisive.iter().any(|attempt| attempt.is_failure() != shown.is_failure());
    let confirmed_fresh = shown.is_fresh && alike > 1;
    Some(Conclusion { attempt: shown, confirmed_fresh, unstable })
}

/// Two failures, or two passes.
fn are_alike(left: &Attempt, right: &Attempt) -> bool {
    match (&left.outcome, &right.outcome) {
        (Outcome::None(_), _) | (_, Outcome::None(_)) => false,
        _ => left.is_failure() == right.is_failure(),
    }
}

/// The experiment that the attempts amount to; `None` without any.
pub fn experiment_of(test: TestId, exception: &str, attempts: &[Attempt]) -> Option<ExperimentResult> {
    let conclusion = conclude(attempts)?;
    let attempt = conclusion.attempt;
    Some(ExperimentResult {
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

/// The experiment of an earlier check, unless more is demanded now. One that lost its JVMs is worth another attempt.
pub fn taken_over(
    test: TestId,
    exception: &str,
    attempts: &[Attempt],
    demands: Demands,
) -> Option<ExperimentResult> {
    let was_lost =
        |experiment: &ExperimentResult| matches!(experiment.outcome, Outcome::None(NoOutcome::WorkerLost(_)));
    let needs_more = next_jvm(attempts, demands).is_some();
    experiment_of(test, exception, attempts).filter(|experiment| !needs_more && !was_lost(experiment))
}

/// The reason why no injected exception reaches the clause, when none of them did, whatever its type.
pub fn not_injectable(pair: &CheckedPair) -> Option<String> {
    let was_tried = |name: &String| pair.experiments.iter().any(|experiment| experiment.exception == *name);
    if !pair.clause.types.iter().all(was_tried) {
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

fn outcome_of_run(run: &ObservedRun) -> Outcome {
    if run.reached == 0 {
        return Outcome::None(NoOutcome::NotReached);
    }
    // If only some executions were hit, the outcome does not stand for hitting all.
    if run.fired < run.reached {
        let why = run.made.clone().err().map(NoOutcome::NotConstructible);
        return Outcome::None(why.unwrap_or(NoOutcome::NotFired));
    }
    if let (0, Some(elsewhere)) = (run.caught_here, run.caught_elsewhere.first()) {
        return Outcome::None(NoOutcome::CaughtElsewhere(elsewhere.place.clone()));
    }
    match &run.end {
        TestEnd::Passed => Outcome::Pass,
        // An assumption that no longer holds says neither yes nor no.
        TestEnd::Skipped(text) => Outcome::None(NoOutcome::Skipped(text.clone())),
        TestEnd::Failed(failure) if failure.is_artefact => {
            Outcome::None(NoOutcome::Artefact(failure.text.clone()))
        }
        TestEnd::Failed(failure) => {
            Outcome::Fail(Failure { kind: kind_of(failure), text: failure.text.clone() })
        }
    }
}

/// An injected `OutOfMemoryError` counts like any other exception: there was memory.
fn kind_of(failure: &TestFailure) -> FailureKind {
    let is_out_of_memory = failure.is_out_of_memory && !failure.is_injected;
    if is_out_of_memory { FailureKind::Oom } else { FailureKind::Assertion }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Demands =
        Demands { only_fresh: false, confirmed_passes: false, routine_failures_stand: false };
    const ROUTINE: Demands = Demands { routine_failures_stand: true, ..USUAL };
    const ONLY_FRESH: Demands = Demands { only_fresh: true, ..USUAL };
    const CONFIRMED: Demands = Demands { confirmed_passes: true, ..USUAL };

    #[test]
    fn a_routine_failure_needs_no_other_jvm() {
        let timeout = |is_fresh| Attempt {
            outcome: Outcome::Fail(Failure { kind: FailureKind::Timeout, text: String::new() }),
            ..fail(is_fresh)
        };
        assert_eq!(next_jvm(&[fail(false)], USUAL), Some(JvmKind::Fresh));
        assert_eq!(next_jvm(&[fail(false)], ROUTINE), None);
        assert_eq!(next_jvm(&[fail(true)], Demands { only_fresh: true, ..ROUTINE }), None);
        assert_eq!(next_jvm(&[timeout(false)], ROUTINE), Some(JvmKind::Fresh), "it may be the JVM's fault");
        assert_eq!(next_jvm(&[timeout(true)], ROUTINE), Some(JvmKind::Fresh));
        let lost = Attempt::lost("gone".into());
        assert_eq!(next_jvm(&[lost], ROUTINE), Some(JvmKind::Fresh));
    }

    fn pass(is_fresh: bool) -> Attempt {
        Attempt { is_fresh, ..Attempt::default() }
    }

    fn fail(is_fresh: bool) -> Attempt {
        let failure = Failure { kind: FailureKind::Assertion, text: "no".into() };
        Attempt { is_fresh, outcome: Outcome::Fail(failure), ..Attempt::default() }
    }

    #[test]
    fn a_clause_is_out_of_reach_only_if_none_of_its_types_gets_there() {
        let mut pair = CheckedPair::default();
        pair.clause.types = vec!["a.Gone".into(), "a.Here".into()];
        let cannot_be_made = Outcome::None(NoOutcome::NotConstructible("there is no such class".into()));
        pair.experiments.push(ExperimentResult::new(TestId(0), "a.Gone", cannot_be_made.clone()));
        assert_eq!(not_injectable(&pair), None);
        pair.experiments.push(ExperimentResult::new(TestId(0), "a.Here", cannot_be_made));
        assert!(not_injectable(&pair).is_some());
        pair.experiments.push(ExperimentResult::new(TestId(1), "a.Here", Outcome::Pass));
        assert_eq!(not_injectable(&pair), None);
    }

    fn run(end: TestEnd, reached: u64, fired: u64) -> ObservedRun {
        ObservedRun {
            end,
            reached,
            fired,
            caught_here: fired,
            caught_elsewhere: vec![],
            made: Ok(String::new()),
        }
    }

    #[test]
    fn only_what_comes_after_the_exception_is_held_against_the_clause() {
        let exit = JvmEnd { kind: Some(FailureKind::Exit), text: "exit code 3".into() };
        assert!(Attempt::of_jvm_end(exit.clone(), true).is_failure());
        let before = Attempt::of_jvm_end(exit, false).outcome;
        assert!(matches!(before, Outcome::None(NoOutcome::WorkerLost(why)) if why.contains("exit code 3")));
    }

    #[test]
    fn a_test_counts_when_every_execution_threw_and_it_did_not_skip_itself() {
        let outcome =
            |end: &TestEnd, reached, fired| Attempt::of_run(run(end.clone(), reached, fired)).outcome;
        assert_eq!(outcome(&TestEnd::Passed, 2, 2), Outcome::Pass);
        let failed = TestEnd::Failed(TestFailure::default());
        for end in [TestEnd::Passed, failed] {
            assert_eq!(outcome(&end, 2, 1), Outcome::None(NoOutcome::NotFired));
        }
        let skipped = outcome(&TestEnd::Skipped(String::new()), 1, 1);
        assert!(matches!(skipped, Outcome::None(NoOutcome::Skipped(_))));
    }

    #[test]
    fn an_injected_out_of_memory_error_counts_like_any_other_exception() {
        let kind = |is_injected| {
            let failure = TestFailure { is_injected, is_out_of_memory: true, ..TestFailure::default() };
            match Attempt::of_run(run(TestEnd::Failed(failure), 1, 1)).outcome {
                Outcome::Fail(failure) => failure.kind,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!((kind(false), kind(true)), (FailureKind::Oom, FailureKind::Assertion));
    }

    /// Plays out the attempts that are asked for; whether the shown one failed, was confirmed, is unstable.
    fn play(warm: &Attempt, fresh: &[Attempt], demands: Demands) -> (bool, bool, bool) {
        let (mut attempts, mut fresh) = (Vec::new(), fresh.iter());
        while let Some(jvm) = next_jvm(&attempts, demands) {
            attempts.push(match jvm {
                JvmKind::Warm => warm.clone(),
                JvmKind::Fresh => fresh.next().expect("no more fresh JVMs than that").clone(),
            });
        }
        assert_eq!(fresh.next(), None, "fewer fresh JVMs than expected");
        let conclusion = conclude(&attempts).unwrap();
        (conclusion.attempt.is_failure(), conclusion.confirmed_fresh, conclusion.unstable)
    }

    #[test]
    fn a_pass_in_a_warm_jvm_stands() {
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
        assert_eq!(play(&Attempt::baseline_failed(), &[fail(true), fail(true)], USUAL), (true, true, false));
        assert_eq!(play(&Attempt::baseline_failed(), &[fail(true), pass(true)], USUAL), (true, false, true));
    }

    #[test]
    fn what_happens_once_per_jvm_runs_in_fresh_ones_only() {
        assert_eq!(play(&fail(false), &[pass(true)], ONLY_FRESH), (false, false, false));
        assert_eq!(play(&fail(false), &[fail(true), fail(true)], ONLY_FRESH), (true, true, false));
        assert_eq!(play(&fail(false), &[fail(true), pass(true)], ONLY_FRESH), (true, false, true));
    }

    #[test]
    fn what_an_earlier_check_lost_is_tried_again() {
        let lost = [Attempt::baseline_failed(), Attempt { is_fresh: true, ..Attempt::baseline_failed() }];
        assert!(experiment_of(TestId(0), "a.E", &lost).is_some());
        assert_eq!(taken_over(TestId(0), "a.E", &lost, USUAL), None);
        assert!(taken_over(TestId(0), "a.E", &[pass(false)], USUAL).is_some());
    }

    #[test]
    fn no_outcome_is_not_tried_again_unless_the_worker_may_be_to_blame() {
        let artefact = Attempt::without_outcome(NoOutcome::Artefact("null".into()));
        assert_eq!(next_jvm(&[artefact], USUAL), None);
        let not_reached = Attempt::without_outcome(NoOutcome::NotReached);
        assert_eq!(next_jvm(std::slice::from_ref(&not_reached), USUAL), Some(JvmKind::Fresh));
        assert_eq!(next_jvm(&[not_reached.clone(), pass(true)], USUAL), None);
        assert_eq!(next_jvm(&[Attempt::baseline_failed()], USUAL), Some(JvmKind::Fresh));
        assert_eq!(conclude(&[not_reached, pass(true)]).unwrap().attempt.outcome, Outcome::Pass);
    }
}
