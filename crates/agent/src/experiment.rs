//! The experiment that runs, and the books of what comes of it.
//!
//! ```text
//! probe -> visit: does it count (here, by the log of executions) and is it hit (`guard.rs`) -> act (`jvm/inject.rs`)
//! ```
//!
//! No JVM here; how the exception is made is the business of `jvm/build.rs`.

use crate::artefact::Injected;
use crate::guard::Guard;
use crate::jvm::{Recipe, Recipes};
use crate::lock;
use crate::mapping::{CounterFile, Switches};
use crate::occurrences::OccurrenceLog;
use crate::sites::WovenSites;
use crate::tries::WovenTries;
use catchment_protocol::experiment::{
    Act, Experiment, Fault, Observed, Passing, Sample, Site, Sites, Visits, Within,
};
use catchment_protocol::occurrences::Occurrences;
use catchment_protocol::records::WovenClass;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Samples kept of the executions of a try; more cannot all be asked about anyway.
const SAMPLES_KEPT: usize = 10_000;

#[derive(Debug, Default)]
struct Registry {
    tries: WovenTries,
    sites: WovenSites,
    /// Experiments begun in this JVM.
    experiments: i64,
    running: Option<Arc<Running>>,
}

/// Everything woven so far, and the experiment that runs.
#[derive(Debug, Default)]
pub(crate) struct Experiments {
    pub(crate) recipes: Recipes,
    registry: Mutex<Registry>,
}

/// One experiment while its test runs.
#[derive(Debug)]
pub(crate) struct Running {
    /// Never used twice in a JVM, never 0; marks the exceptions.
    pub(crate) number: i64,
    pub(crate) experiment: Experiment,
    /// Types caught by the clauses in front of the pair's.
    earlier: OnceLock<Arc<[String]>>,
    guard: Mutex<Guard>,
    fired: AtomicU64,
    caught_here: AtomicU64,
    caught_elsewhere: Mutex<BTreeMap<u32, u64>>,
    recipe: OnceLock<Arc<Recipe>>,
    thrown_in: OnceLock<String>,
    /// Why a copy could not be made, the first time.
    not_copied: OnceLock<String>,
    /// The execution that has just ended in the catch.
    just_caught: Mutex<Option<u64>>,
    log: Mutex<OccurrenceLog>,
    /// Samples of what the clause caught, by execution.
    samples: Mutex<Vec<(u64, Sample)>>,
    visited: Mutex<Visited>,
    /// Class of an exception that passed the clause and came to the test.
    bubbled: OnceLock<String>,
}

/// Watched sites that were visited.
#[derive(Debug, Default)]
struct Visited {
    /// In the order of their first visits.
    sites: Vec<Site>,
    counters: FxHashSet<u32>,
}

/// Consequence of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visit {
    /// A try begins, and what it throws is to be made; the number of the execution, where they are told apart.
    HitAtTry(Option<u64>),
    /// A try begins that may be hit further on: its class decides how the exception is made, since the one that
    /// throws may not know the type.
    Prepared,
    /// An instruction is hit within an execution.
    HitWithin,
    Passed,
    /// One of more than a loop that ends has; how many there were.
    TooMany(u64),
}

/// The part that an exception about to be thrown has in its experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fired {
    First,
    Again,
    /// One of more than a loop that ends has; how many there were.
    TooOften(u64),
}

impl Registry {
    /// Lets the probes of an experiment ask what to do, or no longer.
    fn switch(&self, running: &Running, switches: &Switches, on: bool) {
        self.switch_tries(running, switches, on);
        match &running.experiment.sites {
            Sites::Tries(_) => {}
            Sites::At(sites) => {
                let counters = sites.iter().flat_map(|site| self.sites.counters_of(site));
                counters.for_each(|counter| switches.set_entry(counter, on));
            }
            Sites::Instructions => {
                self.sites.counters().for_each(|counter| switches.set_entry(counter, on));
            }
            Sites::Catches(_) => {}
        }
    }

    fn switch_tries(&self, running: &Running, switches: &Switches, on: bool) {
        if let Some(passing) = running.passing() {
            self.tries.passing(&passing.pair).for_each(|counter| switches.set_entry(counter, on));
        }
        if let Some(pair) = running.asking_pair() {
            self.tries.entries_of(pair).for_each(|counter| switches.set_entry(counter, on));
        }
        if let Sites::Catches(pair) = &running.experiment.sites {
            self.tries.catches_of(pair).for_each(|counter| switches.set_entry(counter, on));
        }
    }
}

impl Experiments {
    /// A class is about to run with these probes; sites of the running experiment among them act from the first visit
    /// on.
    pub(crate) fn woven(&self, class: &WovenClass, sites: &[(u32, Site)], switches: &Switches) {
        let mut registry = lock(&self.registry);
        let registry = &mut *registry;
        for (counter, site) in sites {
            registry.sites.add(*counter, site);
            if registry.running.as_ref().is_some_and(|running| running.concerns(site)) {
                switches.set_entry(*counter, true);
            }
        }
        for woven_try in &class.tries {
            registry.tries.add(class, woven_try);
        }
        if let Some(running) = &registry.running {
            let is_concerned = |pair: &str| class.pairs.iter().any(|woven| woven.id == pair);
            let passing = running.passing().map(|passing| passing.pair.as_str());
            if [running.experiment.pair(), passing].into_iter().flatten().any(is_concerned) {
                registry.switch_tries(running, switches, true);
            }
        }
    }

    pub(crate) fn arm(&self, experiment: Experiment, counters: &CounterFile, switches: &Switches) {
        let mut registry = lock(&self.registry);
        registry.experiments += 1;
        let log = OccurrenceLog::new(registry.tries.ended(experiment.pair(), counters));
        let running = Running {
            number: registry.experiments,
            earlier: OnceLock::new(),
            guard: Mutex::new(Guard::new(experiment.when.visits)),
            experiment,
            fired: AtomicU64::new(0),
            caught_here: AtomicU64::new(0),
            caught_elsewhere: Mutex::default(),
            recipe: OnceLock::new(),
            thrown_in: OnceLock::new(),
            not_copied: OnceLock::new(),
            just_caught: Mutex::default(),
            log: Mutex::new(log),
            samples: Mutex::default(),
            visited: Mutex::default(),
            bubbled: OnceLock::new(),
        };
        switches.set_experiment(true);
        registry.switch(&running, switches, true);
        registry.running = Some(Arc::new(running));
    }

    /// Nothing is hit any more.
    pub(crate) fn disarm(&self, counters: &CounterFile, switches: &Switches) -> Option<Arc<Running>> {
        let mut registry = lock(&self.registry);
        let running = registry.running.take()?;
        lock(&running.log).close_ended(registry.tries.ended(running.experiment.pair(), counters));
        registry.switch(&running, switches, false);
        switches.set_experiment(false);
        Some(running)
    }

    pub(crate) fn running(&self) -> Option<Arc<Running>> {
        lock(&self.registry).running.clone()
    }

    /// A probe that was switched on has been reached. `on_stack` counts the calls of its method that the thread is in.
    pub(crate) fn visit(
        &self,
        running: &Running,
        counters: &CounterFile,
        switches: &Switches,
        counter: u32,
        on_stack: impl FnOnce() -> usize,
    ) -> Visit {
        let is_instruction = lock(&self.registry).sites.at(counter).is_some();
        if is_instruction {
            self.visit_instruction(running, counters, switches, counter)
        } else {
            self.begin(running, counters, on_stack)
        }
    }

    /// An execution of a try begins.
    fn begin(&self, running: &Running, counters: &CounterFile, on_stack: impl FnOnce() -> usize) -> Visit {
        let mut execution = None;
        if running.tells_executions_apart() {
            let ended = lock(&self.registry).tries.ended(running.experiment.pair(), counters);
            let before = lock(&running.log).begin(ended, on_stack);
            if before >= running.experiment.most_visits {
                return Visit::TooMany(before);
            }
            execution = Some(before);
        }
        match (&running.experiment.sites, &running.experiment.act) {
            (Sites::Tries(_), _) if lock(&running.guard).visit(execution) => Visit::HitAtTry(execution),
            (Sites::Tries(_), _) | (_, Act::Nothing | Act::Exchange(_)) => Visit::Passed,
            (_, Act::Throw(_)) => Visit::Prepared,
        }
    }

    /// An instruction is reached, which counts if an execution of the try is under way.
    fn visit_instruction(
        &self,
        running: &Running,
        counters: &CounterFile,
        switches: &Switches,
        counter: u32,
    ) -> Visit {
        // Most calls of a program are not in the try.
        if !lock(&running.log).is_open() {
            return Visit::Passed;
        }
        let ended = lock(&self.registry).tries.ended(running.experiment.pair(), counters);
        let Some(execution) = lock(&running.log).within(ended) else { return Visit::Passed };
        if running.experiment.watch.visited {
            let mut visited = lock(&running.visited);
            if visited.counters.insert(counter) {
                visited.sites.extend(lock(&self.registry).sites.at(counter).cloned());
            }
            if running.experiment.when.visits == Visits::None {
                // The site is known now, and need not ask again.
                switches.set_entry(counter, false);
            }
        }
        if lock(&running.guard).visit(Some(execution)) { Visit::HitWithin } else { Visit::Passed }
    }

    /// Something was caught: what has ended until now had ended by then. Gives the execution that did so just now by
    /// its catch, where executions are told apart.
    pub(crate) fn look(&self, running: &Running, counters: &CounterFile) -> Option<u64> {
        if !running.tells_executions_apart() {
            return None;
        }
        let ended = lock(&self.registry).tries.ended(running.experiment.pair(), counters);
        let execution = lock(&running.log).close_ended(ended);
        *lock(&running.just_caught) = execution;
        execution
    }

    /// The experiment's clause has caught something, which is to be exchanged.
    pub(crate) fn is_exchanged(&self, running: &Running, counter: u32) -> bool {
        let is_site = matches!(running.experiment.sites, Sites::Catches(_))
            && matches!(running.experiment.act, Act::Exchange(_))
            && lock(&self.registry).tries.is_clause_of(counter, running.experiment.pair());
        is_site && lock(&running.guard).visit(None)
    }

    /// Types that the clause of this counter names.
    pub(crate) fn types_of(&self, counter: u32) -> Option<Arc<[String]>> {
        lock(&self.registry).tries.types_of(counter)
    }

    /// An exception at this counter has passed the watched clause.
    pub(crate) fn is_passed(&self, passing: &Passing, counter: u32) -> bool {
        lock(&self.registry).tries.passing(&passing.pair).any(|passed| passed == counter)
    }

    /// Types caught by the clauses in front of the pair's. To be asked when the try is there.
    pub(crate) fn earlier(&self, running: &Running) -> Arc<[String]> {
        let earlier = || lock(&self.registry).tries.earlier(running.experiment.pair());
        Arc::clone(running.earlier.get_or_init(earlier))
    }

    pub(crate) fn clause_names(&self, counter: u32, exception: &str) -> bool {
        lock(&self.registry).tries.clause_names(counter, exception)
    }

    pub(crate) fn clause_tells(&self, counter: u32, exception: &str) -> bool {
        lock(&self.registry).tries.clause_tells(counter, exception)
    }

    /// An exception of this experiment was caught for the first time.
    pub(crate) fn caught(&self, running: &Running, counter: u32) {
        if lock(&self.registry).tries.is_clause_of(counter, running.experiment.pair()) {
            running.caught_here.fetch_add(1, Ordering::SeqCst);
        } else {
            *lock(&running.caught_elsewhere).entry(counter).or_default() += 1;
        }
    }
}

impl Running {
    fn tells_executions_apart(&self) -> bool {
        matches!(self.experiment.when.within, Within::Executions(_))
    }

    /// The pair whose tries ask what to do when they begin. Where no visit can be hit and executions are not told
    /// apart, nobody asks.
    fn asking_pair(&self) -> Option<&str> {
        let hits_tries = !matches!(self.experiment.sites, Sites::Catches(_));
        let is_asking =
            self.tells_executions_apart() || hits_tries && self.experiment.when.visits != Visits::None;
        self.experiment.pair().filter(|_| is_asking)
    }

    /// The clause past which exceptions are followed.
    pub(crate) fn passing(&self) -> Option<&Passing> {
        self.experiment.watch.passing.as_ref()
    }

    /// The exception to be thrown, or given to the clause.
    pub(crate) fn fault(&self) -> Option<&Fault> {
        match &self.experiment.act {
            Act::Throw(fault) | Act::Exchange(fault) => Some(fault),
            Act::Nothing => None,
        }
    }

    /// An exception that passed the clause has come to the test; the first is kept.
    pub(crate) fn bubbled(&self, exception: impl FnOnce() -> String) {
        self.bubbled.get_or_init(exception);
    }

    /// The site is one of the experiment's.
    fn concerns(&self, site: &Site) -> bool {
        match &self.experiment.sites {
            Sites::Tries(_) | Sites::Catches(_) => false,
            Sites::At(sites) => sites.contains(site),
            Sites::Instructions => true,
        }
    }

    /// How the exceptions are made, once that is decided.
    pub(crate) fn recipe(&self) -> Option<Arc<Recipe>> {
        self.recipe.get().map(Arc::clone)
    }

    /// Executions so far, without one that has just begun; none unless they are told apart.
    pub(crate) fn occurrences(&self) -> Occurrences {
        lock(&self.log).so_far()
    }

    /// Samples of what the clause catches are to be kept.
    pub(crate) fn wants_samples(&self) -> bool {
        let is_wanted = self.experiment.watch.samples || self.experiment.watch.copies;
        is_wanted && lock(&self.samples).len() < SAMPLES_KEPT
    }

    pub(crate) fn add_sample(&self, execution: u64, sample: Sample) {
        lock(&self.samples).push((execution, sample));
    }

    /// How the exceptions are made; the first answer counts, and of copies the first that cannot be made.
    pub(crate) fn made_by(&self, recipe: &Arc<Recipe>) {
        self.recipe.get_or_init(|| Arc::clone(recipe));
        if let Err(why) = &recipe.made {
            self.not_copied.get_or_init(|| why.clone());
        }
    }

    /// The sample whose copy this execution of the try is given.
    pub(crate) fn copied(&self, execution: Option<u64>) -> Option<&Sample> {
        let sample = execution.and_then(|execution| self.fault()?.sample_of(execution));
        if sample.is_none() {
            let which = execution.map_or("an execution".to_owned(), |it| format!("execution {}", it + 1));
            self.not_copied.get_or_init(|| format!("nothing is known of what {which} catches"));
        }
        sample
    }

    /// The execution of the try that has just ended in the catch, where they are told apart.
    pub(crate) fn just_caught(&self) -> Option<u64> {
        *lock(&self.just_caught)
    }

    /// The method of the try, `class.method`.
    pub(crate) fn set_thrown_in(&self, method: impl FnOnce() -> String) {
        self.thrown_in.get_or_init(method);
    }

    /// The thrown exception, as far as known, and where it was thrown.
    pub(crate) fn injected(&self, explains_nulls: bool) -> Injected<'_> {
        let recipe = self.recipe.get();
        Injected {
            supertypes: recipe.map_or(&[], |recipe| &recipe.supertypes),
            fields: recipe.map_or(&[], |recipe| &recipe.fields),
            thrown_in: self.thrown_in.get().map(String::as_str),
            explains_nulls,
        }
    }

    /// Counts an exception about to be thrown.
    pub(crate) fn fire(&self) -> Fired {
        let fired = self.fired.fetch_add(1, Ordering::SeqCst) + 1;
        match fired {
            _ if fired > self.experiment.most_visits => Fired::TooOften(fired),
            1 => Fired::First,
            _ => Fired::Again,
        }
    }

    pub(crate) fn observed(&self) -> Observed {
        let not_tried = || Err("the try was not reached".to_owned());
        Observed {
            reached: lock(&self.guard).hit(),
            fired: self.fired.load(Ordering::SeqCst),
            caught_here: self.caught_here.load(Ordering::SeqCst),
            caught_elsewhere: lock(&self.caught_elsewhere).iter().map(|(id, count)| (*id, *count)).collect(),
            made: match (self.not_copied.get(), self.recipe.get()) {
                (Some(why), _) => Err(why.clone()),
                (None, Some(recipe)) => recipe.made.clone(),
                (None, None) => not_tried(),
            },
            executions: lock(&self.log).all(),
            samples: lock(&self.samples).clone(),
            visited: lock(&self.visited).sites.clone(),
            bubbled: self.bubbled.get().cloned(),
        }
    }
}
