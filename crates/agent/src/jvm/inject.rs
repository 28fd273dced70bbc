//! Acts at a try that is to throw, at a clause that catches, and where an exception leaves a method.

use super::build::Wanted;
use super::java::{Java, Method, Throwable};
use super::natives::Call;
use super::read;
use crate::experiment::{Fired, Running, Visit};
use crate::jvm::Recipe;
use crate::lock;
use catchment_protocol::conversation::Ending;
use catchment_protocol::experiment::Sample;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::sync::{Arc, Mutex};

/// The frames between the native method and the try: `inject`, `enter`, `tryEnter`.
const FRAMES_OF_INJECTION: i32 = 3;
/// The frames between the native method and the clause: `exchange` of the agent and of the probes.
const FRAMES_OF_EXCHANGE: i32 = 2;
/// No more frames are read to see whether executions of a try lie within each other.
const DEEPEST_STACK: i32 = 100_000;
/// The frames between the native method and the caller of the method that is being left: `escaped`, `methodEscape`, the
/// method.
const FRAMES_OF_ESCAPE: i32 = 3;
/// Reflection and streams may lie between the application and a test. Mostly the first frame tells; no more are read
/// than these in a second and third look.
const CALLERS_READ: [i32; 3] = [1, 8, 64];
/// Packages between a caller and the method that it calls: the JDK, and languages that call everything through their
/// runtime.
const GO_BETWEENS: [&str; 6] = ["java.", "jdk.", "sun.", "com.sun.", "groovy.", "org.codehaus.groovy."];

/// The caller of a method of the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caller {
    Test,
    /// Reflection, streams, method handles: somebody further up is the real caller.
    GoBetween,
    Other,
}

/// By the id the JVM has for a method, which no other method ever gets.
#[derive(Debug, Default)]
pub(crate) struct Callers(Mutex<FxHashMap<usize, Caller>>);

impl Callers {
    fn kind_of(&self, method: usize, look: impl FnOnce() -> Caller) -> Caller {
        if let Some(known) = lock(&self.0).get(&method) {
            return *known;
        }
        let kind = look();
        lock(&self.0).insert(method, kind);
        kind
    }
}

thread_local! {
    /// Building an exception runs code of the application, in which nothing is to be thrown.
    static IS_BUILDING: Cell<bool> = const { Cell::new(false) };
}

/// The exception to be thrown at the site visited just now, if any.
pub(super) fn next_exception<'j>(call: &Call<'j>, counter: u32) -> Option<Throwable<'j>> {
    if IS_BUILDING.replace(true) {
        return None;
    }
    let _building = Building;
    let (experiments, observer) = (&call.worker.experiments, call.observer);
    let running = experiments.running()?;
    let on_stack = || calls_on_stack(&call.java);
    match experiments.visit(&running, &observer.counters, &observer.switches, counter, on_stack) {
        Visit::HitAtTry(execution) => {
            thrown(call, &running, &*recipe_at(call, &running, execution, FRAMES_OF_INJECTION)?)
        }
        Visit::HitWithin => thrown(call, &running, &*running.recipe()?),
        Visit::Prepared => {
            recipe_at(call, &running, None, FRAMES_OF_INJECTION);
            None
        }
        Visit::Passed => None,
        Visit::TooMany(fired) => call.worker.end(Ending::EndlessLoop { fired }),
    }
}

/// The object that the clause of this counter goes on with instead of the one it has caught, if any.
pub(super) fn exchanged<'j>(call: &Call<'j>, counter: u32) -> Option<Throwable<'j>> {
    if IS_BUILDING.replace(true) {
        return None;
    }
    let _building = Building;
    let experiments = &call.worker.experiments;
    let running = experiments.running()?;
    if !experiments.is_exchanged(&running, counter) {
        return None;
    }
    let recipe = recipe_at(call, &running, running.just_caught(), FRAMES_OF_EXCHANGE)?;
    let made = recipe.make(&call.java)?;
    // The clause gets nothing that it could not have caught.
    if !experiments.types_of(counter)?.iter().any(|caught| is_a(&call.java, made, caught)) {
        return None;
    }
    fire(call, &running);
    call.java.mark(made, caught_mark(&running));
    experiments.caught(&running, counter);
    Some(made)
}

/// Calls of the visiting method that this thread is in.
fn calls_on_stack(java: &Java<'_>) -> usize {
    let stack = java.stack(FRAMES_OF_INJECTION, DEEPEST_STACK);
    let Some(innermost) = stack.first().map(|method| method.number()) else { return 0 };
    stack.iter().filter(|method| method.number() == innermost).count()
}

/// Ends the building however it ends.
struct Building;

impl Drop for Building {
    fn drop(&mut self) {
        IS_BUILDING.set(false);
    }
}

/// The recipe for this execution of the try, as the class of the try knows the type, whose method is below `frames` of
/// ours.
fn recipe_at(call: &Call<'_>, running: &Running, execution: Option<u64>, frames: i32) -> Option<Arc<Recipe>> {
    let java = &call.java;
    let method = *java.stack(frames, 1).first()?;
    let catching = java.class_of_method(method)?;
    running.set_thrown_in(|| format!("{}.{}", java.class_name(catching), java.method_name(method)));
    let experiments = &call.worker.experiments;
    let fault = running.fault()?;
    let is_copy = !fault.samples.is_empty();
    let sample = if is_copy { running.copied(execution) } else { fault.sample.as_ref() };
    let exception = match sample {
        Some(sample) if is_copy => &sample.exception,
        None if is_copy => return None,
        _ => &fault.exception,
    };
    let earlier = experiments.earlier(running);
    let wanted = Wanted { exception, sample, is_copy, experiment: running.number, earlier };
    let recipe = experiments.recipes.find(java, java.loader_of(catching), &wanted);
    running.made_by(&recipe);
    Some(recipe)
}

fn thrown<'j>(call: &Call<'j>, running: &Running, recipe: &Recipe) -> Option<Throwable<'j>> {
    let made = recipe.make(&call.java)?;
    call.java.mark(made, thrown_mark(running));
    fire(call, running);
    Some(made)
}

fn fire(call: &Call<'_>, running: &Running) {
    match running.fire() {
        Fired::First => call.worker.fired(running.occurrences()),
        Fired::Again => {}
        Fired::TooOften(fired) => call.worker.end(Ending::EndlessLoop { fired }),
    }
}

/// Marks are even until their exception has been caught.
fn thrown_mark(running: &Running) -> i64 {
    2 * running.number
}

fn caught_mark(running: &Running) -> i64 {
    thrown_mark(running) + 1
}

/// A clause has caught an exception while an experiment runs.
pub(super) fn caught<'j>(call: &Call<'j>, thrown: Throwable<'j>, counter: u32) {
    let Some(running) = call.worker.experiments.running() else { return };
    if running.passing().is_some() {
        return passed(call, thrown, counter);
    }
    let execution = call.worker.experiments.look(&running, &call.observer.counters);
    if let Some(execution) = execution
        && running.wants_samples()
        && let Some(sample) = watched_sample(call, &running, thrown, counter)
    {
        running.add_sample(execution, sample);
    }
    if call.java.mark_of(thrown) == thrown_mark(&running) {
        call.java.mark(thrown, caught_mark(&running));
        call.worker.experiments.caught(&running, counter);
    }
}

/// For copies whatever was caught, as it is kept; otherwise what tells how the types of the clause look.
fn watched_sample<'j>(
    call: &Call<'j>,
    running: &Running,
    thrown: Throwable<'j>,
    counter: u32,
) -> Option<Sample> {
    if running.experiment.watch.copies {
        return read::sample(&call.java, thrown, true);
    }
    let tells = call.worker.experiments.clause_tells(counter, &call.java.name_of(thrown));
    if tells { read::sample(&call.java, thrown, is_exact(call, counter, thrown)) } else { None }
}

/// Marks what has passed the clause that is meant, by leaving its try or into a later clause, to know it again.
pub(super) fn passed<'j>(call: &Call<'j>, thrown: Throwable<'j>, counter: u32) {
    let Some(running) = call.worker.experiments.running() else { return };
    if let Some(passing) = running.passing()
        && call.worker.experiments.is_passed(passing, counter)
        && is_a(&call.java, thrown, &passing.exception)
    {
        call.java.mark(thrown, thrown_mark(&running));
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
    call.worker.experiments.clause_names(counter, &call.java.name_of(thrown))
}

/// True if an exception was thrown by this experiment, or is followed by it.
pub(super) fn is_injected<'j>(java: &Java<'j>, throwable: Throwable<'j>, experiment: i64) -> bool {
    java.mark_of(throwable) >> 1 == experiment
}

/// Looks who called the method that is being left: if it is test code, the test is blue. An exception that test code
/// lets pass, so that it leaves the application once more, is one exception. While an experiment runs that follows
/// exceptions, only those matter.
pub(super) fn escaped<'j>(call: &Call<'j>, thrown: Throwable<'j>) {
    if let Some(running) = call.worker.experiments.running() {
        if is_injected(&call.java, thrown, running.number) && is_called_by_test(call) {
            running.bubbled(|| call.java.name_of(thrown));
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
