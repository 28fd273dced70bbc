//! From the start of one of Surefire's or Failsafe's JVMs to how it runs tests.
//!
//! Such a JVM runs `ForkedBooter`, from a jar whose manifest is the class path, from an argument file with a module path, or
//! from a plain class path. Its arguments name a properties file that says what to run with which provider, and a second
//! one with system properties to set.

use crate::command_line::{CommandLine, Main, recorded_file, split_paths};
use crate::configuration::{Framework, TestFilters};
use crate::properties;
use catchment_protocol::records::Launch;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

const BOOTER: &str = "org.apache.maven.surefire.booter.ForkedBooter";

/// One JVM of Surefire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SurefireJvm {
    pub(crate) java: PathBuf,
    pub(crate) jvm_arguments: Vec<OsString>,
    pub(crate) class_path: Vec<PathBuf>,
    pub(crate) system_properties: Vec<(String, String)>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) working_folder: PathBuf,
    pub(crate) framework: Framework,
    pub(crate) filters: TestFilters,
    /// Classes that the scan for tests found, in the order of the run; all of them, even if this JVM got only some.
    pub(crate) scanned: Vec<String>,
    pub(crate) reports: PathBuf,
    pub(crate) test_classes: PathBuf,
    pub(crate) notes: Vec<String>,
    /// Equal for the JVMs of one execution, different for any two executions that differ in anything.
    pub(crate) execution: String,
}

impl SurefireJvm {
    /// `None` for a JVM that is not Surefire's.
    pub(crate) fn of(launch: &Launch) -> Option<Self> {
        let line = CommandLine::of(launch);
        if !is_booter(&line.main) {
            return None;
        }
        let files = argument_properties(launch, &line.program_arguments);
        let booter = Booter(files.iter().find(|file| has_key(file, "providerConfiguration"))?.clone());
        let system_properties = files.into_iter().find(|file| *file != booter.0).unwrap_or_default();
        let mut jvm_arguments = line.jvm_arguments;
        if booter.get("enableAssertions") != Some("false") && !jvm_arguments.iter().any(|own| own == "-ea") {
            // Surefire switches them on from inside.
            jvm_arguments.push("-ea".into());
        }
        Some(Self {
            java: path_of(&launch.executable),
            jvm_arguments,
            class_path: booter.class_path(line.class_path.unwrap_or_else(|| class_path_variable(launch))),
            system_properties,
            environment: launch
                .environment
                .iter()
                .map(|(name, value)| (text_of(name), text_of(value)))
                .collect(),
            working_folder: path_of(&launch.working_folder),
            framework: booter.framework(),
            filters: booter.filters(),
            scanned: booter.scanned(),
            reports: booter.path("reportsDirectory"),
            test_classes: booter.path("testClassesDirectory"),
            notes: booter.notes(),
            execution: booter.execution(),
        })
    }
}

fn is_booter(main: &Main) -> bool {
    match main {
        Main::Class(class) => class == BOOTER,
        Main::Jar(jar) => {
            jar.file_name().is_some_and(|name| name.to_string_lossy().starts_with("surefirebooter"))
        }
        Main::Module(_) | Main::None => false,
    }
}

/// The properties files among the arguments: named whole (before 2.20), or as a folder and names in it.
fn argument_properties(launch: &Launch, arguments: &[OsString]) -> Vec<Vec<(String, String)>> {
    let folder = arguments.first().map(Path::new).unwrap_or(Path::new(""));
    let read = |name: &OsString| {
        let content =
            recorded_file(launch, Path::new(name)).or_else(|| recorded_file(launch, &folder.join(name)))?;
        Some(properties::parse(&content))
    };
    arguments.iter().filter_map(read).collect()
}

fn has_key(file: &[(String, String)], key: &str) -> bool {
    file.iter().any(|(own, _)| own == key)
}

/// The properties file that tells the booter what to do.
#[derive(Debug)]
struct Booter(Vec<(String, String)>);

impl Booter {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(own, _)| own == key).map(|(_, value)| value.as_str())
    }

    fn path(&self, key: &str) -> PathBuf {
        PathBuf::from(self.get(key).unwrap_or_default())
    }

    /// `<prefix>0`, `<prefix>1` ... in the order of the numbers.
    fn list(&self, prefix: &str) -> Vec<String> {
        let numbered = self.0.iter().filter_map(|(key, value)| {
            let number: usize = key.strip_prefix(prefix)?.parse().ok()?;
            Some((number, value.clone()))
        });
        let mut numbered: Vec<_> = numbered.collect();
        numbered.sort_by_key(|(number, _)| *number);
        numbered.into_iter().map(|(_, value)| value).collect()
    }

    /// The tests' class path, then what the provider brings along, such as JUnit's launcher. Surefire's own jars stay out:
    /// their place is taken by our driver. `of_jvm` is for tests that lie on the module path with all they need.
    fn class_path(&self, of_jvm: Vec<PathBuf>) -> Vec<PathBuf> {
        let own: Vec<PathBuf> = self.list("classPathUrl.").into_iter().map(PathBuf::from).collect();
        let of_jvm = if own.is_empty() { of_jvm } else { Vec::new() };
        let provided = self.list("surefireClassPathUrl.").into_iter().map(PathBuf::from);
        let added = of_jvm.into_iter().chain(provided).filter(|entry| !is_surefires(entry));
        let mut class_path: Vec<PathBuf> = Vec::new();
        for entry in own.into_iter().chain(added) {
            if !class_path.contains(&entry) {
                class_path.push(entry);
            }
        }
        class_path
    }

    fn framework(&self) -> Framework {
        let provider = self.get("providerConfiguration").unwrap_or_default().to_lowercase();
        if provider.contains("junitplatform") {
            Framework::JUnitPlatform
        } else if provider.contains("testng") {
            Framework::TestNg
        } else {
            // JUnit 4, JUnit 4.7 for parallel runs, JUnit 3; also the provider for JUnit 5 that came before Surefire's own.
            Framework::JUnit4
        }
    }

    fn filters(&self) -> TestFilters {
        TestFilters {
            included_groups: self.words("groups"),
            excluded_groups: self.words("excludegroups"),
            included_engines: self.words("includejunit5engines"),
            excluded_engines: self.words("excludejunit5engines"),
            configuration_parameters: self
                .get("configurationParameters")
                .map_or_else(Vec::new, |text| properties::parse(text.as_bytes())),
            suite_files: self.list("testSuiteXmlFiles").into_iter().map(PathBuf::from).collect(),
        }
    }

    /// Given suites, TestNG runs these and not what the scan found.
    fn scanned(&self) -> Vec<String> {
        if self.filters().suite_files.is_empty() { self.list("tc.") } else { Vec::new() }
    }

    fn words(&self, key: &str) -> Vec<String> {
        let words = self.get(key).unwrap_or_default().split(',').map(str::trim);
        words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(parallel) = self.get("parallel").filter(|parallel| !matches!(*parallel, "" | "none")) {
            notes.push(format!("parallel={parallel}: parallel execution is switched off for observation"));
        }
        if self.get("rerunFailingTestsCount").is_some_and(|count| count != "0") {
            notes.push("failing tests are re-run by the build; here a test that fails has failed".to_owned());
        }
        if let Some(wanted) = self.get("requestedTest").filter(|wanted| wanted.contains('#')) {
            notes.push(format!(
                "test={wanted}: all tests of the classes are run, not the named methods alone"
            ));
        }
        notes
    }

    /// Surefire names its statistics file by a checksum over the whole configuration of the execution.
    fn execution(&self) -> String {
        let scanned = self.list("tc.").join(",");
        let value = |key| self.get(key).unwrap_or_default();
        [value("runStatisticsFile"), value("reportsDirectory"), value("requestedTest"), &scanned].join("|")
    }
}

fn is_surefires(jar: &Path) -> bool {
    let place = jar.to_string_lossy();
    place.contains("/org/apache/maven/surefire/") || place.contains("/org/apache/maven/shared/")
}

/// Without manifest-only jar, old versions of Surefire pass the class path in the environment.
fn class_path_variable(launch: &Launch) -> Vec<PathBuf> {
    let variable = launch.environment.iter().find(|(name, _)| name == b"CLASSPATH");
    variable.map_or_else(Vec::new, |(_, value)| split_paths(OsStr::from_bytes(value)))
}

fn path_of(bytes: &[u8]) -> PathBuf {
    PathBuf::from(text_of(bytes))
}

fn text_of(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOTER_FILE: &str = "#surefire\ntc.1=acme.OneTest\ntc.0=acme.TwoTest\ntc.10=acme.TenTest\n\
        classPathUrl.1=/p/target/classes\nclassPathUrl.0=/p/target/test-classes\n\
        surefireClassPathUrl.0=/m2/org/apache/maven/surefire/surefire-junit-platform/3.5.2/x.jar\n\
        surefireClassPathUrl.1=/m2/org/junit/platform/launcher.jar\nreportsDirectory=/p/target/surefire-reports\n\
        testClassesDirectory=/p/target/test-classes\nforkNodeConnectionString=pipe\\://1\n\
        groups=fast | small,other\nexcludegroups=slow\nparallel=none\nrequestedTest=OneTest\\#first\n\
        configurationParameters=junit.jupiter.execution.parallel.enabled \\= true\\n\n";

    fn launch(arguments: &[&str], provider: &str, folder: &str) -> Launch {
        let file = |name: &str, text: String| (format!("{folder}{name}").into_bytes(), text.into_bytes());
        Launch {
            executable: b"/j/bin/java".to_vec(),
            arguments: arguments.iter().map(|argument| argument.as_bytes().to_vec()).collect(),
            environment: vec![(b"CLASSPATH".to_vec(), b"/a:/b".to_vec())],
            working_folder: b"/p".to_vec(),
            files: vec![
                file("1tmp", format!("{BOOTER_FILE}providerConfiguration={provider}\n")),
                file("2tmp", "here=/p/x\n".to_owned()),
            ],
        }
    }

    const PLATFORM: &str = "org.apache.maven.surefire.junitplatform.JUnitPlatformProvider";

    #[test]
    fn a_booter_jar_with_files_in_a_folder() {
        let arguments = [
            "-Xmx1g",
            "-jar",
            "/p/target/surefire/surefirebooter-1.jar",
            "/p/target/surefire",
            "run1",
            "1tmp",
            "2tmp",
        ];
        let jvm = SurefireJvm::of(&launch(&arguments, PLATFORM, "/p/target/surefire/")).unwrap();
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(
            jvm.class_path,
            paths(&["/p/target/test-classes", "/p/target/classes", "/m2/org/junit/platform/launcher.jar"])
        );
        assert_eq!(jvm.jvm_arguments, ["-Xmx1g", "-ea"]);
        assert_eq!(jvm.scanned, ["acme.TwoTest", "acme.OneTest", "acme.TenTest"]);
        assert_eq!(jvm.system_properties, [("here".to_owned(), "/p/x".to_owned())]);
        assert_eq!(jvm.framework, Framework::JUnitPlatform);
        assert_eq!(jvm.filters.included_groups, ["fast | small", "other"]);
        assert_eq!(jvm.filters.excluded_groups, ["slow"]);
        let parallel = ("junit.jupiter.execution.parallel.enabled".to_owned(), "true".to_owned());
        assert_eq!(jvm.filters.configuration_parameters, [parallel]);
        assert_eq!(jvm.reports, Path::new("/p/target/surefire-reports"));
        assert_eq!(
            jvm.notes,
            ["test=OneTest#first: all tests of the classes are run, not the named methods alone"]
        );
    }

    #[test]
    fn whole_names_and_a_class_path_in_the_environment() {
        let arguments = [BOOTER, "/p/1tmp", "/p/2tmp"];
        let jvm =
            SurefireJvm::of(&launch(&arguments, "org.apache.maven.surefire.junit4.JUnit4Provider", "/p/"))
                .unwrap();
        assert_eq!(jvm.framework, Framework::JUnit4);
        let mut bare = launch(&arguments, "x.testng.TestNGProvider", "/p/");
        bare.files[0].1 = b"providerConfiguration=x.testng.TestNGProvider\nenableAssertions=false\n".to_vec();
        let jvm = SurefireJvm::of(&bare).unwrap();
        assert_eq!(jvm.class_path, [Path::new("/a"), Path::new("/b")]);
        assert_eq!((jvm.framework, jvm.jvm_arguments), (Framework::TestNg, Vec::new()));
    }

    #[test]
    fn other_jvms_are_not_surefires() {
        for arguments in [&["-version"][..], &["-jar", "/x/app.jar", "/p/1tmp"], &["acme.Main"]] {
            assert_eq!(SurefireJvm::of(&launch(arguments, PLATFORM, "/p/")), None, "{arguments:?}");
        }
    }
}
