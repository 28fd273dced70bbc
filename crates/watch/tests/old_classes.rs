//! Classes of the Java 1.3 age, with `jsr` subroutines for `finally`, are counted like any other.

use catchment_testkit::compilers::{Compiler, Job};
use catchment_testkit::jdk;
use catchment_testkit::workspace::root;
use catchment_watch::{ChildEnd, WatchOptions, WatchedCommand, watch_command};
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

const OLD_COMPILERS: [Compiler; 2] = [Compiler::Javac8 { level: 3 }, Compiler::Ecj2009 { level: 4 }];

#[test]
fn tries_beside_and_around_subroutines_are_counted() {
    for compiler in OLD_COMPILERS {
        let classes = compiler
            .compile(&Job::of([root().join("fixtures/shapes/OldProgram.java")]))
            .expect("fixture compiles");
        for java in [11, 17, 25].into_iter().filter(|java| jdk::is_here(*java)) {
            let name = format!("{} on {java}", compiler.name());
            let watched = watched(&classes, java);
            assert_eq!(usages_of(&watched, "plain"), (3, 1, 2), "{name}");
            assert_eq!(usages_of(&watched, "withSubroutine"), (2, 1, 1), "{name}");
        }
    }
}

/// Runs it plain and watched; both print the same.
fn watched(classes: &Path, java: u32) -> WatchedCommand {
    let folder = tempfile::tempdir().expect("temporary folder");
    let (plain, woven) = (folder.path().join("plain"), folder.path().join("woven"));
    assert!(command(classes, java, &plain).status().expect("plain run").success());
    let watched =
        watch_command(&mut command(classes, java, &woven), &WatchOptions::default()).expect("watched run");
    assert_eq!(watched.end, ChildEnd::Exited(0));
    assert_eq!(fs::read_to_string(woven).expect("output"), fs::read_to_string(plain).expect("output"));
    watched
}

fn command(classes: &Path, java: u32, output: &Path) -> Command {
    let mut command = jdk::runtime(java).expect("Java runtime").command("java");
    command.arg("-cp").arg(classes).arg("OldProgram");
    command.stdout(File::create(output).expect("output file")).stderr(std::process::Stdio::null());
    command
}

/// Entries, pink and white of the pair in a method.
fn usages_of(watched: &WatchedCommand, method: &str) -> (u64, u64, u64) {
    let pair =
        watched.run.pairs.iter().find(|pair| pair.clause.method == method).expect("pair of a loaded class");
    assert_eq!(pair.not_observed, None, "{method}");
    (pair.usages.entries, pair.usages.pink, pair.usages.white)
}
