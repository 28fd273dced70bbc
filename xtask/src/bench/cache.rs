//! `cargo xtask bench cache`: what a second run gains from what the first one has kept.
//!
//! Each program is asked for everything that can come to its clauses, every throw and every fault of the catalogue:
//! once with an empty cache folder, once with what is kept of the JDK, as if the program had been built anew, and once
//! as it is. All have to say the same.

use super::Measurements;
use super::measured::{self, End, Measured};
use super::subjects::{self, Program};
use crate::bar::verdict;
use anyhow::{Context, Result, bail};
use catchment_testkit::workspace;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// How many times faster a later run has to be.
const BAR: f64 = 2.0;

const HEADER: &str = "\
| subject | links | first run, s | peak, MiB | next build, s | peak, MiB | second run, s | peak, MiB | times faster |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only this subject of xtask/links/subjects.toml (repeatable).
    #[arg(long = "only", value_name = "SUBJECT")]
    only: Vec<String>,
    /// How calls are followed.
    #[arg(long, value_name = "NAME", default_value = "inpta")]
    analysis: String,
    /// How often a subject is analysed, with an empty cache and then without.
    #[arg(long, value_name = "N", default_value_t = 3)]
    runs: usize,
    /// End a run that takes longer than this.
    #[arg(long, value_name = "MINUTES", default_value_t = 10)]
    limit: u64,
}

/// A run and what it has found.
struct Run {
    measured: Measured,
    answer: Answer,
}

/// The part of an answer that must not depend on the cache. The whole answer can be gigabytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Answer {
    links: usize,
    /// Of everything but what the run took.
    hash: u64,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let catchment = crate::binary::build_catchment()?;
    let mut all_met = true;
    println!("{HEADER}");
    for subject in subjects::chosen(&options.only)? {
        let program = subject.prepare()?;
        let mut runs = Runs::default();
        for _ in 0..options.runs {
            let cache = tempfile::tempdir().context("cannot create a folder for the cache")?;
            let analyse = || analyse(&catchment, &program, options, cache.path());
            runs.first.push(analyse()?);
            let programs = cache.path().join("catchment/programs");
            fs::remove_dir_all(programs).context("nothing was kept of the program")?;
            runs.next_build.push(analyse()?);
            runs.second.push(analyse()?);
        }
        if !runs.say_the_same() {
            bail!("{}: a run with what is kept says something else than one without", subject.name);
        }
        all_met &= runs.gained() >= BAR;
        println!("{}", runs.row(&subject.name));
    }
    Ok(if all_met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[derive(Default)]
struct Runs {
    first: Vec<Run>,
    /// With what is kept of the JDK alone.
    next_build: Vec<Run>,
    second: Vec<Run>,
}

impl Runs {
    fn say_the_same(&self) -> bool {
        let mut all = self.first.iter().chain(&self.next_build).chain(&self.second);
        let answer = all.next().map(|run| run.answer);
        all.all(|run| Some(run.answer) == answer)
    }

    fn gained(&self) -> f64 {
        median(&self.first).as_secs_f64() / median(&self.second).as_secs_f64()
    }

    fn row(&self, subject: &str) -> String {
        let links = self.first.first().map_or(0, |run| run.answer.links);
        let figures = |runs: &[Run]| {
            let peak = runs.iter().map(|run| run.measured.peak_mib).max().unwrap_or_default();
            format!("{:.1} | {peak}", median(runs).as_secs_f64())
        };
        let figures = [&self.first, &self.next_build, &self.second].map(|runs| figures(runs)).join(" | ");
        let gained = self.gained();
        format!("| {subject} | {links} | {figures} | {gained:.1} ({}) |", verdict(gained >= BAR))
    }
}

fn median(runs: &[Run]) -> Duration {
    Measurements::new(runs.iter().map(|run| run.measured.wall).collect()).median()
}

fn analyse(catchment: &Path, program: &Program, options: &Options, cache: &Path) -> Result<Run> {
    let result = workspace::target_folder("bench-cache")?.join("links.json");
    let mut command = program.links(catchment, &options.analysis, &result)?;
    command.args(program.includes()).env("XDG_CACHE_HOME", cache);
    let (measured, end) = measured::run(&mut command, Duration::from_secs(options.limit * 60))?;
    if end != End::Exit(Some(0)) {
        bail!("catchment links came to no result: {end:?}");
    }
    let text = fs::read_to_string(&result).context("catchment links wrote no result")?;
    Ok(Run { measured, answer: Answer::read(&text).context("catchment links wrote something else")? })
}

impl Answer {
    /// Time and memory, which stand one behind the other, are not the same twice.
    fn read(json: &str) -> Option<Self> {
        let (before, rest) = json.split_once(r#""seconds":"#)?;
        let (_, behind) = rest.split_once(r#""peak_mib":"#)?;
        let behind = behind.trim_start_matches(|letter: char| letter != ',' && letter != '}');
        let mut hasher = DefaultHasher::new();
        (before, behind).hash(&mut hasher);
        Some(Self { links: before.matches(r#"{"number":"#).count(), hash: hasher.finish() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(seconds: u64, peak_mib: u64) -> Run {
        let wall = Duration::from_secs(seconds);
        Run { measured: Measured { wall, cpu: wall, peak_mib }, answer: Answer { links: 2, hash: 1 } }
    }

    #[test]
    fn medians_are_compared_and_the_most_memory_is_told() {
        let runs = |second| Runs {
            first: vec![run(9, 40), run(8, 50), run(30, 45)],
            next_build: vec![run(6, 30)],
            second: vec![run(second, 20)],
        };
        assert_eq!(runs(3).row("s"), "| s | 2 | 9.0 | 50 | 6.0 | 30 | 3.0 | 20 | 3.0 (met) |");
        assert_eq!(runs(5).row("s"), "| s | 2 | 9.0 | 50 | 6.0 | 30 | 5.0 | 20 | 1.8 (MISSED) |");
    }

    #[test]
    fn runs_that_say_something_else_are_seen() {
        let mut runs = Runs { first: vec![run(1, 1)], next_build: vec![run(2, 2)], second: vec![run(1, 1)] };
        assert!(runs.say_the_same());
        runs.second[0].answer.hash = 2;
        assert!(!runs.say_the_same());
    }

    #[test]
    fn what_a_run_took_is_no_part_of_its_answer() {
        let json = |link: u32, seconds: &str, peak: &str| {
            format!(
                r#"{{"links":[{{"number":{link}}}],"stats":{{"seconds":{seconds},"peak_mib":{peak}}},"memory":null}}"#
            )
        };
        let read = |json: String| Answer::read(&json).unwrap();
        let one = read(json(1, "0.5", "30"));
        assert_eq!(one.links, 1);
        assert_eq!(one, read(json(1, "1.25", "null")));
        assert_ne!(one, read(json(2, "0.5", "30")));
        assert_eq!(Answer::read("{}"), None);
    }
}
