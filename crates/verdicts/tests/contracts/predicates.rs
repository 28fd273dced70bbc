//! Single cases, and why a verdict is unknown.

use crate::universe::{
    BLUE, MIXED, Member, PINK, Truth, WHITE, WHITE_AND_OPEN, failure, full_matrix, member, universe,
};
use catchment_verdicts::{
    CheckedPair, ColourCounts, FailureKind, NoOutcome, NotRun, Outcome, PureResilience, SourceIndependence,
    Unknown, Verdicts, judge, what_is_needed,
};

fn judged(members: &[Member]) -> Verdicts {
    let (tests, pair) = full_matrix(members);
    judge(&pair, &tests)
}

fn unknown_of(members: &[Member]) -> (Vec<Unknown>, Vec<Unknown>) {
    let verdicts = judged(members);
    (verdicts.source_independence.unknown, verdicts.pure_resilience.unknown)
}

#[test]
fn what_no_test_could_notice_is_resilient_all_the_same_and_said() {
    let is_unnoticed = |members: &[Member]| {
        let (tests, pair) = full_matrix(members);
        judge(&pair, &tests).is_unnoticed(&pair)
    };
    assert!(is_unnoticed(&[member(PINK, &[Truth::Pass]), member(PINK, &[Truth::Pass])]));
    assert!(!is_unnoticed(&[member(PINK, &[Truth::Pass]), member(WHITE, &[Truth::Pass])]));
    assert!(!is_unnoticed(&[member(PINK, &[Truth::Pass]), member(PINK, &[Truth::Fail])]));
}

#[test]
fn a_failing_test_with_white_usages_only_proves_dependence_and_is_the_evidence() {
    let verdicts = judged(&[member(PINK, &[Truth::Pass]), member(WHITE, &[Truth::Fail])]);
    assert_eq!(verdicts.source_independence.verdict, SourceIndependence::Dependent);
    assert_eq!(verdicts.source_independence.evidence, [1]);
    assert_eq!(verdicts.pure_resilience.verdict, PureResilience::NotResilient);
    assert_eq!(verdicts.pure_resilience.evidence, [1]);
}

#[test]
fn a_failing_test_with_other_usages_too_leaves_source_independence_unknown() {
    for usages in [MIXED, WHITE_AND_OPEN] {
        let verdicts = judged(&[member(usages, &[Truth::Fail])]);
        assert_eq!(verdicts.source_independence.unknown, [Unknown::Mixed(0)]);
        assert_eq!(verdicts.pure_resilience.verdict, PureResilience::NotResilient);
    }
}

#[test]
fn without_a_white_usage_nothing_is_said_of_the_source() {
    let verdicts = judged(&[member(PINK, &[Truth::Pass])]);
    assert_eq!(verdicts.source_independence.unknown, [Unknown::NeverCaught]);
    assert_eq!(verdicts.pure_resilience.verdict, PureResilience::Resilient);
    assert_eq!(verdicts.pure_resilience.evidence, [0]);
}

#[test]
fn without_a_pink_usage_nothing_is_resilient() {
    let verdicts = judged(&[member(WHITE, &[Truth::Pass]), member(BLUE, &[Truth::Pass])]);
    assert_eq!(verdicts.source_independence.verdict, SourceIndependence::Independent);
    assert_eq!(verdicts.source_independence.evidence, [0], "the test without a white usage is no evidence");
    assert_eq!(verdicts.pure_resilience.unknown, [Unknown::NeverNominal]);
}

#[test]
fn a_try_that_runs_once_per_jvm_is_judged_well_only_if_all_tests_were_asked() {
    let (mut tests, mut pair) = full_matrix(&[member(MIXED, &[Truth::Pass])]);
    pair.executing_tests[0].once_per_jvm = true;
    let alone = judge(&pair, &tests);
    assert_eq!(alone.pure_resilience.verdict, PureResilience::Resilient);
    tests.push(tests[0].clone());
    let among_others = judge(&pair, &tests);
    let reason = [Unknown::OncePerJvm(pair.executing_tests[0].test)];
    assert_eq!(among_others.source_independence.unknown, reason);
    assert_eq!(among_others.pure_resilience.unknown, reason);
    pair.executing_tests[0].once_per_jvm = false;
    assert_eq!(judge(&pair, &tests), alone);
    let (mut tests, mut pair) = full_matrix(&[member(WHITE, &[Truth::Fail])]);
    pair.executing_tests[0].once_per_jvm = true;
    tests.push(tests[0].clone());
    assert_eq!(judge(&pair, &tests).source_independence.verdict, SourceIndependence::Dependent);
}

#[test]
fn a_try_that_outlives_its_test_is_not_called_never_caught() {
    let open = ColourCounts { open: 1, ..ColourCounts::default() };
    let (source, _) = unknown_of(&[member(PINK, &[Truth::Pass]), member(open, &[Truth::Pass])]);
    assert!(matches!(source.as_slice(), [Unknown::LeftOpen(_)]), "{source:?}");
}

#[test]
fn every_type_of_a_multi_catch_has_to_pass_and_one_is_enough_to_fail() {
    let passes_one = judged(&[member(MIXED, &[Truth::Pass, Truth::None])]);
    assert_eq!(passes_one.source_independence.unknown, [Unknown::NoOutcome(1)]);
    assert_eq!(passes_one.pure_resilience.unknown, [Unknown::NoOutcome(1)]);
    let fails_one = judged(&[member(WHITE, &[Truth::None, Truth::Fail])]);
    assert_eq!(fails_one.source_independence.verdict, SourceIndependence::Dependent);
}

#[test]
fn a_failure_counts_only_when_confirmed() {
    let (tests, mut pair) = full_matrix(&[member(WHITE, &[Truth::Fail])]);
    pair.experiments[0].confirmed_fresh = false;
    let verdicts = judge(&pair, &tests);
    assert_eq!(verdicts.source_independence.unknown, [Unknown::Unconfirmed(0)]);
    assert_eq!(verdicts.pure_resilience.unknown, [Unknown::Unconfirmed(0), Unknown::NeverNominal]);
}

#[test]
fn what_would_decide_and_is_unstable_is_named_first() {
    let members = [member(WHITE, &[Truth::Unstable]), member(MIXED, &[Truth::Pass])];
    let verdicts = judged(&members);
    assert!(verdicts.is_unstable());
    assert_eq!(verdicts.source_independence.unknown, [Unknown::Unstable(0)]);
    // A mixed test that fails for certain leaves the contract unknown whatever the unstable one does.
    let members = [member(MIXED, &[Truth::Unstable]), member(MIXED, &[Truth::Fail])];
    assert!(!judged(&members).is_unstable());
    // Twin: another test decides.
    let members = [member(WHITE, &[Truth::Unstable]), member(WHITE, &[Truth::Fail])];
    assert!(!judged(&members).is_unstable());
}

#[test]
fn tests_set_aside_are_no_evidence_and_in_the_way_of_praise() {
    let set_aside = Member { set_aside: true, ..member(WHITE, &[Truth::Fail]) };
    let (source, resilience) = unknown_of(&[set_aside.clone(), member(MIXED, &[Truth::Pass])]);
    let reason = [Unknown::SetAside(catchment_verdicts::TestId(0))];
    assert_eq!((source.as_slice(), resilience.as_slice()), (&reason[..], &reason[..]));
    let (source, _) = unknown_of(&[Member { usages: PINK, ..set_aside }]);
    assert_eq!(source, [Unknown::NeverCaught]);
}

#[test]
fn experiments_that_were_not_run_are_counted() {
    let (tests, mut pair) =
        full_matrix(&[member(MIXED, &[Truth::Pass, Truth::Pass]), member(PINK, &[Truth::Pass; 2])]);
    for number in [1, 2] {
        pair.experiments[number].outcome = Outcome::None(NoOutcome::NotRun(NotRun::Budget));
    }
    let verdicts = judge(&pair, &tests);
    assert_eq!(verdicts.source_independence.unknown, [Unknown::NotRun(1)]);
    assert_eq!(verdicts.pure_resilience.unknown, [Unknown::NotRun(2)]);
}

#[test]
fn what_mixed_tests_were_not_asked_no_longer_matters_when_one_of_them_fails() {
    let (tests, mut pair) = full_matrix(&[member(MIXED, &[Truth::Fail]), member(MIXED, &[Truth::Pass])]);
    pair.experiments.remove(1);
    assert_eq!(judge(&pair, &tests).source_independence.unknown, [Unknown::Mixed(0)]);
}

#[test]
fn verdicts_that_rest_on_time_alone_say_so() {
    let (tests, mut pair) = full_matrix(&[member(WHITE, &[Truth::Fail]), member(WHITE, &[Truth::Fail])]);
    pair.experiments[0].outcome = failure(FailureKind::Timeout);
    assert!(!judge(&pair, &tests).source_independence.only_timeouts);
    pair.experiments[1].outcome = failure(FailureKind::Timeout);
    let verdicts = judge(&pair, &tests);
    assert!(verdicts.source_independence.only_timeouts && verdicts.pure_resilience.only_timeouts);
    assert!(!judged(&[member(WHITE, &[Truth::Pass])]).source_independence.only_timeouts);
}

#[test]
fn a_pair_nobody_can_say_anything_about_has_one_reason() {
    let usages = ColourCounts { pink: 1, ..ColourCounts::default() };
    let mut never = CheckedPair::default();
    never.clause.types = vec!["E".into()];
    let cases = [
        (never.clone(), Unknown::NeverExecuted),
        (CheckedPair { usages, ..never.clone() }, Unknown::ExecutedByNoTestAlone),
        (
            CheckedPair { not_observed: Some("too long".into()), ..never.clone() },
            Unknown::NotObserved("too long".into()),
        ),
        (CheckedPair { left_out: true, ..never }, Unknown::LeftOut),
    ];
    for (pair, reason) in cases {
        let verdicts = judge(&pair, &[]);
        assert_eq!(verdicts.source_independence.unknown, std::slice::from_ref(&reason));
        assert_eq!(verdicts.pure_resilience.unknown, [reason]);
    }
}

#[test]
fn an_unreachable_clause_is_unknown_for_that_reason_and_needs_nothing() {
    let (tests, mut pair) = universe(&[member(PINK, &[Truth::Pass])]);
    assert_eq!(what_is_needed(&pair, &tests).len(), 1);
    pair.not_injectable = Some("an earlier clause catches it".into());
    assert!(what_is_needed(&pair, &tests).is_empty());
    let reason = Unknown::Unreachable("an earlier clause catches it".into());
    assert_eq!(judge(&pair, &tests).pure_resilience.unknown, [reason]);
}

#[test]
fn a_routine_failure_decides_resilience_without_a_fresh_jvm_and_never_dependence() {
    for usages in [PINK, MIXED, BLUE] {
        let members = [member(usages, &[Truth::Fail])];
        let (tests, mut pair) = universe(&members);
        pair.experiments = vec![crate::universe::first_run(&members, catchment_verdicts::TestId(0), 0)];
        let verdicts = judge(&pair, &tests);
        assert_eq!(verdicts.pure_resilience.verdict, PureResilience::NotResilient, "{usages:?}");
        assert_eq!(verdicts.source_independence.verdict, SourceIndependence::Unknown, "{usages:?}");
        assert!(what_is_needed(&pair, &tests).is_empty(), "{usages:?}");

        pair.experiments[0].outcome = failure(FailureKind::Timeout);
        assert_eq!(judge(&pair, &tests).pure_resilience.verdict, PureResilience::Unknown);
        assert_eq!(what_is_needed(&pair, &tests).len(), 1, "a time-out may be the JVM's fault");
    }
}

#[test]
fn the_cheapest_tests_are_asked_first_and_of_these_the_ones_that_ran_alone_before() {
    let members = [(); 4].map(|()| member(PINK, &[Truth::Pass]));
    let (mut tests, pair) = universe(&members);
    let times = [(1500, None), (3, None), (4, Some(4)), (150, Some(150))];
    for (test, (suite_millis, solo_millis)) in tests.iter_mut().zip(times) {
        (test.suite_millis, test.solo_millis) = (suite_millis, solo_millis);
    }
    let order = |pair: &CheckedPair| -> Vec<_> {
        what_is_needed(pair, &tests).iter().map(|needed| needed.test.0).collect()
    };
    assert_eq!(order(&pair), [2, 1, 3, 0]);

    // A JVM of its own costs more than any of these tests.
    let mut pair = pair;
    pair.executing_tests[2].once_per_jvm = true;
    assert_eq!(order(&pair), [1, 3, 0, 2]);
}

#[test]
fn confirmations_are_asked_for_first_then_the_tests_that_decide_most() {
    let members = [
        member(PINK, &[Truth::Pass]),
        member(MIXED, &[Truth::Pass]),
        member(WHITE, &[Truth::Pass]),
        member(WHITE, &[Truth::Fail]),
    ];
    let (tests, mut pair) = universe(&members);
    pair.experiments = vec![crate::universe::first_run(&members, catchment_verdicts::TestId(3), 0)];
    let order: Vec<_> = what_is_needed(&pair, &tests).iter().map(|needed| needed.test.0).collect();
    assert_eq!(order, [3, 2, 1, 0]);
}
