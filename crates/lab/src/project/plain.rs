//! No build tool: classes and tests that the user names.

use super::configuration::{Framework, RunConfiguration, TestFilters};
use super::test_class::{TestClass, classes_in};
use super::test_suites::run_by_others;
use super::workspace::Workspace;
use super::{Found, PlainRequest, ProjectError};
use crate::project::build_run::find_program;
use catchment_protocol::pattern;
use std::env;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// One configuration per test framework that the tests need.
pub(super) fn configurations(request: &PlainRequest, workspace: &Workspace) -> Result<Found, ProjectError> {
    let places = Places::resolve(request, workspace)?;
    let chosen = places.chosen_tests(&request.tests);
    if chosen.is_empty() {
        let reason = match request.tests.as_slice() {
            [] => "no test class found in --test-classpath; name them with --tests".to_owned(),
            patterns => {
                format!("no class in --test-classpath is a test and matches --tests {}", patterns.join(" "))
            }
        };
        return Err(ProjectError::NoTests { reason });
    }
    let java = java(request)?;
    let mut configurations = Vec::new();
    for framework in [Framework::JUnitPlatform, Framework::JUnit4, Framework::TestNg] {
        let classes: Vec<String> = chosen
            .iter()
            .filter(|class| class.framework == Some(framework))
            .map(|class| class.name.clone())
            .collect();
        if !classes.is_empty() {
            places.check_runner(framework)?;
            configurations.push(places.configuration(framework, classes, java.clone(), workspace));
        }
    }
    if let [only] = configurations.as_mut_slice() {
        "class path".clone_into(&mut only.name);
    }
    Ok(Found { configurations, problems: Vec::new(), is_whole: true })
}

fn java(request: &PlainRequest) -> Result<PathBuf, ProjectError> {
    let home = env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/java"));
    let candidates = request.java.clone().into_iter().chain(home).chain(find_program("java"));
    let found = candidates.into_iter().find(|java| java.is_file());
    found.ok_or_else(|| ProjectError::ToolMissing { tool: "java".to_owned() })
}

/// The given class paths, in the copy where they lie in the project.
#[derive(Debug)]
struct Places {
    application: Vec<PathBuf>,
    tests: Vec<PathBuf>,
}

impl Places {
    fn resolve(request: &PlainRequest, workspace: &Workspace) -> Result<Self, ProjectError> {
        let resolve = |path: &PathBuf| {
            let real = fs::canonicalize(path)
                .map_err(|reason| ProjectError::Plain(format!("cannot read {}: {reason}", path.display())))?;
            Ok(workspace.in_copy(&real))
        };
        let resolve_all = |paths: &[PathBuf]| paths.iter().map(resolve).collect::<Result<_, ProjectError>>();
        Ok(Self {
            application: resolve_all(&request.class_path)?,
            tests: resolve_all(&request.test_class_path)?,
        })
    }

    fn class_path(&self) -> Vec<PathBuf> {
        self.tests.iter().chain(&self.application).cloned().collect()
    }

    /// Folders if there are any: then jars are libraries.
    fn own(places: &[PathBuf]) -> Vec<PathBuf> {
        let folders: Vec<PathBuf> = places.iter().filter(|place| place.is_dir()).cloned().collect();
        if folders.is_empty() { places.to_vec() } else { folders }
    }

    /// Test classes that match one of the patterns, or all, but each test once.
    fn chosen_tests(&self, patterns: &[String]) -> Vec<TestClass> {
        let classes = classes_in(&Self::own(&self.tests));
        let run_by_others = run_by_others(&classes);
        let is_meant = |class: &TestClass| match patterns {
            [] => !run_by_others.contains(&class.name),
            patterns => patterns.iter().any(|pattern| pattern::matches(pattern, &class.name)),
        };
        let is_test = |class: &TestClass| class.stands_alone && class.framework.is_some() && is_meant(class);
        classes.into_iter().filter(is_test).collect()
    }

    /// Says what to add if the framework's own runner is missing.
    fn check_runner(&self, framework: Framework) -> Result<(), ProjectError> {
        let (runner, missing) = match framework {
            Framework::JUnitPlatform => (
                "org/junit/platform/launcher/Launcher.class",
                "the tests use JUnit 5, but its launcher is missing: add junit-platform-launcher to --test-classpath",
            ),
            Framework::JUnit4 => (
                "junit/framework/TestCase.class",
                "the tests use JUnit, but it is missing: add its jar to --test-classpath",
            ),
            Framework::TestNg => (
                "org/testng/TestNG.class",
                "the tests use TestNG, but it is missing: add its jar to --test-classpath",
            ),
        };
        let is_there = self.class_path().iter().any(|entry| holds(entry, runner));
        if is_there { Ok(()) } else { Err(ProjectError::Plain(missing.to_owned())) }
    }

    fn configuration(
        &self,
        framework: Framework,
        test_classes: Vec<String>,
        java: PathBuf,
        workspace: &Workspace,
    ) -> RunConfiguration {
        RunConfiguration {
            name: format!("class path: {framework}"),
            java,
            jvm_arguments: vec!["-ea".into()],
            class_path: self.class_path(),
            system_properties: Vec::new(),
            environment: env::vars_os().collect(),
            working_folder: workspace.root.clone(),
            framework,
            filters: TestFilters::default(),
            test_classes,
            reported: Vec::new(),
            application: Self::own(&self.application),
            tests: Self::own(&self.tests),
            notes: Vec::new(),
        }
    }
}

fn holds(entry: &Path, file: &str) -> bool {
    if entry.is_dir() {
        return entry.join(file).is_file();
    }
    let archive = File::open(entry).ok().and_then(|jar| ZipArchive::new(BufReader::new(jar)).ok());
    archive.is_some_and(|archive| archive.index_for_name(file).is_some())
}
