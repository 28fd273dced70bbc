//! Killed at any moment and started again, `catchment check` reaches the verdicts of a run that nobody disturbed.
//!
//! Three moments, or as many as the variable `CATCHMENT_KILLS` says.

use catchment_testkit::check::{self, CheckProject, Framework, Snapshot, differences};
use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
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

/// The verdicts, by the expected file: what was interrupted and resumed must not differ from it.
#[test]
fn an_interrupted_run_says_so_and_goes_on_where_it_was() {
    let (name, framework) = FIXTURE;
    let expected = check::expected(name).expect("expected file");
    for signal in ["INT", "TERM"] {
        let project = CheckProject::new(name, framework).expect("fixture compiles");
        let (code, words) = signalled_during_experiments(&project, signal);
        assert_eq!(code, Some(130), "{signal}: {words}");
        assert!(words.contains("interrupted; what was finished is kept"), "{signal}: {words}");
        assert_eq!(project.marker.left_over(), Vec::<String>::new(), "{signal}: processes left behind");
        assert_eq!(project.left_in_temporary().expect("folder"), Vec::<String>::new(), "{signal}");
        let answer = project.check(&["--matrix"]).expect("resumed check");
        let lines = differences(&expected, &answer.facts());
        assert!(lines.is_empty(), "{signal}:\n  {}", lines.join("\n  "));
    }
}

/// The exit code of a check that got the signal when its experiments had begun, and its words.
fn signalled_during_experiments(project: &CheckProject, signal: &str) -> (Option<i32>, String) {
    let mut command = heeding_interrupts(&project.command(&["--matrix", "--jobs=1"]).expect("command"));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("catchment starts");
    let mut words = String::new();
    let mut is_sent = false;
    for line in BufReader::new(child.stderr.take().expect("piped")).lines() {
        let line = line.expect("text");
        if line.starts_with("catchment: clauses whose catch tests enter") && !is_sent {
            is_sent = true;
            let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
            assert!(sent.expect("kill starts").success());
        }
        words += &line;
        words.push('\n');
    }
    (child.wait().expect("catchment has ended").code(), words)
}

/// The same command, also where these tests were started in the background, with interrupts ignored.
fn heeding_interrupts(command: &Command) -> Command {
    let mut heeding = Command::new("env");
    heeding.arg("--default-signal=INT").arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => heeding.env(name, value),
            None => heeding.env_remove(name),
        };
    }
    command.get_current_dir().into_iter().for_each(|folder| {
        heeding.current_dir(folder);
    });
    heeding
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
