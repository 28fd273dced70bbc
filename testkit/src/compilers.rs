//! The compilers whose output Catchment must understand, old and new, run by the tests themselves.
//!
//! | compiler | from | what it is here for |
//! | --- | --- | --- |
//! | javac 8 | Maven, patched into `java.compiler` of JDK 17 | `jsr` finally and `class$` literals (target 1.3, 1.4), try-with-resources of 7 and 8 |
//! | javac 9 | the same way | `$closeResource`, as in 9 and 10 |
//! | javac 17, 25 | the installed JDKs | today's shapes, at several releases |
//! | ecj 3.5.1 to 3.44 | Maven | `jsr`, inline class literals, its own try-with-resources |
//! | kotlinc 1.9, 2.3 | Maven | both front ends: inline functions, `use`, coroutines |
//!
//! Class folders are cached under `target/testkit/classes`, keyed by compiler, options, class path and sources.

use crate::jdk;
use crate::workspace::{cache_key, cached_folder, root};
use crate::{maven, pinned};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A compiler at one language level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compiler {
    /// An installed javac with `--release`.
    Javac {
        jdk: u32,
        release: u32,
    },
    /// javac 8 with `-source` and `-target`; levels below 5 get `jsr` subroutines for `finally`.
    Javac8 {
        level: u32,
    },
    /// javac 9 with `-source` and `-target`.
    Javac9 {
        level: u32,
    },
    Ecj2009 {
        level: u32,
    },
    Ecj2012 {
        level: u32,
    },
    Ecj2016 {
        level: u32,
    },
    /// Levels above 17 run on JDK 25, whose API they compile against.
    Ecj2025 {
        level: u32,
    },
    Kotlinc1,
    Kotlinc2,
}

/// What to compile.
#[derive(Debug, Clone, Default)]
pub struct Job {
    pub sources: Vec<PathBuf>,
    pub class_path: Vec<PathBuf>,
    /// Annotation processors; none run unless named here. Understood by the installed javacs.
    pub processors: Vec<PathBuf>,
    /// Given to the compiler as they are.
    pub options: Vec<String>,
}

impl Job {
    pub fn of(sources: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { sources: sources.into_iter().collect(), ..Self::default() }
    }
}

/// Compiles with an installed javac; the class folder is shared by all callers with the same inputs.
pub fn javac(jdk: u32, release: u32, options: &[&str], sources: &[PathBuf]) -> Result<PathBuf> {
    let options = options.iter().map(|&option| option.to_owned()).collect();
    Compiler::Javac { jdk, release }.compile(&Job { sources: sources.to_vec(), options, ..Job::default() })
}

impl Compiler {
    /// A short name for messages and cache keys: `javac-17@8` is javac 17 at level 8.
    pub fn name(self) -> String {
        match self {
            Self::Javac { jdk, release } => format!("javac-{jdk}@{release}"),
            Self::Javac8 { level } => format!("javac-8@{level}"),
            Self::Javac9 { level } => format!("javac-9@{level}"),
            Self::Ecj2009 { level } => format!("ecj-3.5@{level}"),
            Self::Ecj2012 { level } => format!("ecj-4.2@{level}"),
            Self::Ecj2016 { level } => format!("ecj-4.6@{level}"),
            Self::Ecj2025 { level } => format!("ecj-3.44@{level}"),
            Self::Kotlinc1 => "kotlinc-1.9".to_owned(),
            Self::Kotlinc2 => "kotlinc-2.3".to_owned(),
        }
    }

    /// The language level: 4 for Java 1.4, 17 for Java 17. Kotlin compiles to 17 here.
    pub fn level(self) -> u32 {
        match self {
            Self::Javac { release: level, .. }
            | Self::Javac8 { level }
            | Self::Javac9 { level }
            | Self::Ecj2009 { level }
            | Self::Ecj2012 { level }
            | Self::Ecj2016 { level }
            | Self::Ecj2025 { level } => level,
            Self::Kotlinc1 | Self::Kotlinc2 => 17,
        }
    }

    /// The installed JDK it runs on.
    fn jdk(self) -> u32 {
        match self {
            Self::Javac { jdk, .. } => jdk,
            Self::Ecj2025 { level } if level > 17 => 25,
            _ => 17,
        }
    }

    /// Whether it can run on this machine; see [`jdk::is_here`].
    pub fn is_here(self) -> bool {
        jdk::is_here(self.jdk())
    }

    /// The folder of the compiled classes. A compile error is an error holding the compiler's output.
    pub fn compile(self, job: &Job) -> Result<PathBuf> {
        cached_folder("classes", &self.key(job)?, |classes| {
            let output = self.command(job, classes)?.output().context("cannot start the compiler")?;
            if !output.status.success() {
                let text = [output.stdout, output.stderr].concat();
                bail!("{} failed:\n{}", self.name(), String::from_utf8_lossy(&text));
            }
            Ok(())
        })
    }

    /// Source names count too: they are written into the classes.
    fn key(self, job: &Job) -> Result<String> {
        let mut parts = vec![self.name().into_bytes()];
        parts.extend(job.options.iter().map(|option| option.clone().into_bytes()));
        for file in job.class_path.iter().chain(&job.processors) {
            parts.push(file.file_name().unwrap_or_default().as_encoded_bytes().to_vec());
        }
        for source in &job.sources {
            parts.push(source.file_name().unwrap_or_default().as_encoded_bytes().to_vec());
            parts.push(fs::read(source).with_context(|| format!("cannot read {}", source.display()))?);
        }
        Ok(format!("{}-{}", self.name(), cache_key(parts.iter().map(Vec::as_slice))))
    }

    fn command(self, job: &Job, classes: &Path) -> Result<Command> {
        let mut command = match self {
            Self::Javac { jdk, release } => javac_command(jdk, release)?,
            Self::Javac8 { level } => old_javac_command(pinned::JAVAC_8, level)?,
            Self::Javac9 { level } => old_javac_command(pinned::JAVAC_9, level)?,
            Self::Ecj2009 { level } => ecj_command(pinned::ECJ_2009, level)?,
            Self::Ecj2012 { level } => ecj_command(pinned::ECJ_2012, level)?,
            Self::Ecj2016 { level } => ecj_command(pinned::ECJ_2016, level)?,
            Self::Ecj2025 { level } => ecj_command(pinned::ECJ_2025, level)?,
            Self::Kotlinc1 => kotlinc_command(pinned::KOTLINC_1)?,
            Self::Kotlinc2 => kotlinc_command(pinned::KOTLINC_2)?,
        };
        let class_path = self.class_path(job)?;
        if !class_path.is_empty() {
            command.arg("-classpath").arg(std::env::join_paths(class_path)?);
        }
        if job.processors.is_empty() {
            command.args(self.no_processing());
        } else {
            command.arg("-processorpath").arg(std::env::join_paths(&job.processors)?);
        }
        command.arg("-d").arg(classes).args(&job.options).args(&job.sources);
        Ok(command)
    }

    fn no_processing(self) -> &'static [&'static str] {
        if matches!(self, Self::Kotlinc1 | Self::Kotlinc2) { &[] } else { &["-proc:none"] }
    }

    fn class_path(self, job: &Job) -> Result<Vec<PathBuf>> {
        let mut class_path = job.class_path.clone();
        class_path.extend(self.runtime_libraries()?);
        Ok(class_path)
    }

    /// What code of this compiler needs beyond the JDK, to be compiled and to run: Kotlin's libraries.
    pub fn runtime_libraries(self) -> Result<Vec<PathBuf>> {
        match self {
            Self::Kotlinc1 => pinned::jars(&[pinned::KOTLIN_STDLIB_1, pinned::COROUTINES]),
            Self::Kotlinc2 => pinned::jars(&[pinned::KOTLIN_STDLIB_2, pinned::COROUTINES]),
            _ => Ok(Vec::new()),
        }
    }
}

/// The tools under `testkit/java/tools`, compiled, as a class path together with ASM.
pub fn java_tools() -> Result<Vec<PathBuf>> {
    let mut class_path = pinned::jars(&[pinned::ASM, pinned::ASM_TREE])?;
    let sources = files_with_extension(&root().join("testkit/java/tools"), "java")?;
    let job = Job { sources, class_path: class_path.clone(), ..Job::default() };
    class_path.insert(0, Compiler::Javac { jdk: 17, release: 17 }.compile(&job)?);
    Ok(class_path)
}

/// The files with this extension directly in `folder`, sorted.
pub fn files_with_extension(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|it| it == extension)).collect();
    files.sort();
    Ok(files)
}

fn javac_command(jdk: u32, release: u32) -> Result<Command> {
    let mut command = jdk::installed(jdk)?.command("javac");
    command.args(["-g", "-nowarn", "-Xlint:-options", "--release", &release.to_string()]);
    Ok(command)
}

fn old_javac_command(coordinate: &str, level: u32) -> Result<Command> {
    let jdk = jdk::installed(17)?;
    let patch = jar(coordinate)?;
    let mut command = jdk.command("java");
    // Only what the old compiler needs: jdk.compiler itself would clash with the patch.
    command.args(["--limit-modules", "java.base,java.xml,java.logging,jdk.zipfs,java.compiler"]);
    command.arg("--patch-module").arg(format!("java.compiler={}", patch.display()));
    command.args(["--add-exports", "java.base/jdk.internal.jmod=ALL-UNNAMED"]);
    command.args(["--add-exports", "java.compiler/com.sun.tools.javac=ALL-UNNAMED"]);
    command.arg("-cp").arg(std::env::join_paths(java_tools()?)?).arg("OldJavac");
    if coordinate == pinned::JAVAC_8 {
        command.arg(empty_java_home()?)
    } else {
        command.arg("-")
    };
    command.arg("-bootclasspath").arg(java_8_api()?);
    command.args(["-g", "-nowarn", "-Xlint:-options"]);
    command.args(["-source", &dotted(level), "-target", &dotted(level)]);
    if level < 5 {
        command.arg("-XDjsrlimit=0");
    }
    Ok(command)
}

fn ecj_command(coordinate: &str, level: u32) -> Result<Command> {
    let jdk = jdk::installed(if level > 17 { 25 } else { 17 })?;
    let mut command = jdk.command("java");
    command.arg("-cp").arg(jar(coordinate)?).arg("org.eclipse.jdt.internal.compiler.batch.Main");
    command.args(["-g", "-nowarn"]);
    if level > 8 {
        command.args(["--release", &level.to_string()]);
    } else {
        // Old ones cannot read a JDK without rt.jar.
        let level = dotted(level);
        command.args(["-source", &level, "-target", &level, "-bootclasspath"]).arg(java_8_api()?);
    }
    Ok(command)
}

fn kotlinc_command(coordinate: &str) -> Result<Command> {
    let compiler = maven::resolve_with_dependencies(&[coordinate])?;
    let mut command = jdk::installed(17)?.command("java");
    command.arg("-cp").arg(std::env::join_paths(compiler)?).arg("org.jetbrains.kotlin.cli.jvm.K2JVMCompiler");
    command.args(["-no-stdlib", "-no-reflect", "-nowarn", "-jvm-target", "17"]);
    Ok(command)
}

fn jar(coordinate: &str) -> Result<PathBuf> {
    pinned::jars(&[coordinate])?.pop().context("one coordinate is one file")
}

/// Compilers before 9 spell Java 4 as 1.4.
fn dotted(level: u32) -> String {
    format!("1.{level}")
}

/// A jar of the Java 8 API as seen by compilers that cannot read newer class files.
pub fn java_8_api() -> Result<PathBuf> {
    let jdk = jdk::installed(17)?;
    let folder = cached_folder("api", "java-8", |staging| {
        let source = root().join("testkit/java/tools/OldApi.java");
        let output = jdk
            .command("java")
            .arg(source)
            .arg(jdk.home().join("lib/ct.sym"))
            .arg(staging.join("api.jar"))
            .output()
            .context("cannot start java")?;
        if !output.status.success() {
            bail!("cannot extract the Java 8 API:\n{}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    })?;
    Ok(folder.join("api.jar"))
}

fn empty_java_home() -> Result<PathBuf> {
    cached_folder("api", "empty-java-home", |staging| {
        fs::create_dir_all(staging.join("lib/modules")).context("cannot create an empty Java home")
    })
}
