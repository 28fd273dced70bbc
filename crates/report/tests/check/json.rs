//! `catchment.check/1`: as a whole, by its schema, and word by word where others rely on it.

use crate::golden::compare;
use crate::sample::{project, suppressions};
use catchment_report::{CheckReport, write_check_json};
use catchment_testkit::schema;
use catchment_verdicts::{CheckedProject, FindingPolicy, Rule};
use serde_json::{Value, json};

fn written(project: &CheckedProject) -> Value {
    let policy = FindingPolicy { suppressions: &suppressions(), strict: false };
    let mut out = Vec::new();
    write_check_json(&mut out, &CheckReport::new(project, policy)).expect("memory takes it");
    assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 1, "one line");
    serde_json::from_slice(&out).expect("JSON")
}

fn violations(value: &Value) -> Vec<String> {
    schema::violations(&schema::schema("check").expect("the schema is there"), value)
}

#[test]
fn the_whole_answer() {
    let mut pretty = serde_json::to_vec_pretty(&written(&project())).unwrap();
    pretty.push(b'\n');
    compare("check.json", &pretty);
}

#[test]
fn it_follows_its_schema() {
    assert_eq!(violations(&written(&project())), Vec::<String>::new());
    assert_eq!(violations(&written(&CheckedProject::default())), Vec::<String>::new());
}

#[test]
fn every_rule_is_in_the_schema() {
    let schema = schema::schema("check").expect("the schema is there");
    let ids: Vec<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
    assert_eq!(schema.pointer("/$defs/finding/properties/rule/enum"), Some(&json!(ids)));
}

#[test]
fn the_schema_refuses_what_is_not_the_contract() {
    let good = written(&project());
    let broken = |pointer: &str, value: Value| {
        let mut broken = good.clone();
        *broken.pointer_mut(pointer).unwrap() = value;
        violations(&broken)
    };
    for (pointer, value) in [
        ("/schema", json!("catchment.check/2")),
        ("/tests/total", json!("many")),
        ("/pairs/0/source_independence", json!("perhaps")),
        ("/pairs/0/usages", json!({"pink": 1})),
        ("/pairs/0/experiments/0/outcome", json!("failed")),
        ("/set_aside/0", json!([])),
        ("/stats/wall_seconds", json!(null)),
    ] {
        assert_ne!(broken(pointer, value), Vec::<String>::new(), "{pointer}");
    }
}

#[test]
fn every_reason_of_an_unknown_verdict_is_there_and_the_first_one_apart() {
    let json = written(&project());
    let pairs = json["pairs"].as_array().unwrap();
    let mut most = 0;
    for (pair, contract) in
        pairs.iter().flat_map(|pair| [(pair, "source_independence"), (pair, "pure_resilience")])
    {
        let reasons = pair["reasons_unknown"][contract].as_array().unwrap();
        assert_eq!(reasons.first().unwrap_or(&Value::Null), &pair["why_unknown"][contract]);
        assert!(pair[contract] == "unknown" || reasons.is_empty(), "{pair}");
        most = most.max(reasons.len());
    }
    assert!(most > 1, "the sample has one with several");
}

/// The fields of the contract, which other programs rely on.
#[test]
fn the_words_of_the_contract_are_there() {
    let json = written(&project());
    assert_eq!(json["schema"], "catchment.check/1");
    for field in ["total", "red", "flaky", "pink", "white", "blue"] {
        assert!(json["tests"][field].is_u64(), "{field}");
    }
    assert_eq!(json["set_aside"][0]["test"], "com.acme.CacheTest.broken");
    assert_eq!(json["set_aside"][0]["why"], "red");
    let pair = &json["pairs"][0];
    assert_eq!(pair["usages"], json!({"pink": 4, "white": 2, "blue": 1, "open": 0}));
    assert_eq!(pair["source_independence"], "dependent");
    assert_eq!(pair["pure_resilience"], "not_resilient");
    assert_eq!(pair["decided_by"], "short_circuit");
    assert!(pair["advice"].is_string());
    let experiment = &pair["experiments"][0];
    for (field, value) in [("test", "com.acme.CacheTest.corrupt"), ("type", "java.io.IOException")] {
        assert_eq!(experiment[field], value);
    }
    assert_eq!((&experiment["mode"], &experiment["outcome"]), (&json!("short_circuit"), &json!("fail")));
    assert_eq!(experiment["fired"], 2);
    for field in ["experiments", "test_seconds", "wall_seconds", "fresh_jvm_experiments"] {
        assert!(json["stats"][field].is_number(), "{field}");
    }
    assert_eq!(json["problems"][0]["where"], "com.acme.Huge");
}
