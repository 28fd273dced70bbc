//! The command line of a worker: the build's own, with our driver as its program, our agent in it, and the folders that
//! tests like to litter redirected.

use super::sweep::MARKER;
use catchment_build::{Framework, RunConfiguration, options_in, remove_all};
use catchment_protocol::equipment::Equipment;
use catchment_protocol::options::AgentOptions;
use catchment_watch::{InstalledAgent, create_private_folder};
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const DRIVER: &str = "catchment.driver.Main";
/// Variables with options that the command line overrules: those that every JVM reads, and those that the `java` command does.
const WITH_OPTIONS: [&str; 2] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"];

/// Beginnings of the options that say how large the heap of a JVM may be. What the build says is never changed: a test may
/// want to see how its memory ends.
const HEAP_OPTIONS: [&str; 5] =
    ["-Xmx", "-XX:MaxHeapSize=", "-XX:MaxRAM=", "-XX:MaxRAMPercentage=", "-XX:MaxRAMFraction="];

/// Everything needed to start one worker.
#[derive(Debug, Clone)]
pub(crate) struct WorkerSetup {
    /// Already moved into the worker's own copy of the project.
    pub(crate) configuration: RunConfiguration,
    pub(crate) agent: InstalledAgent,
    /// Temporary folder, home, socket, results: all below this one. Emptied at each start.
    pub(crate) scratch: PathBuf,
    /// Marks all processes of this worker.
    pub(crate) marker: String,
    /// The largest heap, unless the build sets one.
    pub(crate) max_heap_mib: u64,
    /// Single tests seldom run long enough to repay the JVM's second compiler, or a garbage collector with several threads.
    pub(crate) runs_single_tests: bool,
    pub(crate) equipment: Equipment,
    /// The moment at which the budget is used up.
    pub(crate) end: Option<Instant>,
}

impl WorkerSetup {
    pub(super) fn create_folders(&self) -> io::Result<()> {
        if self.scratch.exists() {
            remove_all(&self.scratch)?;
        }
        create_private_folder(&self.scratch)?;
        for folder in [self.temporary(), self.home(), self.results()] {
            fs::create_dir_all(folder)?;
        }
        Ok(())
    }

    pub(super) fn error_file(&self) -> PathBuf {
        self.scratch.join("hs_err.log")
    }

    fn temporary(&self) -> PathBuf {
        self.scratch.join("tmp")
    }

    fn home(&self) -> PathBuf {
        self.scratch.join("home")
    }

    fn results(&self) -> PathBuf {
        self.scratch.join("results")
    }

    /// The command that starts the JVM; its agent connects to `socket`.
    pub(super) fn command(&self, socket: &Path) -> Command {
        let configuration = &self.configuration;
        let mut command = Command::new(&configuration.java);
        command.args(self.jvm_arguments(socket)).arg("-cp").arg(self.class_path());
        command.arg(DRIVER).args(self.driver_arguments());
        command.current_dir(&configuration.working_folder);
        command.env_clear().envs(configuration.environment.iter().map(|(name, value)| (name, value)));
        command.env("HOME", self.home()).env("TMPDIR", self.temporary());
        command.env(MARKER, &self.marker);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        command
    }

    fn jvm_arguments(&self, socket: &Path) -> Vec<OsString> {
        let given = &self.configuration.jvm_arguments;
        let in_environment = self.options_in_environment();
        let options: Vec<_> =
            given.iter().chain(&in_environment).map(|option| option.to_string_lossy()).collect();
        let is_given = |prefix: &str| options.iter().any(|option| option.starts_with(prefix));
        // In front of other agents, as ids are made of the code of classes as they were built.
        let mut arguments = vec![self.agent_argument(socket)];
        arguments.extend(given.iter().cloned());
        let mut add = |prefix: &str, value: &OsStr| {
            if !is_given(prefix) {
                arguments.push(joined(prefix, value));
            }
        };
        add("-Duser.home=", self.home().as_os_str());
        if !HEAP_OPTIONS.iter().any(|option| is_given(option)) {
            add("-Xmx", OsStr::new(&format!("{}m", self.max_heap_mib)));
        }
        add("-XX:ErrorFile=", self.error_file().as_os_str());
        if self.runs_single_tests {
            add("-XX:TieredStopAtLevel=", OsStr::new("1"));
            let chooses_collector =
                |option: &Cow<'_, str>| option.starts_with("-XX:+Use") && option.ends_with("GC");
            if !options.iter().any(chooses_collector) {
                arguments.push("-XX:+UseSerialGC".into());
            }
        }
        // Behind what is given: tests must not share a temporary folder with anybody.
        arguments.push(joined("-Djava.io.tmpdir=", self.temporary().as_os_str()));
        arguments.push("-XX:-CreateCoredumpOnCrash".into());
        arguments
    }

    /// What the JVM is told by its environment. The command line would overrule it.
    fn options_in_environment(&self) -> Vec<OsString> {
        let variables = self.configuration.environment.iter();
        let has_options = |name: &OsStr| WITH_OPTIONS.iter().any(|each| name == *each);
        let texts = variables.filter(|(name, _)| has_options(name)).map(|(_, value)| value);
        texts.flat_map(|text| options_in(text, &self.configuration.working_folder)).collect()
    }

    fn agent_argument(&self, socket: &Path) -> OsString {
        let options = AgentOptions {
            results: self.results(),
            runtime: self.agent.runtime.clone(),
            application: self.configuration.application.clone(),
            tests: self.configuration.tests.clone(),
            socket: Some(socket.to_owned()),
            equipment: self.equipment,
            ..AgentOptions::default()
        };
        let mut argument = joined("-agentpath:", self.agent.library.as_os_str());
        argument.push("=");
        argument.push(options.encode());
        argument
    }

    fn class_path(&self) -> OsString {
        let entries = self.configuration.class_path.iter().map(PathBuf::as_path);
        let entries = entries.chain([self.agent.driver.as_path()]);
        entries.map(Path::as_os_str).collect::<Vec<_>>().join(OsStr::new(":"))
    }

    fn driver_arguments(&self) -> Vec<String> {
        let filters = &self.configuration.filters;
        let framework = match self.configuration.framework {
            Framework::JUnitPlatform => "junit-platform",
            Framework::JUnit4 => "junit4",
            Framework::TestNg => "testng",
        };
        let mut arguments = vec![framework.to_owned()];
        arguments.extend(filters.included_groups.iter().map(|group| format!("includeTags={group}")));
        arguments.extend(filters.excluded_groups.iter().map(|group| format!("excludeTags={group}")));
        arguments.extend(filters.included_engines.iter().map(|engine| format!("includeEngines={engine}")));
        arguments.extend(filters.excluded_engines.iter().map(|engine| format!("excludeEngines={engine}")));
        let parameters = filters.configuration_parameters.iter();
        arguments.extend(parameters.map(|(name, value)| format!("parameter={name}={value}")));
        arguments.extend(properties_set_inside(&self.configuration.system_properties));
        arguments
    }
}

/// Surefire sets these when the JVM is already up. Given to the JVM they would mean more (`file.encoding`) or nothing
/// (`java.specification.version`). What the worker redirects stays redirected.
fn properties_set_inside(properties: &[(String, String)]) -> Vec<String> {
    let is_theirs = |name: &str| !["java.io.tmpdir", "user.home"].contains(&name);
    let theirs = properties.iter().filter(|(name, _)| is_theirs(name));
    theirs.map(|(name, value)| format!("property={name}={value}")).collect()
}

fn joined(prefix: &str, value: &OsStr) -> OsString {
    let mut text = OsString::from(prefix);
    text.push(value);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_build::TestFilters;

    const TOOL_OPTIONS: &str = WITH_OPTIONS[0];

    fn setup(environment: &[(&str, &str)]) -> WorkerSetup {
        let variable = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
        let configuration = RunConfiguration {
            name: "class path".to_owned(),
            java: "java".into(),
            jvm_arguments: Vec::new(),
            class_path: Vec::new(),
            system_properties: Vec::new(),
            environment: environment.iter().map(variable).collect(),
            working_folder: "/".into(),
            framework: Framework::JUnit4,
            filters: TestFilters::default(),
            test_classes: Vec::new(),
            reported: Vec::new(),
            application: Vec::new(),
            tests: Vec::new(),
            notes: Vec::new(),
        };
        let agent = InstalledAgent { library: "a.so".into(), runtime: "r".into(), driver: "d.jar".into() };
        WorkerSetup {
            configuration,
            agent,
            scratch: "/scratch".into(),
            marker: "m".to_owned(),
            max_heap_mib: 512,
            runs_single_tests: false,
            equipment: Equipment::NONE,
            end: None,
        }
    }

    fn arguments(setup: &WorkerSetup) -> Vec<String> {
        setup
            .command(Path::new("/socket"))
            .get_args()
            .map(|argument| argument.to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn what_the_user_tells_every_jvm_reaches_workers_and_is_not_overruled() {
        let setup = setup(&[(TOOL_OPTIONS, "-Dflavour=salty -Xmx2g"), ("PATH", "/bin")]);
        let command = setup.command(Path::new("/socket"));
        let value = command.get_envs().find(|(name, _)| *name == TOOL_OPTIONS).and_then(|(_, value)| value);
        assert_eq!(value, Some(OsStr::new("-Dflavour=salty -Xmx2g")));
        let arguments = arguments(&setup);
        assert!(!arguments.iter().any(|argument| argument.starts_with("-Xmx")), "{arguments:?}");
        assert!(arguments.iter().any(|argument| argument.starts_with("-Duser.home=")), "{arguments:?}");
    }

    #[test]
    fn the_heap_stays_as_the_build_has_it() {
        let mut setup = setup(&[]);
        for given in ["-Xmx25M", "-XX:MaxHeapSize=25m", "-XX:MaxRAMPercentage=5"] {
            setup.configuration.jvm_arguments = vec!["-ea".into(), given.into()];
            let sized: Vec<_> = arguments(&setup).into_iter().filter(|each| is_heap_option(each)).collect();
            assert_eq!(sized, [given]);
        }
        setup.configuration.jvm_arguments.clear();
        setup.configuration.environment.push((TOOL_OPTIONS.into(), "-XX:MaxRAM=1g".into()));
        assert!(!arguments(&setup).iter().any(|each| is_heap_option(each)));
    }

    #[test]
    fn the_heap_stays_as_the_java_command_is_told_by_a_variable_or_a_file_that_it_names() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("jvm.args"), "-ea\n-Xmx2g\n").unwrap();
        for (options, is_sized) in [("-Xmx2g", true), ("-ea @jvm.args", true), ("'-Dx=a -Xmx2g'", false)] {
            let mut setup = setup(&[("JDK_JAVA_OPTIONS", options)]);
            setup.configuration.working_folder = folder.path().to_owned();
            assert_eq!(arguments(&setup).iter().any(|each| is_heap_option(each)), !is_sized, "{options}");
        }
    }

    fn is_heap_option(argument: &str) -> bool {
        HEAP_OPTIONS.iter().any(|option| argument.starts_with(option))
    }

    #[test]
    fn a_worker_has_a_limit_for_its_heap_unless_there_is_one() {
        assert!(arguments(&setup(&[])).contains(&"-Xmx512m".to_owned()));
    }

    #[test]
    fn single_tests_have_the_cheapest_compiler_and_collector_unless_the_build_chooses() {
        let mut setup = setup(&[]);
        let chosen = |setup: &WorkerSetup| -> Vec<String> {
            let is_choice = |option: &String| option.starts_with("-XX:Tiered") || option.ends_with("GC");
            arguments(setup).into_iter().filter(is_choice).collect()
        };
        assert_eq!(chosen(&setup), [""; 0]);
        setup.runs_single_tests = true;
        assert_eq!(chosen(&setup), ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]);
        setup.configuration.environment.push((TOOL_OPTIONS.into(), "-XX:TieredStopAtLevel=3".into()));
        setup.configuration.jvm_arguments.push("-XX:+UseZGC".into());
        assert_eq!(chosen(&setup), ["-XX:+UseZGC"]);
    }

    #[test]
    fn our_agent_sees_classes_before_those_of_the_build() {
        let mut setup = setup(&[]);
        setup.configuration.jvm_arguments.push("-javaagent:/jacoco.jar=destfile=x".into());
        let arguments = arguments(&setup);
        assert!(arguments[0].starts_with("-agentpath:a.so="), "{arguments:?}");
        assert_eq!(arguments[1], "-javaagent:/jacoco.jar=destfile=x");
    }

    #[test]
    fn properties_are_set_inside_but_for_those_that_are_redirected() {
        let given =
            [("file.encoding", "UTF-16"), ("java.io.tmpdir", "/tmp"), ("user.home", "/u"), ("a", "b=c")];
        let given = given.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(properties_set_inside(&given), ["property=file.encoding=UTF-16", "property=a=b=c"]);
    }
}
