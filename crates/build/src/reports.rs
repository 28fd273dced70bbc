//! Reports: the tests that a build ran, from the XML reports that Surefire and Gradle write, one file per class.

use crate::configuration::{ReportedTest, RunConfiguration};
use crate::workspace::Workspace;
use catchment_protocol::conversation::Outcome;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// One `TEST-*.xml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Report {
    /// The class that the build tool ran, if it names one.
    pub(super) suite: String,
    /// When the suite began; empty if the report does not say.
    pub(super) begun: String,
    pub(super) tests: Vec<ReportedTest>,
}

/// The reports in `folder` written since `since`, in the order in which they were written, and those that cannot be read.
pub(super) fn read_reports(folder: &Path, since: SystemTime) -> (Vec<Report>, Vec<String>) {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let written = entry.metadata().and_then(|metadata| metadata.modified());
        if let (true, Ok(written)) = (name.starts_with("TEST-") && name.ends_with(".xml"), written)
            && written >= since
        {
            files.push((written, entry.path()));
        }
    }
    files.sort();
    let (mut reports, mut problems) = (Vec::new(), Vec::new());
    for (_, path) in files {
        match File::open(&path).and_then(|file| read_report(BufReader::new(file))) {
            Ok(report) => reports.push(report),
            Err(error) => problems.push(format!("cannot read {}: {error}", path.display())),
        }
    }
    // Gradle writes all reports at the end, but with the time at which each began. The sort is stable.
    reports.sort_by(|one: &Report, other: &Report| one.begun.cmp(&other.begun));
    (reports, problems)
}

/// Folders of reports beside Maven's folder of test classes. Gradle's tests run in the build, which reports them anew.
const REPORTS: [&str; 2] = ["surefire-reports", "failsafe-reports"];

/// Milliseconds that the longest test took when the user built the project last, if that has left reports. The build of a
/// check leaves Maven's tests out.
pub fn earlier_longest_test(workspace: &Workspace, configuration: &RunConfiguration) -> Option<u64> {
    longest_reported_beside(workspace, &configuration.tests)
}

fn longest_reported_beside(workspace: &Workspace, tests: &[PathBuf]) -> Option<u64> {
    let outputs = tests.iter().filter_map(|folder| folder.parent());
    let outputs: BTreeSet<PathBuf> = outputs.map(|folder| workspace.in_original(folder)).collect();
    let folders = outputs.iter().flat_map(|output| REPORTS.map(|reports| output.join(reports)));
    let reports = folders.flat_map(|folder| read_reports(&folder, SystemTime::UNIX_EPOCH).0);
    reports.flat_map(|report| report.tests).map(|test| test.millis).max()
}

/// Streams the report: standard output of tests stands in it and can be large.
fn read_report(input: impl BufRead) -> io::Result<Report> {
    let mut reader = Reader::from_reader(input);
    let mut report = Report { suite: String::new(), begun: String::new(), tests: Vec::new() };
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        match reader.read_event_into(&mut buffer).map_err(io::Error::other)? {
            Event::Eof => return Ok(report),
            Event::Start(element) | Event::Empty(element) => report.element(&element),
            _ => {}
        }
    }
}

impl Report {
    fn element(&mut self, element: &BytesStart<'_>) {
        match element.name().as_ref() {
            "testsuite" if self.suite.is_empty() => {
                self.suite = attribute(element, "name").unwrap_or_default();
                self.begun = attribute(element, "timestamp").unwrap_or_default();
            }

            "testcase" => self.tests.push(test_case(element, &self.suite)),
            // Failures of earlier attempts have other names.
            "failure" | "error" => self.outcome(Outcome::Failed),
            "skipped" => self.outcome(Outcome::Skipped),
            _ => {}
        }
    }

    fn outcome(&mut self, outcome: Outcome) {
        if let Some(test) = self.tests.last_mut() {
            test.outcome = outcome;
        }
    }
}

fn test_case(element: &BytesStart<'_>, suite: &str) -> ReportedTest {
    let class = attribute(element, "classname").unwrap_or_else(|| suite.to_owned());
    ReportedTest {
        // Surefire appends the suffix of the report's name.
        class: class.split('(').next().unwrap_or_default().to_owned(),
        name: attribute(element, "name").unwrap_or_default(),
        outcome: Outcome::Passed,
        millis: attribute(element, "time").map_or(0, |time| millis(&time)),
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok()??;
    let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
    Some(value.into_owned())
}

/// `1,234.56` seconds; the comma is Surefire's.
fn millis(time: &str) -> u64 {
    let seconds: f64 = time.replace(',', "").parse().unwrap_or(0.0);
    (seconds.max(0.0) * 1000.0).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(class: &str, name: &str, outcome: Outcome, millis: u64) -> ReportedTest {
        ReportedTest { class: class.into(), name: name.into(), outcome, millis }
    }

    #[test]
    fn outcomes_names_and_times_are_read() {
        let xml = r#"<?xml version="1.0" encoding="UTF-8"?>
            <testsuite name="a.BTest" tests="5"><properties><property name="x" value="y"/></properties>
            <testcase name="good" classname="a.BTest" time="1,234.5"/>
            <testcase name="with &quot;quotes&quot; &lt;&#228;&gt;" classname="a.BTest" time="0.001">
              <system-out><![CDATA[<testcase name="no"/> <failure/>]]></system-out></testcase>
            <testcase name="bad" classname="a.BTest"><failure message="m" type="T">trace</failure></testcase>
            <testcase name="worse" classname="a.BTest(suffix)"><error/><system-err>x</system-err></testcase>
            <testcase name="none" classname="a.B$CTest" time="0"><skipped/></testcase>
            <testcase name="flaky" time="0"><flakyFailure type="T"/></testcase>
            </testsuite>"#;
        let report = read_report(xml.as_bytes()).unwrap();
        assert_eq!(report.suite, "a.BTest");
        let expected = [
            test("a.BTest", "good", Outcome::Passed, 1_234_500),
            test("a.BTest", "with \"quotes\" <\u{e4}>", Outcome::Passed, 1),
            test("a.BTest", "bad", Outcome::Failed, 0),
            test("a.BTest", "worse", Outcome::Failed, 0),
            test("a.B$CTest", "none", Outcome::Skipped, 0),
            test("a.BTest", "flaky", Outcome::Passed, 0),
        ];
        assert_eq!(report.tests, expected);
    }

    #[test]
    fn the_longest_test_of_the_users_own_build_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::of(folder.path());
        let tests =
            [workspace.root.join("core/target/test-classes"), workspace.root.join("target/test-classes")];
        assert_eq!(longest_reported_beside(&workspace, &tests), None);
        for (file, seconds) in [
            ("target/surefire-reports/TEST-a.ATest.xml", "12.5"),
            ("core/target/failsafe-reports/TEST-a.BIT.xml", "200"),
            ("other/target/surefire-reports/TEST-a.CTest.xml", "999"),
        ] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let xml = format!("<testsuite name='a'><testcase name='t' time='{seconds}'/></testsuite>");
            fs::write(path, xml).unwrap();
        }
        assert_eq!(longest_reported_beside(&workspace, &tests), Some(200_000));
    }

    #[test]
    fn reports_come_as_they_were_written_and_old_ones_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let since = SystemTime::now() - std::time::Duration::from_secs(60);
        let seconds = std::time::Duration::from_secs;
        for (name, time) in
            [("TEST-a.xml", since + seconds(9)), ("TEST-b.xml", since), ("TEST-old.xml", since - seconds(1))]
        {
            let path = folder.path().join(name);
            fs::write(&path, format!("<testsuite name=\"{name}\"/>")).unwrap();
            File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
        }
        fs::write(folder.path().join("TEST-cut.xml"), "<testsuite name=\"").unwrap();
        fs::write(folder.path().join("a.txt"), "").unwrap();
        let (reports, problems) = read_reports(folder.path(), since);
        let suites: Vec<_> = reports.iter().map(|report| report.suite.as_str()).collect();
        assert_eq!(suites, ["TEST-b.xml", "TEST-a.xml"]);
        assert!(problems.len() == 1 && problems[0].contains("TEST-cut.xml"), "{problems:?}");
    }
}
