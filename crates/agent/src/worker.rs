//! A worker's side of the conversation with the controller, and what it knows of the running test.
//!
//! No JVM here; the natives in `jvm/lab.rs` translate. One thread, the driver's, asks and reports; records and endings come
//! from any thread. Without a controller a worker is of no use: whenever the socket fails, the process ends.

use crate::callers::Callers;
use crate::injection::{Experiment, Injections};
use crate::lock;
use crate::mapping::{CounterFile, Switches, end_process};
use crate::snapshots::{LeftSlots, Snapshots};
use catchment_protocol::WORKER_ENDED_EXIT;
use catchment_protocol::lab::{
    Ending, Event, Failure, Injection, Outcome, Request, Sample, TestRun, TestUnit,
};
use catchment_protocol::records::Record;
use rustc_hash::FxHashSet;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
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
    pub(crate) injections: Injections,
    pub(crate) callers: Callers,
    session: Mutex<Session>,
    snapshots: Mutex<Snapshots>,
    left_slots: LeftSlots,
    is_blue: AtomicBool,
    notes: Mutex<Notes>,
    has_stopped: AtomicBool,
}

/// Between one request and the next.
#[derive(Debug, Default)]
struct Session {
    is_suite: bool,
    injection: Option<Injection>,
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

/// What any thread may add while a test runs.
#[derive(Debug, Default)]
struct Notes {
    external: Vec<String>,
    samples: Vec<(u32, Sample)>,
    sampled: FxHashSet<(u32, String)>,
}

/// A test that has ended, as far as the agent's own books go.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) experiment: Option<Arc<Experiment>>,
    /// Numbers of the threads there were before it; `None` when it never began.
    pub(crate) threads: Option<FxHashSet<u64>>,
    micros: u64,
    counted: Vec<(u32, u64)>,
}

impl Worker {
    pub(crate) fn connect(socket: &Path, java_version: &str) -> io::Result<Self> {
        let stream = UnixStream::connect(socket)?;
        Ok(Self {
            requests: Mutex::new(stream.try_clone()?),
            events: Mutex::new(stream),
            java_version: java_version.to_owned(),
            injections: Injections::default(),
            callers: Callers::default(),
            session: Mutex::default(),
            snapshots: Mutex::default(),
            left_slots: LeftSlots::default(),
            is_blue: AtomicBool::new(false),
            notes: Mutex::default(),
            has_stopped: AtomicBool::new(false),
        })
    }

    /// The next order for the driver; `None` when it is to end.
    pub(crate) fn next(&self) -> Option<Vec<String>> {
        let request = Request::receive(&mut *lock(&self.requests));
        let Ok(Some(request)) = request else { end_process(WORKER_ENDED_EXIT) };
        let mut session = lock(&self.session);
        *session = Session::default();
        let order = |verb: &str, rest: Vec<String>| Some([vec![verb.to_owned()], rest].concat());
        match request {
            Request::Discover { classes } => order("discover", classes),
            Request::RunSuite { classes } => {
                session.is_suite = true;
                order("suite", classes)
            }
            Request::RunTest { test, injection } => {
                session.injection = injection;
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

    pub(crate) fn unit(&self, unit: TestUnit) {
        let mut session = lock(&self.session);
        if session.is_suite {
            self.send(&Event::Unit(unit));
        } else {
            session.units.push(unit);
        }
    }

    pub(crate) fn problem(&self, what: String) {
        lock(&self.session).problems.push(what);
    }

    pub(crate) fn discovered(&self) {
        let mut session = lock(&self.session);
        let (tests, problems) = (std::mem::take(&mut session.units), std::mem::take(&mut session.problems));
        self.send(&Event::Discovered { tests, problems });
    }

    pub(crate) fn suite_finished(&self) {
        let problems = std::mem::take(&mut lock(&self.session).problems);
        self.send(&Event::SuiteFinished { problems });
    }

    /// A test begins: what is counted from here on is its, and what was asked for throws. `threads` are those there are.
    pub(crate) fn test_started(
        &self,
        test: String,
        threads: FxHashSet<u64>,
        counters: &CounterFile,
        switches: &Switches,
    ) {
        self.send(&Event::TestStarted { test: test.clone() });
        let injection = {
            let mut session = lock(&self.session);
            session.running = Some(Running { test, since: Instant::now(), threads });
            session.injection.clone()
        };
        lock(&self.notes).external.clear();
        self.is_blue.store(false, Ordering::SeqCst);
        lock(&self.snapshots).begin(counters, &self.left_slots);
        switches.set_escapes(true);
        if let Some(injection) = injection {
            self.injections.arm(injection, switches);
        }
    }

    /// A test has ended; nothing throws any more. To be followed by `test_finished`.
    pub(crate) fn test_ended(&self, counters: &CounterFile, switches: &Switches) -> Ended {
        let experiment = self.injections.disarm(switches);
        switches.set_escapes(false);
        let running = lock(&self.session).running.take();
        let micros = running.as_ref().map_or(0, |running| running.since.elapsed().as_micros());
        let counted = match running {
            Some(_) => lock(&self.snapshots).end(counters, &self.left_slots),
            None => Vec::new(),
        };
        Ended {
            experiment,
            threads: running.map(|running| running.threads),
            micros: u64::try_from(micros).unwrap_or(u64::MAX),
            counted,
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
        let (external, samples) = {
            let mut notes = lock(&self.notes);
            (std::mem::take(&mut notes.external), std::mem::take(&mut notes.samples))
        };
        self.send(&Event::TestFinished(TestRun {
            test,
            outcome,
            failure,
            micros: ended.micros,
            counted: ended.counted,
            blue: self.is_blue.load(Ordering::SeqCst),
            external,
            threads_left,
            samples,
            injected: ended.experiment.map(|experiment| experiment.outcome()),
        }));
    }

    /// An exception left a method of the application into test code. Asking once per test is enough.
    pub(crate) fn test_is_blue(&self, switches: &Switches) {
        self.is_blue.store(true, Ordering::SeqCst);
        switches.set_escapes(false);
    }

    pub(crate) fn connected_to(&self, address: String) {
        let mut notes = lock(&self.notes);
        if !notes.external.contains(&address) {
            notes.external.push(address);
        }
    }

    /// Whether an exception of this class at this clause is worth a look: nothing is injected, the clause names exactly this
    /// class, and there is no sample yet.
    pub(crate) fn wants_sample(&self, counter: u32, exception: &str) -> bool {
        self.injections.clause_names(counter, exception)
            && self.injections.running().is_none()
            && !lock(&self.notes).sampled.contains(&(counter, exception.to_owned()))
    }

    pub(crate) fn sample(&self, counter: u32, sample: Sample) {
        let mut notes = lock(&self.notes);
        if notes.sampled.insert((counter, sample.exception.clone())) {
            notes.samples.push((counter, sample));
        }
    }

    /// To be called before the slot of the thread is free for others.
    pub(crate) fn thread_ended(&self, thread: u64) {
        self.left_slots.thread_ended(thread);
    }

    pub(crate) fn record(&self, record: &Record) {
        self.send(&Event::Record(record.clone()));
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
        let test = lock(&self.session).running.as_ref().map(|running| running.test.clone());
        self.send(&Event::Ending { cause, test });
    }

    pub(crate) fn send(&self, event: &Event) {
        if event.send(&mut *lock(&self.events)).is_err() && !self.has_stopped.load(Ordering::SeqCst) {
            end_process(WORKER_ENDED_EXIT);
        }
    }
}

/// Whether a JVM that could not give what it was asked for has reached its end. `flags` are those of the JVM's event,
/// `free_memory` the share of its memory that is free.
pub(crate) fn is_exhausted(flags: i32, free_memory: Option<f64>) -> bool {
    let has_no_memory = free_memory.is_none_or(|free| free < HEALTHY_FREE_MEMORY);
    flags & EXHAUSTED_THREADS != 0 || (flags & EXHAUSTED_HEAP != 0 && has_no_memory)
}
