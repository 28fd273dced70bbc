//! Tai-e: its context-insensitive pointer analysis with the call graph built on the fly.
//!
//! Its settings are its defaults, written out: reflection by string constants, explicit exceptions along the call
//! graph, the JDK that it runs on as the library, JDK code analysed like the application's. Strings, string builders
//! and exceptions of one type are one object each.

use super::method_names::from_tai_e;
use super::{Analysis, Counts};
use crate::bench::measured::{self, End, Measured};
use crate::bench::subjects::{JDK, Program};
use anyhow::{Context, Result};
use catchment_testkit::{jdk, maven};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The newest on Maven Central.
const ARTIFACT: &str = "net.pascal-lab:tai-e:0.5.2";

const SETTINGS: &str = "pta=cs:ci;only-app:false;implicit-entries:true;distinguish-string-constants:reflection;\
merge-string-objects:true;merge-string-builders:true;merge-exception-objects:true;handle-invokedynamic:false;\
reflection-inference:string-constant";

#[derive(Debug)]
pub(super) struct TaiE {
    class_path: Vec<PathBuf>,
    java: jdk::Jdk,
    heap: Option<String>,
    build: String,
}

impl TaiE {
    /// The build in `folder`, or the released one.
    pub(super) fn prepare(folder: Option<&Path>, heap: Option<&str>) -> Result<Self> {
        let class_path = match folder {
            Some(folder) => vec![folder.join("classes"), folder.join("*")],
            None => maven::resolve_with_dependencies(&[ARTIFACT])?,
        };
        let build = folder.map_or_else(|| ARTIFACT.to_owned(), |_| "a build of one's own".to_owned());
        Ok(Self { class_path, java: jdk::installed(JDK)?, heap: heap.map(str::to_owned), build })
    }

    pub(super) fn settings(&self) -> String {
        let heap =
            self.heap.as_ref().map_or_else(|| "the JVM's own choice".to_owned(), |it| format!("-Xmx{it}"));
        format!("Tai-e: {}; heap: {heap}; JDK {JDK}; {SETTINGS}", self.build)
    }

    pub(super) fn analyse(&self, program: &Program, folder: &Path, limit: Duration) -> Result<Analysis> {
        let (measured, log) = self.run(program, &folder.join("tai-e"), &[], limit)?;
        let counts =
            log.and_then(|log| read_counts(&log).ok_or_else(|| "it does not say what it found".to_owned()));
        Ok(Analysis { measured, counts })
    }

    /// None if the analysis fails.
    pub(super) fn reached_methods(
        &self,
        program: &Program,
        folder: &Path,
        limit: Duration,
    ) -> Result<BTreeSet<String>> {
        let output = folder.join("tai-e");
        let (_, log) = self.run(program, &output, &["-a", "cg=dump-methods:true"], limit)?;
        if log.is_err() {
            return Ok(BTreeSet::new());
        }
        let text = fs::read_to_string(output.join("reachable-methods.txt"));
        Ok(text.context("Tai-e wrote no methods")?.lines().filter_map(from_tai_e).collect())
    }

    /// Its log, or the reason why it failed.
    fn run(
        &self,
        program: &Program,
        output: &Path,
        more: &[&str],
        limit: Duration,
    ) -> Result<(Measured, Result<String, String>)> {
        fs::create_dir_all(output).context("cannot create a folder for Tai-e")?;
        let log = output.join("console.log");
        let file = fs::File::create(&log).context("cannot write Tai-e's log")?;
        let mut command = self.command(program, output)?;
        command.args(more).stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        let (measured, end) = measured::run(&mut command, limit)?;
        let text = fs::read_to_string(&log).context("cannot read Tai-e's log")?;
        Ok((measured, judge(end, text)))
    }

    fn command(&self, program: &Program, output: &Path) -> Result<Command> {
        let mut command = self.java.command("java");
        if let Some(heap) = &self.heap {
            command.arg(format!("-Xmx{heap}"));
        }
        command.arg("-cp").arg(std::env::join_paths(&self.class_path)?).arg("pascal.taie.Main");
        // The JDK it runs on as the library, and classes that optional code names and nobody has.
        command.args(["-pp", "-ap"]);
        for entry in &program.class_path {
            command.arg("-cp").arg(entry);
        }
        command.args(["-m", &program.main_class, "-a", SETTINGS]).arg("--output-dir").arg(output);
        Ok(command)
    }
}

fn judge(end: End, log: String) -> Result<String, String> {
    match end {
        End::Exit(Some(0)) => Ok(log),
        End::Limit => Err("ended at the limit".to_owned()),
        End::Exit(_) => {
            let thrown = log.lines().find_map(|line| line.strip_prefix("Exception in thread \"main\" "));
            let name = thrown.and_then(|it| it.split([':', ' ']).next()).unwrap_or("no exception is named");
            Err(format!("failed: {name}"))
        }
    }
}

/// From lines such as `#reachable methods:           1,6691 (insens) / 1,6691 (sens)`.
fn read_counts(log: &str) -> Option<Counts> {
    let number = |label: &str| -> Option<u64> {
        let line = log.lines().find_map(|line| line.trim().strip_prefix(label))?;
        let digits: String = line.split('(').next()?.chars().filter(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    Some(Counts { methods: number("#reachable methods:")?, edges: number("#call graph edges:")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_its_statistics() {
        let log = "#array points-to:             54,2080 (sens)\n\
                   #reachable methods:           1,6564 (insens) / 1,6564 (sens)\n\
                   #call graph edges:            11,7082 (insens) / 11,7362 (sens)\n";
        assert_eq!(read_counts(log), Some(Counts { methods: 16_564, edges: 117_082 }));
        assert_eq!(read_counts("java.lang.OutOfMemoryError: Java heap space"), None);
    }

    #[test]
    fn a_failure_is_named_by_its_exception() {
        let log = "[pta] starts ...\nException in thread \"main\" java.lang.IndexOutOfBoundsException: Index: 1 Size: 1\n";
        let failure = judge(End::Exit(Some(1)), log.to_owned());
        assert_eq!(failure, Err("failed: java.lang.IndexOutOfBoundsException".to_owned()));
        assert_eq!(judge(End::Limit, String::new()), Err("ended at the limit".to_owned()));
    }
}
