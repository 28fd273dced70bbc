//! The test driver against real versions of JUnit and TestNG: which units it finds, how each ends in a suite and alone.
//!
//! The agent is played by a Java class that reads commands from stdin and prints what the driver tells it. Suites run
//! in one JVM and single units in another, so that ids that change between JVMs would be seen.

use anyhow::{Context, Result};
use catchment_testkit::compilers::{Compiler, Job};
use catchment_testkit::{jdk, maven, workspace};
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::OnceLock;

const HAMCREST: &str = "org.hamcrest:hamcrest-core:1.3";
const JUNIT_3: &[&str] = &["junit:junit:3.8.2"];
const JUNIT_4: &[&str] = &["junit:junit:4.13.2", HAMCREST];
/// The oldest that the driver knows, with other filters of JUnit 3 tests.
const JUNIT_4_OLD: &[&str] = &["junit:junit:4.5", HAMCREST];

const JUNIT_5_OLD: &[&str] = &[
    "org.junit.platform:junit-platform-launcher:1.4.2",
    "org.junit.platform:junit-platform-engine:1.4.2",
    "org.junit.platform:junit-platform-commons:1.4.2",
    "org.junit.jupiter:junit-jupiter-api:5.4.2",
    "org.junit.jupiter:junit-jupiter-engine:5.4.2",
    "org.junit.jupiter:junit-jupiter-params:5.4.2",
    "org.opentest4j:opentest4j:1.1.1",
    "org.apiguardian:apiguardian-api:1.1.2",
];
const JUNIT_5: &[&str] = &[
    "org.junit.platform:junit-platform-launcher:1.13.4",
    "org.junit.platform:junit-platform-engine:1.13.4",
    "org.junit.platform:junit-platform-commons:1.13.4",
    "org.junit.jupiter:junit-jupiter-api:5.13.4",
    "org.junit.jupiter:junit-jupiter-engine:5.13.4",
    "org.junit.jupiter:junit-jupiter-params:5.13.4",
    "org.opentest4j:opentest4j:1.3.0",
    "org.apiguardian:apiguardian-api:1.1.2",
];
const JUNIT_6: &[&str] = &[
    "org.junit.platform:junit-platform-launcher:6.0.1",
    "org.junit.platform:junit-platform-engine:6.0.1",
    "org.junit.platform:junit-platform-commons:6.0.1",
    "org.junit.jupiter:junit-jupiter-api:6.0.1",
    "org.junit.jupiter:junit-jupiter-engine:6.0.1",
    "org.junit.jupiter:junit-jupiter-params:6.0.1",
    "org.opentest4j:opentest4j:1.3.0",
    "org.apiguardian:apiguardian-api:1.1.2",
    "org.jspecify:jspecify:1.0.0",
];
const VINTAGE_OLD: &str = "org.junit.vintage:junit-vintage-engine:5.4.2";
const VINTAGE: &str = "org.junit.vintage:junit-vintage-engine:5.13.4";
const OTHER_LAUNCHERS: &[&str] =
    &["org.junit.platform:junit-platform-launcher:1.3.2", "org.junit.platform:junit-platform-launcher:1.9.3"];

const TESTNG_OLD: &[&str] = &["org.testng:testng:6.14.3", "com.beust:jcommander:1.82"];
const TESTNG: &[&str] =
    &["org.testng:testng:7.10.2", "com.beust:jcommander:1.82", "org.slf4j:slf4j-api:1.7.36"];

/// The files of `coordinates`, after one fetch for all that these tests need.
fn jars(coordinates: &[&str]) -> Result<Vec<PathBuf>> {
    let groups =
        [JUNIT_3, JUNIT_4, JUNIT_4_OLD, JUNIT_5_OLD, JUNIT_5, JUNIT_6, OTHER_LAUNCHERS, TESTNG_OLD, TESTNG];
    let mut all = groups.concat();
    all.extend([VINTAGE_OLD, VINTAGE]);
    maven::resolve(&all)?;
    maven::resolve(coordinates)
}

/// The sources below `testkit/java/driver/<folder>`, compiled against `coordinates`.
fn classes(folder: &str, coordinates: &[&str]) -> Result<PathBuf> {
    let sources = workspace::files_below(&workspace::root().join("testkit/java/driver").join(folder))?;
    let job = Job { sources, class_path: jars(coordinates)?, ..Job::default() };
    // JUnit 6 is for Java 17.
    Compiler::Javac { jdk: 17, release: 17 }.compile(&job)
}

/// The jar that `catchment` embeds, as a file.
fn driver_jar() -> PathBuf {
    static JAR: OnceLock<PathBuf> = OnceLock::new();
    JAR.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder").keep();
        let jar = folder.join("catchment-driver.jar");
        fs::write(&jar, catchment_watch::driver_jar()).expect("the temporary folder takes a file");
        jar
    })
    .clone()
}

/// A driver and what is on its class path.
struct Driver {
    framework: &'static str,
    arguments: Vec<String>,
    class_path: Vec<PathBuf>,
}

impl Driver {
    fn new(framework: &'static str, classes: Vec<PathBuf>, coordinates: &[&str]) -> Result<Self> {
        let mut class_path = classes;
        class_path.extend(jars(coordinates)?);
        Ok(Self { framework, arguments: Vec::new(), class_path })
    }

    fn with(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    /// The driver's events after these commands, each as its words.
    fn talk(&self, commands: &[String]) -> Result<Vec<Vec<String>>> {
        let worker = classes("worker", &[])?;
        let class_path = self.class_path.iter().cloned().chain([driver_jar()]);
        let folder = tempfile::tempdir()?;
        let mut java = jdk::installed(17)?.command("java");
        java.current_dir(folder.path());
        java.arg(format!("-Xbootclasspath/a:{}", worker.display())).arg("-XX:TieredStopAtLevel=1").arg("-cp");
        java.arg(env::join_paths(class_path)?)
            .arg("catchment.driver.Main")
            .arg(self.framework)
            .args(&self.arguments);
        java.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = java.spawn().context("cannot start java")?;
        let mut stdin = child.stdin.take().context("stdin is piped")?;
        // A driver that is unusable reads nothing.
        let _ = stdin.write_all(commands.join("\n").as_bytes());
        drop(stdin);
        let output = child.wait_with_output()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {text}\n{stderr}", output.status);
        assert_eq!(fs::read_dir(folder.path())?.count(), 0, "the driver leaves files behind");
        let events = text.lines().filter_map(|line| line.strip_prefix('@'));
        Ok(events.map(|line| line.split('\t').map(str::to_owned).collect()).collect())
    }

    /// One line for each unit: id, how it ended in the suite, how it ended alone. `*` marks shared units; a unit
    /// without an end in the suite stands for the smaller ones that were found when it ran.
    fn table(&self, test_classes: &[&str]) -> Result<Table> {
        let operands = test_classes.join("\t");
        let events = self.talk(&[format!("discover\t{operands}"), format!("suite\t{operands}")])?;
        let mut units = BTreeMap::new();
        let mut problems = Vec::new();
        for event in &events {
            match event[0].as_str() {
                "unit" => drop(units.insert(event[1].clone(), (event[4] != "-", None))),
                "problem" => problems.push(event[1].clone()),
                "finished" => {
                    let unit =
                        units.get_mut(&event[1]).with_context(|| format!("nobody named {}", event[1]))?;
                    assert!(unit.1.is_none(), "{} is reported twice", event[1]);
                    unit.1 = Some(event[2].clone());
                }
                _ => {}
            }
        }
        let alone = self.alone(units.keys())?;
        let lines = units.iter().map(|(id, (is_shared, end))| {
            let star = if *is_shared { "*" } else { "" };
            let end = end.as_deref().unwrap_or("-");
            format!("{}{star} {end} {}", shortened(id), alone[id])
        });
        Ok(Table { lines: lines.collect(), problems })
    }

    fn alone<'a>(&self, units: impl Iterator<Item = &'a String>) -> Result<BTreeMap<String, String>> {
        let commands: Vec<String> = units.map(|unit| format!("test\t{unit}")).collect();
        let finished = self.talk(&commands)?.into_iter().filter(|event| event[0] == "finished");
        let ends: BTreeMap<_, _> = finished.map(|event| (event[1].clone(), event[2].clone())).collect();
        assert_eq!(ends.len(), commands.len(), "some units gave no answer");
        Ok(ends)
    }

    /// The line with which the driver gives up.
    fn unusable(&self) -> Result<String> {
        let events = self.talk(&[])?;
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!(events[0][0], "unusable", "{events:?}");
        Ok(events[0][1].clone())
    }
}

fn shortened(id: &str) -> String {
    id.replace("[engine:junit-jupiter]/", "").replace("[engine:junit-vintage]/", "vintage/")
}

struct Table {
    lines: Vec<String>,
    problems: Vec<String>,
}

#[track_caller]
fn assert_lines(actual: &[String], expected: &[&str]) {
    assert_eq!(actual.join("\n"), expected.join("\n"));
}

fn junit_4(coordinates: &[&str]) -> Result<Driver> {
    Driver::new("junit4", vec![classes("junit4", JUNIT_4)?, classes("junit3", JUNIT_4)?], coordinates)
}

fn platform(coordinates: &[&str]) -> Result<Driver> {
    Driver::new("junit-platform", vec![classes("platform", coordinates)?], coordinates)
}

fn testng(coordinates: &[&str]) -> Result<Driver> {
    Driver::new("testng", vec![classes("testng", coordinates)?], coordinates)
}

const OLD_CLASSES: &[&str] = &["old.PlainTest", "old.SuiteOfSuites"];

#[test]
fn junit_3_alone_cuts_suites_but_no_decorators() {
    let driver = Driver::new("junit4", vec![classes("junit3", JUNIT_3).unwrap()], JUNIT_3).unwrap();
    let table = driver.table(&["old.PlainTest"]).unwrap();
    assert_lines(
        &table.lines,
        &[
            "old.PlainTest::testFails(old.PlainTest) failed failed",
            "old.PlainTest::testPasses(old.PlainTest) passed passed",
        ],
    );
    let table = driver.table(&["old.SuiteOfSuites"]).unwrap();
    assert_lines(
        &table.lines,
        &[
            "old.SuiteOfSuites::decorated* passed passed",
            "old.SuiteOfSuites::testFails(old.PlainTest) failed failed",
            "old.SuiteOfSuites::testPasses(old.PlainTest) passed passed",
            "old.SuiteOfSuites::twice(old.SuiteOfSuites$Named)* passed passed",
        ],
    );
}

#[test]
fn junit_4_of_all_ages_runs_junit_3_tests_one_by_one() {
    for coordinates in [JUNIT_4, JUNIT_4_OLD] {
        let table = junit_4(coordinates).unwrap().table(OLD_CLASSES).unwrap();
        assert_lines(
            &table.lines,
            &[
                "old.PlainTest::testFails failed failed",
                "old.PlainTest::testPasses passed passed",
                "old.SuiteOfSuites::old.SuiteOfSuites$NeedsSetUp* passed passed",
                "old.SuiteOfSuites::testFails(old.PlainTest) failed failed",
                "old.SuiteOfSuites::testPasses(old.PlainTest) passed passed",
                "old.SuiteOfSuites::twice(old.SuiteOfSuites$Named)* passed passed",
            ],
        );
        assert!(table.problems.is_empty(), "{:?}", table.problems);
    }
}

#[test]
fn junit_4_rules_assumptions_ignored_tests_and_expected_exceptions() {
    let table =
        junit_4(JUNIT_4).unwrap().table(&["four.PlainTest", "four.IgnoredTest", "four.NoTestsTest"]).unwrap();
    assert_lines(
        &table.lines,
        &[
            "four.IgnoredTest skipped skipped",
            "four.NoTestsTest::initializationError failed failed",
            "four.PlainTest::assumes skipped skipped",
            "four.PlainTest::expects passed passed",
            "four.PlainTest::fails failed failed",
            "four.PlainTest::ignored skipped skipped",
            "four.PlainTest::passes passed passed",
        ],
    );
}

#[test]
fn junit_4_runners_with_many_tests() {
    let classes = ["four.ParameterTest", "four.NamedByHashTest", "four.TheoryTest", "four.EnclosedTest"];
    let table = junit_4(JUNIT_4).unwrap().table(&classes).unwrap();
    assert_lines(
        &table.lines,
        &[
            "four.EnclosedTest::other(four.EnclosedTest$Second) passed passed",
            "four.EnclosedTest::same(four.EnclosedTest$First) passed passed",
            "four.EnclosedTest::same(four.EnclosedTest$Second) failed failed",
            "four.NamedByHashTest::takesAny[java.lang.Object@*]* passed passed",
            "four.ParameterTest::isPositive[0] passed passed",
            "four.ParameterTest::isPositive[1] failed failed",
            "four.TheoryTest::allAreOne failed failed",
            "four.TheoryTest::squaresArePositive passed passed",
        ],
    );
}

#[test]
fn junit_4_runners_that_cannot_run_a_single_test_are_one_unit() {
    let table = junit_4(JUNIT_4)
        .unwrap()
        .table(&["four.WholeTest", "four.WholeInSuiteTest", "four.TwinsTest"])
        .unwrap();
    assert_lines(
        &table.lines,
        &[
            "four.TwinsTest::twin* passed passed",
            "four.WholeInSuiteTest::four.WholeTest* failed failed",
            "four.WholeInSuiteTest::same(four.EnclosedTest$First) passed passed",
            "four.WholeTest* failed failed",
        ],
    );
}

#[test]
fn junit_4_failures_of_a_class_fail_its_units() {
    let table =
        junit_4(JUNIT_4).unwrap().table(&["four.BrokenClassTest", "four.BrokenEndTest", "no.Such"]).unwrap();
    assert_lines(
        &table.lines,
        &[
            "four.BrokenClassTest::one failed failed",
            "four.BrokenClassTest::two failed failed",
            "four.BrokenEndTest::one passed failed",
        ],
    );
    let no_such = "cannot load the test class no.Such: java.lang.ClassNotFoundException: no.Such";
    let tear_down = "after the tests of four.BrokenEndTest: java.lang.IllegalStateException: no tear-down";
    assert_lines(&table.problems, &[no_such, no_such, tear_down]);
}

#[test]
fn categories_choose_tests() {
    let slow = junit_4(JUNIT_4)
        .unwrap()
        .with("includeTags=four.CategoryTest$Slow")
        .table(&["four.CategoryTest"])
        .unwrap();
    assert_lines(&slow.lines, &["four.CategoryTest::slow passed passed"]);
    let fast = junit_4(JUNIT_4)
        .unwrap()
        .with("excludeTags=four.CategoryTest$Slow")
        .table(&["four.CategoryTest"])
        .unwrap();
    assert_lines(&fast.lines, &["four.CategoryTest::fast passed passed"]);
    let unknown = junit_4(JUNIT_4).unwrap().with("includeTags=no.Such").unusable().unwrap();
    assert!(unknown.contains("no.Such"), "{unknown}");
}

#[test]
fn nothing_of_what_a_test_leaves_behind_is_seen_by_the_next() {
    let commands = ["litters", "sees"].map(|name| format!("test\tfour.LitteringTest::{name}"));
    let events = junit_4(JUNIT_4).unwrap().talk(&commands).unwrap();
    let ends: Vec<_> =
        events.iter().filter(|event| event[0] == "finished").map(|event| &event[2..]).collect();
    assert_eq!(ends, [["passed", "-"], ["passed", "-"]]);
}

#[test]
fn properties_are_set_when_the_jvm_is_up() {
    let driver = junit_4(JUNIT_4).unwrap().with("property=java.specification.version=1.2=x");
    let commands = ["test\tfour.PropertiesTest::areAsTheBuildToolSetsThem".to_owned()];
    let events = driver.talk(&commands).unwrap();
    assert_eq!(events.last().unwrap()[2..], ["passed", "-"]);
}

#[test]
fn a_jvm_that_cannot_be_put_back_is_given_up() {
    let commands = ["guards", "sees", "staysOnGuard", "sees"];
    let commands = commands.map(|name| format!("test\tfour.GuardedTest::{name}"));
    let events = junit_4(JUNIT_4).unwrap().talk(&commands).unwrap();
    let ends = events.iter().filter(|event| event[0] == "finished").map(|event| event[2].as_str());
    assert_eq!(ends.collect::<Vec<_>>(), ["passed"; 3]);
    let why =
        "a test has changed its JVM for good: java.lang.SecurityException: no setSecurityManager".to_owned();
    assert_eq!(*events.last().unwrap(), ["unusable".to_owned(), why]);
}

/// How each of these units ends alone, one after the other in one JVM, and why.
fn ends(driver: &Driver, units: &[&str]) -> Vec<(String, String)> {
    let commands: Vec<String> = units.iter().map(|unit| format!("test\t{unit}")).collect();
    let finished = driver
        .talk(&commands)
        .expect("the driver answers")
        .into_iter()
        .filter(|event| event[0] == "finished");
    finished.map(|event| (event[2].clone(), event[3].clone())).collect()
}

fn assert_ends(driver: &Driver, units: &[&str], expected: &[(&str, &str)]) {
    let ends = ends(driver, units);
    let actual: Vec<_> = ends.iter().map(|(end, why)| (end.as_str(), why.as_str())).collect();
    assert_eq!(actual, expected);
}

#[test]
fn a_test_that_is_gone_is_skipped_alone() {
    let gone = "catchment.driver.NotRun: there is no test four.PlainTest::gone any more";
    assert_ends(&junit_4(JUNIT_4).unwrap(), &["four.PlainTest::gone"], &[("skipped", gone)]);
    let nothing = ("skipped", "catchment.driver.NotRun: nothing of it ran");
    let host = "[engine:junit-jupiter]/[class:five.ManyTest]/[test-template:isPositive(int)]";
    let unit = format!("{host}/[test-template-invocation:#9]");
    for coordinates in [JUNIT_5_OLD, JUNIT_5, JUNIT_6] {
        assert_ends(&platform(coordinates).unwrap(), &[&unit], &[nothing]);
    }
    assert_ends(&testng(TESTNG).unwrap(), &["ng.PlainTest#gone"], &[nothing]);
    let old = Driver::new("junit4", vec![classes("junit3", JUNIT_3).unwrap()], JUNIT_3).unwrap();
    let gone = "catchment.driver.NotRun: there is no test old.PlainTest::gone any more";
    assert_ends(&old, &["old.PlainTest::gone"], &[("skipped", gone)]);
}

#[test]
fn junit_4_tests_that_no_runner_can_be_made_of_fail_with_the_reason() {
    let unit = "four.FadingTest::passes[0]";
    let gone = "catchment.driver.NotRun: there is no test four.FadingTest::passes[0] any more";
    let expected =
        [("passed", "-"), ("skipped", gone), ("failed", "java.lang.IllegalStateException: no numbers")];
    assert_ends(&junit_4(JUNIT_4).unwrap(), &[unit, unit, unit], &expected);
    let unit = "old.FadingSuite::testPasses(old.PlainTest)";
    for coordinates in [JUNIT_4, JUNIT_4_OLD] {
        let expected = [("passed", "-"), ("failed", "java.lang.IllegalStateException: no suite")];
        assert_ends(&junit_4(coordinates).unwrap(), &[unit, unit], &expected);
    }
}

#[test]
fn a_skipped_test_says_why() {
    let units = ["four.PlainTest::assumes", "four.PlainTest::ignored"];
    let assumption = "org.junit.AssumptionViolatedException: got: <false>, expected: is <true>";
    let expected = [("skipped", assumption), ("skipped", "catchment.driver.NotRun: ignored: not now")];
    assert_ends(&junit_4(JUNIT_4).unwrap(), &units, &expected);

    let units = ["[test-template:isOne(int)]", "[test-template:disabled(int)]"]
        .map(|each| format!("[engine:junit-jupiter]/[class:five.ManyTest]/{each}"));
    let assumption = "org.opentest4j.TestAbortedException: Assumption failed: only for one";
    let expected = [("skipped", assumption), ("skipped", "catchment.driver.NotRun: too many")];
    assert_ends(&platform(JUNIT_5).unwrap(), &units.each_ref().map(String::as_str), &expected);

    let expected = [("skipped", "org.testng.SkipException: not here")];
    assert_ends(&testng(TESTNG).unwrap(), &["ng.PlainTest#skips"], &expected);
}

const JUPITER_CLASSES: &[&str] = &[
    "five.PlainTest",
    "five.OrderedTest",
    "five.BrokenClassTest",
    "five.BrokenEndTest",
    "five.AssumingClassTest",
    "five.DisabledClassTest",
    "five.NoTestsTest",
];

#[test]
fn jupiter_of_all_ages_runs_every_kind_of_test_alone() {
    for coordinates in [JUNIT_5_OLD, JUNIT_5, JUNIT_6] {
        let table = platform(coordinates).unwrap().table(JUPITER_CLASSES).unwrap();
        assert_lines(
            &table.lines,
            &[
                "[class:five.AssumingClassTest]/[method:one()] skipped skipped",
                "[class:five.BrokenClassTest]/[method:one()] failed failed",
                "[class:five.BrokenClassTest]/[nested-class:Inner]/[method:two()] failed failed",
                "[class:five.BrokenClassTest]/[test-template:many(int)]* failed failed",
                "[class:five.BrokenEndTest]/[method:one()] passed failed",
                "[class:five.DisabledClassTest]/[method:one()] skipped skipped",
                // Counts on the first, which does not run when it is alone.
                "[class:five.OrderedTest]/[method:aSecond()] passed failed",
                "[class:five.OrderedTest]/[method:bFirst()] passed passed",
                "[class:five.PlainTest]/[method:assumes()] skipped skipped",
                "[class:five.PlainTest]/[method:disabled()] skipped skipped",
                "[class:five.PlainTest]/[method:fails()] failed failed",
                "[class:five.PlainTest]/[method:passes()] passed passed",
                "[class:five.PlainTest]/[nested-class:Inner]/[method:passes()] passed passed",
                "[class:five.PlainTest]/[nested-class:Inner]/[nested-class:Innermost]/[method:fails()] failed failed",
            ],
        );
        let expected = "after the tests of BrokenEndTest: java.lang.IllegalStateException: no tear-down";
        assert_lines(&table.problems, &[expected]);
    }
}

#[test]
fn jupiter_tests_that_are_found_when_they_run_are_units_up_to_a_limit() {
    for coordinates in [JUNIT_5_OLD, JUNIT_5, JUNIT_6] {
        let table = platform(coordinates).unwrap().table(&["five.ManyTest"]).unwrap();
        let is_of_hundred = |line: &&String| line.contains("isOfHundred(int)]/");
        assert_eq!(table.lines.iter().filter(is_of_hundred).count(), 64);
        let failed = "[class:five.ManyTest]/[test-template:isOfHundred(int)]/[test-template-invocation:#4] failed failed";
        assert!(table.lines.iter().any(|line| line == failed));
        let others: Vec<String> = table.lines.iter().filter(|line| !is_of_hundred(line)).cloned().collect();
        let many = |line: &str| format!("[class:five.ManyTest]/{line}");
        let expected = [
            "[test-factory:factory()]* - failed",
            "[test-factory:factory()]/[dynamic-container:#2]/[dynamic-test:#1] failed failed",
            "[test-factory:factory()]/[dynamic-test:#1] passed passed",
            "[test-factory:nothing()]* skipped skipped",
            "[test-template:disabled(int)]* skipped skipped",
            "[test-template:hasNoNumbers(int)]* failed failed",
            // More than the limit: it stands for all.
            "[test-template:isOfHundred(int)]* failed failed",
            // One part that gave up leaves the whole undecided.
            "[test-template:isOne(int)]* - skipped",
            "[test-template:isOne(int)]/[test-template-invocation:#1] passed passed",
            "[test-template:isOne(int)]/[test-template-invocation:#2] skipped skipped",
            "[test-template:isPositive(int)]* - failed",
            "[test-template:isPositive(int)]/[test-template-invocation:#1] passed passed",
            "[test-template:isPositive(int)]/[test-template-invocation:#2] failed failed",
            "[test-template:repeated()]* - passed",
            "[test-template:repeated()]/[test-template-invocation:#1] passed passed",
            "[test-template:repeated()]/[test-template-invocation:#2] passed passed",
        ];
        assert_eq!(others, expected.map(many));
    }
}

#[test]
fn vintage_runs_what_junit_4_runs() {
    let coordinates = [JUNIT_5, JUNIT_4, &[VINTAGE]].concat();
    let driver =
        Driver::new("junit-platform", vec![classes("junit4", JUNIT_4).unwrap()], &coordinates).unwrap();
    let table = driver.table(&["four.ParameterTest", "four.WholeTest", "four.BrokenClassTest"]).unwrap();
    assert_lines(
        &table.lines,
        &[
            "vintage/[runner:four.BrokenClassTest]/[test:one(four.BrokenClassTest)] failed failed",
            "vintage/[runner:four.BrokenClassTest]/[test:two(four.BrokenClassTest)] failed failed",
            "vintage/[runner:four.ParameterTest]/[test:%5B0%5D]/[test:isPositive%5B0%5D(four.ParameterTest)] passed passed",
            "vintage/[runner:four.ParameterTest]/[test:%5B1%5D]/[test:isPositive%5B1%5D(four.ParameterTest)] failed failed",
            "vintage/[runner:four.WholeTest]* failed failed",
        ],
    );
}

#[test]
fn tags_and_engines_choose_tests() {
    let fast =
        platform(JUNIT_5).unwrap().with("includeTags=fast & !slow").table(&["five.PlainTest"]).unwrap();
    assert_lines(&fast.lines, &["[class:five.PlainTest]/[method:passes()] passed passed"]);
    let none = platform(JUNIT_5).unwrap().with("excludeEngines=junit-jupiter").table(&["five.PlainTest"]);
    assert!(none.unwrap().lines.is_empty());
}

#[test]
fn what_is_missing_on_the_class_path_is_named() {
    let unusable = |framework, coordinates: &[&str]| {
        Driver::new(framework, Vec::new(), coordinates).unwrap().unusable().unwrap()
    };
    assert!(unusable("junit4", &[]).ends_with("add junit:junit:4.13.2 to the test dependencies"));
    assert!(unusable("testng", &[]).ends_with("add org.testng:testng to the test dependencies"));
    assert!(unusable("junit-platform", &[]).contains("add org.junit.jupiter:junit-jupiter-engine"));
    let without_launcher = unusable("junit-platform", &JUNIT_5[1..]);
    assert!(
        without_launcher.contains("add org.junit.platform:junit-platform-launcher:1.13.4"),
        "{without_launcher}"
    );
    let without_engine: Vec<&str> =
        JUNIT_5.iter().copied().filter(|jar| !jar.contains("jupiter-engine")).collect();
    assert!(
        unusable("junit-platform", &without_engine).contains("add org.junit.jupiter:junit-jupiter-engine")
    );
    assert_eq!(unusable("spock", &[]), "the driver does not know the framework 'spock'");
}

#[test]
fn a_launcher_that_does_not_fit_the_engines_is_named() {
    for launcher in OTHER_LAUNCHERS {
        let mut coordinates = vec![*launcher];
        coordinates.extend(&JUNIT_5[1..]);
        let unusable = Driver::new("junit-platform", Vec::new(), &coordinates).unwrap().unusable().unwrap();
        let version = launcher.rsplit(':').next().unwrap();
        assert!(unusable.contains(&format!("launcher {version}, engine API 1.13.4")), "{unusable}");
        assert!(unusable.contains("OutputDirectoryProvider not available"), "{unusable}");
        assert!(unusable.ends_with("versions of one release"), "{unusable}");
    }
}

#[test]
fn an_engine_that_fails_beside_one_that_works_is_a_problem() {
    let coordinates = [JUNIT_5_OLD, JUNIT_4, &[VINTAGE_OLD]].concat();
    let table = platform(&coordinates).unwrap().table(&["five.DisabledClassTest"]).unwrap();
    assert_lines(&table.lines, &["[class:five.DisabledClassTest]/[method:one()] skipped skipped"]);
    assert!(table.problems[0].starts_with("the engine junit-vintage 5.4.2 fails: "), "{:?}", table.problems);
}

#[test]
fn classes_without_tests_are_a_problem_with_advice() {
    let table = platform(JUNIT_5).unwrap().table(&["five.NoTestsTest"]).unwrap();
    assert!(table.lines.is_empty());
    assert_lines(
        &table.problems,
        &["no engine finds a test in the test classes (engines: junit-jupiter 5.13.4)"],
    );
    let coordinates = [JUNIT_5, JUNIT_4].concat();
    let driver =
        Driver::new("junit-platform", vec![classes("junit4", JUNIT_4).unwrap()], &coordinates).unwrap();
    let table = driver.table(&["four.EnclosedTest"]).unwrap();
    assert!(table.problems[0].ends_with("for JUnit 4 tests add org.junit.vintage:junit-vintage-engine"));
    let table = testng(TESTNG).unwrap().table(&["ng.NoTestsTest"]).unwrap();
    assert_lines(&table.problems, &["TestNG finds no test in the test classes"]);
}

const TESTNG_CLASSES: &[&str] = &[
    "ng.PlainTest",
    "ng.DependentTest",
    "ng.BrokenClassTest",
    "ng.BrokenEndTest",
    "ng.DerivedTest",
    "ng.FactoryTest",
];

#[test]
fn testng_of_all_ages_runs_methods_alone_with_what_they_need() {
    for coordinates in [TESTNG_OLD, TESTNG] {
        let table = testng(coordinates).unwrap().table(TESTNG_CLASSES).unwrap();
        assert_lines(
            &table.lines,
            &[
                "ng.BrokenClassTest#one failed failed",
                "ng.BrokenClassTest#two failed failed",
                "ng.BrokenEndTest#one passed failed",
                "ng.DependentTest#breaks failed failed",
                // What it needs belongs to it when it is alone.
                "ng.DependentTest#needsBroken skipped failed",
                "ng.DependentTest#needsMiddle passed passed",
                "ng.DependentTest#needsStart passed passed",
                "ng.DependentTest#start passed passed",
                "ng.DerivedTest#inherited passed passed",
                "ng.DerivedTest#own passed passed",
                "ng.FactoryTest#first* passed passed",
                "ng.FactoryTest#second* failed failed",
                "ng.PlainTest#expects passed passed",
                "ng.PlainTest#fails failed failed",
                "ng.PlainTest#isPositive failed failed",
                "ng.PlainTest#overloaded* passed passed",
                "ng.PlainTest#passes passed passed",
                "ng.PlainTest#skips skipped skipped",
            ],
        );
        let expected =
            "after the tests: ng.BrokenEndTest.breaks: java.lang.IllegalStateException: no tear-down";
        assert_lines(&table.problems, &[expected]);
    }
}

#[test]
fn testng_groups_choose_tests() {
    let table = testng(TESTNG).unwrap().with("includeTags=fast,other").table(&["ng.PlainTest"]).unwrap();
    assert_lines(&table.lines, &["ng.PlainTest#passes passed passed"]);
    let table = testng(TESTNG).unwrap().with("excludeTags=fast").table(&["ng.PlainTest"]).unwrap();
    assert!(!table.lines.iter().any(|line| line.contains("#passes")));
}
