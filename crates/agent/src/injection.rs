//! Experiments: which try entries throw, and the books of what came of it.
//!
//! No JVM here; how the exception is made is the business of `jvm/build.rs`.

use crate::jvm::{Recipe, Recipes};
use crate::lock;
use crate::mapping::{CounterFile, Switches};
use crate::occurrences::{Ended, OccurrenceLog};
use crate::passing::Passing;
use crate::places::Places;
use catchment_protocol::lab::{Aim, Injected, Injection, Sample, ThrowPlace};
use catchment_protocol::occurrences::Occurrences;
use catchment_protocol::records::{Role, WovenClass, WovenTry};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Of the executions of a try; more cannot all be asked about anyway.
const SAMPLES_KEPT: usize = 10_000;

/// What a clause counter stands for.
#[derive(Debug, Clone)]
struct Clause {
    pair: Arc<str>,
    types: Arc<[String]>,
}

#[derive(Debug, Default)]
struct Registry {
    /// By pair id.
    entries: FxHashMap<String, Vec<u32>>,
    /// What the clauses in front of it in its tries catch, by pair id; without those that have none.
    earlier: FxHashMap<String, BTreeSet<String>>,
    /// The counters that tell how executions of its tries ended, by pair id.
    endings: FxHashMap<String, Vec<(Role, u32)>>,
    /// By the counter of what they catch.
    clauses: FxHashMap<u32, Clause>,
    places: Places,
    passing: Passing,
    experiments: i64,
    running: Option<Arc<Experiment>>,
}

/// Everything woven so far, and the experiment that runs.
#[derive(Debug, Default)]
pub(crate) struct Injections {
    pub(crate) recipes: Recipes,
    registry: Mutex<Registry>,
}

/// One injection while its test runs.
#[derive(Debug)]
pub(crate) struct Experiment {
    /// Never used twice in a JVM, never 0; marks the exceptions.
    pub(crate) number: i64,
    pub(crate) injection: Injection,
    /// What the clauses in front of the one that is meant catch.
    earlier: OnceLock<Arc<[String]>>,
    reached: AtomicU64,
    fired: AtomicU64,
    caught_here: AtomicU64,
    caught_elsewhere: Mutex<BTreeMap<u32, u64>>,
    recipe: OnceLock<Arc<Recipe>>,
    thrown_in: OnceLock<String>,
    log: Mutex<OccurrenceLog>,
    /// What the clause caught, by execution.
    samples: Mutex<Vec<(u64, Sample)>>,
    visited: Mutex<Visited>,
    /// Class of an exception that passed the clause and came to the test, if that is asked.
    bubbled: OnceLock<String>,
}

/// The places that executions of a try have come to.
#[derive(Debug, Default)]
struct Visited {
    /// In that order.
    places: Vec<ThrowPlace>,
    counters: FxHashSet<u32>,
    /// Executions in which something was thrown at the one that is meant.
    hit: FxHashSet<u64>,
}

/// What to do about an execution of the try that has just begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hit {
    Yes,
    No,
    /// One of more than a loop that ends has; how many there were.
    TooMany(u64),
}

/// What an exception about to be thrown is in its experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fired {
    First,
    Again,
    /// One of more than a loop that ends has; how many there were.
    TooOften(u64),
}

impl Registry {
    fn add_endings(&mut self, class: &WovenClass, woven_try: &WovenTry) {
        for (pair, role, counter) in woven_try.roles().filter(|(_, role, _)| *role != Role::Entry) {
            if let Some(pair) = class.pairs.get(pair as usize) {
                self.endings.entry(pair.id.clone()).or_default().push((role, class.base + counter));
            }
        }
    }

    /// Lets the tries and places of an experiment ask what to do, or no longer.
    fn switch_entries(&self, experiment: &Experiment, switches: &Switches, on: bool) {
        let Injection { aim, place, .. } = &experiment.injection;
        self.switch_tries(experiment, switches, on);
        let named = place.iter().flat_map(|place| self.places.counters_of(place));
        named.for_each(|counter| switches.set_entry(counter, on));
        if *aim == Aim::Places {
            self.places.counters().for_each(|counter| switches.set_entry(counter, on));
        }
    }

    fn switch_tries(&self, experiment: &Experiment, switches: &Switches, on: bool) {
        let pair = &experiment.injection.pair;
        if experiment.follows_passing() {
            self.passing.counters_of(pair).for_each(|counter| switches.set_entry(counter, on));
        } else {
            let tries = self.entries.get(pair).into_iter().flatten().copied();
            tries.for_each(|counter| switches.set_entry(counter, on));
        }
    }

    fn ended(&self, pair: &str, counters: &CounterFile) -> Ended {
        let mut ended = Ended::default();
        for (role, counter) in self.endings.get(pair).into_iter().flatten() {
            ended.add(*role, counters.total(*counter));
        }
        ended
    }

    fn add_earlier(&mut self, class: &WovenClass, woven_try: &WovenTry) {
        let mut types: Vec<&String> = Vec::new();
        for clause in &woven_try.clauses {
            let Some(pair) = class.pairs.get(clause.pair as usize) else { continue };
            if !types.is_empty() {
                let earlier = self.earlier.entry(pair.id.clone()).or_default();
                earlier.extend(types.iter().map(|each| (*each).clone()));
            }
            types.extend(&pair.types);
        }
    }
}

impl Injections {
    /// A class is about to run with these probes; if it has tries of the running experiment they throw from the first on.
    pub(crate) fn woven(&self, class: &WovenClass, places: &[(u32, ThrowPlace)], switches: &Switches) {
        let mut registry = lock(&self.registry);
        let registry = &mut *registry;
        for (counter, place) in places {
            registry.places.add(*counter, place);
            if registry.running.as_ref().is_some_and(|running| running.concerns(place)) {
                switches.set_entry(*counter, true);
            }
        }
        for woven_try in &class.tries {
            registry.add_earlier(class, woven_try);
            registry.add_endings(class, woven_try);
            registry.passing.add(class, woven_try);
            for clause in &woven_try.clauses {
                let Some(pair) = class.pairs.get(clause.pair as usize) else { continue };
                if let Some(enter) = woven_try.enter {
                    registry.entries.entry(pair.id.clone()).or_default().push(class.base + enter);
                }
                if let Some(caught) = clause.caught {
                    let known = Clause { pair: pair.id.as_str().into(), types: pair.types.as_slice().into() };
                    registry.clauses.insert(class.base + caught, known);
                }
            }
        }
        let is_concerned =
            |running: &&Arc<Experiment>| class.pairs.iter().any(|pair| pair.id == running.injection.pair);
        if let Some(running) = registry.running.as_ref().filter(is_concerned) {
            registry.switch_tries(running, switches, true);
        }
    }

    pub(crate) fn arm(&self, injection: Injection, counters: &CounterFile, switches: &Switches) {
        let mut registry = lock(&self.registry);
        registry.experiments += 1;
        let log = OccurrenceLog::new(registry.ended(&injection.pair, counters));
        let experiment = Experiment {
            number: registry.experiments,
            injection,
            earlier: OnceLock::new(),
            reached: AtomicU64::new(0),
            fired: AtomicU64::new(0),
            caught_here: AtomicU64::new(0),
            caught_elsewhere: Mutex::default(),
            recipe: OnceLock::new(),
            thrown_in: OnceLock::new(),
            log: Mutex::new(log),
            samples: Mutex::default(),
            visited: Mutex::default(),
            bubbled: OnceLock::new(),
        };
        switches.set_experiment(true);
        registry.switch_entries(&experiment, switches, true);
        registry.running = Some(Arc::new(experiment));
    }

    /// Nothing throws any more.
    pub(crate) fn disarm(&self, counters: &CounterFile, switches: &Switches) -> Option<Arc<Experiment>> {
        let mut registry = lock(&self.registry);
        let experiment = registry.running.take()?;
        lock(&experiment.log).settle(registry.ended(&experiment.injection.pair, counters));
        registry.switch_entries(&experiment, switches, false);
        switches.set_experiment(false);
        Some(experiment)
    }

    pub(crate) fn running(&self) -> Option<Arc<Experiment>> {
        lock(&self.registry).running.clone()
    }

    /// An execution of a try of the experiment has begun, in one of so many calls of its method: whether it is hit.
    pub(crate) fn begun(
        &self,
        experiment: &Experiment,
        counters: &CounterFile,
        on_stack: impl FnOnce() -> usize,
    ) -> Hit {
        if !experiment.follows_executions() {
            experiment.reached.fetch_add(1, Ordering::SeqCst);
            return Hit::Yes;
        }
        let ended = lock(&self.registry).ended(&experiment.injection.pair, counters);
        let before = lock(&experiment.log).begin(ended, on_stack);
        if before >= experiment.injection.max_fired {
            return Hit::TooMany(before);
        }
        if experiment.injection.place.is_some() || experiment.injection.aim != Aim::Only(before) {
            return Hit::No;
        }
        experiment.reached.fetch_add(1, Ordering::SeqCst);
        Hit::Yes
    }

    /// Something was caught: what has ended until now had ended by then. Gives the execution that did so just now by its
    /// catch, where executions are told apart.
    pub(crate) fn look(&self, experiment: &Experiment, counters: &CounterFile) -> Option<u64> {
        if !experiment.follows_executions() {
            return None;
        }
        let ended = lock(&self.registry).ended(&experiment.injection.pair, counters);
        lock(&experiment.log).settle(ended)
    }

    /// Whether the counter is that of a place, not of a try.
    pub(crate) fn is_place(&self, counter: u32) -> bool {
        lock(&self.registry).places.at(counter).is_some()
    }

    /// A place has been come to: whether something is thrown there.
    pub(crate) fn visited(
        &self,
        experiment: &Experiment,
        counters: &CounterFile,
        switches: &Switches,
        counter: u32,
    ) -> Hit {
        // Most calls of a program are not in the try.
        if !lock(&experiment.log).is_open() {
            return Hit::No;
        }
        let ended = lock(&self.registry).ended(&experiment.injection.pair, counters);
        let Some(execution) = lock(&experiment.log).within(ended) else { return Hit::No };
        let mut visited = lock(&experiment.visited);
        if experiment.injection.aim == Aim::Places {
            // It is known now, and need not ask again.
            switches.set_entry(counter, false);
            if visited.counters.insert(counter) {
                visited.places.extend(lock(&self.registry).places.at(counter).cloned());
            }
            return Hit::No;
        }
        if !visited.hit.insert(execution) {
            return Hit::No;
        }
        experiment.reached.fetch_add(1, Ordering::SeqCst);
        Hit::Yes
    }

    /// Whether an exception at this counter has passed the clause that is meant.
    pub(crate) fn is_passed(&self, experiment: &Experiment, counter: u32) -> bool {
        experiment.follows_passing()
            && lock(&self.registry).passing.is_passed(&experiment.injection.pair, counter)
    }

    /// What the clauses in front of the one that is meant catch. To be asked when the try is there.
    pub(crate) fn earlier(&self, experiment: &Experiment) -> Arc<[String]> {
        let found = experiment.earlier.get_or_init(|| {
            let registry = lock(&self.registry);
            registry.earlier.get(&experiment.injection.pair).into_iter().flatten().cloned().collect()
        });
        Arc::clone(found)
    }

    /// Whether the clause of this counter names exactly this type.
    pub(crate) fn clause_names(&self, counter: u32, exception: &str) -> bool {
        let registry = lock(&self.registry);
        registry.clauses.get(&counter).is_some_and(|clause| clause.types.iter().any(|each| each == exception))
    }

    /// Whether what the clause of this counter catches of this type tells what one of its own types would look like: one that
    /// it names, or one that can only be narrower than the single type it names.
    pub(crate) fn clause_tells(&self, counter: u32, exception: &str) -> bool {
        let registry = lock(&self.registry);
        let tells = |clause: &Clause| match &*clause.types {
            [_] => true,
            types => types.iter().any(|each| each == exception),
        };
        registry.clauses.get(&counter).is_some_and(tells)
    }

    /// An exception of this experiment was caught for the first time.
    pub(crate) fn caught(&self, experiment: &Experiment, counter: u32) {
        let is_here = {
            let registry = lock(&self.registry);
            let clause = registry.clauses.get(&counter);
            clause.is_some_and(|clause| *clause.pair == *experiment.injection.pair)
        };
        if is_here {
            experiment.caught_here.fetch_add(1, Ordering::SeqCst);
        } else {
            *lock(&experiment.caught_elsewhere).entry(counter).or_default() += 1;
        }
    }
}

impl Experiment {
    /// Whether it matters which execution of the try is which.
    fn follows_executions(&self) -> bool {
        let is_each_alike = matches!(self.injection.aim, Aim::Every | Aim::Passing);
        !is_each_alike || self.injection.place.is_some()
    }

    /// Whether nothing is thrown, and exceptions that the clause does not catch are followed.
    pub(crate) fn follows_passing(&self) -> bool {
        self.injection.aim == Aim::Passing
    }

    /// One that it did not catch has come to the test; the first is kept.
    pub(crate) fn bubbled(&self, exception: impl FnOnce() -> String) {
        self.bubbled.get_or_init(exception);
    }

    /// Whether something is to be seen or thrown at this place.
    fn concerns(&self, place: &ThrowPlace) -> bool {
        self.injection.aim == Aim::Places || self.injection.place.as_ref() == Some(place)
    }

    /// It throws elsewhere than at the beginning of the try.
    pub(crate) fn throws_within(&self) -> bool {
        self.injection.place.is_some()
    }

    /// How the exceptions are made, once that is decided.
    pub(crate) fn recipe(&self) -> Option<Arc<Recipe>> {
        self.recipe.get().map(Arc::clone)
    }

    /// The executions so far, without one that has just begun; none if all are hit.
    pub(crate) fn occurrences(&self) -> Occurrences {
        lock(&self.log).so_far()
    }

    /// Whether what its clause catches is to be kept.
    pub(crate) fn wants_samples(&self) -> bool {
        self.injection.aim == Aim::None && lock(&self.samples).len() < SAMPLES_KEPT
    }

    pub(crate) fn add_sample(&self, execution: u64, sample: Sample) {
        lock(&self.samples).push((execution, sample));
    }

    /// How the exceptions are made; the first answer counts.
    pub(crate) fn made_by(&self, recipe: &Arc<Recipe>) {
        self.recipe.get_or_init(|| Arc::clone(recipe));
    }

    /// For JVMs that do not explain their null pointers: the method of the try, `class.method`.
    pub(crate) fn set_thrown_in(&self, method: impl FnOnce() -> String) {
        self.thrown_in.get_or_init(method);
    }

    pub(crate) fn thrown_in(&self) -> Option<&str> {
        self.thrown_in.get().map(String::as_str)
    }

    /// Names of the thrown class, of that of its cause, and of everything above them.
    pub(crate) fn supertypes(&self) -> &[String] {
        self.recipe.get().map_or(&[], |recipe| &recipe.supertypes)
    }

    /// Counts an exception about to be thrown.
    pub(crate) fn fire(&self) -> Fired {
        let fired = self.fired.fetch_add(1, Ordering::SeqCst) + 1;
        match fired {
            _ if fired > self.injection.max_fired => Fired::TooOften(fired),
            1 => Fired::First,
            _ => Fired::Again,
        }
    }

    pub(crate) fn outcome(&self) -> Injected {
        let not_tried = || Err("the try was not reached".to_owned());
        Injected {
            reached: self.reached.load(Ordering::SeqCst),
            fired: self.fired.load(Ordering::SeqCst),
            caught_here: self.caught_here.load(Ordering::SeqCst),
            caught_elsewhere: lock(&self.caught_elsewhere).iter().map(|(id, count)| (*id, *count)).collect(),
            made: self.recipe.get().map_or_else(not_tried, |recipe| recipe.made.clone()),
            occurrences: lock(&self.log).all(),
            samples: lock(&self.samples).clone(),
            places: lock(&self.visited).places.clone(),
            bubbled: self.bubbled.get().cloned(),
        }
    }
}
