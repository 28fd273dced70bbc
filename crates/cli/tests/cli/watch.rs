//! `catchment watch` on real JVMs: what it counts, and that the program does not notice.

use crate::support::{
    Program, Watched, assert_schema_refuses, catchment, error_text, exceptions, java, watch,
};
use catchment_testkit::jdk;
use std::fs;

/// One usage of every colour, and an exception for each.
const COLOURS: &str = r#"
public class Colours {
    public static void main(String[] args) {
        System.out.println("out");
        System.err.println("err");
        for (int i = 0; i < 10; i++) {
            try { mix(i); } catch (IllegalStateException e) { System.out.print(""); }
        }
        System.exit(3);
    }
    static int mix(int i) {
        try {
            if (i < 4) return i;
            if (i < 7) throw new IllegalArgumentException("white");
            if (i < 9) throw new ArithmeticException("sibling");
            throw new IllegalStateException("escaped");
        } catch (IllegalArgumentException e) {
            return -1;
        } catch (ArithmeticException e) {
            return -2;
        }
    }
}
"#;

const EXPECTED_COLOURS: [&str; 3] = [
    "main catch IllegalStateException: 10 9 1 0 0 0",
    "mix catch IllegalArgumentException: 10 4 3 2 1 0",
    "mix catch ArithmeticException: 10 4 2 3 1 0",
];

fn check_colours_on(release: u32) {
    if !jdk::is_here(release) {
        return;
    }
    let program = Program::new("Colours", COLOURS);
    let watched = watch(&[], &program.java(release));
    assert_eq!(watched.colours(), EXPECTED_COLOURS);
    assert_eq!(watched.stdout(), "out\n");
    assert_eq!(error_text(&watched.output), "err\n");
    assert_eq!(watched.exit_code(), Some(3));
    assert_eq!(watched.problems().len(), 0, "{:?}", watched.problems());
}

#[test]
fn colours_are_exact_on_java_11() {
    check_colours_on(11);
}

#[test]
fn colours_are_exact_on_java_17() {
    check_colours_on(17);
}

#[test]
fn colours_are_exact_on_java_21() {
    check_colours_on(21);
}

#[test]
fn colours_are_exact_on_java_25() {
    check_colours_on(25);
}

#[test]
fn exceptions_are_shown_with_class_count_and_origin() {
    let watched = Program::new("Colours", COLOURS).watch();
    let mix = &watched.pairs()[1];
    assert_eq!(exceptions(&mix["caught"]), ["IllegalArgumentException 3 Colours.mix:14"]);
    assert_eq!(exceptions(&mix["escaped"]), ["IllegalStateException 1 Colours.mix:16"]);
    assert_eq!(mix["siblings"][0]["pair"], watched.pairs()[2]["id"]);
    assert_eq!(mix["siblings"][0]["count"], 2);
    assert_eq!((&mix["try_line"], &mix["catch_line"]), (&13.into(), &17.into()));
}

#[test]
fn the_first_origins_of_a_class_are_kept_and_all_are_counted() {
    let program = Program::new(
        "Origins",
        r#"
public class Origins {
    public static void main(String[] args) {
        for (int i = 0; i < 100; i++) {
            try {
                switch (i) {
                    case 0: Integer.parseInt("x"); break;
                    case 1: throw new NumberFormatException();
                    case 2: throw new Silent();
                    case 3: throw new Liar();
                    default: throw new NumberFormatException();
                }
            } catch (RuntimeException e) { }
        }
    }
    static class Silent extends RuntimeException {
        Silent() { super(null, null, false, false); }
    }
    /** Overrides what a stack trace reader would call, and fails in it. */
    static class Liar extends RuntimeException {
        @Override public StackTraceElement[] getStackTrace() {
            try { throw new Liar(); } catch (Liar e) { throw new Error(); }
        }
    }
}
"#,
    );
    let watched = program.watch();
    assert_eq!(
        watched.colours(),
        ["main catch RuntimeException: 100 0 100 0 0 0", "getStackTrace catch Origins$Liar: 0 0 0 0 0 0"]
    );
    assert_eq!(
        exceptions(&watched.pairs()[0]["caught"]),
        [
            "NumberFormatException 98 Origins.main:7, Origins.main:8, Origins.main:11",
            "Origins$Liar 1 Origins.main:10",
            "Origins$Silent 1 none",
        ]
    );
}

#[test]
fn counts_of_many_threads_are_exact() {
    let program = Program::new(
        "Threads",
        r#"
import java.util.*;
public class Threads {
    static int use(int i) {
        try {
            if (i % 5 == 0) throw new IllegalStateException();
            if (i % 7 == 0) throw new Error();
            return i;
        } catch (IllegalStateException e) { return -1; }
    }
    public static void main(String[] args) throws Exception {
        for (int round = 0; round < 3; round++) {
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 30; t++) {
                Thread thread = new Thread(() -> {
                    for (int i = 1; i <= 3500; i++) try { use(i); } catch (Error e) { }
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) thread.join();
        }
    }
}
"#,
    );
    let watched = program.watch();
    assert_eq!(
        watched.colours(),
        [
            "use catch IllegalStateException: 315000 216000 63000 0 36000 0",
            "lambda$main$0 catch Error: 315000 279000 36000 0 0 0",
        ]
    );
    assert_eq!(watched.pairs()[0]["caught"][0]["count"], 63000);
}

#[test]
fn counts_of_virtual_threads_are_exact() {
    if !jdk::is_here(25) {
        return;
    }
    let program = Program::compiled_by(
        25,
        21,
        "Virtual",
        r#"
import java.util.concurrent.Executors;
public class Virtual {
    static int use(int i) throws Exception {
        try {
            Thread.yield();
            if (i % 3 == 0) throw new java.io.IOException();
            return i;
        } catch (java.io.IOException e) { return -1; }
    }
    public static void main(String[] args) {
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int t = 0; t < 500; t++) {
                executor.submit(() -> { for (int i = 1; i <= 30; i++) use(i); return null; });
            }
        }
    }
}
"#,
    );
    for release in [21, 25].into_iter().filter(|release| jdk::is_here(*release)) {
        let watched = watch(&[], &program.java(release));
        assert_eq!(watched.colours(), ["use catch IOException: 15000 10000 5000 0 0 0"], "Java {release}");
    }
}

fn counts_before(end: &str) -> Watched {
    let source = r#"
public class Ends {
    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 1000; i++) {
            try { if (i % 2 == 0) throw new IllegalStateException(); } catch (IllegalStateException e) { }
        }
        try { END } catch (IllegalStateException e) { } finally { System.out.print(""); }
    }
}
"#;
    Program::new("Ends", &source.replace("END", end)).watch()
}

fn check_counts_before(end: &str, exit_code: i32, ended: &str) {
    let watched = counts_before(end);
    assert_eq!(
        watched.colours(),
        [
            "main catch IllegalStateException: 1000 500 500 0 0 0",
            "main catch IllegalStateException: 1 0 0 0 0 1"
        ]
    );
    assert_eq!(watched.exit_code(), Some(exit_code), "{}", error_text(&watched.output));
    assert_eq!(watched.json["jvms"][0]["ended"], ended);
}

#[test]
fn exit_inside_a_try_leaves_it_open() {
    check_counts_before("System.exit(5);", 5, "orderly");
}

#[test]
fn halt_keeps_the_counts() {
    check_counts_before("Runtime.getRuntime().halt(6);", 6, "orderly");
}

#[test]
fn a_kill_keeps_the_counts() {
    let kill = r#"new ProcessBuilder("kill", "-9", "" + ProcessHandle.current().pid()).start().waitFor(); Thread.sleep(60000);"#;
    check_counts_before(kill, 137, "killed");
}

#[test]
fn a_signal_to_the_watcher_ends_the_program_and_still_gives_a_report() {
    let kill_parent = r#"new ProcessBuilder("kill", "-TERM", "" + ProcessHandle.current().parent().get().pid())
        .start().waitFor(); Thread.sleep(60000);"#;
    check_counts_before(kill_parent, 143, "orderly");
}

#[test]
fn an_uncaught_exception_looks_as_without_us() {
    let program = Program::new(
        "Uncaught",
        r#"
public class Uncaught {
    public static void main(String[] args) {
        try { deeper(); } catch (IllegalArgumentException e) { }
    }
    static void deeper() { throw new IllegalStateException("nobody's"); }
}
"#,
    );
    let plain =
        std::process::Command::new(&program.java(17)[0]).args(&program.java(17)[1..]).output().unwrap();
    let watched = program.watch();
    assert_eq!(watched.exit_code(), plain.status.code());
    assert_eq!(error_text(&watched.output), String::from_utf8_lossy(&plain.stderr));
    assert_eq!(watched.colours(), ["main catch IllegalArgumentException: 1 0 0 0 1 0"]);
    assert_eq!(exceptions(&watched.pairs()[0]["escaped"]), ["IllegalStateException 1 Uncaught.deeper:6"]);
}

/// Loads a class from two folders by two loaders each: equal bytes are one class, different bytes are two.
const LOADERS: &str = r#"
import java.io.File;
import java.net.*;
public class Loaders {
    public static void main(String[] args) throws Exception {
        for (String folder : args) {
            URL[] urls = { new File(folder).toURI().toURL() };
            try (URLClassLoader loader = new URLClassLoader(urls, null)) {
                ((Runnable) loader.loadClass("Job").getConstructor().newInstance()).run();
            }
        }
    }
}
"#;

#[test]
fn equal_bytes_are_summed_and_different_bytes_kept_apart() {
    let job = |body: &str| {
        let source = "public class Job implements Runnable {
            public void run() { try { BODY } catch (RuntimeException e) { } } }";
        Program::new("Job", &source.replace("BODY", body))
    };
    let (pink, white) = (job("System.out.print(\"\");"), job("throw new RuntimeException();"));
    let folders = [&pink, &pink, &white].map(|program| program.classes.display().to_string());
    let loaders = Program::new("Loaders", LOADERS);
    let mut command = loaders.java(17);
    command.extend(folders.clone());
    let watched = watch(&[], &command);
    let mut seen: Vec<_> = watched
        .pairs()
        .iter()
        .filter(|pair| pair["class"] == "Job")
        .map(|pair| {
            (pair["code_sources"][0].as_str().unwrap().to_owned(), pair["usages"]["entries"].as_u64())
        })
        .collect();
    seen.sort();
    let mut expected = vec![(folders[0].clone(), Some(2)), (folders[2].clone(), Some(1))];
    expected.sort();
    assert_eq!(seen, expected);
}

fn colours_jar(program: &Program) -> String {
    let jar = program.folder.path().join("app.jar");
    let mut zip = zip::ZipWriter::new(fs::File::create(&jar).unwrap());
    zip.start_file("Colours.class", zip::write::SimpleFileOptions::default()).unwrap();
    std::io::Write::write_all(&mut zip, &fs::read(program.classes.join("Colours.class")).unwrap()).unwrap();
    zip.finish().unwrap();
    jar.display().to_string()
}

/// Such a cache holds classes that are linked before any agent is asked.
#[test]
fn classes_of_an_ahead_of_time_cache_are_watched() {
    if !jdk::is_here(25) {
        return;
    }
    let program = Program::new("Colours", COLOURS);
    let jar = colours_jar(&program);
    let cache = program.folder.path().join("app.aot").display().to_string();
    let made = std::process::Command::new(java(25))
        .args([&format!("-XX:AOTCacheOutput={cache}"), "-cp", &jar, "Colours"])
        .output()
        .unwrap();
    assert!(fs::exists(&cache).unwrap(), "{}", error_text(&made));
    let command = [java(25), format!("-XX:AOTCache={cache}"), "-cp".into(), jar, "Colours".into()];
    assert_eq!(watch(&["--include", "Colours"], &command).colours(), EXPECTED_COLOURS);
}

#[test]
fn classes_in_jars_are_watched_only_on_request() {
    let program = Program::new("Colours", COLOURS);
    let command = [java(17), "-cp".into(), colours_jar(&program), "Colours".into()];
    let nothing = watch(&[], &command);
    assert_eq!((nothing.pairs().len(), nothing.exit_code()), (0, Some(3)));
    assert_eq!(watch(&["--include", "Col*"], &command).colours(), EXPECTED_COLOURS);
    let excluded = watch(&["--include", "Col*", "--exclude", "*ours"], &command);
    assert_eq!(excluded.pairs().len(), 0);
}

#[test]
fn classes_in_named_modules_are_watched() {
    let folder = tempfile::tempdir().unwrap();
    let (module, source) = (folder.path().join("module-info.java"), folder.path().join("Colours.java"));
    fs::write(&module, "module app { exports app; }").unwrap();
    fs::write(&source, format!("package app; {COLOURS}")).unwrap();
    let classes = catchment_testkit::compilers::javac(17, 11, &["-g"], &[module, source]).unwrap();
    let command =
        [java(17), "-p".into(), classes.display().to_string(), "-m".into(), "app/app.Colours".into()];
    assert_eq!(watch(&[], &command).colours(), EXPECTED_COLOURS);
}

#[test]
fn every_jvm_of_a_script_counts_and_jvms_without_application_classes_are_not_listed() {
    let program = Program::new("Colours", COLOURS);
    let run = program.java(17).join(" ");
    let script =
        format!("{} -version 2>/dev/null; {run} >/dev/null 2>&1; {run} >/dev/null 2>&1; exit 0", java(17));
    let watched = watch(&[], &["sh".into(), "-c".into(), script]);
    assert_eq!(watched.json["jvms"].as_array().unwrap().len(), 2);
    assert_eq!(watched.colours()[0], "main catch IllegalStateException: 20 18 2 0 0 0");
    assert_eq!(watched.exit_code(), Some(0));
}

#[test]
fn options_of_the_user_stay_in_force() {
    let program = Program::new(
        "Property",
        "public class Property { public static void main(String[] a) { System.out.println(System.getProperty(\"p\")); } }",
    );
    let output = catchment()
        .args(["watch", "--output", "-", "--"])
        .args(program.java(17))
        .env("JAVA_TOOL_OPTIONS", "-Dp=kept")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text, "kept\n0 try-catch pairs of loaded classes in 1 JVM: 0 entered, 0 caught something\n");
}

#[test]
fn the_report_for_people_is_on_stderr_and_says_all_of_it() {
    let program = Program::new("Colours", COLOURS);
    let output = catchment().args(["watch", "--"]).args(program.java(17)).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "out\n");
    let expected = "\
err
Colours.main  Colours.java:7  catch IllegalStateException
    entered 10 times: 9 without exception, 1 caught here, 0 not caught here, 0 unfinished
    caught    1 java.lang.IllegalStateException  from Colours.mix:16
Colours.mix  Colours.java:17  catch IllegalArgumentException
    entered 10 times: 4 without exception, 3 caught here, 3 not caught here, 0 unfinished
    caught    3 java.lang.IllegalArgumentException  from Colours.mix:14
    elsewhere 2 caught by another clause of this try
    escaped   1 java.lang.IllegalStateException  from Colours.mix:16
Colours.mix  Colours.java:19  catch ArithmeticException
    entered 10 times: 4 without exception, 2 caught here, 4 not caught here, 0 unfinished
    caught    2 java.lang.ArithmeticException  from Colours.mix:15
    elsewhere 3 caught by another clause of this try
    escaped   1 java.lang.IllegalStateException  from Colours.mix:16
3 try-catch pairs of loaded classes in 1 JVM: 3 entered, 3 caught something
";
    assert_eq!(error_text(&output), expected);
}

#[test]
fn classes_made_at_run_time_are_named_and_left_alone() {
    let program = Program::new(
        "Made",
        r#"
import java.io.*;
import java.lang.invoke.MethodHandles;
public class Made {
    public static void main(String[] args) throws Exception {
        byte[] bytes;
        try (InputStream in = Made.class.getResourceAsStream("Made$Template.class")) { bytes = in.readAllBytes(); }
        String text = new String(bytes, "ISO-8859-1").replace("Made$Template", "Made$Tomplate");
        MethodHandles.lookup().defineClass(text.getBytes("ISO-8859-1")).getConstructor().newInstance();
    }
    public static class Template {
        public Template() { try { System.out.print(""); } catch (RuntimeException e) { } }
    }
}
"#,
    );
    let watched = program.watch();
    assert_eq!(watched.json["skipped"][0]["class"], "Made$Tomplate");
    assert_eq!(watched.exit_code(), Some(0), "{}", error_text(&watched.output));
}

/// Loads its classes itself and asks its parent for the platform's only.
const ISOLATING: &str = r#"
import java.io.InputStream;
public class Isolating extends ClassLoader {
    @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.startsWith("java.")) return super.loadClass(name, resolve);
        if (!name.startsWith("Isolating$")) throw new ClassNotFoundException(name);
        try (InputStream in = Isolating.class.getResourceAsStream(name + ".class")) {
            byte[] bytes = in.readAllBytes();
            return defineClass(name, bytes, 0, bytes.length, Isolating.class.getProtectionDomain());
        } catch (java.io.IOException e) { throw new ClassNotFoundException(name, e); }
    }
    public static void main(String[] args) throws Exception {
        ((Runnable) new Isolating().loadClass("Isolating$Inside").getConstructor().newInstance()).run();
    }
    public static class Inside implements Runnable {
        public void run() { try { System.out.println("ran"); } catch (RuntimeException e) { } }
    }
}
"#;

#[test]
fn a_loader_that_hides_the_runtime_keeps_its_classes_as_they_are() {
    let watched = Program::new("Isolating", ISOLATING).watch();
    assert_eq!(
        (watched.stdout().as_str(), watched.exit_code()),
        ("ran\n", Some(0)),
        "{}",
        error_text(&watched.output)
    );
    assert_eq!(watched.json["skipped"][0]["class"], "Isolating$Inside");
    assert_eq!(watched.json["skipped"][0]["reason"], "its class loader hides the probe runtime from it");
}

/// Far more probes than fit into the first piece of the counter file.
fn program_with_many_tries() -> Program {
    let tries = "try { n++; } catch (RuntimeException e) { n--; }\n".repeat(100);
    let class = |number: usize| {
        format!("static class C{number} {{ static int n; static void run() {{ {tries} }} }}\n")
    };
    let classes: String = (0..20).map(class).collect();
    let calls: String = (0..20).map(|number| format!("C{number}.run();")).collect();
    let main = format!("public static void main(String[] a) {{ {calls} System.out.println(C19.n); }}");
    Program::new("Many", &format!("public class Many {{ {classes} {main} }}"))
}

#[test]
fn the_counter_file_grows() {
    let watched = program_with_many_tries().watch();
    assert_eq!(watched.pairs().len(), 2000);
    assert!(watched.colours().iter().all(|line| line == "run catch RuntimeException: 1 1 0 0 0 0"));
}

#[test]
fn a_full_disk_costs_observation_not_the_program() {
    let program = program_with_many_tries();
    let script = format!("ulimit -f 800; exec {}", program.java(17).join(" "));
    let watched = watch(&[], &["sh".into(), "-c".into(), script]);
    assert_eq!(
        (watched.stdout().as_str(), watched.exit_code()),
        ("100\n", Some(0)),
        "{}",
        error_text(&watched.output)
    );
    let skipped = watched.json["skipped"].as_array().unwrap();
    assert!(
        skipped.iter().any(|each| each["reason"].as_str().unwrap().starts_with("no room for its counters"))
    );
    assert!(!watched.pairs().is_empty() && watched.pairs().len() < 2000);
    assert!(watched.colours().iter().all(|line| line == "run catch RuntimeException: 1 1 0 0 0 0"));
}

#[test]
fn json_without_a_file_is_the_last_line_of_stdout() {
    let program = Program::new("Colours", COLOURS);
    let output = catchment().args(["watch", "--json", "--"]).args(program.java(17)).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (program_text, report) = text.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(program_text, "out");
    let json: serde_json::Value = serde_json::from_str(report).unwrap();
    assert_eq!((&json["schema"], &json["exit"]["code"]), (&"catchment.watch/1".into(), &3.into()));
    for pointer in ["/schema", "/exit", "/jvms/0/ended", "/pairs/0/usages/pink", "/pairs/1/caught/0/count"] {
        assert_schema_refuses("watch", &json, pointer, "other".into());
    }
}

#[test]
fn odd_cache_folders_do() {
    let program = Program::new("Colours", COLOURS);
    for cache in ["with blank", "with=sign", "file/inside"] {
        fs::write(program.folder.path().join("file"), "").unwrap();
        let output = catchment()
            .args(["watch", "--output", "-", "--"])
            .args(program.java(17))
            .env("XDG_CACHE_HOME", program.folder.path().join(cache))
            .env("HOME", program.folder.path().join("file"))
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.ends_with("3 entered, 3 caught something\n"), "{cache}: {text}{}", error_text(&output));
    }
}

#[test]
fn stack_overflows_leave_the_program_running_and_are_mentioned() {
    let program = Program::new(
        "Deep",
        r#"
public class Deep {
    static int down(int depth) {
        try { return down(depth + 1); } catch (StackOverflowError e) { throw e; }
    }
    public static void main(String[] args) {
        for (int i = 0; i < 10; i++) { try { down(0); } catch (StackOverflowError e) { System.out.print(i); } }
    }
}
"#,
    );
    for mode in ["-Xint", "-Xmixed", "-Xcomp"] {
        let mut command = program.java(17);
        command.insert(1, mode.to_owned());
        let watched = watch(&[], &command);
        assert_eq!((watched.stdout().as_str(), watched.exit_code()), ("0123456789", Some(0)), "{mode}");
        assert_eq!(watched.colours()[1], "main catch StackOverflowError: 10 0 10 0 0 0", "{mode}");
        let whats: Vec<_> = watched.problems().iter().map(|each| each["what"].as_str().unwrap()).collect();
        assert!(whats.iter().any(|what| what.contains("saw stack overflows")), "{mode}: {whats:?}");
    }
}

#[test]
fn a_system_class_loader_of_the_application_is_named_as_too_early() {
    let source = r#"
public class Early extends ClassLoader {
    public Early(ClassLoader parent) {
        super(parent);
        try { System.getProperty("x"); } catch (RuntimeException e) { }
    }
    public static void main(String[] args) { System.out.println(ClassLoader.getSystemClassLoader() instanceof Early); }
}
"#;
    let program = Program::new("Early", source);
    let mut command = program.java(17);
    command.insert(1, "-Djava.system.class.loader=Early".to_owned());
    let watched = watch(&[], &command);
    assert_eq!(watched.stdout(), "true\n");
    assert_eq!(watched.json["skipped"][0]["class"], "Early");
    assert_eq!(watched.json["skipped"][0]["reason"], "loaded before the JVM was initialised");
}

#[test]
fn classes_changed_before_us_are_a_problem() {
    let program = Program::new(
        "Changing",
        r#"
import java.io.InputStream;
public class Changing extends ClassLoader {
    @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.equals("Changing$Inside")) return super.loadClass(name, resolve);
        try (InputStream in = Changing.class.getResourceAsStream(name + ".class")) {
            byte[] bytes = new String(in.readAllBytes(), "ISO-8859-1").replace("built", "BUILT").getBytes("ISO-8859-1");
            return defineClass(name, bytes, 0, bytes.length, Changing.class.getProtectionDomain());
        } catch (java.io.IOException e) { throw new ClassNotFoundException(name, e); }
    }
    public static void main(String[] args) throws Exception {
        ((Runnable) new Changing().loadClass("Changing$Inside").getConstructor().newInstance()).run();
    }
    public static class Inside implements Runnable {
        public void run() { try { System.out.println("built"); } catch (RuntimeException e) { } }
    }
}
"#,
    );
    let watched = program.watch();
    assert_eq!(watched.stdout(), "BUILT\n");
    assert!(watched.colours().contains(&"run catch RuntimeException: 1 1 0 0 0 0".to_owned()));
    assert_eq!(watched.problems()[0]["where"], "Changing$Inside");
    assert!(watched.problems()[0]["what"].as_str().unwrap().contains("not loaded as built"));
}

#[test]
fn a_watch_inside_a_watch_is_refused() {
    let program = Program::new("Colours", COLOURS);
    let mut command = vec![env!("CARGO_BIN_EXE_catchment").to_owned(), "watch".to_owned(), "--".to_owned()];
    command.extend(program.java(17));
    let output = catchment().args(["watch", "--"]).args(&command).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", error_text(&output));
    assert!(error_text(&output).contains("already a watched command"), "{}", error_text(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
}

/// A class that is loaded when the stack is nearly full: even asking for its code source may overflow, and it must not
/// go unwatched.
#[test]
fn a_class_loaded_at_the_end_of_the_stack_is_watched() {
    let program = Program::new(
        "Bottom",
        r#"
public class Bottom {
    static boolean isLoaded;
    static void down() {
        try { down(); } catch (StackOverflowError e) { if (!isLoaded) { Late.touch(); isLoaded = true; } }
    }
    public static void main(String[] args) { down(); Late.use(); }
    static class Late {
        static int n;
        static void touch() { n++; }
        static void use() { try { n++; } catch (RuntimeException e) { n--; } }
    }
}
"#,
    );
    for mode in ["-Xint", "-Xmixed"] {
        let mut command = program.java(17);
        command.insert(1, mode.to_owned());
        let watched = watch(&[], &command);
        assert_eq!(watched.exit_code(), Some(0), "{}", error_text(&watched.output));
        let expected = "use catch RuntimeException: 1 1 0 0 0 0".to_owned();
        assert!(watched.colours().contains(&expected), "{mode}: {:?}", watched.colours());
    }
}

/// The reader of the report may close its end early; the program's exit code counts all the same.
#[test]
fn a_closed_pipe_does_not_hide_the_exit_code() {
    let program = Program::new("Colours", COLOURS);
    let mut process = catchment()
        .args(["watch", "--json", "--"])
        .args(program.java(17))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    drop(process.stdout.take());
    assert_eq!(process.wait().unwrap().code(), Some(3));
}
