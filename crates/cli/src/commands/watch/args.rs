//! Arguments of `watch`.

use std::ffi::OsString;
use std::path::PathBuf;

pub(crate) const WATCH_EXAMPLES: &str = "\
Watched are the classes that come from class folders, which is what a build has just produced, tests included; \
--include adds classes from jars. A class that is never loaded is not in the report: `handlers` lists all there are. \
The agent travels in JAVA_TOOL_OPTIONS, so every JVM the command starts is watched, and says on its stderr that it \
picked the options up.

The program's own output is left alone: the report goes to stderr when it has ended. With --json it goes to stdout, \
behind what the program printed; --output keeps them apart.

With --links nothing is counted. Written down is, as JSON (schema catchment.seen/1), which exceptions came to the handlers of \
these classes, each way once: from where, through which calls, at which offsets of the bytecode. Classes run as they are, but \
throwing takes many times as long.

Examples:
  catchment watch -- java -cp target/classes com.acme.Main
  catchment watch -- mvn -q test
  catchment watch --include 'com.acme.*' -- java -jar app.jar
  catchment watch --json --output usages.json -- ./run-server.sh
  catchment watch --links --output seen.json -- mvn -q test";

#[derive(Debug, clap::Args)]
pub(crate) struct WatchArgs {
    /// Watch classes of this name in jars too, never the JDK's; `*` stands for any characters, `?` for one; can be
    /// repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) include: Vec<String>,
    /// Never watch classes of this name, whatever --include says; can be repeated
    #[arg(long, value_name = "PATTERN")]
    pub(crate) exclude: Vec<String>,
    /// Report as JSON (schema catchment.watch/1)
    #[arg(long)]
    pub(crate) json: bool,
    /// Record which exceptions come to which handlers, instead of counting; JSON (schema catchment.seen/1)
    #[arg(long)]
    pub(crate) links: bool,
    /// Write the report to this file; `-` is stdout
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The command and its arguments
    #[arg(required = true, last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}
