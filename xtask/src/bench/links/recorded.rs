//! Methods of a subject, its libraries and the JDK that really run.
//!
//! HotSpot of JDK 17 can write down every method whose first call it sees, its own start included. No agent is needed,
//! so nothing of a recorder is among the methods.

use super::method_names::from_jvm;
use crate::bench::subjects::{JDK, Program};
use anyhow::{Context, Result, bail};
use catchment_testkit::jdk;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const FLAGS: &[&str] = &[
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:+LogTouchedMethods",
    "-XX:+PrintTouchedMethodsAtExit",
    "-XX:+LogVMOutput",
    "-XX:-DisplayVMOutput",
];

/// Runs the subject's `main` to its end.
pub(super) fn executed_methods(program: &Program) -> Result<BTreeSet<String>> {
    let folder = tempfile::tempdir().context("cannot create a folder to run in")?;
    let log = folder.path().join("methods.log");
    let scratch = folder.path().join("scratch");
    fs::create_dir(&scratch).context("cannot create a folder to run in")?;
    let output = jdk::installed(JDK)?
        .command("java")
        .args(FLAGS)
        .arg(format!("-XX:LogFile={}", log.display()))
        .arg("-cp")
        .arg(std::env::join_paths(&program.class_path)?)
        .arg(&program.main_class)
        .args(program.arguments(&scratch))
        .current_dir(&scratch)
        .output()
        .context("cannot start java")?;
    if !output.status.success() {
        bail!("{} failed: {}", program.main_class, String::from_utf8_lossy(&output.stderr).trim());
    }
    read_log(&log)
}

fn read_log(log: &Path) -> Result<BTreeSet<String>> {
    let text = fs::read(log).context("the JVM wrote no log")?;
    let methods: BTreeSet<String> = String::from_utf8_lossy(&text).lines().filter_map(from_jvm).collect();
    if methods.is_empty() {
        bail!("the JVM wrote no methods into its log");
    }
    Ok(methods)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::subjects;

    #[test]
    fn methods_of_program_library_and_jdk_are_recorded() {
        let subjects = subjects::all().unwrap();
        let lang3 = subjects.iter().find(|subject| subject.name == "lang3").unwrap();
        let executed = executed_methods(&lang3.prepare().unwrap()).unwrap();
        for expected in [
            "subjects/LangMain.main:([Ljava/lang/String;)V",
            "org/apache/commons/lang3/StringUtils.capitalize:(Ljava/lang/String;)Ljava/lang/String;",
            "java/util/Calendar.getTime:()Ljava/util/Date;",
            "java/lang/IllegalStateException.<init>:(Ljava/lang/Throwable;)V",
        ] {
            assert!(executed.contains(expected), "{expected}");
        }
        assert!(!executed.contains(
            "org/apache/commons/lang3/StringUtils.swapCase:(Ljava/lang/String;)Ljava/lang/String;"
        ));
    }
}
