//! The suites of `xtask/suites.toml`: libraries with the tests that they publish.

use crate::list;
use anyhow::{Result, bail};
use catchment_testkit::jdk::Jdk;
use catchment_testkit::unpacked::unpacked;
use catchment_testkit::{maven, pinned, workspace};
use serde::Deserialize;
use std::env::join_paths;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SuiteList {
    suite: Vec<Suite>,
}

/// One entry of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Suite {
    pub(super) name: String,
    library: String,
    tests: String,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    opens: Vec<String>,
    #[serde(default)]
    packages: Vec<String>,
}

/// A suite whose jars are here.
#[derive(Debug)]
pub(super) struct Prepared {
    /// The library's classes, its tests, and then what they need.
    pub(super) class_path: Vec<PathBuf>,
    opens: Vec<String>,
    packages: Vec<String>,
}

/// The suites of these names, or all if there are no names.
pub(super) fn chosen(names: &[String]) -> Result<Vec<Suite>> {
    let SuiteList { suite: suites } = list::read(&workspace::root().join("xtask/suites.toml"))?;
    list::chosen(suites, |suite| &suite.name, names)
}

impl Suite {
    /// Fetches and unpacks what is not yet there. Only class folders are watched, so the library and its tests become
    /// some.
    pub(super) fn prepare(&self) -> Result<Prepared> {
        let jars = maven::resolve(&[&self.library, &self.tests, pinned::JUNIT_CONSOLE])?;
        let [library, tests, console] = jars.as_slice() else { bail!("three coordinates are three files") };
        let needs: Vec<&str> = self.needs.iter().map(String::as_str).collect();
        let needed = maven::resolve_with_dependencies(&needs)?;
        let mut class_path = vec![unpacked(library)?, unpacked(tests)?, console.clone()];
        class_path.extend(needed.into_iter().filter(|jar| !self.is_there_already(jar)));
        Ok(Prepared { class_path, opens: self.opens.clone(), packages: self.packages.clone() })
    }

    /// The library must not come a second time, nor JUnit in another version.
    fn is_there_already(&self, jar: &Path) -> bool {
        let name = jar.file_name().unwrap_or_default().to_string_lossy();
        let library = self.library.split(':').nth(1).unwrap_or_default();
        let is_junit = name.starts_with("junit-") && !name.starts_with("junit-pioneer");
        is_junit || name.strip_prefix(library).is_some_and(|rest| rest.starts_with('-'))
    }
}

impl Prepared {
    /// The command that runs the tests. It may exit with an error: tests that fail show links too.
    pub(super) fn suite(&self, jdk: &Jdk) -> Result<Command> {
        let mut command = jdk.command("java");
        command.args(self.opens.iter().map(|package| format!("--add-opens=java.base/{package}=ALL-UNNAMED")));
        command.arg("-cp").arg(join_paths(&self.class_path)?);
        command.args(["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner"]);
        command.args(["--details=summary", "--include-classname=.*Test"]);
        if self.packages.is_empty() {
            command.arg(format!("--scan-classpath={}", self.class_path[1].display()));
        }
        command.args(self.packages.iter().map(|package| format!("--select-package={package}")));
        Ok(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_of_the_list_is_complete() {
        let suites = chosen(&[]).unwrap();
        assert!(suites.len() >= 5, "{suites:?}");
        for suite in suites {
            assert!(!suite.library.is_empty() && suite.tests.ends_with(":tests"), "{suite:?}");
        }
        assert!(toml::from_str::<Suite>("name = 'a'\nlibrary = 'b'\ntests = 'c'\nneed = []").is_err());
    }

    #[test]
    fn the_library_itself_does_not_come_with_what_its_tests_need() {
        let suite = Suite { library: "g:commons-io:1".to_owned(), ..Suite::default() };
        let is_there = |jar: &str| suite.is_there_already(Path::new(jar));
        assert!(is_there("x/commons-io-2.jar") && is_there("x/junit-jupiter-api-5.jar"));
        assert!(!is_there("x/commons-iota-2.jar") && !is_there("x/junit-pioneer-2.jar"));
    }
}
