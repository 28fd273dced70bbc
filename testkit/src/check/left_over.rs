//! Finds processes that a check has left behind, whatever session or group they have moved to.
//!
//! Each run gets a variable of its own, which children inherit.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const VARIABLE: &str = "CATCHMENT_TESTKIT_RUN";

/// A process that was killed takes a moment to go.
const GRACE: Duration = Duration::from_secs(5);

#[derive(Debug, Clone)]
pub struct Marker {
    value: String,
}

impl Marker {
    pub(super) fn new() -> Self {
        static RUNS: AtomicU32 = AtomicU32::new(0);
        let run = RUNS.fetch_add(1, Ordering::Relaxed);
        Self { value: format!("{}-{run}", std::process::id()) }
    }

    pub(super) fn put_on(&self, command: &mut Command) {
        command.env(VARIABLE, &self.value);
    }

    /// The command lines of processes that are still there, after a moment of grace.
    pub fn left_over(&self) -> Vec<String> {
        let deadline = Instant::now() + GRACE;
        loop {
            let found = self.processes();
            if found.is_empty() || Instant::now() > deadline {
                return found;
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// Only Linux shows the environment of other processes this way; elsewhere nothing is found.
    fn processes(&self) -> Vec<String> {
        let marked = format!("{VARIABLE}={}", self.value);
        let processes =
            fs::read_dir("/proc").into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        let is_ours =
            |environment: &[u8]| environment.split(|byte| *byte == 0).any(|it| it == marked.as_bytes());
        processes
            .filter(|process| {
                fs::read(process.join("environ")).is_ok_and(|environment| is_ours(&environment))
            })
            .filter_map(|process| Some(spoken(&fs::read(process.join("cmdline")).ok()?)))
            .collect()
    }
}

/// Arguments are separated by zeros.
fn spoken(command_line: &[u8]) -> String {
    String::from_utf8_lossy(command_line).trim_end_matches('\0').replace('\0', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_was_left_behind_is_found_by_its_marker() {
        let marker = Marker::new();
        let mut command = Command::new("sleep");
        command.arg("60");
        marker.put_on(&mut command);
        let mut child = command.spawn().unwrap();
        while marker.processes().is_empty() {
            thread::yield_now();
        }
        assert_eq!(marker.processes(), ["sleep 60"]);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(marker.left_over(), Vec::<String>::new());
    }
}
