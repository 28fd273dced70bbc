//! A slot: a place where one JVM at a time runs tests, in its own copies of the project.
//!
//! `--jobs` slots work side by side. Each keeps one warm worker and starts fresh JVMs beside it where needed.

pub(crate) mod counters;
pub(crate) mod entered;
pub(crate) mod events;
pub(crate) mod turns;

use crate::session::{LabError, Session};
use crate::slot::counters::PairNumbers;
use crate::slot::events::WorkerEvents;
use crate::worker::{Silence, Worker, WorkerEnd, WorkerSetup};
use catchment_build::RunConfiguration;
use catchment_protocol::conversation::{TestRun, TestUnit};
use catchment_protocol::equipment::Equipment;
use catchment_protocol::experiment::{Act, Experiment};
use catchment_watch::unix;
use std::collections::{HashSet, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The least that a worker may take where the build does not say how much.
const LEAST_HEAP_MIB: u64 = 512;

/// Workers replaced for threads that a test has left behind, all slots together, before that is too often.
const CLEAN_STARTS: u32 = 50;
/// From then on a worker has to have run so many tests of the kind.
const LITTERED_TESTS: u32 = 10;

/// A JVM and what it has told.
#[derive(Debug)]
pub(crate) struct Running<'a> {
    worker: Worker,
    pub(crate) events: WorkerEvents<'a>,
    configuration: usize,
    /// Tests and classes that have run here with nothing armed: whatever happens once per JVM has happened for them.
    settled: HashSet<String>,
}

/// The run of a class: what its JVM reported of the tests.
#[derive(Debug)]
pub(crate) struct ClassRun {
    pub(crate) finished: Vec<TestRun>,
    /// The test in which the JVM ended.
    pub(crate) running: Option<String>,
    /// The end of the JVM, if it ended.
    pub(crate) end: Option<WorkerEnd>,
}

impl ClassRun {
    /// `None` for a test that did not run to its end, or in several parts.
    pub(crate) fn of_test(&self, test: &str) -> Option<&TestRun> {
        let mut parts = self.finished.iter().filter(|run| run.test == test);
        parts.next().filter(|_| parts.next().is_none())
    }
}

impl Running<'_> {
    pub(crate) fn discover(&mut self, classes: &[String]) -> Result<(Vec<TestUnit>, Vec<String>), WorkerEnd> {
        let discovered = self.worker.discover(classes, &mut self.events, Duration::from_secs(600));
        discovered.iter().for_each(|(units, _)| self.events.entered.know(units));
        discovered
    }

    /// Up to `steps` tests are steps of the progress; how many of them were not needed is left in it.
    pub(crate) fn run_suite(
        &mut self,
        classes: &[String],
        silence: Silence,
        until: Option<Instant>,
        steps: &mut u64,
    ) -> Result<Vec<String>, WorkerEnd> {
        self.events.steps_left = *steps;
        self.events.entered.begin_suite();
        let result = self.worker.run_suite(classes, None, &mut self.events, silence, until);
        self.events.end_of_run(result.is_err());
        *steps = std::mem::take(&mut self.events.steps_left);
        self.explained(result)
    }

    /// A JVM without memory collects garbage for ever.
    fn explained<T>(&self, result: Result<T, WorkerEnd>) -> Result<T, WorkerEnd> {
        match result {
            Err(WorkerEnd::Timeout { .. }) if self.events.has_no_memory => Err(WorkerEnd::OutOfMemory),
            other => other,
        }
    }

    /// Runs all tests of one class and says how many microseconds that took from here.
    pub(crate) fn run_class(
        &mut self,
        class: &str,
        experiment: Option<Experiment>,
        limit: Duration,
    ) -> Result<(ClassRun, u64), LabError> {
        if experiment.is_none() {
            self.settled.insert(class.to_owned());
        }
        self.events.finished.clear();
        self.events.running = None;
        let start = Instant::now();
        let classes = [class.to_owned()];
        let silence = Silence::of(limit);
        self.events.entered.begin(experiment.is_some());
        let result = self.worker.run_suite(&classes, experiment, &mut self.events, silence, None);
        self.events.end_of_run(result.is_err());
        let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        let end = unless_over(self.explained(result))?.err();
        let finished = std::mem::take(&mut self.events.finished);
        finished.iter().for_each(|run| self.events.session.turns.note(run));
        Ok((ClassRun { finished, running: self.events.running.take(), end }, micros))
    }

    /// Runs one test and says how many microseconds that took from here.
    pub(crate) fn run_test(
        &mut self,
        test: &str,
        experiment: Option<Experiment>,
        limit: Duration,
    ) -> Result<(Result<TestRun, WorkerEnd>, u64), LabError> {
        if experiment.as_ref().is_none_or(|experiment| experiment.act == Act::Nothing) {
            self.settled.insert(test.to_owned());
        }
        // Not every JVM comes as far as to begin the test.
        (self.events.fired, self.events.has_no_memory) = (None, false);
        let start = Instant::now();
        self.events.entered.begin_test(test, experiment.is_some());
        let result = self.worker.run_test(test, experiment, &mut self.events, limit);
        result.iter().for_each(|run| self.events.entered_by(run));
        self.events.end_of_run(result.is_err());
        let micros = u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX);
        result.iter().for_each(|run| self.events.session.turns.note(run));
        Ok((unless_over(self.explained(result))?, micros))
    }

    /// Tells whether the test, or the class, has had a plain run in this JVM.
    pub(crate) fn has_settled(&self, name: &str) -> bool {
        self.settled.contains(name)
    }

    pub(crate) fn stop(self) {
        self.worker.stop();
    }
}

/// The end of a JVM is a result of a run, unless everything is to end.
fn unless_over<T>(result: Result<T, WorkerEnd>) -> Result<Result<T, WorkerEnd>, LabError> {
    match result {
        Err(end @ (WorkerEnd::Interrupted | WorkerEnd::OutOfTime)) => Err(end.into()),
        other => Ok(other),
    }
}

/// Classes that the JVMs of a slot run in place of those that were built.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// By their path in the copy of the project.
    pub(crate) files: Vec<(PathBuf, Vec<u8>)>,
    /// Ids that pairs have in the changed classes.
    pub(crate) ids: PairNumbers,
}

/// The work for which a JVM is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JvmUse {
    /// A whole suite, which may run for minutes.
    Suite,
    /// Single tests, many after each other.
    Warm,
    /// One test, beside the warm worker.
    Fresh,
}

/// A copy of the project in which one JVM at a time runs.
#[derive(Debug)]
struct Room {
    copy: PathBuf,
    /// For temporary files, as home, and for what the agent writes.
    scratch: PathBuf,
    configurations: Vec<RunConfiguration>,
}

impl Room {
    fn new(session: &Session<'_>, folder: &Path, name: &str) -> io::Result<Self> {
        let copy = folder.join("project").join(name);
        fs::create_dir_all(&copy)?;
        let copy = fs::canonicalize(copy)?;
        let moved = |each: &RunConfiguration| each.relocate(&session.project.workspace.root, &copy);
        let configurations = session.project.configurations.iter().map(moved).collect();
        Ok(Self { copy, scratch: folder.join(name), configurations })
    }

    /// Undoes what the JVM before may have done to the files, and makes the changes.
    fn tidy(&self, session: &Session<'_>, changes: &Changes) -> Result<(), WorkerEnd> {
        let made = session.project.workspace.fork(&self.copy).map(|_| ());
        let changed = made.and_then(|()| changes.files.iter().try_for_each(|file| self.change(file)));
        changed.map_err(|error| WorkerEnd::Unusable { what: error.to_string() })
    }

    /// A test of the build may have deleted it; the build tool makes it for every JVM.
    fn make_working_folder(&self, configuration: &RunConfiguration) -> Result<(), WorkerEnd> {
        let folder = &configuration.working_folder;
        let is_ours = folder.starts_with(&self.copy) && !folder.exists();
        let made = if is_ours { fs::create_dir_all(folder) } else { Ok(()) };
        made.map_err(|error| WorkerEnd::Unusable { what: format!("{}: {error}", folder.display()) })
    }

    fn change(&self, (path, content): &(PathBuf, Vec<u8>)) -> io::Result<()> {
        let path = self.copy.join(path);
        // Whoever cannot write into a file may still put another in its place.
        fs::remove_file(&path)?;
        fs::write(&path, content)
    }
}

#[derive(Debug)]
pub(crate) struct Slot<'a> {
    pub(crate) session: &'a Session<'a>,
    number: usize,
    warm_room: Room,
    /// Of its own: what a warm worker's tests leave behind must not decide what a fresh JVM says.
    fresh_room: Room,
    warm: Option<Running<'a>>,
    started: u64,
    /// Tests that have left threads behind in the warm worker.
    littered: u32,
    changes: Changes,
    equipment: Equipment,
}

impl<'a> Slot<'a> {
    pub(crate) fn new(session: &'a Session<'a>, number: usize) -> io::Result<Self> {
        let folder = slot_folder(&session.folder, number);
        let (warm_room, fresh_room) =
            (Room::new(session, &folder, "warm")?, Room::new(session, &folder, "fresh")?);
        Ok(Self {
            session,
            number,
            warm_room,
            fresh_room,
            warm: None,
            started: 0,
            littered: 0,
            changes: Changes::default(),
            equipment: Equipment::NONE,
        })
    }

    /// From now on JVMs run these classes, and those of earlier changes as they were built.
    pub(crate) fn change(&mut self, changes: Changes) {
        self.retire();
        self.changes = changes;
    }

    /// From now on JVMs of this slot have this equipment.
    pub(crate) fn equip(&mut self, equipment: Equipment) {
        if self.equipment != equipment {
            self.retire();
            self.equipment = equipment;
        }
    }

    /// The warm worker for this configuration, started if there is none.
    pub(crate) fn warm(&mut self, configuration: usize) -> Result<&mut Running<'a>, WorkerEnd> {
        if self.warm.as_ref().is_some_and(|warm| warm.configuration != configuration) {
            self.retire();
        }
        let running = match self.warm.take() {
            Some(running) => running,
            None => {
                self.littered = 0;
                self.start(configuration, JvmUse::Warm)?
            }
        };
        Ok(self.warm.insert(running))
    }

    /// The next one asked for is another JVM.
    pub(crate) fn retire(&mut self) {
        if let Some(warm) = self.warm.take() {
            warm.stop();
        }
    }

    /// The worker is gone or not to be trusted.
    pub(crate) fn discard(&mut self) {
        if self.warm.take().is_some() {
            self.session.stats().replaced += 1;
        }
    }

    /// Of the warm worker, if there is one.
    pub(crate) fn warm_configuration(&self) -> Option<usize> {
        self.warm.as_ref().map(|warm| warm.configuration)
    }

    /// One more test has left threads behind. Tells if the worker is to be replaced for it: what they go on doing would be
    /// taken for the doing of the tests that follow, and may cost them a core. Where many tests leave some, a JVM each is too
    /// much.
    pub(crate) fn note_litter(&mut self) -> bool {
        self.littered += 1;
        let clean_starts = &self.session.clean_starts;
        let is_replaced =
            clean_starts.load(Ordering::Relaxed) < CLEAN_STARTS || self.littered >= LITTERED_TESTS;
        clean_starts.fetch_add(u32::from(is_replaced), Ordering::Relaxed);
        is_replaced
    }

    /// A JVM beside the warm one.
    pub(crate) fn start(&mut self, configuration: usize, jvm_use: JvmUse) -> Result<Running<'a>, WorkerEnd> {
        let begun = Instant::now();
        self.started += 1;
        let room = if jvm_use == JvmUse::Fresh { &self.fresh_room } else { &self.warm_room };
        room.tidy(self.session, &self.changes)?;
        let run_configuration = room.configurations[configuration].clone();
        room.make_working_folder(&run_configuration)?;
        let needed = run_configuration.tests.iter().chain([&run_configuration.working_folder]);
        let needed = needed.filter(|path| path.exists()).cloned().collect();
        // What changed classes do is no dependency of anything.
        let is_as_built = self.changes == Changes::default();
        let entered = if is_as_built { Equipment::ENTERED } else { Equipment::NONE };
        let equipment = self.equipment.union(entered);
        let setup = WorkerSetup {
            configuration: run_configuration,
            agent: self.session.agent.clone(),
            scratch: room.scratch.clone(),
            marker: format!("{}-{}-{}", std::process::id(), self.number, self.started),
            max_heap_mib: (unix::memory_mib() / 4 / self.session.jobs.max(1) as u64).max(LEAST_HEAP_MIB),
            runs_single_tests: jvm_use != JvmUse::Suite,
            equipment,
            end: self.session.end,
        };
        let mut events = WorkerEvents::new(self.session, configuration, self.changes.ids.clone(), needed);
        let worker = Worker::start(&setup, &mut events, self.session.interrupt)?;
        self.session.stats().workers.add(begun.elapsed().as_secs_f64());
        Ok(Running { worker, events, configuration, settled: HashSet::new() })
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.retire();
    }
}

pub(crate) fn slots_folder(folder: &Path) -> PathBuf {
    folder.join("workers")
}

fn slot_folder(folder: &Path, number: usize) -> PathBuf {
    slots_folder(folder).join(number.to_string())
}

/// Lets the slots take one item after the other, each a step of the progress, until none is left or the session is over.
/// Gives the results and the items that are left.
pub(crate) fn work_off<'a, I: Send, R: Send>(
    session: &Session<'_>,
    slots: &mut [Slot<'a>],
    items: impl Into<VecDeque<I>>,
    work: impl Fn(&mut Slot<'a>, I) -> Result<R, LabError> + Sync,
) -> Result<(Vec<R>, VecDeque<I>), LabError> {
    let (left, results) = (Mutex::new(items.into()), Mutex::new(Vec::new()));
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    in_parallel(slots, |slot| {
        while !session.is_over()
            && let Some(item) = next()
        {
            let result = work(slot, item)?;
            results.lock().unwrap_or_else(PoisonError::into_inner).push(result);
            session.reporter.step(1);
        }
        Ok::<_, LabError>(())
    })?;
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((results, left.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// Lets every slot work on its own thread until each says that there is nothing left for it.
pub(crate) fn in_parallel<'a, E: Send>(
    slots: &mut [Slot<'a>],
    work: impl Fn(&mut Slot<'a>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = slots.iter_mut().map(|slot| scope.spawn(|| work(slot))).collect();
        let mut outcome = Ok(());
        for thread in threads {
            let ended = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            outcome = outcome.and(ended);
        }
        outcome
    })
}
