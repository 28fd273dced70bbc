//! Gradle: an init script has every `Test` task write down how it runs; the reports say what it ran.

pub(crate) mod libraries;

use crate::build_run::{BuildRun, Built, find_program, is_executable, succeeds};
use crate::class_folders::split_class_path;
use crate::configuration::{Framework, RunConfiguration, TestFilters};
use crate::executions::TestsOfExecution;
use crate::limits::{BuildCut, BuildLimits};
use crate::properties;
use crate::reports::read_reports;
use crate::workspace::Workspace;
use crate::{Found, ProjectError, cannot, tests_elsewhere};
use catchment_watch::Problem;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

const INIT_SCRIPT: &str = include_str!("gradle/init.gradle");

/// Our scripts look at tasks and projects while they run, which the configuration cache does not allow.
pub(super) const NO_CONFIGURATION_CACHE: [&str; 2] =
    ["-Dorg.gradle.configuration-cache=false", "-Dorg.gradle.unsafe.configuration-cache=false"];

/// Options whose value is the next argument.
const WITH_VALUE: &[&str] = &[
    "-p",
    "--project-dir",
    "-b",
    "--build-file",
    "-c",
    "--settings-file",
    "-g",
    "--gradle-user-home",
    "-I",
    "--init-script",
    "-x",
    "--exclude-task",
    "--tests",
    "--include-build",
    "--max-workers",
    "--console",
    "--warning-mode",
    "--project-cache-dir",
    "-D",
    "-P",
];

#[derive(Debug)]
pub(super) struct GradleBuild<'a> {
    pub(super) workspace: &'a Workspace,
    /// Where the wrapper is; in the copy.
    pub(super) top: PathBuf,
    /// What the user asked for: the top or a module; in the copy.
    pub(super) folder: PathBuf,
    pub(super) arguments: &'a [OsString],
    pub(super) limits: BuildLimits,
}

impl GradleBuild<'_> {
    pub(super) fn run(&self, progress: &mut dyn FnMut(&str)) -> Result<Found, ProjectError> {
        let run = BuildRun::unseen(&self.workspace.own_folder()).within(self.limits);
        let mut problems = Vec::new();
        let program = self.program(&mut problems)?;
        let script = self.write_init_script()?;
        let built = self.build(&run, &program, &script, progress)?;
        let tasks = self.read_tasks();
        let cut = built
            .limit
            .map(|limit| BuildCut::new(limit, built.log.lines().filter_map(task_begun).next_back()));
        if let Some(cut) = &cut {
            cut.tell(&built.log, progress);
            problems.push(self.problem(&cut.what));
        } else if !built.succeeded {
            let reason = failure(&built.log);
            if tasks.is_empty() {
                return Err(ProjectError::BuildFailed { reason, log: run.log });
            }
            problems.push(self.problem(&format!("the build failed in part: {reason}")));
        }
        if tasks.is_empty() && cut.is_none() {
            let is_module = self.folder != self.top;
            let elsewhere = is_module.then(|| tests_elsewhere::hint(&self.top, &self.folder));
            let reason = format!("no Test task was executed{}", elsewhere.unwrap_or_default());
            return Err(ProjectError::NoTestJvm { reason, log: run.log });
        }
        let mut configurations = Vec::new();
        for task in tasks {
            configurations.extend(task.configuration(&run, &self.workspace.root, built.since, &mut problems));
        }
        Found { configurations, problems, is_whole: built.succeeded, cut }.unless_empty(run.log)
    }

    fn problem(&self, what: &str) -> Problem {
        let place = self.workspace.original.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Problem { place, what: what.to_owned() }
    }

    /// The project's own wrapper, whether it works or not.
    pub(super) fn wrapper(&self) -> Option<PathBuf> {
        Some(self.top.join("gradlew")).filter(|wrapper| is_executable(wrapper))
    }

    /// The project's own wrapper if it works, else `gradle`.
    pub(super) fn program(&self, problems: &mut Vec<Problem>) -> Result<PathBuf, ProjectError> {
        if let Some(wrapper) = self.wrapper() {
            let mut command = Command::new(&wrapper);
            command.args(["--version", "--no-daemon"]).current_dir(&self.top);
            if succeeds(&mut command, self.limits) {
                return Ok(wrapper);
            }
            problems
                .push(self.problem("its Gradle wrapper does not start; gradle on the PATH is used instead"));
        }
        find_program("gradle").ok_or_else(|| ProjectError::ToolMissing { tool: "Gradle".to_owned() })
    }

    fn tasks_folder(&self) -> PathBuf {
        self.workspace.own_folder().join("gradle-tasks")
    }

    fn write_init_script(&self) -> Result<PathBuf, ProjectError> {
        let _ = fs::remove_dir_all(self.tasks_folder());
        let script = self.workspace.own_folder().join("init.gradle");
        let text = INIT_SCRIPT.replace("@FOLDER@", &in_script(&self.tasks_folder()));
        fs::write(&script, text).map_err(cannot("write", &script))?;
        Ok(script)
    }

    fn build(
        &self,
        run: &BuildRun,
        program: &Path,
        script: &Path,
        progress: &mut dyn FnMut(&str),
    ) -> Result<Built, ProjectError> {
        let mut command = Command::new(program);
        command.current_dir(&self.folder);
        command.args(["--no-daemon", "--continue", "--console=plain", "--init-script"]).arg(script);
        command.args(NO_CONFIGURATION_CACHE);
        if !has_tasks(self.arguments) {
            // Before the user's arguments, which may be options of this task.
            command.arg("test");
        }
        command.args(self.arguments);
        run.run(&mut command, &mut |line| {
            if let Some(task) = task_begun(line) {
                progress(&format!("building {task}"));
            }
        })
    }

    /// By path.
    fn read_tasks(&self) -> Vec<Task> {
        read_all(&self.tasks_folder()).into_iter().map(Task).collect()
    }
}

/// As the text of a string in an init script.
pub(super) fn in_script(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "\\\\").replace('\'', "\\'")
}

/// What an init script wrote into the files of a folder, by the names of the files.
pub(super) fn read_all(folder: &Path) -> Vec<Properties> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    files.sort();
    files.iter().filter_map(|file| Some(Properties(properties::parse(&fs::read(file).ok()?)))).collect()
}

fn has_tasks(arguments: &[OsString]) -> bool {
    let mut is_value = false;
    arguments.iter().any(|argument| {
        let text = argument.to_string_lossy();
        let is_task = !is_value && !text.starts_with('-') && !text.is_empty();
        is_value = !is_value && WITH_VALUE.contains(&text.as_ref());
        is_task
    })
}

/// `:app:test` from `> Task :app:test` or, before Gradle 4.7, a line that begins with it.
fn task_begun(line: &str) -> Option<&str> {
    let task = line.strip_prefix("> Task ").unwrap_or(line);
    let task = task.split([' ', '\t']).next()?;
    let is_path = |path: &str| path.len() > 1 && path.split(':').skip(1).all(|part| !part.is_empty());
    (task.starts_with(':') && is_path(task)).then_some(task)
}

/// What Gradle says went wrong, on one line.
pub(super) fn failure(log: &str) -> String {
    let mut lines = log.lines().skip_while(|line| !line.starts_with("* What went wrong:")).skip(1);
    let lines: Vec<&str> =
        lines.by_ref().take_while(|line| !line.is_empty() && !line.starts_with('*')).map(str::trim).collect();
    if !lines.is_empty() {
        return lines.join(" ");
    }
    let last = log.lines().rev().find(|line| !line.trim().is_empty());
    last.unwrap_or("it said nothing").trim().to_owned()
}

/// What an init script wrote.
#[derive(Debug)]
pub(super) struct Properties(pub(super) Vec<(String, String)>);

impl Properties {
    pub(super) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str())
    }

    /// `<name>.0`, `<name>.1` ...
    pub(super) fn list(&self, name: &str) -> Vec<&str> {
        (0..).map_while(|index| self.get(&format!("{name}.{index}"))).collect()
    }

    pub(super) fn paths(&self, name: &str) -> Vec<PathBuf> {
        self.list(name).into_iter().map(PathBuf::from).collect()
    }

    fn texts(&self, name: &str) -> Vec<String> {
        self.list(name).into_iter().map(str::to_owned).collect()
    }
}

/// What the init script wrote of one `Test` task.
#[derive(Debug)]
struct Task(Properties);

impl Task {
    fn configuration(
        &self,
        run: &BuildRun,
        root: &Path,
        since: SystemTime,
        problems: &mut Vec<Problem>,
    ) -> Option<RunConfiguration> {
        let name = self.0.get("path").unwrap_or_default().to_owned();
        let (reports, unreadable) = read_reports(Path::new(self.0.get("reports")?), since);
        problems.extend(unreadable.into_iter().map(|what| Problem { place: name.clone(), what }));
        let framework = self.framework();
        let test_folders = self.0.paths("testClasses");
        let found = TestsOfExecution::reported_by_gradle(&reports, framework, &test_folders);
        let jvm_arguments: Vec<OsString> =
            self.0.list("jvmArgument").into_iter().map(OsString::from).collect();
        let class_path = self.class_path(framework);
        let (application, tests) = split_class_path(&class_path, &jvm_arguments, &test_folders, root);
        let variables = self.0.0.iter().filter_map(|(key, value)| {
            Some((OsString::from(key.strip_prefix("variable.")?), OsString::from(value)))
        });
        (!found.classes.is_empty()).then(|| RunConfiguration {
            java: self.java(),
            class_path,
            jvm_arguments,
            system_properties: Vec::new(),
            environment: run.without_ours(variables.collect()),
            working_folder: PathBuf::from(self.0.get("workingFolder").unwrap_or_default()),
            framework,
            filters: self.filters(),
            test_classes: found.classes,
            reported: found.reported,
            application,
            tests,
            notes: self.notes(),
            name,
        })
    }

    fn framework(&self) -> Framework {
        let name = self.0.get("framework").unwrap_or_default();
        if name.contains("JUnitPlatform") {
            Framework::JUnitPlatform
        } else if name.contains("TestNG") {
            Framework::TestNg
        } else {
            Framework::JUnit4
        }
    }

    /// Up to version 8, Gradle lends the tests the JUnit launcher of its own distribution.
    fn class_path(&self, framework: Framework) -> Vec<PathBuf> {
        let mut class_path = self.0.paths("classPath");
        if framework == Framework::JUnitPlatform {
            let lent = self.0.get("gradleHome").map(|home| launcher_of(Path::new(home))).unwrap_or_default();
            class_path.extend(lent);
        }
        let mut seen = std::collections::HashSet::new();
        let mut names = std::collections::HashSet::new();
        class_path.retain(|entry| {
            let is_new = seen.insert(entry.clone());
            let library = platform_library(entry);
            is_new && library.is_none_or(|library| names.insert(library))
        });
        class_path
    }

    fn java(&self) -> PathBuf {
        let java = PathBuf::from(self.0.get("executable").unwrap_or("java"));
        if java.is_absolute() { java } else { find_program("java").unwrap_or(java) }
    }

    fn filters(&self) -> TestFilters {
        let one_of = |names: [&str; 3]| names.iter().flat_map(|name| self.0.texts(name)).collect();
        TestFilters {
            included_groups: one_of(["includeTags", "includeCategories", "includeGroups"]),
            excluded_groups: one_of(["excludeTags", "excludeCategories", "excludeGroups"]),
            included_engines: self.0.texts("includeEngines"),
            excluded_engines: self.0.texts("excludeEngines"),
            configuration_parameters: Vec::new(),
            suite_files: self.0.paths("suiteXmlFiles"),
        }
    }

    fn notes(&self) -> Vec<String> {
        let number = |key: &str| self.0.get(key).and_then(|value| value.parse::<u64>().ok()).unwrap_or(0);
        let mut notes = Vec::new();
        if number("maxParallelForks") > 1 {
            let forks = number("maxParallelForks");
            notes.push(format!("maxParallelForks={forks}: here one JVM runs all these tests"));
        }
        if number("forkEvery") > 0 {
            notes.push(format!("forkEvery={}: here one JVM runs all these tests", number("forkEvery")));
        }
        if let Some(parallel) = self.0.get("parallel").filter(|parallel| !matches!(*parallel, "" | "none")) {
            notes.push(format!("parallel={parallel}: parallel execution is switched off for observation"));
        }
        notes
    }
}

/// `junit-platform-launcher` from `.../junit-platform-launcher-1.10.2.jar`: one version of each is enough, and the first
/// on the class path wins anyway.
fn platform_library(jar: &Path) -> Option<String> {
    let name = jar.file_name()?.to_str()?.strip_suffix(".jar")?;
    let (library, _) = name.rsplit_once('-')?;
    ["junit-platform-launcher", "junit-platform-engine", "junit-platform-commons"]
        .contains(&library)
        .then(|| library.to_owned())
}

/// The jars of the JUnit launcher in a Gradle distribution.
fn launcher_of(gradle_home: &Path) -> Vec<PathBuf> {
    let folders = ["lib/plugins", "lib"].map(|folder| gradle_home.join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let mut jars: Vec<PathBuf> =
        files.map(|entry| entry.path()).filter(|path| platform_library(path).is_some()).collect();
    jars.sort();
    jars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_told_from_values_of_options() {
        let has = |arguments: &[&str]| has_tasks(&arguments.iter().map(OsString::from).collect::<Vec<_>>());
        assert!(has(&["check"]) && has(&["-x", "lint", ":app:test"]));
        assert!(!has(&[]) && !has(&["--tests", "acme.*", "-Pfast", "-x", "lint"]));
    }

    #[test]
    fn tasks_are_announced_by_old_and_new_versions() {
        assert_eq!(task_begun("> Task :app:test"), Some(":app:test"));
        assert_eq!(task_begun("> Task :compileJava UP-TO-DATE"), Some(":compileJava"));
        assert_eq!(task_begun(":processResources NO-SOURCE"), Some(":processResources"));
        assert_eq!(task_begun(": x"), None);
        assert_eq!(task_begun("BUILD SUCCESSFUL in 1s"), None);
    }

    #[test]
    fn a_failure_is_one_line() {
        let log = "x\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':a'.\n\
                   > Compilation failed; see the compiler error output for details.\n\n* Try:\nRun";
        let expected = "Execution failed for task ':a'. > Compilation failed; see the compiler error output for details.";
        assert_eq!(failure(log), expected);
        assert_eq!(failure("no java\n"), "no java");
    }

    #[test]
    fn the_launcher_is_lent_only_where_the_project_has_none() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("lib/plugins")).unwrap();
        for jar in
            ["junit-platform-launcher-1.8.2.jar", "junit-platform-engine-1.8.2.jar", "gradle-core-8.jar"]
        {
            fs::write(home.path().join("lib/plugins").join(jar), "").unwrap();
        }
        let task = |jars: &[&str]| {
            let mut all = vec![("gradleHome".to_owned(), home.path().display().to_string())];
            all.extend(
                jars.iter().enumerate().map(|(index, jar)| (format!("classPath.{index}"), jar.to_string())),
            );
            let class_path = Task(Properties(all)).class_path(Framework::JUnitPlatform);
            let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
            class_path.iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(
            task(&["/c/junit-platform-engine-1.10.2.jar"]),
            ["junit-platform-engine-1.10.2.jar", "junit-platform-launcher-1.8.2.jar"]
        );
        let own = ["/c/junit-platform-engine-1.10.2.jar", "/c/junit-platform-launcher-1.10.2.jar"];
        assert_eq!(task(&own), ["junit-platform-engine-1.10.2.jar", "junit-platform-launcher-1.10.2.jar"]);
    }
}
