//! Maven: runs the build's own tests once and sees how Surefire and Failsafe start their JVMs.

pub(crate) mod libraries;
pub(crate) mod log;
pub(crate) mod pom;
pub(crate) mod surefire;

use crate::build_run::{BuildRun, Built, TestsInBuild, find_program, is_executable, succeeds};
use crate::configuration::RunConfiguration;
use crate::executions::{Executions, module_name};
use crate::limits::{BuildCut, BuildLimits};
use crate::maven::log::{failure, module_begun, running_at_end, why_no_tests};
use crate::maven::pom::{Pom, modules_of};
use crate::maven::surefire::SurefireJvm;
use crate::workspace::Workspace;
use crate::{Found, ProjectError, tests_elsewhere};
use catchment_watch::Problem;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Failing tests are no failed build: they are what we want to know.
const IGNORE_FAILURES: &str = "maven.test.failure.ignore";
/// By these names Surefire, in all its versions, is told that no test need run.
const NO_TESTS_ARE_FINE: [&str; 3] =
    ["failIfNoTests", "failIfNoSpecifiedTests", "surefire.failIfNoSpecifiedTests"];

/// Options whose value is the next argument.
const WITH_VALUE: &[&str] = &[
    "-P",
    "--activate-profiles",
    "-pl",
    "--projects",
    "-f",
    "--file",
    "-s",
    "--settings",
    "-gs",
    "--global-settings",
    "-t",
    "--toolchains",
    "-gt",
    "--global-toolchains",
    "-T",
    "--threads",
    "-rf",
    "--resume-from",
    "-l",
    "--log-file",
    "-b",
    "--builder",
    "-D",
    "--define",
    "-emp",
    "--encrypt-master-password",
    "-ep",
    "--encrypt-password",
    "--color",
];

#[derive(Debug)]
pub(super) struct MavenBuild<'a> {
    pub(super) workspace: &'a Workspace,
    /// Where Maven is started; in the copy.
    pub(super) top: PathBuf,
    /// What the user asked for: the top or a module; in the copy.
    pub(super) folder: PathBuf,
    pub(super) arguments: &'a [OsString],
    pub(super) tests: TestsInBuild,
    pub(super) limits: BuildLimits,
}

/// What Maven is told besides what the user says.
#[derive(Debug, Clone)]
struct Attempt {
    goals: Vec<OsString>,
    properties: Vec<OsString>,
    tests: TestsInBuild,
}

impl MavenBuild<'_> {
    pub(super) fn run(&self, progress: &mut dyn FnMut(&str)) -> Result<Found, ProjectError> {
        let mut problems = Vec::new();
        let program = self.program(&mut problems)?;
        let mut attempt = Attempt { goals: self.goals(), properties: Vec::new(), tests: self.tests };
        let (mut run, mut built) = self.build(&program, &attempt, progress)?;
        while let Some((next, why)) = self.next_attempt(&attempt, &built) {
            progress(why);
            problems.push(self.problem(why));
            attempt = next;
            (run, built) = self.build(&program, &attempt, progress)?;
        }
        let jvms = self.test_jvms(&built);
        if let Some(limit) = built.limit {
            let cut = BuildCut::new(limit, running_at_end(&built.log).as_deref());
            cut.tell(&built.log, progress);
            problems.push(self.problem(&cut.what));
            return Found { cut: Some(cut), ..self.configurations(jvms, &built, problems) }
                .unless_empty(run.log);
        }
        if !built.succeeded {
            let reason = failure(&built.log, &self.workspace.root);
            if jvms.is_empty() || reason.contains("Compilation failure") {
                return Err(ProjectError::BuildFailed { reason, log: run.log });
            }
            problems.push(self.problem(&format!("a part of the build failed: {reason}")));
        }
        if jvms.is_empty() {
            let why = why_no_tests(&built.log, self.has_new_reports(&built));
            let reason = format!("{why}{}", self.tests_elsewhere());
            return Err(ProjectError::NoTestJvm { reason, log: run.log });
        }
        Ok(self.configurations(jvms, &built, problems))
    }

    /// Only for a user who stands in a module.
    fn tests_elsewhere(&self) -> String {
        if self.folder == self.top { String::new() } else { tests_elsewhere::hint(&self.top, &self.folder) }
    }

    /// What to try when the tests cannot be had in the way of the last attempt, and why. Each way is tried once.
    fn next_attempt(&self, last: &Attempt, built: &Built) -> Option<(Attempt, &'static str)> {
        if built.limit.is_some() {
            return None;
        }
        if built.succeeded {
            let run_by_maven =
                last.properties.is_empty() && self.test_jvms(built).is_empty() && self.has_new_reports(built);
            let properties = vec!["-DforkCount=1".into(), "-DforkMode=once".into()];
            return run_by_maven.then(|| {
                let why = "forkCount=0: the tests run in Maven's own JVM; built again with forkCount=1";
                (Attempt { properties, ..last.clone() }, why)
            });
        }
        if last.goals == ["test"] && self.misses_own_module(&built.log) {
            let goals = vec!["package".into()];
            let why = "modules need the jars of others; built again as far as package";
            return Some((Attempt { goals, ..last.clone() }, why));
        }
        // What fails after the start of a test JVM may need what its tests do.
        let reason = failure(&built.log, &self.workspace.root);
        let is_other = reason.contains("Compilation failure") || is_missing(&reason);
        let may_need_tests = last.tests == TestsInBuild::LeftOut && !self.test_jvms(built).is_empty();
        (may_need_tests && !is_other).then(|| {
            let why =
                "the build fails without the work of its tests; built again, and they run in the build, too";
            (Attempt { tests: TestsInBuild::Run, ..last.clone() }, why)
        })
    }

    /// Tells whether the build failed because what one of its modules packs was not there.
    fn misses_own_module(&self, log: &str) -> bool {
        let reason = failure(log, &self.workspace.root);
        modules_of(&self.top).iter().any(|module| misses_artifact(&reason, &module_name(module)))
    }

    fn problem(&self, what: &str) -> Problem {
        Problem { place: module_name(&self.top), what: what.to_owned() }
    }

    /// The project's own wrapper, whether it works or not.
    pub(super) fn wrapper(&self) -> Option<PathBuf> {
        let wrappers = [&self.top, &self.workspace.root].map(|folder| folder.join("mvnw"));
        wrappers.into_iter().find(|wrapper| is_executable(wrapper))
    }

    /// The project's own wrapper if it works, else `mvn`.
    pub(super) fn program(&self, problems: &mut Vec<Problem>) -> Result<PathBuf, ProjectError> {
        if let Some(wrapper) = self.wrapper() {
            let mut command = Command::new(&wrapper);
            if succeeds(command.arg("--version").current_dir(&self.top), self.limits) {
                return Ok(wrapper);
            }
            problems.push(
                self.problem("its Maven wrapper (mvnw) does not start; mvn on the PATH is used instead"),
            );
        }
        find_program("mvn").ok_or_else(|| ProjectError::ToolMissing { tool: "Maven (mvn)".to_owned() })
    }

    fn build(
        &self,
        program: &Path,
        attempt: &Attempt,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(BuildRun, Built), ProjectError> {
        let run = BuildRun::recording(&self.workspace.own_folder(), attempt.tests)?.within(self.limits);
        let mut command = Command::new(program);
        command.current_dir(&self.top);
        command.args(["-B", "-fae"]).arg(format!("-D{IGNORE_FAILURES}=true"));
        if attempt.tests == TestsInBuild::LeftOut {
            command.args(NO_TESTS_ARE_FINE.map(|property| format!("-D{property}=false")));
        }
        command.args(self.module_selection()).args(&attempt.properties).args(self.arguments);
        command.args(&attempt.goals);
        let built = run.run(&mut command, &mut |line| {
            if let Some(module) = module_begun(line) {
                progress(&format!("building {module}"));
            }
        })?;
        Ok((run, built))
    }

    /// Ours, unless the user gave some: `verify` only where Failsafe would have tests to run.
    fn goals(&self) -> Vec<OsString> {
        if has_goals(self.arguments) {
            return Vec::new();
        }
        let has_failsafe = |folder: &PathBuf| Pom::in_folder(folder).is_some_and(|pom| pom.has_failsafe);
        let goal = if modules_of(&self.top).iter().any(has_failsafe) { "verify" } else { "test" };
        vec![goal.into()]
    }

    /// For a user who stands in a module: it and its own modules, with what they need.
    fn module_selection(&self) -> Vec<OsString> {
        let selects = |argument: &OsString| argument == "-pl" || argument == "--projects";
        if self.folder == self.top || self.arguments.iter().any(selects) {
            return Vec::new();
        }
        let relative = |module: &PathBuf| Some(module.strip_prefix(&self.top).ok()?.as_os_str().to_owned());
        let modules: Vec<OsString> = modules_of(&self.folder).iter().filter_map(relative).collect();
        vec!["-pl".into(), modules.join(OsStr::new(",")), "-am".into()]
    }

    /// The test JVMs of the modules that the user asked for.
    fn test_jvms(&self, built: &Built) -> Vec<SurefireJvm> {
        let modules = modules_of(&self.folder);
        let is_below = |path: &Path| modules.iter().any(|module| path.starts_with(module));
        let is_asked_for = |jvm: &SurefireJvm| is_below(&jvm.test_classes) || is_below(&jvm.working_folder);
        built.launches.iter().filter_map(SurefireJvm::of).filter(is_asked_for).collect()
    }

    fn has_new_reports(&self, built: &Built) -> bool {
        let folders = modules_of(&self.top).into_iter().flat_map(|module| {
            ["target/surefire-reports", "target/failsafe-reports"].map(|reports| module.join(reports))
        });
        folders.into_iter().any(|folder| !crate::reports::read_reports(&folder, built.since).0.is_empty())
    }

    fn configurations(&self, jvms: Vec<SurefireJvm>, built: &Built, mut problems: Vec<Problem>) -> Found {
        let mut executions = Executions::of(jvms, &built.log);
        let configurations: Vec<RunConfiguration> =
            executions.configurations(&self.workspace.root, built.since, &mut problems);
        let is_ours = |key: &str| {
            let given = |argument: &OsString| argument.to_string_lossy().starts_with(&format!("-D{key}"));
            let known = [IGNORE_FAILURES, "forkCount", "forkMode"].into_iter().chain(NO_TESTS_ARE_FINE);
            known.into_iter().any(|known| known == key) && !self.arguments.iter().any(given)
        };
        let without_ours = |mut configuration: RunConfiguration| {
            configuration.system_properties.retain(|(key, _)| !is_ours(key));
            configuration
        };
        let configurations = configurations.into_iter().map(without_ours).collect();
        Found { configurations, problems, is_whole: built.succeeded, cut: None }
    }
}

fn is_missing(reason: &str) -> bool {
    reason.contains("Could not resolve dependencies") || reason.contains("Could not find artifact")
}

/// Tells whether Maven lacked something of this artifact. The project that needed it is named as well, and is not meant.
fn misses_artifact(reason: &str, artifact: &str) -> bool {
    const FOR_PROJECT: &str = "Could not resolve dependencies for project ";
    let missing = match reason.split_once(FOR_PROJECT) {
        Some((_, project_and_rest)) => project_and_rest.split_once(' ').map_or("", |(_, rest)| rest),
        None if is_missing(reason) => reason,
        None => return false,
    };
    missing.contains(&format!(":{artifact}:"))
}

fn has_goals(arguments: &[OsString]) -> bool {
    let mut is_value = false;
    arguments.iter().any(|argument| {
        let text = argument.to_string_lossy();
        let is_goal = !is_value && !text.starts_with('-') && !text.is_empty();
        is_value = !is_value && WITH_VALUE.contains(&text.as_ref());
        is_goal
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_that_lacks_a_library_does_not_lack_itself() {
        let project = "app: Could not resolve dependencies for project acme:app:jar:1:";
        let library = format!("{project} Could not find artifact org.none:none:jar:1 in central (https://x)");
        let module =
            format!("{project} The following artifacts could not be resolved: acme:core:jar:1 (absent)");
        // Maven 3.9 says it on several lines, which are joined.
        let newer = "app: Could not resolve dependencies for project acme:app:jar:1 dependency: acme:core:jar:1 (compile)";
        let plain = "Could not find artifact acme:core:jar:tests:1 in central";
        let check = |reason: &str, missing: &[&str]| {
            let found: Vec<_> =
                ["app", "core"].into_iter().filter(|artifact| misses_artifact(reason, artifact)).collect();
            assert_eq!(found, missing, "{reason}");
        };
        check(&library, &[]);
        check(&module, &["core"]);
        check(newer, &["core"]);
        check(plain, &["core"]);
        check("app: Compilation failure: src/acme/A.java:[1,2] :core: odd", &[]);
    }

    #[test]
    fn goals_are_told_from_values_of_options() {
        let has = |arguments: &[&str]| has_goals(&arguments.iter().map(OsString::from).collect::<Vec<_>>());
        assert!(has(&["verify"]) && has(&["-Pit", "verify"]) && has(&["-pl", "core", "org.acme:plugin:run"]));
        assert!(
            !has(&[])
                && !has(&["-P", "it", "-pl", "core", "-Dx=y", "-o"])
                && !has(&["--projects", "-x", "-e"])
        );
    }
}
