//! Class files may name everything as they like; what people read shows it escaped. Each command is asked about one
//! program whose classes, methods, exception and source file have such names.

use crate::support::{catchment, copy_folder, error_text, java};
use catchment_testkit::{compilers, jdk, maven, workspace};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Newlines, an escape sequence, a bell, NUL, marks for another direction, and a command to a build server.
const HOSTILE: &str = "\n::error::x\r\u{1b}c\u{7}\0\u{202e}\u{2066}\u{200b}\u{9b}";
/// For what becomes the name of a file.
const HOSTILE_FILE: &str = "\n::error::x\r\u{1b}c\u{7}\u{202e}\u{9b}";

const APPLICATION: &str = r#"
package app;
public class Main {
    static int count;
    public static void main(String[] a) throws Exception { new Main().worker(1); }
    public int worker(int number) {
        count = 0;
        try { count = 1; if (number > 0) helper(number); return count; } catch (Failure e) { return 10 + count; }
    }
    static void helper(int number) throws Failure { throw new Failure("message\u001bc\n::error::message"); }
    public void open(String path) throws Failure, java.io.IOException {
        try { new java.io.FileInputStream(path).read(); } finally { helper(1); }
    }
}
class Failure extends Exception { Failure(String message) { super(message); } }
"#;

const TESTS: &str = r#"
package app;
import static org.junit.Assert.assertEquals;
public class MainTest {
    @org.junit.Test public void checksit() { assertEquals("\u001bc\n::error::expected", 11, new Main().worker(1)); }
}
"#;

/// The constants of names in class files, and what they become.
fn renamed() -> Vec<(&'static str, String)> {
    vec![
        ("app/Failure", format!("app/Failure{HOSTILE_FILE}")),
        ("worker", format!("worker{HOSTILE}")),
        ("helper", format!("{HOSTILE}helper")),
        ("checksit", format!("checksit{HOSTILE_FILE}")),
        ("Main.java", format!("{HOSTILE}Main.java")),
    ]
}

/// Renames in all constants that are text, as a compiler for another language could have done it.
fn rename_in_class(bytes: &[u8]) -> Vec<u8> {
    let u16_at = |at: usize| usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]));
    let mut out = bytes[..10].to_vec();
    let (mut at, mut number) = (10, 1);
    while number < u16_at(8) {
        let (size, slots) = match bytes[at] {
            1 => (3 + u16_at(at + 1), 1),
            3 | 4 | 9..=12 | 17 | 18 => (5, 1),
            5 | 6 => (9, 2),
            7 | 8 | 16 | 19 | 20 => (3, 1),
            15 => (4, 1),
            tag => panic!("constant {tag}"),
        };
        let constant = &bytes[at..at + size];
        if constant[0] == 1 {
            let mut text = String::from_utf8(constant[3..].to_vec()).unwrap();
            for (from, to) in renamed() {
                text = text.replace(from, &to);
            }
            // NUL has two bytes there.
            let text = text.into_bytes();
            let text: Vec<u8> = text.into_iter().flat_map(modified).collect();
            out.push(1);
            out.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
            out.extend(text);
        } else {
            out.extend(constant);
        }
        (at, number) = (at + size, number + slots);
    }
    out.extend(&bytes[at..]);
    out
}

fn modified(byte: u8) -> Vec<u8> {
    if byte == 0 { vec![0xc0, 0x80] } else { vec![byte] }
}

fn rename_all(folder: &Path) {
    for class in workspace::files_below(folder).unwrap() {
        let renamed_class = rename_in_class(&fs::read(&class).unwrap());
        let mut path = class.to_str().unwrap().to_owned();
        fs::remove_file(&class).unwrap();
        for (from, to) in renamed() {
            path = path.replace(from, &to);
        }
        fs::write(path, renamed_class).unwrap();
    }
}

struct Hostile {
    folder: tempfile::TempDir,
    test_class_path: Vec<PathBuf>,
}

impl Hostile {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let junit = maven::resolve_with_dependencies(&["junit:junit:4.13.2"]).unwrap();
        let place = |name: &str| folder.path().join(name);
        for (name, source) in [("Main.java", APPLICATION), ("MainTest.java", TESTS)] {
            fs::write(place(name), source).unwrap();
        }
        let main = compilers::javac(17, 11, &["-g"], &[place("Main.java")]).unwrap();
        let class_path = std::env::join_paths(std::iter::once(&main).chain(&junit)).unwrap();
        let options = ["-g", "-cp", class_path.to_str().unwrap()];
        let tests = compilers::javac(17, 11, &options, &[place("MainTest.java")]).unwrap();
        for (from, to) in [(main, "main"), (tests, "test")] {
            copy_folder(&from, &place(to));
            rename_all(&place(to));
        }
        let test_class_path = std::iter::once(place("test")).chain(junit).collect();
        Self { folder, test_class_path }
    }

    fn main(&self) -> PathBuf {
        self.folder.path().join("main")
    }

    fn command(&self, name: &str) -> Command {
        let mut command = catchment();
        command.arg(name).current_dir(self.folder.path());
        command.env("JAVA_HOME", jdk::installed(17).unwrap().home());
        command
    }

    fn tested_by(&self, name: &str) -> Command {
        let mut command = self.command(name);
        command.arg("--classpath").arg(self.main());
        command.arg("--test-classpath").arg(std::env::join_paths(&self.test_class_path).unwrap());
        command
    }
}

/// Nothing of it reaches a terminal or begins a line.
fn assert_plain(what: &str, text: &str) {
    let raw = |c: char| c != '\n' && (c.is_control() || "\u{202e}\u{2066}\u{200b}".contains(c));
    assert_eq!(text.find(raw), None, "{what}: {text:?}");
    let command = text.lines().find(|line| line.trim_start().starts_with("::error::"));
    assert_eq!(command, None, "{what}: {text}");
}

fn assert_plain_output(what: &str, output: &Output, codes: &[i32]) -> String {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(codes.contains(&output.status.code().unwrap()), "{what}: {}", error_text(output));
    assert_plain(what, &text);
    assert_plain(what, &error_text(output));
    text
}

#[test]
fn commands_that_read_class_files_show_hostile_names_escaped() {
    let hostile = Hostile::new();
    let methods = hostile.folder.path().join("methods");
    let listing = [&["handlers", "main", "--filtered"][..]];
    let links = |more: &'static [&'static str]| {
        let classes = ["links", "--classpath", "main", "--entry-points", "api", "--analysis", "cha"];
        [&classes[..], more].concat()
    };
    let mut commands: Vec<Vec<&str>> = listing.iter().map(|arguments| arguments.to_vec()).collect();
    let views: [&[&str]; 7] = [
        &["--all", "--no-cache"],
        &["--by", "trigger", "--all"],
        &["--why", "helper"],
        &["--escapes", "--all"],
        &["--blind-spots"],
        &["--catalogue"],
        &["--methods", "methods"],
    ];
    commands.extend(views.map(links));
    for arguments in commands {
        let output = hostile.command(arguments[0]).args(&arguments[1..]).output().unwrap();
        let text = assert_plain_output(&format!("{arguments:?}"), &output, &[0]);
        let is_without_names = arguments.iter().any(|each| ["--blind-spots", "--catalogue"].contains(each));
        assert!(
            is_without_names || text.contains("\\n::error::x\\r\\u001bc\\u0007"),
            "{arguments:?}: {text}"
        );
    }
    let methods = fs::read_to_string(methods).unwrap();
    assert_plain("--methods", &methods);
    assert!(methods.contains("worker\\n::error"), "{methods}");
}

#[test]
fn a_watched_run_shows_hostile_names_escaped() {
    let hostile = Hostile::new();
    let mut command = hostile.command("watch");
    command.args(["--output", "-", "--", &java(17), "-cp", "main", "app.Main"]);
    let text = assert_plain_output("watch", &command.output().unwrap(), &[0]);
    assert!(text.contains("worker\\n::error") && text.contains("caught    1 app.Failure\\n"), "{text}");
}

#[test]
fn what_tests_say_of_hostile_names_is_escaped() {
    let hostile = Hostile::new();
    for arguments in [&["--list"][..], &["--all", "--stats", "--selective", "--fine"], &[]] {
        let output = hostile.tested_by("check").args(arguments).output().unwrap();
        let text = assert_plain_output(&format!("check {arguments:?}"), &output, &[0, 1]);
        assert!(text.contains("Failure\\n::error::x") && text.contains("checksit\\n"), "{text}");
    }
    let text = assert_plain_output("stretch", &hostile.tested_by("stretch").output().unwrap(), &[0]);
    assert!(text.contains("clause"), "{text}");
}
