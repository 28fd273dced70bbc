//! `cargo xtask bench weave`: reading and weaving the whole JDK 17 on one core, and ASM beside it.
//!
//! Times are CPU times of the one thread at work, and ours and ASM's passes take turns: what else the machine does
//! slows these too, but then it slows both. Reading is measured in a process of its own, since its memory is measured
//! too.

mod asm;
mod read;

use super::Measurements;
use crate::bar::verdict;
use anyhow::{Context, Result};
use asm::Asm;
use catchment_program::{LoadOptions, find_java_homes, jdk_image, visit};
use catchment_weave::{FirstNumbers, ProbeKinds, Weaver};
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

pub(crate) use read::read_once;

const JDK: u32 = 17;
const ROUNDS: usize = 9;

/// The bars of `BENCHMARKS.md`: classes per second and core.
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
        let mut ours = Ours::warmed_up(kinds, &classes)?;
        let mut asm = if with_asm { Some(Asm::start(name, &classes)?) } else { None };
        let rounds = take_turns(&mut ours, asm.as_mut())?;
        all_met &= report_ours(name, &ours, &rounds, bar);
        if let Some(asm) = asm {
            all_met &= report_asm(name, &asm, &rounds);
            asm.stop()?;
        }
    }
    Ok(if all_met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A pass of ours and then, if it is there, one of ASM.
struct Round {
    ours: Duration,
    asm: Option<Duration>,
}

fn take_turns(ours: &mut Ours<'_>, mut asm: Option<&mut Asm>) -> Result<Vec<Round>> {
    let mut round = || Ok(Round { ours: ours.pass()?, asm: asm.as_mut().map(|asm| asm.pass()).transpose()? });
    (0..ROUNDS).map(|_| round()).collect()
}

fn times_of_ours(rounds: &[Round]) -> Measurements {
    Measurements::new(rounds.iter().map(|round| round.ours).collect())
}

/// True if fast enough.
fn report_ours(name: &str, ours: &Ours<'_>, rounds: &[Round], bar: f64) -> bool {
    let times = times_of_ours(rounds);
    let rate = ours.classes.len() as f64 / times.median().as_secs_f64();
    let met = rate >= bar;
    println!("{name} probes, ours: {times}; {rate:.0} classes/s (bar {bar:.0}: {})", verdict(met));
    println!(
        "  {} probes, {} classes changed, {:.1} MB written, {} methods skipped",
        ours.probes,
        ours.changed,
        megabytes(ours.written),
        ours.skipped
    );
    met
}

/// True if slow enough. The bar is for ASM warmed up, as we are; what it takes in a JVM that has just started, as one
/// has in which classes are woven while they are loaded, stands beside it.
fn report_asm(name: &str, asm: &Asm, rounds: &[Round]) -> bool {
    let times = Measurements::new(rounds.iter().filter_map(|round| round.asm).collect());
    let ratio = |theirs: Duration, ours: Duration| theirs.as_secs_f64() / ours.as_secs_f64();
    let mut ratios: Vec<f64> =
        rounds.iter().filter_map(|round| Some(ratio(round.asm?, round.ours))).collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let at = |index: usize| ratios.get(index).copied().unwrap_or_default();
    let (least, warm, most) = (at(0), at(ratios.len() / 2), at(ratios.len().saturating_sub(1)));
    let fresh = ratio(asm.first, times_of_ours(rounds).median());
    let met = warm >= BAR_RATIO;
    println!("{name} probes, ASM:  warmed up {times}; {:.3} s in a fresh JVM", asm.first.as_secs_f64());
    println!("  {:.1} MB written", megabytes(asm.written));
    println!(
        "  ASM takes {warm:.1} times as long, in single rounds {least:.1} to {most:.1} (bar {BAR_RATIO}: {}), in a fresh \
         JVM {fresh:.1} times",
        verdict(met)
    );
    met
}

/// Our weaver with its classes, and what came of weaving them all.
struct Ours<'a> {
    classes: &'a [Vec<u8>],
    kinds: ProbeKinds,
    weaver: Weaver,
    probes: usize,
    changed: usize,
    skipped: usize,
    written: usize,
}

impl<'a> Ours<'a> {
    fn warmed_up(kinds: ProbeKinds, classes: &'a [Vec<u8>]) -> Result<Self> {
        let weaver = Weaver::default();
        let mut ours = Self { classes, kinds, weaver, probes: 0, changed: 0, skipped: 0, written: 0 };
        for class in classes {
            let prepared = ours.weaver.prepare(class, kinds)?;
            let woven = ours.weaver.weave(&prepared, FirstNumbers::default());
            ours.probes += prepared.probes();
            ours.skipped += woven.skipped.len();
            ours.changed += usize::from(woven.bytes.is_some());
            ours.written += woven.bytes.map_or(0, |bytes| bytes.len());
            ours.weaver.recycle(prepared);
        }
        Ok(ours)
    }

    fn pass(&mut self) -> Result<Duration> {
        let start = thread_cpu_time()?;
        for class in self.classes {
            let prepared = self.weaver.prepare(class, self.kinds)?;
            black_box(self.weaver.weave(&prepared, FirstNumbers::default()));
            self.weaver.recycle(prepared);
        }
        Ok(thread_cpu_time()? - start)
    }
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
