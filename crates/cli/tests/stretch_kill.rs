//! Killed in the middle and started again, `catchment stretch` goes on where it was.

use catchment_testkit::check::{CheckProject, Framework, differences};
use catchment_testkit::stretch;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

const FIXTURE: &str = "interrupted";
/// The progress line once two of the four clauses have been tried.
const IN_THE_MIDDLE: &str = "catches that may catch more: 2 of 4";

#[test]
fn trials_that_were_finished_before_a_kill_are_not_made_again() {
    let project = CheckProject::of_fixture(&stretch::folder().join(FIXTURE), Framework::JUnit5)
        .expect("fixture compiles");
    let expected = stretch::expected(FIXTURE).expect("expected file");
    kill_in_the_middle(&project);
    assert_eq!(project.marker.left_over(), Vec::<String>::new(), "processes left behind");

    let before = runs(&project);
    let resumed = project.stretch(&["--jobs=1"]).expect("resumed stretch");
    let after = runs(&project);
    assert_eq!(differences(&expected, &stretch::facts(&resumed)), Vec::<String>::new());
    assert_eq!(resumed["together"], true);
    let added = |test: &str| after[test] - before[test];
    // Each runs in the suite with all clauses stretched. What was left runs alone as well.
    let only_in_suite = after.keys().filter(|test| added(test) == 1).count();
    assert!((2..4).contains(&only_in_suite), "{before:?}, then {after:?}");

    let again = project.stretch(&["--jobs=1"]).expect("another stretch");
    assert_eq!(runs(&project), after, "everything is known by now, the suite with all of them too");
    assert_eq!(again, resumed);
}

/// Kills it, and only it: what it has started must notice by itself.
fn kill_in_the_middle(project: &CheckProject) {
    let mut command = project.stretch_command(&["--jobs=1"]).expect("command");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("catchment starts");
    let said = BufReader::new(child.stderr.take().expect("it is piped")).lines().map_while(Result::ok);
    let mut before = Vec::new();
    for line in said {
        before.push(line);
        if before.last().is_some_and(|line| line.ends_with(IN_THE_MIDDLE)) {
            break;
        }
    }
    child.kill().expect("catchment is ours to kill");
    child.wait().expect("catchment has ended");
    assert!(before.last().is_some_and(|line| line.ends_with(IN_THE_MIDDLE)), "{}", before.join("\n"));
}

/// How often each test has run.
fn runs(project: &CheckProject) -> BTreeMap<String, usize> {
    let text = fs::read_to_string(project.state().join("runs")).expect("the fixture writes it");
    let mut runs = BTreeMap::new();
    text.lines().for_each(|test| *runs.entry(test.to_owned()).or_default() += 1);
    runs
}
