//! Subjects of the questions: every fixture, the demo and the projects that are named.

mod classes;
mod programs;
mod projects;

use anyhow::{Context, Result};
use catchment_testkit::workspace::root;
use std::any::Any;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program or project, with the commands that are asked about it.
pub(super) struct Subject {
    /// `check/fine`: the folder of the answers.
    pub(super) name: String,
    pub(super) commands: Vec<String>,
    /// Compiles or copies it and words the questions for one build of Catchment.
    pub(super) prepare: Box<Prepare>,
}

type Prepare = dyn Fn(&Path) -> Result<Prepared>;

impl Subject {
    fn new(name: String, commands: &[&str], prepare: impl Fn(&Path) -> Result<Prepared> + 'static) -> Self {
        let commands = commands.iter().map(|&command| command.to_owned()).collect();
        Self { name, commands, prepare: Box::new(prepare) }
    }
}

/// A subject that can be asked about as long as this value lives.
pub(super) struct Prepared {
    places: Vec<(String, PathBuf)>,
    /// Words the question of one name.
    word: Box<Word>,
    /// Temporary folders.
    _kept: Box<dyn Any>,
}

type Word = dyn Fn(&str) -> Result<Worded>;

/// A command line, and the file for its answer if that is not stdout.
type Worded = (Command, Option<PathBuf>);

/// A command that is ready to run.
pub(super) struct Question {
    pub(super) command: Command,
    pub(super) answer_file: Option<PathBuf>,
    /// Folders whose paths differ between recordings.
    pub(super) places: Vec<(String, PathBuf)>,
}

impl Prepared {
    fn new(
        kept: impl Any,
        places: Vec<(&str, PathBuf)>,
        word: impl Fn(&str) -> Result<Worded> + 'static,
    ) -> Self {
        let mut places: Vec<(String, PathBuf)> =
            places.into_iter().map(|(name, path)| (name.to_owned(), path)).collect();
        places.push(("<root>".to_owned(), root()));
        Self { places, word: Box::new(word), _kept: Box::new(kept) }
    }

    pub(super) fn question(&self, command: &str) -> Result<Question> {
        let (command, answer_file) = (self.word)(command)?;
        let mut places = self.places.clone();
        // What a fixture's command is given for itself is as temporary as the fixture.
        for (variable, name) in [("TMPDIR", "<temporary>"), ("FIXTURE_STATE", "<state>")] {
            let value = command.get_envs().find(|(key, _)| *key == variable).and_then(|(_, value)| value);
            places.extend(value.map(|path| (name.to_owned(), PathBuf::from(path))));
        }
        Ok(Question { command, answer_file, places })
    }
}

/// All subjects, cheap ones first.
pub(super) fn every_subject(named: &[(String, PathBuf)], jobs: u32) -> Result<Vec<Subject>> {
    let mut subjects = classes::subjects()?;
    subjects.extend(programs::subjects()?);
    subjects.extend(projects::subjects());
    subjects.extend(named.iter().map(|(name, folder)| projects::named(name, folder, jobs)));
    Ok(subjects)
}

/// The lowest language level that compiles a fixture, by the expected file beside it.
fn level_of(source: &Path) -> Result<u32> {
    /// The level of a file that names none.
    const DEFAULT: u32 = 8;
    let file = source.with_extension("expected");
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let level = text.lines().find_map(|line| line.strip_prefix("level "));
    level.map_or(Ok(DEFAULT), |level| level.trim().parse().context("a level is a number"))
}
