//! Exceptions thrown at the beginning of tries, and what becomes of them.

use crate::harness::{Worker, classes, fault_of, javas, seen};
use catchment_protocol::conversation::Request;
use catchment_testkit::maven;

const STATE: &str = "java.lang.IllegalStateException";

#[test]
fn injection_hits_the_clause_it_is_meant_for() {
    let classes = classes();
    let cases = [
        ("plain", "plain", STATE, "caught injected by catchment"),
        ("nested", "nested", STATE, "outer"),
        ("nested", "nested", "java.lang.RuntimeException", "inner"),
        ("multi", "multi", "java.lang.IllegalArgumentException", "IllegalArgumentException"),
        ("multi", "multi", "java.lang.ArithmeticException", "ArithmeticException"),
        ("inLambda", "lambda$inLambda", STATE, "caught"),
        ("otherThread", "plain", STATE, "caught injected by catchment"),
        ("plugin", "run", "plugin.Plugin$Failure", "caught"),
        ("siblings", "siblings", "java.io.IOException", "second"),
    ];
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        for (test, method, caught, expected) in cases {
            assert_eq!(seen(&worker.run(test)), "through");
            let injection = worker.injection(method, caught);
            let run = worker.inject(test, injection);
            assert_eq!(seen(&run), expected, "{java}: {test}: {run:?}");
            let injected = run.observed.unwrap();
            assert_eq!((injected.reached, injected.fired, injected.caught_here), (1, 1, 1), "{test}");
            assert!(injected.made.is_ok() && injected.caught_elsewhere.is_empty(), "{test}: {injected:?}");
            assert_eq!(seen(&worker.run(test)), "through", "{java}: {test} afterwards");
        }
    }
}

#[test]
fn virtual_threads_are_counted_and_hit_like_others() {
    let classes = classes();
    for java in javas().filter(|java| *java >= 21) {
        let mut worker = Worker::ready(java, &classes);
        let plain = worker.run("plain");
        let run = worker.run("virtualThread");
        assert_eq!((seen(&run), &run.counted, &run.threads_left), ("through", &plain.counted, &Vec::new()));
        let injection = worker.injection("plain", STATE);
        let run = worker.inject("virtualThread", injection);
        assert_eq!(seen(&run), "caught injected by catchment", "{java}: {run:?}");
        assert_eq!(run.observed.map(|injected| injected.caught_here), Some(1));
    }
}

#[test]
fn types_of_the_application_are_thrown_in_virtual_threads() {
    let classes = classes();
    for java in javas().filter(|java| *java >= 21) {
        let mut worker = Worker::ready(java, &classes);
        assert_eq!(seen(&worker.run("ownTypeInVirtualThread")), "through");
        let injection = worker.injection("abstractType", "app.Types$Vague");
        let run = worker.inject("ownTypeInVirtualThread", injection);
        assert!(seen(&run).starts_with("caught injected by catchment"), "{java}: {run:?}");
        assert_eq!(run.observed.map(|injected| injected.caught_here), Some(1));
    }
}

#[test]
fn other_agents_in_the_same_jvm_do_their_work() {
    let classes = classes();
    let jars = maven::resolve(&["org.jacoco:org.jacoco.agent:0.8.14:jar:runtime"]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let measured = folder.path().join("jacoco.exec");
    let jacoco = format!("-javaagent:{}=destfile={}", jars[0].display(), measured.display());
    let mut worker = Worker::ready_with(17, &classes, &[&jacoco]);
    worker.run("plain");
    let injection = worker.injection("plain", STATE);
    let run = worker.inject("plain", injection);
    assert_eq!(seen(&run), "caught injected by catchment");
    worker.ask(&Request::Stop);
    assert!(worker.event().is_none() && worker.end().success());
    let data = std::fs::read(measured).unwrap();
    assert!(data.windows(10).any(|name| name == b"app/Shapes"), "JaCoCo must have measured the class");
}

#[test]
fn every_execution_throws() {
    let classes = classes();
    let mut worker = Worker::ready(17, &classes);
    worker.run("plainThrice");
    let injection = worker.injection("plain", STATE);
    let injected = worker.inject("plainThrice", injection).observed.unwrap();
    assert_eq!((injected.reached, injected.fired, injected.caught_here), (3, 3, 3));
}

#[test]
fn what_an_earlier_clause_catches_is_caught_elsewhere() {
    let classes = classes();
    let mut worker = Worker::ready(17, &classes);
    worker.run("siblings");
    let mut injection = worker.injection("siblings", "java.io.IOException");
    fault_of(&mut injection).exception = STATE.to_owned();
    let run = worker.inject("siblings", injection);
    assert_eq!(seen(&run), "first");
    let injected = run.observed.unwrap();
    let first = worker.caught_counters("siblings", STATE)[0];
    assert_eq!((injected.fired, injected.caught_here), (1, 0));
    assert_eq!(injected.caught_elsewhere, [(first, 1)]);
}

#[test]
fn a_try_that_is_not_reached_is_told_from_one_that_does_not_throw() {
    let classes = classes();
    let mut worker = Worker::ready(17, &classes);
    worker.run("plain");
    let injection = worker.injection("plain", STATE);
    let injected = worker.inject("multi", injection).observed.unwrap();
    assert_eq!((injected.reached, injected.fired), (0, 0));
    assert!(injected.made.is_err());
}

#[test]
fn classes_loaded_after_arming_are_armed() {
    let classes = classes();
    for java in javas() {
        let mut first = Worker::ready(java, &classes);
        assert_eq!(seen(&first.run("inInitialiser")), "1");
        let injection = first.injection("see", STATE);
        // Too late here: the initialiser has run.
        let run = first.inject("inInitialiser", injection.clone());
        assert_eq!(run.observed.map(|injected| injected.reached), Some(0));
        let run = Worker::ready(java, &classes).inject("inInitialiser", injection);
        assert_eq!(seen(&run), "caught");
        assert_eq!(run.observed.map(|injected| injected.caught_here), Some(1));
    }
}

#[test]
fn the_trace_begins_with_the_try() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        worker.run("trace");
        let injection = worker.injection("trace", STATE);
        let run = worker.inject("trace", injection);
        assert!(seen(&run).starts_with("app.Shapes.trace(Shapes.java:"), "{java}: {run:?}");
    }
}

#[test]
fn a_failure_says_whether_the_injected_exception_is_behind_it() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        worker.run("rethrow");
        let injection = worker.injection("rethrow", STATE);
        let failure = worker.inject("rethrow", injection).failure.unwrap();
        assert_eq!(failure.exception, "java.lang.RuntimeException");
        assert_eq!(failure.message.as_deref(), Some("wrapped"));
        assert_eq!(failure.causes[0].0, STATE);
        assert!(failure.is_injected && !failure.is_artefact, "{failure:?}");
        assert!(failure.frames[0].starts_with("app.Shapes.rethrow:"), "{failure:?}");

        let injection = worker.injection("plain", STATE);
        let failure = worker.inject("plain", injection).failure.unwrap();
        assert!(!failure.is_injected, "{failure:?}");
    }
}

#[test]
fn null_taken_from_the_injected_exception_is_an_artefact() {
    let classes = classes();
    // Java 11 does not explain its null pointers: where it came from is all there is.
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        worker.run("cause");
        let injection = worker.injection("cause", "app.Quiet");
        let failure = worker.inject("cause", injection).failure.unwrap();
        assert!(failure.is_artefact && !failure.is_injected, "{java}: {failure:?}");
    }
}

#[test]
fn null_taken_from_the_cause_of_the_injected_exception_is_an_artefact() {
    let classes = classes();
    for java in javas().filter(|java| *java >= 17) {
        let mut worker = Worker::ready(java, &classes);
        let run = worker.run("worn");
        assert_eq!(seen(&run), "[]");
        let [(_, sample)] = run.samples.as_slice() else { panic!("{run:?}") };
        let mut injection = worker.injection("worn", STATE);
        fault_of(&mut injection).sample = Some(sample.clone());
        let failure = worker.inject("wornNot", injection).failure.unwrap();
        assert_eq!(failure.exception, "java.lang.NullPointerException");
        assert!(failure.is_artefact, "{java}: {failure:?}");
    }
}
