//! Arguments of `stretch`.

use crate::commands::project_args::ProjectArgs;

pub(crate) const STRETCH_EXAMPLES: &str = "\
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

#[derive(Debug, Default, clap::Args)]
pub(crate) struct StretchArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// The widest type to try, such as java.lang.Exception; unless given, no clause begins to catch all unchecked
    /// exceptions
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
