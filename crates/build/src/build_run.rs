//! Runs a build tool: output to a log, progress from its lines, every JVM in it under the agent that records its start.

use crate::limits::{BuildLimits, Limit, Watchdog};
use crate::{ProjectError, cannot};
use catchment_protocol::equipment::Equipment;
use catchment_protocol::options::AgentOptions;
use catchment_protocol::records::{Launch, Record};
use catchment_protocol::{LOG_EXTENSION, log};
use catchment_watch::install;
use catchment_watch::unix::{end_with_parent, has_ended, is_interrupted, kill_group};
use catchment_watch::{add_agent, create_private_file};
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, SystemTime};

const TOOL_OPTIONS: &str = "JAVA_TOOL_OPTIONS";
/// Git must not refresh the index of the user's repository, which it finds from the copy.
const GIT_LOCKS: &str = "GIT_OPTIONAL_LOCKS";
/// How often the log is looked at for progress.
const TICK: Duration = Duration::from_millis(100);

/// Tests of a build, as far as the build tool can be kept from running them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TestsInBuild {
    Run,
    /// The build's test JVMs are started and told to run nothing: the lab runs the same tests once more anyway.
    LeftOut,
}

/// Where builds of one project leave what we want to know.
#[derive(Debug)]
pub(super) struct BuildRun {
    launches: PathBuf,
    pub(super) log: PathBuf,
    /// With our agent; `None` if nobody needs to know how JVMs start.
    tool_options: Option<OsString>,
    /// What the user's own shell had.
    outer_tool_options: Option<OsString>,
    limits: BuildLimits,
}

/// A build that has ended.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) succeeded: bool,
    /// The limit for which it was ended, if it was; then it has not succeeded.
    pub(super) limit: Option<Limit>,
    pub(super) log: String,
    /// In order of start.
    pub(super) launches: Vec<Launch>,
    /// No file older than this is a result of the build.
    pub(super) since: SystemTime,
}

impl BuildRun {
    /// No JVM is looked at.
    pub(super) fn unseen(own_folder: &Path) -> Self {
        Self {
            launches: own_folder.join("launches"),
            log: own_folder.join("build.log"),
            tool_options: None,
            outer_tool_options: env::var_os(TOOL_OPTIONS),
            limits: BuildLimits::default(),
        }
    }

    pub(super) fn within(self, limits: BuildLimits) -> Self {
        Self { limits, ..self }
    }

    /// Every JVM says how it was started.
    pub(super) fn recording(own_folder: &Path, tests: TestsInBuild) -> Result<Self, ProjectError> {
        let agent = install::install(own_folder)?;
        let launches = own_folder.join("launches");
        let options = AgentOptions {
            results: launches.clone(),
            runtime: agent.runtime.clone(),
            // Only how a JVM was started is of interest: no class is woven.
            exclude: vec!["*".to_owned()],
            equipment: match tests {
                TestsInBuild::Run => Equipment::LAUNCH,
                TestsInBuild::LeftOut => Equipment::LAUNCH.union(Equipment::WITHOUT_TESTS),
            },
            ..AgentOptions::default()
        };
        let unseen = Self::unseen(own_folder);
        let tool_options = add_agent(unseen.outer_tool_options.clone(), &agent, &options);
        Ok(Self { launches, tool_options: Some(tool_options), ..unseen })
    }

    /// Runs the command to its end; `each_line` sees the lines of its output as they come. It is a process group of its
    /// own: Ctrl-C ends it through us, and what its tests leave running ends with it.
    pub(super) fn run(
        &self,
        command: &mut Command,
        each_line: &mut dyn FnMut(&str),
    ) -> Result<Built, ProjectError> {
        let _ = fs::remove_dir_all(&self.launches);
        fs::create_dir_all(&self.launches).map_err(cannot("create", &self.launches))?;
        let log = create_private_file(&self.log).map_err(cannot("write", &self.log))?;
        // The file system's clock, which may lag behind the system's.
        let since = log.metadata().and_then(|metadata| metadata.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        let errors = log.try_clone().map_err(cannot("write", &self.log))?;
        command.envs(self.tool_options.as_ref().map(|options| (TOOL_OPTIONS, options))).env(GIT_LOCKS, "0");
        command.stdin(Stdio::null()).stdout(log).stderr(errors);
        command.process_group(0);
        end_with_parent(command);
        let watched = self.watch_log(command, each_line);
        let (succeeded, limit) = watched.map_err(cannot("run", Path::new(command.get_program())))?;
        // A build that was cut short says nothing about the project.
        if is_interrupted() {
            return Err(ProjectError::Interrupted);
        }
        let log = String::from_utf8_lossy(&fs::read(&self.log).unwrap_or_default()).into_owned();
        Ok(Built { succeeded, limit, log: without_colours(&log), launches: self.read_launches(), since })
    }

    /// The log is a file rather than a pipe: a process that a test leaves behind would keep a pipe open for ever.
    /// Says whether the command has succeeded, and for which limit it was ended.
    fn watch_log(
        &self,
        command: &mut Command,
        each_line: &mut dyn FnMut(&str),
    ) -> io::Result<(bool, Option<Limit>)> {
        let mut child = command.spawn()?;
        let group = child.id();
        let mut watchdog = Watchdog::new(self.limits, group);
        let mut limit = None;
        let mut log = File::open(&self.log)?;
        let mut pending = Vec::new();
        loop {
            if is_interrupted() {
                kill_group(group);
            }
            let ended = has_ended(group)?;
            let has_spoken = log.read_to_end(&mut pending)? > 0;
            let whole = pending.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
            let lines: Vec<u8> = pending.drain(..whole).collect();
            String::from_utf8_lossy(&lines).lines().for_each(|line| each_line(&without_colours(line)));
            if ended {
                // While its number is still taken, so that nobody else can have it.
                kill_group(group);
                return Ok((child.wait()?.success() && limit.is_none(), limit));
            }
            if limit.is_none() {
                limit = watchdog.limit(has_spoken);
                limit.inspect(|_| kill_group(group));
            }
            thread::sleep(TICK);
        }
    }

    fn read_launches(&self) -> Vec<Launch> {
        let files = fs::read_dir(&self.launches).into_iter().flatten().flatten().map(|entry| entry.path());
        let logs = files.filter(|path| path.extension().is_some_and(|own| own == LOG_EXTENSION));
        let mut launches: Vec<(SystemTime, Launch)> = logs.filter_map(|path| read_launch(&path)).collect();
        launches.sort_by_key(|(started, _)| *started);
        launches.into_iter().map(|(_, launch)| self.as_the_user_would(launch)).collect()
    }

    fn as_the_user_would(&self, mut launch: Launch) -> Launch {
        let text = |bytes: Vec<u8>| OsString::from_vec(bytes);
        let recorded =
            launch.environment.into_iter().map(|(name, value)| (text(name), text(value))).collect();
        let environment = self.without_ours(recorded);
        launch.environment =
            environment.into_iter().map(|(name, value)| (name.into_vec(), value.into_vec())).collect();
        launch
    }

    /// Takes our own part out of an environment again.
    pub(super) fn without_ours(
        &self,
        mut environment: Vec<(OsString, OsString)>,
    ) -> Vec<(OsString, OsString)> {
        environment.retain(|(name, _)| name != GIT_LOCKS || env::var_os(GIT_LOCKS).is_some());
        for (name, value) in &mut environment {
            if name == TOOL_OPTIONS && Some(&*value) == self.tool_options.as_ref() {
                *value = self.outer_tool_options.clone().unwrap_or_default();
            }
        }
        environment.retain(|(name, value)| name != TOOL_OPTIONS || !value.is_empty());
        environment
    }
}

/// The launch, and when the JVM started: nothing is written into its log after that.
fn read_launch(path: &Path) -> Option<(SystemTime, Launch)> {
    let started = fs::metadata(path).and_then(|metadata| metadata.modified()).ok()?;
    let log = log::read(&fs::read(path).ok()?).ok()?;
    let launch = log.records.into_iter().find_map(|record| match record {
        Record::Launched(launch) => Some(launch),
        _ => None,
    })?;
    Some((started, launch))
}

/// Without the escape sequences that some tools print even into files.
fn without_colours(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('\u{1b}') {
        plain.push_str(&rest[..start]);
        let sequence = rest[start + 1..].trim_start_matches('[');
        let end = sequence.find(|c: char| c.is_ascii_alphabetic()).map_or(sequence.len(), |end| end + 1);
        rest = &sequence[end..];
    }
    plain + rest
}

/// Tells whether the command, whose output nobody wants, succeeds within the limits.
pub(super) fn succeeds(command: &mut Command, limits: BuildLimits) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    end_with_parent(command);
    let Ok(mut child) = command.spawn() else { return false };
    let mut watchdog = Watchdog::new(limits, child.id());
    while has_ended(child.id()).is_ok_and(|ended| !ended) {
        if is_interrupted() || watchdog.limit(false).is_some() {
            break;
        }
        thread::sleep(TICK);
    }
    kill_group(child.id());
    child.wait().is_ok_and(|status| status.success())
}

/// The first program of this name on the `PATH`.
pub(super) fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|program| is_executable(program))
}

pub(super) fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_taken_out() {
        assert_eq!(without_colours("\u{1b}[0m[\u{1b}[1;34mINFO\u{1b}[m] x"), "[INFO] x");
        assert_eq!(without_colours("plain\u{1b}["), "plain");
    }
}
