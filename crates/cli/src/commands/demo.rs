//! `catchment demo`: the bundled example, compiled, listed and watched.

use crate::commands::handlers::list_handlers;
use crate::demo_project;
use crate::exit::{ExitCode, NothingObserved};
use crate::output;
use anyhow::{Context, Result};
use catchment_lab::{WatchOptions, watch};
use catchment_program::{JavaHome, find_java_homes};
use catchment_report::{write_handlers_text, write_watch_text};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn run() -> Result<ExitCode> {
    let (javac, java) = find_jdk()?;
    let folder =
        tempfile::Builder::new().prefix("catchment-demo-").tempdir().context("cannot create a folder")?;
    let classes = compile(&javac, folder.path())?;
    heading("The try-catch pairs of the example (catchment handlers)")?;
    let listing = list_handlers(std::slice::from_ref(&classes))?;
    output::to_stdout(|out| write_handlers_text(out, &listing, false))?;
    heading("The example runs, watched (catchment watch -- java ...)")?;
    let command = [java.into(), "-cp".into(), classes.into(), demo_project::MAIN_CLASS.into()];
    let watched = watch(&command, &WatchOptions { forward_signals: true, ..WatchOptions::default() })?;
    if watched.seen.jvms.is_empty() {
        return Err(NothingObserved("the example did not run under the agent".into()).into());
    }
    heading("What happened at each catch")?;
    output::to_stdout(|out| write_watch_text(out, &watched.seen))?;
    Ok(ExitCode::of_program(watched.end.exit_code()))
}

fn heading(text: &str) -> Result<()> {
    output::to_stdout(|out: &mut dyn Write| -> io::Result<()> { writeln!(out, "\n== {text}\n") })
}

fn find_jdk() -> Result<(PathBuf, PathBuf)> {
    let tools = |home: &JavaHome| home.tool("javac").zip(home.tool("java"));
    let found = find_java_homes().iter().find_map(tools);
    found.ok_or_else(|| {
        NothingObserved("the demo needs a JDK: no javac in JAVA_HOME or on the PATH".into()).into()
    })
}

fn compile(javac: &Path, folder: &Path) -> Result<PathBuf> {
    let sources = demo_project::unpack(folder).context("cannot unpack the example")?;
    let classes = folder.join("target/classes");
    let output = Command::new(javac)
        .args(["-nowarn", "-g", "-proc:none", "-encoding", "UTF-8", "-d"])
        .arg(&classes)
        .args(sources)
        .env_remove("JAVA_TOOL_OPTIONS")
        .output()
        .with_context(|| format!("cannot run {}", javac.display()))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(NothingObserved(format!("the example does not compile: {message}")).into());
    }
    Ok(classes)
}
