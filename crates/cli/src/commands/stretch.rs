//! `catchment stretch`: catch clauses that can catch more, and a patch that lets them.

pub(crate) mod args;

use crate::commands::stretch::args::StretchArgs;
use crate::config::Config;
use crate::exit::{BadInput, ExitCode};
use crate::output::{self, ReportFile};
use crate::progress;
use anyhow::Result;
use catchment_lab::{CheckRequest, StretchRequest, Stretched, stretch};
use catchment_report::{write_stretch_diff, write_stretch_json, write_stretch_text};
use std::io::{self, Write};

pub(crate) fn run(args: &StretchArgs) -> Result<ExitCode> {
    args.project.require_usable()?;
    let config = Config::of_project(&args.project.folder)?;
    let file = ReportFile::open_if_given(args.project.output.as_deref())?;
    let request = StretchRequest {
        check: CheckRequest { session: args.project.request(&config), ..CheckRequest::default() },
        to: args.to.clone(),
        patch: args.diff || args.apply,
    };
    output::tell_of_refused_cache();
    let stretched = {
        let mut progress = progress::on_stderr();
        stretch(&request, &mut *progress)?
    };
    let applied = match stretched.patch.as_ref().filter(|_| args.apply) {
        Some(patch) => patch.apply().map_err(|error| BadInput(format!("cannot apply the patch: {error}"))),
        None => Ok(()),
    };
    // What was found is told in any case.
    let render = |out: &mut dyn Write| render(out, args, &stretched, applied.is_ok());
    match (file, args.diff) {
        (Some(file), _) => file.write(render)?,
        (None, true) => output::to_stderr(render)?,
        (None, false) => output::to_stdout(render)?,
    }
    if args.diff {
        output::to_stdout(|out| write_stretch_diff(out, &stretched))?;
    }
    applied?;
    Ok(ExitCode::CLEAN)
}

fn render(out: &mut dyn Write, args: &StretchArgs, stretched: &Stretched, is_done: bool) -> io::Result<()> {
    if args.json {
        return write_stretch_json(out, stretched);
    }
    write_stretch_text(out, stretched, args.apply && is_done)
}
