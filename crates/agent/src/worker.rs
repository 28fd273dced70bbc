//! A worker's side of the conversation with the controller, and what it knows of the running test.
//!
//! No JVM here; the natives in `jvm/natives.rs` translate. One thread, the driver's, asks and reports; records and
//! endings come from any thread. Without a controller a worker is of no use: whenever the socket fails, the process
//! ends.

use crate::artefact::explains_nulls;
use crate::experiment::{Experiments, Running as RunningExperiment};
use crate::jvm::Callers;
use crate::lock;
use crate::mapping::{CounterFile, Switches, end_process};
use crate::snapshots::{LeftSlots, Snapshots};
use catchment_protocol::WORKER_ENDED_EXIT;
use catchment_protocol::conversation::{
    Ending, Entered, Event, Failure, MarkedClass, Outcome, Request, TestRun, TestUnit,
};
use catchment_protocol::experiment::{Experiment, Sample};
use catchment_protocol::occurrences::Occurrences;
use catchment_protocol::records::Record;
use rustc_hash::FxHashSet;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// With more than this share of its memory free a JVM is well: somebody asked for too much at once, and was told so.
const HEALTHY_FREE_MEMORY: f64 = 0.1;
const EXHAUSTED_HEAP: i32 = 2;
const EXHAUSTED_THREADS: i32 = 4;

#[derive(Debug)]
pub(crate) struct Worker {
    requests: Mutex<UnixStream>,
    events: Mutex<UnixStream>,
    java_version: String,
    pub(crate) explains_nulls: bool,
    pub(crate) experiments: Experiments,
    pub(crate) callers: Callers,
    request_state: Mutex<RequestState>,
    snapshots: Mutex<Snapshots>,
    left_slots: LeftSlots,
    /// Exceptions that left the application into the running test.
    escaped: AtomicU64,
    /// Tests that have begun.
    tests_begun: AtomicU64,
    /// A whole suite runs.
    is_suite: AtomicBool,
    notes: Mutex<Notes>,
    /// The running test has used up the memory. Some do so on purpose, and catch the error.
    memory_used_up: AtomicBool,
    /// The controller has ended the conversation: the JVM may end.
    has_stopped: AtomicBool,
}

/// What a JVM has no more of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exhausted {
    Memory,
    Threads,
}

/// State of the request that is served.
#[derive(Debug, Default)]
struct RequestState {
    experiment: Option<Experiment>,
    units: Vec<TestUnit>,
    problems: Vec<String>,
    running: Option<Running>,
}

#[derive(Debug)]
struct Running {
    test: String,
    since: Instant,
    threads: FxHashSet<u64>,
}

/// Notes that any thread may add while a test runs.
#[derive(Debug, Default)]
struct Notes {
    external: Vec<String>,
    samples: Vec<(u32, Sample)>,
    sampled: FxHashSet<(u32, String)>,
}

/// A test that has ended, as far as the agent's own books go.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) experiment: Option<Arc<RunningExperiment>>,
    /// Numbers of the threads there were before it; `None` when it never began.
    pub(crate) threads: Option<FxHashSet<u64>>,
    micros: u64,
    counted: Vec<(u32, u64)>,
    entered: Entered,
}

impl Worker {
    pub(crate) fn connect(socket: &Path, java_version: &str) -> io::Result<Self> {
        let stream = UnixStream::connect(socket)?;
        Ok(Self {
            requests: Mutex::new(stream.try_clone()?),
            events: Mutex::new(stream),
            java_version: java_version.to_owned(),
            explains_nulls: explains_nulls(java_version),
            experiments: Experiments::default(),
            callers: Callers::default(),
            request_state: Mutex::default(),
            snapshots: Mutex::default(),
            left_slots: LeftSlots::default(),
            escaped: AtomicU64::new(0),
            tests_begun: AtomicU64::new(0),
            is_suite: AtomicBool::new(false),
            notes: Mutex::default(),
            memory_used_up: AtomicBool::new(false),
            has_stopped: AtomicBool::new(false),
        })
    }

    /// The next order for the driver; `None` when it is to end.
    pub(crate) fn next(&self) -> Option<Vec<String>> {
        let request = Request::receive(&mut *lock(&self.requests));
        let Ok(Some(request)) = request else { end_process(WORKER_ENDED_EXIT) };
        let mut state = lock(&self.request_state);
        *state = RequestState::default();
        self.is_suite.store(matches!(request, Request::RunSuite { .. }), Ordering::SeqCst);
        let order = |verb: &str, rest: Vec<String>| Some([vec![verb.to_owned()], rest].concat());
        match request {
            Request::Discover { classes } => order("discover", classes),
            Request::RunSuite { classes, experiment } => {
                state.experiment = experiment;
                order("suite", classes)
            }
            Request::RunTest { test, experiment } => {
                state.experiment = experiment;
                order("test", vec![test])
            }
            Request::Stop => {
                self.has_stopped.store(true, Ordering::SeqCst);
                None
            }
        }
    }

    pub(crate) fn ready(&self, framework: String) {
        let java_version = self.java_version.clone();
        self.send(&Event::Ready { pid: std::process::id(), java_version, framework });
    }

    /// The driver cannot work here, or no longer. Tested code may have made sure that it cannot end the JVM either.
    pub(crate) fn unusable(&self, what: String) -> ! {
        self.send(&Event::Unusable { what });
        end_process(WORKER_ENDED_EXIT)
    }

    pub(crate) fn unit(&self, unit: TestUnit) {
        if self.is_suite() {
            self.send(&Event::Unit(unit));
        } else {
            lock(&self.request_state).units.push(unit);
        }
    }

    /// To be called before the class runs.
    pub(crate) fn class_marked(&self, class: MarkedClass) {
        self.send(&Event::ClassMarked(class));
    }

    pub(crate) fn problem(&self, what: String) {
        lock(&self.request_state).problems.push(what);
    }

    pub(crate) fn discovered(&self) {
        let mut state = lock(&self.request_state);
        let (tests, problems) = (std::mem::take(&mut state.units), std::mem::take(&mut state.problems));
        self.send(&Event::Discovered { tests, problems });
    }

    pub(crate) fn suite_finished(&self, entered: Entered) {
        let problems = std::mem::take(&mut lock(&self.request_state).problems);
        self.send(&Event::SuiteFinished { problems, entered });
    }

    /// A test begins: what is counted from here on is its, and what was asked for throws. `threads` are those there
    /// are.
    pub(crate) fn test_started(
        &self,
        test: String,
        threads: FxHashSet<u64>,
        entered: Entered,
        counters: &CounterFile,
        switches: &Switches,
    ) {
        let before = match self.is_suite() {
            true => lock(&self.snapshots).end(counters, &self.left_slots),
            false => Vec::new(),
        };
        self.send(&Event::TestStarted { test: test.clone(), before, entered });
        let experiment = {
            let mut state = lock(&self.request_state);
            state.running = Some(Running { test, since: Instant::now(), threads });
            state.experiment.clone()
        };
        lock(&self.notes).external.clear();
        self.memory_used_up.store(false, Ordering::SeqCst);
        self.escaped.store(0, Ordering::SeqCst);
        switches.set_test(self.tests_begun.fetch_add(1, Ordering::SeqCst) + 1);
        lock(&self.snapshots).begin(counters, &self.left_slots);
        // The colour of a test is that of its runs without an experiment.
        match experiment {
            Some(experiment) => {
                switches.set_escapes(experiment.watch.passing.is_some());
                self.experiments.arm(experiment, counters, switches);
            }
            None => switches.set_escapes(true),
        }
    }

    /// A test has ended; nothing throws any more. To be followed by `test_finished`.
    pub(crate) fn test_ended(&self, entered: Entered, counters: &CounterFile, switches: &Switches) -> Ended {
        let experiment = self.experiments.disarm(counters, switches);
        switches.set_escapes(false);
        let running = lock(&self.request_state).running.take();
        let micros = running.as_ref().map_or(0, |running| running.since.elapsed().as_micros());
        let counted = match running {
            Some(_) => lock(&self.snapshots).end(counters, &self.left_slots),
            None => Vec::new(),
        };
        if self.is_suite() {
            // What moves from here on belongs to no test.
            lock(&self.snapshots).begin(counters, &self.left_slots);
        }
        Ended {
            experiment,
            threads: running.map(|running| running.threads),
            micros: u64::try_from(micros).unwrap_or(u64::MAX),
            counted,
            entered,
        }
    }

    pub(crate) fn test_finished(
        &self,
        test: String,
        outcome: Outcome,
        failure: Option<Failure>,
        threads_left: Vec<String>,
        ended: Ended,
    ) {
        // Nobody knows what else did not get its memory.
        let has_failed_of_it = failure.as_ref().is_some_and(|failure| failure.is_out_of_memory);
        if has_failed_of_it && self.memory_used_up.load(Ordering::SeqCst) {
            self.send(&Event::Ending { cause: Ending::OutOfMemory, test: Some(test) });
            end_process(WORKER_ENDED_EXIT)
        }
        let (external, samples) = {
            let mut notes = lock(&self.notes);
            notes.sampled.clear();
            (std::mem::take(&mut notes.external), std::mem::take(&mut notes.samples))
        };
        self.send(&Event::TestFinished(TestRun {
            test,
            outcome,
            failure,
            micros: ended.micros,
            counted: ended.counted,
            escaped: self.escaped.load(Ordering::SeqCst),
            external,
            threads_left,
            samples,
            observed: ended.experiment.map(|running| Box::new(running.observed())),
            entered: ended.entered,
        }));
    }

    fn is_suite(&self) -> bool {
        self.is_suite.load(Ordering::SeqCst)
    }

    /// The mark of exceptions that have left the application during this test. Those thrown by experiments have others.
    pub(crate) fn mark_of_escaped(&self) -> i64 {
        let begun = self.tests_begun.load(Ordering::SeqCst);
        i64::try_from(begun).map_or(i64::MIN, |begun| -begun)
    }

    /// An exception left a method of the application into test code. Of a test alone it is enough to know that one did.
    pub(crate) fn escaped_to_test(&self, switches: &Switches) {
        self.escaped.fetch_add(1, Ordering::SeqCst);
        if !self.is_suite() {
            switches.set_escapes(false);
        }
    }

    pub(crate) fn connected_to(&self, address: String) {
        let mut notes = lock(&self.notes);
        if !notes.external.contains(&address) {
            notes.external.push(address);
        }
    }

    /// True if an exception of this class at this clause is worth a look: nothing is injected, it tells what the
    /// clause may be given, and the running test has no sample of it yet. One of each test: another test's exception
    /// may say other things.
    pub(crate) fn wants_sample(&self, counter: u32, exception: &str) -> bool {
        self.experiments.clause_tells(counter, exception)
            && self.experiments.running().is_none()
            && !lock(&self.notes).sampled.contains(&(counter, exception.to_owned()))
    }

    pub(crate) fn sample(&self, counter: u32, sample: Sample) {
        let mut notes = lock(&self.notes);
        if notes.sampled.insert((counter, sample.exception.clone())) {
            notes.samples.push((counter, sample));
        }
    }

    /// The test goes on: it may be about to catch the error.
    pub(crate) fn memory_used_up(&self) {
        if !self.memory_used_up.swap(true, Ordering::SeqCst) {
            self.send(&Event::MemoryUsedUp);
        }
    }

    /// To be called before the slot of the thread is free for others.
    pub(crate) fn thread_ended(&self, thread: u64) {
        self.left_slots.thread_ended(thread);
    }

    pub(crate) fn record(&self, record: &Record) {
        self.send(&Event::Record(record.clone()));
    }

    /// An exception is about to be thrown, the first of its experiment: should the JVM end, it is known that one was.
    pub(crate) fn fired(&self, before: Occurrences) {
        self.send(&Event::Fired { before });
    }

    /// The JVM ends; if a test is running, it was that test's doing.
    pub(crate) fn jvm_ends(&self) {
        if !self.has_stopped.load(Ordering::SeqCst) {
            self.ending(Ending::Exit);
        }
    }

    /// Says why and ends the process at once.
    pub(crate) fn end(&self, cause: Ending) -> ! {
        self.ending(cause);
        end_process(WORKER_ENDED_EXIT)
    }

    fn ending(&self, cause: Ending) {
        let test = lock(&self.request_state).running.as_ref().map(|running| running.test.clone());
        self.send(&Event::Ending { cause, test });
    }

    fn send(&self, event: &Event) {
        if event.send(&mut *lock(&self.events)).is_err() && !self.has_stopped.load(Ordering::SeqCst) {
            end_process(WORKER_ENDED_EXIT);
        }
    }
}

/// What a JVM has no more of that could not give what it was asked for. `flags` are those of the JVM's event, `free_memory`
/// the share of its memory that is free.
pub(crate) fn exhausted(flags: i32, free_memory: Option<f64>) -> Option<Exhausted> {
    let has_no_memory = free_memory.is_none_or(|free| free < HEALTHY_FREE_MEMORY);
    if flags & EXHAUSTED_THREADS != 0 {
        Some(Exhausted::Threads)
    } else {
        (flags & EXHAUSTED_HEAP != 0 && has_no_memory).then_some(Exhausted::Memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Fired, Visit};
    use catchment_protocol::experiment::{Act, Fault, Passing, Site, Sites, Visits, Watch, When, Within};
    use catchment_protocol::records::{WovenClass, WovenClause, WovenPair, WovenTry};
    use std::os::unix::net::UnixListener;

    const PASSED: Outcome = Outcome::Passed;

    /// A worker, the other end of its socket, and what it counts in.
    struct Bench {
        worker: Worker,
        controller: UnixStream,
        counters: CounterFile,
        switches: Switches,
        _folder: tempfile::TempDir,
    }

    impl Bench {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let listener = UnixListener::bind(folder.path().join("socket")).unwrap();
            let worker = Worker::connect(&folder.path().join("socket"), "17").unwrap();
            let (controller, _) = listener.accept().unwrap();
            let counters = CounterFile::create(&folder.path().join("counters")).unwrap();
            let switches = Switches::create(&counters).unwrap();
            Self { worker, controller, counters, switches, _folder: folder }
        }

        fn request(&mut self, request: &Request) -> Option<Vec<String>> {
            request.send(&mut self.controller).unwrap();
            self.worker.next()
        }

        fn event(&mut self) -> Event {
            Event::receive(&mut self.controller).unwrap().unwrap()
        }

        fn start(&mut self, test: &str) {
            self.worker.test_started(
                test.to_owned(),
                FxHashSet::default(),
                Entered::default(),
                &self.counters,
                &self.switches,
            );
            assert_eq!(
                self.event(),
                Event::TestStarted { test: test.to_owned(), before: Vec::new(), entered: Entered::default() }
            );
        }

        fn finish(&mut self, test: &str) -> TestRun {
            let ended = self.worker.test_ended(Entered::default(), &self.counters, &self.switches);
            self.worker.test_finished(test.to_owned(), PASSED, None, Vec::new(), ended);
            match self.event() {
                Event::TestFinished(run) => run,
                other => panic!("{other:?}"),
            }
        }
    }

    /// A class with one try and two clauses: entry 0, caught 1 and 2.
    fn class(base: u32) -> WovenClass {
        let pair =
            |id: &str| WovenPair { id: id.into(), types: vec![format!("{id}Type")], ..WovenPair::default() };
        let clauses = [1, 2].map(|caught| WovenClause { pair: caught - 1, caught: Some(caught) }).to_vec();
        WovenClass {
            base,
            counters: 3,
            pairs: vec![pair("a"), pair("b")],
            tries: vec![WovenTry { enter: Some(0), clauses, ..WovenTry::default() }],
            ..WovenClass::default()
        }
    }

    fn every(pair: &str, most_visits: u64) -> Experiment {
        Experiment::at_every_execution(pair.into(), Fault::default(), most_visits)
    }

    fn run(experiment: Experiment) -> Request {
        Request::RunTest { test: "t".into(), experiment: Some(experiment) }
    }

    #[test]
    fn orders_are_verbs_with_their_objects() {
        let mut bench = Bench::new();
        let classes = vec!["A".to_owned(), "B".to_owned()];
        let order = bench.request(&Request::Discover { classes: classes.clone() });
        assert_eq!(order.unwrap(), ["discover", "A", "B"]);
        bench.worker.unit(TestUnit { id: "u".into(), ..TestUnit::default() });
        bench.worker.problem("odd".into());
        bench.worker.discovered();
        let tests = vec![TestUnit { id: "u".into(), ..TestUnit::default() }];
        assert_eq!(bench.event(), Event::Discovered { tests, problems: vec!["odd".into()] });
        assert_eq!(bench.request(&Request::RunSuite { classes, experiment: None }).unwrap()[0], "suite");
        bench.worker.suite_finished(Entered::default());
        assert_eq!(bench.event(), Event::SuiteFinished { problems: Vec::new(), entered: Entered::default() });
        assert_eq!(bench.request(&Request::Stop), None);
    }

    #[test]
    fn what_a_suite_does_between_tests_belongs_to_none_and_comes_with_the_next() {
        let mut bench = Bench::new();
        bench.counters.allocate(3).unwrap();
        bench.request(&Request::RunSuite { classes: Vec::new(), experiment: None });
        let mut befores = Vec::new();
        for test in ["a", "b"] {
            bench.counters.count(1, 0);
            bench.worker.test_started(
                test.into(),
                FxHashSet::default(),
                Entered::default(),
                &bench.counters,
                &bench.switches,
            );
            befores.push(bench.event());
            bench.counters.count(2, 0);
            assert_eq!(bench.finish(test).counted, [(2, 1)]);
        }
        let started = |test: &str| Event::TestStarted {
            test: test.into(),
            before: vec![(1, 1)],
            entered: Entered::default(),
        };
        assert_eq!(befores, [started("a"), started("b")]);
    }

    #[test]
    fn an_armed_pair_throws_in_classes_woven_before_and_after_until_the_test_ends() {
        let mut bench = Bench::new();
        let is_armed = |bench: &Bench| [0, 10].map(|entry| bench.switches.entry(entry));
        bench.counters.allocate(20).unwrap();
        bench.worker.experiments.woven(&class(0), &[], &bench.switches);
        bench.request(&run(every("b", 1)));
        assert_eq!(is_armed(&bench), [false, false]);
        bench.start("t");
        assert_eq!(is_armed(&bench), [true, false]);
        bench.worker.experiments.woven(&class(10), &[], &bench.switches);
        assert_eq!(is_armed(&bench), [true, true]);
        let experiment = bench.worker.experiments.running().unwrap();
        let visit = bench.worker.experiments.visit(&experiment, &bench.counters, &bench.switches, 0, || 1);
        assert_eq!(visit, Visit::HitAtTry(None));
        assert_eq!([experiment.fire(), experiment.fire()], [Fired::First, Fired::TooOften(2)]);
        for counter in [2, 12, 11] {
            bench.worker.experiments.caught(&experiment, counter);
        }
        let observed = bench.finish("t").observed.unwrap();
        assert_eq!((observed.reached, observed.fired, observed.caught_here), (1, 2, 2));
        assert_eq!(observed.caught_elsewhere, [(11, 1)]);
        assert_eq!(is_armed(&bench), [false, false]);
    }

    #[test]
    fn sites_count_while_the_try_is_being_executed_and_throw_once_in_each_execution() {
        let mut bench = Bench::new();
        bench.counters.allocate(20).unwrap();
        let site = Site { class: "a.B".into(), pc: 2, ..Site::default() };
        bench.worker.experiments.woven(&class(0), &[(5, site.clone())], &bench.switches);
        let mut visits = |experiment: Experiment| {
            bench.request(&run(experiment));
            bench.start("t");
            assert!(bench.switches.entry(5));
            let experiments = &bench.worker.experiments;
            let running = experiments.running().unwrap();
            let visit =
                |counter| experiments.visit(&running, &bench.counters, &bench.switches, counter, || 1);
            let seen = [5, 0, 5, 5].map(visit);
            let observed = bench.finish("t").observed.unwrap();
            assert!(!bench.switches.entry(5));
            (seen, observed)
        };
        let watch = Watch { visited: true, ..Watch::default() };
        let (seen, observed) = visits(Experiment::watching("a".into(), Sites::Instructions, watch, 9));
        assert_eq!((seen, observed.visited), ([Visit::Passed; 4], vec![site.clone()]));
        let when = When { within: Within::Executions("a".into()), visits: Visits::FirstOfEach };
        let (seen, observed) = visits(Experiment { sites: Sites::At(vec![site]), when, ..every("a", 9) });
        assert_eq!(seen, [Visit::Passed, Visit::Prepared, Visit::HitWithin, Visit::Passed]);
        assert_eq!((observed.reached, observed.executions.iter().count()), (1, 1));
    }

    #[test]
    fn only_the_named_execution_is_hit_and_where_exceptions_are_followed_no_try_asks() {
        let mut bench = Bench::new();
        bench.counters.allocate(20).unwrap();
        bench.worker.experiments.woven(&class(0), &[], &bench.switches);
        let when = When { within: Within::Executions("a".into()), visits: Visits::Only(1) };
        bench.request(&run(Experiment { when, ..every("a", 3) }));
        bench.start("t");
        let running = bench.worker.experiments.running().unwrap();
        let visit = |_| bench.worker.experiments.visit(&running, &bench.counters, &bench.switches, 0, || 9);
        let expected = [Visit::Passed, Visit::HitAtTry(Some(1)), Visit::Passed, Visit::TooMany(3)];
        assert_eq!([0; 4].map(visit), expected);
        assert_eq!(bench.finish("t").observed.unwrap().reached, 1);
        let passing = Passing { pair: "a".into(), exception: "bType".into() };
        let watch = Watch { passing: Some(passing), ..Watch::default() };
        bench.request(&run(Experiment { when: When::default(), act: Act::Nothing, watch, ..every("a", 3) }));
        bench.start("t");
        assert_eq!([0, 1, 2].map(|counter| bench.switches.entry(counter)), [false, false, true]);
    }

    #[test]
    fn samples_are_wanted_once_per_test_of_what_a_clause_catches_and_not_while_injecting() {
        let mut bench = Bench::new();
        bench.counters.allocate(3).unwrap();
        bench.worker.experiments.woven(&class(0), &[], &bench.switches);
        assert!(bench.worker.wants_sample(1, "aType"));
        assert!(bench.worker.wants_sample(1, "narrowerType") && !bench.worker.wants_sample(0, "aType"));
        bench.worker.sample(1, Sample { exception: "aType".into(), ..Sample::default() });
        assert!(!bench.worker.wants_sample(1, "aType"));
        assert_eq!(bench.finish("t").samples.len(), 1);
        assert_eq!(bench.finish("t").samples.len(), 0);
        assert!(bench.worker.wants_sample(1, "aType"));
        bench.request(&run(every("a", 1)));
        bench.start("t");
        assert!(!bench.worker.wants_sample(2, "bType"));
    }

    #[test]
    fn a_jvm_that_ends_unasked_names_the_test() {
        let mut bench = Bench::new();
        bench.start("t");
        bench.worker.jvm_ends();
        assert_eq!(bench.event(), Event::Ending { cause: Ending::Exit, test: Some("t".into()) });
        bench.finish("t");
        bench.request(&Request::Stop);
        bench.worker.jvm_ends();
        bench.controller.set_nonblocking(true).unwrap();
        assert!(Event::receive(&mut bench.controller).is_err(), "nothing to say");
    }

    #[test]
    fn only_a_jvm_without_memory_or_threads_is_exhausted() {
        assert_eq!(exhausted(EXHAUSTED_HEAP, Some(0.01)), Some(Exhausted::Memory));
        assert_eq!(exhausted(EXHAUSTED_HEAP, None), Some(Exhausted::Memory));
        assert_eq!(exhausted(EXHAUSTED_HEAP | 1, Some(0.5)), None);
        assert_eq!(exhausted(EXHAUSTED_THREADS, Some(0.5)), Some(Exhausted::Threads));
        assert_eq!(exhausted(1, Some(0.01)), None, "more than an array can have");
    }

    #[test]
    fn memory_that_is_used_up_in_a_test_that_passes_is_told_once_and_ends_nothing() {
        let mut bench = Bench::new();
        bench.start("t");
        bench.worker.memory_used_up();
        bench.worker.memory_used_up();
        assert_eq!(bench.event(), Event::MemoryUsedUp);
        assert_eq!(bench.finish("t").outcome, PASSED);
    }
}
