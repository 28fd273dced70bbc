//! `catchment links` on what javac makes.

use crate::support::{
    Program, assert_follows_schema, assert_schema_refuses, catchment, error_text, point_of,
};
use catchment_testkit::jdk;
use serde_json::Value;
use std::fs;
use std::process::{Command, Output};

const READER: &str = r#"
import java.io.*;
public class Reader {
    static class Wrong extends Exception { }
    public static void main(String[] arguments) throws Exception {
        try {
            System.exit(first(arguments[0]));
        } catch (IOException e) {
            System.out.println(e);
        }
        try {
            check(arguments.length);
        } catch (Wrong e) {
            System.out.println(e);
        }
    }
    static int first(String name) throws IOException {
        try (InputStream in = new FileInputStream(name)) {
            return in.read();
        }
    }
    static void check(int count) throws Wrong {
        if (count > 1) check(count - 1);
        if (count == 0) throw new Wrong();
    }
    static void unused() {
        try { Integer.parseInt(""); } catch (NumberFormatException e) { System.out.println(e); }
    }
}
"#;

fn links() -> Command {
    let mut command = catchment();
    command.env("JAVA_HOME", jdk::installed(17).unwrap().home()).arg("links");
    command
}

fn ask(program: &Program, options: &[&str]) -> Output {
    let output = links().arg("--classpath").arg(&program.classes).args(options).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", error_text(&output));
    output
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(program: &Program, options: &[&str]) -> Value {
    let options: Vec<&str> = ["--entry", "Reader", "--json"].iter().chain(options).copied().collect();
    let json = serde_json::from_slice(&ask(program, &options).stdout).unwrap();
    assert_follows_schema("links", &json);
    json
}

/// `kind operation class.method:line exception -> catch line`, of what is not in the JDK's throws.
fn told(json: &Value) -> Vec<String> {
    let line_of = |id: &Value| {
        let pairs = json["pairs"].as_array().unwrap();
        pairs.iter().find(|pair| pair["id"] == *id).unwrap()["catch_line"].clone()
    };
    let links = json["links"].as_array().unwrap().iter();
    let links = links.filter(|link| {
        let from = point_of(json, link);
        from["kind"] == "operation" || from["layer"] == "application"
    });
    let told = links.map(|link| {
        let from = point_of(json, link);
        let word = |key: &str| from[key].as_str().unwrap_or("-");
        let (fault, class, method) = (word("fault"), word("class"), word("method"));
        format!(
            "{} {fault} {class}.{method}:{} {} -> {}",
            word("kind"),
            from["line"],
            link["exception"].as_str().unwrap(),
            line_of(&link["to"])
        )
    });
    told.collect()
}

#[test]
fn operations_and_throws_lead_to_the_clauses_that_take_them() {
    let program = Program::new("Reader", READER);
    let json = json(&program, &["--faults", "DSK_OPEN,DSK_READ"]);
    let told = told(&json);
    for expected in [
        "operation DSK_OPEN java.io.FileInputStream.open:null java.io.FileNotFoundException -> 8",
        "operation DSK_READ java.io.FileInputStream.read:null java.io.IOException -> 8",
        "throw - Reader.check:24 Reader$Wrong -> 13",
    ] {
        assert!(told.contains(&expected.to_owned()), "{expected} is not in {told:#?}");
    }
    assert!(told.iter().all(|link| !link.contains("Wrong -> 8")), "{told:#?}");
    let pairs = json["pairs"].as_array().unwrap();
    let reached: Vec<_> = pairs.iter().map(|pair| (&pair["method"], &pair["reached"])).collect();
    assert!(reached.contains(&(&"unused".into(), &false.into())), "{reached:?}");
    assert_eq!(json["analysis"], "inpta");
    assert_eq!(json["entries"][0]["method"], "main");
    for pointer in [
        "/schema",
        "/links/0/to",
        "/links/0/from",
        "/links/0/id",
        "/points/0/class",
        "/pairs/0/types",
        "/stats/classes",
        "/problems",
    ] {
        assert_schema_refuses("links", &json, pointer, Value::from(-1));
    }
}

#[test]
fn without_throws_only_operations_are_followed_and_without_faults_only_throws() {
    let program = Program::new("Reader", READER);
    let kinds = |json: &Value| {
        let links = json["links"].as_array().unwrap().iter();
        let mut kinds: Vec<_> =
            links.map(|link| point_of(json, link)["kind"].as_str().unwrap().to_owned()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    };
    assert_eq!(kinds(&json(&program, &["--no-throws"])), ["operation"]);
    assert!(!kinds(&json(&program, &["--faults", "none"])).contains(&"operation".to_owned()));
}

#[test]
fn the_short_answer_groups_by_clause_or_by_what_raises() {
    let program = Program::new("Reader", READER);
    let by_handler = text(&ask(&program, &["--faults", "DSK_READ", "--no-throws"]));
    let mut lines = by_handler.lines();
    assert_eq!(lines.next(), Some("Reader.main  Reader.java:8  catch IOException"));
    let link = lines.next().unwrap();
    assert!(link.contains("  DSK_READ ") && link.contains("FileInputStream.read"), "{link}");
    assert!(
        by_handler.contains(
            "into 1 of 3 catch clauses (inpta); nothing found for 1 other (--all); 1 clause in methods that"
        ),
        "{by_handler}"
    );
    let by_trigger = text(&ask(&program, &["--faults", "DSK_READ", "--no-throws", "--by", "trigger"]));
    assert!(by_trigger.starts_with("DSK_READ  java.io.FileInputStream.read  to 1 clause\n"), "{by_trigger}");
}

#[test]
fn links_are_filtered_by_package_type_and_fault() {
    let program = Program::new("Reader", READER);
    let count = |options: &[&str]| json(&program, options)["links"].as_array().unwrap().len();
    assert_eq!(count(&["--type", "Wrong"]), 1);
    assert_eq!(count(&["--type", "Throwable"]), count(&[]));
    let failing = json(&program, &["--type", "java.io.IOException", "--no-throws"]);
    assert!(
        told(&failing).iter().any(|link| link.contains("FileNotFoundException")),
        "{:#?}",
        told(&failing)
    );
    assert_eq!(count(&["--package", "com.acme"]), 0);
    assert_eq!(count(&["--fault", "DSK_READ", "--package", "Reader"]), count(&["--fault", "DSK_READ"]));
}

#[test]
fn a_link_is_explained_by_the_calls_between_try_and_throw() {
    let program = Program::new("Reader", READER);
    let why = text(&ask(&program, &["--why", "throw  Reader.check -> Reader.java:13"]));
    let expected = "\
comes to Reader.main  Reader.java:13  catch Reader$Wrong
path 1, 1 call:
  try in     Reader.main  Reader.java:12
  raised in  Reader.check  Reader.java:24  (recursive)
all paths lead through 2 methods and 3 places in them (--paths shows more, --json all)
";
    assert!(why.ends_with(expected), "{why}");
    let read = text(&ask(
        &program,
        &[
            "--why",
            "FileInputStream.read -> Reader.main",
            "--no-throws",
            "--faults",
            "DSK_READ",
            "--paths",
            "1",
        ],
    ));
    assert!(read.contains("  calls      Reader.first  Reader.java:19\n"), "{read}");
}

/// Another view than that of links, as JSON.
fn shown(program: &Program, schema: &str, options: &[&str]) -> Value {
    let options: Vec<&str> = ["--json", "--analysis", "rta"].iter().chain(options).copied().collect();
    let json = serde_json::from_slice(&ask(program, &options).stdout).unwrap();
    assert_follows_schema(schema, &json);
    json
}

#[test]
fn all_calls_by_which_a_link_comes_are_in_the_json() {
    let program = Program::new("Reader", READER);
    let json = shown(&program, "paths", &["--why", "throw  Reader.check -> Reader.java:13"]);
    let id = json["links"][0]["id"].as_str().unwrap();
    assert_eq!(shown(&program, "paths", &["--why", id]), json, "a link is also named by its id");
    let graph = &json["links"][0]["graph"];
    let stations = graph["stations"].as_array().unwrap().iter();
    let stations: Vec<_> = stations
        .map(|it| format!("{} {} {}", it["kind"], it["method"], it["recursive"]).replace('"', ""))
        .collect();
    assert_eq!(stations, ["try main false", "method check true"]);
    let passages = graph["passages"].as_array().unwrap().iter();
    let mut passages: Vec<_> =
        passages.map(|it| format!("{} -> {} at {}", it["from"], it["to"], it["line"])).collect();
    passages.sort_unstable();
    assert_eq!(passages, ["0 -> 1 at 12", "1 -> 1 at 23", "1 -> null at 24"]);
    assert_eq!(json["links"][0]["paths"][0].as_array().unwrap().len(), 2);
    for pointer in ["/links/0/graph/stations/0/kind", "/links/0/graph/passages/0/from", "/links/0/paths"] {
        assert_schema_refuses("paths", &json, pointer, Value::from(-1));
    }
}

#[test]
fn escapes_blind_spots_and_the_catalogue_come_as_json_too() {
    let program = Program::new("Reader", READER);
    let escapes = shown(&program, "escapes", &["--escapes", "--entry", "Reader.main"]);
    let main = &escapes["methods"].as_array().unwrap()[0];
    assert_eq!(main["method"], "main");
    assert!(main["exceptions"].as_array().unwrap().iter().any(|it| it["checked"] == false), "{main}");
    let blind = shown(&program, "blind-spots", &["--blind-spots"]);
    assert!(!blind["blind_spots"].as_array().unwrap().is_empty());
    let catalogue = shown(&program, "catalogue", &["--catalogue"]);
    let read = |it: &&Value| it["operation"] == "java.io.FileInputStream.read";
    let read = catalogue["operations"].as_array().unwrap().iter().find(read).unwrap();
    assert_eq!((&read["fault"], &read["found"]), (&"DSK_READ".into(), &"reached".into()));
}

#[test]
fn every_view_says_where_classes_come_from() {
    let program = Program::new("Reader", READER);
    let project = tempfile::tempdir().unwrap();
    let path = |name: &str| project.path().join(name);
    for folder in ["src/main/java", "target/classes"] {
        fs::create_dir_all(path(folder)).unwrap();
    }
    fs::write(path("pom.xml"), "<project/>").unwrap();
    fs::write(path("src/main/java/Reader.java"), READER).unwrap();
    for class in fs::read_dir(&program.classes).unwrap().map(Result::unwrap) {
        fs::copy(class.path(), path("target/classes").join(class.file_name())).unwrap();
    }
    let view = |options: &[&str]| {
        let mut command = links();
        command.current_dir(project.path()).args([
            "--classpath",
            "target/classes",
            "--json",
            "--analysis",
            "rta",
        ]);
        let output = command.args(options).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap_or_else(|_| panic!("{}", error_text(&output)))
    };
    let why = view(&["--why", "throw  Reader.check -> Reader.java:13"]);
    let escapes = view(&["--escapes", "--entry", "Reader.main"]);
    let located = ["pair", "from", "paths/0/0", "graph/stations/1"];
    let located = located.map(|name| why.pointer(&format!("/links/0/{name}")).unwrap());
    for class in located.into_iter().chain(escapes.pointer("/methods/0")) {
        let (source, module, jar) = (&class["source"], &class["module"], &class["jar"]);
        assert_eq!((source, module, jar), (&"src/main/java/Reader.java".into(), &".".into(), &Value::Null));
    }
}

#[test]
fn methods_that_can_be_reached_are_written_to_a_file() {
    let program = Program::new("Reader", READER);
    let file = program.classes.join("methods.txt");
    ask(&program, &["--entry", "Reader", "--analysis", "rta", "--methods", file.to_str().unwrap()]);
    let methods = fs::read_to_string(file).unwrap();
    assert!(methods.lines().any(|line| line == "Reader.main:([Ljava/lang/String;)V"), "{methods}");
    assert!(methods.lines().any(|line| line.starts_with("java/io/FileInputStream.read:")), "{methods}");
    assert!(!methods.contains("Reader.unused"), "{methods}");
}

#[test]
fn what_leaves_public_methods_is_told_checked_or_not() {
    let program = Program::new("Reader", READER);
    let escapes = text(&ask(&program, &["--escapes", "--entry", "Reader.check", "--entry", "Reader.main"]));
    assert!(escapes.contains("Reader.main([Ljava/lang/String;)V\n"), "{escapes}");
    assert!(!escapes.contains("Reader$Wrong"), "the clause takes it: {escapes}");
    assert!(escapes.contains("  unchecked  "), "{escapes}");
}

#[test]
fn the_catalogue_shows_what_the_program_reaches() {
    let program = Program::new("Reader", READER);
    let catalogue = text(&ask(&program, &["--catalogue"]));
    assert!(catalogue.contains("  reached        java.io.FileInputStream.read  IOException"), "{catalogue}");
    assert!(catalogue.contains(" 0 that this JDK lacks"), "{catalogue}");
    let blind = text(&ask(&program, &["--blind-spots"]));
    assert!(blind.lines().last().unwrap().ends_with(" blind spots"), "{blind}");
}

#[test]
fn operations_of_the_project_are_added_by_its_configuration() {
    let program = Program::new("Reader", READER);
    let fault =
        "[[fault]]\nkind = \"CHECK\"\nclass = \"Reader\"\nmethod = \"check\"\nthrows = [\"Reader$Wrong\"]\n";
    fs::write(program.classes.join("catchment.toml"), fault).unwrap();
    let output = links().arg(&program.classes).args(["--fault", "CHECK", "--json"]).output().unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told(&json), ["operation CHECK Reader.check:null Reader$Wrong -> 13"]);
}

fn refused(program: &Program, options: &[&str], part: &str) {
    let output = links().arg("--classpath").arg(&program.classes).args(options).output().unwrap();
    let text = error_text(&output);
    assert_eq!(output.status.code(), Some(2), "{options:?}: {text}");
    assert!(text.contains(part), "'{part}' is not in '{text}'");
    assert_eq!(text_of(&output), "");
}

fn text_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn wrong_wishes_are_usage_errors() {
    let program = Program::new("Reader", READER);
    refused(&program, &["--analysis", "cha+dr"], "filters need pta, inpta or 2obj");
    refused(&program, &["--analysis", "3obj"], "is no analysis");
    refused(&program, &["--entry", "Nobody"], "Nobody");
    refused(&program, &["--entry", "Reader.nothing"], "no method 'nothing'");
    refused(&program, &["--entry", "Reader$Wrong"], "no main method");
    refused(&program, &["--entry-points", "applets"], "applets");
    refused(&program, &["--entry-points", "servlets"], "there is no servlet");
    refused(&program, &["--faults", "DISK"], "DSK_READ");
    refused(&program, &["--max-memory", "12"], "is not a size such as 800M or 2G");
    refused(&program, &["--why", "999999"], "no link is '999999'");
    refused(&program, &["--jdk", "no-such-home"], "no-such-home is no JDK");
    refused(&program, &["--why", "1", "--escapes"], "cannot be used with");
}

#[test]
fn a_ceiling_on_memory_costs_precision_and_says_so() {
    let program = Program::new("Reader", READER);
    let within = |size: &str| {
        let options = ["--faults", "DSK_OPEN,DSK_READ", "--no-throws", "--max-memory", size];
        json(&program, &options)
    };
    let (plenty, less, none) = (within("20G"), within("60M"), within("1M"));
    assert_eq!(plenty["memory"], Value::Null);
    let coarse = less["memory"]["coarse_packages"].as_array().unwrap();
    assert!(!coarse.is_empty(), "{}", less["memory"]);
    assert_eq!((&none["memory"]["by_classes"], &none["memory"]["exceeded"]), (&true.into(), &true.into()));
    for json in [&less, &none] {
        let used = if json["memory"]["by_classes"] == true { "rta" } else { "inpta" };
        assert_eq!((&json["analysis"], &json["memory"]["asked"]), (&used.into(), &"inpta".into()));
    }
    // Nothing is lost by it.
    let [plenty, less, none] = [plenty, less, none].map(|json| told(&json));
    assert!(!plenty.is_empty());
    assert!(plenty.iter().all(|link| less.contains(link) && none.contains(link)), "{plenty:#?} {less:#?}");
}

#[test]
fn a_filter_that_a_ceiling_has_cost_is_not_claimed() {
    let program = Program::new("Reader", READER);
    let options = ["--faults", "DSK_READ", "--no-throws", "--analysis", "pta+vdr", "--max-memory", "1M"];
    let told = text(&ask(&program, &options));
    assert!(told.contains(" catch clauses (rta)"), "{told}");
    let cost = "1 MiB are not enough to follow objects, as pta+vdr does: calls were followed by classes and nothing was \
                filtered\n";
    assert!(told.contains(cost), "{told}");
}

const LIBRARY: &str = r#"
public class Library {
    public static class Wrong extends Exception { }
    public static class Worse extends Wrong { }
    static class Odd extends RuntimeException { }
    public void checks(int count) throws Wrong {
        if (count < 0) throw new Worse();
        odd(count);
    }
    public int takes(int count) {
        try { checks(count); return 1; } catch (Wrong e) { return 0; }
    }
    public int calm(int count) { return count + 1; }
    void odd(int count) { if (count == 1) throw new Odd(); }
}
class Inside {
    public void fails() { throw new IllegalStateException(); }
}
"#;

/// `method: checked class from class.method`
fn escaping(json: &Value) -> Vec<String> {
    let mut told = Vec::new();
    for method in json["methods"].as_array().unwrap() {
        for exception in method["exceptions"].as_array().unwrap() {
            for from in exception["from"].as_array().unwrap() {
                let checked = if exception["checked"] == true { "checked" } else { "unchecked" };
                let line = format!(
                    "{}: {checked} {} {} in {}",
                    method["method"], exception["class"], from["kind"], from["method"]
                );
                told.push(line.replace('"', ""));
            }
        }
    }
    told
}

#[test]
fn what_leaves_the_api_of_a_library_is_told_method_by_method() {
    let program = Program::new("Library", LIBRARY);
    let ask_json = |options: &[&str]| {
        let options =
            [&["--escapes", "--entry-points", "api", "--json", "--faults", "none"], options].concat();
        let json: Value = serde_json::from_slice(&ask(&program, &options).stdout).unwrap();
        assert_follows_schema("escapes", &json);
        json
    };
    let json = ask_json(&[]);
    let odd = "unchecked Library$Odd throw in odd";
    let worse = "checks: checked Library$Worse throw in checks";
    assert_eq!(escaping(&json), [&format!("checks: {odd}"), worse, &format!("takes: {odd}")]);
    assert_eq!(json["analysis"], "inpta");
    assert_eq!(escaping(&ask_json(&["--type", "Wrong"])), [worse]);
    let filtered = ["--escapes", "--entry-points", "api", "--faults", "none", "--analysis", "inpta+mdr"];
    let filtered = text(&ask(&program, &filtered));
    let end = "2 public methods let exceptions out (inpta)\n\
               filters are about the calls in tries: inpta+mdr drops none of these\n";
    assert!(filtered.ends_with(end), "{filtered}");
}

#[test]
fn a_library_is_looked_at_from_its_public_methods() {
    let program = Program::new("Library", LIBRARY);
    let output = ask(&program, &["--entry-points", "api", "--json", "--faults", "none"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told(&json), ["throw - Library.checks:7 Library$Worse -> 11"]);
    let entries = json["entries"].as_array().unwrap();
    let inside = entries.iter().find(|entry| entry["class"] == "Inside" || entry["method"] == "odd");
    assert_eq!(inside, None);
}

#[test]
fn a_web_application_is_looked_at_from_what_its_container_calls() {
    let program = Program::new(
        "Page",
        r#"
package javax.servlet;
interface Servlet { void service(Object request, Object response); }
interface ServletContextListener { void contextInitialized(Object event); }
abstract class JdkBase implements Servlet {
    static class Wrong extends Exception { }
    public void service(Object request, Object response) {
        try { answer(); } catch (Wrong e) { System.out.println(e); }
    }
    abstract void answer() throws Wrong;
}
class Page extends JdkBase {
    void answer() throws Wrong { throw new Wrong(); }
}
class Listener implements ServletContextListener {
    public void contextInitialized(Object event) { }
}
"#,
    );
    let output = ask(&program, &["--entry-points", "servlets", "--json", "--faults", "none"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told(&json), ["throw - javax.servlet.Page.answer:13 javax.servlet.JdkBase$Wrong -> 8"]);
    let entries = json["entries"].as_array().unwrap().iter();
    let mut entries: Vec<_> = entries.map(|entry| entry["method"].as_str().unwrap()).collect();
    entries.sort_unstable();
    assert_eq!(entries, ["contextInitialized", "service"]);
}

#[test]
fn what_the_jvm_raises_is_not_called_a_throw() {
    let source = "public class Divides {
        public static void main(String[] args) {
            try { System.out.println(args.length); } catch (ArithmeticException e) { args = null; }
        }
    }";
    let program = Program::new("Divides", source);
    let options = ["--implicit", "--faults", "none"];
    let told = text(&ask(&program, &options));
    let output = ask(&program, &[&options[..], &["--json"]].concat());
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let links = json["links"].as_array().unwrap().iter();
    let by_jvm = links.filter(|link| point_of(&json, link)["kind"] == "implicit").count();
    assert!(by_jvm > 1 && told.contains(&format!("{by_jvm} places where the JVM raises")), "{told}");
    let by_trigger = text(&ask(&program, &[&options[..], &["--by", "trigger"]].concat()));
    assert!(by_trigger.contains(&format!("{by_jvm} places where the JVM raises")), "{by_trigger}");
}

#[test]
fn a_class_path_of_nothing_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = links().arg("--classpath").arg(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", error_text(&output));
    assert!(error_text(&output).contains("no classes of the application"), "{}", error_text(&output));
    let missing = folder.path().join("absent.jar");
    let output = links().arg("--classpath").arg(&missing).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error_text(&output).contains("absent.jar"), "{}", error_text(&output));
}

#[test]
fn a_class_that_cannot_be_read_is_a_problem_and_no_end() {
    let program = Program::new("Reader", READER);
    fs::write(program.classes.join("Broken.class"), [0xca, 0xfe, 0xba, 0xbe, 0, 0]).unwrap();
    let json = json(&program, &["--no-throws"]);
    let problems = json["problems"].as_array().unwrap();
    assert!(problems.iter().any(|problem| problem["where"] == "Broken"), "{problems:?}");
}
