//! commons-lang3 as a subject: a real library, compiled here from its sources, under its own published suite.
//!
//! The tests come as a jar and are unpacked beside the classes; what they need is resolved by coordinates.

use crate::compilers::{Compiler, Job};
use crate::jdk::Jdk;
use crate::source_counters::{CountedTry, Sample, counter_class, instrument_folder};
use crate::unpacked::unpacked;
use crate::workspace::files_below;
use crate::{maven, pinned};
use anyhow::{Context, Result, bail};
use std::env::join_paths;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// What the suite needs besides JUnit, as its POM says.
const TEST_LIBRARIES: &[&str] = &[
    "org.easymock:easymock:5.6.0",
    "org.apache.commons:commons-text:1.14.0",
    "org.junit-pioneer:junit-pioneer:2.3.0",
    "org.openjdk.jmh:jmh-core:1.37",
    "org.hamcrest:hamcrest:3.0",
];

/// Packages of java.base that the suite looks into, as its POM says.
const OPENED: &[&str] = &[
    "java.lang",
    "java.lang.reflect",
    "java.net",
    "java.text",
    "java.time",
    "java.time.chrono",
    "java.util",
    "java.util.concurrent",
    "java.util.stream",
    "sun.security.x509",
];

const COMPILER: Compiler = Compiler::Javac { jdk: 17, release: 11 };

/// The library's sources and tests, unpacked, and what the tests need.
#[derive(Debug, Clone)]
pub struct Lang3 {
    sources: PathBuf,
    tests: PathBuf,
    libraries: Vec<PathBuf>,
}

impl Lang3 {
    pub fn fetch() -> Result<Self> {
        let jars = maven::resolve(&[pinned::LANG3_SOURCES, pinned::LANG3_TESTS, pinned::JUNIT_CONSOLE])?;
        let [sources, tests, console] = jars.as_slice() else { bail!("three coordinates are three files") };
        let mut libraries = vec![console.clone()];
        libraries.extend(
            maven::resolve_with_dependencies(TEST_LIBRARIES)?.into_iter().filter(|jar| is_wanted(jar)),
        );
        Ok(Self { sources: unpacked(sources)?, tests: unpacked(tests)?, libraries })
    }

    /// The class folder of the library as published.
    pub fn compile(&self) -> Result<PathBuf> {
        COMPILER.compile(&Job::of(java_files(&self.sources)?))
    }

    /// The class folder of the library with counters in the tries that `sample` chooses, and these tries.
    pub fn compile_counted(&self, sample: &mut Sample) -> Result<(PathBuf, Vec<CountedTry>)> {
        let instrumented = TempDir::new().context("cannot create a folder for sources")?;
        let tries = instrument_folder(&self.sources, instrumented.path(), sample)?;
        let mut job = Job::of(java_files(instrumented.path())?);
        job.sources.push(counter_class());
        Ok((COMPILER.compile(&job)?, tries))
    }

    /// The command that runs the suite over `classes`: the tests of `packages`, or all when there are none.
    ///
    /// More JVM options go into `jvm_options`; it exits with 0 when every test passes.
    pub fn suite(
        &self,
        jdk: &Jdk,
        classes: &Path,
        packages: &[&str],
        jvm_options: &[&str],
    ) -> Result<Command> {
        let mut class_path = vec![classes.to_path_buf(), self.tests.clone()];
        class_path.extend(self.libraries.iter().cloned());
        let mut command = jdk.command("java");
        command.args(OPENED.iter().map(|package| format!("--add-opens=java.base/{package}=ALL-UNNAMED")));
        command.args(jvm_options).arg("-cp").arg(join_paths(class_path)?);
        command.args(["org.junit.platform.console.ConsoleLauncher", "execute", "--disable-banner"]);
        command.args(["--details=summary", "--include-classname=.*Test"]);
        if packages.is_empty() {
            command.arg(format!("--scan-classpath={}", self.tests.display()));
        }
        command.args(packages.iter().map(|package| format!("--select-package={package}")));
        Ok(command)
    }
}

/// The library under test must not come a second time, nor JUnit in another version.
fn is_wanted(jar: &Path) -> bool {
    let name = jar.file_name().unwrap_or_default().to_string_lossy();
    let junit = name.starts_with("junit-") && !name.starts_with("junit-pioneer");
    !name.starts_with("commons-lang3") && !junit
}

fn java_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = files_below(folder)?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "java"));
    Ok(files)
}
