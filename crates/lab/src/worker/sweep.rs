//! Ends what a worker's tests started and left behind, also outside its process group.

use catchment_watch::unix;
use std::fs;

/// The environment variable that marks everything a worker starts.
pub(super) const MARKER: &str = "CATCHMENT_WORKER";

/// Kills every process whose environment carries the marker's value.
pub(crate) fn sweep(marker: &str) {
    let wanted = format!("{MARKER}={marker}");
    let Ok(entries) = fs::read_dir("/proc") else { return };
    for entry in entries.flatten() {
        let process = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok());
        if let Some(process) = process
            && process != std::process::id()
            && has_variable(process, wanted.as_bytes())
        {
            unix::kill_process(process);
        }
    }
}

fn has_variable(process: u32, wanted: &[u8]) -> bool {
    // Other users' processes cannot be read, and are not ours.
    fs::read(format!("/proc/{process}/environ"))
        .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|each| each == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    #[test]
    fn a_child_in_a_session_of_its_own_is_found_and_ended() {
        let marker = format!("sweep-test-{}", std::process::id());
        let mut child = Command::new("setsid").args(["sleep", "600"]).env(MARKER, &marker).spawn().unwrap();
        let mut other = Command::new("sleep").arg("600").env(MARKER, "another").spawn().unwrap();
        // The marker is visible once the child runs its program.
        while !has_variable(child.id(), format!("{MARKER}={marker}").as_bytes()) {
            std::thread::yield_now();
        }
        sweep(&marker);
        assert_eq!(child.wait().unwrap().signal(), Some(9));
        assert!(other.try_wait().unwrap().is_none());
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
