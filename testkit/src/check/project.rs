//! A fixture as a project on disk: sources, class folders, and the command that checks it.
//!
//! A class may have changed since its user was compiled, as when a library is exchanged: `main` is compiled against
//! `earlier`, whose classes are then thrown away, and `later` holds what there is instead.

use super::{Answer, Marker, folder};
use crate::compilers::{Compiler, Job};
use crate::workspace::{files_below, root};
use crate::{jdk, maven};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;

const COMPILER: Compiler = Compiler::Javac { jdk: 17, release: 17 };

/// What runs the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framework {
    JUnit4,
    JUnit5,
    TestNg,
}

impl Framework {
    /// With the launcher, which a build tool would bring along.
    fn coordinates(self) -> &'static [&'static str] {
        match self {
            Self::JUnit4 => &["junit:junit:4.13.2"],
            Self::JUnit5 => &[
                "org.junit.jupiter:junit-jupiter:5.11.2",
                "org.junit.platform:junit-platform-launcher:1.11.2",
            ],
            Self::TestNg => &["org.testng:testng:7.10.2"],
        }
    }

    fn folder_name(self) -> &'static str {
        match self {
            Self::JUnit4 => "test-junit4",
            Self::JUnit5 => "test-junit5",
            Self::TestNg => "test-testng",
        }
    }
}

/// A copy of a fixture in a temporary folder, compiled.
#[derive(Debug)]
pub struct CheckProject {
    folder: TempDir,
    libraries: Vec<PathBuf>,
    /// Classes of the application that lie elsewhere.
    outside: Option<PathBuf>,
    /// Where fixtures keep what shall outlive every JVM: its path is in the variable `FIXTURE_STATE`.
    state: TempDir,
    /// The temporary folder of the checks themselves; their workers have others.
    temporary: TempDir,
    /// In the environment of everything that a check of this project starts.
    pub marker: Marker,
}

impl CheckProject {
    pub fn new(name: &str, framework: Framework) -> Result<Self> {
        Self::of_fixture(&folder().join(name), framework)
    }

    /// Of a fixture in another folder.
    pub fn of_fixture(fixture: &Path, framework: Framework) -> Result<Self> {
        let libraries = maven::resolve_with_dependencies(framework.coordinates())?;
        let folder_of_tests = [framework.folder_name(), "test"]
            .map(|tests| fixture.join(tests))
            .into_iter()
            .find(|tests| tests.is_dir());
        let tests = folder_of_tests
            .with_context(|| format!("{} has no tests for {framework:?}", fixture.display()))?;
        let mut project = Self {
            folder: tempfile::tempdir()?,
            libraries,
            outside: None,
            state: tempfile::tempdir()?,
            temporary: tempfile::tempdir()?,
            marker: Marker::new(),
        };
        project.compile(fixture, &tests)?;
        Ok(project)
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where fixtures keep what shall outlive every JVM.
    pub fn state(&self) -> &Path {
        self.state.path()
    }

    /// Files that checks have left in their temporary folder.
    pub fn left_in_temporary(&self) -> Result<Vec<String>> {
        let entries = fs::read_dir(self.temporary.path())?;
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    /// Where the application's classes are.
    pub fn main_classes(&self) -> PathBuf {
        self.folder().join("classes/main")
    }

    fn application(&self) -> Vec<PathBuf> {
        std::iter::once(self.main_classes()).chain(self.outside.clone()).collect()
    }

    pub fn test_classes(&self) -> PathBuf {
        self.folder().join("classes/test")
    }

    fn compile(&mut self, fixture: &Path, tests: &Path) -> Result<()> {
        let earlier = fixture.join("earlier");
        let earlier = if earlier.is_dir() { vec![compiled(&earlier, &[])?] } else { Vec::new() };
        copy(&compiled(&fixture.join("main"), &earlier)?, &self.main_classes())?;
        let later = fixture.join("later");
        if later.is_dir() {
            copy(&compiled(&later, &[self.main_classes()])?, &self.main_classes())?;
        }
        let outside = fixture.join("outside");
        if outside.is_dir() {
            self.outside = Some(compiled(&outside, &[self.main_classes()])?);
        }
        let mut class_path = self.application();
        class_path.extend(self.libraries.iter().cloned());
        copy(&compiled(tests, &class_path)?, &self.test_classes())?;
        let settings = fixture.join("catchment.toml");
        if settings.is_file() {
            fs::copy(&settings, self.folder().join("catchment.toml"))?;
        }
        // What a user's folder holds besides: it must still be there, and as it was.
        copy(&fixture.join("main"), &self.folder().join("src/main"))?;
        copy(tests, &self.folder().join("src/test"))
    }

    /// The user writes a class anew, `com/acme/Cache.java`, and compiles it.
    pub fn rewrite_class(&self, file: &str, source: &str) -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
        fs::write(&path, source)?;
        copy(&compiled(folder.path(), &[self.main_classes()])?, &self.main_classes())
    }

    /// The same with a class of the tests.
    pub fn rewrite_test(&self, file: &str, source: &str) -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
        fs::write(&path, source)?;
        let mut class_path = self.application();
        class_path.extend(self.libraries.iter().cloned());
        copy(&compiled(folder.path(), &class_path)?, &self.test_classes())
    }

    /// `catchment check` for this project, with its answer as JSON.
    pub fn command(&self, arguments: &[&str]) -> Result<Command> {
        self.command_by(&binary()?, "check", arguments)
    }

    /// A command of a given build of the tool for this project, with its answer as JSON.
    pub fn command_by(&self, binary: &Path, name: &str, arguments: &[&str]) -> Result<Command> {
        let mut test_class_path = vec![self.test_classes()];
        test_class_path.extend(self.libraries.iter().cloned());
        let mut command = Command::new(binary);
        command.arg(name).arg(self.folder()).arg("--json");
        command.arg("--classpath").arg(env::join_paths(self.application())?);
        command.arg("--test-classpath").arg(env::join_paths(test_class_path)?);
        command.args(arguments).current_dir(self.folder()).stdin(Stdio::null());
        command.env("JAVA_HOME", jdk::installed(17)?.home()).env_remove("JAVA_TOOL_OPTIONS");
        command.env("FIXTURE_STATE", self.state.path()).env("TMPDIR", self.temporary.path());
        self.marker.put_on(&mut command);
        Ok(command)
    }

    /// `catchment stretch` for this project, with its answer as JSON.
    pub fn stretch_command(&self, arguments: &[&str]) -> Result<Command> {
        self.command_by(&binary()?, "stretch", arguments)
    }

    /// What `catchment stretch --json` says of this project.
    pub fn stretch(&self, arguments: &[&str]) -> Result<Value> {
        let output = self.stretch_command(arguments)?.output().context("cannot start catchment")?;
        if !output.status.success() {
            bail!(
                "catchment stretch ended with {}:\n{}",
                output.status,
                String::from_utf8_lossy(&output.stderr)
            );
        }
        serde_json::from_slice(&output.stdout).context("the answer is no JSON")
    }

    /// Runs the check to its end.
    pub fn check(&self, arguments: &[&str]) -> Result<Answer> {
        let output = self.command(arguments)?.output().context("cannot start catchment")?;
        let errors = String::from_utf8_lossy(&output.stderr);
        if !matches!(output.status.code(), Some(0 | 1)) {
            bail!("catchment check ended with {}:\n{errors}", output.status);
        }
        let answer = Answer::parse(&String::from_utf8_lossy(&output.stdout));
        Ok(answer.with_context(|| errors.clone().into_owned())?.with_progress(&errors))
    }
}

fn compiled(sources: &Path, class_path: &[PathBuf]) -> Result<PathBuf> {
    let sources = files_below(sources)?;
    // The cache looks at names of class folders only: what is in them has to count too.
    let options = class_path.iter().filter(|path| path.is_dir()).map(|path| content_key(path));
    let mut job = Job { sources, class_path: class_path.to_vec(), ..Job::default() };
    job.options = options.collect::<Result<_>>()?;
    COMPILER.compile(&job)
}

/// An option without effect that differs when any class does.
fn content_key(folder: &Path) -> Result<String> {
    let contents: Vec<Vec<u8>> = files_below(folder)?.iter().map(fs::read).collect::<Result<_, _>>()?;
    let key = crate::workspace::cache_key(contents.iter().map(Vec::as_slice));
    Ok(format!("-J-Dcatchment.testkit.against={key}"))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    for file in files_below(from)? {
        let target = to.join(file.strip_prefix(from)?);
        let parent = target.parent().context("a file is in a folder")?;
        fs::create_dir_all(parent)?;
        fs::copy(&file, &target).with_context(|| format!("cannot copy to {}", target.display()))?;
    }
    Ok(())
}

/// The command line tool, built like the test that asks for it.
///
/// Cargo tells only the tests of its own package where it is.
pub fn binary() -> Result<PathBuf> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| build_binary().map_err(|error| format!("{error:#}")));
    built.clone().map_err(anyhow::Error::msg)
}

fn build_binary() -> Result<PathBuf> {
    // <target>/<profile>/deps/<this test>
    let test = env::current_exe()?;
    let profile = test.ancestors().nth(2).context("a test lies in the target folder")?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--package", "catchment"]).current_dir(root());
    command.arg("--target-dir").arg(profile.parent().context("a profile lies in the target folder")?);
    if profile.ends_with("release") {
        command.arg("--release");
    }
    let output = command.output().context("cannot start cargo")?;
    if !output.status.success() {
        bail!("cannot build catchment:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(profile.join("catchment"))
}
