//! The test to start from when one has to be written for a pair.

use crate::project::{CheckedPair, CheckedProject, CheckedTest, TestId};
use crate::unknown::Unknown;
use crate::{Verdicts, judge};

/// An existing test, and what it has to do with the pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearestTest {
    pub test: TestId,
    pub nearness: Nearness,
}

/// What a test has to do with a pair, nearest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// It enters the catch, and does other things in the try.
    EntersCatch,
    ExecutesTry,
    /// It executes another try of the method.
    ExecutesMethod,
    /// It executes another try of the class.
    ExecutesClass,
    /// It is named after the class.
    NamedAfterClass,
}

impl Nearness {
    /// What the test does, as the verb of a sentence; also the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::EntersCatch => "enters this catch",
            Self::ExecutesTry => "executes this try",
            Self::ExecutesMethod => "executes another try of this method",
            Self::ExecutesClass => "executes another try of this class",
            Self::NamedAfterClass => "is named after this class",
        }
    }
}

/// For a pair of which only another test could tell more; `None` also if nothing is near.
pub fn nearest_test(project: &CheckedProject, pair: &CheckedPair) -> Option<NearestTest> {
    wants_a_test(&judge(pair, &project.tests)).then_some(())?;
    executing(project, pair).or_else(|| named_after(project, pair))
}

fn wants_a_test(verdicts: &Verdicts) -> bool {
    let reasons = verdicts.source_independence.unknown.iter().chain(&verdicts.pure_resilience.unknown);
    let is_decided = verdicts.selective.as_ref().is_some_and(|selective| selective.unknown.is_empty());
    let wants = |reason: &Unknown| match reason {
        Unknown::Mixed(_) => !is_decided,
        Unknown::NeverExecuted
        | Unknown::ExecutedByNoTestAlone
        | Unknown::NeverCaught
        | Unknown::NeverNominal => true,
        _ => false,
    };
    reasons.into_iter().any(wants)
}

/// The one that does least besides.
fn executing(project: &CheckedProject, pair: &CheckedPair) -> Option<NearestTest> {
    let near = project.pairs.iter().filter_map(|other| Some((nearness(pair, other)?, other)));
    let executions = near.flat_map(|(nearness, other)| {
        other.executions.iter().map(move |execution| {
            let enters = nearness == Nearness::ExecutesTry && execution.usages.white > 0;
            (if enters { Nearness::EntersCatch } else { nearness }, execution)
        })
    });
    let counting = executions.filter(|(_, execution)| is_evidence(project, execution.test));
    let best = counting.min_by_key(|(nearness, execution)| {
        let millis = project.test(execution.test).and_then(|test| test.solo_millis);
        (*nearness, execution.usages.entries(), millis, execution.test)
    });
    best.map(|(nearness, execution)| NearestTest { test: execution.test, nearness })
}

fn nearness(pair: &CheckedPair, other: &CheckedPair) -> Option<Nearness> {
    match () {
        () if other.id == pair.id => Some(Nearness::ExecutesTry),
        () if other.class != pair.class => None,
        () if (&other.method, &other.descriptor) == (&pair.method, &pair.descriptor) => {
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
    let top = pair.class.split('$').next().unwrap_or(&pair.class);
    let (package, name) = top.rsplit_once('.').map_or(("", top), |(package, name)| (package, name));
    let names = [format!("{name}Test"), format!("Test{name}"), format!("{name}Tests"), format!("{name}IT")];
    let is_named = |test: &CheckedTest| {
        let class = test.name.strip_prefix(package).unwrap_or(&test.name).trim_start_matches('.');
        names.iter().any(|each| class.strip_prefix(each.as_str()).is_some_and(|rest| rest.starts_with('.')))
    };
    let mut tests = (0..).map(TestId).zip(&project.tests);
    let (test, _) = tests.find(|(_, test)| test.is_evidence() && is_named(test))?;
    Some(NearestTest { test, nearness: Nearness::NamedAfterClass })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::{Execution, SetAside, Usages};

    fn pair(class: &str, method: &str, tests: &[(u32, u64, u64)]) -> CheckedPair {
        let execution = |&(test, pink, white): &(u32, u64, u64)| Execution {
            test: TestId(test),
            usages: Usages { pink, white, ..Usages::default() },
            ..Execution::default()
        };
        CheckedPair {
            id: format!("{class}.{method}"),
            class: class.into(),
            method: method.into(),
            usages: Usages { pink: tests.len() as u64, ..Usages::default() },
            executions: tests.iter().map(execution).collect(),
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
    fn then_one_of_the_method_of_the_class_and_of_that_name() {
        let never = || pair("a.Cache", "load", &[]);
        let same_class = pair("a.Cache", "store", &[(1, 1, 0)]);
        assert_eq!(nearest(vec![never(), same_class]), Some((1, Nearness::ExecutesClass)));
        let elsewhere = pair("a.Other", "load", &[(1, 1, 0)]);
        assert_eq!(nearest(vec![never(), elsewhere]), Some((0, Nearness::NamedAfterClass)));
        assert_eq!(nearest(vec![pair("a.Lonely", "load", &[])]), None);
    }
}
