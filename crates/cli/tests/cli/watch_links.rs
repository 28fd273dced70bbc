//! `catchment watch --links` on real JVMs: every way in which an exception came to a handler, and nothing else.

use crate::support::{Program, assert_follows_schema, assert_schema_refuses, catchment, error_text};
use catchment_classfile::ClassFile;
use catchment_testkit::jdk;
use serde_json::Value;
use std::fs;
use std::process::Output;

const WAYS: &str = r#"
import java.io.*;
import java.lang.reflect.*;

public class Ways {
    public static void main(String[] args) throws Exception {
        deep();
        missingFile();
        throughFinally();
        rethrown();
        inLambda();
        recursion();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) { threads[i] = new Thread(Ways::inThread); threads[i].start(); }
        for (Thread thread : threads) thread.join();
        wrapped();
        initialised();
        held();
        divided(0);
    }
    static void deep() { try { middle(); } catch (IllegalStateException e) { print(); } }
    static void middle() { bottom(); }
    static void bottom() { throw new IllegalStateException(); }
    static void print() { System.out.print(""); }
    static void missingFile() {
        try { new FileInputStream("/no/such/file").close(); } catch (IOException e) { print(); }
    }
    static void throughFinally() { try { cleaned(); } catch (IllegalStateException e) { print(); } }
    static void cleaned() { try { bottom(); } finally { print(); } }
    static void rethrown() { try { again(); } catch (IllegalStateException e) { print(); } }
    static void again() { try { bottom(); } catch (IllegalStateException e) { throw e; } }
    static void inLambda() {
        Runnable catching = () -> { try { bottom(); } catch (IllegalStateException e) { print(); } };
        catching.run();
        Runnable throwing = () -> middle();
        try { throwing.run(); } catch (IllegalStateException e) { print(); }
    }
    static void recursion() { try { down(3); } catch (IllegalStateException e) { print(); } }
    static void down(int depth) {
        if (depth == 0) bottom();
        try { down(depth - 1); } finally { print(); }
    }
    static void inThread() {
        for (int i = 0; i < 2000; i++) try { middle(); } catch (IllegalStateException e) { print(); }
    }
    /** The handler of RuntimeException is where the JVM expects the exception; reflection makes another of it. */
    static void wrapped() throws Exception {
        Method bottom = Ways.class.getDeclaredMethod("bottom");
        try { bottom.invoke(null); } catch (RuntimeException e) { print(); } catch (InvocationTargetException e) { print(); }
    }
    static void initialised() {
        try { Failing.touch(); } catch (RuntimeException e) { print(); } catch (ExceptionInInitializerError e) { print(); }
    }
    static class Failing {
        static { bottom(); }
        static void touch() { }
    }
    static void held() { try { locked(); } catch (IllegalStateException e) { print(); } }
    static void locked() { synchronized (Ways.class) { bottom(); } }
    static void divided(int by) { try { print(); by = 1 / by; } catch (ArithmeticException e) { print(); } }
}
"#;

/// Output of `catchment watch --links`.
struct Seen {
    output: Output,
    json: Value,
}

fn watch_links(options: &[&str], command: &[String]) -> Seen {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("seen.json");
    let mut watch = catchment();
    watch.args(["watch", "--links", "--output"]).arg(&file).args(options).arg("--").args(command);
    let output = watch.output().unwrap();
    let text = fs::read_to_string(&file).unwrap_or_else(|_| panic!("no report: {}", error_text(&output)));
    let json = serde_json::from_str(&text).unwrap();
    assert_follows_schema("seen", &json);
    Seen { output, json }
}

impl Seen {
    fn method(&self, index: &Value) -> &Value {
        &self.json["methods"][usize::try_from(index.as_u64().unwrap()).unwrap()]
    }

    /// The methods of a way, from the raising to the catching one; those of other classes with the class.
    fn way(&self, caught: &Value) -> String {
        let mut names = Vec::new();
        for frame in caught["frames"].as_array().unwrap() {
            let method = self.method(&frame["method"]);
            let name = method["method"].as_str().unwrap();
            names.push(match (method["hidden"].as_bool().unwrap(), method["class"].as_str().unwrap()) {
                (true, _) => "(hidden)".to_owned(),
                (false, "Ways") => name.to_owned(),
                (false, class) if class.contains(".reflect.") => "(reflection)".to_owned(),
                (false, class) => format!("{}.{name}", class.rsplit('.').next().unwrap()),
            });
        }
        names.dedup_by(|next, last| next == "(reflection)" && last == "(reflection)");
        let exception = caught["exception"].as_str().unwrap().rsplit('.').next().unwrap();
        format!("{exception}: {}", names.join(" "))
    }

    fn caught(&self) -> &Vec<Value> {
        self.json["caught"].as_array().unwrap()
    }

    /// All ways, each behind those that the same object had come before.
    fn ways(&self) -> Vec<String> {
        let text = |caught: &Value| {
            let mut past = vec![self.way(caught)];
            let mut after = &caught["after"];
            while let Some(index) = after.as_u64() {
                let before = &self.caught()[usize::try_from(index).unwrap()];
                past.push(self.way(before));
                after = &before["after"];
            }
            past.reverse();
            past.join(", then ")
        };
        let mut ways: Vec<String> = self.caught().iter().map(text).collect();
        ways.sort();
        ways
    }

    fn problems(&self) -> &Vec<Value> {
        self.json["problems"].as_array().unwrap()
    }
}

const EXPECTED_WAYS: [&str; 16] = [
    "ArithmeticException: divided",
    "IllegalStateException: bottom again",
    "IllegalStateException: bottom again, then IllegalStateException: again rethrown",
    "IllegalStateException: bottom cleaned",
    "IllegalStateException: bottom cleaned, then IllegalStateException: cleaned throughFinally",
    "IllegalStateException: bottom down down",
    "IllegalStateException: bottom down down, then IllegalStateException: down down",
    "IllegalStateException: bottom down down, then IllegalStateException: down down, then IllegalStateException: down recursion",
    "IllegalStateException: bottom lambda$inLambda$0",
    "IllegalStateException: bottom locked",
    "IllegalStateException: bottom locked, then IllegalStateException: locked held",
    "IllegalStateException: bottom middle deep",
    "IllegalStateException: bottom middle inThread",
    "IllegalStateException: bottom middle lambda$inLambda$1 (hidden) inLambda",
    "ExceptionInInitializerError: initialised",
    "InvocationTargetException: (reflection) wrapped",
];

fn check_ways_on(release: u32) {
    if !jdk::is_here(release) {
        return;
    }
    let program = Program::new("Ways", WAYS);
    let seen = watch_links(&[], &program.java(release));
    // How many methods and handlers of its own the JDK has on the way depends on its release.
    let (from_jdk, ways): (Vec<String>, Vec<String>) =
        seen.ways().into_iter().partition(|way| way.starts_with("FileNotFoundException"));
    let mut expected = EXPECTED_WAYS.map(str::to_owned).to_vec();
    expected.sort();
    assert_eq!(ways, expected, "{:?}", seen.problems());
    let last = from_jdk.last().unwrap();
    assert!(last.starts_with("FileNotFoundException: FileInputStream.open0 FileInputStream.open"), "{last}");
    assert!(last.ends_with(" FileInputStream.<init> FileInputStream.<init> missingFile"), "{last}");
    assert_eq!(seen.problems(), &Vec::<Value>::new());
    assert_eq!(seen.output.status.code(), Some(0));
    assert!(seen.output.stdout.is_empty());
    check_offsets(&program, &seen);
    assert_schema_refuses("seen", &seen.json, "/caught/0/handler_pc", Value::Null);
    assert_schema_refuses("seen", &seen.json, "/methods/0/class", Value::Null);
}

/// Every handler is one of the class file, for the instruction that its frame was at; every other frame was at a call
/// or a throw.
fn check_offsets(program: &Program, seen: &Seen) {
    let bytes = fs::read(program.classes.join("Ways.class")).unwrap();
    let class = ClassFile::parse(&bytes).unwrap();
    for caught in seen.caught() {
        let frames = caught["frames"].as_array().unwrap();
        for (index, frame) in frames.iter().enumerate() {
            let method = seen.method(&frame["method"]);
            if method["class"] != "Ways" {
                continue;
            }
            let found = class.methods.iter().find(|each| {
                method["method"] == each.name.to_string()
                    && method["descriptor"] == each.descriptor.to_string()
            });
            let (_, code) = class.code(found.unwrap()).unwrap().unwrap();
            let pc = usize::try_from(frame["pc"].as_i64().unwrap()).unwrap();
            let opcode = code.bytes[pc];
            let (idiv, athrow, invokes) = (0x6c, 0xbf, 0xb6..=0xba);
            let raises = invokes.contains(&opcode) || index == 0 && [idiv, athrow].contains(&opcode);
            assert!(raises, "{opcode:#x} at {pc} in {method}");
            if index + 1 == frames.len() {
                let covers = |row: catchment_classfile::ExceptionRow| {
                    caught["handler_pc"] == row.handler
                        && (usize::from(row.start)..usize::from(row.end)).contains(&pc)
                };
                assert!(code.exceptions().any(covers), "{caught} in {method}");
            }
        }
    }
}

#[test]
fn every_way_to_a_handler_is_seen_once_on_java_17() {
    check_ways_on(17);
}

#[test]
fn every_way_to_a_handler_is_seen_once_on_java_21() {
    check_ways_on(21);
}

#[test]
fn every_way_to_a_handler_is_seen_once_on_java_25() {
    check_ways_on(25);
}

const REFLECTIVE: &str = r#"
import java.util.function.Supplier;

public class Reflective {
    public static void main(String[] args) throws Exception {
        invoke();
        construct();
        byName();
        missing();
        provided();
    }
    static void invoke() throws Exception {
        Reflective.class.getDeclaredMethod("called", int[].class, String.class).invoke(null, null, "x");
    }
    static String called(int[] numbers, String text) { return text; }
    static void construct() throws Exception {
        for (int i = 0; i < 3; i++) Made.class.getDeclaredConstructor(long.class).newInstance(1L);
        Class<?> made = Made.class;
        made.newInstance();
    }
    static class Made { Made() { } Made(long number) { } }
    static void byName() throws Exception {
        Class.forName("Reflective$Named").getDeclaredConstructor().newInstance();
        Class.forName("Reflective$Other", false, Reflective.class.getClassLoader());
    }
    static class Named { }
    static class Other { }
    static void missing() {
        try { Class.forName("no.such.Thing"); } catch (ClassNotFoundException e) { System.out.print(""); }
    }
    static void provided() {
        for (Supplier<?> supplier : java.util.ServiceLoader.load(Supplier.class)) supplier.get();
    }
    public static class Provider implements Supplier<String> { public String get() { return ""; } }
}
"#;

fn check_reflection_on(release: u32) {
    if !jdk::is_here(release) {
        return;
    }
    let program = Program::new("Reflective", REFLECTIVE);
    let services = program.classes.join("META-INF/services");
    fs::create_dir_all(&services).unwrap();
    fs::write(services.join("java.util.function.Supplier"), "Reflective$Provider").unwrap();
    let seen = watch_links(&[], &program.java(release));
    let name = |index: &Value| {
        let method = seen.method(index);
        format!("{}.{}", method["class"].as_str().unwrap(), method["method"].as_str().unwrap())
    };
    let mut calls: Vec<String> = Vec::new();
    for call in seen.json["reflective"].as_array().unwrap() {
        let target = seen.method(&call["target"]);
        // What the JDK does for itself depends on its release.
        if target["application"] == true && name(&call["target"]) != "Reflective.<clinit>" {
            let descriptor = target["descriptor"].as_str().unwrap();
            calls.push(format!("{} -> {}{descriptor}", name(&call["caller"]), name(&call["target"])));
        }
    }
    calls.sort();
    let provider = "java.util.ServiceLoader$";
    let (from_jdk, calls): (Vec<_>, Vec<_>) = calls.into_iter().partition(|call| call.starts_with(provider));
    assert_eq!(
        calls,
        [
            "Reflective.byName -> Reflective$Named.<clinit>()V",
            "Reflective.byName -> Reflective$Named.<init>()V",
            "Reflective.byName -> Reflective$Other.<clinit>()V",
            "Reflective.construct -> Reflective$Made.<init>()V",
            "Reflective.construct -> Reflective$Made.<init>(J)V",
            "Reflective.invoke -> Reflective.called([ILjava/lang/String;)Ljava/lang/String;",
        ]
    );
    let is_provider = |call: &String| call.ends_with("Reflective$Provider.<init>()V");
    assert!(from_jdk.iter().any(is_provider), "{from_jdk:?}");
    assert_schema_refuses("seen", &seen.json, "/reflective/0/target", Value::Null);
}

#[test]
fn reflective_calls_are_seen_with_their_callers_on_java_17() {
    check_reflection_on(17);
}

#[test]
fn reflective_calls_are_seen_with_their_callers_on_java_21() {
    check_reflection_on(21);
}

#[test]
fn reflective_calls_are_seen_with_their_callers_on_java_25() {
    check_reflection_on(25);
}

#[test]
fn what_was_seen_before_a_kill_is_kept() {
    let program = Program::new(
        "Killed",
        r#"
public class Killed {
    public static void main(String[] args) throws Exception {
        try { throw new IllegalStateException(); } catch (IllegalStateException e) { System.out.print("caught"); }
        new ProcessBuilder("kill", "-9", "" + ProcessHandle.current().pid()).start().waitFor();
        Thread.sleep(60000);
    }
}
"#,
    );
    let seen = watch_links(&[], &program.java(17));
    assert_eq!(seen.ways(), ["IllegalStateException: Killed.main"]);
    assert_eq!(seen.output.status.code(), Some(137));
}

#[test]
fn exceptions_from_the_end_of_the_stack_are_cut_and_said_so() {
    let program = Program::new(
        "Overflow",
        r#"
public class Overflow {
    public static void main(String[] args) {
        try { down(2000); } catch (IllegalStateException e) { System.out.print(""); }
        try { forever(); } catch (StackOverflowError e) { System.out.print(""); }
    }
    static void down(int depth) { if (depth == 0) throw new IllegalStateException(); down(depth - 1); }
    static void forever() { forever(); }
}
"#,
    );
    let seen = watch_links(&[], &program.java(17));
    let cut =
        seen.caught().iter().find(|caught| caught["exception"] == "java.lang.IllegalStateException").unwrap();
    assert_eq!((cut["frames"].as_array().unwrap().len(), &cut["frames_left_out"]), (512, &1490.into()));
    assert_eq!(seen.method(&cut["frames"][511]["method"])["method"], "main");
    assert!(!seen.problems().is_empty());
    assert_eq!(seen.output.status.code(), Some(0), "{}", error_text(&seen.output));
}

#[test]
fn without_a_file_the_json_comes_last_on_stdout_and_a_summary_on_stderr() {
    let program = Program::new(
        "Plain",
        r#"
public class Plain {
    public static void main(String[] args) {
        System.out.println("out");
        try { Integer.parseInt("x"); } catch (NumberFormatException e) { System.out.print(""); }
    }
}
"#,
    );
    let output = catchment().args(["watch", "--links", "--"]).args(program.java(17)).output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let (printed, json) = text.split_once('\n').unwrap();
    assert_eq!(printed, "out");
    assert_follows_schema("seen", &serde_json::from_str(json).unwrap());
    let summary = "exceptions of 1 class came to 1 handler of the application, from 1 place, in 1 way";
    assert!(error_text(&output).contains(summary), "{}", error_text(&output));
}
