//! A worker: a JVM started as the build starts its test JVM, in which our driver runs tests on demand.
//!
//! The controller listens on a Unix socket, the agent in the worker connects to it. Whatever the tested code does to its
//! JVM (exit, crash, hang, exhaust the memory, flood its output, leave children behind) ends at most this worker, and
//! [`WorkerEnd`] says how.

mod command;
mod heap;
mod lasting;
mod output;
mod patience;
mod socket;
mod sweep;

pub(crate) use command::WorkerSetup;
pub(crate) use patience::Silence;
pub(crate) use sweep::sweep;

use catchment_build::processor_time;
use catchment_protocol::conversation::{Ending, Event, Request, TestRun, TestUnit};
use catchment_protocol::experiment::Experiment;
use catchment_watch::unix;
use output::Output;
use patience::Patience;
use socket::AgentSocket;
use std::fs;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A JVM with a large class path and other agents may take long to start on a loaded machine.
const START_TIME: Duration = Duration::from_secs(120);
/// The interval at which a wait looks whether everything is to stop.
const TICK: Duration = Duration::from_millis(100);
/// A JVM that was asked to end, or that said it is ending, may take this long to run its shutdown hooks.
const END_TIME: Duration = Duration::from_secs(5);
/// For the thread dump of a JVM that does not answer. One that collects garbage without end takes its time.
const DUMP_TIME: Duration = Duration::from_secs(3);

/// Set when the user wants the run to end; workers then stop waiting.
pub(crate) type Interrupt = AtomicBool;

/// The end of a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkerEnd {
    /// No answer in time; the stacks of its threads, as far as it could still tell.
    Timeout {
        stacks: String,
    },
    /// The try was entered without end.
    EndlessLoop {
        fired: u64,
    },
    /// The tested code ended the JVM.
    Exit {
        code: Option<i32>,
    },
    OutOfMemory,
    /// The JVM died; what it said last.
    Crash {
        what: String,
    },
    /// The driver cannot work there.
    Unusable {
        what: String,
    },
    /// The user wants the whole run to end.
    Interrupted,
    /// The budget is used up.
    OutOfTime,
}

impl std::fmt::Display for WorkerEnd {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Timeout { .. } => out.write_str("no answer in time"),
            Self::EndlessLoop { fired } => write!(out, "the try was entered {fired} times, without end"),
            Self::Exit { code: Some(code) } => write!(out, "the code ended the JVM with exit code {code}"),
            Self::Exit { code: None } => out.write_str("the code ended the JVM"),
            Self::OutOfMemory => out.write_str("no memory left"),
            Self::Crash { what } => write!(out, "the JVM died: {what}"),
            Self::Unusable { what } => out.write_str(what),
            Self::Interrupted => out.write_str("interrupted"),
            Self::OutOfTime => out.write_str("the budget was used up"),
        }
    }
}

/// The Java and the test framework of a worker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Jvm {
    /// `17.0.15`.
    pub(crate) java: String,
    /// `JUnit Platform 1.11.2`.
    pub(crate) framework: String,
}

/// The receiver of the events of a worker while it starts or serves a request; the answer to the request is none of them.
pub(crate) trait Listener {
    /// The JVM is up.
    fn ready(&mut self, jvm: Jvm);
    fn event(&mut self, event: Event);
}

#[derive(Debug)]
pub(crate) struct Worker {
    child: Child,
    socket: UnixStream,
    output: Output,
    error_file: PathBuf,
    marker: String,
    interrupt: &'static Interrupt,
    /// The moment at which the budget is used up, whatever is being waited for.
    end: Option<Instant>,
    has_ended: bool,
}

impl Worker {
    /// Starts the JVM and waits until its driver is ready.
    pub(crate) fn start(
        setup: &WorkerSetup,
        listener: &mut dyn Listener,
        interrupt: &'static Interrupt,
    ) -> Result<Self, WorkerEnd> {
        let failed = |what: &str, error: io::Error| WorkerEnd::Unusable {
            what: format!("cannot start a worker JVM: {what}: {error}"),
        };
        setup.create_folders().map_err(|error| failed("no folders for it", error))?;
        let agent_socket = AgentSocket::open(&setup.scratch).map_err(|error| failed("no socket", error))?;
        let mut command = setup.command(agent_socket.path());
        unix::end_with_parent(&mut command);
        let mut child = lasting::spawn(command)
            .map_err(|error| failed(&setup.configuration.java.display().to_string(), error))?;
        let output = Output::drain(&mut child);
        let accepted = accept(&agent_socket, &mut child, interrupt, setup.end);
        // Whoever was to connect has.
        drop(agent_socket);
        let (socket, end) = match accepted {
            Ok(socket) => (socket, None),
            Err(end) => match UnixStream::pair() {
                Ok((unused, _)) => (unused, Some(end)),
                Err(error) => return Err(failed("no socket", error)),
            },
        };
        let mut worker = Self {
            child,
            socket,
            output,
            error_file: setup.error_file(),
            marker: setup.marker.clone(),
            interrupt,
            end: setup.end,
            has_ended: false,
        };
        match end {
            Some(end) => Err(worker.diagnosed_start(end)),
            None => worker.await_ready(listener).map(|()| worker),
        }
    }

    fn await_ready(&mut self, listener: &mut dyn Listener) -> Result<(), WorkerEnd> {
        let deadline = Instant::now() + START_TIME;
        loop {
            match self.next_event(deadline) {
                Ok(Event::Ready { java_version, framework, .. }) => {
                    // Behind the sign is the number of the build.
                    let java = java_version.split('+').next().unwrap_or_default().to_owned();
                    listener.ready(Jvm { java, framework });
                    return Ok(());
                }
                Ok(other) => listener.event(other),
                Err(end @ WorkerEnd::Unusable { .. }) => return Err(end),
                Err(end) => return Err(self.diagnosed_start(end)),
            }
        }
    }

    /// A JVM that never became ready is not a crash of tested code: its last words say what is wrong with the set-up.
    fn diagnosed_start(&mut self, end: WorkerEnd) -> WorkerEnd {
        self.kill();
        match end {
            end @ (WorkerEnd::Interrupted | WorkerEnd::OutOfTime) => end,
            end => WorkerEnd::Unusable {
                what: format!("the worker JVM did not come up ({end}): {}", self.output.last_line()),
            },
        }
    }

    pub(crate) fn discover(
        &mut self,
        classes: &[String],
        listener: &mut dyn Listener,
        limit: Duration,
    ) -> Result<(Vec<TestUnit>, Vec<String>), WorkerEnd> {
        self.ask(&Request::Discover { classes: classes.to_vec() })?;
        let deadline = Instant::now() + limit;
        loop {
            match self.next_event(deadline)? {
                Event::Discovered { tests, problems } => return Ok((tests, problems)),
                other => listener.event(other),
            }
        }
    }

    /// Runs the classes as one suite; `silence` is the time without any sign of life, and `until` the moment at which it has
    /// used up its share of the budget.
    pub(crate) fn run_suite(
        &mut self,
        classes: &[String],
        experiment: Option<Experiment>,
        listener: &mut dyn Listener,
        silence: Silence,
        until: Option<Instant>,
    ) -> Result<Vec<String>, WorkerEnd> {
        self.ask(&Request::RunSuite { classes: classes.to_vec(), experiment })?;
        loop {
            self.require_time(until)?;
            match self.next_event_within(Patience::with(silence, Instant::now()))? {
                Event::SuiteFinished { problems, entered } => {
                    listener.event(Event::SuiteFinished { problems: Vec::new(), entered });
                    return Ok(problems);
                }
                other => listener.event(other),
            }
        }
    }

    pub(crate) fn run_test(
        &mut self,
        test: &str,
        experiment: Option<Experiment>,
        listener: &mut dyn Listener,
        limit: Duration,
    ) -> Result<TestRun, WorkerEnd> {
        self.ask(&Request::RunTest { test: test.to_owned(), experiment })?;
        let deadline = Instant::now() + limit;
        loop {
            match self.next_event(deadline)? {
                Event::TestFinished(run) => return Ok(run),
                other => listener.event(other),
            }
        }
    }

    /// Ends the JVM in good order, if it still can.
    pub(crate) fn stop(mut self) {
        if Request::Stop.send(&mut self.socket).is_ok() {
            self.wait_for_end(END_TIME);
        }
    }

    fn ask(&mut self, request: &Request) -> Result<(), WorkerEnd> {
        request.send(&mut self.socket).map_err(|_| self.last_words())
    }

    /// The reason for the end: the worker may have sent one before the connection broke.
    fn last_words(&mut self) -> WorkerEnd {
        loop {
            if let Err(end) = self.receive() {
                return end;
            }
        }
    }

    fn next_event(&mut self, deadline: Instant) -> Result<Event, WorkerEnd> {
        self.next_event_within(Patience::until(deadline))
    }

    fn next_event_within(&mut self, mut patience: Patience) -> Result<Event, WorkerEnd> {
        let group = self.child.id();
        loop {
            if self.interrupt.load(Ordering::Relaxed) {
                self.kill();
                return Err(WorkerEnd::Interrupted);
            }
            self.require_time(self.end)?;
            let Some(left) = patience.left(Instant::now(), || processor_time(group)) else {
                return Err(self.timed_out());
            };
            match unix::wait_readable(&self.socket, left.min(TICK)) {
                Ok(false) => {}
                Ok(true) => return self.receive(),
                Err(error) => return Err(WorkerEnd::Crash { what: error.to_string() }),
            }
        }
    }

    fn require_time(&mut self, until: Option<Instant>) -> Result<(), WorkerEnd> {
        if until.is_none_or(|until| Instant::now() < until) {
            return Ok(());
        }
        self.kill();
        Err(WorkerEnd::OutOfTime)
    }

    fn receive(&mut self) -> Result<Event, WorkerEnd> {
        match Event::receive(&mut self.socket) {
            Ok(Some(Event::Ending { cause, .. })) => Err(self.ending(cause)),
            Ok(Some(Event::Unusable { what })) => {
                self.kill();
                Err(WorkerEnd::Unusable { what })
            }
            Ok(Some(event)) => Ok(event),
            Ok(None) | Err(_) => Err(self.how_it_ended()),
        }
    }

    fn ending(&mut self, cause: Ending) -> WorkerEnd {
        match cause {
            Ending::Exit => {
                let status = self.wait_for_end(END_TIME);
                WorkerEnd::Exit { code: status.and_then(|status| status.code()) }
            }
            Ending::OutOfMemory => {
                self.kill();
                WorkerEnd::OutOfMemory
            }
            Ending::EndlessLoop { fired } => {
                self.kill();
                WorkerEnd::EndlessLoop { fired }
            }
        }
    }

    fn timed_out(&mut self) -> WorkerEnd {
        let before = self.output.mark();
        unix::ask_for_stacks(self.child.id());
        let deadline = Instant::now() + DUMP_TIME;
        let mut stacks = self.output.text_since(before);
        while !heap::is_told(&stacks) && Instant::now() < deadline {
            std::thread::sleep(TICK);
            stacks = self.output.text_since(before);
        }
        self.kill();
        if heap::is_full(&stacks) { WorkerEnd::OutOfMemory } else { WorkerEnd::Timeout { stacks } }
    }

    /// The socket is closed: the JVM has ended or is about to.
    fn how_it_ended(&mut self) -> WorkerEnd {
        let status = self.wait_for_end(END_TIME);
        let hs_err = fs::read_to_string(&self.error_file).ok();
        let problem = hs_err.as_deref().and_then(|text| text.lines().find(|line| line.starts_with("#  ")));
        if let Some(problem) = problem {
            return WorkerEnd::Crash { what: problem.trim_start_matches(['#', ' ']).to_owned() };
        }
        let what = match status {
            Some(status) => format!("{status}; {}", self.output.last_line()),
            None => format!("it closed its socket; {}", self.output.last_line()),
        };
        WorkerEnd::Crash { what }
    }

    /// Gives the JVM some time to end by itself, then ends it.
    fn wait_for_end(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        let mut status = None;
        while Instant::now() < deadline {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(2)),
                Ok(Some(ended)) => {
                    status = Some(ended);
                    break;
                }
                Err(_) => break,
            }
        }
        self.kill();
        status
    }

    /// Ends the JVM and everything it started.
    fn kill(&mut self) {
        if !self.has_ended {
            self.has_ended = true;
            unix::kill_group(self.child.id());
            // Reaped here, so its number cannot be taken by another process before.
            let _ = self.child.wait();
            sweep(&self.marker);
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

fn accept(
    agent_socket: &AgentSocket,
    child: &mut Child,
    interrupt: &Interrupt,
    end: Option<Instant>,
) -> Result<UnixStream, WorkerEnd> {
    let deadline = Instant::now() + START_TIME;
    let user = unix::user_id();
    while Instant::now() < deadline {
        if interrupt.load(Ordering::Relaxed) {
            return Err(WorkerEnd::Interrupted);
        }
        if end.is_some_and(|end| Instant::now() >= end) {
            return Err(WorkerEnd::OutOfTime);
        }
        if let Some(connection) = agent_socket.accept(user, TICK) {
            return Ok(connection);
        }
        if let Ok(Some(status)) = child.try_wait() {
            return Err(WorkerEnd::Crash { what: status.to_string() });
        }
    }
    Err(WorkerEnd::Timeout { stacks: String::new() })
}
