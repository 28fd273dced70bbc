//! JVMs that end, or should.

use crate::harness::{Worker, classes, javas, seen};
use catchment_protocol::WORKER_ENDED_EXIT;
use catchment_protocol::conversation::{Ending, Event, Outcome};

const STATE: &str = "java.lang.IllegalStateException";

fn ending(cause: Ending, test: &str) -> Event {
    Event::Ending { cause, test: Some(format!("tests.Cases#{test}")) }
}

#[test]
fn a_test_that_ends_the_jvm_is_named() {
    let classes = classes();
    for java in javas() {
        for (test, code) in [("exits", 3), ("halts", 4)] {
            let mut worker = Worker::ready(java, &classes);
            assert_eq!(worker.interrupted(test, None), ending(Ending::Exit, test), "{java}");
            assert_eq!(worker.end().code(), Some(code));
        }
    }
}

#[test]
fn a_handler_that_ends_the_jvm_is_found_out() {
    let classes = classes();
    let mut worker = Worker::ready(17, &classes);
    assert_eq!(worker.run("exitsInHandler").outcome, Outcome::Passed);
    let injection = worker.injection("exit", STATE);
    assert_eq!(worker.interrupted("exitsInHandler", Some(injection)), ending(Ending::Exit, "exitsInHandler"));
    assert_eq!(worker.fired, 1, "told before the JVM ended");
}

#[test]
fn a_jvm_that_ends_before_anything_was_thrown_does_not_say_that_it_was() {
    let classes = classes();
    let mut worker = Worker::ready(17, &classes);
    assert_eq!(worker.run("exitsInHandler").outcome, Outcome::Passed);
    let injection = worker.injection("exit", STATE);
    assert_eq!(worker.interrupted("exits", Some(injection)), ending(Ending::Exit, "exits"));
    assert_eq!(worker.fired, 0);
}

#[test]
fn a_loop_that_never_ends_under_injection_is_cut_by_count() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        worker.run("loop");
        let injection = worker.injection("loop", STATE);
        let expected = ending(Ending::EndlessLoop { fired: 1001 }, "loop");
        assert_eq!(worker.interrupted("loop", Some(injection)), expected, "{java}");
        assert_eq!(worker.fired, 1, "only the first of them is told");
        assert_eq!(worker.end().code(), Some(WORKER_ENDED_EXIT));
    }
}

#[test]
fn exhausted_memory_ends_the_worker_but_asking_for_too_much_does_not() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready_with(java, &classes, &["-Xmx64m"]);
        assert_eq!(seen(&worker.run("asksForTooMuch")), "too much");
        let expected = ending(Ending::OutOfMemory, "fillsMemory");
        assert_eq!(worker.interrupted("fillsMemory", None), expected, "{java}");
        assert_eq!(worker.end().code(), Some(WORKER_ENDED_EXIT));
    }
}

#[test]
fn a_stack_overflow_in_the_application_is_survived() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        let run = worker.run("overflows");
        assert_eq!(seen(&run), "too deep", "{java}: {run:?}");
        assert_eq!(seen(&worker.run("plain")), "through");
    }
}

#[test]
fn a_worker_whose_controller_is_gone_ends() {
    let classes = classes();
    for java in javas() {
        let mut worker = Worker::ready(java, &classes);
        worker.hang_up();
        assert_eq!(worker.end().code(), Some(WORKER_ENDED_EXIT), "{java}");
    }
}
