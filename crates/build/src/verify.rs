//! Verification of changed sources by the project's own build and tests.

use crate::build_run::TestsInBuild;
use crate::compiler_log::{CompilerError, compiler_errors};
use crate::configuration::{ReportedTest, RunConfiguration};
use crate::limits::{BuildLimits, Limit};
use crate::workspace::Workspace;
use crate::{Found, Project, ProjectError, ProjectRequest, build, locate};
use catchment_protocol::conversation::Outcome;
use catchment_watch::Problem;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How the problem begins that a build tool's run leaves when a part of it failed: Maven, Gradle.
const FAILED_IN_PART: [&str; 2] = ["a part of the build failed: ", "the build failed in part: "];

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verified {
    /// The sources compile, and this many tests pass, among them all that did before.
    Passes { tests: usize },
    DoesNotCompile {
        /// All are in changed files.
        errors: Vec<CompilerError>,
        /// The first of them, or whatever the build said.
        reason: String,
    },
    /// What succeeded before does not, and it is not about a line of a changed file.
    BuildFails { reason: String },
    /// A test that passed before does not, twice.
    TestFails { test: String },
    /// The build had reported no test that passes: nothing can be compared.
    TestsUnknown,
    /// The deadline has passed before the build had ended.
    OutOfTime,
}

/// Builds a copy of the project in which the files (by path in the project) have other contents; once more, if a test fails.
pub fn verify(
    request: &ProjectRequest,
    before: &Project,
    files: &[(PathBuf, String)],
    limits: BuildLimits,
    progress: &mut dyn FnMut(&str),
) -> Result<Verified, ProjectError> {
    let located = locate(request)?;
    let Some(tool) = &located.build else {
        return Ok(Verified::BuildFails { reason: "there is none".to_owned() });
    };
    let request = ProjectRequest { folder: located.folder.clone(), ..request.clone() };
    let mut build_with = |files| {
        let copy = patched_copy(before, files)?;
        build(&request, tool, &copy, (TestsInBuild::Run, limits), progress)
    };
    let unpatched;
    let mut before_patch = Before::of(before);
    if !before_patch.knows_tests() {
        unpatched = build_with(&[]);
        match &unpatched {
            Ok(found) => {
                before_patch = Before { configurations: &found.configurations, problems: &found.problems }
            }
            Err(ProjectError::Interrupted) => return Err(ProjectError::Interrupted),
            Err(ProjectError::OutOfTime { .. }) => return Ok(Verified::OutOfTime),
            Err(error) => return Ok(Verified::BuildFails { reason: error.to_string() }),
        }
    }
    if !before_patch.knows_tests() {
        return Ok(Verified::TestsUnknown);
    }
    twice_if_tests_fail(|| {
        let found = build_with(files);
        let log = fs::read(before.workspace.own_folder().join("build.log")).unwrap_or_default();
        judged(before_patch, found, &String::from_utf8_lossy(&log), files)
    })
}

/// The build of the sources as they are, with its tests.
#[derive(Debug, Clone, Copy)]
struct Before<'a> {
    configurations: &'a [RunConfiguration],
    problems: &'a [Problem],
}

impl<'a> Before<'a> {
    fn of(project: &'a Project) -> Self {
        Self { configurations: &project.configurations, problems: &project.problems }
    }

    fn knows_tests(self) -> bool {
        reported(self.configurations).any(|test| test.outcome == Outcome::Passed)
    }
}

/// What became of tests that passed before.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Comparison {
    /// Tests that pass now.
    passed: usize,
    /// Tests that do not any more.
    failing: Vec<String>,
}

/// Some tests fail now and then: only what fails again does so for the change.
fn twice_if_tests_fail(
    mut build_once: impl FnMut() -> Result<Result<Comparison, Verified>, ProjectError>,
) -> Result<Verified, ProjectError> {
    let first = match build_once()? {
        Ok(first) if !first.failing.is_empty() => first,
        Ok(first) => return Ok(Verified::Passes { tests: first.passed }),
        Err(other) => return Ok(other),
    };
    Ok(match build_once()? {
        Ok(second) => match first.failing.into_iter().find(|test| second.failing.contains(test)) {
            Some(test) => Verified::TestFails { test },
            None => Verified::Passes { tests: second.passed },
        },
        Err(other) => other,
    })
}

/// What a build says that has ended in one way or another: how its tests did, or why that does not count.
fn judged(
    before: Before<'_>,
    found: Result<Found, ProjectError>,
    log: &str,
    files: &[(PathBuf, String)],
) -> Result<Result<Comparison, Verified>, ProjectError> {
    let failed = |reason: String| {
        let mut errors = compiler_errors(log);
        errors.retain(|error| files.iter().any(|(path, _)| error.path.ends_with(path)));
        match errors.first().map(|error| error.message.clone()) {
            Some(reason) => Verified::DoesNotCompile { errors, reason },
            None => Verified::BuildFails { reason },
        }
    };
    let found = match found {
        Ok(found) => found,
        Err(ProjectError::Interrupted) => return Err(ProjectError::Interrupted),
        Err(ProjectError::BuildFailed { reason, .. }) => return Ok(Err(failed(reason))),
        Err(ProjectError::OutOfTime { .. }) => return Ok(Err(Verified::OutOfTime)),
        Err(error) => return Ok(Err(Verified::BuildFails { reason: error.to_string() })),
    };
    match found.cut {
        Some(cut) if cut.limit == Limit::Deadline => return Ok(Err(Verified::OutOfTime)),
        Some(cut) => return Ok(Err(Verified::BuildFails { reason: cut.what })),
        None => {}
    }
    let comparison = compared(reported(before.configurations), reported(&found.configurations));
    if found.is_whole {
        return Ok(Ok(comparison));
    }
    let was_so = failed_in_part(before.problems).is_some();
    let reason = failed_in_part(&found.problems).unwrap_or("it does not say why");
    // With Gradle the tests themselves may be what fails.
    let is_for_tests = !comparison.failing.is_empty() && reason.contains("failing tests");
    Ok(match failed(reason.to_owned()) {
        Verified::BuildFails { .. } if was_so || is_for_tests => Ok(comparison),
        failure => Err(failure),
    })
}

/// The reason.
fn failed_in_part(problems: &[Problem]) -> Option<&str> {
    let reason = |problem| FAILED_IN_PART.iter().find_map(|begin| str::strip_prefix(problem, begin));
    problems.iter().find_map(|problem| reason(problem.what.as_str()))
}

/// Where the patched copy was built last.
pub fn patched_folder(project: &Project) -> PathBuf {
    project.workspace.own_folder().join("patched")
}

/// Without outputs: not every build notices what a changed source means for others.
fn patched_copy(before: &Project, files: &[(PathBuf, String)]) -> Result<Workspace, ProjectError> {
    let folder = patched_folder(before);
    let failed = |error: io::Error| ProjectError::Copy { to: folder.clone(), reason: error.to_string() };
    let copy = before.workspace.fork(&folder).map_err(failed)?;
    copy.wipe_outputs().map_err(failed)?;
    files.iter().try_for_each(|(path, content)| replace(&copy.root.join(path), content)).map_err(failed)?;
    Ok(copy)
}

fn replace(path: &Path, content: &str) -> io::Result<()> {
    let permissions = fs::metadata(path)?.permissions();
    // Whoever cannot write into a file may still put another in its place.
    fs::remove_file(path)?;
    fs::write(path, content)?;
    fs::set_permissions(path, permissions)
}

fn reported(configurations: &[RunConfiguration]) -> impl Iterator<Item = &ReportedTest> {
    configurations.iter().flat_map(|configuration| &configuration.reported)
}

/// Tests of one name are counted: each has to pass as often as before. One that is not reported at all may have another name
/// now (of a parameter with a hash or a time in it): then its class has to pass as many as before.
fn compared<'r>(
    before: impl Iterator<Item = &'r ReportedTest>,
    after: impl Iterator<Item = &'r ReportedTest>,
) -> Comparison {
    let (mut passed, mut others, mut of_class) = (HashMap::new(), HashSet::new(), HashMap::new());
    let mut comparison = Comparison { passed: 0, failing: Vec::new() };
    for test in after {
        if test.outcome == Outcome::Passed {
            comparison.passed += 1;
            *passed.entry(key(test)).or_insert(0_usize) += 1;
            *of_class.entry(test.class.as_str()).or_insert(0_i64) += 1;
        } else {
            others.insert(key(test));
        }
    }
    let before: Vec<_> = before.filter(|test| test.outcome == Outcome::Passed).collect();
    before.iter().for_each(|test| *of_class.entry(test.class.as_str()).or_insert(0) -= 1);
    for test in before {
        match passed.get_mut(&key(test)) {
            Some(left) if *left > 0 => *left -= 1,
            _ if !others.contains(&key(test)) && of_class.get(test.class.as_str()) >= Some(&0) => {}
            _ => comparison.failing.push(format!("{}.{}", test.class, test.name)),
        }
    }
    comparison
}

fn key(test: &ReportedTest) -> (&str, &str) {
    (&test.class, &test.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

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
        let comparison = compared(tests(before).iter(), tests(after).iter());
        let failing: Vec<_> = expected.err().into_iter().map(|test| format!("acme.ATest.{test}")).collect();
        assert_eq!(comparison.failing, failing, "{before}, then {after}");
        assert_eq!(comparison.passed, expected.unwrap_or(comparison.passed), "{before}, then {after}");
    }

    #[test]
    fn what_passed_has_to_pass_again() {
        check("+one +two", "+two +one", Ok(2));
        check("+one +two", "+one -two", Err("two"));
        check("+one +two", "+one", Err("two"));
        check("+one", "?one", Err("one"));
        check("+one +two", "+one -two +three", Err("two"));
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

    #[test]
    fn a_test_may_have_another_name_if_its_class_passes_as_many() {
        check("+one +case@1f", "+one +case@2e", Ok(2));
        check("+one +case@1f", "+one -case@2e", Err("case@1f"));
        check("+case@1f -case@2f", "+case@1e -case@2e", Ok(1));
    }

    #[test]
    fn a_test_fails_for_the_change_if_it_fails_twice() {
        let ran = |failing: &str| {
            let failing = failing.split_whitespace().map(str::to_owned).collect();
            Ok(Comparison { passed: 7, failing })
        };
        let check = |answers: Vec<Result<Comparison, Verified>>, expected: Verified| {
            let mut left = answers.clone().into_iter();
            let verified = twice_if_tests_fail(|| Ok(left.next().unwrap())).unwrap();
            assert_eq!((verified, left.len()), (expected, 0), "{answers:?}");
        };
        check(vec![ran("")], Verified::Passes { tests: 7 });
        check(vec![ran("one two"), ran("")], Verified::Passes { tests: 7 });
        check(vec![ran("one"), ran("two")], Verified::Passes { tests: 7 });
        check(vec![ran("one two"), ran("two")], Verified::TestFails { test: "two".into() });
        check(vec![Err(Verified::TestsUnknown)], Verified::TestsUnknown);
    }

    /// A Maven project whose build has left these problems.
    fn project(folder: &Path, problems: &[&str]) -> Project {
        let root = fs::canonicalize(folder).unwrap();
        fs::write(root.join("pom.xml"), "<project/>").unwrap();
        Project {
            workspace: Workspace::of(&root),
            configurations: Vec::new(),
            problems: problems.iter().map(|what| problem(what)).collect(),
            asked_for: Vec::new(),
            fingerprint: 0,
            build_files: None,
            is_cut: false,
        }
    }

    fn problem(what: &str) -> Problem {
        Problem { place: "core".into(), what: what.into() }
    }

    #[test]
    fn a_build_that_reports_no_test_is_run_again_and_what_keeps_it_from_that_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let before = project(folder.path(), &[]);
        let request = ProjectRequest { folder: folder.path().to_owned(), ..ProjectRequest::default() };
        let verified = verify(&request, &before, &[], BuildLimits::default(), &mut |_| ()).unwrap();
        let Verified::BuildFails { reason } = &verified else { panic!("{verified:?}") };
        assert!(reason.starts_with("cannot copy the project to "), "{reason}");
    }

    const CHECKSTYLE: &str = "a part of the build failed: checkstyle";
    const COMPILER: &str =
        "[ERROR] /p/core/src/A.java:[3,4] ';' expected\n[ERROR] /p/core/src/B.java:[5,6] odd\n";

    fn in_part(what: &str) -> Result<Found, ProjectError> {
        Ok(Found { configurations: Vec::new(), problems: vec![problem(what)], is_whole: false, cut: None })
    }

    fn judged_of(problems: &[&str], found: Result<Found, ProjectError>, log: &str) -> Option<Verified> {
        let folder = tempfile::tempdir().unwrap();
        let files = [("core/src/A.java".into(), String::new())];
        judged(Before::of(&project(folder.path(), problems)), found, log, &files).unwrap().err()
    }

    #[test]
    fn a_build_that_fails_in_part_is_none_that_passes() {
        let fails = |reason: &str| Some(Verified::BuildFails { reason: reason.into() });
        assert_eq!(judged_of(&[], in_part(CHECKSTYLE), ""), fails("checkstyle"));
        // But none of those that passed.
        let tests = "There were failing tests";
        assert_eq!(judged_of(&[], in_part(&format!("the build failed in part: {tests}")), ""), fails(tests));
        // So it was before.
        assert_eq!(judged_of(&[CHECKSTYLE], in_part(CHECKSTYLE), ""), None);

        let failed = || Err(ProjectError::BuildFailed { reason: "no plugin".into(), log: "log".into() });
        assert_eq!(judged_of(&[], failed(), "[ERROR] /p/core/src/B.java:[5,6] odd\n"), fails("no plugin"));
        let no_tests = ProjectError::NoTests { reason: "none".into() };
        assert_eq!(judged_of(&[], Err(no_tests), ""), fails("no tests: none"));
        for (found, problems) in
            [(failed(), &[][..]), (in_part(CHECKSTYLE), &[]), (in_part(CHECKSTYLE), &[CHECKSTYLE])]
        {
            let Some(Verified::DoesNotCompile { errors, reason }) = judged_of(problems, found, COMPILER)
            else {
                panic!("it compiles");
            };
            assert_eq!((errors.len(), reason.as_str()), (1, "';' expected"));
        }
    }

    #[test]
    fn who_interrupts_a_build_gets_no_answer() {
        let folder = tempfile::tempdir().unwrap();
        let before = project(folder.path(), &[]);
        assert!(judged(Before::of(&before), Err(ProjectError::Interrupted), "", &[]).is_err());
    }

    #[test]
    fn a_read_only_source_is_changed_and_stays_read_only() {
        let folder = tempfile::tempdir().unwrap();
        let before = project(folder.path(), &[]);
        before.workspace.update().unwrap();
        let source = before.workspace.root.join("pom.xml");
        fs::set_permissions(&source, fs::Permissions::from_mode(0o440)).unwrap();

        let copy = patched_copy(&before, &[("pom.xml".into(), "changed".into())]).unwrap();
        let changed = copy.root.join("pom.xml");
        assert_eq!(fs::read_to_string(&changed).unwrap(), "changed");
        assert_eq!(fs::metadata(&changed).unwrap().permissions().mode() & 0o777, 0o440);
    }
}
