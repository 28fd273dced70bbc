//! Small pairs with a few tests, and the definitions once more, written as plainly as possible.

use catchment_pairs::ClauseDescription;
use catchment_verdicts::{
    CheckedPair, CheckedTest, ColourCounts, ExecutingTest, ExperimentResult, Failure, FailureKind, NoOutcome,
    Outcome, PureResilience, SetAside, SourceIndependence, TestId,
};

pub(crate) const WHITE: ColourCounts = ColourCounts { pink: 0, white: 2, blue: 0, open: 0 };
pub(crate) const PINK: ColourCounts = ColourCounts { pink: 1, white: 0, blue: 0, open: 0 };
pub(crate) const BLUE: ColourCounts = ColourCounts { pink: 0, white: 0, blue: 1, open: 0 };
pub(crate) const MIXED: ColourCounts = ColourCounts { pink: 1, white: 1, blue: 0, open: 0 };
pub(crate) const WHITE_AND_OPEN: ColourCounts = ColourCounts { pink: 0, white: 1, blue: 0, open: 1 };
pub(crate) const ALL_USAGES: [ColourCounts; 5] = [WHITE, PINK, BLUE, MIXED, WHITE_AND_OPEN];

/// The result of an experiment that has been run, and confirmed if it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Truth {
    Pass,
    Fail,
    /// Fails in the worker and not in a fresh JVM.
    Unstable,
    None,
}

pub(crate) const ALL_TRUTHS: [Truth; 4] = [Truth::Pass, Truth::Fail, Truth::Unstable, Truth::None];

/// One test: its usages of the pair, whether it is set aside, and a truth for each caught type.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) usages: ColourCounts,
    pub(crate) set_aside: bool,
    pub(crate) truths: Vec<Truth>,
}

pub(crate) fn member(usages: ColourCounts, truths: &[Truth]) -> Member {
    Member { usages, set_aside: false, truths: truths.to_vec() }
}

pub(crate) fn exception(number: usize) -> String {
    format!("com.acme.Failure{number}")
}

pub(crate) fn failure(kind: FailureKind) -> Outcome {
    Outcome::Fail(Failure { kind, text: "something else came out".into() })
}

/// The tests, and the pair before any experiment.
pub(crate) fn universe(members: &[Member]) -> (Vec<CheckedTest>, CheckedPair) {
    let tests = members.iter().map(|member| CheckedTest {
        set_aside: member.set_aside.then(|| SetAside::Red(String::new())),
        ..CheckedTest::default()
    });
    let types = members.first().map_or(0, |member| member.truths.len());
    let executions = members.iter().enumerate().map(|(number, member)| ExecutingTest {
        test: TestId(number as u32),
        usages: member.usages,
        once_per_jvm: false,
        needs_fresh: false,
    });
    let pair = CheckedPair {
        clause: ClauseDescription {
            types: (0..types).map(exception).collect(),
            ..ClauseDescription::default()
        },
        executing_tests: executions.collect(),
        ..CheckedPair::default()
    };
    (tests.collect(), pair)
}

/// The experiment after its first run.
pub(crate) fn first_run(members: &[Member], test: TestId, number: usize) -> ExperimentResult {
    let outcome = match members[test.index()].truths[number] {
        Truth::Pass => Outcome::Pass,
        Truth::Fail | Truth::Unstable => failure(FailureKind::Assertion),
        Truth::None => Outcome::None(NoOutcome::NotFired),
    };
    ExperimentResult::new(test, exception(number), outcome)
}

/// The experiment after all it takes.
pub(crate) fn finished(members: &[Member], test: TestId, number: usize) -> ExperimentResult {
    let truth = members[test.index()].truths[number];
    ExperimentResult {
        confirmed_fresh: truth == Truth::Fail,
        unstable: truth == Truth::Unstable,
        ..first_run(members, test, number)
    }
}

/// The pair after all experiments.
pub(crate) fn full_matrix(members: &[Member]) -> (Vec<CheckedTest>, CheckedPair) {
    let (tests, mut pair) = universe(members);
    for test in 0..members.len() {
        for number in 0..pair.clause.types.len() {
            pair.experiments.push(finished(members, TestId(test as u32), number));
        }
    }
    (tests, pair)
}

/// `docs/semantics.md`, section 3, word by word.
pub(crate) fn expected(members: &[Member]) -> (SourceIndependence, PureResilience) {
    let passes = |a: &Member| !a.set_aside && a.truths.iter().all(|truth| *truth == Truth::Pass);
    let fails = |a: &Member| !a.set_aside && a.truths.contains(&Truth::Fail);
    let only_white = |a: &Member| a.usages.white > 0 && a.usages.pink + a.usages.blue + a.usages.open == 0;
    let white: Vec<_> = members.iter().filter(|a| a.usages.white > 0).collect();
    let independent = !white.is_empty() && white.iter().all(|a| passes(a));
    let dependent = members.iter().any(|a| only_white(a) && fails(a));
    let resilient = members.iter().all(passes) && members.iter().any(|a| a.usages.pink > 0);
    let not_resilient = members.iter().any(fails);
    assert!(
        !(independent && dependent || resilient && not_resilient),
        "the predicates contradict: {members:?}"
    );
    let source = match (independent, dependent) {
        (true, _) => SourceIndependence::Independent,
        (_, true) => SourceIndependence::Dependent,
        _ => SourceIndependence::Unknown,
    };
    let resilience = match (resilient, not_resilient) {
        (true, _) => PureResilience::Resilient,
        (_, true) => PureResilience::NotResilient,
        _ => PureResilience::Unknown,
    };
    (source, resilience)
}

/// Every universe of so many tests and caught types.
pub(crate) fn every_universe(tests: usize, types: usize, mut check: impl FnMut(&[Member])) {
    let members = every_member(types);
    let mut chosen = vec![0; tests];
    // Tests are interchangeable, so only ascending choices are new.
    loop {
        let universe: Vec<_> = chosen.iter().map(|&number| members[number].clone()).collect();
        check(&universe);
        let Some(last) = chosen.iter().rposition(|&number| number + 1 < members.len()) else { return };
        let next = chosen[last] + 1;
        chosen[last..].fill(next);
    }
}

fn every_member(types: usize) -> Vec<Member> {
    let mut truths = vec![Vec::new()];
    for _ in 0..types {
        truths = truths
            .iter()
            .flat_map(|begun: &Vec<Truth>| ALL_TRUTHS.map(|truth| [begun.as_slice(), &[truth]].concat()))
            .collect();
    }
    let mut members = Vec::new();
    for usages in ALL_USAGES {
        let set_aside = Member { usages, set_aside: true, truths: vec![Truth::Pass; types] };
        members.push(set_aside);
        members.extend(truths.iter().map(|truths| member(usages, truths)));
    }
    members
}
