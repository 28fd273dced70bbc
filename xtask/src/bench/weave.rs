//! `cargo xtask bench weave`: reading and weaving the whole JDK 17 on one core, and ASM beside it.
//!
//! Times are CPU times of the one thread at work: the machine's other load slows a wall clock, not these. Reading is
//! measured in a process of its own, since its memory is measured too.

mod asm;
mod read;

use super::{Measurements, verdict};
use anyhow::{Context, Result};
use catchment_program::{LoadOptions, find_java_homes, jdk_image, visit};
use catchment_weave::{ProbeKinds, Weaver};
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

pub(crate) use read::read_once;

const JDK: u32 = 17;
const PASSES: usize = 5;

/// The bars of the issue: classes per second and core.
const BAR_USAGE: f64 = 50_000.0;
const BAR_ALL: f64 = 10_000.0;
/// How many times slower ASM is to be.
const BAR_RATIO: f64 = 5.0;

pub(crate) fn run(with_asm: bool) -> Result<ExitCode> {
    let image = jdk_17_image()?;
    let read_met = read::report(&image)?;
    let classes = classes_of(&image)?;
    let bytes: usize = classes.iter().map(Vec::len).sum();
    println!("weaving {} classes, {:.1} MB", classes.len(), megabytes(bytes));
    let mut all_met = read_met;
    for (name, kinds, bar) in [("usage", ProbeKinds::USAGE, BAR_USAGE), ("all", ProbeKinds::ALL, BAR_ALL)] {
        let (ours, rate_met) = report_ours(name, kinds, bar, &classes)?;
        all_met &= rate_met;
        if with_asm {
            all_met &= report_asm(name, &ours.times, &classes)?;
        }
    }
    Ok(if all_met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Weaves with our weaver and prints; true if fast enough.
fn report_ours(name: &str, kinds: ProbeKinds, bar: f64, classes: &[Vec<u8>]) -> Result<(Ours, bool)> {
    let ours = weave_all(kinds, classes)?;
    let rate = classes.len() as f64 / ours.times.median().as_secs_f64();
    let met = rate >= bar;
    println!("{name} probes, ours: {}; {rate:.0} classes/s (bar {bar:.0}: {})", ours.times, verdict(met));
    println!(
        "  {} probes, {} classes changed, {:.1} MB written, {} methods skipped",
        ours.probes,
        ours.changed,
        megabytes(ours.written),
        ours.skipped
    );
    Ok((ours, met))
}

/// Weaves with ASM and prints; true if that is slow enough. The bar is for ASM warmed up, as we are; what it takes in a JVM
/// that has just started, as one has in which classes are woven while they are loaded, stands beside it.
fn report_asm(name: &str, ours: &Measurements, classes: &[Vec<u8>]) -> Result<bool> {
    let theirs = asm::weave_all(name, classes)?;
    let ratio = |time: Duration| time.as_secs_f64() / ours.median().as_secs_f64();
    let (fresh, warm) = (ratio(theirs.first), ratio(theirs.times.median()));
    let met = warm >= BAR_RATIO;
    let (first, times) = (theirs.first.as_secs_f64(), &theirs.times);
    println!("{name} probes, ASM:  warmed up {times}; {first:.3} s in a fresh JVM");
    println!("  {:.1} MB written", megabytes(theirs.written));
    println!(
        "  ASM takes {warm:.1} times as long (bar {BAR_RATIO}: {}), in a fresh JVM {fresh:.1} times",
        verdict(met)
    );
    Ok(met)
}

/// What came of weaving all classes, and how long each pass took.
struct Ours {
    times: Measurements,
    probes: usize,
    changed: usize,
    skipped: usize,
    written: usize,
}

fn weave_all(kinds: ProbeKinds, classes: &[Vec<u8>]) -> Result<Ours> {
    let mut ours =
        Ours { times: Measurements::new(Vec::new()), probes: 0, changed: 0, skipped: 0, written: 0 };
    let mut weaver = Weaver::default();
    for class in classes {
        let prepared = weaver.prepare(class, kinds)?;
        let woven = weaver.weave(&prepared, 0);
        ours.probes += prepared.probes();
        ours.skipped += woven.skipped.len();
        ours.changed += usize::from(woven.bytes.is_some());
        ours.written += woven.bytes.map_or(0, |bytes| bytes.len());
        weaver.recycle(prepared);
    }
    let mut times = Vec::new();
    for _ in 0..PASSES {
        let start = thread_cpu_time()?;
        for class in classes {
            let prepared = weaver.prepare(class, kinds)?;
            black_box(weaver.weave(&prepared, 0));
            weaver.recycle(prepared);
        }
        times.push(thread_cpu_time()? - start);
    }
    ours.times = Measurements::new(times);
    Ok(ours)
}

pub(crate) fn jdk_17_image() -> Result<PathBuf> {
    let home = find_java_homes().into_iter().find(|home| home.feature_version == JDK);
    home.and_then(|home| jdk_image(&home.path)).with_context(|| format!("no JDK {JDK} found"))
}

fn classes_of(image: &Path) -> Result<Vec<Vec<u8>>> {
    let mut classes = Vec::new();
    visit(image, &LoadOptions::default(), &mut |class| classes.push(class.bytes.to_vec()))?;
    Ok(classes)
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// The CPU time this thread has used, as Linux counts it.
fn thread_cpu_time() -> Result<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").context("this bench needs Linux")?;
    let nanoseconds = text.split_whitespace().next().context("schedstat is empty")?.parse()?;
    Ok(Duration::from_nanos(nanoseconds))
}
