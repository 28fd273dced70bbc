//! `cargo xtask bench watch`: what watching costs a real suite, beside JaCoCo.
//!
//! commons-lang3's own tests run plain, under `catchment watch` and with JaCoCo's agent, in turn, so that the machine's
//! moods meet all three alike. Measured is the CPU time, user and system, of the test JVM.

use super::Measurements;
use super::timed::read_result;
use crate::bar::verdict;
use crate::binary::build_catchment;
use anyhow::{Context, Result, bail};
use catchment_testkit::lang3::Lang3;
use catchment_testkit::{jdk, maven};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

const JACOCO: &str = "org.jacoco:org.jacoco.agent:0.8.14:jar:runtime";
const BAR: f64 = 1.10;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// How often each way is run.
    #[arg(long, value_name = "N", default_value_t = 7)]
    runs: usize,
    /// Only the tests of this package.
    #[arg(long, value_name = "PACKAGE")]
    package: Option<String>,
    /// Another build of Catchment to watch with, in turn with this one and in place of JaCoCo.
    #[arg(long, value_name = "PATH")]
    beside: Option<PathBuf>,
}

/// A way to run the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Plain,
    Watch,
    Jacoco,
    /// Under `catchment watch` of another build.
    Beside,
}

impl Way {
    /// The last is what this build is held to.
    fn all(options: &Options) -> [Self; 3] {
        [Self::Plain, Self::Watch, if options.beside.is_some() { Self::Beside } else { Self::Jacoco }]
    }

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Watch => "watch",
            Self::Jacoco => "JaCoCo",
            Self::Beside => "beside",
        }
    }
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let bench = Bench::prepare(options)?;
    let ways = Way::all(options);
    let mut times = [const { Vec::new() }; 3];
    let mut tests = None;
    for round in 1..=options.runs {
        for (way, times) in ways.into_iter().zip(&mut times) {
            let run = bench.run(way)?;
            let expected = *tests.get_or_insert(run.tests);
            eprintln!("{round}: {:<6} {:>7.2} s, {}", way.name(), run.time.as_secs_f64(), run.tests);
            if run.tests != expected {
                bail!("{} ran {}, the first run {expected}", way.name(), run.tests);
            }
            times.push(run.time);
        }
    }
    let [plain, watch, peer] = times.map(Measurements::new);
    println!("commons-lang3's suite, CPU time of the test JVM; {}", tests.context("nothing was run")?);
    println!("plain   {plain}");
    println!("watch   {watch}");
    println!("{:<7} {peer}", ways[2].name());
    Ok(judge(&plain, &watch, (ways[2].name(), &peer)))
}

fn judge(plain: &Measurements, watch: &Measurements, (name, peer): (&str, &Measurements)) -> ExitCode {
    let ratio = |it: &Measurements| it.median().as_secs_f64() / plain.median().as_secs_f64();
    let cheap = ratio(watch) <= BAR;
    // Inside the peer's own spread counts as equal.
    let not_above = watch.median() <= peer.slowest();
    println!("watch / plain   {:.3} (bar {BAR}: {})", ratio(watch), verdict(cheap));
    println!("{name} / plain  {:.3} (watch not above: {})", ratio(peer), verdict(not_above));
    if cheap && not_above { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The time that one run took, and the tests that it ran.
struct Run {
    time: Duration,
    tests: Tests,
}

/// The numbers JUnit's console prints at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tests {
    found: u32,
    successful: u32,
    failed: u32,
}

impl Tests {
    fn read(output: &str) -> Result<Self> {
        let number = |what: &str| -> Result<u32> {
            let line = output.lines().find(|line| line.contains(&format!(" tests {what}")));
            let number = line.and_then(|line| line.trim_start_matches(['[', ' ']).split(' ').next());
            number
                .with_context(|| format!("JUnit did not say how many tests {what}"))?
                .parse()
                .context("no number")
        };
        Ok(Self { found: number("found")?, successful: number("successful")?, failed: number("failed")? })
    }
}

impl std::fmt::Display for Tests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} tests found, {} successful, {} failed", self.found, self.successful, self.failed)
    }
}

struct Bench {
    lang3: Lang3,
    classes: PathBuf,
    jdk: jdk::Jdk,
    jacoco: PathBuf,
    catchment: PathBuf,
    beside: Option<PathBuf>,
    package: Option<String>,
}

impl Bench {
    fn prepare(options: &Options) -> Result<Self> {
        let lang3 = Lang3::fetch()?;
        let classes = lang3.compile()?;
        let jacoco = maven::resolve(&[JACOCO])?.pop().context("one coordinate is one file")?;
        let catchment = build_catchment()?;
        Ok(Self {
            lang3,
            classes,
            jdk: jdk::installed(17)?,
            jacoco,
            catchment,
            beside: options.beside.clone(),
            package: options.package.clone(),
        })
    }

    fn run(&self, way: Way) -> Result<Run> {
        let folder = tempfile::tempdir().context("cannot create a folder to run in")?;
        let result = folder.path().join("time");
        let suite = self.suite(way, folder.path())?;
        let mut command = self.command(way, &result, &suite)?;
        command
            .current_dir(folder.path())
            .envs(suite.get_envs().filter_map(|(key, value)| Some((key, value?))));
        let output = command.output().context("cannot start the suite")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let tests = Tests::read(&text).with_context(|| {
            format!("the suite failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr))
        })?;
        Ok(Run { time: read_result(&result)?, tests })
    }

    fn suite(&self, way: Way, folder: &Path) -> Result<Command> {
        let agent =
            format!("-javaagent:{}=destfile={}", self.jacoco.display(), folder.join("exec").display());
        let options: &[&str] = if way == Way::Jacoco { &[&agent] } else { &[] };
        let packages: Vec<&str> = self.package.as_deref().into_iter().collect();
        self.lang3.suite(&self.jdk, &self.classes, &packages, options)
    }

    /// The suite, timed by this program, under the agent if asked for.
    fn command(&self, way: Way, result: &Path, suite: &Command) -> Result<Command> {
        let mut words: Vec<OsString> = Vec::new();
        let watching = match way {
            Way::Watch => Some(&self.catchment),
            Way::Beside => self.beside.as_ref(),
            Way::Plain | Way::Jacoco => None,
        };
        if let Some(catchment) = watching {
            words.extend([catchment.into(), "watch".into(), "--output".into()]);
            words.extend([result.with_file_name("report").into(), "--".into()]);
        }
        let this = std::env::current_exe().context("cannot find this program")?;
        words.extend([this.into(), "timed".into(), result.into(), "--".into()]);
        words.push(suite.get_program().into());
        words.extend(suite.get_args().map(Into::into));
        let mut words = words.into_iter();
        let mut command = Command::new(words.next().context("no command")?);
        command.args(words).env_remove("JAVA_TOOL_OPTIONS").env_remove("JDK_JAVA_OPTIONS");
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_tests_are_read_from_the_summary() {
        let output = "Test run finished after 64 ms\n[         2 containers found      ]\n\
                      [         7 tests found           ]\n[         1 tests skipped         ]\n\
                      [         5 tests successful      ]\n[         1 tests failed          ]\n";
        let tests = Tests::read(output).unwrap();
        assert_eq!(tests, Tests { found: 7, successful: 5, failed: 1 });
        assert!(Tests::read("Error: no main class").is_err());
    }
}
