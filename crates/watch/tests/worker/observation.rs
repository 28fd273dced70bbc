//! Observations of a worker about each test.

use crate::harness::{Worker, classes, javas, seen};
use catchment_protocol::conversation::{Event, Outcome, Request};

#[test]
fn tests_are_discovered_run_and_counted_one_by_one() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        worker.ask(&Request::Discover { classes: vec!["tests.Cases".into()] });
        let Some(Event::Discovered { tests, problems }) = worker.event() else { panic!("not discovered") };
        assert!(tests.iter().any(|test| test.id == "tests.Cases#plain" && test.name == "plain"), "{tests:?}");
        assert_eq!(problems, ["nothing odd"]);
        let first = worker.run("plain");
        assert_eq!((first.outcome, seen(&first)), (Outcome::Failed, "through"));
        let thrice = worker.run("plainThrice");
        assert_eq!(thrice.counted, first.counted.iter().map(|(id, n)| (*id, 3 * n)).collect::<Vec<_>>());
        assert_eq!(thrice.counted.len(), 2, "entry and exit: {thrice:?}");
        // Counted in a slot that the thread gives back before the test ends.
        for _ in 0..3 {
            assert_eq!(worker.run("otherThread").counted, first.counted);
        }
        assert_eq!(worker.run("passes").outcome, Outcome::Passed);
        worker.ask(&Request::Stop);
        assert!(worker.event().is_none());
        assert!(worker.end().success());
    }
}

#[test]
fn a_suite_tells_of_each_test_as_it_runs() {
    let classes = classes();
    let mut worker = Worker::ready(17, &classes);
    let tests = ["tests.Cases#plain", "tests.Cases#multi"];
    worker.ask(&Request::RunSuite { classes: tests.map(str::to_owned).to_vec(), experiment: None });
    let event = worker.event();
    assert!(matches!(&event, Some(Event::Unit(unit)) if unit.id == "late"), "{event:?}");
    let mut finished = Vec::new();
    let problems = loop {
        match worker.event() {
            Some(Event::TestFinished(run)) => finished.push((run.test, run.outcome, run.counted.len())),
            Some(Event::SuiteFinished { problems, .. }) => break problems,
            other => panic!("{other:?}"),
        }
    };
    let expected =
        [("late", Outcome::Skipped, 0), (tests[0], Outcome::Failed, 2), (tests[1], Outcome::Failed, 2)];
    assert_eq!(finished, expected.map(|(test, outcome, counted)| (test.to_owned(), outcome, counted)));
    assert_eq!(problems, ["nothing odd in the suite"]);
}

#[test]
fn exceptions_that_leave_the_application_into_a_test_make_it_blue() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        for blue in ["blue", "blueByReference", "blueByReflection"] {
            let run = worker.run(blue);
            assert!(run.escaped == 1 && run.outcome == Outcome::Passed, "{java}: {run:?}");
            let run = worker.run("white");
            assert!(run.escaped == 0 && seen(&run) == "caught", "{java}: {run:?}");
        }
        assert_eq!(worker.run("plain").escaped, 0);
        let tests = ["tests.Cases#blue", "tests.Cases#blueFiveTimes", "tests.Cases#blueOnceThoughRethrown"];
        worker.ask(&Request::RunSuite { classes: tests.map(str::to_owned).to_vec(), experiment: None });
        let mut escaped = Vec::new();
        while let Some(event) = worker.event() {
            match event {
                Event::TestFinished(run) => escaped.push(run.escaped),
                Event::SuiteFinished { .. } => break,
                _ => {}
            }
        }
        // The first is the test that only the suite shows.
        assert_eq!(escaped, [0, 1, 5, 1], "{java}");
    }
}

#[test]
fn threads_left_behind_are_named() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        assert!(worker.run("leavesNoThread").threads_left.is_empty());
        assert_eq!(worker.run("leavesThread").threads_left, ["left behind"]);
        assert!(worker.run("plain").threads_left.is_empty(), "it was there before");
        assert_eq!(worker.run("leavesTimer").threads_left, ["timer"], "{java}");
        assert_eq!(worker.run("leavesIdlePools").threads_left, Vec::<String>::new(), "{java}");
    }
}

#[test]
fn connections_beyond_this_machine_are_named() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        let run = worker.run("connects");
        assert_eq!(run.outcome, Outcome::Passed, "{java}: {run:?}");
        assert_eq!(run.external, ["240.0.0.1:9"], "{java}");
        for test in ["sends", "sendsThroughChannel"] {
            let run = worker.run(test);
            assert_eq!(run.external, ["240.0.0.1:9"], "{java}: {test}: {run:?}");
        }
        assert!(worker.run("plain").external.is_empty());
    }
}

#[test]
fn a_driver_that_cannot_work_says_so() {
    let classes = classes();
    let mut worker = Worker::start(17, &classes, &[], &["no engine"]);
    let event = worker.event();
    assert!(matches!(&event, Some(Event::Unusable { what }) if what == "no engine"), "{event:?}");
}
