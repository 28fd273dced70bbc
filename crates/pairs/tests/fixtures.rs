//! The try-catch pairs and filtered handlers of every fixture, as every compiler that applies makes it.
//!
//! Beside each source under `fixtures/pairs` stands what must be found, one line per pair and per filtered reason:
//!
//! ```text
//! level 7
//! Demo.load(I)V try 12 catch 15 IOException|SQLException in 10:20
//! javac-9/filtered Demo.$closeResource(...)V try-with-resources
//! ```
//!
//! `level` is the lowest language level that compiles it, `in` the lines of the enclosing pair; a line that starts with
//! `javac-9/` holds for compilers whose name starts so. Filtered handlers are listed once per method and reason: how
//! many there are is the compiler's business. Methods of lambdas, which every compiler names differently, are all
//! `lambda`.

use catchment_classfile::ClassFile;
use catchment_pairs::{ClassPairs, Pair, pairs_of};
use catchment_testkit::colours::simple_names;
use catchment_testkit::compilers::{Compiler, Job, files_with_extension};
use catchment_testkit::workspace::{files_below, root};
use catchment_testkit::{fixtures, pinned};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const JAVA: &[Compiler] = &[
    Compiler::Javac8 { level: 3 },
    Compiler::Javac8 { level: 8 },
    Compiler::Javac9 { level: 8 },
    Compiler::Javac { jdk: 17, release: 8 },
    Compiler::Javac { jdk: 17, release: 11 },
    Compiler::Javac { jdk: 17, release: 17 },
    Compiler::Javac { jdk: 25, release: 25 },
    Compiler::Ecj2009 { level: 4 },
    Compiler::Ecj2012 { level: 7 },
    Compiler::Ecj2016 { level: 8 },
    Compiler::Ecj2025 { level: 8 },
    Compiler::Ecj2025 { level: 17 },
    Compiler::Ecj2025 { level: 25 },
];
const LOMBOK: &[Compiler] =
    &[Compiler::Javac { jdk: 17, release: 17 }, Compiler::Javac { jdk: 25, release: 25 }];
const KOTLIN: &[Compiler] = &[Compiler::Kotlinc1, Compiler::Kotlinc2];

fixtures! {
    check:
    class_literals: "literals/ClassLiterals.java";
    closing_finally: "finally/ClosingFinally.java";
    early_constructors: "members/EarlyConstructors.java";
    empty_catches: "clauses/EmptyCatches.java";
    enum_switches: "switches/EnumSwitches.java";
    finally_shapes: "finally/FinallyShapes.java";
    hand_written: "resources/HandWritten.java";
    kotlin_inline: "kotlin/Inline.kt";
    kotlin_one_line: "kotlin/OneLine.kt";
    kotlin_suspending: "kotlin/Suspending.kt";
    kotlin_use: "kotlin/Use.kt";
    lambdas: "members/Lambdas.java";
    lombok_shapes: "lombok/LombokShapes.java";
    members: "members/Members.java";
    monitors: "monitors/Monitors.java";
    multi_catches: "clauses/MultiCatches.java";
    nested_tries: "nesting/NestedTries.java";
    own_initialiser: "switches/OwnInitialiser.java";
    pattern_switches: "switches/PatternSwitches.java";
    records: "members/Records.java";
    resource_variables: "resources/ResourceVariables.java";
    string_switches: "switches/StringSwitches.java";
    try_in_finally: "finally/TryInFinally.java";
    try_in_finally_in_loop: "finally/TryInFinallyInLoop.java";
    try_with_resources: "resources/TryWithResources.java";
}

#[test]
fn every_fixture_in_the_folder_has_its_test() {
    let mut listed: Vec<PathBuf> = LISTED.iter().map(|path| folder().join(path)).collect();
    let mut present = files_below(&folder()).expect("fixtures");
    present.retain(|file| file.extension().is_some_and(|it| it == "java" || it == "kt"));
    listed.sort();
    present.sort();
    assert_eq!(listed, present);
}

/// Compiled without debug information there are the same pairs, only without lines.
#[test]
fn pairs_need_no_debug_information() {
    let compiler = Compiler::Javac { jdk: 17, release: 17 };
    for path in WITHOUT_COPIES {
        let source = folder().join(path);
        let expected = Expected::read(&source.with_extension("expected"));
        let options = vec!["-g:none".to_owned()];
        let classes = compiler.compile(&Job { options, ..Job::of([source]) }).expect("fixture compiles");
        let mut found = found_lines(&classes, |_| true);
        let mut lines: Vec<String> =
            expected.lines_for(&compiler.name()).iter().map(|line| without_line_numbers(line)).collect();
        lines.sort();
        found.sort();
        assert_eq!(found, lines, "{path}: found and expected");
    }
}

/// Fixtures whose pairs are compiled once each: copies are only known by their lines.
const WITHOUT_COPIES: &[&str] = &[
    "clauses/EmptyCatches.java",
    "clauses/MultiCatches.java",
    "finally/FinallyShapes.java",
    "members/Lambdas.java",
    "members/Members.java",
    "monitors/Monitors.java",
    "nesting/NestedTries.java",
    "resources/TryWithResources.java",
    "switches/EnumSwitches.java",
];

/// `try 12 catch 15` as `try - catch -`.
fn without_line_numbers(line: &str) -> String {
    if line.starts_with("filtered ") {
        return line.to_owned();
    }
    let words = line.split(' ').map(|word| match word.split_once(':') {
        Some((left, right)) if is_number(left) && is_number(right) => "-:-",
        _ if is_number(word) => "-",
        _ => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

fn is_number(word: &str) -> bool {
    word.parse::<u32>().is_ok()
}

/// All differences of all compilers at once: they usually have one cause.
fn check(path: &str) {
    let source = folder().join(path);
    let expected = Expected::read(&source.with_extension("expected"));
    let mut report = String::new();
    let mut checked = 0;
    for &compiler in compilers_of(&source).iter().filter(|it| it.level() >= expected.level) {
        checked += 1;
        if !compiler.is_here() {
            continue;
        }
        let name = compiler.name();
        let file = source.file_name().expect("file name").to_string_lossy();
        let found =
            found_lines(&compiled(&source, compiler), |class| class.source_file.as_deref() == Some(&*file));
        report += &differences(&name, &expected.lines_for(&name), &found);
    }
    assert!(checked > 0, "no compiler applies to {path}");
    assert!(report.is_empty(), "{path}\n{report}");
}

fn differences(compiler: &str, expected: &[String], found: &[String]) -> String {
    let missing =
        expected.iter().filter(|line| !found.contains(line)).map(|line| format!("  missing {line}\n"));
    let surplus =
        found.iter().filter(|line| !expected.contains(line)).map(|line| format!("  surplus {line}\n"));
    let lines: String = missing.chain(surplus).collect();
    if lines.is_empty() && expected.len() != found.len() {
        return format!("{compiler}\n  found twice: {found:#?}\n");
    }
    if lines.is_empty() { lines } else { format!("{compiler}\n{lines}") }
}

struct Expected {
    level: u32,
    lines: Vec<String>,
}

impl Expected {
    fn read(file: &Path) -> Self {
        let text = fs::read_to_string(file).expect("expected file");
        let mut lines: Vec<String> = text.lines().map(str::trim).map(str::to_owned).collect();
        lines.retain(|line| !line.is_empty() && !line.starts_with('#'));
        let level = lines.iter().find_map(|line| line.strip_prefix("level ")?.parse().ok()).expect("level");
        lines.retain(|line| !line.starts_with("level "));
        Self { level, lines }
    }

    fn lines_for(&self, compiler: &str) -> Vec<String> {
        let mut lines: Vec<String> =
            self.lines.iter().filter_map(|line| line_for(compiler, line)).map(str::to_owned).collect();
        lines.sort();
        lines
    }
}

/// The line without the name of the compiler it is restricted to; `None` if that is another one.
fn line_for<'a>(compiler: &str, line: &'a str) -> Option<&'a str> {
    match line.split_once('/') {
        Some((start, rest))
            if start.starts_with("javac") || start.starts_with("ecj") || start.starts_with("kotlinc") =>
        {
            compiler.starts_with(start).then_some(rest)
        }
        _ => Some(line),
    }
}

fn compilers_of(source: &Path) -> &'static [Compiler] {
    if is_kotlin(source) {
        KOTLIN
    } else if is_lombok(source) {
        LOMBOK
    } else {
        JAVA
    }
}

fn is_kotlin(source: &Path) -> bool {
    source.extension().is_some_and(|it| it == "kt")
}

fn is_lombok(source: &Path) -> bool {
    source.parent().is_some_and(|folder| folder.ends_with("lombok"))
}

/// The class folder of the fixture, compiled together with all others that this compiler can compile.
fn compiled(source: &Path, compiler: Compiler) -> PathBuf {
    let mut job = Job::default();
    if is_kotlin(source) {
        job.sources = files_with_extension(&folder().join("kotlin"), "kt").expect("fixtures");
    } else if is_lombok(source) {
        job.sources = vec![source.to_path_buf()];
        job.processors = pinned::jars(&[pinned::LOMBOK]).expect("lombok");
        job.class_path.clone_from(&job.processors);
    } else {
        job.sources = files_below(&folder()).expect("fixtures");
        job.sources.retain(|file| is_plain_java_up_to(file, compiler.level()));
    }
    compiler.compile(&job).expect("fixtures compile")
}

fn is_plain_java_up_to(file: &Path, level: u32) -> bool {
    let plain_java = file.extension().is_some_and(|it| it == "java") && !is_lombok(file);
    plain_java && Expected::read(&file.with_extension("expected")).level <= level
}

/// Pairs found in the classes that are `wanted`, as sorted lines.
fn found_lines(classes: &Path, wanted: impl Fn(&ClassPairs) -> bool) -> Vec<String> {
    let mut pairs = Vec::new();
    let mut filtered = BTreeSet::new();
    for file in files_below(classes).expect("classes") {
        if file.extension().is_none_or(|it| it != "class") {
            continue;
        }
        let bytes = fs::read(&file).expect("class file");
        let class = pairs_of(&ClassFile::parse(&bytes).expect("class of a real compiler"));
        assert_eq!(class.problems, [], "{}", class.class);
        if wanted(&class) {
            pairs.extend(class.pairs.iter().map(|pair| pair_line(&class, pair)));
            filtered.extend(filtered_lines(&class));
        }
    }
    pairs.extend(filtered);
    pairs.sort();
    pairs
}

fn pair_line(class: &ClassPairs, pair: &Pair) -> String {
    let method = method_name(&class.class, &pair.method, &pair.descriptor);
    let types = simple_names(pair.types.iter().map(String::as_str));
    let parent = pair
        .parent
        .and_then(|index| class.pairs.get(index))
        .map(|parent| format!(" in {}:{}", line_number(parent.try_line), line_number(parent.catch_line)));
    let source = pair.source.as_ref().map(|source| format!(" of {source}"));
    let mark = if pair.maybe_generated { " maybe generated" } else { "" };
    format!(
        "{method} try {} catch {} {types}{}{}{mark}",
        line_number(pair.try_line),
        line_number(pair.catch_line),
        parent.unwrap_or_default(),
        source.unwrap_or_default(),
    )
}

fn filtered_lines(class: &ClassPairs) -> impl Iterator<Item = String> {
    class.filtered.iter().map(|handler| {
        let method = method_name(&class.class, &handler.method, &handler.descriptor);
        format!("filtered {method} {}", handler.reason.as_str())
    })
}

fn method_name(class: &str, method: &str, descriptor: &str) -> String {
    let method = if method.contains("lambda$") { "lambda" } else { method };
    format!("{class}.{method}{descriptor}")
}

fn line_number(line: Option<u32>) -> String {
    line.map_or_else(|| "-".to_owned(), |line| line.to_string())
}

fn folder() -> PathBuf {
    root().join("fixtures/pairs")
}
