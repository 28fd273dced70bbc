//! `watch`: any command, every JVM it starts under the agent, and what they saw.

use crate::child::{self, ChildEnd};
use crate::install::{self, InstallError, InstalledAgent};
use crate::merge::merge;
use crate::recording::{self, Recording};
use crate::results::{self, JvmFiles};
use crate::watched_run::{Problem, WatchedRun};
use catchment_protocol::equipment::Equipment;
use catchment_protocol::options::AgentOptions;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

const TOOL_OPTIONS: &str = "JAVA_TOOL_OPTIONS";

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WatchOptions {
    /// Patterns of class names to watch besides those in class folders.
    pub include: Vec<String>,
    /// Patterns of class names never to watch.
    pub exclude: Vec<String>,
    /// Outlive Ctrl-C and pass signals on to the command. For one watch in a process at a time.
    pub forward_signals: bool,
}

/// A watched command that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchedCommand {
    pub end: ChildEnd,
    pub run: WatchedRun,
}

/// A command that has ended, and the exceptions that came to handlers in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedCommand {
    pub end: ChildEnd,
    pub recording: Recording,
}

#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    #[error("no command to watch")]
    NoCommand,
    #[error("this is already a watched command; the watch around it sees every JVM in it")]
    AlreadyWatched,
    #[error("cannot start '{program}': {reason}")]
    CannotStart { program: String, reason: io::Error },
    #[error(transparent)]
    Install(#[from] InstallError),
    #[error("cannot create a folder for results: {0}")]
    ResultsFolder(io::Error),
    #[error("cannot read results: {0}")]
    Results(io::Error),
}

/// Runs `command` (program and arguments) with this process's standard streams, every JVM in it under the agent.
///
/// The agent travels in `JAVA_TOOL_OPTIONS`, so it also reaches JVMs that a build tool or a script starts.
pub fn watch(command: &[OsString], options: &WatchOptions) -> Result<WatchedCommand, WatchError> {
    watch_command(&mut to_command(command)?, options)
}

/// As [`watch`], for a command with its own environment, folder or streams.
pub fn watch_command(command: &mut Command, options: &WatchOptions) -> Result<WatchedCommand, WatchError> {
    let (end, jvms, problems) = run(command, options, Equipment::NONE)?;
    Ok(WatchedCommand { end, run: merge(&jvms, problems) })
}

/// As [`watch`], but writes down which exceptions come to which handlers, and from where. Classes run as they are, so
/// offsets are those of class files.
pub fn record(command: &[OsString], options: &WatchOptions) -> Result<RecordedCommand, WatchError> {
    record_command(&mut to_command(command)?, options)
}

/// As [`record`], for a command with its own environment, folder or streams.
pub fn record_command(command: &mut Command, options: &WatchOptions) -> Result<RecordedCommand, WatchError> {
    let (end, jvms, problems) = run(command, options, Equipment::RECORDING)?;
    Ok(RecordedCommand { end, recording: recording::merge(&jvms, problems) })
}

fn to_command(command: &[OsString]) -> Result<Command, WatchError> {
    let (program, arguments) = command.split_first().ok_or(WatchError::NoCommand)?;
    let mut command = Command::new(program);
    command.args(arguments);
    Ok(command)
}

fn run(
    command: &mut Command,
    options: &WatchOptions,
    equipment: Equipment,
) -> Result<(ChildEnd, Vec<JvmFiles>, Vec<Problem>), WatchError> {
    let existing = existing_tool_options(command);
    if existing.as_ref().is_some_and(|existing| existing.to_string_lossy().contains(install::LIBRARY)) {
        return Err(WatchError::AlreadyWatched);
    }
    // For this user only: command lines stand in the results.
    let private = std::fs::Permissions::from_mode(0o700);
    let folder = tempfile::Builder::new().prefix("catchment-").permissions(private).tempdir();
    let folder = folder.map_err(WatchError::ResultsFolder)?;
    let results = folder.path().join("results");
    std::fs::create_dir(&results).map_err(WatchError::ResultsFolder)?;
    let agent = install::install(folder.path())?;
    command.env(TOOL_OPTIONS, tool_options(existing, &agent, &results, options, equipment));
    let end = child::run(command, options.forward_signals).map_err(|reason| {
        let program = command.get_program().to_string_lossy().into_owned();
        WatchError::CannotStart { program, reason }
    })?;
    let (jvms, problems) = results::read_all(&results).map_err(WatchError::Results)?;
    Ok((end, jvms, problems))
}

/// The value that the command was given, or else this process's own.
fn existing_tool_options(command: &Command) -> Option<OsString> {
    let given = command.get_envs().find(|(name, _)| *name == TOOL_OPTIONS);
    given.map_or_else(|| env::var_os(TOOL_OPTIONS), |(_, value)| value.map(OsStr::to_owned))
}

fn tool_options(
    existing: Option<OsString>,
    agent: &InstalledAgent,
    results: &Path,
    options: &WatchOptions,
    equipment: Equipment,
) -> OsString {
    let agent_options = AgentOptions {
        results: results.to_owned(),
        runtime: agent.runtime.clone(),
        include: options.include.clone(),
        exclude: options.exclude.clone(),
        equipment,
        ..AgentOptions::default()
    };
    add_agent(existing, agent, &agent_options)
}

/// The value of `JAVA_TOOL_OPTIONS` with the agent behind what is there already.
pub fn add_agent(existing: Option<OsString>, agent: &InstalledAgent, options: &AgentOptions) -> OsString {
    let library = agent.library.to_string_lossy();
    let quote = if library.contains(char::is_whitespace) { "\"" } else { "" };
    let mut value = existing.filter(|existing| !existing.is_empty()).unwrap_or_default();
    if !value.is_empty() {
        value.push(" ");
    }
    value.push(format!("{quote}-agentpath:{library}={}{quote}", options.encode()));
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options_for(existing: Option<&str>, library: &str) -> String {
        let agent = InstalledAgent { library: library.into(), runtime: "/r".into(), driver: "/d".into() };
        let existing = existing.map(OsString::from);
        let results = Path::new("/some/a b");
        tool_options(existing, &agent, results, &WatchOptions::default(), Equipment::NONE)
            .into_string()
            .unwrap()
    }

    #[test]
    fn the_agent_is_appended_and_quoted_where_needed() {
        let ours = "-agentpath:/c/lib.so=results=/some/a%20b,runtime=/r";
        assert_eq!(options_for(None, "/c/lib.so"), ours);
        assert_eq!(options_for(Some(""), "/c/lib.so"), ours);
        assert_eq!(options_for(Some("-Xmx1g"), "/c/lib.so"), format!("-Xmx1g {ours}"));
        assert_eq!(
            options_for(None, "/c d/lib.so"),
            "\"-agentpath:/c d/lib.so=results=/some/a%20b,runtime=/r\""
        );
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = watch(&["no-such-program-here".into()], &WatchOptions::default()).unwrap_err();
        assert!(error.to_string().starts_with("cannot start 'no-such-program-here': "), "{error}");
        assert!(matches!(watch(&[], &WatchOptions::default()), Err(WatchError::NoCommand)));
    }
}
