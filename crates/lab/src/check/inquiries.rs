//! The part of an inquiry that knows verdicts: whose tests are asked, and the experiments that answers amount to.

use crate::trial::ask::{Run, Subject};
use crate::trial::engine::Trials;
use catchment_verdicts::{
    CheckedPair, Demands, ExecutingTest, ExperimentResult, Mode, NoOutcome, NotRun, Outcome, TestId,
    Verdicts, experiment_of, judge,
};

/// The tests that enter the catches of all pairs with such verdicts; `begin` notes on a pair that it is asked about.
pub(super) fn subjects(
    trials: Trials<'_, '_>,
    confirmed_passes: bool,
    is_about: impl Fn(&Verdicts) -> bool,
    begin: impl Fn(&mut CheckedPair),
) -> Vec<Subject> {
    let mut ledger = trials.session.ledger();
    let checked = &mut ledger.checked;
    let mut subjects = Vec::new();
    for (position, pair) in checked.pairs.iter_mut().enumerate() {
        let is_asked = !pair.left_out && pair.not_injectable.is_none();
        if !is_asked || !is_about(&judge(pair, &checked.tests)) {
            continue;
        }
        let is_evidence = |executing: &&ExecutingTest| {
            executing.usages.white > 0 && checked.tests[executing.test.index()].is_evidence()
        };
        let before = subjects.len();
        subjects.extend(pair.executing_tests.iter().filter(is_evidence).map(|executing| {
            let comes_first = executing.comes_first();
            Subject {
                position,
                test: executing.test,
                pair_number: trials.session.number_of(position),
                test_number: trials.test(executing.test).0,
                demands: Demands { only_fresh: comes_first, confirmed_passes, ..Demands::default() },
                comes_first,
                usages: executing.usages,
            }
        }));
        if subjects.len() > before {
            begin(pair);
        }
    }
    subjects
}

/// The experiment that the attempts at one question of a series amount to.
pub(super) fn experiment<A>(run: &Run<A>, test: TestId, mode: Mode) -> ExperimentResult {
    let not_needed = Outcome::None(NoOutcome::NotRun(NotRun::NotNeeded));
    let made = experiment_of(test, &run.exception, &run.attempts);
    let made = made.unwrap_or_else(|| ExperimentResult::new(test, run.exception.clone(), not_needed));
    ExperimentResult { mode, ..made }
}
