//! Real builds, as small as they can be: what is found out about how they run their tests.
//!
//! Maven fetches its plugins through its ordinary client.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

use catchment_build::{
    BuildLimits, ClassPathRequest, Framework, Project, ProjectError, ProjectRequest, RunConfiguration,
    prepare,
};
use catchment_testkit::{jdk, maven};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

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

    fn executable(self, path: &str, content: &str) -> Self {
        let sample = self.file(path, content);
        let permissions = fs::Permissions::from_mode(0o755);
        fs::set_permissions(sample.root.join(path), permissions).unwrap();
        sample
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
        self.junit4_in("", class)
    }

    fn junit4_in(self, module: &str, class: &str) -> Self {
        let text = format!(
            "package acme; import static org.junit.Assert.*; public class {class} {{
               @org.junit.Test public void good() {{ assertEquals(1, Parser.parse(\"1\")); }}
               @org.junit.Test public void bad() {{ assertEquals(-1, Parser.parse(\"x\")); }} }}"
        );
        self.file(&format!("{module}src/test/java/acme/{class}.java"), &text)
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
        prepare(&self.request(folder, arguments), BuildLimits::default(), &mut |_| {})
    }

    fn request(&self, folder: &str, arguments: &[&str]) -> ProjectRequest {
        ProjectRequest {
            folder: self.root.join(folder),
            build_arguments: arguments.iter().map(OsString::from).collect(),
            ..ProjectRequest::default()
        }
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
    assert_eq!(configuration.reported, [], "the build leaves its tests out");
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

#[test]
fn a_jvm_per_class_is_one_configuration() {
    let configuration =
        "<forkCount>2</forkCount><reuseForks>false</reuseForks><excludedGroups>slow</excludedGroups>
        <argLine>-Dfork=${surefire.forkNumber}</argLine>";
    let sample =
        Sample::new().parser("").junit5("src/test/java", "OneTest").junit5("src/test/java", "TwoTest");
    let sample = sample.file("pom.xml", &pom(JUNIT5, "2.22.2", configuration));
    let project = sample.prepared(&[]);
    let found = only(&project);
    assert_eq!(found.framework, Framework::JUnitPlatform);
    assert_eq!(found.filters.excluded_groups, ["slow"]);
    assert_eq!(found.notes, ["the build used 2 JVMs for these tests; here one JVM runs them all"]);
    assert_eq!(sorted(&found.test_classes), ["acme.OneTest", "acme.TwoTest"]);
    assert!(found.class_path.iter().any(|jar| jar.to_string_lossy().contains("junit-platform-launcher")));
}

#[test]
fn a_module_is_patched_with_its_tests() {
    let sample = Sample::new().parser("").junit5("src/test/java", "OneTest");
    let sample = sample.file("src/main/java/module-info.java", "module acme.parser { exports acme; }");
    let parallel = "junit.jupiter.execution.parallel.enabled = true";
    let sample = sample.file("src/test/resources/junit-platform.properties", parallel);
    let sample = sample.file("pom.xml", &pom(JUNIT5, "3.5.2", SETTINGS));
    let project = sample.prepared(&[]);
    let found = only(&project);
    check_settings(&sample, found);
    let arguments = texts(&found.jvm_arguments);
    let follows = |option: &str| {
        let position = arguments.iter().position(|argument| *argument == option);
        position.map(|position| arguments[position + 1].to_owned())
    };
    assert_eq!(follows("--module-path"), Some(sample.copy("target/classes").display().to_string()));
    let tests = sample.copy("target/test-classes");
    assert_eq!(follows("--patch-module"), Some(format!("acme.parser={}", tests.display())));
    assert!(found.class_path.contains(&tests));
    assert!(
        found.notes[0].ends_with("parallel execution is switched off for observation"),
        "{:?}",
        found.notes
    );
    assert_eq!(found.test_classes, ["acme.OneTest"]);
}

#[test]
fn a_build_that_fails_in_part_is_built_again_the_next_time() {
    let parent = "<parent><groupId>acme</groupId><artifactId>all</artifactId><version>1</version></parent>";
    let surefire = plugin("maven-surefire-plugin", "3.5.2", "");
    let modules = "<modules><module>core</module><module>broken</module></modules>";
    let all = pom_with(JUNIT5, &surefire, modules)
        .replace("<artifactId>parser</artifactId>", "<artifactId>all</artifactId><packaging>pom</packaging>");
    let module = |name: &str, more: &str| {
        format!(
            "<project><modelVersion>4.0.0</modelVersion>{parent}<artifactId>{name}</artifactId>{more}</project>"
        )
    };
    let nobody_has_it = "<dependencies><dependency><groupId>acme</groupId><artifactId>core</artifactId>
        <version>1</version></dependency><dependency><groupId>acme</groupId><artifactId>nothing</artifactId>
        <version>1</version></dependency></dependencies>";
    let sample = Sample::new().file("pom.xml", &all).file("core/pom.xml", &module("core", ""));
    let sample = sample.file("broken/pom.xml", &module("broken", nobody_has_it));
    let sample = sample.parser("core/").junit5("core/src/test/java", "CoreTest");
    let project = sample.prepared(&[]);
    assert_eq!(only(&project).test_classes, ["acme.CoreTest"]);
    assert!(project.problems.iter().any(|problem| problem.what.contains("failed")), "{:?}", project.problems);
    assert!(!sample.root.join(".catchment/project.json").exists());
}

#[test]
fn tests_in_another_module_and_in_failsafe() {
    let parent = "<parent><groupId>acme</groupId><artifactId>all</artifactId><version>1</version></parent>";
    let failsafe =
        "<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-failsafe-plugin</artifactId>
        <version>3.5.2</version><executions><execution><id>slow ones</id><goals><goal>integration-test</goal>
        </goals></execution></executions></plugin>";
    let surefire = plugin("maven-surefire-plugin", "3.5.2", "<argLine>-Dx=1</argLine>");
    let all =
        pom_with(JUNIT5, &surefire, "<modules><module>core</module><module>checks/it</module></modules>");
    let all = all
        .replace("<artifactId>parser</artifactId>", "<artifactId>all</artifactId><packaging>pom</packaging>");
    let core =
        format!("<project><modelVersion>4.0.0</modelVersion>{parent}<artifactId>core</artifactId></project>");
    let relative = parent.replace("</parent>", "<relativePath>../..</relativePath></parent>");
    let it = format!(
        "<project><modelVersion>4.0.0</modelVersion>{relative}<artifactId>it</artifactId><dependencies><dependency>
         <groupId>acme</groupId><artifactId>core</artifactId><version>1</version></dependency></dependencies>
         <build><plugins>{failsafe}</plugins></build></project>"
    );
    let sample =
        Sample::new().file("pom.xml", &all).file("core/pom.xml", &core).file("checks/it/pom.xml", &it);
    let sample = sample.parser("core/").junit5("core/src/test/java", "CoreTest");
    let sample =
        sample.junit5("checks/it/src/test/java", "FarTest").junit5("checks/it/src/test/java", "SlowIT");
    let project = sample.prepared(&[]);
    let names: Vec<_> = project.configurations.iter().map(|each| each.name.as_str()).collect();
    assert_eq!(
        names,
        ["core: surefire (default-test)", "it: surefire (default-test)", "it: failsafe (slow ones)"]
    );
    let classes: Vec<_> = project.configurations.iter().map(|each| each.test_classes.join(" ")).collect();
    assert_eq!(classes, ["acme.CoreTest", "acme.FarTest", "acme.SlowIT"]);
    let far = &project.configurations[1];
    assert_eq!(far.application, [sample.copy("core/target/core-1.jar")]);
    assert_eq!(far.tests, [sample.copy("checks/it/target/test-classes")]);
    assert_eq!(far.working_folder, sample.copy("checks/it"));

    // Somebody who stands in a module asks for that module.
    let before = contents(&sample.root);
    let module = sample.prepare_in("core", &["test", "-o"]).unwrap();
    assert_eq!(contents(&sample.root), before);
    assert_eq!(only(&module).name, "core: surefire (default-test)");
    assert_eq!(module.workspace, project.workspace);
    assert_eq!((project.asked_for, module.asked_for), (vec![], vec![sample.copy("core")]));
}

#[test]
fn tests_in_mavens_own_jvm_are_forked_if_the_pom_allows() {
    let sample = Sample::new().parser("").junit4("OneTest");
    let pom = pom(JUNIT4, "2.22.2", "<useManifestOnlyJar>false</useManifestOnlyJar>");
    let pom = pom.replace("<properties>", "<properties><forkCount>0</forkCount>");
    let sample = sample.file("pom.xml", &pom);
    let project = sample.prepared(&[]);
    assert_eq!(only(&project).test_classes, ["acme.OneTest"]);
    assert!(only(&project).class_path.contains(&sample.copy("target/classes")));
    assert!(project.problems[0].what.contains("forkCount=0"), "{:?}", project.problems);

    let fixed = pom.replace("<useManifestOnlyJar>", "<forkCount>0</forkCount><useManifestOnlyJar>");
    let sample = sample.file("pom.xml", &fixed);
    let error = sample.prepare(&[]).unwrap_err().to_string();
    assert!(error.starts_with("the build ran no tests: ") && error.contains("forkCount=0"), "{error}");
}

#[test]
fn testng_with_groups_and_threads() {
    let test = "package acme; import org.testng.annotations.*; public class OneTest {
        @Test(groups = \"slow\") public void bad() { assert Parser.parse(\"x\") == -1; }
        @Test public void good() { assert Parser.parse(\"1\") == 1; } }";
    let sample = Sample::new().parser("").file("src/test/java/acme/OneTest.java", test);
    let configuration = "<groups>slow</groups><parallel>methods</parallel>";
    let sample = sample.file("pom.xml", &pom("org.testng:testng:7.5", "3.5.2", configuration));
    let project = sample.prepared(&[]);
    let found = only(&project);
    assert_eq!(found.framework, Framework::TestNg);
    assert_eq!(found.filters.included_groups, ["slow"]);
    assert_eq!(found.notes, ["parallel=methods: parallel execution is switched off for observation"]);
    assert_eq!(found.test_classes, ["acme.OneTest"]);
}

#[test]
fn testng_suites_give_their_classes_and_say_what_is_lost() {
    let test = |class: &str| {
        format!(
            "package acme; public class {class} {{ @org.testng.annotations.Test
             public void good() {{ assert Parser.parse(\"1\") == 1; }} }}"
        )
    };
    let suite = "<!DOCTYPE suite SYSTEM \"https://testng.org/testng-1.0.dtd\"><suite name=\"all\"><test name=\"some\">
        <classes><class name=\"acme.Listed\"/><class name=\"acme.AlsoListed\"/></classes></test></suite>";
    let sample =
        ["Listed", "AlsoListed", "OtherTest"].into_iter().fold(Sample::new().parser(""), |it, class| {
            it.file(&format!("src/test/java/acme/{class}.java"), &test(class))
        });
    let configuration = "<suiteXmlFiles><suiteXmlFile>suite.xml</suiteXmlFile></suiteXmlFiles>";
    let sample = sample.file("suite.xml", suite);
    let sample = sample.file("pom.xml", &pom("org.testng:testng:7.5", "3.5.2", configuration));
    let project = sample.prepared(&[]);
    let found = only(&project);
    assert_eq!(found.framework, Framework::TestNg);
    assert_eq!(sorted(&found.test_classes), ["acme.AlsoListed", "acme.Listed"]);
    assert_eq!(found.filters.suite_files, [sample.copy("suite.xml")]);
    assert!(found.notes[0].starts_with("suite.xml: the classes of these suites run without"), "{found:?}");
}

#[test]
fn a_wrapper_is_used_if_it_starts_and_parallel_junit_4_is_not_parallel() {
    let sample = Sample::new().parser("").junit4("OneTest");
    let sample = sample
        .file("pom.xml", &pom(JUNIT4, "3.5.2", "<parallel>classes</parallel><threadCount>2</threadCount>"));
    let broken = sample.executable("mvnw", "#!/bin/sh\nexit 1\n");
    let project = broken.prepared(&[]);
    assert!(project.problems[0].what.contains("wrapper (mvnw) does not start"), "{:?}", project.problems);
    let found = only(&project);
    assert_eq!(found.framework, Framework::JUnit4);
    assert_eq!(found.notes, ["parallel=classes: parallel execution is switched off for observation"]);

    let working = broken.executable("mvnw", "#!/bin/sh\nexec mvn -Dacme.wrapped=yes \"$@\"\n");
    let project = working.prepared(&[]);
    assert_eq!(project.problems, []);
    let properties = &only(&project).system_properties;
    assert!(properties.contains(&("acme.wrapped".to_owned(), "yes".to_owned())), "{properties:?}");
}

/// A test that waits for what nobody ever writes.
fn hanging_test(sample: Sample) -> Sample {
    let fifo = sample.root.with_extension("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let test = format!(
        "package acme; public class HangsTest {{ @org.junit.Test public void reads() throws Exception {{
           new java.io.FileInputStream(\"{}\").read(); }} }}",
        fifo.display()
    );
    sample.file("src/test/java/acme/HangsTest.java", &test)
}

#[test]
fn a_build_that_hangs_is_ended_and_the_tests_before_are_known() {
    // With a JVM for each class, tests are no part of what the build can be told to leave out.
    let order = "<runOrder>reversealphabetical</runOrder><reuseForks>false</reuseForks>";
    let sample = Sample::new().parser("").junit4("OneTest").file("pom.xml", &pom(JUNIT4, "3.5.2", order));
    let sample = hanging_test(sample);
    let limits = BuildLimits { silence: Duration::from_secs(15), ..BuildLimits::default() };
    let mut told = Vec::new();
    let project = prepare(&sample.request("", &[]), limits, &mut |text| told.push(text.to_owned())).unwrap();
    assert_eq!(only(&project).test_classes, ["acme.OneTest"]);
    let what =
        "the build hangs: no output and no processor time for 15 seconds, while acme.HangsTest was running";
    assert_eq!(project.problems.iter().map(|problem| problem.what.as_str()).collect::<Vec<_>>(), [what]);
    let shown = told.iter().position(|line| line.starts_with(what)).unwrap();
    assert!(told[shown + 1..].iter().any(|line| line.contains("Running acme.HangsTest")), "{told:?}");
    // The next check must not take what is known for all there is.
    assert!(!sample.root.join(".catchment/project.json").exists());
    fs::remove_file(sample.root.with_extension("fifo")).unwrap();
}

#[test]
fn a_build_that_is_not_done_in_time_says_so() {
    let sample = Sample::new().parser("").junit4("OneTest").file("pom.xml", &pom(JUNIT4, "2.22.2", ""));
    let limits = BuildLimits { deadline: Some(Instant::now()), ..BuildLimits::default() };
    let error = prepare(&sample.request("", &[]), limits, &mut |_| {}).unwrap_err();
    assert!(matches!(error, ProjectError::OutOfTime { .. }), "{error}");
}

#[test]
fn a_build_that_cannot_give_tests_says_so_in_one_line() {
    let empty = Sample::new().file("readme.txt", "");
    let error = empty.prepare(&[]).unwrap_err();
    assert!(matches!(error, ProjectError::NoBuild { .. }), "{error}");

    let sample = Sample::new().parser("").junit4("OneTest").file("pom.xml", &pom(JUNIT4, "2.22.2", ""));
    let error = sample.prepare(&["-DskipTests"]).unwrap_err().to_string();
    assert!(error.starts_with("the build ran no tests: tests are skipped"), "{error}");

    let broken = sample.file("src/main/java/acme/Broken.java", "package acme; class Broken { int x = ; }");
    let error = broken.prepare(&[]).unwrap_err().to_string();
    let expected = "the build failed: parser: Compilation failure: src/main/java/acme/Broken.java:[1,38] ";
    assert!(error.starts_with(expected), "{error}");
    assert!(error.ends_with("/.catchment/build.log)") && error.lines().count() == 1, "{error}");
    assert!(fs::read_to_string(broken.root.join(".catchment/build.log")).unwrap().contains("BUILD FAILURE"));
}

#[test]
fn the_build_runs_no_tests_and_classes_without_tests_are_not_asked() {
    let test = "package acme; public class ATest extends BaseTest {
        @org.junit.Test public void leavesATrace() throws Exception { new java.io.File(\"trace\").createNewFile(); } }";
    let inherits = "package acme; public class HeirTest extends ATest {}";
    let base = "package acme; public abstract class BaseTest { @org.junit.Test public void inherited() {} }";
    let helper = "package acme; public class HelperTest { public static int one() { return 1; } }";
    let old =
        "package acme; public class OldTest extends junit.framework.TestCase { public void testIt() {} }";
    let library = "package acme; public class LibraryTest extends org.junit.rules.ExternalResource {}";
    let sources = [
        ("ATest", test),
        ("HeirTest", inherits),
        ("BaseTest", base),
        ("HelperTest", helper),
        ("OldTest", old),
        ("LibraryTest", library),
    ];
    let sample = sources.into_iter().fold(Sample::new().parser(""), |sample, (class, text)| {
        sample.file(&format!("src/test/java/acme/{class}.java"), text)
    });
    let sample = sample.file("pom.xml", &pom(JUNIT4, "3.5.2", ""));
    let project = sample.prepared(&[]);
    assert!(!sample.copy("trace").exists());
    let may_hold_tests = ["acme.ATest", "acme.HeirTest", "acme.LibraryTest", "acme.OldTest"];
    assert_eq!(sorted(&only(&project).test_classes), may_hold_tests);
}

#[test]
fn a_build_that_needs_what_its_tests_do_has_them_run_and_a_red_test_is_no_failed_build() {
    let red = "package acme; public class RedTest { @org.junit.Test public void red() throws Exception {
        new java.io.File(\"trace\").createNewFile(); throw new Error(\"no\"); } }";
    let rules = "<rules><requireFilesExist><files><file>${project.basedir}/trace</file></files></requireFilesExist></rules>";
    let enforcer = format!(
        "<plugin><groupId>org.apache.maven.plugins</groupId><artifactId>maven-enforcer-plugin</artifactId>
         <version>3.5.0</version><executions><execution><phase>test</phase><goals><goal>enforce</goal></goals>
         <configuration>{rules}</configuration></execution></executions></plugin>"
    );
    let surefire = plugin("maven-surefire-plugin", "3.5.2", "");
    let sample = Sample::new().parser("").junit4("OneTest").file("src/test/java/acme/RedTest.java", red);
    let sample = sample.file("pom.xml", &pom_with(JUNIT4, &format!("{surefire}{enforcer}"), ""));
    let project = sample.prepared(&[]);
    assert_eq!(
        reported(only(&project)),
        ["bad of acme.OneTest: Passed", "good of acme.OneTest: Passed", "red of acme.RedTest: Failed"]
    );
    assert_eq!(sorted(&only(&project).test_classes), ["acme.OneTest", "acme.RedTest"]);
    let why = "the build fails without the work of its tests; built again, and they run in the build, too";
    assert!(project.problems.iter().any(|problem| problem.what == why), "{:?}", project.problems);
}

#[test]
fn class_paths_without_a_build() {
    let suite = "package acme; import org.junit.platform.suite.api.*;
        @Suite @SuiteDisplayName(\"all\") @SelectClasses(NewTest.class) class AllTests {}";
    let sample = Sample::new().parser("").junit4("OneTest").junit5("src/test5/java", "NewTest");
    let sample = sample.file("src/test5/java/acme/AllTests.java", suite);
    let compile = |into: &str, class_path: &[PathBuf], source: &str| {
        let into = sample.root.join(into);
        fs::create_dir_all(&into).unwrap();
        let mut javac = jdk::installed(17).unwrap().command("javac");
        javac.arg("-d").arg(&into).arg("-cp").arg(std::env::join_paths(class_path).unwrap());
        assert!(javac.arg(sample.root.join(source)).status().unwrap().success());
        into
    };
    let junit4 = maven::resolve_with_dependencies(&[JUNIT4]).unwrap();
    let junit5 = maven::resolve_with_dependencies(&[JUNIT5]).unwrap();
    let classes = compile("classes", &[], "src/main/java/acme/Parser.java");
    let with = |jars: &[PathBuf]| [std::slice::from_ref(&classes), jars].concat();
    let tests = compile("tests", &with(&junit4), "src/test/java/acme/OneTest.java");
    let new = compile("new-tests", &with(&junit5), "src/test5/java/acme/NewTest.java");
    let before = contents(&sample.root);
    let prepared = |tests: &Path, jars: &[PathBuf], patterns: &[&str]| {
        let class_paths = ClassPathRequest {
            class_path: vec![classes.clone()],
            test_class_path: [&[tests.to_owned()], jars].concat(),
            tests: patterns.iter().map(|pattern| pattern.to_string()).collect(),
            java: None,
        };
        let request = ProjectRequest {
            folder: sample.root.clone(),
            class_paths: Some(class_paths),
            ..ProjectRequest::default()
        };
        prepare(&request, BuildLimits::default(), &mut |_| {})
    };
    let project = prepared(&tests, &junit4, &[]).unwrap();
    assert_eq!(contents(&sample.root), before);
    let found = only(&project);
    assert_eq!(found.name, "class path");
    assert_eq!(
        (found.framework, found.test_classes.as_slice()),
        (Framework::JUnit4, &["acme.OneTest".to_owned()][..])
    );
    assert_eq!(found.application, [sample.copy("classes")]);
    assert_eq!(found.tests, [sample.copy("tests")]);
    assert!(has_jar(found, "junit-4.13.2.jar"));

    let error = prepared(&tests, &junit4, &["acme.Two*"]).unwrap_err().to_string();
    assert_eq!(error, "no tests: no class in --test-classpath is a test and matches --tests acme.Two*");
    let error = prepared(&new, &junit5, &[]).unwrap_err().to_string();
    assert!(error.ends_with("add junit-platform-launcher to --test-classpath"), "{error}");
    let launcher = maven::resolve(&["org.junit.platform:junit-platform-launcher:1.10.2"]).unwrap();
    let suite = maven::resolve(&["org.junit.platform:junit-platform-suite-api:1.10.2"]).unwrap();
    let compiled = [std::slice::from_ref(&new), &suite].concat();
    compile("new-tests", &with(&compiled), "src/test5/java/acme/AllTests.java");
    let jars = [junit5.clone(), launcher, suite].concat();
    let all = prepared(&new, &jars, &["acme.All*"]).unwrap();
    assert_eq!(only(&all).test_classes, ["acme.AllTests"]);
    let project = prepared(&new, &jars, &[]).unwrap();
    // The nested class is run with the one it is nested in, and the suite runs nothing else.
    assert_eq!(only(&project).test_classes, ["acme.NewTest"]);
    assert_eq!(only(&project).framework, Framework::JUnitPlatform);
}

/// Gradle is not taken for granted, not even in CI: no registry has it.
#[test]
fn a_gradle_build() {
    let has_gradle = std::process::Command::new("gradle").arg("--version").output().is_ok();
    if !has_gradle {
        eprintln!("not checked here: no gradle on the PATH");
        return;
    }
    let jars = maven::resolve_with_dependencies(&[JUNIT4]).unwrap();
    let jars: Vec<String> = jars.iter().map(|jar| format!("'{}'", jar.display())).collect();
    let settings =
        "test { maxParallelForks = 2; systemProperty 'here', \"${projectDir}/x\"; environment 'FOO', 'bar'
        jvmArgs '-Xmx300m', '-Dspaced=a b'; useJUnit { excludeCategories 'acme.Slow' }
        doFirst { systemProperty 'late', 'yes' } }";
    let app = format!(
        "dependencies {{ implementation project(':core'); testImplementation files({}) }}\n{settings}",
        jars.join(", ")
    );
    let slow = "package acme; public interface Slow {}";
    let sample = Sample::new()
        .file("settings.gradle", "include 'core', 'app'")
        .file("build.gradle", "subprojects { apply plugin: 'java' }")
        .file("app/build.gradle", &app)
        .file("app/src/test/java/acme/Slow.java", slow)
        .parser("core/");
    let sample = sample.junit4_in("app/", "OneTest").junit4_in("app/", "TwoTest");
    let project = sample.prepared(&[]);
    let found = only(&project);
    assert_eq!(found.name, ":app:test");
    assert_eq!(found.framework, Framework::JUnit4);
    assert_eq!(found.filters.excluded_groups, ["acme.Slow"]);
    let arguments = texts(&found.jvm_arguments);
    let here = format!("-Dhere={}", sample.copy("app/x").display());
    for argument in ["-Xmx300m", "-Dspaced=a b", "-Dlate=yes", "-ea", &here] {
        assert!(arguments.contains(&argument), "{argument}: {arguments:?}");
    }
    assert_eq!(variable(found, "FOO"), Some(&b"bar"[..]));
    assert_eq!(variable(found, "GIT_OPTIONAL_LOCKS"), None);
    assert_eq!(found.working_folder, sample.copy("app"));
    assert_eq!(found.notes, ["maxParallelForks=2: here one JVM runs all these tests"]);
    assert_eq!(sorted(&found.test_classes), ["acme.OneTest", "acme.TwoTest"]);
    assert_eq!(found.reported.len(), 4);
    assert_eq!(found.tests, [sample.copy("app/build/classes/java/test")]);
    let is_core = |entry: &PathBuf| entry.starts_with(sample.copy("core/build"));
    assert!(found.application.iter().any(is_core), "{:?}", found.application);
}
