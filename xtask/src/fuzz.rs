//! `cargo xtask fuzz`: runs every fuzz target for a while, as many at once as there are cores.
//!
//! Needs `cargo install cargo-fuzz` and a nightly toolchain. Seeds are small classes of the JDK at hand, so that no
//! class files lie in the repository. A finding stays in `fuzz/artifacts` and is printed by the fuzzer.

use crate::bench::weave::jdk_17_image;
use anyhow::{Context, Result, bail};
use catchment_classfile::ClassFile;
use catchment_program::{LoadOptions, visit};
use catchment_testkit::workspace;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::thread;

/// Targets, and whether classes are good seeds for them.
const TARGETS: &[(&str, bool)] =
    &[("class_parser", true), ("round_trip", true), ("weaver", true), ("protocol", false)];

const SEEDS: usize = 150;
/// Small seeds keep the fuzzer fast and its findings short.
const LARGEST_SEED: usize = 3_000;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// How long each target runs.
    #[arg(long, value_name = "N", default_value_t = 10)]
    minutes: u64,
    /// Only this target.
    #[arg(long, value_name = "TARGET")]
    only: Option<String>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let folder = workspace::root().join("fuzz");
    let chosen = TARGETS.iter().filter(|(name, _)| options.only.as_deref().is_none_or(|only| only == *name));
    let targets: Vec<(&str, bool)> = chosen.copied().collect();
    if targets.is_empty() {
        bail!("no fuzz target of that name");
    }
    for (target, seeded) in &targets {
        prepare_corpus(&folder, target, *seeded)?;
        build(&folder, target)?;
    }
    let workers = thread::available_parallelism().map_or(1, usize::from).min(targets.len());
    let queue = Mutex::new(targets.into_iter());
    let next = || queue.lock().ok().and_then(|mut queue| queue.next());
    let outcomes: Vec<Result<bool>> = thread::scope(|scope| {
        let work = || {
            let mut all_clean = true;
            while let Some((target, _)) = next() {
                all_clean &= fuzz(&folder, target, options.minutes)?;
            }
            Ok(all_clean)
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles.into_iter().map(|handle| handle.join().unwrap_or(Ok(false))).collect()
    });
    let mut clean = true;
    for outcome in outcomes {
        clean &= outcome?;
    }
    Ok(if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Fills the folder of inputs with seeds; what earlier runs found interesting stays.
fn prepare_corpus(folder: &Path, target: &str, seeded: bool) -> Result<()> {
    let corpus = folder.join("corpus").join(target);
    fs::create_dir_all(&corpus).with_context(|| format!("cannot create {}", corpus.display()))?;
    if !seeded {
        return Ok(());
    }
    let mut number = 0;
    let mut failure = None;
    visit(&jdk_17_image()?, &LoadOptions::default(), &mut |class| {
        if number < SEEDS && is_seed(class.bytes) {
            failure =
                fs::write(corpus.join(format!("seed-{number:03}")), class.bytes).err().or(failure.take());
            number += 1;
        }
    })?;
    failure.map_or(Ok(()), Err).context("cannot write a seed")
}

/// A small class with something to catch in it.
fn is_seed(bytes: &[u8]) -> bool {
    let Ok(class) = ClassFile::parse(bytes) else { return false };
    let mut codes = class.methods.iter().filter_map(|method| class.code(method).ok().flatten());
    bytes.len() <= LARGEST_SEED && codes.any(|(_, code)| code.has_exceptions())
}

fn build(folder: &Path, target: &str) -> Result<()> {
    let status = cargo_fuzz(folder).args(["build", target]).status();
    let status = status.context("cannot start cargo; is there a nightly toolchain?")?;
    if !status.success() {
        bail!("cannot build {target}; is cargo-fuzz installed (`cargo install cargo-fuzz`)?");
    }
    Ok(())
}

/// Runs one target; true if nothing was found. Its output goes to a log, which is named when something was.
fn fuzz(folder: &Path, target: &str, minutes: u64) -> Result<bool> {
    let log = workspace::target_folder("fuzz")?.join(format!("{target}.log"));
    let output = File::create(&log).with_context(|| format!("cannot create {}", log.display()))?;
    let seconds = format!("-max_total_time={}", minutes * 60);
    let status = cargo_fuzz(folder)
        .args(["run", target, "--", &seconds, "-max_len=8192", "-print_final_stats=1"])
        .stderr(output)
        .status()
        .with_context(|| format!("cannot run {target}"))?;
    let text = fs::read_to_string(&log).unwrap_or_default();
    let stat = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        line.map_or_else(|| "?".to_owned(), |rest| rest.trim().to_owned())
    };
    if status.success() {
        println!(
            "{target}: {} runs in {minutes} min, nothing found",
            stat("stat::number_of_executed_units:")
        );
    } else {
        println!("{target}: FOUND something, see {}", log.display());
    }
    Ok(status.success())
}

/// `cargo fuzz` with the nightly compiler, whatever toolchain started this program.
fn cargo_fuzz(folder: &Path) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo", "fuzz"]).current_dir(folder);
    for variable in ["RUSTUP_TOOLCHAIN", "CARGO", "RUSTC", "CARGO_TARGET_DIR"] {
        command.env_remove(variable);
    }
    command
}
