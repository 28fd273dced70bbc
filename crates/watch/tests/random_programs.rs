//! Random programs: what the agent counts equals what counters in the source count, for every clause, and the program
//! computes the same.

use catchment_testkit::compilers::{Compiler, Job, files_with_extension};
use catchment_testkit::jdk;
use catchment_testkit::random_programs::random_program;
use catchment_testkit::source_counters::{
    CountedUsages, Sample, counter_class, create_counters, instrument_folder, read_counts,
};
use catchment_watch::{ChildEnd, WatchOptions, watch_command};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

/// In one JVM: starting one costs more than running them.
const PROGRAMS: u64 = 40;

/// Class and line of the `catch`.
type Usages = BTreeMap<(String, u32), CountedUsages>;

#[test]
fn by_javac_8_on_11() {
    check(Compiler::Javac8 { level: 8 }, 11, 1000);
}

#[test]
fn by_javac_9_on_17() {
    check(Compiler::Javac9 { level: 8 }, 17, 2000);
}

#[test]
fn by_javac_17_on_21() {
    check(Compiler::Javac { jdk: 17, release: 17 }, 21, 3000);
}

#[test]
fn by_javac_25_on_25() {
    check(Compiler::Javac { jdk: 25, release: 25 }, 25, 4000);
}

fn check(compiler: Compiler, java: u32, first_seed: u64) {
    if !compiler.is_here() || !jdk::is_here(java) {
        return;
    }
    let folder = tempfile::tempdir().expect("temporary folder");
    write_programs(folder.path(), first_seed);
    let (by_source, plain_output) = counted_in_source(folder.path());
    let (by_agent, watched_output) = counted_by_agent(folder.path(), compiler, java);
    assert_eq!(watched_output, plain_output, "what the programs compute");
    let mut wrong = String::new();
    for (place, usages) in by_source.iter().filter(|(_, usages)| usages.entries > 0) {
        let seen = by_agent.get(place);
        if seen != Some(usages) {
            wrong += &format!("{place:?}\n  in the source {usages:?}\n  by the agent  {seen:?}\n");
        }
    }
    assert!(wrong.is_empty(), "seeds from {first_seed}, {}\n{wrong}", compiler.name());
    let entered = by_source.values().filter(|usages| usages.white > 0 && usages.escaped > 0).count();
    assert!(entered > 50, "only {entered} clauses saw both a catch and an escape");
}

fn write_programs(folder: &Path, first_seed: u64) {
    let mut main = String::from("public class Main {\n    public static void main(String[] args) {\n");
    for number in 0..PROGRAMS {
        let name = format!("Random{}", first_seed + number);
        main += &format!("        System.out.println({name}.run());\n");
        fs::write(folder.join(format!("{name}.java")), random_program(&name, first_seed + number))
            .expect("source");
    }
    fs::write(folder.join("Main.java"), main + "    }\n}\n").expect("source");
}

fn counted_in_source(sources: &Path) -> (Usages, String) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let tries = instrument_folder(sources, folder.path(), &mut Sample::all()).expect("instrumented sources");
    let mut job = Job::of(files_with_extension(folder.path(), "java").expect("sources"));
    job.sources.push(counter_class());
    let classes =
        Compiler::Javac { jdk: 17, release: 17 }.compile(&job).expect("instrumented sources compile");
    let counters = folder.path().join("counters");
    create_counters(&counters, &tries).expect("counters");
    let output = folder.path().join("output");
    let mut command = command(&classes, 17, &output, &format!("-Dcatchment.counters={}", counters.display()));
    assert!(command.status().expect("plain run").success());
    let counts = read_counts(&counters).expect("counts");
    let mut usages = Usages::new();
    for counted in &tries {
        let class = counted.file.with_extension("").display().to_string();
        for (clause, clause_usages) in counted.clauses.iter().zip(counted.usages(&counts).expect("usages")) {
            usages.insert((class.clone(), clause.line), clause_usages);
        }
    }
    (usages, fs::read_to_string(output).expect("output"))
}

fn counted_by_agent(sources: &Path, compiler: Compiler, java: u32) -> (Usages, String) {
    let job = Job::of(files_with_extension(sources, "java").expect("sources"));
    let classes = compiler.compile(&job).expect("sources compile");
    let folder = tempfile::tempdir().expect("temporary folder");
    let output = folder.path().join("output");
    let mut command = command(&classes, java, &output, "-Xmx512m");
    let watched = watch_command(&mut command, &WatchOptions::default()).expect("watched run");
    assert_eq!(watched.end, ChildEnd::Exited(0));
    assert_eq!(watched.run.problems, []);
    let mut usages = Usages::new();
    for pair in &watched.run.pairs {
        let place = (pair.clause.class.clone(), pair.clause.catch_line.unwrap_or(0));
        let sites = usages.entry(place).or_default();
        sites.entries += pair.usages.entries;
        sites.pink_or_open += pair.usages.pink;
        sites.white += pair.usages.white;
        sites.sibling += pair.usages.sibling;
        sites.escaped += pair.usages.escaped;
    }
    (usages, fs::read_to_string(output).expect("output"))
}

fn command(classes: &Path, java: u32, output: &Path, option: &str) -> Command {
    let mut command = jdk::runtime(java).expect("Java runtime").command("java");
    command.arg(option).arg("-cp").arg(classes).arg("Main");
    command.stdout(File::create(output).expect("output file")).stderr(Stdio::null());
    command
}
