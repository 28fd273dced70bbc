//! `catchment.stretch/1`: as a whole, and by its schema.

use crate::golden::compare;
use crate::sample::{only, patched, stretched};
use catchment_lab::Stretched;
use catchment_report::write_stretch_json;
use catchment_testkit::schema;
use serde_json::{Value, json};

fn written(stretched: &Stretched) -> Value {
    let mut out = Vec::new();
    write_stretch_json(&mut out, stretched).expect("memory takes it");
    assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 1, "one line");
    serde_json::from_slice(&out).expect("JSON")
}

fn violations(value: &Value) -> Vec<String> {
    schema::violations(&schema::schema("stretch").expect("the schema is there"), value)
}

#[test]
fn the_whole_answer() {
    let mut pretty = serde_json::to_vec_pretty(&written(&stretched())).unwrap();
    pretty.push(b'\n');
    compare("stretch.json", &pretty);
}

#[test]
fn it_follows_its_schema() {
    for stretched in [stretched(), patched(), only(|_| false)] {
        assert_eq!(violations(&written(&stretched)), Vec::<String>::new());
    }
}

#[test]
fn the_schema_refuses_what_is_not_the_contract() {
    let good = written(&patched());
    for (pointer, value) in [
        ("/schema", json!("catchment.stretch/2")),
        ("/together", json!("perhaps")),
        ("/clauses/0/pair", json!(1)),
        ("/clauses/0/accepted/case", json!("C")),
        ("/clauses/0/accepted/tests", json!(-1)),
        ("/clauses/3/refused/0/why", json!("bad_luck")),
        ("/clauses/3/refused/0", json!({"to": null})),
        ("/patch/diff", json!(null)),
    ] {
        let mut broken = good.clone();
        *broken.pointer_mut(pointer).unwrap() = value;
        assert_ne!(violations(&broken), Vec::<String>::new(), "{pointer}");
    }
}

#[test]
fn the_patch_comes_with_what_has_tried_it() {
    let json = written(&patched());
    assert_eq!(json["patch"]["tests"], 12);
    assert_eq!(json["patch"]["files"], json!(["src/main/java/com/acme/Cache.java"]));
    assert!(json["patch"]["diff"].as_str().unwrap().contains("\n+} catch (IOException e) {\n"));
    assert!(written(&stretched())["patch"].is_null());
}
