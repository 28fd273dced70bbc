//! Executions of a try that are each given a copy of what they were seen to catch, and what such copies hold.

use crate::harness::{Worker, classes, fault_of, javas, seen};
use catchment_protocol::equipment::Equipment;
use catchment_protocol::experiment::{Experiment, Observed, Sample, Sites, Watch};

const EXCEPTION: &str = "java.lang.Exception";

/// What each execution of the clause's try catches in this test.
fn samples(worker: &mut Worker, test: &str, method: &str) -> Vec<(u64, Sample)> {
    let pair = worker.pair(method, EXCEPTION);
    let watch = Watch { copies: true, ..Watch::default() };
    let look = Experiment::watching(pair.clone(), Sites::Tries(pair), watch, 1000);
    worker.inject(test, look).observed.map(|observed| observed.samples).unwrap_or_default()
}

fn counts(observed: &Observed) -> (u64, u64, u64) {
    (observed.reached, observed.fired, observed.caught_here)
}

#[test]
fn each_execution_is_given_a_copy_of_its_own_at_its_start_and_at_its_catch() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready_equipped(java, &classes, Equipment::EXCHANGE);
        let first = "1 IOException first because why besides besides";
        let rest = "1 InvocationTargetException second because target, 1 Failure third because inner";
        let plain = format!("{first}, {rest}");
        assert_eq!(seen(&worker.run("copies")), plain, "{java}");
        let samples = samples(&mut worker, "copies", "caught");
        let numbers: Vec<u64> = samples.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [0, 1, 2], "{java}");
        let pair = worker.pair("caught", EXCEPTION);

        let at_catch = Experiment::copies_at_catch(pair.clone(), samples.clone(), 1000);
        let run = worker.inject("copies", at_catch);
        assert_eq!(seen(&run), plain, "{java}: {run:?}");
        assert_eq!(counts(&run.observed.unwrap()), (3, 3, 3), "{java}");

        let at_start = Experiment::copies_at_start(pair, samples, 1000);
        let run = worker.inject("copies", at_start.clone());
        let thrown = plain.replace("1 ", "0 ");
        assert_eq!(seen(&run), thrown, "{java}: {run:?}");
        assert_eq!(counts(&run.observed.unwrap()), (3, 3, 3), "{java}");
        let run = worker.inject("copiesMore", at_start);
        assert_eq!(seen(&run), format!("{thrown}, 0 Failure third because inner"), "the last goes on");
    }
}

#[test]
fn an_execution_without_a_sample_is_given_nothing_and_that_is_told() {
    let mut worker = Worker::ready_equipped(17, &classes(), Equipment::EXCHANGE);
    worker.run("copies");
    let samples = samples(&mut worker, "copies", "caught");
    let known = vec![samples[0].clone(), samples[2].clone()];
    let pair = worker.pair("caught", EXCEPTION);
    for experiment in [
        Experiment::copies_at_start(pair.clone(), known.clone(), 1000),
        Experiment::copies_at_catch(pair, known, 1000),
    ] {
        let run = worker.inject("copies", experiment);
        assert!(seen(&run).contains("1 InvocationTargetException second"), "{run:?}");
        let observed = run.observed.unwrap();
        assert_eq!(counts(&observed), (3, 2, 2));
        assert_eq!(observed.made.unwrap_err(), "nothing is known of what execution 2 catches");
    }
}

#[test]
fn what_holds_other_objects_gives_no_copy() {
    let mut worker = Worker::ready_equipped(17, &classes(), Equipment::EXCHANGE);
    worker.run("holding");
    assert_eq!(samples(&mut worker, "holding", "holding"), []);
}

#[test]
fn a_cause_that_is_kept_elsewhere_survives_in_a_wider_type() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        let run = worker.run("wrapping");
        let [(_, sample)] = run.samples.as_slice() else { panic!("{run:?}") };
        let mut injection = worker.injection("wrapping", EXCEPTION);
        fault_of(&mut injection).sample = Some(sample.clone());
        let injected = worker.inject("wrapping", injection.clone());
        assert_eq!(seen(&injected), "wrapped because java.io.IOException: target", "{java}: {injected:?}");

        // Of a type of the application nobody asks; its fields tell.
        let field = ("app.Copies$Failure".to_owned(), "reason".to_owned());
        let reason = ("app.Copies$Failure".to_owned(), Some("inner".to_owned()));
        let value = catchment_protocol::experiment::FieldValue::Exception(reason.0, reason.1);
        let own = Sample {
            exception: "app.Copies$Failure".into(),
            message: Some("third".into()),
            fields: vec![(field.0, field.1, value)],
            ..Sample::default()
        };
        fault_of(&mut injection).sample = Some(own);
        let injected = worker.inject("wrapping", injection);
        assert_eq!(seen(&injected), "third because app.Copies$Failure: inner", "{java}: {injected:?}");
    }
}

#[test]
fn a_null_field_of_the_injected_object_is_an_artefact_wrapped_or_not() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        for test in ["misread", "misreadAndWrapped"] {
            worker.run(test);
            let injection = worker.injection("misread", "app.Copies$Misread");
            let failure = worker.inject(test, injection).failure.unwrap();
            assert!(failure.is_artefact, "{java}: {test}: {failure:?}");
        }
    }
}
