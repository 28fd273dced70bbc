//! `catchment stretch` on a Maven project: the patch, and what the project's own build says of it.

use catchment_testkit::check::{Snapshot, binary, differences};
use catchment_testkit::workspace::files_below;
use catchment_testkit::{jdk, stretch};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const JAVA: &str = "patched";
const KOTLIN: &str = "kotlin";

/// Fixtures are UTF-8; this source is not, and javac is told so.
const LATIN: &str = "src/main/java/shop/Sizes.java";

#[test]
fn a_patch_holds_what_the_projects_own_build_has_passed() {
    let project = java_project();
    let before = Snapshot::of(project.path()).expect("snapshot");

    let shown = stretch(project.path(), &["--diff"]);

    let errors = String::from_utf8_lossy(&shown.stderr);
    assert!(shown.status.success(), "{errors}");
    assert!(errors.contains("The patch of 3 files can be applied"), "{errors}");
    assert_eq!(before.changes(&Snapshot::of(project.path()).expect("snapshot")), [""; 0]);
    let patch = String::from_utf8(shown.stdout).expect("a patch is text");

    let answer = apply(project.path(), JAVA);

    assert_eq!(answer["patch"]["diff"], patch);
    assert_eq!(answer["patch"]["tests"], 12);
    assert_refused_by_compiler(&answer, "lambda$later$0", "unreported exception java.io.IOException");
    assert_eq!(swallowed(&answer, "title"), ["java.io.IOException"], "the method declares it");
    assert_eq!(swallowed(&answer, "amount"), [""; 0]);
    assert_refused(&answer, "required", "undeclared", "(line 27), and java.io.IOException is not declared");
    assert_refused(
        &answer,
        "sorted",
        "unreachable_clause",
        "the clause around it for java.io.IOException (line 42)",
    );
    assert_is_what_git_makes_of(&patch, java_project().path(), project.path());
    assert_own_tests_pass(project.path(), 12);
}

#[test]
fn kotlin_is_patched_as_its_own_build_lets_it() {
    let project = copy_of_fixture(KOTLIN);

    let answer = apply(project.path(), KOTLIN);

    assert_eq!(answer["patch"]["tests"], 10);
    assert_refused_by_compiler(&answer, "isThere", "actual type is 'IOException'");
    let patch = answer["patch"]["diff"].as_str().expect("a patch");
    assert_is_what_git_makes_of(patch, copy_of_fixture(KOTLIN).path(), project.path());
    assert_own_tests_pass(project.path(), 10);
}

/// Reads a source, so that it passes with changed classes and fails with a patch.
const READER: &str = "package shop; import static org.junit.Assert.*; import java.nio.file.*;
    public class ShopTest { @org.junit.Test public void isAsWritten() throws Exception {
        assertEquals(\"no label\", Labels.of(\"missing\"));
        byte[] source = Files.readAllBytes(Paths.get(\"src/main/java/shop/Labels.java\"));
        assertTrue(new String(source, \"ISO-8859-1\").contains(\"catch (FileNotFoundException missing)\")); } }";

#[test]
fn a_patch_with_which_a_test_of_the_build_fails_is_none() {
    let project = java_project();
    fs::write(project.path().join("src/test/java/shop/ShopTest.java"), READER).expect("written");
    let before = Snapshot::of(project.path()).expect("snapshot");

    let shown = stretch(project.path(), &["--diff", "--apply"]);

    let errors = String::from_utf8_lossy(&shown.stderr);
    assert!(shown.status.success(), "{errors}");
    assert!(
        errors.contains("not IOException: shop.ShopTest.isAsWritten fails in the project's own build"),
        "{errors}"
    );
    assert_eq!(String::from_utf8_lossy(&shown.stdout), "");
    assert_eq!(before.changes(&Snapshot::of(project.path()).expect("snapshot")), [""; 0]);
}

fn swallowed<'a>(answer: &'a Value, method: &str) -> Vec<&'a str> {
    let mut clauses = answer["clauses"].as_array().expect("clauses").iter();
    let clause = clauses.find(|clause| clause["method"] == method).expect("a clause");
    let swallows = clause["accepted"]["swallows"].as_array().expect("accepted");
    swallows.iter().map(|name| name.as_str().expect("a name")).collect()
}

fn assert_refused_by_compiler(answer: &Value, method: &str, message: &str) {
    assert_refused(answer, method, "compiler", "the project's compiler refuses it: ");
    assert_refused(answer, method, "compiler", message);
}

fn assert_refused(answer: &Value, method: &str, why: &str, message: &str) {
    let clauses = answer["clauses"].as_array().expect("clauses");
    let mut refused = clauses
        .iter()
        .filter(|clause| clause["method"] == method)
        .flat_map(|clause| clause["refused"].as_array().expect("refused"));
    let said = refused.find(|refused| refused["why"] == why).expect("it is refused");
    let text = said["text"].as_str().unwrap_or_default();
    assert!(text.contains(message), "{text}");
}

/// The sources are what they would be had the user applied the patch to this copy of them.
fn assert_is_what_git_makes_of(patch: &str, copy: &Path, project: &Path) {
    fs::write(copy.join("catches.patch"), patch).expect("written");
    let mut git = Command::new("git");
    git.args(["apply", "catches.patch"]).current_dir(copy);
    let output = git.env("GIT_CEILING_DIRECTORIES", copy).output().expect("git starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for by_git in files_below(&copy.join("src")).expect("sources") {
        let path = by_git.strip_prefix(copy).expect("below");
        let [by_git, by_us] = [&by_git, &project.join(path)].map(|file| fs::read(file).expect("source"));
        assert!(by_git == by_us, "{}: {}", path.display(), String::from_utf8_lossy(&by_us));
    }
}

fn assert_own_tests_pass(project: &Path, tests: usize) {
    let mut maven = Command::new("mvn");
    maven.args(["--batch-mode", "test"]).current_dir(project);
    maven.env("JAVA_HOME", jdk::installed(17).expect("JDK 17").home());
    let output = maven.output().expect("mvn starts");
    let log = String::from_utf8_lossy(&output.stdout);
    let passed = format!("Tests run: {tests}, Failures: 0, Errors: 0");
    assert!(output.status.success() && log.contains(&passed), "{log}");
}

/// The answer of the tool that has written its patch, which is the one that is expected.
fn apply(project: &Path, fixture: &str) -> Value {
    let applied = stretch(project, &["--apply", "--json"]);
    assert!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
    let answer = serde_json::from_slice(&applied.stdout).expect("JSON");
    let expected = stretch::expected(fixture).expect("expected file");
    assert_eq!(differences(&expected, &stretch::facts(&answer)), [""; 0]);
    let patch = fs::read_to_string(stretch::folder().join(fixture).join("expected.patch"));
    assert_eq!(answer["patch"]["diff"].as_str(), Some(&*patch.expect("expected patch")));
    answer
}

fn stretch(project: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary().expect("catchment is built"));
    command.arg("stretch").arg(project).args(arguments).stdin(Stdio::null());
    command.env("JAVA_HOME", jdk::installed(17).expect("JDK 17").home()).env_remove("JAVA_TOOL_OPTIONS");
    command.output().expect("catchment starts")
}

fn java_project() -> TempDir {
    let copy = copy_of_fixture(JAVA);
    let source = fs::read_to_string(copy.path().join(LATIN)).expect("source");
    let latin: Vec<u8> = source.chars().map(|c| u8::try_from(c).expect("in ISO-8859-1")).collect();
    assert!(String::from_utf8(latin.clone()).is_err(), "it has to be something else than UTF-8");
    fs::write(copy.path().join(LATIN), latin).expect("written");
    copy
}

fn copy_of_fixture(name: &str) -> TempDir {
    let copy = tempfile::tempdir().expect("temporary folder");
    let fixture = stretch::folder().join(name);
    for file in files_below(&fixture).expect("fixture") {
        let target = copy.path().join(file.strip_prefix(&fixture).expect("below"));
        fs::create_dir_all(target.parent().expect("a file is in a folder")).expect("folder");
        fs::copy(&file, &target).expect("copied");
    }
    copy
}
