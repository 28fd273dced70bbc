//! Arguments of `clean`.

use std::path::PathBuf;

pub(crate) const CLEAN_EXAMPLES: &str = "\
Everything that Catchment writes for a project is in .catchment/ in the project's folder. Nothing is removed while a check \
works there.

Examples:
  catchment clean                  the project in this folder
  catchment clean --keep-results   the next check builds again, and asks nothing again that has not changed";

#[derive(Debug, clap::Args)]
pub(crate) struct CleanArgs {
    /// The project
    #[arg(default_value = ".", value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Remove the copy of the project and other caches only
    #[arg(long)]
    pub(crate) keep_results: bool,
}
