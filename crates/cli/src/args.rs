//! The command line: all commands and the exit codes. Arguments of a command are in its folder.

use crate::commands::check::args::{CHECK_EXAMPLES, CheckArgs};
use crate::commands::clean::args::{CLEAN_EXAMPLES, CleanArgs};
use crate::commands::handlers::args::{HANDLERS_EXAMPLES, HandlersArgs};
use crate::commands::links::args::{LINKS_EXAMPLES, LinksArgs};
use crate::commands::stretch::args::{STRETCH_EXAMPLES, StretchArgs};
use crate::commands::watch::args::{WATCH_EXAMPLES, WatchArgs};
use clap::{Parser, Subcommand};

const EXIT_CODES: &str = "\
Exit codes:
  0  clean
  1  `check` has findings at or above --fail-on
  2  wrong usage, or input that cannot be read
  3  nothing could be observed (build failed, no tests, every test red, no JVM ran under the agent, no application \
classes, no JDK)
  4  internal error
  130  `check` or `stretch` was interrupted; results so far are kept
`watch` exits with the code of the watched command (128 + signal if it was killed); 3 only in place of a 0.
A JVM in which the agent cannot work says so in one line and ends with code 97.";

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
    /// Remove what Catchment has written for a project
    #[command(after_help = CLEAN_EXAMPLES)]
    Clean(CleanArgs),
    /// Check the bundled example project
    Demo,
}
