//! Real builds, as small as they can be: what is found out about how they run their tests.
//!
//! Maven fetches its plugins through its ordinary client.

use catchment_lab::project::{Framework, Project, ProjectError, ProjectRequest, RunConfiguration, prepare};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A project on disk that a test writes.
struct Sample {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

const JUNIT4: &str = "junit:junit:4.13.2";
const JUNIT5: &str = "org.junit.jupiter:junit-jupiter:5.10.2";

impl Sample {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("project with blank ").tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        Self { _folder: folder, root }
    }

    fn file(self, path: &str, content: &str) -> Self {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    /// A module with a class `acme.Parser`, if none of its own is written.
    fn parser(self, module: &str) -> Self {
        self.file(
            &format!("{module}src/main/java/acme/Parser.java"),
            "package acme; public class Parser { public static int parse(String text) {
               try { return Integer.parseInt(text); } catch (NumberFormatException e) { return -1; } } }",
        )
    }

    fn junit4(self, class: &str) -> Self {
        let text = format!(
            "package acme; import static org.junit.Assert.*; public class {class} {{
               @org.junit.Test public void good() {{ assertEquals(1, Parser.parse(\"1\")); }}
               @org.junit.Test public void bad() {{ assertEquals(-1, Parser.parse(\"x\")); }} }}"
        );
        self.file(&format!("src/test/java/acme/{class}.java"), &text)
    }

    fn junit5(self, path: &str, class: &str) -> Self {
        let text = format!(
            "package acme; import org.junit.jupiter.api.*; class {class} {{
               @Test void good() {{ Assertions.assertEquals(1, Parser.parse(\"1\")); }}
               @Test @Tag(\"slow\") void bad() {{ Assertions.assertEquals(-1, Parser.parse(\"x\")); }}
               @Nested class Inner {{ @Test @Disabled void none() {{}} }} }}"
        );
        self.file(&format!("{path}/acme/{class}.java"), &text)
    }

    fn prepare(&self, arguments: &[&str]) -> Result<Project, ProjectError> {
        self.prepare_in("", arguments)
    }

    fn prepare_in(&self, folder: &str, arguments: &[&str]) -> Result<Project, ProjectError> {
        let request = ProjectRequest {
            folder: self.root.join(folder),
            build_arguments: arguments.iter().map(OsString::from).collect(),
            ..ProjectRequest::default()
        };
        prepare(&request, &mut |_| {})
    }

    /// Prepares it and sees that not a byte of the user's has changed.
    fn prepared(&self, arguments: &[&str]) -> Project {
        let before = contents(&self.root);
        let project = self.prepare(arguments).unwrap();
        assert_eq!(contents(&self.root), before);
        project
    }

    fn copy(&self, path: &str) -> PathBuf {
        self.root.join(".catchment/build").join(path)
    }
}

/// Every file and folder but ours: content and time of change.
fn contents(root: &Path) -> BTreeMap<PathBuf, (Vec<u8>, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with(".catchment") {
                continue;
            }
            let metadata = fs::symlink_metadata(&path).unwrap();
            let content = if metadata.is_dir() { Vec::new() } else { fs::read(&path).unwrap() };
            found.insert(path.clone(), (content, metadata.modified().unwrap()));
            if metadata.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

/// A POM with one dependency for tests and this configuration of Surefire.
fn pom(dependency: &str, surefire: &str, configuration: &str) -> String {
    pom_with(dependency, &plugin("maven-surefire-plugin", surefire, configuration), "")
}

fn plugin(name: &str, version: &str, configuration: &str) -> String {
    format!(
        "<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>{name}</artifactId><version>{version}</version>
         <configuration>{configuration}</configuration></plugin>"
    )
}

fn pom_with(dependency: &str, plugins: &str, more: &str) -> String {
    let parts: Vec<&str> = dependency.split(':').collect();
    let compiler = plugin("maven-compiler-plugin", "3.10.1", "");
    format!(
        "<project><modelVersion>4.0.0</modelVersion><groupId>acme</groupId><artifactId>parser</artifactId>
         <version>1</version><properties><maven.compiler.release>11</maven.compiler.release>
         <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
         <dependencies><dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>
         <scope>test</scope></dependency></dependencies>
         <build><plugins>{compiler}{plugins}</plugins></build>{more}</project>",
        parts[0], parts[1], parts[2]
    )
}

fn only(project: &Project) -> &RunConfiguration {
    assert_eq!(project.configurations.len(), 1, "{:#?}", project.configurations);
    &project.configurations[0]
}

fn texts(values: &[OsString]) -> Vec<&str> {
    values.iter().map(|value| value.to_str().unwrap()).collect()
}

fn has_jar(configuration: &RunConfiguration, name: &str) -> bool {
    configuration.class_path.iter().any(|entry| entry.file_name().is_some_and(|own| own == name))
}

fn variable<'a>(configuration: &'a RunConfiguration, name: &str) -> Option<&'a [u8]> {
    configuration.environment.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_bytes())
}

/// `good of acme.OneTest: Passed`, sorted.
fn reported(configuration: &RunConfiguration) -> Vec<String> {
    let mut tests: Vec<String> = configuration
        .reported
        .iter()
        .map(|test| format!("{} of {}: {:?}", test.name, test.class, test.outcome))
        .collect();
    tests.sort();
    tests
}

fn sorted(classes: &[String]) -> Vec<&str> {
    let mut classes: Vec<&str> = classes.iter().map(String::as_str).collect();
    classes.sort();
    classes
}

const SETTINGS: &str = "<argLine>-Xmx300m -Dspaced=\"a b\"</argLine>
    <systemPropertyVariables><here>${project.basedir}/x</here></systemPropertyVariables>
    <environmentVariables><FOO>${project.build.directory}/foo</FOO></environmentVariables>";

fn check_settings(sample: &Sample, configuration: &RunConfiguration) {
    let arguments = texts(&configuration.jvm_arguments);
    assert!(arguments.starts_with(&["-Xmx300m", "-Dspaced=a b"]), "{arguments:?}");
    assert!(arguments.contains(&"-ea"));
    let here = ("here".to_owned(), sample.copy("x").display().to_string());
    assert!(configuration.system_properties.contains(&here), "{:?}", configuration.system_properties);
    assert!(configuration.system_properties.iter().all(|(key, _)| !key.starts_with("maven.test")));
    assert_eq!(variable(configuration, "FOO"), Some(sample.copy("target/foo").as_os_str().as_bytes()));
    assert_eq!(variable(configuration, "JAVA_TOOL_OPTIONS"), None);
    assert_eq!(configuration.working_folder, sample.copy(""));
    assert_eq!(configuration.application, [sample.copy("target/classes")]);
    assert_eq!(configuration.tests, [sample.copy("target/test-classes")]);
    assert!(configuration.java.is_file());
}

#[test]
fn old_surefire_with_junit_4() {
    let sample = Sample::new().parser("").junit4("OneTest").junit4("TwoTest");
    let sample = sample.file("pom.xml", &pom(JUNIT4, "2.12.4", SETTINGS));
    let project = sample.prepared(&[]);
    let configuration = only(&project);
    check_settings(&sample, configuration);
    assert_eq!(configuration.name, "parser: surefire (default-test)");
    assert_eq!(configuration.framework, Framework::JUnit4);
    assert_eq!(sorted(&configuration.test_classes), ["acme.OneTest", "acme.TwoTest"]);
    assert_eq!(
        reported(configuration),
        [
            "bad of acme.OneTest: Passed",
            "bad of acme.TwoTest: Passed",
            "good of acme.OneTest: Passed",
            "good of acme.TwoTest: Passed",
        ]
    );
    assert!(has_jar(configuration, "junit-4.13.2.jar"));

    // Unchanged: not built again. Changed: the copy follows.
    fs::remove_file(sample.root.join(".catchment/build.log")).unwrap();
    assert_eq!(sample.prepare(&[]).unwrap(), project);
    assert!(!sample.root.join(".catchment/build.log").exists());
    fs::remove_file(sample.root.join("src/test/java/acme/TwoTest.java")).unwrap();
    let changed = sample.prepare(&[]).unwrap();
    assert_ne!(changed.fingerprint, project.fingerprint);
    assert_eq!(only(&changed).test_classes, ["acme.OneTest"]);
    assert!(!sample.copy("target/test-classes/acme/TwoTest.class").exists());

    // A worker's own copy has everything, and the configuration speaks of it.
    let to = sample.root.join(".catchment/workers/1");
    let fork = changed.workspace.fork(&to).unwrap();
    let moved = only(&changed).relocate(&changed.workspace.root, &fork.root);
    assert!(fork.root.join("target/test-classes/acme/OneTest.class").is_file());
    let text = serde_json::to_string(&moved).unwrap();
    assert!(!text.contains(".catchment/build/"), "{text}");
    assert_eq!(moved.application, [to.join("target/classes")]);
}
