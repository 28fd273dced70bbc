//! The same classes woven by ASM in a JVM of its own, one pass whenever it is asked for.

use anyhow::{Context, Result};
use catchment_testkit::compilers::{Compiler, Job, files_with_extension};
use catchment_testkit::{jdk, pinned, workspace};
use std::env::join_paths;
use std::io::{BufRead, BufReader, BufWriter, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

const WARM_UP: usize = 4;

/// The JVM, warmed up.
pub(super) struct Asm {
    requests: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    jvm: Child,
    /// The first pass of the JVM, compilation included: what a weaver at load time gets.
    pub(super) first: Duration,
    /// Bytes, in one pass.
    pub(super) written: usize,
}

impl Asm {
    pub(super) fn start(kinds: &str, classes: &[Vec<u8>]) -> Result<Self> {
        let file = tempfile::NamedTempFile::new().context("cannot hand the classes to ASM")?;
        write_classes(file.path(), classes)?;
        let mut class_path = pinned::jars(&[pinned::ASM])?;
        let sources = files_with_extension(&workspace::root().join("xtask/java"), "java")?;
        let job = Job { sources, class_path: class_path.clone(), ..Job::default() };
        class_path.insert(0, Compiler::Javac { jdk: 17, release: 17 }.compile(&job)?);
        let mut jvm = jdk::installed(25)?
            .command("java")
            // A collector on the same core; its time counts, so it gets room enough to have little to do.
            .args(["-XX:+UseSerialGC", "-Xms2g", "-Xmx2g", "-cp"])
            .arg(join_paths(class_path)?)
            .arg("AsmWeave")
            .arg(file.path())
            .args([kinds, &WARM_UP.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start java")?;
        let requests = jvm.stdin.take().context("java has no input")?;
        let mut answers = BufReader::new(jvm.stdout.take().context("java has no output")?).lines();
        let written = usize::try_from(next_number(&mut answers)?)?;
        let first = Duration::from_nanos(next_number(&mut answers)?);
        Ok(Self { requests, answers, jvm, first, written })
    }

    /// Weaves all classes once more; compilation is not counted.
    pub(super) fn pass(&mut self) -> Result<Duration> {
        writeln!(self.requests).context("ASM's JVM has ended")?;
        Ok(Duration::from_nanos(next_number(&mut self.answers)?))
    }

    pub(super) fn stop(mut self) -> Result<()> {
        drop(self.requests);
        self.jvm.wait().context("cannot wait for java")?;
        Ok(())
    }
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

fn next_number(answers: &mut Lines<BufReader<ChildStdout>>) -> Result<u64> {
    Ok(answers.next().context("ASM came to no end")??.parse()?)
}
