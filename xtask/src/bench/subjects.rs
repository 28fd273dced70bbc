//! The programs to analyse, as `xtask/links/subjects.toml` lists them.

use crate::list;
use anyhow::Result;
use catchment_testkit::compilers::{Compiler, Job, files_with_extension};
use catchment_testkit::{jdk, maven, workspace};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The JDK that the subjects are compiled for, run on and analysed with.
pub(super) const JDK: u32 = 17;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SubjectList {
    subject: Vec<Subject>,
}

/// One entry of the list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Subject {
    pub(super) name: String,
    #[serde(rename = "main")]
    main_class: String,
    artifacts: Vec<String>,
    application: Vec<String>,
    #[serde(default)]
    arguments: Vec<String>,
}

/// A subject whose jars are here and whose sources are compiled.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) main_class: String,
    /// Our own classes first, if there are any.
    pub(super) class_path: Vec<PathBuf>,
    /// Patterns of the classes that are the subject's own.
    pub(super) application: Vec<String>,
    data: PathBuf,
    arguments: Vec<String>,
}

pub(super) fn all() -> Result<Vec<Subject>> {
    let SubjectList { subject: subjects } = list::read(&folder().join("subjects.toml"))?;
    Ok(subjects)
}

fn folder() -> PathBuf {
    workspace::root().join("xtask/links")
}

/// The subjects of these names, or all if there are no names.
pub(super) fn chosen(names: &[String]) -> Result<Vec<Subject>> {
    list::chosen(all()?, |subject| &subject.name, names)
}

impl Subject {
    /// Fetches and compiles what is not yet there.
    pub(super) fn prepare(&self) -> Result<Program> {
        let coordinates: Vec<&str> = self.artifacts.iter().map(String::as_str).collect();
        let mut class_path = maven::resolve_with_dependencies(&coordinates)?;
        let data = folder().join(&self.name);
        let sources = files_with_extension(&data, "java")?;
        if !sources.is_empty() {
            let job = Job { sources, class_path: class_path.clone(), ..Job::default() };
            class_path.insert(0, Compiler::Javac { jdk: JDK, release: JDK }.compile(&job)?);
        }
        Ok(Program {
            main_class: self.main_class.clone(),
            class_path,
            application: self.application.clone(),
            data,
            arguments: self.arguments.clone(),
        })
    }
}

impl Program {
    /// `catchment links` on it, on the JDK whose classes all analyses read, as JSON into this file.
    pub(super) fn links(&self, catchment: &Path, analysis: &str, result: &Path) -> Result<Command> {
        let mut command = Command::new(catchment);
        command
            .args(["links", "--json", "--analysis", analysis, "--entry", &self.main_class, "--classpath"])
            .arg(std::env::join_paths(&self.class_path)?)
            .arg("-o")
            .arg(result)
            .env("JAVA_HOME", jdk::installed(JDK)?.home())
            .stdin(Stdio::null());
        Ok(command)
    }

    /// Arguments that make the subject's own classes the application.
    pub(super) fn includes(&self) -> impl Iterator<Item = &str> {
        self.application.iter().flat_map(|pattern| ["--include", pattern])
    }

    pub(super) fn arguments(&self, scratch: &Path) -> Vec<String> {
        let fill = |argument: &String| {
            argument
                .replace("{data}", &self.data.display().to_string())
                .replace("{scratch}", &scratch.display().to_string())
        };
        self.arguments.iter().map(fill).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_nobody_knows_is_refused() {
        let good = "name = 'a'\nmain = 'a.Main'\nartifacts = ['g:a:1']\napplication = []\n";
        assert_eq!(toml::from_str::<Subject>(good).unwrap().artifacts, ["g:a:1"]);
        assert!(toml::from_str::<Subject>(&(good.to_owned() + "argument = []")).is_err());
    }

    #[test]
    fn every_subject_of_the_list_is_complete() {
        for subject in all().unwrap() {
            assert!(!subject.main_class.is_empty(), "{}", subject.name);
            assert!(!subject.artifacts.is_empty() && !subject.application.is_empty(), "{}", subject.name);
        }
    }
}
