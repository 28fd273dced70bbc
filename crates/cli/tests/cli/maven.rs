//! A build tool between us and the tested JVM.

use crate::support::{catchment, copy_folder, error_text};
use catchment_testkit::workspace::root;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Maven's own JVM, and the one Surefire forks for the tests: only the second loads classes of the project.
#[test]
fn the_tests_of_a_maven_project_are_watched_without_touching_its_build() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("orders");
    copy_folder(&root().join("examples/demo"), &project);
    let report = folder.path().join("report.json");
    let output = catchment()
        .args(["watch", "--json", "--output"])
        .arg(&report)
        .args(["--", "mvn", "--batch-mode", "--quiet", "test"])
        .current_dir(&project)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", error_text(&output));
    let report: Value = serde_json::from_str(&fs::read_to_string(&report).unwrap()).unwrap();
    let jvms = report["jvms"].as_array().unwrap();
    assert_eq!(jvms.len(), 1, "{jvms:#?}");
    let pairs = report["pairs"].as_array().unwrap();
    let of_parser =
        |pair: &&Value| pair["class"] == "com.acme.orders.OrderParser" && pair["method"] == "parse";
    let parse = pairs.iter().find(of_parser).expect("the parser is tested");
    assert!(parse["usages"]["white"].as_u64().unwrap() > 0, "{parse:#}");
    assert_eq!(report["problems"].as_array().unwrap().len(), 0, "{:#}", report["problems"]);
}

const PARENT: &str = "<groupId>acme</groupId><artifactId>all</artifactId><version>1</version>";
const SETTINGS: &str = "<properties><maven.compiler.release>11</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
    <build><pluginManagement><plugins>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
    <plugin><artifactId>maven-surefire-plugin</artifactId><version>3.5.2</version></plugin>
    </plugins></pluginManagement></build>";

/// A class with a clause that its tests enter.
fn number_class(name: &str) -> String {
    format!(
        "package acme; public class {name} {{ public static int of(String text) {{
           try {{ return Integer.parseInt(text); }} catch (NumberFormatException e) {{ return 0; }} }} }}"
    )
}

/// `core`, and `app`, which needs it and whose tests execute clauses of both.
fn write_two_modules(root: &Path) {
    let module = |name: &str, dependencies: &str| {
        format!(
            "<project><modelVersion>4.0.0</modelVersion><parent>{PARENT}</parent><artifactId>{name}</artifactId>
             <dependencies>{dependencies}</dependencies></project>"
        )
    };
    let needed =
        "<dependency><groupId>acme</groupId><artifactId>core</artifactId><version>1</version></dependency>
        <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>
        <scope>test</scope></dependency>";
    let test = "package acme; import static org.junit.Assert.assertEquals; public class AppTest {
        @org.junit.Test public void adds() { assertEquals(5, Core.of(\"5\") + App.of(\"x\")); } }";
    let modules = "<modules><module>core</module><module>app</module></modules>";
    for (file, content) in [
        (
            "pom.xml",
            format!(
                "<project><modelVersion>4.0.0</modelVersion>{PARENT}<packaging>pom</packaging>{modules}{SETTINGS}</project>"
            ),
        ),
        ("core/pom.xml", module("core", "")),
        ("core/src/main/java/acme/Core.java", number_class("Core")),
        ("app/pom.xml", module("app", needed)),
        ("app/src/main/java/acme/App.java", number_class("App")),
        ("app/src/test/java/acme/AppTest.java", test.to_owned()),
    ] {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

#[test]
fn whoever_asks_for_a_module_is_told_about_its_clauses() {
    let folder = tempfile::tempdir().unwrap();
    write_two_modules(folder.path());
    let report = |module: &str| {
        let output = catchment().arg("check").arg(folder.path().join(module)).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", error_text(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let app = report("app");
    assert!(
        app.contains("\n1 try-catch pair: tests execute the try of 1, and enter the catch of 1\n"),
        "{app}"
    );
    let all = report("");
    assert!(
        all.contains("\n2 try-catch pairs: tests execute the try of 2, and enter the catch of 1\n"),
        "{all}"
    );
}
