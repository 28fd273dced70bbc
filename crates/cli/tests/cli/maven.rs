//! A build tool between us and the tested JVM.

use crate::support::{catchment, copy_folder, error_text};
use catchment_testkit::workspace::root;
use serde_json::Value;
use std::fs;

/// Maven's own JVM, and the one Surefire forks for the tests: only the second loads classes of the project.
#[test]
fn the_tests_of_a_maven_project_are_watched_without_touching_its_build() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("orders");
    copy_folder(&root().join("examples/demo"), &project);
    let report = folder.path().join("report.json");
    let output = catchment()
        .args(["watch", "--json", "--output"])
        .arg(&report)
        .args(["--", "mvn", "--batch-mode", "--quiet", "test"])
        .current_dir(&project)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", error_text(&output));
    let report: Value = serde_json::from_str(&fs::read_to_string(&report).unwrap()).unwrap();
    let jvms = report["jvms"].as_array().unwrap();
    assert_eq!(jvms.len(), 1, "{jvms:#?}");
    let pairs = report["pairs"].as_array().unwrap();
    let of_parser =
        |pair: &&Value| pair["class"] == "com.acme.orders.OrderParser" && pair["method"] == "parse";
    let parse = pairs.iter().find(of_parser).expect("the parser is tested");
    assert!(parse["usages"]["white"].as_u64().unwrap() > 0, "{parse:#}");
    assert_eq!(report["problems"].as_array().unwrap().len(), 0, "{:#}", report["problems"]);
}
