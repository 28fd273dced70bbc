//! Leaving out what is not needed never changes a verdict, in whatever order the rest is run.

use crate::universe::{
    Member, Truth, every_universe, expected, failure, finished, first_run, full_matrix, member, universe,
};
use catchment_verdicts::{
    ASKED_FOR_THE_PLACE, CheckedPair, CheckedTest, ColourCounts, ExperimentResult, FailureKind, Mode, Needed,
    Outcome, Step, TestId, judge, what_is_needed,
};
use std::collections::HashSet;

/// How far each cell is: nothing, run, confirmed.
type Progress = Vec<u8>;

struct Exploration<'a> {
    members: &'a [Member],
    tests: Vec<CheckedTest>,
    pair: CheckedPair,
    seen: HashSet<Progress>,
    ends: usize,
}

impl Exploration<'_> {
    fn cell(&self, needed: &Needed) -> usize {
        needed.test.index() * self.pair.clause.types.len() + needed.exception
    }

    /// Takes every order in which the needed experiments can be run.
    fn explore(&mut self, progress: Progress) {
        if !self.seen.insert(progress.clone()) {
            return;
        }
        self.load(&progress);
        let needed = what_is_needed(&self.pair, &self.tests);
        if needed.is_empty() {
            self.ends += 1;
            let verdicts = judge(&self.pair, &self.tests);
            let found = (verdicts.source_independence.verdict, verdicts.pure_resilience.verdict);
            assert_eq!(found, expected(self.members), "{:?} after {progress:?}", self.members);
            return;
        }
        for step in &needed {
            let mut next = progress.clone();
            let cell = self.cell(step);
            next[cell] += 1;
            assert_eq!(next[cell], if step.step == Step::Run { 1 } else { 2 });
            self.explore(next);
        }
    }

    fn load(&mut self, progress: &[u8]) {
        let types = self.pair.clause.types.len();
        let cells = progress.iter().enumerate().filter(|(_, stage)| **stage > 0);
        self.pair.experiments = cells
            .map(|(cell, stage)| {
                let test = TestId((cell / types) as u32);
                let run = if *stage == 1 { first_run } else { finished };
                run(self.members, test, cell % types)
            })
            .collect();
    }
}

/// A routine failure stands as it is, so nothing shows that another JVM would not see it.
fn is_unstable_unseen(member: &Member) -> bool {
    let is_all_white = member.usages.white == member.usages.entries();
    !is_all_white && !member.set_aside && member.truths.contains(&Truth::Unstable)
}

fn check(members: &[Member]) {
    if members.iter().any(is_unstable_unseen) {
        return;
    }
    let (tests, pair) = universe(members);
    let cells = tests.len() * pair.clause.types.len();
    let mut exploration = Exploration { members, tests, pair, seen: HashSet::new(), ends: 0 };
    exploration.explore(vec![0; cells]);
    assert!(exploration.ends > 0);
}

#[test]
fn of_one_or_two_tests_and_two_types() {
    every_universe(1, 2, check);
    every_universe(2, 2, check);
}

#[test]
fn of_three_tests() {
    every_universe(3, 1, check);
}

#[test]
fn the_full_matrix_is_judged_by_the_definitions() {
    for (tests, types) in [(1, 1), (2, 1), (3, 1), (2, 2), (1, 3)] {
        every_universe(tests, types, |members| {
            let (tests, pair) = full_matrix(members);
            let verdicts = judge(&pair, &tests);
            let found = (verdicts.source_independence.verdict, verdicts.pure_resilience.verdict);
            assert_eq!(found, expected(members), "{members:?}");
        });
    }
}

#[test]
fn nothing_is_asked_for_that_could_not_change_a_verdict() {
    // Twin of the above: whatever is asked for has two possible outcomes that lead to different verdicts.
    every_universe(2, 1, |members| {
        let (tests, mut pair) = universe(members);
        pair.experiments = vec![finished(members, TestId(0), 0)];
        let asked = what_is_needed(&pair, &tests).iter().any(|needed| needed.test.index() == 1);
        let with =
            |truth| expected(&[members[0].clone(), Member { truths: vec![truth], ..members[1].clone() }]);
        let outcomes = [Truth::Pass, Truth::Fail, Truth::None].map(with);
        let matters = !members[1].set_aside && outcomes.iter().any(|outcome| *outcome != outcomes[0]);
        assert_eq!(asked, matters, "{members:?} {:?}", member(members[1].usages, &[]));
    });
}

#[test]
fn a_dependence_that_no_test_shows_to_be_on_the_place_waits_for_a_few_more() {
    let white = ColourCounts { white: 1, ..ColourCounts::default() };
    let members: Vec<_> = (0..6).map(|_| member(white, &[Truth::Fail])).collect();
    let (tests, mut pair) = universe(&members);
    let asked = |pair: &CheckedPair| -> Vec<_> {
        what_is_needed(pair, &tests).iter().map(|needed| needed.test).collect()
    };
    let copy = |test, mode, outcome| ExperimentResult {
        mode,
        outcome,
        confirmed_fresh: true,
        ..finished(&members, test, 0)
    };
    for number in 0..ASKED_FOR_THE_PLACE as u32 {
        let others: Vec<_> = (number..6).map(TestId).collect();
        assert_eq!(asked(&pair), others, "{number} tests want the object");
        pair.experiments.push(finished(&members, TestId(number), 0));
        assert_eq!(asked(&pair), [], "whether the last one does is not known yet");
        let fails = failure(FailureKind::Assertion);
        pair.experiments.push(copy(TestId(number), Mode::CopyAtCatch, fails));
    }
    assert_eq!(asked(&pair), [], "enough of them");

    let shows_the_place = [
        finished(&members, TestId(0), 0),
        copy(TestId(0), Mode::CopyAtCatch, Outcome::Pass),
        copy(TestId(0), Mode::CopyAtStart, failure(FailureKind::Assertion)),
    ];
    pair.experiments = shows_the_place.into();
    assert_eq!(asked(&pair), [], "one test is enough");
}
