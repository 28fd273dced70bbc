//! The programs to analyse, as `xtask/links/subjects.txt` lists them.

use anyhow::{Context, Result, bail};
use catchment_testkit::compilers::{Compiler, Job, files_with_extension};
use catchment_testkit::{maven, workspace};
use std::fs;
use std::path::{Path, PathBuf};

/// What the subjects are compiled for, run on and analysed with.
pub(super) const JDK: u32 = 17;

/// One block of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Subject {
    pub(super) name: String,
    main_class: String,
    artifacts: Vec<String>,
    application: Vec<String>,
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
    let list = folder().join("subjects.txt");
    let text = fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    parse(&text)
}

fn folder() -> PathBuf {
    workspace::root().join("xtask/links")
}

/// Those of these names, or all if there are none.
pub(super) fn chosen(names: &[String]) -> Result<Vec<Subject>> {
    let subjects = all()?;
    if let Some(unknown) = names.iter().find(|name| subjects.iter().all(|subject| subject.name != **name)) {
        bail!("no subject is called {unknown}");
    }
    Ok(subjects.into_iter().filter(|subject| names.is_empty() || names.contains(&subject.name)).collect())
}

fn parse(text: &str) -> Result<Vec<Subject>> {
    let mut subjects: Vec<Subject> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (key, value) = line.split_once(' ').with_context(|| format!("no value in line: {line}"))?;
        let value = value.to_owned();
        if key == "subject" {
            subjects.push(Subject { name: value, ..Subject::default() });
            continue;
        }
        let subject = subjects.last_mut().context("the list does not begin with a subject")?;
        match key {
            "main" => subject.main_class = value,
            "artifact" => subject.artifacts.push(value),
            "application" => subject.application.push(value),
            "argument" => subject.arguments.push(value),
            _ => bail!("unknown key {key} of subject {}", subject.name),
        }
    }
    Ok(subjects)
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
    fn a_subject_is_a_block_of_lines() {
        let text = "# comment\n\nsubject a\nmain a.Main\nartifact g:a:1\n\nsubject b\nmain b.Main\nargument {data}/x y\n";
        let subjects = parse(text).unwrap();
        assert_eq!(subjects.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(subjects[0].artifacts, ["g:a:1"]);
        assert_eq!(subjects[1].arguments, ["{data}/x y"]);
        assert!(parse("main a.Main\n").is_err());
        assert!(parse("subject a\nmian a.Main\n").is_err());
    }

    #[test]
    fn every_subject_of_the_list_is_complete() {
        for subject in all().unwrap() {
            assert!(!subject.main_class.is_empty(), "{}", subject.name);
            assert!(!subject.artifacts.is_empty() && !subject.application.is_empty(), "{}", subject.name);
        }
    }
}
