//! Runs the real binary on small Java programs.

use catchment_testkit::{compilers, jdk, schema, workspace};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The compiled binary, away from the user's own cache and Java options.
pub(crate) fn catchment() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_catchment"));
    command.env_remove("JAVA_TOOL_OPTIONS").env_remove("JDK_JAVA_OPTIONS");
    command.env("XDG_CACHE_HOME", workspace::target_folder("test-cache").unwrap());
    command
}

/// A Java program: one source file, compiled by JDK 17 for Java 11, in a folder of its own.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) classes: PathBuf,
    main: String,
}

impl Program {
    pub(crate) fn new(main: &str, source: &str) -> Self {
        Self::compiled_by(17, 11, main, source)
    }

    pub(crate) fn compiled_by(jdk: u32, release: u32, main: &str, source: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(format!("{main}.java"));
        fs::write(&file, source).unwrap();
        let cached = compilers::javac(jdk, release, &["-g"], &[file]).unwrap();
        let classes = folder.path().join("classes");
        copy_folder(&cached, &classes);
        Self { folder, classes, main: main.to_owned() }
    }

    /// `java -cp <classes> <main>` of the given release.
    pub(crate) fn java(&self, release: u32) -> Vec<String> {
        vec![java(release), "-cp".to_owned(), self.classes.display().to_string(), self.main.clone()]
    }

    pub(crate) fn watch(&self) -> Watched {
        watch(&[], &self.java(17))
    }
}

pub(crate) fn java(release: u32) -> String {
    jdk::runtime(release).unwrap().home().join("bin/java").display().to_string()
}

/// Output and report of `catchment watch --json`.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) output: Output,
    pub(crate) json: Value,
}

pub(crate) fn watch(options: &[&str], command: &[String]) -> Watched {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    let output = catchment()
        .args(["watch", "--json", "--output"])
        .arg(&file)
        .args(options)
        .arg("--")
        .args(command)
        .output()
        .unwrap();
    let text = fs::read_to_string(&file).unwrap_or_else(|_| panic!("no report: {}", error_text(&output)));
    let json = serde_json::from_str(&text).unwrap();
    assert_follows_schema("watch", &json);
    Watched { json, output }
}

/// Violations of the schema once the value at `pointer` is another.
pub(crate) fn assert_schema_refuses(command: &str, json: &Value, pointer: &str, value: Value) {
    let mut broken = json.clone();
    *broken.pointer_mut(pointer).unwrap() = value;
    assert_ne!(
        schema::violations(&schema::schema(command).unwrap(), &broken),
        Vec::<String>::new(),
        "{pointer}"
    );
}

/// `docs/schema` says what other programs can rely on.
pub(crate) fn assert_follows_schema(command: &str, json: &Value) {
    assert_eq!(schema::violations(&schema::schema(command).unwrap(), json), Vec::<String>::new());
}

impl Watched {
    pub(crate) fn exit_code(&self) -> Option<i32> {
        self.output.status.code()
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8(self.output.stdout.clone()).unwrap()
    }

    /// Per pair: `method catch Type: entries pink white sibling escaped open`.
    pub(crate) fn colours(&self) -> Vec<String> {
        self.pairs().iter().map(colours_of).collect()
    }

    pub(crate) fn pairs(&self) -> &Vec<Value> {
        self.json["pairs"].as_array().unwrap()
    }

    pub(crate) fn problems(&self) -> &Vec<Value> {
        self.json["problems"].as_array().unwrap()
    }
}

fn colours_of(pair: &Value) -> String {
    let types: Vec<_> = pair["types"].as_array().unwrap().iter().map(simple).collect();
    let usages = &pair["usages"];
    let counts =
        ["entries", "pink", "white", "sibling", "escaped", "open"].map(|key| usages[key].to_string());
    format!("{} catch {}: {}", pair["method"].as_str().unwrap(), types.join("|"), counts.join(" "))
}

fn simple(name: &Value) -> &str {
    name.as_str().unwrap().rsplit('.').next().unwrap()
}

/// `Type count origin, origin` per exception.
pub(crate) fn exceptions(list: &Value) -> Vec<String> {
    let text = |seen: &Value| {
        let origins = seen["origins"].as_array().unwrap().iter();
        let frames: Vec<_> =
            origins.map(|origin| origin["frame"].as_str().unwrap_or("none").to_owned()).collect();
        format!("{} {} {}", simple(&seen["exception"]), seen["count"], frames.join(", "))
            .trim_end()
            .to_owned()
    };
    list.as_array().unwrap().iter().map(text).collect()
}

/// The text on stderr, without the line every JVM prints about `JAVA_TOOL_OPTIONS`.
pub(crate) fn error_text(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let lines = text.lines().filter(|line| !line.starts_with("Picked up JAVA_TOOL_OPTIONS"));
    lines.map(|line| line.to_owned() + "\n").collect()
}

pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The raising point of a link of `catchment.links/2`.
pub(crate) fn point_of<'j>(json: &'j Value, link: &Value) -> &'j Value {
    &json["points"][link["from"].as_u64().unwrap() as usize]
}
