//! CPU time of one process and its children, measured by a process that starts nothing else.
//!
//! A JVM under `watch` is a grandchild of this program, so this program is started once more in between: it runs the
//! command, waits, and notes what Linux charged for it.

use anyhow::{Context, Result};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

/// Linux counts these times in hundredths of a second, whatever its clock.
const TICK: Duration = Duration::from_millis(10);

#[derive(Debug, clap::Args)]
pub(crate) struct Timed {
    /// The file for the time, in milliseconds.
    result: PathBuf,
    #[arg(required = true, last = true)]
    command: Vec<OsString>,
}

/// Runs the command and exits as it does.
pub(crate) fn run(timed: &Timed) -> Result<ExitCode> {
    let mut words = timed.command.iter();
    let program = words.next().context("no command given")?;
    let status = Command::new(program).args(words).status();
    let status = status.with_context(|| format!("cannot start {}", program.display()))?;
    fs::write(&timed.result, children_time()?.as_millis().to_string()).context("cannot write the time")?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

pub(crate) fn read_result(path: &Path) -> Result<Duration> {
    let text = fs::read_to_string(path).context("the measured command left no time")?;
    Ok(Duration::from_millis(text.parse()?))
}

/// User and system time of all children that have ended.
fn children_time() -> Result<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").context("this bench needs Linux")?;
    // The second field, the program's name in brackets, may hold spaces.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks =
        |index: usize| -> Result<u32> { Ok(fields.get(index).context("stat is too short")?.parse()?) };
    Ok(TICK * (ticks(13)? + ticks(14)?))
}
