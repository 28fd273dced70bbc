//! Arguments of `check`.

use crate::commands::project_args::ProjectArgs;
use std::path::PathBuf;

pub(crate) const CHECK_EXAMPLES: &str = "\
The build runs once, in a copy of the project under .catchment/, to see how it runs its tests. Then the suite runs once, \
with nothing injected. Then, for each catch clause, tests that execute its try run again with the caught exception thrown \
at the beginning of the try, after a run alone with nothing injected. Results are kept in \
.catchment/: a check that was interrupted goes on where it was.

Two contracts are judged for each clause:
  source independence  the catch works no matter where in the try the exception comes from
  pure resilience      the program does its work even when the try fails at once

catchment.toml in DIR may hold: include, exclude, jobs, budget, silence and build_silence (times after which a mute suite or build hangs), and for findings you accept
  [[suppress]]
  pair = \"the id that --all and --json show\"
  reason = \"why\"

Examples:
  catchment check                                 the project in this folder
  catchment check --budget 10m                    ten minutes for everything, the most telling experiments first
  catchment check --list                          what would be done
  catchment check --changed-since origin/main     what a branch has changed
  catchment check --include 'com.acme.io.*' --all
  catchment check --json -o check.json            for programs (schema catchment.check/1)
  catchment check --sarif check.sarif --markdown check.md
                                                  for pull requests
  catchment check -- -pl core -Pfast              arguments for Maven or Gradle
  catchment check --classpath target/classes --test-classpath target/test-classes:junit.jar";

#[derive(Debug, Default, clap::Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Only clauses in methods that have changed since this Git revision, and clauses that changed tests execute; what is
    /// not committed counts
    #[arg(long, value_name = "REV", help_heading = "What to do")]
    pub(crate) changed_since: Option<String>,
    /// Show the experiments that would be run, and run none
    #[arg(long, help_heading = "What to do")]
    pub(crate) list: bool,
    /// Run every experiment, also those that can no longer change a verdict
    #[arg(long, help_heading = "What to do")]
    pub(crate) matrix: bool,
    /// For clauses whose verdicts stay unknown because tests execute the try in several ways, throw at one execution at
    /// a time
    #[arg(long, help_heading = "What to do")]
    pub(crate) selective: bool,
    /// For clauses that hold when the exception comes at once, also throw at the calls and throws within the try
    #[arg(long, help_heading = "What to do")]
    pub(crate) fine: bool,
    /// Confirm passes in fresh JVMs too, not only failures: slower, and surer
    #[arg(long, help_heading = "What to do")]
    pub(crate) confirm_passes: bool,
    /// Report as JSON (schema catchment.check/1)
    #[arg(long, help_heading = "Report")]
    pub(crate) json: bool,
    /// Also write the findings as SARIF 2.1.0 to this file, for GitHub code scanning and other viewers
    #[arg(long, value_name = "FILE", conflicts_with = "list", help_heading = "Report")]
    pub(crate) sarif: Option<PathBuf>,
    /// In the SARIF file, list suppressed findings too, marked as such; GitHub shows them as open
    #[arg(long, requires = "sarif", help_heading = "Report")]
    pub(crate) sarif_suppressed: bool,
    /// Also write the first findings as a Markdown table to this file, for a comment or a job summary
    #[arg(long, value_name = "FILE", conflicts_with = "list", help_heading = "Report")]
    pub(crate) markdown: Option<PathBuf>,
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

/// The findings that make the exit code 1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(crate) enum FailOn {
    /// None
    Never,
    /// Clauses that fail when the exception comes at the start of the try
    #[default]
    Dependent,
    /// Also tries whose failure the tests notice
    NotResilient,
    /// Also clauses that nothing can reach, and unstable outcomes
    Any,
}
