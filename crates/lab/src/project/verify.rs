//! What the project's own build and tests say of changed sources.

use super::compiler_log::{CompilerError, compiler_errors};
use super::configuration::{ReportedTest, RunConfiguration};
use super::workspace::Workspace;
use super::{Project, ProjectError, ProjectRequest, build, locate};
use catchment_protocol::lab::Outcome;
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verified {
    /// It compiles, and so many tests pass, among them all that did before.
    Passes { tests: usize },
    DoesNotCompile {
        errors: Vec<CompilerError>,
        /// The first of them, or whatever the build said.
        reason: String,
    },
    /// A test that passed before does not.
    TestFails { test: String },
}

/// Builds a copy of the project in which the files (by path in the project) have other contents.
pub(crate) fn verify(
    request: &ProjectRequest,
    before: &Project,
    files: &[(PathBuf, String)],
    progress: &mut dyn FnMut(&str),
) -> Result<Verified, ProjectError> {
    let located = locate(request)?;
    let Some(tool) = &located.build else {
        let reason = "there is no build that could compile it".to_owned();
        return Ok(Verified::DoesNotCompile { errors: Vec::new(), reason });
    };
    let copy = patched_copy(before, files)?;
    let request = ProjectRequest { folder: located.folder.clone(), ..request.clone() };
    match build(&request, tool, &copy, progress) {
        Ok(found) => Ok(compared(reported(&before.configurations), reported(&found.configurations))),
        Err(ProjectError::BuildFailed { reason, log }) => {
            let log = String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned();
            Ok(Verified::DoesNotCompile { errors: compiler_errors(&log), reason })
        }
        Err(error) => Err(error),
    }
}

/// Without outputs: not every build notices what a changed source means for others.
fn patched_copy(before: &Project, files: &[(PathBuf, String)]) -> Result<Workspace, ProjectError> {
    let folder = before.workspace.own_folder().join("patched");
    let failed = |reason| ProjectError::Copy { to: folder.clone(), reason };
    let copy = before.workspace.fork(&folder).map_err(|error| failed(error.to_string()))?;
    copy.wipe_outputs().map_err(|error| failed(error.to_string()))?;
    for (path, content) in files {
        fs::write(copy.root.join(path), content).map_err(|error| failed(error.to_string()))?;
    }
    Ok(copy)
}

fn reported(configurations: &[RunConfiguration]) -> impl Iterator<Item = &ReportedTest> {
    configurations.iter().flat_map(|configuration| &configuration.reported)
}

/// Tests of one name are counted: each has to pass as often as before.
fn compared<'r>(
    before: impl Iterator<Item = &'r ReportedTest>,
    after: impl Iterator<Item = &'r ReportedTest>,
) -> Verified {
    let mut passed: HashMap<(&str, &str), usize> = HashMap::new();
    for test in after.filter(|test| test.outcome == Outcome::Passed) {
        *passed.entry((&test.class, &test.name)).or_default() += 1;
    }
    let tests = passed.values().sum();
    for test in before.filter(|test| test.outcome == Outcome::Passed) {
        match passed.get_mut(&(test.class.as_str(), test.name.as_str())) {
            Some(left) if *left > 0 => *left -= 1,
            _ => return Verified::TestFails { test: format!("{}.{}", test.class, test.name) },
        }
    }
    Verified::Passes { tests }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `+` in front of tests that pass, `-` in front of those that fail, `?` in front of those that are skipped.
    fn tests(names: &str) -> Vec<ReportedTest> {
        let test = |name: &str| {
            let outcome = match &name[..1] {
                "+" => Outcome::Passed,
                "-" => Outcome::Failed,
                _ => Outcome::Skipped,
            };
            ReportedTest { class: "acme.ATest".into(), name: name[1..].into(), outcome, millis: 1 }
        };
        names.split_whitespace().map(test).collect()
    }

    fn check(before: &str, after: &str, expected: Result<usize, &str>) {
        let expected = match expected {
            Ok(tests) => Verified::Passes { tests },
            Err(test) => Verified::TestFails { test: format!("acme.ATest.{test}") },
        };
        assert_eq!(compared(tests(before).iter(), tests(after).iter()), expected, "{before}, then {after}");
    }

    #[test]
    fn what_passed_has_to_pass_again() {
        check("+one +two", "+two +one", Ok(2));
        check("+one +two", "+one -two", Err("two"));
        check("+one +two", "+one", Err("two"));
        check("+one", "?one", Err("one"));
        check("", "", Ok(0));
    }

    #[test]
    fn what_did_not_pass_may_do_anything() {
        check("+one -two ?three", "+one -two ?three", Ok(1));
        check("+one -two", "+one +two +new", Ok(3));
        check("+one", "+one -new", Ok(1));
    }

    #[test]
    fn of_tests_with_one_name_each_counts() {
        check("+one +one", "+one -one", Err("one"));
        check("+one -one", "-one +one", Ok(1));
    }
}
