//! `catchment links --seen` on recordings written by hand.

use crate::support::{Program, assert_follows_schema, assert_schema_refuses, catchment, error_text};
use catchment_testkit::jdk;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::Output;

const LOADER: &str = r#"public class Loader {
    static class Wrong extends Exception { }
    public static class Plugin implements Runnable {
        public void run() {
            throw new IllegalStateException();
        }
    }
    static void check(int count) throws Wrong {
        if (count == 0) throw new Wrong();
    }
    public static void main(String[] arguments) throws Exception {
        try {
            check(arguments.length);
        } catch (Wrong e) {
            System.out.println(e);
        }
        Class<?> named = Class.forName(arguments.length > 0 ? arguments[0] : System.getenv("PLUGIN"));
        Runnable plugin = (Runnable) named.getConstructor().newInstance();
        try {
            plugin.run();
        } catch (IllegalStateException e) {
            System.out.println(e);
        }
    }
}
"#;

/// Both exceptions of a run with the plugin, at the places that javac gives them.
fn recording() -> Value {
    let method = |class: &str, method: &str, descriptor: &str| json!({"class": class, "method": method, "descriptor": descriptor});
    let frame = |method: usize, pc: i32| json!({"method": method, "pc": pc});
    json!({
        "schema": "catchment.seen/1",
        "methods": [
            method("Loader", "main", "([Ljava/lang/String;)V"),
            method("Loader", "check", "(I)V"),
            method("Loader$Plugin", "run", "()V"),
            method("Loader$Plugin", "<init>", "()V"),
        ],
        "caught": [
            {"exception": "Loader$Wrong", "frames": [frame(1, 11), frame(0, 2)], "handler_pc": 8, "after": null},
            {"exception": "java.lang.IllegalStateException", "frames": [frame(2, 7), frame(0, 56)], "handler_pc": 64, "after": null},
        ],
        "reflective": [],
        "problems": [],
    })
}

fn with_targets() -> Value {
    let mut recording = recording();
    recording["reflective"] = json!([{"caller": 0, "target": 3}]);
    recording
}

fn write(program: &Program, name: &str, recording: &Value) -> PathBuf {
    let file = program.folder.path().join(name);
    fs::write(&file, recording.to_string()).unwrap();
    file
}

fn links(program: &Program, options: &[&str], recordings: &[&PathBuf]) -> Output {
    let mut command = catchment();
    command.env("JAVA_HOME", jdk::installed(17).unwrap().home()).arg("links");
    command.arg("--classpath").arg(&program.classes).args(["--entry", "Loader"]).args(options);
    for recording in recordings {
        command.arg("--seen").arg(recording);
    }
    command.output().unwrap()
}

fn text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", error_text(output));
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    // How much was reached depends on the JDK.
    text.lines()
        .filter(|line| !line.contains(" calls reached in "))
        .map(|line| line.to_owned() + "\n")
        .collect()
}

#[test]
fn links_of_runs_are_marked_and_those_that_are_not_found_have_a_reason() {
    let program = Program::new("Loader", LOADER);
    let file = write(&program, "seen.json", &recording());
    let expected = "\
Loader.main  Loader.java:14  catch Loader$Wrong
         #1  throw        Loader.check  Loader.java:9  Loader$Wrong  (seen)
1 link into 1 of 2 catch clauses (inpta); nothing found for 1 other (--all)
E: 2 links seen in runs, 1 of them found (50.0 %); coverage 1 of 1 link (100.0 %)
not found: 1 (1 call on an object that nothing is known to make)
  throw        Loader$Plugin.run  Loader.java:5  IllegalStateException
    comes to  Loader.main  Loader.java:21  catch IllegalStateException
    call on an object that nothing is known to make: Loader.main  Loader.java:20  calls Loader$Plugin.run
";
    assert_eq!(text(&links(&program, &[], &[&file])), expected);
}

#[test]
fn targets_that_runs_have_shown_are_followed_and_recordings_add_up() {
    let program = Program::new("Loader", LOADER);
    let mut targets = with_targets();
    targets["caught"] = json!([]);
    let files = [write(&program, "links.json", &recording()), write(&program, "targets.json", &targets)];
    let expected = "\
Loader.main  Loader.java:14  catch Loader$Wrong
         #1  throw        Loader.check  Loader.java:9  Loader$Wrong  (seen)
Loader.main  Loader.java:21  catch IllegalStateException
         #2  throw        Loader$Plugin.run  Loader.java:5  IllegalStateException  (seen)
2 links into 2 of 2 catch clauses (inpta)
E: 2 links seen in runs, 2 of them found (100.0 %); coverage 2 of 2 links (100.0 %)
";
    assert_eq!(text(&links(&program, &[], &[&files[0], &files[1]])), expected);
    let by_trigger = text(&links(&program, &["--by", "trigger"], &[&files[0], &files[1]]));
    assert!(
        by_trigger.contains(
            "#2  Loader.main  Loader.java:21  catch IllegalStateException  IllegalStateException  (seen)"
        ),
        "{by_trigger}"
    );
}

#[test]
fn the_comparison_is_in_the_json() {
    let program = Program::new("Loader", LOADER);
    let file = write(&program, "seen.json", &recording());
    let ask = |options: &[&str]| -> Value {
        let output = links(&program, options, &[&file]);
        let json = serde_json::from_slice(&output.stdout).unwrap();
        assert_follows_schema("links", &json);
        json
    };
    let json = ask(&["--json"]);
    let experienced = &json["experienced"];
    assert_eq!(json["links"][0]["seen"], true);
    assert_eq!(
        (&experienced["links"], &experienced["found"], &experienced["coverage"]),
        (&json!(2), &json!(1), &json!(1.0))
    );
    assert_eq!(experienced["causes"], json!({"not_made": 1}));
    let unfound = &experienced["not_found_links"][0];
    assert_eq!((&unfound["cause"], &unfound["at"]["line"]), (&json!("not_made"), &json!(20)));
    assert_eq!(unfound["pair"]["id"], unfound["to"]);
    for pointer in [
        "/links/0/seen",
        "/experienced/not_found_links/0/cause",
        "/experienced/not_found_links/0/at/line",
        "/experienced/coverage",
    ] {
        assert_schema_refuses("links", &json, pointer, Value::from("no"));
    }
    // What is not wanted is not counted either.
    let selected = ask(&["--json", "--type", "Wrong"]);
    assert_eq!(selected["experienced"]["links"], 1);
    assert_eq!(selected["experienced"]["not_found"], 0);
}

#[test]
fn recordings_that_cannot_be_read_are_usage_errors() {
    let program = Program::new("Loader", LOADER);
    let mut other = recording();
    other["schema"] = json!("catchment.seen/7");
    let other = write(&program, "other.json", &other);
    let refused = |file: &PathBuf, part: &str| {
        let output = links(&program, &[], &[file]);
        let told = error_text(&output);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(part), "{told}");
    };
    refused(&other, "other.json: its schema is 'catchment.seen/7', not 'catchment.seen/1'");
    refused(&program.folder.path().join("absent.json"), "absent.json");
}
