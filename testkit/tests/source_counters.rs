//! The hand-made figures of the colours fixtures equal what counters in their source count: two truths, found in
//! different ways, neither with Catchment's help.

use catchment_testkit::colours::{self, Fixture, Row, render, simple_names};
use catchment_testkit::compilers::{Compiler, Job, files_with_extension};
use catchment_testkit::jdk;
use catchment_testkit::source_counters::{
    CountedTry, Sample, counter_class, create_counters, instrument_folder, read_counts,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tempfile::TempDir;

#[test]
fn hand_made_figures_equal_those_of_counters_in_the_source() {
    // One fixture shows what only Java 25 can compile, and all are compiled together.
    if !jdk::is_here(25) {
        return;
    }
    let sources = files_with_extension(&colours::folder(), "java").expect("fixtures");
    let copies = tempfile::tempdir().expect("temporary folder");
    for source in &sources {
        let name = source.file_name().expect("file name");
        fs::copy(source, copies.path().join(name)).expect("copy");
    }
    let counted = Counted::of(copies.path());
    let mut wrong = String::new();
    for source in &sources {
        let name = source.file_name().expect("file name").to_string_lossy();
        let fixture = Fixture::read(&name).expect("fixture");
        let expected = render(&pink_and_open_together(fixture.rows_for("source")));
        let found = render(&counted.rows(&fixture));
        if expected != found {
            wrong += &format!("{name}\nby hand\n{expected}\nby counters\n{found}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// All fixtures, instrumented and compiled together.
struct Counted {
    classes: PathBuf,
    tries: Vec<CountedTry>,
    /// Keeps the sources while they are in use.
    _instrumented: TempDir,
}

impl Counted {
    fn of(sources: &Path) -> Self {
        let instrumented = tempfile::tempdir().expect("temporary folder");
        let tries =
            instrument_folder(sources, instrumented.path(), &mut Sample::all()).expect("instrumented");
        let mut job = Job::of(files_with_extension(instrumented.path(), "java").expect("sources"));
        job.sources.push(counter_class());
        let classes =
            Compiler::Javac { jdk: 25, release: 25 }.compile(&job).expect("instrumented sources compile");
        Self { classes, tries, _instrumented: instrumented }
    }

    /// Runs the fixture and reads its rows from the counters.
    fn rows(&self, fixture: &Fixture) -> BTreeMap<String, Row> {
        let folder = tempfile::tempdir().expect("temporary folder");
        let counters = folder.path().join("counters");
        create_counters(&counters, &self.tries).expect("counters");
        let mut command = jdk::installed(25).expect("JDK 25").command("java");
        command.arg(format!("-Dcatchment.counters={}", counters.display())).arg("-cp").arg(&self.classes);
        let status = command.arg(fixture.main_class()).stdout(Stdio::null()).status().expect("run");
        assert_eq!(status.code(), Some(fixture.exit_code), "{}", fixture.main_class());
        let counts = read_counts(&counters).expect("counts");
        let mut rows = BTreeMap::new();
        let file = fixture.source.file_name().expect("file name");
        for counted in self.tries.iter().filter(|it| it.file.as_os_str() == file) {
            for (clause, usages) in counted.clauses.iter().zip(counted.usages(&counts).expect("usages")) {
                let types = simple_names(clause.types.iter().map(String::as_str));
                let numbers =
                    [usages.entries, usages.pink_or_open, usages.white, usages.sibling, usages.escaped, 0];
                let mark = fixture.mark_at(Some(clause.line));
                // A clause without a mark stands in a class that is never loaded.
                if !mark.starts_with("line ") {
                    rows.insert(mark, Row { types, usages: numbers });
                }
            }
        }
        rows
    }
}

fn pink_and_open_together(mut rows: BTreeMap<String, Row>) -> BTreeMap<String, Row> {
    for row in rows.values_mut() {
        row.usages[1] += row.usages[5];
        row.usages[5] = 0;
    }
    rows
}
