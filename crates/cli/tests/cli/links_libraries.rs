//! `catchment links` in a project that its own build has compiled: the libraries are found without being named.

use crate::support::{assert_follows_schema, catchment, error_text, point_of};
use catchment_testkit::jdk;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const PARENT: &str = "<groupId>acme</groupId><artifactId>all</artifactId><version>1</version>";
const COMPILER: &str = "<properties><maven.compiler.release>11</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
    <build><pluginManagement><plugins>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
    </plugins></pluginManagement></build>";

fn dependency(group: &str, artifact: &str, version: &str, scope: &str) -> String {
    format!(
        "<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
         <scope>{scope}</scope></dependency>"
    )
}

/// `core`, and `app`, which needs it, with a test. Neither is ever packed or installed.
fn write_modules(root: &Path) {
    let module = |name: &str, dependencies: &str| {
        format!(
            "<project><modelVersion>4.0.0</modelVersion><parent>{PARENT}</parent><artifactId>{name}</artifactId>
             <dependencies>{dependencies}</dependencies></project>"
        )
    };
    let needed = dependency("acme", "core", "1", "compile") + &dependency("junit", "junit", "4.13.2", "test");
    let parent = format!(
        "<project><modelVersion>4.0.0</modelVersion>{PARENT}<packaging>pom</packaging>
         <modules><module>core</module><module>app</module></modules>{COMPILER}</project>"
    );
    let core = "package acme; public class Core { public static class Wrong extends Exception { }
        public static void check(int count) throws Wrong { if (count > 0) throw new Wrong(); } }";
    let app = "package acme; public class App { public static int of(int count) {
        try { Core.check(count); return 0; } catch (Core.Wrong e) { return 1; } } }";
    let test = "package acme; public class AppTest {
        @org.junit.Test public void counts() { org.junit.Assert.assertEquals(1, App.of(1)); } }";
    for (file, content) in [
        ("pom.xml", parent.as_str()),
        ("core/pom.xml", &module("core", "")),
        ("core/src/main/java/acme/Core.java", core),
        ("app/pom.xml", &module("app", &needed)),
        ("app/src/main/java/acme/App.java", app),
        ("app/src/test/java/acme/AppTest.java", test),
    ] {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

fn links(folder: &Path, options: &[&str]) -> (Value, Output) {
    let mut command = catchment();
    command.env("JAVA_HOME", jdk::installed(17).unwrap().home()).arg("links").arg(folder);
    let output =
        command.args(["--json", "--analysis", "rta", "--faults", "none"]).args(options).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", error_text(&output));
    let json = serde_json::from_slice(&output.stdout).unwrap();
    assert_follows_schema("links", &json);
    (json, output)
}

fn has_asked(output: &Output) -> bool {
    error_text(output).contains("asking Maven for the libraries")
}

/// A wrapper that notes each of its runs.
fn write_wrapper(root: &Path) -> PathBuf {
    let (wrapper, runs) = (root.join("mvnw"), root.with_extension("runs"));
    fs::write(&wrapper, format!("#!/bin/sh\necho \"$@\" >> {}\nexec mvn \"$@\"\n", runs.display())).unwrap();
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    runs
}

#[test]
fn a_wrapper_is_run_only_after_it_was_told_and_never_where_it_is_forbidden() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    write_modules(&root);
    let built = Command::new("mvn").args(["-B", "-q", "test-compile"]).current_dir(&root).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stdout));
    let runs = write_wrapper(&root);

    let (json, output) = links(&root, &["--no-build-tool", "--entry", "acme.App.of"]);
    assert!(!runs.exists() && !has_asked(&output));
    let problem = json["problems"][0]["what"].as_str().unwrap();
    assert!(problem.contains("no build tool may be run: name them with --libraries"), "{problem}");

    let (_, output) = links(&root, &[]);
    assert!(runs.exists());
    let words = error_text(&output);
    let copy = root.join(".catchment/libraries/tree");
    let told = format!("running ./mvnw (the project's own wrapper) dependency:collect in {}", copy.display());
    let (told, asked) = (words.find(&told), words.find("asking Maven for the libraries"));
    assert!(told.is_some() && told < asked, "{words}");

    // What is known may be used.
    fs::remove_file(&runs).unwrap();
    let (json, _) = links(&root, &["--no-build-tool"]);
    assert!(!runs.exists());
    assert_eq!(json["problems"], Value::from(Vec::<String>::new()));
}

#[test]
fn a_maven_build_of_several_modules_is_asked_once_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write_modules(root);
    let built = Command::new("mvn").args(["-B", "-q", "test-compile"]).current_dir(root).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stdout));

    let (json, output) = links(root, &[]);
    assert!(has_asked(&output));
    assert_eq!(json["missing_classes"], Value::from(Vec::<String>::new()));
    assert_eq!(json["problems"], Value::from(Vec::<String>::new()));
    assert_eq!(json["entries"][0]["method"], "counts");
    let link = point_of(&json, &json["links"][0]);
    assert_eq!((&link["class"], &link["layer"]), (&"acme.Core".into(), &"application".into()));

    // Of one module the others are libraries, which the answer for all of them says too.
    let (json, output) = links(&root.join("app"), &[]);
    assert!(!has_asked(&output));
    assert_eq!(json["missing_classes"], Value::from(Vec::<String>::new()));
    assert_eq!(point_of(&json, &json["links"][0])["layer"], "library");

    let mut names: Vec<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".catchment", "app", "core", "pom.xml"]);
    assert!(!root.join("app/.catchment").exists());
}

#[test]
fn a_build_that_cannot_be_asked_is_analysed_without_libraries_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write_modules(root);
    let built = Command::new("mvn").args(["-B", "-q", "test-compile"]).current_dir(root).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stdout));
    fs::write(root.join("pom.xml"), "<project>").unwrap();
    let (json, _) = links(root, &["--entry", "acme.App.of"]);
    let problem = json["problems"][0]["what"].as_str().unwrap();
    assert!(problem.starts_with("its libraries are not known: "), "{problem}");
    assert!(problem.ends_with("; or name them with --libraries"), "{problem}");
    let missing = json["missing_classes"].as_array().unwrap();
    assert!(missing.contains(&"org.junit.Assert".into()), "{missing:?}");
}
