//! The papers' tables.

use crate::universe::{MIXED, Member, PINK, Truth, WHITE, full_matrix, member};
use catchment_verdicts::{
    CheckedPair, CheckedProject, CheckedTest, PairTable, PairTables, SetAside, TestColour, TestTable,
    judge_all,
};

fn coloured(colour: TestColour, to_test: Option<u64>, caught: u64) -> CheckedTest {
    CheckedTest {
        colour: Some(colour),
        exceptions_to_test: to_test,
        exceptions_caught: caught,
        ..CheckedTest::default()
    }
}

#[test]
fn tests_are_counted_once_and_exceptions_only_where_the_colour_says() {
    let set_aside =
        |set_aside| CheckedTest { set_aside: Some(set_aside), ..coloured(TestColour::White, None, 100) };
    let tests = [
        coloured(TestColour::Pink, None, 0),
        coloured(TestColour::White, None, 3),
        coloured(TestColour::Blue, Some(2), 50),
        coloured(TestColour::Blue, Some(1), 0),
        set_aside(SetAside::Red("boom".into())),
        set_aside(SetAside::Flaky("boom".into())),
        set_aside(SetAside::OrderDependent("boom".into())),
        CheckedTest::default(),
    ];
    let table = TestTable::of(&tests);
    let expected = TestTable {
        total: 8,
        red: 1,
        flaky: 1,
        skipped: 0,
        pink: 1,
        white: 2,
        blue: 2,
        unseen: 1,
        expected_exceptions: Some(3),
        internal_exceptions: 103,
    };
    assert_eq!(table, expected);
}

#[test]
fn exceptions_that_nobody_counted_have_no_sum() {
    let tests = [coloured(TestColour::Blue, None, 0), coloured(TestColour::Blue, Some(1), 0)];
    assert_eq!(TestTable::of(&tests).expected_exceptions, None);
}

fn project(pairs: &[&[Member]]) -> CheckedProject {
    let mut project = CheckedProject::default();
    for members in pairs {
        // Each pair with a share of the tests of its own.
        let (tests, mut pair) = full_matrix(members);
        let offset = project.tests.len() as u32;
        pair.executing_tests.iter_mut().for_each(|it| it.test.0 += offset);
        pair.experiments.iter_mut().for_each(|it| it.test.0 += offset);
        project.tests.extend(tests);
        project.pairs.push(pair);
    }
    project
}

#[test]
fn pairs_are_counted_over_all_the_executed_and_the_entered() {
    let mut project = project(&[
        &[member(WHITE, &[Truth::Fail])],
        &[member(MIXED, &[Truth::Pass])],
        &[member(PINK, &[Truth::Unstable])],
    ]);
    project.pairs.push(CheckedPair::default());
    project.pairs.push(CheckedPair { left_out: true, ..CheckedPair::default() });
    let tables = PairTables::of(&project, &judge_all(&project));
    let entered = PairTable {
        pairs: 2,
        purely_resilient: 1,
        not_resilient: 1,
        source_independent: 1,
        source_dependent: 1,
        ..PairTable::default()
    };
    assert_eq!(tables.entered, entered);
    let executed = PairTable { pairs: 3, unknown_resilience: 1, unknown_source: 1, unstable: 1, ..entered };
    assert_eq!(tables.executed, executed);
    assert_eq!(tables.all, PairTable { pairs: 4, unknown_resilience: 2, unknown_source: 2, ..executed });
}
