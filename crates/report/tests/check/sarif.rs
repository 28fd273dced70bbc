//! SARIF: as a whole, by the schema of OASIS, and where viewers rely on more than that.

use crate::golden::compare;
use crate::sample::{project, suppressions};
use catchment_report::{CheckReport, SarifOptions, left_out_of_sarif, write_check_sarif};
use catchment_testkit::schema;
use catchment_verdicts::{CheckedPair, CheckedProject, FindingPolicy, Outcome};
use serde_json::{Value, json};

const USUAL: SarifOptions<'_> = SarifOptions { module: "", suppressed: false };

fn written(project: &CheckedProject, options: SarifOptions<'_>) -> Value {
    let policy = FindingPolicy { suppressions: &suppressions(), strict: false };
    let mut out = Vec::new();
    write_check_sarif(&mut out, &CheckReport::new(project, policy), options).expect("memory takes it");
    serde_json::from_slice(&out).expect("JSON")
}

/// Violations of the schema, and of what its errata add.
fn violations(log: &Value) -> Vec<String> {
    let mut found = schema::violations(&schema::sarif().expect("the schema is there"), log);
    let regions = all_at("region", log);
    found.extend(
        regions.iter().filter(|region| region["startLine"].is_null()).map(|region| region.to_string()),
    );
    found
}

/// All values of this name, however deep.
fn all_at<'a>(name: &str, value: &'a Value) -> Vec<&'a Value> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, value)| if key == name { vec![value] } else { all_at(name, value) })
            .collect(),
        Value::Array(items) => items.iter().flat_map(|item| all_at(name, item)).collect(),
        _ => Vec::new(),
    }
}

fn results(log: &Value) -> &Vec<Value> {
    log["runs"][0]["results"].as_array().expect("results")
}

#[test]
fn the_whole_file() {
    let log = written(&project(), SarifOptions { module: "core", suppressed: true });
    let mut pretty = serde_json::to_vec_pretty(&log).unwrap();
    pretty.push(b'\n');
    compare("check.sarif", &pretty);
}

#[test]
fn it_follows_the_schema_of_oasis() {
    for suppressed in [false, true] {
        let log = written(&project(), SarifOptions { module: "core", suppressed });
        assert_eq!(violations(&log), Vec::<String>::new());
    }
    assert_eq!(violations(&written(&CheckedProject::default(), USUAL)), Vec::<String>::new());
}

#[test]
fn the_schema_refuses_what_is_no_sarif() {
    let good = written(&project(), USUAL);
    for (pointer, value) in [
        ("/version", json!("2.0.0")),
        ("/runs/0/results/0/level", json!("bad")),
        ("/runs/0/results/0/message", json!({})),
        ("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri", json!("a b.java")),
        ("/runs/0/results/0/locations/0/physicalLocation/region", json!({"endLine": 3})),
        ("/runs/0/tool/driver/rules/0", json!({"name": "x"})),
        ("/runs/0/invocations/0", json!({"successful": true})),
    ] {
        let mut broken = good.clone();
        *broken.pointer_mut(pointer).expect(pointer) = value;
        assert_ne!(violations(&broken), Vec::<String>::new(), "{pointer}");
    }
}

#[test]
fn a_result_says_what_the_text_says() {
    let project = project();
    let suppressions = suppressions();
    let report = CheckReport::new(&project, FindingPolicy { suppressions: &suppressions, strict: false });
    let log = written(&project, USUAL);
    let found: Vec<_> =
        results(&log).iter().map(|result| result["message"]["text"].as_str().unwrap()).collect();
    let expected: Vec<_> =
        report.findings.open.iter().map(|finding| format!("{}.", finding.message)).collect();
    assert_eq!(found, expected);
}

#[test]
fn related_locations_and_rules_are_those_that_they_are_said_to_be() {
    let log = written(&project(), USUAL);
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    for result in results(&log) {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let ids: Vec<_> = all_at("relatedLocations", result).iter().flat_map(|it| all_at("id", it)).collect();
        let expected: Vec<_> = (1..=ids.len()).map(|id| json!(id)).collect();
        assert_eq!(ids, expected.iter().collect::<Vec<_>>());
    }
}

#[test]
fn accepted_findings_are_there_only_if_asked_for() {
    let accepted = |suppressed| {
        let log = written(&project(), SarifOptions { module: "", suppressed });
        results(&log).iter().filter(|result| !result["suppressions"].is_null()).count()
    };
    assert_eq!((accepted(false), accepted(true)), (0, 1));
}

#[test]
fn a_result_keeps_its_identity_when_lines_move() {
    let fingerprints = |project: &CheckedProject| -> Vec<Value> {
        results(&written(project, USUAL)).iter().map(|result| result["partialFingerprints"].clone()).collect()
    };
    let mut moved = project();
    for pair in &mut moved.pairs {
        let clause = &mut pair.clause;
        for line in [&mut clause.try_line, &mut clause.catch_line, &mut clause.catch_end_line] {
            *line = line.map(|line| line + 7);
        }
    }
    assert_eq!(fingerprints(&project()), fingerprints(&moved));
}

#[test]
fn no_more_results_than_github_keeps() {
    let mut project = project();
    let first = project.pairs[0].clone();
    project.pairs = (0..5_003).map(|number| with_id(number, &first)).collect();
    let report = CheckReport::new(&project, FindingPolicy::default());
    assert_eq!(left_out_of_sarif(&report, USUAL), 3);
    let log = written(&project, USUAL);
    assert_eq!(results(&log).len(), 5_000);
    // By rank, which is the order of the project where findings are alike.
    assert_eq!(results(&log)[4_999]["properties"]["pair"], "4999");
}

fn with_id(number: usize, pair: &CheckedPair) -> CheckedPair {
    let mut pair = pair.clone();
    pair.clause.id = number.to_string();
    pair
}

#[test]
fn names_and_failures_of_any_kind_make_a_valid_file() {
    let mut project = project();
    let pair = &mut project.pairs[0];
    pair.location.source = Some("core/src main/Ü#?%\u{202e}/Cache.java".into());
    pair.clause.method = "<init>\u{1b}[31m\n".into();
    pair.relies_on[0].what = "variable {0} [here](1)".into();
    let Outcome::Fail(failure) = &mut pair.experiments[4].outcome else { unreachable!() };
    failure.text = format!("a.E: {{1}} [x](2) {} at com.acme.CacheTest.corrupt:41", "y".repeat(100_000));
    let log = written(&project, USUAL);
    assert_eq!(violations(&log), Vec::<String>::new());
    let text = results(&log)[0]["message"]["text"].as_str().unwrap();
    assert!(text.contains("a.E: {{1}} [x] (2) yyy") && text.contains("variable {{0}} [here] (1)"), "{text}");
    assert!(text.len() < 2_000, "{}", text.len());
}

#[test]
fn a_clause_without_lines_or_file_has_no_region() {
    let mut project = project();
    let clause = &mut project.pairs[0].clause;
    (clause.try_line, clause.catch_line, clause.source_file) = (None, None, None);
    let log = written(&project, USUAL);
    let location = &results(&log)[0]["locations"][0];
    assert_eq!(
        location,
        &json!({"logicalLocations": [{"fullyQualifiedName": "com.acme.Cache.load", "kind": "function"}]})
    );
    assert_eq!(violations(&log), Vec::<String>::new());
}
