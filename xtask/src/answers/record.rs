//! Asking one build of Catchment, and keeping its answers.
//!
//! A command that fails is an answer too: its exit code and what it said are kept, and the recording goes on. Files
//! that exist are not recorded again, so that an interrupted recording continues where it was.

use super::recorded::Recorded;
use super::subjects::{Question, Subject, every_subject};
use crate::project_copy;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Instant;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// The folder for the answers.
    folder: PathBuf,
    /// The `catchment` that is asked.
    #[arg(long, value_name = "PATH")]
    binary: PathBuf,
    /// Also ask about this Maven or Gradle project, which has been built; it is copied (repeatable).
    #[arg(long = "project", value_name = "NAME=FOLDER")]
    projects: Vec<String>,
    /// Only subjects whose name begins so, such as check/fine, links or project (repeatable).
    #[arg(long = "only", value_name = "PREFIX")]
    only: Vec<String>,
    /// JVMs at a time in checks of named projects.
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: u32,
    /// Ask again where there is an answer.
    #[arg(long)]
    fresh: bool,
    /// List the subjects and commands, and ask nothing.
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let binary = fs::canonicalize(&options.binary)
        .with_context(|| format!("there is no {}", options.binary.display()))?;
    let recording = Recording { folder: &options.folder, binary: &binary, fresh: options.fresh };
    let mut subjects = every_subject(&projects_of(&options.projects)?, options.jobs)?;
    subjects.retain(|subject| is_chosen(&options.only, &subject.name));
    if subjects.is_empty() {
        bail!("no subject begins with {}", options.only.join(" or "));
    }
    // What one build keeps in its caches is no answer of another.
    let caches = tempfile::tempdir().context("cannot create a folder for caches")?;
    for subject in &subjects {
        if options.list {
            println!("{}: {}", subject.name, subject.commands.join(", "));
        } else {
            recording.record(subject, caches.path())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn projects_of(named: &[String]) -> Result<Vec<(String, PathBuf)>> {
    named.iter().map(|named| project_copy::named(named)).collect()
}

fn is_chosen(prefixes: &[String], subject: &str) -> bool {
    prefixes.is_empty() || prefixes.iter().any(|prefix| subject.starts_with(prefix.as_str()))
}

struct Recording<'a> {
    folder: &'a Path,
    binary: &'a Path,
    fresh: bool,
}

impl Recording<'_> {
    /// Records all commands of a subject; an error is one of writing, never of the subject.
    fn record(&self, subject: &Subject, caches: &Path) -> Result<()> {
        let file = |command: &str| self.folder.join(&subject.name).join(format!("{command}.json"));
        let wanted: Vec<&String> =
            subject.commands.iter().filter(|command| self.fresh || !file(command).is_file()).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let prepared = (subject.prepare)(self.binary);
        for command in wanted {
            let question = match &prepared {
                Ok(prepared) => prepared.question(command),
                Err(error) => Err(anyhow::anyhow!("cannot prepare the subject: {error:#}")),
            };
            let recorded = question.and_then(|question| ask(question, caches));
            let recorded = recorded.unwrap_or_else(|error| Recorded::failed(&format!("{error:#}")));
            eprintln!("{} {command}: {}", subject.name, told(&recorded));
            recorded.write(&file(command))?;
        }
        Ok(())
    }
}

fn told(recorded: &Recorded) -> String {
    let end = recorded.exit.map_or_else(|| "no exit code".to_owned(), |code| format!("exit code {code}"));
    let answer = match &recorded.answer {
        Some(_) => String::new(),
        None => format!(", NO ANSWER: {}", recorded.stderr.lines().last().unwrap_or_default()),
    };
    format!("{:.1} s, {end}{answer}", recorded.seconds)
}

fn ask(mut question: Question, caches: &Path) -> Result<Recorded> {
    let start = Instant::now();
    question.command.env("XDG_CACHE_HOME", caches).stdin(Stdio::null());
    let output = question.command.output().context("cannot start the command")?;
    let seconds = start.elapsed().as_secs_f64();
    let answer = match &question.answer_file {
        Some(file) => fs::read(file).unwrap_or_default(),
        None => output.stdout,
    };
    let arguments = question.command.get_args().map(|word| word.to_string_lossy().into_owned());
    Ok(Recorded {
        arguments: arguments.collect(),
        places: question.places,
        exit: output.status.code(),
        seconds,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        answer: serde_json::from_slice(&answer).ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_are_chosen_by_how_they_begin() {
        let chosen = |prefixes: &[&str], subject| {
            is_chosen(&prefixes.iter().map(|&prefix| prefix.to_owned()).collect::<Vec<_>>(), subject)
        };
        assert!(chosen(&[], "check/fine"));
        assert!(chosen(&["links", "check/"], "check/fine"));
        assert!(!chosen(&["links"], "check/fine"));
    }
}
