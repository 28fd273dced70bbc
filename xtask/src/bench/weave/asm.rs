//! The same classes woven by ASM in a JVM of its own.

use crate::bench::Measurements;
use anyhow::{Context, Result, bail};
use catchment_testkit::compilers::{Compiler, Job, files_with_extension};
use catchment_testkit::{jdk, pinned, workspace};
use std::env::join_paths;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Duration;

const WARM_UP: usize = 4;
const PASSES: usize = 5;

/// What ASM took and wrote.
pub(super) struct Theirs {
    /// The first pass of a JVM that has just started, compilation included: what a weaver at load time gets.
    pub(super) first: Duration,
    /// Passes after a warm-up, compilation not counted.
    pub(super) times: Measurements,
    pub(super) written: usize,
}

pub(super) fn weave_all(kinds: &str, classes: &[Vec<u8>]) -> Result<Theirs> {
    let file = tempfile::NamedTempFile::new().context("cannot hand the classes to ASM")?;
    write_classes(file.path(), classes)?;
    let mut class_path = pinned::jars(&[pinned::ASM])?;
    let sources = files_with_extension(&workspace::root().join("xtask/java"), "java")?;
    let job = Job { sources, class_path: class_path.clone(), ..Job::default() };
    class_path.insert(0, Compiler::Javac { jdk: 17, release: 17 }.compile(&job)?);
    let output = jdk::installed(25)?
        .command("java")
        // A collector on the same core; its time counts, so it gets room enough to have little to do.
        .args(["-XX:+UseSerialGC", "-Xms2g", "-Xmx2g", "-cp"])
        .arg(join_paths(class_path)?)
        .arg("AsmWeave")
        .arg(file.path())
        .args([kinds, &WARM_UP.to_string(), &PASSES.to_string()])
        .output()
        .context("cannot start java")?;
    if !output.status.success() {
        bail!("ASM failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    read_answer(&String::from_utf8_lossy(&output.stdout))
}

fn write_classes(path: &Path, classes: &[Vec<u8>]) -> Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    for class in classes {
        out.write_all(&u32::try_from(class.len())?.to_be_bytes())?;
        out.write_all(class)?;
    }
    out.write_all(&[0; 4])?;
    Ok(out.flush()?)
}

fn read_answer(answer: &str) -> Result<Theirs> {
    let mut first = None;
    let mut times = Vec::new();
    for line in answer.lines() {
        match line.split_once(' ') {
            None => times.push(nanoseconds(line)?),
            Some(("first", time)) => first = Some(nanoseconds(time)?),
            Some((_, bytes)) => {
                let first = first.context("ASM did not say what its first pass took")?;
                return Ok(Theirs { first, times: Measurements::new(times), written: bytes.parse()? });
            }
        }
    }
    bail!("ASM came to no end")
}

fn nanoseconds(text: &str) -> Result<Duration> {
    Ok(Duration::from_nanos(text.parse()?))
}
