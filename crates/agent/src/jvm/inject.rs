//! What happens at a try that is to throw, at a clause that catches, and where an exception leaves a method.

use super::java::{Java, Throwable};
use super::lab::Call;
use catchment_protocol::lab::Ending;
use std::cell::Cell;

/// The frames between the native method and the try: `inject`, `enter`, `tryEnter`.
const FRAMES_OF_INJECTION: i32 = 3;
/// Those between the native method and whoever called the method that is being left: `escaped`, `methodEscape`, the
/// method.
const FRAMES_OF_ESCAPE: i32 = 3;
/// Reflection and streams may lie between the application and a test, but no more than this.
const CALLERS_READ: i32 = 64;
const OURS: &str = "catchment.runtime.";
const OF_THE_JDK: [&str; 4] = ["java.", "jdk.", "sun.", "com.sun."];

thread_local! {
    /// Building an exception runs code of the application, in which nothing is to be thrown.
    static IS_BUILDING: Cell<bool> = const { Cell::new(false) };
}

/// The exception that the try reached just now throws, if it does.
pub(super) fn next_exception<'j>(call: &Call<'j>) -> Option<Throwable<'j>> {
    if IS_BUILDING.replace(true) {
        return None;
    }
    let _building = Building;
    build(call)
}

/// Ends the building however it ends.
struct Building;

impl Drop for Building {
    fn drop(&mut self) {
        IS_BUILDING.set(false);
    }
}

fn build<'j>(call: &Call<'j>) -> Option<Throwable<'j>> {
    let java = &call.java;
    let experiment = call.worker.injections.running()?;
    experiment.reached();
    let on_stack = java.stack_classes(FRAMES_OF_INJECTION, 1);
    let catching = on_stack.first().copied().filter(|class| !java.class_name(*class).starts_with(OURS))?;
    let recipe = experiment.recipes.of_loader(java, java.loader_of(catching), &experiment.injection);
    experiment.made(recipe.made.clone());
    let made = recipe.make(java)?;
    java.mark(made, 2 * experiment.number);
    if let Err(fired) = experiment.fired() {
        call.worker.end(Ending::EndlessLoop { fired });
    }
    Some(made)
}

/// Marks are even until their exception has been caught.
pub(super) fn caught<'j>(call: &Call<'j>, thrown: Throwable<'j>, counter: u32) {
    let Some(experiment) = call.worker.injections.running() else { return };
    if call.java.mark_of(thrown) == 2 * experiment.number {
        call.java.mark(thrown, 2 * experiment.number + 1);
        call.worker.injections.caught(&experiment, counter);
    }
}

/// Whether an exception was thrown by this experiment.
pub(super) fn is_injected<'j>(java: &Java<'j>, throwable: Throwable<'j>, experiment: i64) -> bool {
    java.mark_of(throwable) >> 1 == experiment
}

/// Looks who called the method that is being left: if it is test code, the test is blue.
pub(super) fn escaped(call: &Call<'_>) {
    for class in call.java.stack_classes(FRAMES_OF_ESCAPE, CALLERS_READ) {
        let name = call.java.class_name(class);
        // A method reference is a hidden class of whoever wrote it.
        let written_in = name.split("$$Lambda").next().unwrap_or(&name);
        if call.observer.is_test(written_in) {
            return call.worker.test_is_blue(&call.observer.switches);
        }
        if !OF_THE_JDK.iter().any(|prefix| name.starts_with(prefix)) {
            return;
        }
    }
}
