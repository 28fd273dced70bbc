//! `cargo xtask incremental`: after scripted edits of real projects an incremental check says what a check from the start
//! says, and costs what the edit is worth.
//!
//! Each edit stays, and the next one comes on top of it. A project is worked on in a copy.

mod edits;

use crate::answers::differences_of_checks;
use crate::bench::timed::read_result;
use crate::binary::build_catchment;
use crate::project_copy;
use anyhow::{Context, Result, bail};
use catchment_testkit::jdk;
use catchment_testkit::random::Random;
use edits::{Edit, Kind};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

/// Edits that do not compile are taken back; so many in a row and the project is given up.
const MOST_REFUSED: usize = 10;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// A Maven project, `NAME=FOLDER`, whose dependencies have been fetched (repeatable).
    #[arg(long = "project", value_name = "NAME=FOLDER", required = true)]
    projects: Vec<String>,
    /// Edits of each project.
    #[arg(long, default_value_t = 10)]
    edits: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The build of Catchment; built from this tree unless given.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Further arguments of every check, `--include=...` for example (repeatable).
    #[arg(long = "option", value_name = "ARGUMENT", allow_hyphen_values = true)]
    options: Vec<String>,
    #[arg(long, default_value_t = 1)]
    jobs: u32,
    /// Print every difference, not only those of verdicts; two checks from the start differ in experiments, too, unless
    /// `--option=--matrix` has all of them run.
    #[arg(long)]
    all: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let binary = options.binary.clone().map_or_else(build_catchment, Ok)?;
    let binary = fs::canonicalize(binary).context("there is no such binary")?;
    let mut different = 0;
    println!("{}", Row::HEADER);
    for named in &options.projects {
        let (name, folder) = project_copy::named(named)?;
        let copy = project_copy::as_it_is(&folder)?;
        let project = Project {
            folder: copy.path().join("project"),
            scratch: copy.path().to_owned(),
            binary: binary.clone(),
            java_home: jdk::installed(17)?.home().to_owned(),
            options,
        };
        different += project.edit_and_compare(&name)?;
    }
    println!("{different} edits after which verdicts differ");
    Ok(if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A copy of a project, and what checks it.
struct Project<'o> {
    folder: PathBuf,
    scratch: PathBuf,
    binary: PathBuf,
    java_home: PathBuf,
    options: &'o Options,
}

/// One check.
struct Run {
    answer: Value,
    cpu: Duration,
}

/// Fields of a pair that are verdicts. Which experiments lead to them depends on how long tests take.
const VERDICTS: [&str; 6] =
    ["source_independence", "pure_resilience", "dependence", "not_injectable", "only_timeouts", "unstable"];

/// Tells whether a line of differences is about a verdict, a finding or which tests count.
fn is_about_verdicts(line: &str) -> bool {
    let path = line.split(": before ").next().unwrap_or(line);
    let field = path.rsplit("].").next().unwrap_or(path);
    let of_answer = ["answer.findings", "answer.set_aside", "answer.tests"];
    VERDICTS.contains(&field) || of_answer.iter().any(|part| path.starts_with(part))
}

/// What one edit has cost.
struct Row<'r> {
    project: &'r str,
    edit: &'r str,
    answer: &'r Value,
    cpu: Duration,
    suite: Duration,
    differences: usize,
    verdicts: usize,
}

impl Row<'_> {
    const HEADER: &'static str = "project        edit                                                 suite tests  alone resumed  CPU s  suites  differences  of verdicts";

    fn print(&self) {
        let stats = &self.answer["stats"];
        let count = |value: &Value| value.as_u64().unwrap_or_default();
        println!(
            "{:<14} {:<52} {:>11} {:>6} {:>7} {:>6.1} {:>7.2} {:>12} {:>12}",
            self.project,
            self.edit,
            count(&stats["suite_tests"]),
            count(&stats["solo"]["count"]),
            count(&stats["resumed"]),
            self.cpu.as_secs_f64(),
            self.cpu.as_secs_f64() / self.suite.as_secs_f64().max(0.01),
            self.differences,
            self.verdicts
        );
    }
}

impl Project<'_> {
    /// The number of edits after which the incremental verdicts are others.
    fn edit_and_compare(&self, name: &str) -> Result<usize> {
        let mut random = Random(self.options.seed.max(1));
        let first = self.check(&[])?;
        let suite = self.suite()?;
        let mut base = self.check(&[])?.answer;
        println!(
            "{name}: a suite takes {:.1} s CPU, the first check {:.1} s",
            suite.as_secs_f64(),
            first.cpu.as_secs_f64()
        );
        let (mut different, mut refused, mut made) = (0, 0, 0);
        while made < self.options.edits {
            let kind = Kind::ALL[made % Kind::ALL.len()];
            let edit = Edit::new(kind, &self.folder, &base, made, &mut random)?;
            let before = edit.apply()?;
            let store = self.store();
            let kept = self.scratch.join("results.sqlite");
            fs::copy(&store, &kept).context("the check left no store")?;
            let Ok(incremental) = self.check(&[]) else {
                before.restore()?;
                refused += 1;
                if refused == MOST_REFUSED {
                    bail!("{name}: no edit compiles");
                }
                // What was built last is no longer there.
                fs::copy(&kept, &store)?;
                continue;
            };
            // The same once more, on what is built by now: what it costs beyond the build.
            self.forget()?;
            fs::copy(&kept, &store)?;
            let again = self.check(&[])?;
            let fresh = self.check(&["--fresh"])?;
            let differences = differences_of_checks(&fresh.answer, &incremental.answer, &self.folder);
            let row = Row {
                project: name,
                edit: &edit.name,
                answer: &incremental.answer,
                cpu: again.cpu,
                suite,
                differences: differences.len(),
                verdicts: differences.iter().filter(|line| is_about_verdicts(line)).count(),
            };
            row.print();
            let told = differences.iter().filter(|line| is_about_verdicts(line) || self.options.all);
            told.for_each(|line| println!("    {line}"));
            different += usize::from(row.verdicts > 0);
            (base, refused) = (fresh.answer, 0);
            made += 1;
        }
        Ok(different)
    }

    fn store(&self) -> PathBuf {
        self.folder.join(".catchment/results.sqlite")
    }

    fn forget(&self) -> Result<()> {
        for suffix in ["", "-wal", "-shm"] {
            let file = PathBuf::from(format!("{}{suffix}", self.store().display()));
            if file.exists() {
                fs::remove_file(file)?;
            }
        }
        Ok(())
    }

    /// The CPU time of one run of the suites, of a project that is built.
    fn suite(&self) -> Result<Duration> {
        self.forget()?;
        Ok(self.check(&["--list"])?.cpu)
    }

    fn check(&self, more: &[&str]) -> Result<Run> {
        let (time, report, log) =
            (self.scratch.join("time"), self.scratch.join("report.json"), self.scratch.join("log"));
        let this = std::env::current_exe().context("cannot find this program")?;
        let output = fs::File::create(&log).context("cannot write a log")?;
        let mut command = Command::new(this);
        command
            .arg("timed")
            .arg(&time)
            .arg("--")
            .arg(&self.binary)
            .args(["check", "--json", "--output"])
            .arg(&report);
        command.arg(format!("--jobs={}", self.options.jobs)).args(&self.options.options).args(more);
        command.args(["--", "-o"]).current_dir(&self.folder).stdin(Stdio::null());
        command.stdout(output.try_clone()?).stderr(output).env("JAVA_HOME", &self.java_home);
        let status = command.status().context("cannot start the check")?;
        // 1: findings.
        if !matches!(status.code(), Some(0 | 1)) {
            bail!("the check failed ({status}):\n{}", fs::read_to_string(&log).unwrap_or_default());
        }
        let answer = serde_json::from_slice(&fs::read(&report)?).context("the report is no JSON")?;
        Ok(Run { answer, cpu: read_result(&time)? })
    }
}

/// A path in the words of tables.
fn short(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_told_from_what_leads_to_them() {
        for (line, expected) in [
            ("answer.pairs[a.B.c()V#0.0:E@1].source_independence: before \"a\", after \"b\"", true),
            ("answer.set_aside[a.T.t]: before absent, after {}", true),
            ("answer.pairs[a.B.c()V#0.0:E@1].experiments[a.T.t E]: before absent, after {}", false),
            (
                "answer.pairs[a.B.c()V#0.0:E@1].reasons_unknown.source_independence[0]: before 1, after 2",
                false,
            ),
        ] {
            assert_eq!(is_about_verdicts(line), expected, "{line}");
        }
    }
}
