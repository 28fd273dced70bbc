//! Advice in one sentence: the way to decide an unknown verdict, and the way to mend a bad one.

use crate::dependence::Dependence;
use crate::experiment::{ExperimentResult, Mode, NoOutcome, Outcome};
use crate::judge::Verdicts;
use crate::project::{CheckedPair, CheckedTest, SetAside, TestId};
use crate::unknown::Unknown;

/// The most useful next step for a pair, if there is one.
pub fn advice(pair: &CheckedPair, verdicts: &Verdicts, tests: &[CheckedTest]) -> Option<String> {
    if let Some(advice) = advice_on_dependence(pair, verdicts, tests) {
        return Some(advice);
    }
    let source = verdicts.source_independence.unknown.first();
    let reason = source.or_else(|| verdicts.pure_resilience.unknown.first())?;
    explain(reason, pair, tests)
}

/// What a source-dependent clause depends on, as far as that was found out.
pub fn advice_on_dependence(
    pair: &CheckedPair,
    verdicts: &Verdicts,
    tests: &[CheckedTest],
) -> Option<String> {
    Some(match verdicts.dependence.as_ref()?.on {
        Dependence::Place => {
            "the catch, or what follows it, relies on what the try did before the exception".to_owned()
        }
        Dependence::Object => {
            "a test asserts on the exception object (its class, message or identity), which is no finding"
                .to_owned()
        }
        Dependence::Undecided => {
            let why = why_undecided(pair, tests).map(|why| format!(": {why}")).unwrap_or_default();
            format!(
                "a test fails when the exception comes at once; whether it relies on what the try did before or asserts on \
                 the exception object is undecided{why}"
            )
        }
    })
}

fn why_undecided(pair: &CheckedPair, tests: &[CheckedTest]) -> Option<String> {
    if let Some((test, why)) = pair.without_copies.first() {
        return Some(format!("the exceptions of test {} cannot be copied, {why}", name(*test, tests)));
    }
    let is_copied = |mode| matches!(mode, Mode::CopyAtStart | Mode::CopyAtCatch);
    let silent = pair.experiments.iter().filter(|experiment| is_copied(experiment.mode));
    silent
        .filter(|it| matches!(&it.outcome, Outcome::None(why) if !matches!(why, NoOutcome::NotRun(_))))
        .find_map(|experiment| match &experiment.outcome {
            Outcome::None(why) if why.detail().is_empty() => Some(why.as_str().to_owned()),
            Outcome::None(why) => Some(format!("{}, {}", why.as_str(), why.detail())),
            _ => None,
        })
}

/// The reason why a verdict is unknown, and the way to change that. `None` when the user left the pair out.
pub fn explain(reason: &Unknown, pair: &CheckedPair, tests: &[CheckedTest]) -> Option<String> {
    let experiment = |number: usize| pair.experiments.get(number);
    let test_of = |number: usize| experiment(number).map_or("?", |it| name(it.test, tests));
    Some(match reason {
        Unknown::LeftOut => return None,
        Unknown::NotObserved(why) => format!("could not be observed: {why}"),
        Unknown::NeverExecuted => format!(
            "no test executes this try: add one in which it throws {}, and one in which it succeeds",
            pair.clause.types.join(" or ")
        ),
        Unknown::ExecutedByNoTestAlone => {
            "the suite executes this try, but no test was seen to when it ran alone: add one".into()
        }
        Unknown::Unreachable(why) => format!("no exception thrown at the try can reach this catch: {why}"),
        Unknown::NeverCaught => {
            format!(
                "no test reaches this catch: add one in which the try throws {}",
                pair.clause.types.join(" or ")
            )
        }
        Unknown::LeftOpen(test) => {
            format!("test {} ends while this try is still running: let it wait for it", name(*test, tests))
        }
        Unknown::OncePerJvm(test) => format!(
            "this try runs once per JVM, and only the test that came first was asked: {} passes, others may not; a test that \
             executes it whenever it runs would decide",
            name(*test, tests)
        ),
        Unknown::NeverNominal => "in no test does this try succeed: add one in which it does".into(),
        Unknown::Unstable(number) => {
            format!(
                "test {} gives different outcomes under the same injection: one that always does the same would decide",
                test_of(*number)
            )
        }
        Unknown::Mixed(number) => format!(
            "test {} executes this try in other ways too, so that its failure may be about those: a test in which the \
             try only ends in this catch would decide",
            test_of(*number)
        ),
        Unknown::ExecutionsUnavailable(test, why) => {
            format!(
                "what test {} does in this try cannot be taken apart: {why}; a test that executes it once would decide",
                name(*test, tests)
            )
        }
        Unknown::Unconfirmed(number) => {
            format!("test {} fails, and there was no time to confirm it: run again", test_of(*number))
        }
        Unknown::TooMany(count) => {
            format!("{count} more calls within the try are too many: those that were tried pass")
        }
        Unknown::Unseen(count) => {
            let tests = if *count == 1 { "1 test has".to_owned() } else { format!("{count} tests have") };
            format!("{tests} not run within the budget, and may execute this try: run again with more time")
        }
        Unknown::NotRun(1) => "1 experiment was not run: run again with more time".into(),
        Unknown::NotRun(count) => format!("{count} experiments were not run: run again with more time"),
        Unknown::NoOutcome(number) => {
            experiment(*number).map_or_else(String::new, |it| no_outcome(it, tests))
        }
        Unknown::SetAside(test) => set_aside(*test, tests),
    })
}

fn name(test: TestId, tests: &[CheckedTest]) -> &str {
    tests.get(test.index()).map_or("?", |test| test.name.as_str())
}

fn no_outcome(experiment: &ExperimentResult, tests: &[CheckedTest]) -> String {
    let Outcome::None(why) = &experiment.outcome else { return String::new() };
    let (test, exception) = (name(experiment.test, tests), &experiment.exception);
    match why {
        NoOutcome::NotReached => {
            format!(
                "test {test} did not execute the try when the exception was to be thrown: a test that always does would decide"
            )
        }
        NoOutcome::NotFired => {
            let (reached, fired) = (experiment.reached, experiment.fired);
            format!(
                "test {test} executed the try {reached} times, and {fired} times an exception could be thrown: a test that \
                 executes it once would decide"
            )
        }
        NoOutcome::Diverged => {
            format!(
                "test {test} did not come to the execution that was to be hit in the way it does otherwise: a test in which \
                 the try only ends in this catch would decide"
            )
        }
        NoOutcome::Skipped(_) => {
            format!(
                "test {test} skips itself when the try throws a {exception}, so it says nothing about the clause: one that \
                 does not would decide"
            )
        }
        NoOutcome::NotConstructible(why) => {
            format!("no {exception} could be made: {why}; add a test in which the try throws a real one")
        }
        NoOutcome::CaughtElsewhere(place) => format!("{place} catches a {exception} thrown here first"),
        NoOutcome::Artefact(text) => format!(
            "test {test} fails because of what the injected {exception} lacks ({text}): add a test in which the try \
             throws a real one"
        ),
        NoOutcome::WorkerLost(why) => format!("the JVM of test {test} was lost ({why}): run again"),
        NoOutcome::SetAside => set_aside(experiment.test, tests),
        NoOutcome::NotRun(_) => "an experiment was not run: run again with more time".into(),
    }
}

fn set_aside(test: TestId, tests: &[CheckedTest]) -> String {
    let name = name(test, tests);
    match tests.get(test.index()).and_then(|test| test.set_aside.as_ref()) {
        Some(SetAside::External(_)) => format!(
            "test {name} executes this try and connects to other machines: --allow-external lets it take part"
        ),
        Some(SetAside::NoSoloRun(why)) => {
            format!("test {name} executes this try and cannot be run alone: {why}; repair it")
        }
        Some(SetAside::OrderDependent(_)) => format!(
            "test {name} executes this try, passes after other tests and fails alone: repair it, so that it sets up what it \
             needs"
        ),
        Some(other) => format!("test {name} executes this try and is {}: repair it", other.as_str()),
        None => format!("test {name} executes this try and is set aside"),
    }
}
