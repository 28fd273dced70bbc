//! Usages and colours of every fixture, watched in a real JVM, equal those worked out by hand.
//!
//! Each fixture is compiled by several compilers and run on several JDKs; what it prints and its exit code are those
//! of the plain run.

use catchment_testkit::colours::{self, Fixture, Row, render, simple_names};
use catchment_testkit::compilers::{Compiler, Job, files_with_extension};
use catchment_testkit::{fixtures, jdk, pinned};
use catchment_watch::{ChildEnd, Problem, WatchOptions, WatchedPair, WatchedRun, watch_command};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::process::Command;

/// A compiler and the feature version of the JVM that runs what it makes.
type Setting = (Compiler, u32);

/// Between them: every generation of shapes, and every supported JVM.
const JAVA: &[Setting] = &[
    (Compiler::Javac8 { level: 8 }, 11),
    (Compiler::Javac { jdk: 17, release: 17 }, 17),
    (Compiler::Ecj2025 { level: 8 }, 21),
    (Compiler::Javac { jdk: 25, release: 25 }, 25),
    (Compiler::Ecj2025 { level: 25 }, 25),
];
const KOTLIN: &[Setting] = &[(Compiler::Kotlinc1, 17), (Compiler::Kotlinc2, 25)];

fixtures! {
    check:
    always_abrupt_finally: "AlwaysAbruptFinally.java";
    branch_into_try: "BranchIntoTry.java";
    break_and_return: "BreakAndReturn.java";
    constructor_catch: "ConstructorCatch.java";
    continue_at_loop_head: "ContinueAtLoopHead.java";
    daemon_left_over: "DaemonLeftOver.java";
    default_methods: "DefaultMethods.java";
    do_while_first: "DoWhileFirst.java";
    early_constructor: "EarlyConstructor.java";
    empty_catch: "EmptyCatch.java";
    enum_switch: "EnumSwitch.java";
    finally_after_returns: "FinallyAfterReturns.java";
    finally_on_every_path: "FinallyOnEveryPath.java";
    finally_throws_after_return: "FinallyThrowsAfterReturn.java";
    halt: "Halt.java";
    implicit_exceptions: "ImplicitExceptions.java";
    instance_initialiser: "InstanceInitialiser.java";
    kotlin_coroutines: "kotlin/Coroutines.kt";
    kotlin_tries: "kotlin/KotlinTries.kt";
    labelled_jumps: "LabelledJumps.java";
    loop_behind_if: "LoopBehindIf.java";
    lambda_catch: "LambdaCatch.java";
    lombok_tries: "lombok/LombokTries.java";
    many_usages: "ManyUsages.java";
    multi_catch: "MultiCatch.java";
    nested_finally: "NestedFinally.java";
    pattern_switch: "PatternSwitch.java";
    record_catch: "RecordCatch.java";
    recursion: "Recursion.java";
    resources_return: "ResourcesReturn.java";
    resources_with_catch: "ResourcesWithCatch.java";
    rethrow: "Rethrow.java";
    retry_around_loop: "RetryAroundLoop.java";
    retry_loop: "RetryLoop.java";
    same_start: "SameStart.java";
    same_start_loop: "SameStartLoop.java";
    siblings: "Siblings.java";
    stack_overflow: "StackOverflow.java";
    static_initialiser: "StaticInitialiser.java";
    string_switch: "StringSwitch.java";
    switch_expression: "SwitchExpression.java";
    synchronized_body: "SynchronizedBody.java";
    system_exit: "SystemExit.java";
    thread_dies: "ThreadDies.java";
    threads_count: "ThreadsCount.java";
    throwing_handlers: "ThrowingHandlers.java";
    try_inside_finally: "TryInsideFinally.java";
    try_inside_resource: "TryInsideResource.java";
    unused_try: "UnusedTry.java";
    virtual_threads: "VirtualThreads.java";
    wait_and_interrupt: "WaitAndInterrupt.java";
    while_first: "WhileFirst.java";
}

#[test]
fn every_fixture_in_the_folder_has_its_test() {
    let mut present = sources("", "java");
    present.extend(sources("lombok", "java"));
    present.extend(sources("kotlin", "kt"));
    let mut listed: Vec<PathBuf> = LISTED.iter().map(|path| colours::folder().join(path)).collect();
    present.sort();
    listed.sort();
    assert_eq!(listed, present);
}

fn check(path: &str) {
    let fixture = Fixture::read(path).expect("fixture");
    let settings = if fixture.is_kotlin() { KOTLIN } else { JAVA };
    let mut runs = 0;
    let mut missing = 0;
    for &(compiler, java) in settings.iter().filter(|(compiler, _)| applies(&fixture, *compiler)) {
        if !compiler.is_here() || !jdk::is_here(java) {
            missing += 1;
            continue;
        }
        let run = Run::of(&fixture, compiler, java);
        run.check();
        runs += 1;
    }
    assert!(runs + missing > 0, "no compiler applies to {path}");
}

/// Lombok is a processor of javac; ecj needs an agent for it, which is beside the point here.
fn applies(fixture: &Fixture, compiler: Compiler) -> bool {
    let by_installed_javac = matches!(compiler, Compiler::Javac { .. });
    fixture.level <= compiler.level() && (!is_lombok(fixture) || by_installed_javac)
}

fn is_lombok(fixture: &Fixture) -> bool {
    fixture.source.parent().is_some_and(|folder| folder.ends_with("lombok"))
}

/// A fixture compiled, ready to run plain and watched.
struct Run<'a> {
    fixture: &'a Fixture,
    compiler: String,
    name: String,
    java: u32,
    class_path: Vec<PathBuf>,
}

impl<'a> Run<'a> {
    fn of(fixture: &'a Fixture, compiler: Compiler, java: u32) -> Self {
        let mut class_path = compiler.runtime_libraries().expect("libraries");
        class_path.insert(0, compiled(fixture, compiler));
        let name = format!("{} by {} on {java}", fixture.main_class(), compiler.name());
        Self { fixture, compiler: compiler.name(), name, java, class_path }
    }

    fn check(&self) {
        let folder = tempfile::tempdir().expect("temporary folder");
        let plain_output = folder.path().join("plain");
        let status = self.command(&plain_output).status().expect("plain run");
        assert_eq!(status.code(), Some(self.fixture.exit_code), "{}: plain run", self.name);

        let watched_output = folder.path().join("watched");
        let mut command = self.command(&watched_output);
        let watched = watch_command(&mut command, &WatchOptions::default()).expect("watched run");
        assert_eq!(watched.end, ChildEnd::Exited(self.fixture.exit_code), "{}: watched run", self.name);
        let text = |path| std::fs::read_to_string(path).expect("program output");
        assert_eq!(text(watched_output), text(plain_output), "{}: output", self.name);
        self.check_usages(&watched.run);
    }

    fn command(&self, output: &std::path::Path) -> Command {
        let mut command = jdk::runtime(self.java).expect("Java runtime").command("java");
        let class_path = std::env::join_paths(&self.class_path).expect("class path");
        command.arg("-cp").arg(class_path).arg(self.fixture.main_class());
        command.stdout(File::create(output).expect("output file")).stderr(std::process::Stdio::null());
        command
    }

    /// Warnings that the fixture names, and no others.
    fn check_warnings(&self, problems: &[Problem]) {
        let warnings = &self.fixture.warnings;
        let surplus = problems.iter().find(|problem| !warnings.iter().any(|it| problem.what.contains(it)));
        assert_eq!(surplus, None, "{}", self.name);
        let missing = warnings.iter().find(|it| !problems.iter().any(|problem| problem.what.contains(*it)));
        assert_eq!(missing, None, "{}", self.name);
    }

    fn check_usages(&self, run: &WatchedRun) {
        self.check_warnings(&run.problems);
        assert_eq!(run.skipped, [], "{}", self.name);
        let actual = render(&rows_of(self.fixture, &run.pairs));
        let expected = render(&self.fixture.rows_for(&self.compiler));
        assert!(actual == expected, "{}\nexpected\n{expected}\nseen\n{actual}", self.name);
    }
}

/// The rows of what was seen. Sites of one clause in several methods add up.
fn rows_of(fixture: &Fixture, pairs: &[WatchedPair]) -> BTreeMap<String, Row> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for pair in pairs {
        assert_eq!(pair.not_observed, None, "{}", pair.clause.id);
        let usages = pair.usages;
        let open = u64::try_from(usages.open()).expect("open usages cannot be negative");
        let numbers = [usages.entries, usages.pink, usages.white, usages.sibling, usages.escaped, open];
        let row = rows.entry(fixture.mark_at(pair.clause.catch_line)).or_insert_with(|| Row {
            types: simple_names(pair.clause.types.iter().map(String::as_str)),
            usages: [0; 6],
        });
        for (sum, number) in row.usages.iter_mut().zip(numbers) {
            *sum += number;
        }
    }
    rows
}

/// The class folder of the fixture. Fixtures of one kind are compiled together, which costs one compiler start.
fn compiled(fixture: &Fixture, compiler: Compiler) -> PathBuf {
    let mut job = Job::default();
    if fixture.is_kotlin() {
        job.sources = sources("kotlin", "kt");
    } else if is_lombok(fixture) {
        job.sources = sources("lombok", "java");
        job.processors = pinned::jars(&[pinned::LOMBOK]).expect("lombok");
        job.class_path.clone_from(&job.processors);
    } else {
        job.sources = sources("", "java");
        job.sources.retain(|source| {
            let name = source.file_name().unwrap_or_default().to_string_lossy();
            Fixture::read(&name).expect("fixture").level <= compiler.level()
        });
    }
    compiler.compile(&job).expect("fixtures compile")
}

fn sources(folder: &str, extension: &str) -> Vec<PathBuf> {
    files_with_extension(&colours::folder().join(folder), extension).expect("fixtures")
}
