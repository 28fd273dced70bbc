//! `cargo xtask bench check`: what a whole check costs beside the tests of the build itself.
//!
//! Maven's own run of a goal and a fresh check with the same goal take turns, each in a clean copy of the project, offline,
//! with one JDK. Measured is the CPU time, user and system, of each command with all its children.

use super::Measurements;
use super::timed::read_result;
use crate::bar::verdict;
use crate::binary::build_catchment;
use crate::project_copy;
use anyhow::{Context, Result, bail};
use catchment_testkit::jdk;
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// The CPU time of a check, in times of that of the build's own tests.
const BAR: f64 = 3.0;
const AIM_OF_THE_MEDIAN: f64 = 2.0;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// A Maven project whose dependencies have been fetched (repeatable).
    #[arg(long = "project", value_name = "NAME=FOLDER", required = true)]
    projects: Vec<String>,
    /// How often each way is run.
    #[arg(long, value_name = "N", default_value_t = 3)]
    runs: usize,
    /// The goal that both are given.
    #[arg(long, value_name = "GOAL", default_value = "test")]
    goal: String,
    /// JVMs at a time.
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: u32,
    /// More options of the build tool, for both (repeatable).
    #[arg(long = "build-option", value_name = "OPTION", allow_hyphen_values = true)]
    build_options: Vec<String>,
    /// Another build of Catchment instead of this one.
    #[arg(long, value_name = "PATH")]
    binary: Option<PathBuf>,
    /// Keep the report of each last check in this folder.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let catchment = match &options.binary {
        Some(binary) => {
            fs::canonicalize(binary).with_context(|| format!("there is no {}", binary.display()))?
        }
        None => build_catchment()?,
    };
    let bench = Bench { options, catchment, java_home: jdk::installed(17)?.home().to_path_buf() };
    let projects: Vec<_> =
        options.projects.iter().map(|text| project_copy::named(text)).collect::<Result<_>>()?;
    let mut ratios = Vec::new();
    for (name, folder) in &projects {
        ratios.push(bench.measure(name, folder)?);
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios.get(ratios.len() / 2).copied().unwrap_or_default();
    println!("median of all projects: {median:.2} (aim {AIM_OF_THE_MEDIAN})");
    let is_met = ratios.iter().all(|ratio| *ratio <= BAR);
    Ok(if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Bench<'a> {
    options: &'a Options,
    catchment: PathBuf,
    java_home: PathBuf,
}

/// One run of one way.
struct Run {
    cpu: Duration,
    wall: Duration,
}

impl Bench<'_> {
    /// The CPU time of a check, in times of Maven's.
    fn measure(&self, name: &str, folder: &Path) -> Result<f64> {
        let (mut maven, mut check) = (Vec::new(), Vec::new());
        let mut answer = Value::Null;
        for round in 1..=self.options.runs {
            let run = self.maven(folder)?;
            eprintln!("{name} {round}: Maven {}", told(&run));
            maven.push(run.cpu);
            let run = self.check(folder, &mut answer)?;
            eprintln!("{name} {round}: check {}", told(&run));
            check.push(run.cpu);
        }
        if let Some(keep) = &self.options.keep {
            fs::create_dir_all(keep)?;
            fs::write(keep.join(format!("{name}.json")), serde_json::to_vec_pretty(&answer)?)?;
        }
        let (maven, check) = (Measurements::new(maven), Measurements::new(check));
        let ratio = check.median().as_secs_f64() / maven.median().as_secs_f64();
        println!("{name}: check {check}, Maven {maven}: {ratio:.2} times ({})", verdict(ratio <= BAR));
        println!("  {}", counts(&answer));
        Ok(ratio)
    }

    fn maven(&self, folder: &Path) -> Result<Run> {
        let copy = project_copy::clean(folder)?;
        let mut words: Vec<OsString> = ["mvn", "-B", "-o", "-q"].map(OsString::from).to_vec();
        words.push("-Dmaven.test.failure.ignore=true".into());
        words.extend(self.options.build_options.iter().map(OsString::from));
        words.push((&self.options.goal).into());
        self.timed(&copy.path().join("project"), copy.path(), words)
    }

    fn check(&self, folder: &Path, answer: &mut Value) -> Result<Run> {
        let copy = project_copy::clean(folder)?;
        let report = copy.path().join("report.json");
        let mut words: Vec<OsString> = vec![self.catchment.clone().into()];
        words.extend(["check", "--fresh", "--stats", "--json", "--output"].map(OsString::from));
        words.extend([report.clone().into(), format!("--jobs={}", self.options.jobs).into()]);
        words.extend(["--", "-o"].map(OsString::from));
        words.extend(self.options.build_options.iter().map(OsString::from));
        words.push((&self.options.goal).into());
        let run = self.timed(&copy.path().join("project"), copy.path(), words)?;
        let text = fs::read(&report).context("the check left no report")?;
        *answer = serde_json::from_slice(&text).context("the report of the check is no JSON")?;
        Ok(run)
    }

    /// Runs the command in the project; `result` is a folder outside.
    fn timed(&self, project: &Path, result: &Path, words: Vec<OsString>) -> Result<Run> {
        let (time, log) = (result.join("time"), result.join("log"));
        let this = std::env::current_exe().context("cannot find this program")?;
        let output = fs::File::create(&log).context("cannot write a log")?;
        let mut command = Command::new(this);
        command.arg("timed").arg(&time).arg("--").args(words).current_dir(project).stdin(Stdio::null());
        command.stdout(output.try_clone()?).stderr(output).env("JAVA_HOME", &self.java_home);
        let begun = Instant::now();
        let status = command.status().context("cannot start the command")?;
        // 1: findings.
        if !matches!(status.code(), Some(0 | 1)) {
            bail!("it failed ({status}):\n{}", fs::read_to_string(&log).unwrap_or_default());
        }
        Ok(Run { cpu: read_result(&time)?, wall: begun.elapsed() })
    }
}

fn told(run: &Run) -> String {
    format!("{:.1} s CPU, {:.1} s", run.cpu.as_secs_f64(), run.wall.as_secs_f64())
}

/// The numbers that say whether two fast answers are the same.
fn counts(answer: &Value) -> String {
    let length = |field: &str| answer[field].as_array().map_or(0, Vec::len);
    let pairs = answer["pairs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let decided = |field: &str| pairs.iter().filter(|pair| is_decided(&pair[field])).count();
    format!(
        "{} tests, {} pairs, {} findings; decided: {} source independence, {} pure resilience",
        length("test_list"),
        pairs.len(),
        length("findings"),
        decided("source_independence"),
        decided("pure_resilience"),
    )
}

fn is_decided(contract: &Value) -> bool {
    let verdict = contract.get("verdict").unwrap_or(contract);
    verdict.as_str().is_some_and(|verdict| verdict != "unknown")
}
