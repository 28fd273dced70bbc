//! The cache of `catchment links`, of the JDK and of programs, changes nothing but the time that it takes.

use crate::support::{Program, catchment, copy_folder, error_text, point_of};
use catchment_testkit::jdk;
use catchment_testkit::links::Fixture;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Runs of one class path with a cache folder of their own.
struct Runs {
    cache: tempfile::TempDir,
    class_path: Vec<PathBuf>,
    options: &'static [&'static str],
}

impl Runs {
    fn of(class_path: Vec<PathBuf>, options: &'static [&'static str]) -> Self {
        Self { cache: tempfile::tempdir().unwrap(), class_path, options }
    }

    fn run(&self, options: &[&str]) -> String {
        String::from_utf8(self.output(options).stdout).unwrap()
    }

    fn output(&self, options: &[&str]) -> Output {
        let mut command = catchment();
        // What other tests have left in any folder that is looked into would be read.
        for folder in ["XDG_CACHE_HOME", "HOME", "TMPDIR"] {
            command.env(folder, self.cache.path());
        }
        command.env("JAVA_HOME", jdk::installed(17).unwrap().home());
        command.args(["links", "--classpath"]).arg(std::env::join_paths(&self.class_path).unwrap());
        let output = command.args(self.options).args(options).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", error_text(&output));
        output
    }

    /// All that JSON tells but how long it took, and all methods that are reached.
    fn told(&self, options: &[&str]) -> (Value, String) {
        let methods = self.cache.path().join("methods");
        let options: Vec<&str> =
            ["--json", "--methods", methods.to_str().unwrap()].iter().chain(options).copied().collect();
        let mut told: Value = serde_json::from_str(&self.run(&options)).unwrap();
        told["stats"]["seconds"] = json!(null);
        told["stats"]["peak_mib"] = json!(null);
        (told, fs::read_to_string(methods).unwrap())
    }

    /// Files of the JDK.
    fn cached(&self) -> Vec<PathBuf> {
        self.cached_in("jdk")
    }

    fn cached_in(&self, section: &str) -> Vec<PathBuf> {
        let folder = self.cache.path().join("catchment").join(section);
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    /// So that the JDK is asked again.
    fn forget_programs(&self) {
        fs::remove_dir_all(self.cache.path().join("catchment/programs")).unwrap();
    }
}

fn fixture(name: &str) -> Vec<PathBuf> {
    Fixture::read(name).unwrap().compile().unwrap().class_path
}

fn age_of(path: &Path) -> std::time::SystemTime {
    fs::metadata(path).unwrap().modified().unwrap()
}

#[test]
fn runs_that_write_read_or_ignore_the_cache_tell_the_same() {
    let mut runs = Runs::of(Vec::new(), &["--entry", "Main", "--analysis", "pta"]);
    for name in ["service-loader", "lambdas", "reflection"] {
        runs.class_path = fixture(name);
        let without = runs.told(&["--no-cache"]);
        let is_first = runs.cached().is_empty();
        assert_eq!(is_first, name == "service-loader", "what was to be ignored was written");
        assert_eq!(runs.told(&[]), without, "{name}");
        assert_eq!(runs.cached().len(), 1, "one JDK, one analysis");
        assert_eq!(runs.told(&[]), without, "{name}, as a whole");
        runs.forget_programs();
        assert_eq!(runs.told(&[]), without, "{name}, on the JDK");
        assert_eq!(runs.run(&["--why", "1"]), runs.run(&["--why", "1", "--no-cache"]), "{name}");
    }
}

#[test]
fn filters_and_faults_share_what_is_kept_and_other_analyses_do_not() {
    let mut runs = Runs::of(fixture("buffered-file-and-socket"), &["--entry", "Main", "--analysis", "inpta"]);
    let without = runs.told(&["--no-cache"]);
    assert_eq!(runs.told(&[]), without);
    runs.options = &["--entry", "Main", "--analysis", "inpta+mdr"];
    let filtered = runs.told(&[]);
    assert_eq!(runs.cached().len(), 1);
    assert_eq!(filtered, runs.told(&["--no-cache"]));
    runs.options = &["--entry", "Main", "--analysis", "pta"];
    runs.told(&[]);
    assert_eq!(runs.cached().len(), 2);
    runs.options = &["--entry", "Main", "--analysis", "rta"];
    runs.told(&[]);
    assert_eq!(runs.cached().len(), 2, "there is no base for analyses by classes");
}

#[test]
fn damaged_files_are_written_anew_and_deleted_ones_are_not_missed() {
    let runs = Runs::of(fixture("nesting"), &["--entry", "Main", "--analysis", "pta"]);
    let first = runs.told(&[]);
    let [file] = &runs.cached()[..] else { panic!("{:?}", runs.cached()) };
    let whole = fs::read(file).unwrap();
    fs::write(file, &whole[..whole.len() / 2]).unwrap();
    runs.forget_programs();
    assert_eq!(runs.told(&[]), first);
    assert!(fs::read(file).unwrap() == whole, "what is written follows from its name alone");
    let before = age_of(file);
    runs.forget_programs();
    assert_eq!(runs.told(&[]), first);
    assert!(age_of(file) > before, "it was used");
    let [program] = &runs.cached_in("programs")[..] else { panic!("{:?}", runs.cached_in("programs")) };
    fs::write(program, b"something else").unwrap();
    assert_eq!(runs.told(&[]), first);
    fs::remove_dir_all(runs.cache.path().join("catchment")).unwrap();
    assert_eq!(runs.told(&[]), first);
}

#[test]
fn a_program_is_known_by_its_classes_its_services_and_what_is_asked_of_it() {
    let (folder, compiled) = (tempfile::tempdir().unwrap(), fixture("service-loader"));
    let classes = folder.path().join("classes");
    compiled.iter().for_each(|folder| copy_folder(folder, &classes));
    let mut runs = Runs::of(vec![classes.clone()], &["--entry", "Main", "--analysis", "rta"]);
    let programs = |runs: &Runs| runs.cached_in("programs").len();
    let first = runs.told(&[]);
    assert_eq!(
        (runs.told(&["--by", "trigger"]).0["links"].clone(), programs(&runs)),
        (first.0["links"].clone(), 1)
    );

    runs.options = &["--entry", "Main", "--analysis", "rta", "--implicit"];
    runs.told(&[]);
    assert_eq!(programs(&runs), 2);
    runs.options = &["--entry", "Main", "--analysis", "rta"];
    let services = classes.join("META-INF/services");
    fs::remove_dir_all(services).unwrap();
    let without = runs.told(&[]);
    assert_eq!(programs(&runs), 3);
    assert_ne!(without, first, "nobody provides the service");
    assert_eq!(without, runs.told(&["--no-cache"]));

    let class = Program::new("Main", "public class Main { public static void main(String[] args) { } }");
    copy_folder(&class.classes, &classes);
    let other = runs.told(&[]);
    assert_eq!(other, runs.told(&["--no-cache"]));
    assert_ne!(other, without);
}

/// A class that the JDK has as well, and that says something else.
const JOINER: &str = r#"
package java.util;
public final class StringJoiner {
    public StringJoiner(CharSequence delimiter) { }
    public StringJoiner(CharSequence delimiter, CharSequence prefix, CharSequence suffix) { }
    public StringJoiner add(CharSequence more) { throw new IllegalStateException(); }
}
"#;

#[test]
fn a_program_with_its_own_class_of_the_jdk_is_analysed_with_that_class() {
    const MAIN: &str = r#"
public class Main {
    public static void main(String[] arguments) {
        try { new java.util.StringJoiner(",").add("a"); } catch (IllegalStateException e) { System.out.println(e); }
    }
}
"#;
    let program = Program::new("Main", MAIN);
    let runs = Runs::of(vec![program.classes.clone()], &["--entry", "Main", "--analysis", "pta"]);
    let of_joiner = |(told, _): &(Value, String)| {
        let links = told["links"].as_array().unwrap().iter();
        links.filter(|link| point_of(told, link)["class"] == "java.util.StringJoiner").count()
    };
    let plain = runs.told(&[]);
    assert_eq!(of_joiner(&plain), 0);

    let source = program.folder.path().join("java.base/java/util/StringJoiner.java");
    fs::create_dir_all(source.parent().unwrap()).unwrap();
    fs::write(&source, JOINER).unwrap();
    let mut javac = jdk::installed(17).unwrap().command("javac");
    javac
        .arg("--patch-module")
        .arg(format!("java.base={}", program.folder.path().join("java.base").display()));
    let compiled = javac.arg("-d").arg(&program.classes).arg(&source).output().unwrap();
    assert!(compiled.status.success(), "{}", error_text(&compiled));

    let shadowed = runs.told(&[]);
    assert_eq!(of_joiner(&shadowed), 1, "{shadowed:#?}");
    assert_eq!(shadowed, runs.told(&["--no-cache"]));
    fs::remove_dir_all(program.classes.join("java")).unwrap();
    assert_eq!(runs.told(&[]), plain, "what is cached is that of the JDK alone");
}

#[test]
fn a_cache_folder_that_others_may_write_to_is_neither_read_nor_written() {
    let runs = Runs::of(fixture("lambdas"), &["--entry", "Main", "--analysis", "pta"]);
    runs.run(&[]);
    let folder = runs.cache.path().join("catchment");
    let cached = runs.cached();
    let before = age_of(&cached[0]);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    let words = error_text(&runs.output(&[]));
    assert_eq!(words.matches("is not used: other users may write to it").count(), 1, "{words}");
    assert_eq!((runs.cached(), age_of(&cached[0])), (cached, before));
    let words = error_text(&runs.output(&["--no-cache"]));
    assert!(!words.contains("is not used"), "{words}");
}
