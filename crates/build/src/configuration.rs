//! One way in which a build runs tests, complete enough to run them again without the build.

use crate::properties;
use catchment_classfile::TestFramework;
use catchment_protocol::conversation::Outcome;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

const JUNIT_PARALLEL: &str = "junit.jupiter.execution.parallel.enabled";

/// A Surefire or Failsafe execution, a Gradle `Test` task, or a given class path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunConfiguration {
    /// `core: surefire`, `:app:test`, `class path`.
    pub name: String,
    /// The Java that the build used.
    pub java: PathBuf,
    /// All that stood before the main class except the class path: module path, agents, `-D`; argument files expanded.
    pub jvm_arguments: Vec<OsString>,
    /// With the jars of the test framework and of the build tool's provider.
    pub class_path: Vec<PathBuf>,
    /// Properties that the build tool sets inside the JVM rather than on the command line.
    pub system_properties: Vec<(String, String)>,
    /// The whole environment, without our own part of `JAVA_TOOL_OPTIONS`.
    pub environment: Vec<(OsString, OsString)>,
    pub working_folder: PathBuf,
    pub framework: Framework,
    pub filters: TestFilters,
    /// In the order in which the build ran them.
    pub test_classes: Vec<String>,
    /// The result of each test in the build's own run; empty if the build was told to leave its tests out.
    pub reported: Vec<ReportedTest>,
    /// Class folders and jars of the application: the main outputs of all modules on the class path.
    pub application: Vec<PathBuf>,
    /// Class folders of the tests.
    pub tests: Vec<PathBuf>,
    /// Things that the build does and a worker does not: forks per class, parallel execution.
    pub notes: Vec<String>,
}

impl RunConfiguration {
    /// A folder of the copy that the class path names and that is gone, if no test class is left.
    pub(super) fn lost_classes(&self, root: &Path) -> Option<PathBuf> {
        let is_lost = |entry: &&PathBuf| entry.starts_with(root) && !entry.exists();
        self.class_path.iter().find(is_lost).filter(|_| self.tests.is_empty()).cloned()
    }

    /// Says so if JUnit would run tests at the same time.
    pub(super) fn note_parallel_tests(mut self) -> Self {
        let is_switch = |key: &str| key == JUNIT_PARALLEL;
        let mut given = self.filters.configuration_parameters.iter().chain(&self.system_properties);
        let by_properties = given.any(|(key, value)| is_switch(key) && value == "true");
        let argument = OsString::from(format!("-D{JUNIT_PARALLEL}=true"));
        let by_file = || {
            let files = self.class_path.iter().map(|entry| entry.join("junit-platform.properties"));
            let mut settings =
                files.filter_map(|file| fs::read(file).ok()).flat_map(|file| properties::parse(&file));
            settings.any(|(key, value)| is_switch(&key) && value.trim() == "true")
        };
        let is_parallel = by_properties || self.jvm_arguments.contains(&argument) || by_file();
        if self.framework == Framework::JUnitPlatform && is_parallel {
            self.notes.push(format!("{JUNIT_PARALLEL}: parallel execution is switched off for observation"));
        }
        self
    }

    /// Says so if TestNG was told more than classes.
    pub(super) fn note_suite_files(mut self) -> Self {
        let names = self.filters.suite_files.iter().filter_map(|file| file.file_name());
        let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
        if !names.is_empty() {
            let files = names.join(", ");
            self.notes.push(format!(
                "{files}: the classes of these suites run without the parameters, groups and listeners that the files set"
            ));
        }
        self
    }
}

/// The test framework that runs the tests. A class with tests of several is run by the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Framework {
    /// Runs jqwik, Spock 2 and Cucumber as well.
    JUnitPlatform,
    /// Runs JUnit 3 as well.
    JUnit4,
    TestNg,
}

impl Framework {
    /// The framework that runs tests of these conventions.
    pub(crate) fn that_runs(tests: TestFramework) -> Self {
        match tests {
            TestFramework::JUnit5 | TestFramework::Jqwik | TestFramework::Spock | TestFramework::Cucumber => {
                Self::JUnitPlatform
            }
            TestFramework::JUnit4 | TestFramework::JUnit3 | TestFramework::JUnitParams => Self::JUnit4,
            TestFramework::TestNg => Self::TestNg,
        }
    }
}

impl fmt::Display for Framework {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::JUnitPlatform => "JUnit Platform",
            Self::JUnit4 => "JUnit 4",
            Self::TestNg => "TestNG",
        })
    }
}

/// Tests of the test classes that the build leaves out, as it was told. Empty means: no limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestFilters {
    /// JUnit Platform: tag expressions. JUnit 4: category classes. TestNG: groups. A test needs one of them.
    pub included_groups: Vec<String>,
    pub excluded_groups: Vec<String>,
    /// JUnit Platform only.
    pub included_engines: Vec<String>,
    pub excluded_engines: Vec<String>,
    /// JUnit Platform only.
    pub configuration_parameters: Vec<(String, String)>,
    /// TestNG only: the suites to run instead of classes.
    pub suite_files: Vec<PathBuf>,
}

/// One `testcase` of an XML report. Names are as the build tool writes them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedTest {
    pub class: String,
    pub name: String,
    pub outcome: Outcome,
    pub millis: u64,
}
