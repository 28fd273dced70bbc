//! Work that is longer than one command: the corpus, the benches, the truth against sources and runs, fuzzing.

mod answers;
mod bar;
mod bench;
mod binary;
mod corpus;
mod fuzz;
mod incremental;
mod list;
mod project_copy;
mod soundness;
mod truth;

use anyhow::Result;
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "Checks and measurements of Catchment itself")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read, rewrite, weave, link and compare the classes of JDKs and of the jars in xtask/corpus.txt.
    Corpus(corpus::Options),
    /// Keep the answers of one build of Catchment, and compare those of two.
    #[command(subcommand)]
    Answers(answers::Options),
    /// Edit projects, and compare each incremental check with one from the start.
    Incremental(incremental::Options),
    /// Measure against the bars in BENCHMARKS.md.
    #[command(subcommand)]
    Bench(Bench),
    /// Compare what `watch` counts on commons-lang3 with counters in its source.
    Truth(truth::Options),
    /// Run real test suites and compare the links that they go through with those that each analysis finds.
    Soundness(soundness::Options),
    /// Run every fuzz target for a while (needs cargo-fuzz and a nightly toolchain).
    Fuzz(fuzz::Options),
    /// One measured run of `bench weave`.
    #[command(hide = true)]
    ReadOnce { image: PathBuf },
    /// One measured run of `bench watch`.
    #[command(hide = true)]
    Timed(bench::timed::Timed),
}

#[derive(Debug, Subcommand)]
enum Bench {
    /// Reading, pairs and weaving of the whole JDK 17 on one core, with ASM beside it.
    Weave {
        /// Leave ASM out: for profiling.
        #[arg(long)]
        no_asm: bool,
    },
    /// Translating all methods of the whole JDK 17 on one core.
    Ir {
        /// Another JDK image, jar or folder.
        path: Option<PathBuf>,
    },
    /// The cost of watching commons-lang3's own suite, with JaCoCo beside it.
    Watch(bench::watch::Options),
    /// The cost of a whole check of Maven projects, beside the build's own run of their tests.
    Check(bench::check::Options),
    /// Call graph and points-to of real programs, with Tai-e beside it.
    Links(bench::links::Options),
    /// Links from faults of disk and network under every configuration; fails where a finer one has more.
    Precision(bench::precision::Options),
    /// The second run of an analysis beside the first, which keeps what it finds out about the JDK.
    Cache(bench::cache::Options),
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    match command {
        Command::Corpus(options) => corpus::run(&options),
        Command::Answers(options) => answers::run(&options),
        Command::Incremental(options) => incremental::run(&options),
        Command::Bench(Bench::Weave { no_asm }) => bench::weave::run(!no_asm),
        Command::Bench(Bench::Ir { path }) => bench::ir::run(path.as_deref()),
        Command::Truth(options) => truth::run(&options),
        Command::Soundness(options) => soundness::run(&options),
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Bench(Bench::Watch(options)) => bench::watch::run(&options),
        Command::Bench(Bench::Check(options)) => bench::check::run(&options),
        Command::Bench(Bench::Links(options)) => bench::links::run(&options),
        Command::Bench(Bench::Precision(options)) => bench::precision::run(&options),
        Command::Bench(Bench::Cache(options)) => bench::cache::run(&options),
        Command::Timed(timed) => bench::timed::run(&timed),
        Command::ReadOnce { image } => bench::weave::read_once(&image),
    }
}
