//! Clauses that are given another object than the one they have caught.

use crate::harness::{Worker, classes, javas, seen};
use catchment_protocol::equipment::Equipment;
use catchment_protocol::experiment::{Experiment, Fault, Observed, Sample, Visits};

const STATE: &str = "java.lang.IllegalStateException";

fn sampled(exception: &str) -> Fault {
    let sample = Sample { exception: exception.into(), message: Some("sampled".into()), ..Sample::default() };
    Fault { exception: exception.into(), sample: Some(sample), ..Fault::default() }
}

fn exchange(worker: &Worker, method: &str, caught: &str, exception: &str) -> Experiment {
    Experiment::at_every_catch(worker.pair(method, caught), sampled(exception), 1000)
}

fn counts(observed: &Observed) -> (u64, u64, u64) {
    (observed.reached, observed.fired, observed.caught_here)
}

#[test]
fn the_clause_goes_on_with_another_object_that_looks_as_asked() {
    let classes = classes();
    let (argument, arithmetic) = ("java.lang.IllegalArgumentException", "java.lang.ArithmeticException");
    let cases = [
        ("caughtOne", "one", STATE, STATE, "other IllegalStateException sampled"),
        ("caughtInThread", "one", STATE, STATE, "other IllegalStateException sampled"),
        // A subclass of what the clause names, as its try throws one.
        (
            "caughtNarrower",
            "narrower",
            "java.lang.RuntimeException",
            STATE,
            "other IllegalStateException sampled",
        ),
        (
            "caughtSeveral",
            "several",
            argument,
            arithmetic,
            "other ArithmeticException sampled, other ArithmeticException sampled",
        ),
        (
            "caughtOfThisPackage",
            "ofThisPackage",
            "app.Caught$Left",
            "app.Caught$Right",
            "other Right sampled",
        ),
        // Only the inner clause is given one; it throws that one on.
        ("caughtWithin", "within", STATE, STATE, "other IllegalStateException sampled"),
        ("traceOfCaught", "trace", STATE, STATE, "trace"),
    ];
    for java in javas() {
        let mut worker = Worker::ready_equipped(java, &classes, Equipment::EXCHANGE);
        for (test, method, caught, exception, expected) in cases {
            let plain = seen(&worker.run(test)).to_owned();
            let experiment = exchange(&worker, method, caught, exception);
            let run = worker.inject(test, experiment);
            assert_eq!(seen(&run), expected, "{java}: {test}: {run:?}");
            let observed = run.observed.unwrap();
            let times = expected.matches(", ").count() as u64 + 1;
            assert_eq!(counts(&observed), (times, times, times), "{java}: {test}");
            assert!(observed.made.is_ok() && observed.caught_elsewhere.is_empty(), "{test}: {observed:?}");
            assert_eq!(seen(&worker.run(test)), plain, "{java}: {test} afterwards");
        }
    }
}

#[test]
fn one_catch_of_several_is_chosen() {
    let mut worker = Worker::ready_equipped(17, &classes(), Equipment::EXCHANGE);
    worker.run("caughtThrice");
    let mut experiment = exchange(&worker, "one", STATE, STATE);
    experiment.when.visits = Visits::Only(1);
    let run = worker.inject("caughtThrice", experiment);
    let own = "own IllegalStateException by itself";
    assert_eq!(seen(&run), format!("{own}, other IllegalStateException sampled, {own}"));
    assert_eq!(counts(&run.observed.unwrap()), (1, 1, 1));
}

#[test]
fn a_clause_is_given_nothing_that_it_could_not_have_caught() {
    let mut worker = Worker::ready_equipped(17, &classes(), Equipment::EXCHANGE);
    worker.run("caughtOne");
    let experiment = exchange(&worker, "one", STATE, "java.io.IOException");
    let run = worker.inject("caughtOne", experiment);
    assert_eq!(seen(&run), "own IllegalStateException by itself");
    assert_eq!(counts(&run.observed.unwrap()), (1, 0, 0));
}

#[test]
fn a_failure_behind_an_exchanged_object_is_known_to_be_ours() {
    let mut worker = Worker::ready_equipped(17, &classes(), Equipment::EXCHANGE);
    worker.run("caughtAndPassedOn");
    let experiment = exchange(&worker, "passedOn", STATE, STATE);
    let failure = worker.inject("caughtAndPassedOn", experiment).failure.unwrap();
    assert!(failure.is_injected, "{failure:?}");
    let failure = worker.run("caughtAndPassedOn").failure.unwrap();
    assert!(!failure.is_injected, "{failure:?}");
}

#[test]
fn without_the_equipment_nothing_is_exchanged_and_that_is_told() {
    let mut worker = Worker::ready(17, &classes());
    worker.run("caughtOne");
    let experiment = exchange(&worker, "one", STATE, STATE);
    let run = worker.inject("caughtOne", experiment);
    assert_eq!(seen(&run), "own IllegalStateException by itself");
    let observed = run.observed.unwrap();
    assert_eq!(counts(&observed), (0, 0, 0));
    assert!(observed.made.is_err());
}
