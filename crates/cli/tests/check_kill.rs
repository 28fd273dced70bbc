//! Killed at any moment and started again, `catchment check` reaches the verdicts of a run that nobody disturbed.
//!
//! Three moments, or as many as the variable `CATCHMENT_KILLS` says.

use catchment_testkit::check::{CheckProject, Framework, Snapshot, differences};
use std::env;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

const FIXTURE: (&str, Framework) = ("listings", Framework::JUnit5);

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let (name, framework) = FIXTURE;
    let undisturbed = CheckProject::new(name, framework).expect("fixture compiles");
    let begin = Instant::now();
    let expected = undisturbed.check(&["--matrix"]).expect("undisturbed check").facts();
    let duration = begin.elapsed();
    for moment in moments(duration) {
        let project = CheckProject::new(name, framework).expect("fixture compiles");
        let before = Snapshot::of(project.folder()).expect("snapshot");
        kill_after(&project, moment);
        let answer = project.check(&["--matrix"]).expect("resumed check");
        let lines = differences(&expected, &answer.facts());
        assert!(lines.is_empty(), "killed after {moment:?} of {duration:?}:\n  {}", lines.join("\n  "));
        let after = Snapshot::of(project.folder()).expect("snapshot");
        assert_eq!(before.changes(&after), Vec::<String>::new(), "files of the user");
        assert_eq!(project.marker.left_over(), Vec::<String>::new(), "processes left behind");
    }
}

/// Starts a check and kills it, and only it: what it has started must notice by itself.
fn kill_after(project: &CheckProject, moment: Duration) {
    let mut command = project.command(&["--matrix"]).expect("command");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("catchment starts");
    thread::sleep(moment);
    child.kill().expect("catchment is ours to kill");
    child.wait().expect("catchment has ended");
}

/// The same moments, as shares of the whole run, in every run of this test.
fn moments(whole: Duration) -> Vec<Duration> {
    let wanted = env::var("CATCHMENT_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut share = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        f64::from(u32::try_from(random >> 32).unwrap_or_default()) / f64::from(u32::MAX)
    };
    (0..wanted).map(|_| whole.mul_f64(share())).collect()
}
