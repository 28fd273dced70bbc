//! `catchment clean`: removes what Catchment has written for a project.

pub(crate) mod args;

use crate::commands::clean::args::CleanArgs;
use crate::exit::{BadInput, ExitCode};
use crate::output;
use crate::size;
use anyhow::Result;
use catchment_lab::clean;

pub(crate) fn run(args: &CleanArgs) -> Result<ExitCode> {
    if !args.folder.is_dir() {
        return Err(BadInput(format!("{} is not a folder", args.folder.display())).into());
    }
    match clean(&args.folder, args.keep_results)? {
        Some(removed) => {
            let what = if removed.names.is_empty() {
                String::new()
            } else {
                format!(" ({})", removed.names.join(", "))
            };
            output::tell(&format_args!(
                "removed {}{what}: {} are free again",
                removed.folder.display(),
                size::told(removed.bytes)
            ));
        }
        None => output::tell(&"nothing to remove: there is no .catchment here"),
    }
    Ok(ExitCode::CLEAN)
}
