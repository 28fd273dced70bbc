//! The agent in worker mode, in real JVMs, with a controller and a driver written for these tests.

mod harness;

use catchment_protocol::lab::{Event, Outcome, Request};
use harness::{Worker, classes, javas, seen};

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
        assert_eq!(worker.run("passes").outcome, Outcome::Passed);
        worker.ask(&Request::Stop);
        assert!(worker.event().is_none());
        assert!(worker.end().success());
    }
}

#[test]
fn injection_hits_the_clause_it_is_meant_for() {
    const STATE: &str = "java.lang.IllegalStateException";
    let classes = classes();
    let cases = [
        ("plain", "plain", STATE, "caught injected by catchment"),
        ("nested", "nested", STATE, "outer"),
        ("nested", "nested", "java.lang.RuntimeException", "inner"),
        ("multi", "multi", "java.lang.IllegalArgumentException", "IllegalArgumentException"),
        ("multi", "multi", "java.lang.ArithmeticException", "ArithmeticException"),
        ("inLambda", "lambda$inLambda", STATE, "caught"),
        ("otherThread", "plain", STATE, "caught injected by catchment"),
    ];
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        for (test, method, caught, expected) in cases {
            assert_eq!(seen(&worker.run(test)), "through");
            let injection = worker.injection(method, caught);
            let run = worker.inject(test, injection);
            assert_eq!(seen(&run), expected, "{java}: {test}: {run:?}");
            let injected = run.injected.unwrap();
            assert_eq!((injected.reached, injected.fired, injected.caught_here), (1, 1, 1), "{test}");
            assert!(injected.made.is_ok(), "{test}: {injected:?}");
            assert_eq!(seen(&worker.run(test)), "through", "{java}: {test} afterwards");
        }
    }
}
