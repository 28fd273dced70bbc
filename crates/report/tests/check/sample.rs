//! A project made by hand, with every kind of test, pair and experiment.

use catchment_pairs::{ClassLocation, ClauseDescription};
use catchment_verdicts::{
    CaughtElsewhere, CheckedConfiguration, CheckedPair, CheckedProject, CheckedTest, ColourCounts,
    ExecutingTest, ExperimentResult, Failure, FailureKind, FineGrained, FineSite, Mode, NoOutcome, NotRun,
    Outcome, Problem, Reliance, Selective, SetAside, SourceSite, Stats, Suppression, TestColour, TestId,
    Timed, Unfinished,
};

const CORRUPT: TestId = TestId(0);
const WARM: TestId = TestId(1);
const REJECTS: TestId = TestId(2);
const FLAKY: TestId = TestId(4);

pub(crate) fn suppressions() -> Vec<Suppression> {
    let suppression = |pair: &str, reason: &str| Suppression { pair: pair.into(), reason: reason.into() };
    vec![
        suppression("com.acme.Known.run()V#0.0:java.io.IOException@00000007", "the server is told to stop"),
        suppression("com.acme.Gone.run()V#0.0:java.io.IOException@00000009", "of old"),
    ]
}

pub(crate) fn project() -> CheckedProject {
    CheckedProject {
        configurations: vec![CheckedConfiguration {
            name: "core: surefire (default-test)".into(),
            framework: "JUnit 5.10.2".into(),
            java_version: "17.0.9".into(),
            notes: vec!["parallel execution is switched off for observation".into()],
        }],
        tests: tests(),
        pairs: pairs(),
        stats: stats(),
        problems: vec![Problem { place: "com.acme.Huge".into(), what: "method too large for probes".into() }],
        unfinished: Some(Unfinished { why: NotRun::Budget, seconds: Some(190.0) }),
    }
}

fn tests() -> Vec<CheckedTest> {
    let coloured = |name: &str, colour| CheckedTest {
        name: format!("com.acme.{name}"),
        location: ClassLocation {
            source: Some("core/src/test/java/com/acme/CacheTest.java".into()),
            module: Some("core".into()),
            jar: None,
        },
        colour: Some(colour),
        suite_millis: 12,
        solo_millis: Some(15),
        ..CheckedTest::default()
    };
    let set_aside = |name: &str, set_aside| CheckedTest {
        name: format!("com.acme.{name}"),
        set_aside: Some(set_aside),
        ..CheckedTest::default()
    };
    vec![
        CheckedTest { exceptions_caught: 3, ..coloured("CacheTest.corrupt", TestColour::White) },
        CheckedTest { shared_context: true, ..coloured("CacheTest.warm", TestColour::Pink) },
        CheckedTest {
            exceptions_to_test: Some(2),
            exceptions_caught: 1,
            ..coloured("CacheTest.rejects", TestColour::Blue)
        },
        set_aside("CacheTest.broken", SetAside::Red("java.lang.AssertionError: expected 1 but was 2".into())),
        set_aside("CacheTest.sometimes", SetAside::Flaky("passed in 1 of 2 suite runs".into())),
        set_aside(
            "WebTest.fetches",
            SetAside::External(vec!["example.org:443".into(), "10.0.0.1:53".into()]),
        ),
        set_aside("WebTest.off", SetAside::Skipped(String::new())),
    ]
}

fn pairs() -> Vec<CheckedPair> {
    vec![
        dependent(),
        resilient(),
        exiting(),
        hanging(),
        unreachable(),
        unstable(),
        known(),
        multi_catch(),
        selective(Outcome::Pass),
        selective(Outcome::Fail(Failure {
            kind: FailureKind::Assertion,
            text: "java.lang.AssertionError".into(),
        })),
        unavailable(),
        fine(14, None),
        fine(15, Some("org.opentest4j.AssertionFailedError: expected: <0> but was: <1>")),
        never_executed(),
        left_out(),
    ]
}

fn pair(number: u32, class: &str, method: &str, exception: &str) -> CheckedPair {
    CheckedPair {
        clause: ClauseDescription {
            id: format!("com.acme.{class}.{method}()V#0.0:{exception}@{number:08x}"),
            class: format!("com.acme.{class}"),
            method: method.into(),
            descriptor: "()V".into(),
            types: vec![exception.into()],
            source_file: Some(format!("{class}.java")),
            try_line: Some(10 * number),
            try_end_line: Some(10 * number + 2),
            catch_line: Some(10 * number + 3),
            catch_end_line: Some(10 * number + 4),
            ..ClauseDescription::default()
        },
        location: ClassLocation {
            source: Some(format!("core/src/main/java/com/acme/{class}.java")),
            module: Some("core".into()),
            jar: None,
        },
        ..CheckedPair::default()
    }
}

/// The pair with its clause changed.
fn with_clause(mut pair: CheckedPair, change: impl FnOnce(&mut ClauseDescription)) -> CheckedPair {
    change(&mut pair.clause);
    pair
}

fn usages(pink: u64, white: u64) -> ColourCounts {
    ColourCounts { pink, white, ..ColourCounts::default() }
}

fn executed(test: TestId, usages: ColourCounts) -> ExecutingTest {
    ExecutingTest { test, usages, ..ExecutingTest::default() }
}

fn passed(test: TestId, exception: &str) -> ExperimentResult {
    let fired = ExperimentResult::new(test, exception, Outcome::Pass);
    ExperimentResult {
        reached: 2,
        fired: 2,
        caught_here: 2,
        made: Some("constructor (String)".into()),
        ..fired
    }
}

fn failed(test: TestId, exception: &str, kind: FailureKind, text: &str) -> ExperimentResult {
    let outcome = Outcome::Fail(Failure { kind, text: text.into() });
    ExperimentResult { outcome, confirmed_fresh: true, ..passed(test, exception) }
}

/// The test fails when each execution is given, at its start, a copy of what it caught, and not with the copy at its catch.
fn shows_the_place(mut pair: CheckedPair, test: TestId, text: &str) -> CheckedPair {
    let fails = failed(test, IO, FailureKind::Assertion, text);
    pair.experiments.extend([
        ExperimentResult { mode: Mode::CopyAtCatch, ..passed(test, IO) },
        ExperimentResult { mode: Mode::CopyAtStart, ..fails },
    ]);
    pair
}

const IO: &str = "java.io.IOException";

fn dependent() -> CheckedPair {
    let text =
        "org.opentest4j.AssertionFailedError: expected: <3> but was: <0> at com.acme.CacheTest.corrupt:41";
    let pair = CheckedPair {
        usages: ColourCounts { pink: 4, white: 2, blue: 1, open: 0 },
        executing_tests: vec![
            executed(CORRUPT, usages(0, 2)),
            executed(REJECTS, usages(0, 1)),
            executed(WARM, usages(4, 0)),
        ],
        relies_on: vec![
            Reliance {
                what: "variable total".into(),
                read_line: Some(14),
                set_lines: vec![11, 12],
                may_be_older: true,
                ..Reliance::default()
            },
            Reliance { what: "field size".into(), is_read_after: true, ..Reliance::default() },
        ],
        experiments: vec![
            failed(CORRUPT, IO, FailureKind::Assertion, text),
            failed(REJECTS, IO, FailureKind::Assertion, "java.lang.NullPointerException"),
            ExperimentResult::new(WARM, IO, Outcome::None(NoOutcome::NotRun(NotRun::NotNeeded))),
        ],
        ..pair(1, "Cache", "load", IO)
    };
    shows_the_place(pair, CORRUPT, text)
}

fn resilient() -> CheckedPair {
    CheckedPair {
        usages: usages(3, 1),
        executing_tests: vec![executed(CORRUPT, usages(3, 1))],
        experiments: vec![passed(CORRUPT, IO)],
        ..with_clause(pair(2, "Cache", "store", IO), |clause| clause.parent = Some(dependent().clause.id))
    }
}

fn exiting() -> CheckedPair {
    CheckedPair {
        usages: usages(1, 0),
        executing_tests: vec![ExecutingTest { once_per_jvm: true, ..executed(WARM, usages(1, 0)) }],
        experiments: vec![failed(
            WARM,
            IO,
            FailureKind::Exit,
            "the JVM ended by System.exit during the test",
        )],
        ..pair(3, "Main", "run", IO)
    }
}

fn hanging() -> CheckedPair {
    CheckedPair {
        usages: usages(1, 1),
        executing_tests: vec![executed(REJECTS, usages(1, 1))],
        experiments: vec![failed(REJECTS, IO, FailureKind::Timeout, "the try was entered 100000 times")],
        ..with_clause(pair(4, "Retry", "loop", IO), |clause| clause.maybe_generated = true)
    }
}

fn unreachable() -> CheckedPair {
    CheckedPair {
        usages: usages(1, 0),
        executing_tests: vec![executed(WARM, usages(1, 0))],
        not_injectable: Some("an earlier clause of the try catches java.io.IOException".into()),
        ..pair(5, "Cache", "open", "java.io.FileNotFoundException")
    }
}

fn unstable() -> CheckedPair {
    CheckedPair {
        usages: usages(1, 0),
        executing_tests: vec![executed(WARM, usages(1, 0))],
        experiments: vec![ExperimentResult { unstable: true, ..passed(WARM, IO) }],
        ..pair(6, "Racy", "run", IO)
    }
}

fn known() -> CheckedPair {
    let pair = CheckedPair {
        usages: usages(0, 1),
        executing_tests: vec![executed(CORRUPT, usages(0, 1))],
        experiments: vec![failed(CORRUPT, IO, FailureKind::Assertion, "java.lang.AssertionError")],
        ..pair(7, "Known", "run", IO)
    };
    shows_the_place(pair, CORRUPT, "java.lang.AssertionError")
}

/// One type passes; the other's experiments say nothing, each for another reason.
fn multi_catch() -> CheckedPair {
    let sealed = "com.acme.Sealed";
    let elsewhere = CaughtElsewhere { place: "com.acme.Cache.load  Cache.java:13".into(), count: 2 };
    CheckedPair {
        usages: usages(2, 0),
        executing_tests: vec![
            executed(WARM, usages(1, 0)),
            executed(REJECTS, usages(1, 0)),
            executed(FLAKY, usages(1, 0)),
        ],
        experiments: vec![
            passed(WARM, IO),
            ExperimentResult::new(
                WARM,
                sealed,
                Outcome::None(NoOutcome::NotConstructible("it is abstract".into())),
            ),
            ExperimentResult::new(REJECTS, IO, Outcome::None(NoOutcome::NotRun(NotRun::Budget))),
            ExperimentResult {
                outcome: Outcome::None(NoOutcome::CaughtElsewhere(elsewhere.place.clone())),
                caught_elsewhere: vec![elsewhere],
                ..passed(REJECTS, sealed)
            },
            ExperimentResult::new(FLAKY, IO, Outcome::None(NoOutcome::SetAside)),
        ],
        ..with_clause(pair(8, "Parser", "parse", IO), |clause| clause.types.push(sealed.into()))
    }
}

/// One test executes the try twice, the second time with its catch, and fails unless only that one is hit.
fn mixed(number: u32) -> CheckedPair {
    CheckedPair {
        usages: usages(1, 1),
        executing_tests: vec![executed(CORRUPT, usages(1, 1))],
        experiments: vec![failed(CORRUPT, IO, FailureKind::Assertion, "java.lang.AssertionError")],
        selective: Some(Selective::default()),
        ..pair(number, "Mixed", "run", IO)
    }
}

fn selective(outcome: Outcome) -> CheckedPair {
    let number = if outcome == Outcome::Pass { 11 } else { 12 };
    let mut pair = mixed(number);
    let mode = Mode::Selective(2);
    pair.experiments.push(ExperimentResult { outcome, mode, confirmed_fresh: true, ..passed(CORRUPT, IO) });
    pair
}

fn unavailable() -> CheckedPair {
    let unavailable = vec![(CORRUPT, "several threads execute the try".into())];
    CheckedPair { selective: Some(Selective { unavailable }), ..mixed(13) }
}

/// Holds when the exception comes at once; at the second of two calls, fails like this.
fn fine(number: u32, failure: Option<&str>) -> CheckedPair {
    let site = |callee: Option<&str>, is_in_body| FineSite {
        site: SourceSite {
            class: "com.acme.Steps".into(),
            method: "lambda$run$0".into(),
            descriptor: "()V".into(),
            pc: Some(7),
            line: Some(10 * number + 1),
            file: Some("Steps.java".into()),
        },
        callee: callee.map(str::to_owned),
        is_in_body,
    };
    let sites = vec![site(Some("java.io.Reader.read"), true), site(None, false)];
    let second = match failure {
        Some(text) => failed(CORRUPT, IO, FailureKind::Assertion, text),
        None => passed(CORRUPT, IO),
    };
    CheckedPair {
        usages: usages(0, 1),
        executing_tests: vec![executed(CORRUPT, usages(0, 1))],
        experiments: vec![
            passed(CORRUPT, IO),
            ExperimentResult { mode: Mode::Fine(0), ..passed(CORRUPT, IO) },
            ExperimentResult { mode: Mode::Fine(1), ..second },
        ],
        fine_grained: Some(FineGrained { sites, ..FineGrained::default() }),
        ..pair(number, "Steps", "run", IO)
    }
}

/// Asked call by call in vain: what this test does cannot be told apart.
pub(crate) fn fine_untold(number: u32, test: TestId) -> CheckedPair {
    let unavailable = vec![(test, "several threads execute the try".into())];
    let fine_grained = Some(FineGrained { unavailable, ..FineGrained::default() });
    CheckedPair { fine_grained, ..fine(number, None) }
}

fn never_executed() -> CheckedPair {
    with_clause(pair(9, "Cold", "run", IO), |clause| {
        clause.source_file = None;
        (clause.try_line, clause.try_end_line) = (None, None);
        (clause.catch_line, clause.catch_end_line) = (None, None);
    })
}

fn left_out() -> CheckedPair {
    CheckedPair { left_out: true, ..pair(10, "Generated", "run", IO) }
}

/// A clause that is not purely resilient, as is normal: a test notices the failure.
pub(crate) fn routine(number: u32) -> CheckedPair {
    CheckedPair {
        usages: usages(1, 0),
        executing_tests: vec![executed(WARM, usages(1, 0))],
        experiments: vec![failed(WARM, IO, FailureKind::Assertion, "java.lang.AssertionError: expected <1>")],
        ..pair(11 + number, "Routine", "run", IO)
    }
}

/// A clause of which nobody knows whether it is resilient, since the JVMs of these tests were lost.
pub(crate) fn lost_in(tests: &[TestId]) -> CheckedPair {
    let lost = |test: &TestId| {
        ExperimentResult::new(*test, IO, Outcome::None(NoOutcome::WorkerLost("killed".into())))
    };
    CheckedPair {
        executing_tests: tests.iter().map(|test| executed(*test, usages(1, 0))).collect(),
        experiments: tests.iter().map(lost).collect(),
        ..pair(11, "Lost", "run", IO)
    }
}

/// A clause in a lambda, and a test that fails in one.
pub(crate) fn in_lambda() -> CheckedPair {
    let text = "java.lang.AssertionError at com.acme.CacheTest.lambda$corrupt$2:41";
    CheckedPair {
        usages: usages(0, 1),
        executing_tests: vec![executed(CORRUPT, usages(0, 1))],
        experiments: vec![failed(CORRUPT, IO, FailureKind::Assertion, text)],
        ..with_clause(pair(12, "Cache", "lambda$load$0", IO), |clause| {
            (clause.try_line, clause.catch_line) = (Some(10), Some(13));
        })
    }
}

fn stats() -> Stats {
    let timed = |count, seconds| Timed { count, seconds };
    Stats {
        suite_tests: 8,
        planned: 14,
        experiments: 12,
        resumed: 2,
        not_needed: 1,
        build: timed(1, 20.5),
        suite: timed(2, 4.25),
        solo: timed(8, 1.5),
        warm: timed(6, 1.25),
        warm_plain_seconds: 1.0,
        both_ways: timed(3, 0.125),
        both_ways_fresh_seconds: 2.5,
        both_ways_different: 1,
        fresh: timed(4, 3.5),
        single: timed(2, 0.5),
        fine: Timed { count: 30, seconds: 0.6 },
        copies: timed(5, 2.5),
        timeouts: timed(1, 5.0),
        no_outcome: timed(1, 0.25),
        sentinels: timed(2, 0.125),
        workers: timed(7, 6.0),
        replaced: 1,
        wall_seconds: 45.5,
    }
}
