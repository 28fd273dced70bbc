//! The test to start from when one has to be written for a pair.

use crate::experiment::{NoOutcome, Outcome};
use crate::project::{CheckedPair, CheckedProject, CheckedTest, TestId};
use crate::unknown::Unknown;
use crate::{Verdicts, judge};
use std::cmp::Reverse;

/// An existing test, and what it has to do with the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearestTest {
    pub test: TestId,
    pub nearness: Nearness,
}

/// The relation of a test to a pair, nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// The test enters the catch, and does other things in the try.
    EntersCatch,
    ExecutesTry,
    /// The test executes another try of the method.
    ExecutesMethod,
    /// The test executes another try of the class.
    ExecutesClass,
    /// The test is named after the class.
    NamedAfterClass,
    /// The test executes a try of another class of the package.
    ExecutesPackage,
    /// The package of the test has the most in common with that of the class.
    NearestPackage,
}

impl Nearness {
    /// The relation as the verb of a sentence; also the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::EntersCatch => "enters this catch",
            Self::ExecutesTry => "executes this try",
            Self::ExecutesMethod => "executes another try of this method",
            Self::ExecutesClass => "executes another try of this class",
            Self::NamedAfterClass => "is named after this class",
            Self::ExecutesPackage => "executes a try of this package",
            Self::NearestPackage => "is the nearest by package",
        }
    }
}

/// For a pair of which only another test could tell more; `None` also if nothing is near.
pub fn nearest_test(project: &CheckedProject, pair: &CheckedPair) -> Option<NearestTest> {
    wants_a_test(pair, &judge(pair, &project.tests)).then_some(())?;
    let executing = executing(project, pair);
    match executing {
        Some(NearestTest { nearness: Nearness::ExecutesPackage, .. }) | None => {
            named_after(project, pair).or(executing).or_else(|| by_package(project, pair))
        }
        near => near,
    }
}

fn wants_a_test(pair: &CheckedPair, verdicts: &Verdicts) -> bool {
    let reasons = verdicts.source_independence.unknown.iter().chain(&verdicts.pure_resilience.unknown);
    let is_decided = verdicts.selective.as_ref().is_some_and(|selective| selective.unknown.is_empty());
    let wants = |reason: &Unknown| match reason {
        Unknown::Mixed(_) => !is_decided,
        Unknown::NeverExecuted
        | Unknown::ExecutedByNoTestAlone
        | Unknown::NeverCaught
        | Unknown::OncePerJvm(_)
        | Unknown::Unseen(_)
        | Unknown::NeverNominal
        | Unknown::Unstable(_) => true,
        Unknown::NoOutcome(number) => {
            pair.experiments.get(*number).is_some_and(|experiment| is_for_another_test(&experiment.outcome))
        }
        _ => false,
    };
    reasons.into_iter().any(wants)
}

/// Tells whether no further run of this experiment would tell more.
fn is_for_another_test(outcome: &Outcome) -> bool {
    use NoOutcome::{Artefact, Diverged, NotConstructible, NotFired, NotReached, Skipped};
    let Outcome::None(why) = outcome else { return false };
    matches!(why, Artefact(_) | Diverged | NotConstructible(_) | NotFired | NotReached | Skipped(_))
}

/// The one that does least besides. Of several the first by name: durations differ from run to run.
fn executing(project: &CheckedProject, pair: &CheckedPair) -> Option<NearestTest> {
    let near = project.pairs.iter().filter_map(|other| Some((nearness(pair, other)?, other)));
    let executions = near.flat_map(|(nearness, other)| {
        other.executing_tests.iter().map(move |executing| {
            let enters = nearness == Nearness::ExecutesTry && executing.usages.white > 0;
            (if enters { Nearness::EntersCatch } else { nearness }, executing)
        })
    });
    let counting = executions.filter(|(_, executing)| is_evidence(project, executing.test));
    let best = counting.min_by_key(|(nearness, executing)| {
        let name = project.test(executing.test).map(|test| test.name.as_str());
        (*nearness, executing.usages.entries(), name, executing.test)
    });
    best.map(|(nearness, executing)| NearestTest { test: executing.test, nearness })
}

fn nearness(pair: &CheckedPair, other: &CheckedPair) -> Option<Nearness> {
    match () {
        () if other.clause.id == pair.clause.id => Some(Nearness::ExecutesTry),
        () if other.clause.class != pair.clause.class => (package_of(&other.clause.class)
            == package_of(&pair.clause.class))
        .then_some(Nearness::ExecutesPackage),
        () if (&other.clause.method, &other.clause.descriptor)
            == (&pair.clause.method, &pair.clause.descriptor) =>
        {
            Some(Nearness::ExecutesMethod)
        }
        () => Some(Nearness::ExecutesClass),
    }
}

fn is_evidence(project: &CheckedProject, test: TestId) -> bool {
    project.test(test).is_some_and(CheckedTest::is_evidence)
}

/// `CacheTest`, `TestCache`, `CacheTests`, `CacheIT` for `Cache` and what is nested in it.
fn named_after(project: &CheckedProject, pair: &CheckedPair) -> Option<NearestTest> {
    let top = pair.clause.class.split('$').next().unwrap_or(&pair.clause.class);
    let (package, name) = top.rsplit_once('.').map_or(("", top), |(package, name)| (package, name));
    let names = [format!("{name}Test"), format!("Test{name}"), format!("{name}Tests"), format!("{name}IT")];
    let is_named = |test: &CheckedTest| {
        let class = test.name.strip_prefix(package).unwrap_or(&test.name).trim_start_matches('.');
        names.iter().any(|each| class.strip_prefix(each.as_str()).is_some_and(|rest| rest.starts_with('.')))
    };
    let tests = (0..).map(TestId).zip(&project.tests);
    let named = tests.filter(|(_, test)| test.is_evidence() && is_named(test));
    let (test, _) = named.min_by_key(|(id, test)| (test.name.as_str(), *id))?;
    Some(NearestTest { test, nearness: Nearness::NamedAfterClass })
}

/// The first of those whose package has the most names in common with that of the pair; at least one, or both have
/// none.
fn by_package(project: &CheckedProject, pair: &CheckedPair) -> Option<NearestTest> {
    let package = package_of(&pair.clause.class);
    let in_common = |test: &CheckedTest| {
        // `com.acme.CacheTest.reads`: the package, the class, the method.
        let others = package_of(package_of(&test.name));
        if others == package {
            return usize::MAX;
        }
        package.split('.').zip(others.split('.')).take_while(|(one, other)| one == other).count()
    };
    let tests = (0..).map(TestId).zip(&project.tests).filter(|(_, test)| test.is_evidence());
    let near = tests.map(|(id, test)| (in_common(test), test.name.as_str(), id));
    let near = near.filter(|(common, ..)| *common > 0);
    let (.., test) = near.min_by_key(|(common, name, id)| (Reverse(*common), *name, *id))?;
    Some(NearestTest { test, nearness: Nearness::NearestPackage })
}

fn package_of(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(package, _)| package)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::ExperimentResult;
    use crate::project::{ColourCounts, ExecutingTest, SetAside};
    use catchment_pairs::ClauseDescription;

    fn pair(class: &str, method: &str, tests: &[(u32, u64, u64)]) -> CheckedPair {
        let executing = |&(test, pink, white): &(u32, u64, u64)| ExecutingTest {
            test: TestId(test),
            usages: ColourCounts { pink, white, ..ColourCounts::default() },
            ..ExecutingTest::default()
        };
        CheckedPair {
            clause: ClauseDescription {
                id: format!("{class}.{method}"),
                class: class.into(),
                method: method.into(),
                ..ClauseDescription::default()
            },
            usages: ColourCounts { pink: tests.len() as u64, ..ColourCounts::default() },
            executing_tests: tests.iter().map(executing).collect(),
            ..CheckedPair::default()
        }
    }

    fn project(pairs: Vec<CheckedPair>) -> CheckedProject {
        let test = |name: &str| CheckedTest { name: name.into(), ..CheckedTest::default() };
        let mut tests: Vec<_> =
            ["a.CacheTest.reads", "a.CacheTest.writes", "a.StoreTest.opens"].map(test).into();
        tests[2].set_aside = Some(SetAside::Red(String::new()));
        CheckedProject { tests, pairs, ..CheckedProject::default() }
    }

    fn nearest(pairs: Vec<CheckedPair>) -> Option<(u32, Nearness)> {
        let project = project(pairs);
        nearest_test(&project, &project.pairs[0]).map(|nearest| (nearest.test.0, nearest.nearness))
    }

    #[test]
    fn a_test_that_executes_the_try_and_little_else_is_nearest() {
        let found = nearest(vec![pair("a.Cache", "load", &[(2, 1, 0), (0, 5, 0), (1, 2, 0)])]);
        assert_eq!(found, Some((1, Nearness::ExecutesTry)), "and not one that is red");
    }

    #[test]
    fn neither_durations_nor_the_order_of_tests_decide() {
        let of = |millis: [u64; 2], names: [&str; 2]| {
            let mut project = project(vec![pair("a.Cache", "load", &[(0, 1, 0), (1, 1, 0)])]);
            for ((test, millis), name) in project.tests.iter_mut().zip(millis).zip(names) {
                (test.solo_millis, test.name) = (Some(millis), name.to_owned());
            }
            let nearest = nearest_test(&project, &project.pairs[0]).unwrap();
            project.test(nearest.test).unwrap().name.clone()
        };
        for millis in [[1, 900], [900, 1]] {
            for names in [["a.BTest.x", "a.ATest.y"], ["a.ATest.y", "a.BTest.x"]] {
                assert_eq!(of(millis, names), "a.ATest.y", "{millis:?} {names:?}");
            }
        }
    }

    #[test]
    fn then_one_of_the_method_of_the_class_and_of_that_name() {
        let never = || pair("a.Cache", "load", &[]);
        let same_class = pair("a.Cache", "store", &[(1, 1, 0)]);
        assert_eq!(nearest(vec![never(), same_class]), Some((1, Nearness::ExecutesClass)));
        let elsewhere = pair("a.Other", "load", &[(1, 1, 0)]);
        assert_eq!(nearest(vec![never(), elsewhere]), Some((0, Nearness::NamedAfterClass)));
        let neighbour = pair("a.Other", "load", &[(1, 1, 0)]);
        assert_eq!(
            nearest(vec![pair("a.Lonely", "load", &[]), neighbour]),
            Some((1, Nearness::ExecutesPackage))
        );
        assert_eq!(nearest(vec![pair("a.Lonely", "load", &[])]), Some((0, Nearness::NearestPackage)));
        assert_eq!(nearest(vec![pair("a.b.c.Deep", "load", &[])]), Some((0, Nearness::NearestPackage)));
        assert_eq!(nearest(vec![pair("z.Lonely", "load", &[])]), None);
    }

    #[test]
    fn an_exception_that_cannot_be_made_wants_a_test_that_causes_one() {
        let with = |why: NoOutcome| {
            let mut pair = pair("a.Cache", "load", &[(0, 0, 1)]);
            pair.clause.types = vec!["a.E".into()];
            pair.experiments.push(ExperimentResult::new(TestId(0), "a.E", Outcome::None(why)));
            nearest(vec![pair])
        };
        let near = Some((0, Nearness::EntersCatch));
        assert_eq!(with(NoOutcome::NotConstructible("sealed".into())), near);
        assert_eq!(with(NoOutcome::Artefact("null".into())), near);
        assert_eq!(with(NoOutcome::WorkerLost("killed".into())), near, "no test shows it at its normal work");
    }
}
