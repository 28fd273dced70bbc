//! Exceptions of every type are made, as much like real ones as can be.

use crate::harness::{Worker, classes, fault_of, javas, seen};
use catchment_protocol::experiment::FieldValue;

#[test]
fn types_that_cannot_just_be_constructed_are_thrown_all_the_same() {
    let classes = classes();
    let cases = [
        ("hidden", "app.Types$Hidden", "caught injected by catchment", "allocated, without its constructors"),
        (
            "abstractType",
            "app.Types$Vague",
            "caught injected by catchment, null, 0, java.lang.Exception: injected by catchment",
            "constructor (String, Throwable), of a generated subclass",
        ),
        ("renewed", "app.Types$Renewed", "caught null, dark null", "constructor (), of a generated subclass"),
        ("grumpy", "app.Types$Grumpy", "caught injected by catchment", "allocated, without its constructors"),
        ("forgetful", "app.Types$Forgetful", "caught", "allocated, without its constructors"),
        (
            "unchecked",
            "java.io.UncheckedIOException",
            "caught java.io.IOException",
            "constructor (String, IOException)",
        ),
        (
            "vm",
            "java.lang.VirtualMachineError",
            "caught injected by catchment",
            "constructor (String, Throwable), of a generated subclass",
        ),
        ("checked", "java.io.IOException", CHECKED, "constructor (String, Throwable)"),
    ];
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        for (test, exception, expected, made) in cases {
            worker.run(test);
            let injection = worker.injection(test, exception);
            // Twice: what was generated is used again.
            for _ in 0..2 {
                let run = worker.inject(test, injection.clone());
                assert_eq!(seen(&run), expected, "{java}: {run:?}");
                let injected = run.observed.unwrap();
                assert_eq!(injected.made.as_deref(), Ok(made), "{java}: {test}");
                assert_eq!((injected.fired, injected.caught_here), (1, 1), "{java}: {test}");
            }
        }
    }
}

const CHECKED: &str = "injected by catchment because of java.lang.Exception: injected by catchment";

#[test]
fn a_sealed_type_is_stood_for_by_the_first_concrete_class_it_permits() {
    let classes = classes();
    for java in javas().filter(|java| *java >= 17) {
        let mut worker = Worker::ready(java, &classes);
        assert_eq!(seen(&worker.run("sealed")), "through");
        let injection = worker.injection("run", "modern.Sealed$Trouble");
        let run = worker.inject("sealed", injection);
        assert_eq!(seen(&run), "caught Huge");
        let made = run.observed.unwrap().made.unwrap();
        assert_eq!(made, "constructor (), of the permitted subclass modern.Sealed$Huge");
    }
}

#[test]
fn a_permitted_class_that_an_earlier_clause_catches_does_not_stand_for_a_sealed_type() {
    let classes = classes();
    for java in javas().filter(|java| *java >= 17) {
        let mut worker = Worker::ready(java, &classes);
        assert_eq!(seen(&worker.run("sealedAfterOneOfIts")), "through");
        let injection = worker.injection("runAfterBig", "modern.Sealed$Trouble");
        // Where the class is known, and where it is loaded only when the try is armed.
        for worker in [&mut worker, &mut Worker::ready(java, &classes)] {
            let run = worker.inject("sealedAfterOneOfIts", injection.clone());
            assert_eq!(seen(&run), "caught Small", "{java}: {run:?}");
        }
        // In a try without that clause the first still does, in the same JVM.
        worker.run("sealed");
        let injection = worker.injection("run", "modern.Sealed$Trouble");
        assert_eq!(seen(&worker.inject("sealed", injection)), "caught Huge");
    }
}

#[test]
fn threads_that_are_first_at_a_try_together_are_all_hit() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        assert_eq!(seen(&worker.run("raced")), "0 caught");
        let injection = worker.injection("run", "plugin.Raced$Failure");
        let run = worker.inject("raced", injection);
        assert_eq!(seen(&run), "200 caught", "{java}: {run:?}");
    }
}

#[test]
fn what_cannot_be_made_is_said_and_nothing_is_thrown() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        worker.run("broken");
        let mut injection = worker.injection("broken", "app.Types$Broken");
        for (exception, expected) in [
            ("app.Types$Broken", "java.lang.ExceptionInInitializerError"),
            ("app.Types$Broken", "java.lang.NoClassDefFoundError"),
            ("app.Gone", "cannot load app.Gone: java.lang.ClassNotFoundException: app.Gone"),
            ("app.Shapes", "app.Shapes is no exception"),
        ] {
            fault_of(&mut injection).exception = exception.to_owned();
            let run = worker.inject("broken", injection.clone());
            assert_eq!(seen(&run), "through");
            let injected = run.observed.unwrap();
            assert_eq!((injected.reached, injected.fired), (1, 0));
            let why = injected.made.unwrap_err();
            assert!(why.contains(expected), "{java}: {why}");
        }
    }
}

#[test]
fn an_exception_seen_in_the_baseline_is_thrown_again_with_its_data() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        let run = worker.run("coded");
        let real = "disk 42 sda 0.5 java.io.IOException: worn out";
        assert_eq!(seen(&run), real);
        let [(counter, sample)] = run.samples.as_slice() else { panic!("{run:?}") };
        assert_eq!([*counter], *worker.caught_counters("coded", "app.Types$Coded"));
        assert_eq!(sample.message.as_deref(), Some("disk"));
        assert_eq!(sample.cause, Some(("java.io.IOException".into(), Some("worn out".into()))));
        let code = ("app.Types$Coded".to_owned(), "code".to_owned(), FieldValue::Bits(42));
        assert!(sample.fields.contains(&code) && sample.fields.len() == 3, "{sample:?}");
        assert_eq!(worker.run("coded").samples, run.samples, "every run of a test takes its own");

        let mut injection = worker.injection("coded", "app.Types$Coded");
        fault_of(&mut injection).sample = Some(sample.clone());
        // In a JVM that has never seen a real one.
        let mut fresh = Worker::ready(java, &classes);
        let run = fresh.inject("codedNot", injection);
        assert_eq!(seen(&run), real, "{java}: {run:?}");
        assert_eq!(run.observed.unwrap().made.as_deref(), Ok("as seen in the baseline"));
    }
}

#[test]
fn an_exception_that_keeps_its_cause_itself_is_thrown_again_with_that() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        let run = worker.run("wrapped");
        let real = "wrapped java.io.IOException: worn out worn out";
        assert_eq!(seen(&run), real);
        let [(_, sample)] = run.samples.as_slice() else { panic!("{run:?}") };
        let mut injection = worker.injection("wrapped", "java.lang.reflect.InvocationTargetException");
        fault_of(&mut injection).sample = Some(sample.clone());
        let run = worker.inject("wrappedNot", injection);
        assert_eq!(seen(&run), real, "{java}: {run:?}");
        assert_eq!(run.observed.unwrap().made.as_deref(), Ok("as seen in the baseline"));
    }
}

#[test]
fn exceptions_that_hold_objects_give_no_sample_nor_do_injected_ones() {
    let classes = classes();
    let mut worker = Worker::ready(17, &classes);
    let run = worker.run("listing");
    assert_eq!((seen(&run), run.samples.as_slice()), ("caught []", [].as_slice()));
    worker.run("plain");
    let injection = worker.injection("plain", "java.lang.IllegalStateException");
    assert!(worker.inject("plain", injection).samples.is_empty());
    assert!(worker.run("plain").samples.is_empty());
}
