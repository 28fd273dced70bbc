//! The fixture `tests`: test classes by the conventions of many frameworks, which all who look for tests have to know.

use crate::compilers::{Compiler, Job};
use crate::workspace;
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;

/// A class of the fixture, as `expected.txt` has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedClass {
    pub name: String,
    /// The framework that runs it, if one does.
    pub runner: Option<String>,
    /// Its methods that a framework calls.
    pub called: Vec<String>,
}

fn folder() -> PathBuf {
    workspace::root().join("fixtures/tests")
}

/// The class folder of the classes and of as much of the frameworks as they name.
pub fn compiled() -> Result<PathBuf> {
    let files = workspace::files_below(&folder())?;
    let sources =
        files.into_iter().filter(|file| file.extension().is_some_and(|extension| extension == "java"));
    Compiler::Javac { jdk: 17, release: 17 }.compile(&Job::of(sources))
}

pub fn expected() -> Result<Vec<ExpectedClass>> {
    let text = fs::read_to_string(folder().join("expected.txt"))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let mut words = line.split_whitespace().map(str::to_owned);
            let name = words.next().context("a class")?;
            let runner = Some(words.next().context("who runs it")?).filter(|runner| runner != "-");
            Ok(ExpectedClass { name, runner, called: words.collect() })
        })
        .collect()
}
