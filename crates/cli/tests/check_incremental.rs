//! Checks after an edit: what they ask again, and that they say what a check from the start says.

use catchment_testkit::check::{Answer, CheckProject, Framework, differences};
use serde_json::Value;
use std::fs;
use std::path::Path;

const PARSER: &str = "package app;
public final class Parser {
    static final int BASE = Base.of();

    public static int parse(String text) {
        try {
            return Integer.parseInt(text) + BASE;
        } catch (NumberFormatException failed) {
            return -1;
        }
    }
}
";
const BASE: &str = "package app; final class Base {\n static int of() { return 0; }\n}\n";
const NAMES: &str = "package app;
public final class Names {
    public static String clean(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException();
        }
        return name.trim();
    }
}
";
const GREETER: &str = "package app;
public final class Greeter {
    public static String greet(String name) {
        try {
            return \"hello \" + Names.clean(name);
        } catch (IllegalArgumentException failed) {
            return \"hello\";
        }
    }
}
";
const PARSER_TEST: &str = "package app;
import static org.junit.jupiter.api.Assertions.assertEquals;
import org.junit.jupiter.api.Test;
class ParserTest {
    @Test void parses() { assertEquals(7, Parser.parse(\"7\")); }
    @Test void fallsBack() { assertEquals(-1, Parser.parse(\"x\")); }
}
";
const GREETER_TEST: &str = "package app;
import static org.junit.jupiter.api.Assertions.assertEquals;
import org.junit.jupiter.api.Test;
class GreeterTest {
    @Test void greets() { assertEquals(\"hello you\", Greeter.greet(\" you\")); }
    @Test void greetsNobody() { assertEquals(\"hello\", Greeter.greet(\"\")); }
}
";

/// A project that has been checked once.
struct Checked(CheckProject);

impl Checked {
    fn new() -> Self {
        let fixture = tempfile::tempdir().expect("folder");
        for (file, source) in [
            ("main/app/Parser.java", PARSER),
            ("main/app/Base.java", BASE),
            ("main/app/Names.java", NAMES),
            ("main/app/Greeter.java", GREETER),
            ("test/app/ParserTest.java", PARSER_TEST),
            ("test/app/GreeterTest.java", GREETER_TEST),
        ] {
            write(&fixture.path().join(file), source);
        }
        let project = CheckProject::of_fixture(fixture.path(), Framework::JUnit5).expect("fixture compiles");
        let first = project.check(&["--jobs=1"]).expect("first check");
        assert!(asked(&first).any(), "the first check asks everything");
        Self(project)
    }

    /// What the check after an edit asks, once its answer has been found to be that of a check from the start.
    fn asked_again(&self) -> Asked {
        let again = self.0.check(&["--jobs=1"]).expect("check after the edit");
        let fresh = self.0.check(&["--jobs=1", "--fresh"]).expect("check from the start");
        assert_eq!(differences(&fresh.facts(), &again.facts()), [] as [String; 0]);
        assert_eq!(described(&again), described(&fresh));
        asked(&again)
    }

    fn asks_everything(&self) -> bool {
        let asked = self.asked_again();
        asked.tests_in_suites == 4 && asked.resumed == 0
    }
}

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().expect("a folder")).expect("folder");
    fs::write(file, text).expect("file");
}

#[derive(Debug, PartialEq, Eq)]
struct Asked {
    tests_in_suites: u64,
    alone: u64,
    resumed: u64,
}

impl Asked {
    fn any(&self) -> bool {
        self.tests_in_suites + self.alone > 0
    }
}

fn asked(answer: &Answer) -> Asked {
    let stats = &answer.json()["stats"];
    let count = |value: &Value| value.as_u64().expect("a count");
    Asked {
        tests_in_suites: count(&stats["suite_tests"]),
        alone: count(&stats["solo"]["count"]),
        resumed: count(&stats["resumed"]),
    }
}

/// All texts of the experiments.
fn described(answer: &Answer) -> Vec<String> {
    let pairs = answer.json()["pairs"].as_array().expect("pairs");
    let mut texts: Vec<String> = pairs
        .iter()
        .flat_map(|pair| pair["experiments"].as_array().expect("experiments"))
        .map(|experiment| {
            format!("{} {} {}", experiment["test"], experiment["outcome"], experiment["detail"])
        })
        .collect();
    texts.sort();
    texts
}

#[test]
fn without_an_edit_and_after_notes_nothing_is_asked_again() {
    let project = Checked::new();
    write(&project.0.folder().join("notes/x.txt"), "to do");
    write(&project.0.folder().join("README.md"), "# Read me");
    assert!(!project.asked_again().any());
}

#[test]
fn after_an_edit_of_a_body_only_tests_that_execute_it_are_asked_again() {
    let project = Checked::new();
    let edited = NAMES.replace("return name.trim();", "String trimmed = name.trim(); return trimmed;");
    project.0.rewrite_class("app/Names.java", &edited).expect("compiled");
    let asked = project.asked_again();
    assert_eq!(asked.tests_in_suites, 2, "{asked:?}");
    assert!(asked.resumed > 0, "{asked:?}");
}

#[test]
fn after_an_edit_of_comments_nothing_is_asked_again_and_lines_are_the_new_ones() {
    let project = Checked::new();
    let edited = format!("// one more line\n\n{PARSER}");
    project.0.rewrite_class("app/Parser.java", &edited).expect("compiled");
    let edited = format!("// one more line\n\n{GREETER_TEST}");
    project.0.rewrite_test("app/GreeterTest.java", &edited).expect("compiled");
    assert!(!project.asked_again().any());
}

#[test]
fn after_an_edit_of_a_test_its_class_runs_again() {
    let project = Checked::new();
    let edited = PARSER_TEST.replace("\"7\"", "\"07\"");
    project.0.rewrite_test("app/ParserTest.java", &edited).expect("compiled");
    let asked = project.asked_again();
    assert_eq!(asked.tests_in_suites, 2, "{asked:?}");
    assert!(asked.resumed > 0, "{asked:?}");
}

#[test]
fn a_new_test_is_found_and_one_that_is_gone_is_forgotten() {
    let project = Checked::new();
    let more = "@Test void adds() { assertEquals(3, Parser.parse(\"+3\")); } }";
    let edited = PARSER_TEST.trim_end().trim_end_matches('}').to_owned() + more;
    project.0.rewrite_test("app/ParserTest.java", &edited).expect("compiled");
    assert_eq!(project.asked_again().tests_in_suites, 3);
    project.0.rewrite_test("app/ParserTest.java", PARSER_TEST).expect("compiled");
    assert_eq!(project.asked_again().tests_in_suites, 2);
}

#[test]
fn new_classes_resources_and_services_have_everything_asked_again() {
    let project = Checked::new();
    project.0.rewrite_class("app/More.java", "package app; class More {}").expect("compiled");
    assert!(project.asks_everything(), "a new class");
    write(&project.0.main_classes().join("app/words.txt"), "a b");
    assert!(project.asks_everything(), "a new resource");
    write(&project.0.main_classes().join("app/words.txt"), "a c");
    assert!(project.asks_everything(), "another resource");
    write(&project.0.main_classes().join("META-INF/services/java.lang.Runnable"), "");
    assert!(project.asks_everything(), "a new service");
    write(&project.0.folder().join("src/test/data.csv"), "1;2");
    assert!(project.asks_everything(), "test data");
}

#[test]
fn code_of_static_initialisers_has_everything_asked_again() {
    let project = Checked::new();
    let edited = BASE.replace("return 0;", "int none = 0; return none;");
    project.0.rewrite_class("app/Base.java", &edited).expect("compiled");
    assert!(project.asks_everything(), "a method called by a static initialiser");
    let edited = PARSER.replace("BASE = Base.of()", "BASE = Base.of() + 0");
    project.0.rewrite_class("app/Parser.java", &edited).expect("compiled");
    assert!(project.asks_everything(), "a static initialiser");
}

#[test]
fn a_lambda_and_an_anonymous_class_are_part_of_the_body_around_them() {
    let project = Checked::new();
    let edited = NAMES.replace(
        "return name.trim();",
        "java.util.function.UnaryOperator<String> trim = it -> it.trim();
         return new Object() { String of(String it) { return trim.apply(it); } }.of(name);",
    );
    project.0.rewrite_class("app/Names.java", &edited).expect("compiled");
    let asked = project.asked_again();
    assert_eq!(asked.tests_in_suites, 2, "{asked:?}");
    let edited = edited.replace("it -> it.trim()", "it -> it.strip()");
    project.0.rewrite_class("app/Names.java", &edited).expect("compiled");
    assert_eq!(project.asked_again().tests_in_suites, 2);
}

fn git(project: &CheckProject, arguments: &[&str]) {
    let mut command = std::process::Command::new("git");
    command
        .arg("-C")
        .arg(project.folder())
        .args(["-c", "user.name=a", "-c", "user.email=a@b"])
        .args(arguments);
    assert!(command.output().expect("git").status.success(), "git {arguments:?}");
}

/// The names of the classes whose clauses were judged, what was said, and the exit code.
fn changed_since(project: &CheckProject, revision: &str) -> (Vec<String>, String, Option<i32>) {
    let output = project
        .command(&["--jobs=1", "--changed-since", revision])
        .expect("command")
        .output()
        .expect("check");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let pairs = answer["pairs"].as_array().cloned().unwrap_or_default();
    let judged = pairs.iter().filter(|pair| pair["left_out"] != true);
    let classes = judged.map(|pair| pair["class"].as_str().expect("a class").to_owned()).collect();
    (classes, said, output.status.code())
}

#[test]
fn since_a_revision_only_changed_clauses_and_those_of_changed_tests_are_judged() {
    let project = Checked::new().0;
    let (_, said, code) = changed_since(&project, "HEAD");
    assert!(said.contains("is in no Git repository") && code == Some(2), "{said}");
    git(&project, &["init", "-q"]);
    write(&project.folder().join(".gitignore"), "classes/\n");
    git(&project, &["add", "."]);
    git(&project, &["commit", "-q", "-m", "first"]);
    let (_, said, code) = changed_since(&project, "HEAD");
    assert!(said.contains("nothing has changed since HEAD") && code == Some(0), "{said}");
    let (_, said, code) = changed_since(&project, "nowhere");
    assert!(said.contains("Git knows no revision nowhere") && code == Some(2), "{said}");
    write(&project.folder().join("README.md"), "# Read me");
    let (classes, said, code) = changed_since(&project, "HEAD");
    assert!(said.contains("no clause has changed since HEAD") && code == Some(0), "{said}");
    assert_eq!(classes, [] as [&str; 0]);
    let edit = |file: &str, class: &str, source: &str, from: &str, to: &str| {
        let edited = source.replace(from, to);
        write(&project.folder().join(file), &edited);
        match file.starts_with("src/main") {
            true => project.rewrite_class(class, &edited).expect("compiled"),
            false => project.rewrite_test(class, &edited).expect("compiled"),
        }
    };
    edit("src/main/app/Greeter.java", "app/Greeter.java", GREETER, "\"hello \" + ", "\"hello\" + ' ' + ");
    assert_eq!(changed_since(&project, "HEAD").0, ["app.Greeter"]);
    edit("src/test/app/ParserTest.java", "app/ParserTest.java", PARSER_TEST, "\"7\"", "\"07\"");
    assert_eq!(changed_since(&project, "HEAD").0, ["app.Greeter", "app.Parser"]);
}

#[test]
fn cleaning_removes_the_folder_or_all_but_the_results() {
    let project = Checked::new().0;
    let clean = |arguments: &[&str]| {
        let binary = catchment_testkit::check::binary().expect("binary");
        let mut command = std::process::Command::new(binary);
        let output = command.arg("clean").arg(project.folder()).args(arguments).output().expect("clean");
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(clean(&["--keep-results"]).contains("are free again"));
    assert!(!project.folder().join(".catchment/build").exists());
    let again = project.check(&["--jobs=1"]).expect("check");
    assert!(!asked(&again).any(), "results are still there");
    clean(&[]);
    assert!(!project.folder().join(".catchment").exists());
    assert!(clean(&[]).contains("nothing to remove"));
}
