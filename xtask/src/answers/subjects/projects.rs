//! Projects with tests: the fixtures of `check` and `stretch`, the demo, and what the user names.
//!
//! Each is asked about in a temporary copy, so that what one build of Catchment keeps there is nothing to another.

use super::{Prepared, Subject};
use crate::project_copy;
use anyhow::{Context, Result, bail};
use catchment_testkit::check::{CheckProject, Framework};
use catchment_testkit::jdk;
use catchment_testkit::workspace::root;

use std::path::Path;
use std::process::Command;

/// The fixtures of `check`, with what runs their tests and what more is asked for.
const CHECKED: [(&str, Framework, Option<&str>); 19] = [
    ("shapes", Framework::JUnit5, None),
    ("listings", Framework::JUnit4, None),
    ("listings", Framework::JUnit5, None),
    ("listings", Framework::TestNg, None),
    ("suites-junit4", Framework::JUnit4, None),
    ("suites-junit5", Framework::JUnit5, None),
    ("fine", Framework::JUnit5, Some("--fine")),
    ("mixed", Framework::JUnit5, Some("--selective")),
    ("objects", Framework::JUnit5, None),
    ("contexts", Framework::JUnit5, None),
    ("first-time", Framework::JUnit5, None),
    ("litter", Framework::JUnit5, None),
    ("lost-worker", Framework::JUnit5, None),
    ("ports", Framework::JUnit5, None),
    ("stray", Framework::JUnit5, None),
    ("hostile", Framework::JUnit4, None),
    ("hostile-baseline", Framework::JUnit4, None),
    ("unruly", Framework::JUnit4, None),
    ("wiping", Framework::JUnit4, None),
];
/// The fixtures of `stretch` that are compiled folders.
const STRETCHED: [(&str, Option<&str>); 3] =
    [("clauses", None), ("exception", Some("--to=Exception")), ("interrupted", None)];
/// The fixtures of `stretch` with a build, for which a patch is asked.
const PATCHED: [&str; 2] = ["patched", "kotlin"];

pub(super) fn subjects() -> Vec<Subject> {
    let mut subjects = Vec::new();
    for (name, framework, option) in CHECKED {
        let subject = match name {
            "listings" => format!("check/{name}-{}", format!("{framework:?}").to_lowercase()),
            name => format!("check/{name}"),
        };
        let options = std::iter::once("--matrix").chain(option).collect();
        subjects.push(compiled(subject, "check", "fixtures/check", name, framework, options));
    }
    for (name, option) in STRETCHED {
        let options = option.into_iter().collect();
        let subject = format!("stretch/{name}");
        subjects.push(compiled(subject, "stretch", "fixtures/stretch", name, Framework::JUnit5, options));
    }
    subjects.extend(PATCHED.map(patched));
    subjects.push(demo());
    subjects
}

fn compiled(
    subject: String,
    asked: &'static str,
    folder: &'static str,
    name: &'static str,
    framework: Framework,
    options: Vec<&'static str>,
) -> Subject {
    Subject::new(subject, &[asked], move |binary| {
        let project = CheckProject::of_fixture(&root().join(folder).join(name), framework)?;
        let places = vec![("<project>", project.folder().to_path_buf())];
        let (binary, options) = (binary.to_path_buf(), options.clone());
        // The project lives as long as the closure that asks about it.
        Ok(Prepared::new((), places, move |command| {
            Ok((project.command_by(&binary, command, &options)?, None))
        }))
    })
}

fn patched(name: &'static str) -> Subject {
    Subject::new(format!("stretch/{name}"), &["stretch"], move |binary| {
        in_copy(binary, &root().join("fixtures/stretch").join(name), &[], vec!["--apply".to_owned()])
    })
}

fn demo() -> Subject {
    Subject::new("demo".to_owned(), &["handlers", "links", "check"], move |binary| {
        in_copy(binary, &root().join("examples/demo"), &["test-compile"], vec!["--matrix".to_owned()])
    })
}

/// A project of the user's, which has been built: links and handlers look at the classes that are there.
pub(super) fn named(name: &str, folder: &Path, jobs: u32) -> Subject {
    let folder = folder.to_path_buf();
    Subject::new(format!("project/{name}"), &["handlers", "links", "check"], move |binary| {
        in_copy(binary, &folder, &[], vec![format!("--jobs={jobs}")])
    })
}

/// A copy of a Maven or Gradle project, after some goals of Maven; `options` are those of `check` and `stretch`.
fn in_copy(binary: &Path, project: &Path, goals: &[&str], options: Vec<String>) -> Result<Prepared> {
    let copy = project_copy::as_it_is(project)?;
    let folder = copy.path().join("project");
    let java_home = jdk::installed(17)?.home().to_path_buf();
    if !goals.is_empty() {
        run_maven(&folder, &java_home, goals)?;
    }
    let binary = binary.to_path_buf();
    Ok(Prepared::new(copy, vec![("<project>", folder.clone())], move |asked| {
        let mut command = Command::new(&binary);
        command.arg(asked).arg(&folder).arg("--json");
        if matches!(asked, "check" | "stretch") {
            command.args(&options);
        }
        command.env("JAVA_HOME", &java_home).env_remove("JAVA_TOOL_OPTIONS");
        Ok((command, None))
    }))
}

fn run_maven(folder: &Path, java_home: &Path, goals: &[&str]) -> Result<()> {
    let mut maven = Command::new("mvn");
    maven.args(["--batch-mode", "--quiet"]).args(goals).current_dir(folder).env("JAVA_HOME", java_home);
    let output = maven.output().context("cannot start mvn")?;
    if !output.status.success() {
        bail!("mvn failed:\n{}", String::from_utf8_lossy(&output.stdout));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;

    fn folders_in(path: &str) -> BTreeSet<String> {
        let entries = fs::read_dir(root().join(path)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn every_fixture_with_tests_is_asked_about() {
        let checked: BTreeSet<String> = CHECKED.iter().map(|(name, ..)| (*name).to_owned()).collect();
        assert_eq!(checked, folders_in("fixtures/check"));
        let stretched = STRETCHED.iter().map(|(name, _)| *name).chain(PATCHED).map(str::to_owned);
        assert_eq!(stretched.collect::<BTreeSet<_>>(), folders_in("fixtures/stretch"));
    }
}
