//! Joins the JVMs of each execution of Surefire and Failsafe with its reports to one configuration.

use crate::class_folders::split_class_path;
use crate::configuration::{Framework, ReportedTest, RunConfiguration};
use crate::maven::log::{self as maven_log, LoggedExecution};
use crate::maven::pom::Pom;
use crate::maven::surefire::SurefireJvm;
use crate::reports::{Report, read_reports};
use crate::test_class::{is_run_alone, with_tests};
use catchment_watch::Problem;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

#[derive(Debug)]
pub(super) struct Executions {
    /// The JVMs of each, the first to start first.
    groups: Vec<Vec<SurefireJvm>>,
    logged: Vec<LoggedExecution>,
}

impl Executions {
    /// JVMs in order of start.
    pub(super) fn of(jvms: Vec<SurefireJvm>, log: &str) -> Self {
        let mut groups: Vec<Vec<SurefireJvm>> = Vec::new();
        for jvm in jvms {
            match groups.iter_mut().find(|group| group[0].execution == jvm.execution) {
                Some(group) => group.push(jvm),
                None => groups.push(vec![jvm]),
            }
        }
        Self { groups, logged: maven_log::executions(log) }
    }

    pub(super) fn configurations(
        &mut self,
        root: &Path,
        since: SystemTime,
        problems: &mut Vec<Problem>,
    ) -> Vec<RunConfiguration> {
        let names = self.names();
        let mut configurations = Vec::new();
        for (group, name) in self.groups.drain(..).zip(names) {
            let (reports, unreadable) = read_reports(&group[0].reports, since);
            problems.extend(unreadable.into_iter().map(|what| Problem { place: name.clone(), what }));
            configurations.extend(configuration(name, group, &reports, root));
        }
        configurations
    }

    /// `core: surefire (default-test)`; the id only if the log has it for sure.
    fn names(&self) -> Vec<String> {
        let described: Vec<(PathBuf, &str)> = self.groups.iter().map(|group| describe(&group[0])).collect();
        let mut names: Vec<String> = Vec::new();
        for (index, (module, plugin)) in described.iter().enumerate() {
            let artifact = module_name(module);
            let alike = |position: &usize| described[*position] == described[index];
            let total = (0..described.len()).filter(alike).count();
            let own = (0..index).filter(alike).count();
            let logged: Vec<_> = self
                .logged
                .iter()
                .filter(|each| each.plugin == *plugin && each.artifact == artifact)
                .collect();
            let id = match logged.get(own) {
                Some(execution) if logged.len() == total => format!(" ({})", execution.id),
                _ if total > 1 => format!(" ({})", own + 1),
                _ => String::new(),
            };
            names.push(format!("{artifact}: {plugin}{id}"));
        }
        names
    }
}

/// Module and plugin.
fn describe(jvm: &SurefireJvm) -> (PathBuf, &'static str) {
    let module = jvm.test_classes.ancestors().find(|folder| folder.join("pom.xml").is_file());
    let is_failsafe = jvm.reports.to_string_lossy().contains("failsafe");
    (module.unwrap_or(&jvm.working_folder).to_owned(), if is_failsafe { "failsafe" } else { "surefire" })
}

/// The artifact in this folder, or else the folder's name.
pub(super) fn module_name(folder: &Path) -> String {
    let artifact = Pom::in_folder(folder).map(|pom| pom.artifact).filter(|artifact| !artifact.is_empty());
    artifact.unwrap_or_else(|| folder.file_name().unwrap_or_default().to_string_lossy().into_owned())
}

/// `None` when the execution has no tests.
fn configuration(
    name: String,
    group: Vec<SurefireJvm>,
    reports: &[Report],
    root: &Path,
) -> Option<RunConfiguration> {
    let jvms = group.len();
    let first = group.into_iter().next()?;
    let mut tests = TestsOfExecution::of(&first.scanned, reports);
    if reports.is_empty() && first.framework == Framework::JUnit4 {
        // Surefire's own filter works in the test JVM; for the other frameworks a class without tests is no error.
        tests.classes = with_tests(tests.classes, &first.test_classes);
    }
    let mut notes = first.notes;
    if jvms > 1 {
        notes.push(format!("the build used {jvms} JVMs for these tests; here one JVM runs them all"));
    }
    let (application, test_folders) =
        split_class_path(&first.class_path, &first.jvm_arguments, &[first.test_classes], root);
    (!tests.classes.is_empty()).then_some(RunConfiguration {
        name,
        java: first.java,
        jvm_arguments: first.jvm_arguments,
        class_path: first.class_path,
        system_properties: first.system_properties,
        environment: first.environment,
        working_folder: first.working_folder,
        framework: first.framework,
        filters: first.filters,
        test_classes: tests.classes,
        reported: tests.reported,
        application,
        tests: test_folders,
        notes,
    })
}

/// What of a folder of reports belongs to one execution.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TestsOfExecution {
    pub(super) classes: Vec<String>,
    pub(super) reported: Vec<ReportedTest>,
}

impl TestsOfExecution {
    /// `scanned` are the classes the execution was to run, if known. Two executions may share a folder.
    pub(super) fn of(scanned: &[String], reports: &[Report]) -> Self {
        let known: HashSet<&str> = scanned.iter().map(String::as_str).collect();
        let mut classes: Vec<String> = Vec::new();
        let mut reported = Vec::new();
        let mut has_unknown = false;
        for report in reports {
            let names = || {
                std::iter::once(report.suite.as_str())
                    .chain(report.tests.iter().map(|test| test.class.as_str()))
            };
            let found: Vec<&str> = if known.is_empty() {
                classes_named_by(report)
            } else {
                names().find_map(|name| known_class(&known, name)).into_iter().collect()
            };
            if found.is_empty() {
                has_unknown |= !report.tests.is_empty();
                continue;
            }
            reported.extend(report.tests.iter().cloned());
            for class in found.into_iter().filter(|_| !report.tests.is_empty()) {
                if !classes.iter().any(|known| known == class) {
                    classes.push(class.to_owned());
                }
            }
        }
        if classes.is_empty() || has_unknown {
            // Suites report under other names than their own, and so do phrased reports: ask all classes.
            let more = scanned.iter().filter(|class| !classes.contains(class)).cloned().collect::<Vec<_>>();
            classes.extend(more);
        }
        Self { classes, reported }
    }
}

impl TestsOfExecution {
    /// Gradle runs every class it finds, so a report names what was run. But JUnit runs an inner class with its outer one.
    pub(super) fn reported_by_gradle(reports: &[Report], framework: Framework, folders: &[PathBuf]) -> Self {
        let mut classes: Vec<String> = Vec::new();
        for report in reports.iter().filter(|report| !report.tests.is_empty()) {
            let mut class = report.suite.as_str();
            while framework == Framework::JUnitPlatform && !is_run_alone(class, folders) {
                let Some((outer, _)) = class.rsplit_once('$') else { break };
                class = outer;
            }
            if !classes.iter().any(|known| known == class) {
                classes.push(class.to_owned());
            }
        }
        Self { classes, reported: reports.iter().flat_map(|report| report.tests.clone()).collect() }
    }
}

/// A report is named after its class, but TestNG's after the suite when it was given suites.
fn classes_named_by(report: &Report) -> Vec<&str> {
    let suite = outermost(&report.suite);
    let of_tests: Vec<&str> = report.tests.iter().map(|test| outermost(&test.class)).collect();
    let is_class = of_tests.is_empty() || of_tests.contains(&suite);
    let classes = if is_class { vec![suite] } else { of_tests };
    classes.into_iter().filter(|class| !class.is_empty()).collect()
}

/// The scanned class that a reported name belongs to: itself, or the class it is nested in.
fn known_class<'a>(known: &HashSet<&'a str>, name: &str) -> Option<&'a str> {
    let own = known.get(name);
    own.or_else(|| known.get(outermost(name))).copied()
}

fn outermost(class: &str) -> &str {
    class.split_once('$').map_or(class, |(outer, _)| outer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_protocol::conversation::Outcome;

    fn report(suite: &str, classes: &[&str]) -> Report {
        let test = |class: &&str| ReportedTest {
            class: class.to_string(),
            name: "test".into(),
            outcome: Outcome::Passed,
            millis: 1,
        };
        Report { suite: suite.into(), begun: String::new(), tests: classes.iter().map(test).collect() }
    }

    fn classes_of(scanned: &[&str], reports: &[Report]) -> (Vec<String>, usize) {
        let scanned: Vec<String> = scanned.iter().map(|class| class.to_string()).collect();
        let tests = TestsOfExecution::of(&scanned, reports);
        (tests.classes, tests.reported.len())
    }

    #[test]
    fn classes_come_in_the_order_of_the_reports_and_those_without_tests_not_at_all() {
        let reports = [report("a.Two", &["a.Two"]), report("a.One$In", &["a.One$In"]), report("a.One", &[])];
        let (classes, tests) = classes_of(&["a.One", "a.Two", "a.Abstract"], &reports);
        assert_eq!((classes, tests), (vec!["a.Two".to_owned(), "a.One".to_owned()], 2));
    }

    #[test]
    fn reports_of_another_execution_are_not_counted() {
        let reports = [report("a.One", &["a.One"]), report("a.OtherIT", &["a.OtherIT", "a.OtherIT"])];
        assert_eq!(classes_of(&["a.One"], &reports), (vec!["a.One".to_owned()], 1));
    }

    #[test]
    fn classes_that_report_under_other_names_are_asked_too() {
        let reports = [report("All good things", &["All good things"])];
        assert_eq!(
            classes_of(&["a.One", "a.Two"], &reports),
            (vec!["a.One".to_owned(), "a.Two".to_owned()], 0)
        );
        assert_eq!(classes_of(&[], &[report("a.One$In", &["a.One$In"])]), (vec!["a.One".to_owned()], 1));
    }
}
