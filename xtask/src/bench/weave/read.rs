//! Reading the whole JDK and finding its pairs: time and memory of a process that does nothing else.

use super::thread_cpu_time;
use crate::bar::verdict;
use crate::bench::Measurements;
use anyhow::{Context, Result, bail};
use catchment_classfile::ClassFile;
use catchment_pairs::{ClassPairs, pairs_of};
use catchment_program::{LoadOptions, visit};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

const RUNS: usize = 5;
const BAR_TIME: Duration = Duration::from_secs(1);
const BAR_MEMORY: f64 = 100.0;

/// Measures in fresh processes and prints; true if the bars are met.
pub(super) fn report(image: &Path) -> Result<bool> {
    let counts = Counts::of(image)?;
    let mut times = Vec::new();
    let mut memory = 0.0_f64;
    for _ in 0..RUNS {
        let (time, peak) = measure_process(image)?;
        times.push(time);
        memory = memory.max(peak);
    }
    let times = Measurements::new(times);
    let (time_met, memory_met) = (times.median() <= BAR_TIME, memory <= BAR_MEMORY);
    println!("reading JDK {}", super::JDK);
    println!(
        "  {} classes, {} methods with code, {} instructions, {} exception entries",
        counts.classes, counts.methods, counts.instructions, counts.exception_entries
    );
    println!("  {} pairs in {} tries, {} handlers filtered", counts.pairs, counts.tries, counts.filtered);
    println!("  read and pairs: {times} (bar 1 s: {})", verdict(time_met));
    println!("  peak memory over the map: {memory:.1} MB (bar {BAR_MEMORY} MB: {})", verdict(memory_met));
    Ok(time_met && memory_met)
}

/// Counts beside the measured runs, from a slower pass that also looks at every instruction.
#[derive(Default)]
struct Counts {
    classes: usize,
    methods: usize,
    instructions: usize,
    exception_entries: usize,
    pairs: usize,
    tries: usize,
    filtered: usize,
}

impl Counts {
    fn of(image: &Path) -> Result<Self> {
        let mut counts = Self::default();
        let mut failure = None;
        visit(image, &LoadOptions::default(), &mut |class| {
            if let Err(error) = counts.add(class.bytes) {
                failure = Some(error.context(class.place()));
            }
        })?;
        failure.map_or(Ok(counts), Err)
    }

    fn add(&mut self, bytes: &[u8]) -> Result<()> {
        let class = ClassFile::parse(bytes)?;
        self.classes += 1;
        for method in &class.methods {
            if let Some((_, code)) = class.code(method)? {
                self.methods += 1;
                self.instructions += code.insns().count();
                self.exception_entries += code.exceptions().len();
            }
        }
        let pairs = pairs_of(&class);
        self.pairs += pairs.pairs.len();
        self.tries += pairs.tries.len();
        self.filtered += pairs.filtered.len();
        Ok(())
    }
}

/// Runs this program again to read once; gives CPU time and megabytes.
fn measure_process(image: &Path) -> Result<(Duration, f64)> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let output = Command::new(program).arg("read-once").arg(image).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let numbers: Vec<&str> = text.split_whitespace().collect();
    let [nanoseconds, kilobytes] = numbers.as_slice() else {
        bail!("reading failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    };
    Ok((Duration::from_nanos(nanoseconds.parse()?), kilobytes.parse::<f64>()? * 1024.0 / 1e6))
}

/// How often the measured process looks at how much of the image is resident; it is unmapped in the end.
const CLASSES_PER_SAMPLE: usize = 1_000;

/// Work of the measured process: reads, keeps all pairs, prints its time and memory.
pub(crate) fn read_once(image: &Path) -> Result<ExitCode> {
    let start = thread_cpu_time()?;
    let mut all: Vec<ClassPairs> = Vec::new();
    let mut mapped = 0;
    visit(image, &LoadOptions::default(), &mut |class| {
        all.extend(ClassFile::parse(class.bytes).ok().map(|class| pairs_of(&class)));
        if all.len().is_multiple_of(CLASSES_PER_SAMPLE) {
            mapped = mapped.max(status_kilobytes("RssFile:").unwrap_or_default());
        }
    })?;
    let time = thread_cpu_time()? - start;
    let over_map = status_kilobytes("VmHWM:")?.saturating_sub(mapped);
    println!("{} {over_map}", time.as_nanos());
    Ok(ExitCode::SUCCESS)
}

fn status_kilobytes(field: &str) -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("this bench needs Linux")?;
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.with_context(|| format!("no {field} in the process status"))?.parse()?)
}
