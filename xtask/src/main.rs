//! What is longer than one command: the corpus, the benches, the truth against sources, fuzzing.

mod corpus;

use anyhow::Result;
use clap::{Parser, Subcommand};
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
    }
}
