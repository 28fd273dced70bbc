//! `catchment demo`: `check` in the bundled example, as its developer would type it.

mod project;

use crate::commands::check;
use crate::commands::check::args::CheckArgs;
use crate::commands::project_args::ProjectArgs;
use crate::exit::ExitCode;
use crate::output;
use anyhow::{Context, Result};

pub(crate) fn run() -> Result<ExitCode> {
    let folder =
        tempfile::Builder::new().prefix("catchment-demo-").tempdir().context("cannot create a folder")?;
    project::unpack(folder.path()).context("cannot unpack the example")?;
    output::tell(&"checking the bundled example, a small order importer with JUnit tests");
    let project = ProjectArgs { folder: folder.path().to_owned(), ..ProjectArgs::default() };
    let args = CheckArgs { project, ..CheckArgs::default() };
    // Findings are what the demo is there to show, not a failure of it.
    let code = check::run(args)?;
    Ok(if code == ExitCode::FINDINGS { ExitCode::CLEAN } else { code })
}
