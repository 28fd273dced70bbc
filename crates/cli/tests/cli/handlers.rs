//! `catchment handlers` on what javac makes.

use crate::support::{Program, assert_follows_schema, assert_schema_refuses, catchment};
use serde_json::Value;
use std::process::Output;

const HANDLERS: &str = r#"
public class Handlers {
    static void outer() throws Exception {
        try {
            try (AutoCloseable resource = () -> { }) {
                System.out.println(resource);
            } catch (IllegalStateException | IllegalArgumentException e) {
                System.out.println(e);
            }
        } catch (RuntimeException e) {
            System.out.println(e);
        } finally {
            System.out.println();
        }
    }
}
"#;

fn handlers(program: &Program, options: &[&str]) -> Output {
    catchment().arg("handlers").arg(&program.classes).args(options).output().unwrap()
}

#[test]
fn pairs_are_listed_and_compiler_made_handlers_only_counted() {
    let output = handlers(&Program::new("Handlers", HANDLERS), &[]);
    let expected = "\
Handlers.outer  Handlers.java:10  catch RuntimeException
Handlers.outer  Handlers.java:7  catch IllegalStateException | IllegalArgumentException
2 try-catch pairs in 1 class; 3 handlers filtered: 1 finally, 2 try-with-resources
";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn filtered_handlers_are_listed_on_request() {
    let output = handlers(&Program::new("Handlers", HANDLERS), &["--filtered"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.matches("  filtered: ").count(), 3, "{text}");
    assert!(text.contains("filtered: finally"), "{text}");
}

#[test]
fn json_follows_its_contract() {
    let output = handlers(&Program::new("Handlers", HANDLERS), &["--json"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_follows_schema("handlers", &json);
    assert_eq!(json["schema"], "catchment.handlers/1");
    let pairs = json["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 2);
    assert_eq!(pairs[0]["class"], "Handlers");
    assert_eq!(pairs[0]["method"], "outer");
    assert_eq!(pairs[0]["descriptor"], "()V");
    assert_eq!(pairs[0]["types"], serde_json::json!(["java.lang.RuntimeException"]));
    assert_eq!((&pairs[0]["try_line"], &pairs[0]["catch_line"]), (&5.into(), &10.into()));
    assert_eq!((&pairs[0]["try_end_line"], &pairs[0]["catch_end_line"]), (&9.into(), &11.into()));
    assert_eq!(pairs[0]["parent"], Value::Null);
    assert_eq!(pairs[1]["parent"], pairs[0]["id"]);
    assert_eq!(json["filtered"].as_array().unwrap().len(), 3);
    assert_eq!(json["problems"], serde_json::json!([]));
    for pointer in ["/schema", "/pairs/0/types", "/pairs/1/try_line", "/filtered/0", "/problems"] {
        assert_schema_refuses("handlers", &json, pointer, Value::from("other"));
    }
}
