//! Plays the controller for a worker whose tests are plain static methods.
#![expect(clippy::panic, clippy::result_large_err, reason = "helpers of tests fail as tests do")]

use catchment_protocol::conversation::{Event, Request, TestRun};
use catchment_protocol::equipment::Equipment;
use catchment_protocol::experiment::{Act, Experiment, Fault};
use catchment_protocol::options::AgentOptions;
use catchment_protocol::records::{Record, WovenClass};
use catchment_testkit::compilers::{Compiler, Job, files_with_extension};
use catchment_testkit::jdk;
use catchment_testkit::workspace::root;
use std::fs;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The Javas to run on, as far as they are here.
pub(crate) fn javas() -> impl Iterator<Item = u32> {
    [11, 17, 21, 25].into_iter().filter(|feature| jdk::is_here(*feature))
}

/// The class folders that make up a project.
pub(crate) struct Classes {
    pub(crate) application: PathBuf,
    /// Not on the class path.
    pub(crate) plugin: PathBuf,
    /// For Java 17 and later.
    pub(crate) modern: PathBuf,
    pub(crate) tests: PathBuf,
    pub(crate) driver: PathBuf,
}

pub(crate) fn classes() -> Classes {
    let folder = root().join("crates/watch/tests/worker/java");
    let compile = |name: &str, release: u32, class_path: &[&PathBuf], more: Option<PathBuf>| {
        let mut sources = files_with_extension(&folder.join(name), "java").expect("sources");
        sources.extend(more);
        let class_path = class_path.iter().map(|folder| (*folder).clone()).collect();
        let job = Job { sources, class_path, ..Job::default() };
        Compiler::Javac { jdk: 17, release }.compile(&job).expect("compiles")
    };
    let application = compile("app", 11, &[], None);
    let lab = root().join("jvm/runtime/catchment/runtime/Worker.java");
    Classes {
        tests: compile("tests", 11, &[&application], None),
        plugin: compile("plugin", 11, &[], None),
        modern: compile("modern", 17, &[], None),
        driver: compile("driver", 11, &[], Some(lab)),
        application,
    }
}

/// The `-agentpath` argument for these options, with the runtime filled in.
pub(crate) fn agent_argument(options: AgentOptions) -> String {
    let (library, runtime) = agent();
    let options = AgentOptions { runtime: runtime.clone(), ..options };
    format!("-agentpath:{}={}", library.display(), options.encode())
}

/// Paths of the agent library and its runtime, taken from the options of a watched command.
fn agent() -> &'static (PathBuf, PathBuf) {
    static AGENT: OnceLock<(PathBuf, PathBuf)> = OnceLock::new();
    AGENT.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("options");
        let mut command = Command::new("sh");
        command.args(["-c", "printf %s \"$JAVA_TOOL_OPTIONS\" > \"$1\"", "sh"]).arg(&file);
        command.env("JAVA_TOOL_OPTIONS", "");
        catchment_watch::watch_command(&mut command, &catchment_watch::WatchOptions::default())
            .expect("watches");
        let text = fs::read_to_string(&file).expect("options");
        let (library, options) = text
            .trim_matches('"')
            .strip_prefix("-agentpath:")
            .and_then(|text| text.split_once('='))
            .expect("an agent path");
        (library.into(), AgentOptions::parse(options).expect("options").runtime)
    })
}

pub(crate) struct Worker {
    pub(crate) child: Child,
    stream: UnixStream,
    pub(crate) woven: Vec<WovenClass>,
    /// How often the last test that began has told that its injection throws.
    pub(crate) fired: u32,
    _folder: tempfile::TempDir,
}

impl Worker {
    pub(crate) fn start(java: u32, classes: &Classes, jvm: &[&str], arguments: &[&str]) -> Self {
        Self::equipped(java, classes, Equipment::NONE, jvm, arguments)
    }

    fn equipped(
        java: u32,
        classes: &Classes,
        equipment: Equipment,
        jvm: &[&str],
        arguments: &[&str],
    ) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let options = AgentOptions {
            results: folder.path().to_owned(),
            application: vec![classes.application.clone(), classes.plugin.clone(), classes.modern.clone()],
            tests: vec![classes.tests.clone()],
            socket: Some(folder.path().join("socket")),
            equipment,
            ..AgentOptions::default()
        };
        let listener = UnixListener::bind(folder.path().join("socket")).expect("a socket");
        let mut command = jdk::runtime(java).expect("a Java").command("java");
        command.arg(agent_argument(options)).args(jvm);
        command.arg(format!("-Dplugin={}", classes.plugin.display()));
        let class_path = [&classes.application, &classes.modern, &classes.tests, &classes.driver];
        command.arg("-cp").arg(std::env::join_paths(class_path).expect("a class path"));
        command.arg("driver.Driver").args(arguments).stdin(Stdio::null());
        let child = command.spawn().expect("starts");
        let (stream, _) = listener.accept().expect("connects");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time limit");
        Self { child, stream, woven: Vec::new(), fired: 0, _folder: folder }
    }

    pub(crate) fn ask(&mut self, request: &Request) {
        request.send(&mut self.stream).expect("sends");
    }

    /// The next event that is no record; `None` when the worker has closed the socket.
    pub(crate) fn event(&mut self) -> Option<Event> {
        loop {
            match Event::receive(&mut self.stream).ok().flatten()? {
                Event::Record(Record::ClassWoven(class)) => self.woven.push(class),
                Event::Record(Record::Problem { place, what }) => panic!("{place}: {what}"),
                Event::Record(_) => {}
                Event::TestStarted { .. } => self.fired = 0,
                Event::Fired { .. } => self.fired += 1,
                event => return Some(event),
            }
        }
    }

    /// Started, and ready.
    pub(crate) fn ready(java: u32, classes: &Classes) -> Self {
        Self::ready_with(java, classes, &[])
    }

    pub(crate) fn ready_with(java: u32, classes: &Classes, jvm: &[&str]) -> Self {
        Self::start(java, classes, jvm, &[]).waits()
    }

    /// Started with this equipment, and ready; the JVM verifies all that is woven.
    pub(crate) fn ready_equipped(java: u32, classes: &Classes, equipment: Equipment) -> Self {
        Self::equipped(java, classes, equipment, &["-Xverify:all"], &[]).waits()
    }

    fn waits(mut self) -> Self {
        let event = self.event();
        assert!(matches!(event, Some(Event::Ready { .. })), "{event:?}");
        self
    }

    pub(crate) fn run(&mut self, test: &str) -> TestRun {
        self.finished(test, None).unwrap_or_else(|event| panic!("{test}: {event:?}"))
    }

    pub(crate) fn inject(&mut self, test: &str, injection: Experiment) -> TestRun {
        self.finished(test, Some(injection)).unwrap_or_else(|event| panic!("{test}: {event:?}"))
    }

    /// `Err` with whatever came instead of the end of the test.
    pub(crate) fn finished(
        &mut self,
        test: &str,
        injection: Option<Experiment>,
    ) -> Result<TestRun, Option<Event>> {
        self.ask(&Request::RunTest { test: format!("tests.Cases#{test}"), experiment: injection });
        // The test goes on after that: it may be about to catch the error.
        let mut event = self.event();
        while event == Some(Event::MemoryUsedUp) {
            event = self.event();
        }
        match event {
            Some(Event::TestFinished(run)) => Ok(run),
            other => Err(other),
        }
    }

    /// The pair of this method that catches this type.
    pub(crate) fn pair(&self, method: &str, caught: &str) -> String {
        let pairs = self.woven.iter().flat_map(|class| &class.pairs);
        let found = pairs
            .filter(|pair| pair.method.starts_with(method) && pair.types.iter().any(|each| each == caught))
            .map(|pair| pair.id.clone())
            .next();
        found.unwrap_or_else(|| panic!("no pair of {method} catching {caught}"))
    }

    /// Throws this type at the pair of this method that catches it.
    pub(crate) fn injection(&self, method: &str, caught: &str) -> Experiment {
        let fault = Fault { exception: caught.to_owned(), ..Fault::default() };
        Experiment::at_every_execution(self.pair(method, caught), fault, 1000)
    }

    /// The counters of what the clauses of a pair catch.
    pub(crate) fn caught_counters(&self, method: &str, caught: &str) -> Vec<u32> {
        let id = self.pair(method, caught);
        let mut counters = Vec::new();
        for class in &self.woven {
            for clause in class.tries.iter().flat_map(|each| &each.clauses) {
                if class.pairs[clause.pair as usize].id == id {
                    counters.extend(clause.caught.map(|caught| class.base + caught));
                }
            }
        }
        counters
    }

    /// The worker's message instead of the end of the test.
    pub(crate) fn interrupted(&mut self, test: &str, injection: Option<Experiment>) -> Event {
        let event = self.finished(test, injection).expect_err("the test does not end");
        event.expect("the worker says why it ends")
    }

    /// The controller goes away.
    pub(crate) fn hang_up(&mut self) {
        self.stream.shutdown(std::net::Shutdown::Both).expect("closes");
    }

    /// Waits for the process, which must end by itself.
    pub(crate) fn end(mut self) -> ExitStatus {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(status) = self.child.try_wait().expect("waits") {
                return status;
            }
            assert!(Instant::now() < deadline, "the worker does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The test's return value.
pub(crate) fn seen(run: &TestRun) -> &str {
    run.failure.as_ref().and_then(|failure| failure.message.as_deref()).unwrap_or("nothing")
}

/// The fault that the experiment throws.
pub(crate) fn fault_of(experiment: &mut Experiment) -> &mut Fault {
    match &mut experiment.act {
        Act::Throw(fault) | Act::Exchange(fault) => fault,
        Act::Nothing => panic!("it throws nothing"),
    }
}
