//! `cargo xtask answers`: a restructuring keeps every answer.
//!
//! `record` asks one build of Catchment about every fixture, the demo and named projects, and writes one file for each
//! subject and command. `compare` holds two such folders against each other. Fields that differ between two runs of the
//! same build are treated by the table of [`rules`], each with a reason; every other difference is printed.

mod compare;
mod difference;
mod links;
mod normal_form;
mod record;
mod recorded;
mod rules;
mod subjects;

use anyhow::Result;
use serde_json::Value;
use std::path::Path;
use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Options {
    /// Ask a build of Catchment about the fixtures, the demo and named projects, and keep its answers.
    Record(record::Options),
    /// Print every difference between two folders of answers; exit code 1 if there is one.
    Compare(compare::Options),
    /// List the rules by which answers are made comparable.
    Rules,
}

/// The lines in which two answers of `check` differ, what they took apart. `project` is the folder that both are about.
pub(crate) fn differences_of_checks(before: &Value, after: &Value, project: &Path) -> Vec<String> {
    let normal = |answer: &Value| {
        let mut answer = answer.clone();
        if let Some(fields) = answer.as_object_mut() {
            fields.remove("stats");
        }
        normal_form::normal_form(&recorded::Recorded {
            arguments: Vec::new(),
            places: vec![("<project>".to_owned(), project.to_owned())],
            exit: None,
            seconds: 0.0,
            stderr: String::new(),
            answer: Some(answer),
        })
    };
    difference::differences(&normal(before), &normal(after)).lines
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    match options {
        Options::Record(options) => record::run(options),
        Options::Compare(options) => compare::run(options),
        Options::Rules => {
            print!("{}", rules::listed());
            Ok(ExitCode::SUCCESS)
        }
    }
}
