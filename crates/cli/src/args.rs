//! What was typed.

use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

const EXIT_CODES: &str = "\
Exit codes:
  0  clean
  2  wrong usage, or input that cannot be read
  3  nothing could be observed (no JVM ran under the agent, no application classes, no JDK)
  4  internal error
`watch` exits with the code of the watched command (128 + signal if it was killed); 3 only in place of a 0.
A JVM in which the agent cannot work says so in one line and ends with code 97.";

const HANDLERS_EXAMPLES: &str = "\
Examples:
  catchment handlers .                       the pairs of a built Maven or Gradle project
  catchment handlers app.jar --filtered      also what the compiler made, and why it is left out
  catchment handlers target/classes --json   for programs (schema catchment.handlers/1)";

const WATCH_EXAMPLES: &str = "\
Watched are the classes that come from class folders, which is what a build has just produced, tests included; \
--include adds classes from jars. A class that is never loaded is not in the report: `handlers` lists all there are. \
The agent travels in JAVA_TOOL_OPTIONS, so every JVM the command starts is watched, and says on its stderr that it \
picked the options up.

The program's own output is left alone: the report goes to stderr when it has ended. With --json it goes to stdout, \
behind what the program printed; --output keeps them apart.

Examples:
  catchment watch -- java -cp target/classes com.acme.Main
  catchment watch -- mvn -q test
  catchment watch --include 'com.acme.*' -- java -jar app.jar
  catchment watch --json --output usages.json -- ./run-server.sh";

/// Tells JVM developers what really happens in their catch blocks.
#[derive(Debug, Parser)]
#[command(version, after_help = EXIT_CODES, max_term_width = 110)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: CommandArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CommandArgs {
    /// List the try-catch pairs of a project, folder or jar
    #[command(after_help = HANDLERS_EXAMPLES)]
    Handlers(HandlersArgs),
    /// Run a command and show what happened at each of its catch clauses
    #[command(after_help = WATCH_EXAMPLES)]
    Watch(WatchArgs),
    /// Show it all on the bundled example project
    Demo,
}

#[derive(Debug, clap::Args)]
pub(crate) struct HandlersArgs {
    /// Built projects, class folders, jars, wars, class files, or a JDK
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Also list the handlers nobody wrote, with the reason
    #[arg(long)]
    pub(crate) filtered: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct WatchArgs {
    /// Watch classes of this name in jars too, never the JDK's; `*` stands for any characters, `?` for one; can be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) include: Vec<String>,
    /// Never watch classes of this name, whatever --include says; can be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) exclude: Vec<String>,
    /// Report as JSON (schema catchment.watch/1)
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the report to this file; `-` is stdout
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The command and its arguments
    #[arg(required = true, last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}
