//! Opening a JDK as a class path and translating all its methods, with what came out beside the times.

use super::Measurements;
use anyhow::{Context, Result};
use catchment_classfile::ClassFile;
use catchment_ir::{Op, Translator};
use catchment_program::{ClassPath, LoadOptions, jdk_image, visit};
use catchment_testkit::jdk;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const RUNS: usize = 5;

/// Sizes of what one run made; the same in every run.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Made {
    classes: usize,
    methods: usize,
    statements: usize,
    phis: usize,
    variables: usize,
    blocks: usize,
    refused: usize,
}

pub(crate) fn run(path: Option<&Path>) -> Result<ExitCode> {
    let image = match path {
        Some(path) => path.to_owned(),
        None => jdk_image(jdk::installed(17)?.home()).context("the JDK has no image")?,
    };
    let opened = Measurements::new((0..RUNS).map(|_| time_to_open(&image)).collect());
    let mut times = Vec::new();
    let mut made = Made::default();
    for _ in 0..RUNS {
        let time;
        (made, time) = translate_all(&image)?;
        times.push(time);
    }
    let times = Measurements::new(times);
    let per_second = made.methods as f64 / times.median().as_secs_f64();
    println!("{made:?}");
    println!("opening as a class path: {opened}");
    println!("reading and translating: {times}, {per_second:.0} methods/s");
    Ok(ExitCode::SUCCESS)
}

fn time_to_open(image: &Path) -> Duration {
    let started = Instant::now();
    let class_path = ClassPath::open(&[], Some(image), &LoadOptions::default());
    assert!(class_path.problems().is_empty(), "{:?}", class_path.problems());
    started.elapsed()
}

fn translate_all(image: &Path) -> Result<(Made, Duration)> {
    let mut made = Made::default();
    let mut translator = Translator::default();
    let started = Instant::now();
    visit(image, &LoadOptions::default(), &mut |bytes| {
        let Ok(class) = ClassFile::parse(bytes.bytes) else { return };
        made.classes += 1;
        for method in &class.methods {
            match translator.translate(&class, method) {
                Ok(Some(body)) => {
                    made.methods += 1;
                    made.statements += body.statements.len();
                    made.phis += body.statements.iter().filter(|it| matches!(it.op, Op::Phi { .. })).count();
                    made.variables += body.variables as usize;
                    made.blocks += body.blocks.len();
                }
                Ok(None) => {}
                Err(error) => {
                    made.refused += 1;
                    eprintln!("{}: {error}", bytes.place());
                }
            }
        }
    })?;
    Ok((made, started.elapsed()))
}
