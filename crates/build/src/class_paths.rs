//! No build tool: classes and tests that the user names.

use crate::build_run::find_program;
use crate::configuration::{Framework, RunConfiguration, TestFilters};
use crate::test_class::{TestClass, classes_in};
use crate::test_suites::run_by_others;
use crate::workspace::Workspace;
use crate::{ClassPathRequest, Found, ProjectError};
use catchment_program::holds;
use catchment_protocol::pattern;
use std::env;
use std::fs;
use std::path::PathBuf;

/// One configuration per test framework that the tests need.
pub(super) fn configurations(
    request: &ClassPathRequest,
    workspace: &Workspace,
) -> Result<Found, ProjectError> {
    let places = ResolvedClassPaths::resolve(request, workspace)?;
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
    Ok(Found { configurations, problems: Vec::new(), is_whole: true, cut: None })
}

fn java(request: &ClassPathRequest) -> Result<PathBuf, ProjectError> {
    let home = env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/java"));
    let candidates = request.java.clone().into_iter().chain(home).chain(find_program("java"));
    let found = candidates.into_iter().find(|java| java.is_file());
    found.ok_or_else(|| ProjectError::ToolMissing { tool: "java".to_owned() })
}

/// The given class paths, in the copy where they lie in the project.
#[derive(Debug)]
struct ResolvedClassPaths {
    application: Vec<PathBuf>,
    tests: Vec<PathBuf>,
}

impl ResolvedClassPaths {
    fn resolve(request: &ClassPathRequest, workspace: &Workspace) -> Result<Self, ProjectError> {
        let resolve = |path: &PathBuf| {
            let real = fs::canonicalize(path).map_err(|reason| {
                ProjectError::ClassPath(format!("cannot read {}: {reason}", path.display()))
            })?;
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
        if is_there { Ok(()) } else { Err(ProjectError::ClassPath(missing.to_owned())) }
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
