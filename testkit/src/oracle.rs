//! Independent judges of woven classes, in Java: ASM takes the probes out again and compares, a JVM links.
//!
//! Starting a JVM and warming it up costs more than most comparisons, so a judge is a process that answers many
//! questions: a line with the original and the woven archive goes in, lines come out, the last one begins with
//! `done`. The protocol is in the Java files under `testkit/java/oracle`.

use crate::compilers::{Compiler, Job, files_with_extension, javac};
use crate::jdk::{self, Jdk};
use crate::pinned;
use crate::workspace::{cache_key, cached_folder, root};
use anyhow::{Context, Result, bail};
use std::env::join_paths;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What differs between an original and a woven class once the probes are gone, or between their linking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Entry or class name.
    pub class: String,
    /// Method and what was seen, or the two outcomes of linking.
    pub what: String,
}

/// The answer of [`StripComparer`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompareReport {
    pub classes: u64,
    pub methods: u64,
    /// Probe calls taken out.
    pub probes: u64,
    /// Originals that ASM cannot read, with its reason.
    pub unreadable: Vec<Difference>,
    pub differences: Vec<Difference>,
}

/// The answer of [`Linker`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkReport {
    pub linked: u64,
    /// Classes that link neither woven nor as they were.
    pub failed_both_ways: u64,
    /// Classes that fail only when woven.
    pub differences: Vec<Difference>,
}

/// Compares two jars or folders once. For many, start a [`StripComparer`].
pub fn strip_compare(original: &Path, woven: &Path) -> Result<CompareReport> {
    StripComparer::start()?.compare(original, woven)
}

/// Links two jars or folders once, with `others` at hand. For many, start a [`Linker`].
pub fn link_all(original: &Path, woven: &Path, others: &[PathBuf]) -> Result<LinkReport> {
    Linker::start(others)?.link(original, woven)
}

/// Removes probes with ASM and compares.
#[derive(Debug)]
pub struct StripComparer(Judge);

impl StripComparer {
    pub fn start() -> Result<Self> {
        let mut command = jdk::newest()?.command("java");
        command
            .args(["-Xmx2g", "-XX:+UseSerialGC", "-Xss8m", "-cp"])
            .arg(join_paths(class_path()?)?)
            .arg("StripCompare");
        Ok(Self(Judge::start(command)?))
    }

    pub fn compare(&mut self, original: &Path, woven: &Path) -> Result<CompareReport> {
        let mut report = CompareReport::default();
        for line in self.0.ask(original, woven)? {
            match line.fields().as_slice() {
                ["difference", class, method, what] => {
                    report.differences.push(difference(class, &format!("{method} {what}")));
                }
                ["unreadable", class, what] => report.unreadable.push(difference(class, what)),
                ["done", classes, methods, probes] => {
                    report.classes = classes.parse()?;
                    report.methods = methods.parse()?;
                    report.probes = probes.parse()?;
                }
                other => bail!("unknown answer of StripCompare: {other:?}"),
            }
        }
        Ok(report)
    }
}

/// Links every class as it was and woven, on the newest JDK.
#[derive(Debug)]
pub struct Linker {
    judge: Judge,
    /// Holds the list of other jars; read by the JVM when it starts.
    _list: tempfile::NamedTempFile,
}

impl Linker {
    /// `others` are jars whose classes the judged ones may need.
    pub fn start(others: &[PathBuf]) -> Result<Self> {
        let mut list = tempfile::NamedTempFile::new().context("cannot create a list of jars")?;
        for jar in others {
            writeln!(list, "{}", jar.display()).context("cannot write a list of jars")?;
        }
        let mut command = jdk::newest()?.command("java");
        let mut class_path = class_path()?;
        class_path.push(probes_stub()?);
        command
            .args(["-Xmx2g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"])
            .arg(join_paths(class_path)?);
        command.arg("LinkAll").arg(list.path());
        Ok(Self { judge: Judge::start(command)?, _list: list })
    }

    pub fn link(&mut self, original: &Path, woven: &Path) -> Result<LinkReport> {
        let mut report = LinkReport::default();
        for line in self.judge.ask(original, woven)? {
            match line.fields().as_slice() {
                ["difference", class, before, after] => {
                    report.differences.push(difference(class, &format!("was {before}, woven {after}")));
                }
                ["done", linked, failed] => {
                    report.linked = linked.parse()?;
                    report.failed_both_ways = failed.parse()?;
                }
                other => bail!("unknown answer of LinkAll: {other:?}"),
            }
        }
        Ok(report)
    }
}

/// What became of linking all classes of a JDK.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JdkLinkReport {
    pub linked: u64,
    /// Binary names of the classes that the JVM had loaded before it could run anything of ours, and lets be redefined.
    pub loaded_at_start: Vec<String>,
    pub failures: Vec<Difference>,
}

/// Woven classes for a JDK.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JdkPatches {
    /// Module names and archives with classes for them.
    pub modules: Vec<(String, PathBuf)>,
    /// An archive with classes that the JVM loads at its start, when no probe can run yet: they are redefined later.
    pub redefined: Option<PathBuf>,
}

/// Starts `jdk` with `patches` and links all its classes under full verification. Without patches: as it is.
pub fn link_jdk(jdk: &Jdk, patches: &JdkPatches) -> Result<JdkLinkReport> {
    let mut command = jdk.command("java");
    let agent = link_jdk_agent(jdk)?;
    // No class data sharing: it changes which classes are loaded at the start.
    command.args(["-Xverify:all", "-Xshare:off", "-Xmx4g", "--add-modules", "ALL-SYSTEM"]);
    command.args(["-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=/dev/null"]);
    for (module, archive) in &patches.modules {
        command.arg("--patch-module").arg(patch(module, archive)?);
        command.arg("--add-exports").arg(format!("java.base/catchment.runtime={module}"));
    }
    let mut agent_option = OsString::from("-javaagent:");
    agent_option.push(&agent);
    command.arg(agent_option).arg("-cp").arg(agent).arg("LinkJdk").args(&patches.redefined);
    let output = command.output().context("cannot start java")?;
    let answer = String::from_utf8_lossy(&output.stdout);
    match read_jdk_report(&answer)? {
        Some(report) => Ok(report),
        None => {
            let errors = String::from_utf8_lossy(&output.stderr);
            bail!(
                "the JDK did not come to its end ({}):\n{}\n{}",
                output.status,
                head(&answer),
                head(&errors)
            )
        }
    }
}

/// The option for one module. Woven classes reach the probes from the first moment on only if these are part of
/// `java.base`.
fn patch(module: &str, archive: &Path) -> Result<OsString> {
    let mut parts = vec![archive.to_owned()];
    if module == "java.base" {
        parts.push(probes_stub()?);
    }
    let mut patch = OsString::from(format!("{module}="));
    patch.push(join_paths(parts)?);
    Ok(patch)
}

/// `None` if the answer is not complete.
fn read_jdk_report(answer: &str) -> Result<Option<JdkLinkReport>> {
    let mut report = JdkLinkReport::default();
    for line in answer.lines() {
        match line.split('\t').collect::<Vec<_>>().as_slice() {
            ["loaded", class] => report.loaded_at_start.push((*class).to_owned()),
            ["failure", class, what] => report.failures.push(difference(class, what)),
            ["done", linked, _] => {
                report.linked = linked.parse()?;
                return Ok(Some(report));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// The jar of `LinkJdk`, which is its own agent.
fn link_jdk_agent(jdk: &Jdk) -> Result<PathBuf> {
    let oracle = root().join("testkit/java/oracle");
    let sources = [oracle.join("LinkJdk.java"), oracle.join("Archives.java")];
    let classes = javac(17, 17, &[], &sources)?;
    let key = cache_key([classes.as_os_str().as_encoded_bytes()]);
    let folder = cached_folder("agents", &key, |staging| {
        let manifest = staging.join("manifest.txt");
        fs::write(&manifest, "Premain-Class: LinkJdk\nCan-Redefine-Classes: true\n")?;
        let jar = staging.join("link-jdk.jar");
        let mut command = jdk.command("jar");
        command.arg("--create").arg("--file").arg(jar).arg("--manifest").arg(manifest);
        let status = command.arg("-C").arg(&classes).arg(".").status().context("cannot start jar")?;
        if status.success() { Ok(()) } else { bail!("cannot pack {}: {status}", classes.display()) }
    })?;
    Ok(folder.join("link-jdk.jar"))
}

fn head(text: &str) -> String {
    text.lines().take(20).collect::<Vec<_>>().join("\n")
}

/// For every method of the classes in a jar or folder, where the references come from that its instructions use, as ASM
/// sees it: the lines that `testkit/java/oracle/Sources.java` describes.
pub fn sources(path: &Path) -> Result<Vec<String>> {
    let mut command = jdk::newest()?.command("java");
    command.args(["-Xmx2g", "-XX:+UseSerialGC", "-Xss8m", "-cp"]).arg(join_paths(class_path()?)?);
    let output = command.arg("Sources").arg(path).stderr(Stdio::inherit()).output();
    let answer = String::from_utf8(output.context("cannot start java")?.stdout)?;
    let mut lines: Vec<String> = answer.lines().map(str::to_owned).collect();
    if lines.pop().as_deref() != Some("done") {
        bail!("ASM did not come to the end of {}", path.display());
    }
    Ok(lines)
}

/// The folder with a `Probes` class that does nothing.
pub fn probes_stub() -> Result<PathBuf> {
    javac(17, 8, &[], &[root().join("testkit/java/stub/catchment/runtime/Probes.java")])
}

fn class_path() -> Result<Vec<PathBuf>> {
    let mut class_path = pinned::jars(&[pinned::ASM, pinned::ASM_TREE, pinned::ASM_ANALYSIS])?;
    let sources = files_with_extension(&root().join("testkit/java/oracle"), "java")?;
    let job = Job { sources, class_path: class_path.clone(), ..Job::default() };
    class_path.insert(0, Compiler::Javac { jdk: 17, release: 17 }.compile(&job)?);
    Ok(class_path)
}

fn difference(class: &str, what: &str) -> Difference {
    Difference { class: class.to_owned(), what: what.to_owned() }
}

/// A JVM that answers questions until it is dropped.
#[derive(Debug)]
struct Judge {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// One line of an answer.
struct Line(String);

impl Line {
    fn fields(&self) -> Vec<&str> {
        self.0.split('\t').collect()
    }
}

impl Judge {
    fn start(mut command: Command) -> Result<Self> {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("cannot start java")?;
        let questions = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().context("java has no standard output")?);
        Ok(Self { child, questions, answers })
    }

    fn ask(&mut self, original: &Path, woven: &Path) -> Result<Vec<Line>> {
        let questions = self.questions.as_mut().context("java has no standard input")?;
        writeln!(questions, "{}\t{}", original.display(), woven.display()).context("the judge has died")?;
        questions.flush().context("the judge has died")?;
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if self.answers.read_line(&mut line).context("cannot read an answer")? == 0 {
                bail!("the judge died over {}", woven.display());
            }
            let line = Line(line.trim_end_matches(['\r', '\n']).to_owned());
            let done = line.0.starts_with("done\t");
            lines.push(line);
            if done {
                return Ok(lines);
            }
        }
    }
}

impl Drop for Judge {
    /// The JVM ends when its input does.
    fn drop(&mut self) {
        drop(self.questions.take());
        // It may have died before: nobody is left to tell.
        let _ = self.child.wait();
    }
}
