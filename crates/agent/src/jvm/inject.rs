//! What happens at a try that is to throw, at a clause that catches, and where an exception leaves a method.

use super::java::{Java, Method, Throwable};
use super::lab::Call;
use super::read;
use crate::callers::Caller;
use crate::injection::{Experiment, Fired, Hit};
use crate::jvm::Recipe;
use catchment_protocol::lab::Ending;
use std::cell::Cell;
use std::sync::Arc;

/// The frames between the native method and the try: `inject`, `enter`, `tryEnter`.
const FRAMES_OF_INJECTION: i32 = 3;
/// No more frames are read to see whether executions of a try lie within each other.
const DEEPEST_STACK: i32 = 100_000;
/// Those between the native method and whoever called the method that is being left: `escaped`, `methodEscape`, the
/// method.
const FRAMES_OF_ESCAPE: i32 = 3;
/// Reflection and streams may lie between the application and a test. Mostly the first frame tells; no more are read
/// than these in a second and third look.
const CALLERS_READ: [i32; 3] = [1, 8, 64];
/// Who stands between a caller and what it calls: the JDK, and languages that call everything through their runtime.
const GO_BETWEENS: [&str; 6] = ["java.", "jdk.", "sun.", "com.sun.", "groovy.", "org.codehaus.groovy."];

thread_local! {
    /// Building an exception runs code of the application, in which nothing is to be thrown.
    static IS_BUILDING: Cell<bool> = const { Cell::new(false) };
}

/// The exception that the try or place reached just now throws, if it does.
pub(super) fn next_exception<'j>(call: &Call<'j>, counter: u32) -> Option<Throwable<'j>> {
    if IS_BUILDING.replace(true) {
        return None;
    }
    let _building = Building;
    let experiment = call.worker.injections.running()?;
    let recipe = match call.worker.injections.is_place(counter) {
        true => at_place(call, &experiment, counter)?,
        false => at_try(call, &experiment)?,
    };
    thrown(call, &experiment, &recipe)
}

/// Ends the building however it ends.
struct Building;

impl Drop for Building {
    fn drop(&mut self) {
        IS_BUILDING.set(false);
    }
}

/// An execution of the try begins: how what it throws is made, if it does.
fn at_try(call: &Call<'_>, experiment: &Experiment) -> Option<Arc<Recipe>> {
    let java = &call.java;
    let method = *java.stack(FRAMES_OF_INJECTION, 1).first()?;
    let on_stack = || {
        let stack = java.stack(FRAMES_OF_INJECTION, DEEPEST_STACK);
        stack.into_iter().filter(|each| each.number() == method.number()).count()
    };
    let hit = call.worker.injections.begun(experiment, &call.observer.counters, on_stack);
    match hit {
        Hit::Yes => {}
        // Later, and by the class that catches: the one that throws may not know the type.
        Hit::No if experiment.throws_within() => {}
        Hit::No => return None,
        Hit::TooMany(fired) => call.worker.end(Ending::EndlessLoop { fired }),
    }
    let catching = java.class_of_method(method)?;
    if !call.worker.explains_nulls {
        experiment.set_thrown_in(|| format!("{}.{}", java.class_name(catching), java.method_name(method)));
    }
    let loader = java.loader_of(catching);
    let injections = &call.worker.injections;
    let recipe = injections.recipes.find(java, loader, experiment, &injections.earlier(experiment));
    experiment.made_by(&recipe);
    (hit == Hit::Yes).then_some(recipe)
}

/// A call or throw within an execution of the try.
fn at_place(call: &Call<'_>, experiment: &Experiment, counter: u32) -> Option<Arc<Recipe>> {
    let observer = call.observer;
    let hit = call.worker.injections.visited(experiment, &observer.counters, &observer.switches, counter);
    experiment.recipe().filter(|_| hit == Hit::Yes)
}

fn thrown<'j>(call: &Call<'j>, experiment: &Experiment, recipe: &Recipe) -> Option<Throwable<'j>> {
    let made = recipe.make(&call.java)?;
    call.java.mark(made, 2 * experiment.number);
    match experiment.fire() {
        Fired::First => call.worker.fired(experiment.occurrences()),
        Fired::Again => {}
        Fired::TooOften(fired) => call.worker.end(Ending::EndlessLoop { fired }),
    }
    Some(made)
}

/// Marks are even until their exception has been caught.
pub(super) fn caught<'j>(call: &Call<'j>, thrown: Throwable<'j>, counter: u32) {
    let Some(experiment) = call.worker.injections.running() else { return };
    if experiment.follows_passing() {
        return passed(call, thrown, counter);
    }
    let execution = call.worker.injections.look(&experiment, &call.observer.counters);
    if let Some(execution) = execution
        && experiment.wants_samples()
        && call.worker.injections.clause_tells(counter, &call.java.name_of(thrown))
        && let Some(sample) = read::sample(&call.java, thrown, is_exact(call, counter, thrown))
    {
        experiment.add_sample(execution, sample);
    }
    if call.java.mark_of(thrown) == 2 * experiment.number {
        call.java.mark(thrown, 2 * experiment.number + 1);
        call.worker.injections.caught(&experiment, counter);
    }
}

/// Marks what has passed the clause that is meant, by leaving its try or into a later clause, to know it again.
pub(super) fn passed<'j>(call: &Call<'j>, thrown: Throwable<'j>, counter: u32) {
    let Some(experiment) = call.worker.injections.running() else { return };
    if call.worker.injections.is_passed(&experiment, counter)
        && is_a(&call.java, thrown, &experiment.injection.exception)
    {
        call.java.mark(thrown, 2 * experiment.number);
    }
}

fn is_a<'j>(java: &Java<'j>, thrown: Throwable<'j>, name: &str) -> bool {
    let mut class = Some(java.class_of(thrown));
    while let Some(each) = class {
        if java.class_name(each) == name {
            return true;
        }
        class = java.superclass(each);
    }
    false
}

fn is_exact<'j>(call: &Call<'j>, counter: u32, thrown: Throwable<'j>) -> bool {
    call.worker.injections.clause_names(counter, &call.java.name_of(thrown))
}

/// Whether an exception was thrown by this experiment, or is followed by it.
pub(super) fn is_injected<'j>(java: &Java<'j>, throwable: Throwable<'j>, experiment: i64) -> bool {
    java.mark_of(throwable) >> 1 == experiment
}

/// Looks who called the method that is being left: if it is test code, the test is blue. An exception that test code lets
/// pass, so that it leaves the application once more, is one exception. While an experiment runs that follows exceptions, only
/// those matter.
pub(super) fn escaped<'j>(call: &Call<'j>, thrown: Throwable<'j>) {
    if let Some(experiment) = call.worker.injections.running() {
        if is_injected(&call.java, thrown, experiment.number) && is_called_by_test(call) {
            experiment.bubbled(|| call.java.name_of(thrown));
        }
    } else if is_called_by_test(call) {
        let mark = call.worker.mark_of_escaped();
        if call.java.mark_of(thrown) != mark {
            call.java.mark(thrown, mark);
            call.worker.escaped_to_test(&call.observer.switches);
        }
    }
}

fn is_called_by_test(call: &Call<'_>) -> bool {
    let mut skipped = FRAMES_OF_ESCAPE;
    for count in CALLERS_READ {
        for method in call.java.stack(skipped, count) {
            match call.worker.callers.kind_of(method.number(), || kind_of(call, method)) {
                Caller::Test => return true,
                Caller::GoBetween => {}
                Caller::Other => return false,
            }
        }
        skipped += count;
    }
    false
}

fn kind_of(call: &Call<'_>, method: Method) -> Caller {
    let Some(class) = call.java.class_of_method(method) else { return Caller::Other };
    let name = call.java.class_name(class);
    // A method reference is a hidden class of whoever wrote it.
    let written_in = name.split("$$Lambda").next().unwrap_or(&name);
    if call.observer.is_test(written_in) {
        return Caller::Test;
    }
    let is_go_between = GO_BETWEENS.iter().any(|prefix| name.starts_with(prefix));
    if is_go_between { Caller::GoBetween } else { Caller::Other }
}
