//! One process: how long it took, what Linux charged for it, and the most memory it held.
//!
//! Linux keeps these figures under `/proc` while the process is there, so they are read again and again until it ends;
//! the last look is at most [`PAUSE`] old. The process must start no others, whose figures would be missing.

use anyhow::{Context, Result};
use std::fmt;
use std::fs;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(10);

/// Linux counts CPU time in hundredths of a second, whatever its clock.
const TICK: Duration = Duration::from_millis(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Measured {
    pub(super) wall: Duration,
    /// User and system time.
    pub(super) cpu: Duration,
    pub(super) peak_mib: u64,
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [wall, cpu] = [self.wall, self.cpu].map(|time| time.as_secs_f64());
        write!(f, "{wall:.2} s, {cpu:.2} s of CPU, {} MiB", self.peak_mib)
    }
}

/// How a process came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// With this exit code; none if a signal ended it.
    Exit(Option<i32>),
    /// The process was killed at the limit.
    Limit,
}

/// Runs the command to its end, or kills it at the limit.
pub(super) fn run(command: &mut Command, limit: Duration) -> Result<(Measured, End)> {
    let start = Instant::now();
    let mut child =
        command.spawn().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let mut measured = Measured { wall: Duration::ZERO, cpu: Duration::ZERO, peak_mib: 0 };
    loop {
        look(&child, &mut measured);
        let status = child.try_wait().context("cannot wait for the process")?;
        measured.wall = start.elapsed();
        if let Some(status) = status {
            return Ok((measured, End::Exit(status.code())));
        }
        if measured.wall > limit {
            child.kill().context("cannot end the process")?;
            child.wait().context("cannot wait for the process")?;
            return Ok((measured, End::Limit));
        }
        std::thread::sleep(PAUSE);
    }
}

/// A process that has just ended has no memory any more: what was seen before then stays.
fn look(child: &Child, measured: &mut Measured) {
    let read = |name: &str| fs::read_to_string(format!("/proc/{}/{name}", child.id())).unwrap_or_default();
    if let Some(peak) = peak_mib(&read("status")) {
        measured.peak_mib = measured.peak_mib.max(peak);
    }
    if let Some(cpu) = cpu_time(&read("stat")) {
        measured.cpu = measured.cpu.max(cpu);
    }
}

fn peak_mib(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}

fn cpu_time(stat: &str) -> Option<Duration> {
    // The second field, the program's name in brackets, may hold spaces.
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |index: usize| -> Option<u32> { fields.get(index)?.parse().ok() };
    Some(TICK * (ticks(11)? + ticks(12)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_what_linux_says() {
        assert_eq!(peak_mib("Name:\tjava\nVmPeak:\t 9000 kB\nVmHWM:\t  2048 kB\n"), Some(2));
        let stat = "7 (a (b) c) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 900 900 20 0 1 0 100 1 1";
        assert_eq!(cpu_time(stat), Some(Duration::from_secs(3)));
        assert_eq!((peak_mib(""), cpu_time("")), (None, None));
    }

    #[test]
    fn a_process_that_takes_too_long_is_ended() {
        let mut command = Command::new("sleep");
        let (_, end) = run(command.arg("600"), Duration::ZERO).unwrap();
        assert_eq!(end, End::Limit);
    }
}
