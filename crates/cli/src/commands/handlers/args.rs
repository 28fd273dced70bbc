//! Arguments of `handlers`.

use std::path::PathBuf;

pub(crate) const HANDLERS_EXAMPLES: &str = "\
Examples:
  catchment handlers .                       the pairs of a built Maven or Gradle project
  catchment handlers app.jar --filtered      also what the compiler made, and why it is left out
  catchment handlers target/classes --json   for programs (schema catchment.handlers/1)";

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
