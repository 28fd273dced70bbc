//! WALA's call graph: 0-1-CFA, one object per allocation site with strings, string builders and exceptions merged, and
//! reflection by string constants. It has no command line, so a small program of ours calls it.

use super::{Analysis, Counts};
use crate::bench::measured::{self, End};
use crate::bench::subjects::{JDK, Program};
use anyhow::{Context, Result};
use catchment_testkit::compilers::{Compiler, Job, files_with_extension};
use catchment_testkit::{jdk, maven, workspace};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

const ARTIFACTS: &[&str] =
    &["com.ibm.wala:com.ibm.wala.core:1.6.12", "com.ibm.wala:com.ibm.wala.shrike:1.6.12"];

#[derive(Debug)]
pub(super) struct Wala {
    class_path: Vec<PathBuf>,
    java: jdk::Jdk,
}

impl Wala {
    pub(super) fn prepare() -> Result<Self> {
        let mut class_path = maven::resolve_with_dependencies(ARTIFACTS)?;
        let sources = files_with_extension(&workspace::root().join("xtask/links/wala"), "java")?;
        let job = Job { sources, class_path: class_path.clone(), ..Job::default() };
        class_path.insert(0, Compiler::Javac { jdk: JDK, release: JDK }.compile(&job)?);
        Ok(Self { class_path, java: jdk::installed(JDK)? })
    }

    /// One run, and the methods that it reached: it writes them in a moment.
    pub(super) fn analyse(
        &self,
        program: &Program,
        folder: &Path,
        limit: Duration,
    ) -> Result<(Analysis, BTreeSet<String>)> {
        let (log, methods) = (folder.join("wala.log"), folder.join("wala-methods.txt"));
        let file = fs::File::create(&log).context("cannot write WALA's log")?;
        let mut command = self.java.command("java");
        command
            .arg("-cp")
            .arg(std::env::join_paths(&self.class_path)?)
            .args(["WalaCallGraph", "0-1"])
            .arg(std::env::join_paths(&program.class_path)?)
            .arg(&program.main_class)
            .arg(&methods)
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file);
        let (measured, end) = measured::run(&mut command, limit)?;
        if end != End::Exit(Some(0)) {
            let why = format!("{end:?}, see {}", log.display());
            return Ok((Analysis { measured, counts: Err(why) }, BTreeSet::new()));
        }
        let text = fs::read_to_string(&log).context("cannot read WALA's log")?;
        let counts = read_counts(&text).context("WALA did not say what it found")?;
        let methods = fs::read_to_string(&methods).context("WALA wrote no methods")?;
        Ok((Analysis { measured, counts: Ok(counts) }, methods.lines().map(str::to_owned).collect()))
    }
}

fn read_counts(log: &str) -> Option<Counts> {
    let number = |label: &str| log.lines().find_map(|line| line.strip_prefix(label)?.parse().ok());
    Some(Counts { methods: number("methods ")?, edges: number("edges ")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_what_our_program_prints() {
        assert_eq!(read_counts("warning\nmethods 7\nedges 12\n"), Some(Counts { methods: 7, edges: 12 }));
        assert_eq!(read_counts("methods 7\n"), None);
    }
}
