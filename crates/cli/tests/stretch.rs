//! `catchment stretch` on the fixtures: what every clause may catch, and why not more, as worked out by hand.

use catchment_testkit::check::{CheckProject, Framework, Snapshot, differences};
use catchment_testkit::{fixtures, schema, stretch};
use std::fs;

/// `stretch_patch.rs` has the tests of these.
const IN_PATCH: &[&str] = &["patched", "kotlin"];

fixtures! {
    matches_expectations:
    clauses: "clauses", &[];
    exception: "exception", &["--to=Exception"];
    interrupted: "interrupted", &[];
}

#[test]
fn every_fixture_in_the_folder_has_its_test() {
    for fixture in fs::read_dir(stretch::folder()).expect("fixtures") {
        let name = fixture.expect("fixture").file_name().into_string().expect("a plain name");
        assert!(LISTED.contains(&name.as_str()) || IN_PATCH.contains(&name.as_str()), "{name}");
    }
}

fn matches_expectations(name: &str, arguments: &[&str]) {
    let fixture = stretch::folder().join(name);
    let project = CheckProject::of_fixture(&fixture, Framework::JUnit5).expect("fixture compiles");
    let expected = stretch::expected(name).expect("expected file");
    let before = Snapshot::of(project.folder()).expect("snapshot");

    let answer = project.stretch(arguments).expect("stretch");

    let after = Snapshot::of(project.folder()).expect("snapshot");
    assert_none(&before.changes(&after), "files of the user");
    assert_none(&project.marker.left_over(), "processes left behind");
    assert_none(&project.left_in_temporary().expect("temporary folder"), "temporary files left behind");
    assert_none(&differences(&expected, &stretch::facts(&answer)), name);
    let schema = schema::schema("stretch").expect("the schema is there");
    assert_none(&schema::violations(&schema, &answer), "what does not follow the schema");
    assert_eq!(answer["together"], true, "the suite has passed with all of them");
    assert!(answer["patch"].is_null(), "none was asked for");
}

fn assert_none(lines: &[String], what: &str) {
    assert!(lines.is_empty(), "{what}:\n  {}", lines.join("\n  "));
}
