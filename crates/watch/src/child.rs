//! Runs the watched command and says how it ended.

use crate::unix::{SignalForwarding, wait_without_reaping};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus};

/// The end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildEnd {
    Exited(i32),
    /// Killed by this signal.
    Killed(i32),
}

impl ChildEnd {
    /// As a shell would report it.
    pub fn exit_code(self) -> i32 {
        match self {
            Self::Exited(code) => code,
            Self::Killed(signal) => 128 + signal,
        }
    }
}

impl From<ExitStatus> for ChildEnd {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, signal) => Self::Killed(signal.unwrap_or(0)),
        }
    }
}

/// Runs the command to its end. With `forward_signals` this process outlives Ctrl-C and passes signals on.
pub(crate) fn run(command: &mut Command, forward_signals: bool) -> io::Result<ChildEnd> {
    if !forward_signals {
        return command.status().map(ChildEnd::from);
    }
    let forwarding = SignalForwarding::start();
    let mut child = command.spawn()?;
    forwarding.forward_to(child.id());
    wait_without_reaping(child.id());
    // Stop forwarding before the process number can be given to somebody else.
    drop(forwarding);
    child.wait().map(ChildEnd::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(script: &str, forward_signals: bool) -> ChildEnd {
        run(Command::new("sh").args(["-c", script]), forward_signals).unwrap()
    }

    #[test]
    fn exit_codes_and_signals_are_told_apart() {
        assert_eq!(end_of("exit 7", false), ChildEnd::Exited(7));
        assert_eq!(end_of("kill -9 $$", false), ChildEnd::Killed(9));
        assert_eq!(end_of("kill -9 $$", false).exit_code(), 137);
    }

    #[test]
    fn a_signal_sent_to_us_reaches_the_command_and_we_live() {
        // The command asks its parent, this process, to end; the request must come back to it.
        let script = "trap 'exit 5' TERM; kill -TERM $PPID; while :; do sleep 0.05; done";
        assert_eq!(end_of(script, true), ChildEnd::Exited(5));
    }
}
