//! What was typed.

use crate::commands::links::args::{LINKS_EXAMPLES, LinksArgs};
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

const EXIT_CODES: &str = "\
Exit codes:
  0  clean
  1  `check` has findings at or above --fail-on
  2  wrong usage, or input that cannot be read
  3  nothing could be observed (build failed, no tests, every test red, no JVM ran under the agent, no application \
classes, no JDK)
  4  internal error
  130  `check` or `stretch` was interrupted; what the check has finished is kept
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

With --links nothing is counted. Written down is, as JSON (schema catchment.seen/1), which exceptions came to the handlers of \
these classes, each way once: from where, through which calls, at which offsets of the bytecode. Classes run as they are, but \
throwing takes many times as long.

Examples:
  catchment watch -- java -cp target/classes com.acme.Main
  catchment watch -- mvn -q test
  catchment watch --include 'com.acme.*' -- java -jar app.jar
  catchment watch --json --output usages.json -- ./run-server.sh
  catchment watch --links --output seen.json -- mvn -q test";

const CHECK_EXAMPLES: &str = "\
The build runs once, in a copy of the project under .catchment/, to see how it runs its tests. Then the suite runs twice \
and every test that enters a try runs twice alone, with nothing injected. Then, for each catch clause and each test that \
executes its try, the test runs again with the caught exception thrown at the beginning of the try. Results are kept in \
.catchment/: a check that was interrupted goes on where it was.

Two contracts are judged for each clause:
  source independence  the catch works no matter where in the try the exception comes from
  pure resilience      the program does its work even when the try fails at once

catchment.toml in DIR may hold: include, exclude, jobs, budget, silence (time after which a mute suite hangs), and for findings you accept
  [[suppress]]
  pair = \"the id that --all and --json show\"
  reason = \"why\"

Examples:
  catchment check                                 the project in this folder
  catchment check --budget 10m                    ten minutes, the most telling experiments first
  catchment check --list                          what would be done
  catchment check --include 'com.acme.io.*' --all
  catchment check --json -o check.json            for programs (schema catchment.check/1)
  catchment check -- -pl core -Pfast              arguments for Maven or Gradle
  catchment check --classpath target/classes --test-classpath target/test-classes:junit.jar";

const STRETCH_EXAMPLES: &str = "\
Checks the project, or goes on from the results of an earlier check. Clauses that are source-independent or purely resilient \
are then given wider types, widest first: each is tried on the compiled classes with all tests that execute its try, with \
nothing injected and with the wider exception thrown at the beginning of the try; then all together with the whole suite. \
A patch is made of what passes (--diff, --apply), compiled and tested by the project's own build in a copy.

Examples:
  catchment stretch                                  which clauses can catch more, and why the others cannot
  catchment stretch --to java.lang.Exception         as wide as that
  catchment stretch --diff > ../catches.patch        a patch that compiles and passes the tests (outside: a
                                                     new file in the project makes the next run begin anew)
  catchment stretch --apply --include 'com.acme.*'   and write it into the sources";

/// Tells JVM developers what really happens in their catch blocks.
#[derive(Debug, Parser)]
#[command(version, after_help = EXIT_CODES, max_term_width = 110)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: CommandArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CommandArgs {
    /// Test every catch clause of a project with its own tests
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Let catch clauses that hold for any source of their exception catch more, as a verified patch
    #[command(after_help = STRETCH_EXAMPLES)]
    Stretch(StretchArgs),
    /// List the try-catch pairs of a project, folder or jar
    #[command(after_help = HANDLERS_EXAMPLES)]
    Handlers(HandlersArgs),
    /// Tell what can reach each catch clause: throws and failing operations
    #[command(after_help = LINKS_EXAMPLES)]
    Links(LinksArgs),
    /// Run a command and show what happened at each of its catch clauses
    #[command(after_help = WATCH_EXAMPLES)]
    Watch(WatchArgs),
    /// Check the bundled example project
    Demo,
}

/// What `check` and `stretch` both want to know.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ProjectArgs {
    /// The project
    #[arg(default_value = ".", value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The application's class folders and jars, instead of a build
    #[arg(
        long,
        value_name = "PATH",
        help_heading = "Without a build tool",
        conflicts_with = "build_arguments"
    )]
    pub(crate) classpath: Option<OsString>,
    /// Test classes and all the libraries they need
    #[arg(long, value_name = "PATH", help_heading = "Without a build tool", requires = "classpath")]
    pub(crate) test_classpath: Option<OsString>,
    /// Test classes to run; `*` stands for any characters; can be repeated
    #[arg(long, value_name = "PATTERN", help_heading = "Without a build tool", requires = "classpath")]
    pub(crate) tests: Vec<String>,
    /// Only the clauses of classes of this name; `*` stands for any characters, `?` for one; can be repeated
    #[arg(long, value_name = "PATTERN", help_heading = "What to do")]
    pub(crate) include: Vec<String>,
    /// Never the clauses of classes of this name; can be repeated
    #[arg(long, value_name = "PATTERN", help_heading = "What to do")]
    pub(crate) exclude: Vec<String>,
    /// Stop starting experiments after this time: 90s, 10m, 1h30m
    #[arg(long, value_name = "TIME", value_parser = crate::duration::parse, help_heading = "What to do")]
    pub(crate) budget: Option<Duration>,
    /// JVMs at a time; half the processors unless given
    #[arg(long, short, value_name = "N", help_heading = "What to do")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Forget the results of earlier checks
    #[arg(long, help_heading = "What to do")]
    pub(crate) fresh: bool,
    /// Also inject into tests that connect to other machines
    #[arg(long, help_heading = "What to do")]
    pub(crate) allow_external: bool,
    /// Write the report to this file; `-` is stdout
    #[arg(long, short, value_name = "FILE", help_heading = "Report")]
    pub(crate) output: Option<PathBuf>,
    /// Arguments for the build tool
    #[arg(last = true, value_name = "ARGUMENT")]
    pub(crate) build_arguments: Vec<OsString>,
}

#[derive(Debug, Default, clap::Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Show the experiments that would be run, and run none
    #[arg(long, help_heading = "What to do")]
    pub(crate) list: bool,
    /// Run every experiment, also those that can no longer change a verdict
    #[arg(long, help_heading = "What to do")]
    pub(crate) matrix: bool,
    /// Where tests execute a try in several ways and verdicts stay unknown, throw at one execution at a time
    #[arg(long, help_heading = "What to do")]
    pub(crate) selective: bool,
    /// Where a catch holds when the exception comes at once, also throw at the calls within the try
    #[arg(long, help_heading = "What to do")]
    pub(crate) fine: bool,
    /// Confirm passes in fresh JVMs too, not only failures: slower, and surer
    #[arg(long, help_heading = "What to do")]
    pub(crate) confirm_passes: bool,
    /// Report as JSON (schema catchment.check/1)
    #[arg(long, help_heading = "Report")]
    pub(crate) json: bool,
    /// List every pair with its verdicts
    #[arg(long, help_heading = "Report")]
    pub(crate) all: bool,
    /// Add what it took
    #[arg(long, help_heading = "Report")]
    pub(crate) stats: bool,
    /// The least finding that makes the exit code 1
    #[arg(long, value_name = "FINDING", default_value = "dependent", help_heading = "Report")]
    pub(crate) fail_on: FailOn,
}

#[derive(Debug, Default, clap::Args)]
pub(crate) struct StretchArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// The widest type to try, such as java.lang.Exception; unless given, no clause begins to catch all unchecked exceptions
    #[arg(long, value_name = "TYPE", help_heading = "What to do")]
    pub(crate) to: Option<String>,
    /// Print a source patch with which the project's own build and tests pass; the report goes to stderr
    #[arg(long, help_heading = "Report", conflicts_with = "json")]
    pub(crate) diff: bool,
    /// Write that patch into the sources
    #[arg(long, help_heading = "What to do")]
    pub(crate) apply: bool,
    /// Report as JSON (schema catchment.stretch/1)
    #[arg(long, help_heading = "Report")]
    pub(crate) json: bool,
}

/// Which findings are worth an exit code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(crate) enum FailOn {
    /// None
    Never,
    /// Catches that fail when the exception comes at the start of the try
    #[default]
    Dependent,
    /// Also tries whose failure the tests notice
    NotResilient,
    /// Also clauses that nothing can reach, and unstable outcomes
    Any,
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
