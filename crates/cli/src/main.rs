//! The `catchment` binary: parse, run, print the error, exit code.

#[cfg(not(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")))]
compile_error!("Catchment runs on Linux on x86-64 with glibc; its agent is a library for JVMs there");

mod args;
mod commands;
mod config;
mod duration;
mod exit;
mod output;
mod progress;
mod size;

use crate::args::{Args, CommandArgs};
use crate::exit::ExitCode;
use clap::Parser;

fn main() -> std::process::ExitCode {
    let args = Args::parse();
    let outcome = match args.command {
        CommandArgs::Check(args) => commands::check::run(args),
        CommandArgs::Stretch(args) => commands::stretch::run(&args),
        CommandArgs::Handlers(args) => commands::handlers::run(&args),
        CommandArgs::Links(args) => commands::links::run(&args),
        CommandArgs::Watch(args) => commands::watch::run(args),
        CommandArgs::Clean(args) => commands::clean::run(&args),
        CommandArgs::Demo => commands::demo::run(),
    };
    match outcome {
        Ok(code) => code.into(),
        Err(error) if output::is_broken_pipe(&error) => ExitCode::CLEAN.into(),
        Err(error) => {
            output::tell(&format_args!("{error:#}"));
            ExitCode::of(&error).into()
        }
    }
}
