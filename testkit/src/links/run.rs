//! Running a fixture in a JVM that is watched through its debugger interface.

use super::{Compiled, Fixture, Link};
use crate::workspace::root;
use crate::{compilers, jdk};
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::process::{Command, Output};

/// The links from throws to clauses of the fixture that its `main` really goes through.
///
/// What passes a handler of the compiler on its way (finally, synchronized, try-with-resources) is not among them: a
/// debugger sees two throws there.
pub fn recorded_links(fixture: &Fixture, compiled: &Compiled) -> Result<BTreeSet<Link>> {
    let mut command = jdk::installed(17)?.command("java");
    let tool = compilers::javac(17, 17, &[], &[root().join("testkit/java/tools/ThrownAndCaught.java")])?;
    command.arg("-cp").arg(tool).args(["--add-modules", "jdk.jdi", "ThrownAndCaught"]);
    command.arg(std::env::join_paths(&compiled.class_path)?).arg("Main");
    let output = finished(command)?;
    let text = String::from_utf8(output.stdout).context("the watched run said something unreadable")?;
    let events = text.lines().filter_map(|line| line.strip_prefix("thrown "));
    let links: Vec<Link> = events.map(|event| link_of(fixture, compiled, event)).collect::<Result<_>>()?;
    let is_own = |(from, to): &Link| fixture.is_throw(from) && fixture.is_clause(to);
    Ok(links.into_iter().filter(is_own).collect())
}

/// `<class> <method> <line> <class> <method> <line>`: where it was thrown, and where caught.
fn link_of(fixture: &Fixture, compiled: &Compiled, event: &str) -> Result<Link> {
    let words: Vec<&str> = event.split(' ').collect();
    let [class, method, line, catching_class, catching_method, catch_line] = words[..] else {
        bail!("the watched run said '{event}'");
    };
    let name = |class, method, line: &str| fixture.name_of(compiled, class, method, line.parse().ok());
    Ok((name(class, method, line), name(catching_class, catching_method, catch_line)))
}

fn finished(mut command: Command) -> Result<Output> {
    let output = command.output().context("cannot start a command")?;
    if !output.status.success() {
        bail!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(output)
}
