//! `catchment watch`: run a command, then report.

use crate::args::WatchArgs;
use crate::exit::ExitCode;
use crate::output;
use anyhow::Result;
use catchment_lab::{WatchOptions, Watched, watch};
use catchment_report::{write_watch_json, write_watch_text};
use std::io::{self, Write};
use std::path::Path;

pub(crate) fn run(args: WatchArgs) -> Result<ExitCode> {
    let options = WatchOptions { include: args.include, exclude: args.exclude, forward_signals: true };
    let watched = watch(&args.command, &options)?;
    let diagnosis = nothing_observed(&watched);
    write_report(&watched, args.json, args.output.as_deref(), diagnosis.is_some())?;
    let code = watched.end.exit_code();
    if let Some(diagnosis) = diagnosis {
        eprintln!("catchment: {diagnosis}");
        if code == 0 {
            return Ok(ExitCode::NOTHING_OBSERVED);
        }
    }
    Ok(ExitCode::of_program(code))
}

fn write_report(watched: &Watched, json: bool, output: Option<&Path>, is_empty: bool) -> Result<()> {
    let render = |out: &mut dyn Write| render(out, watched, json);
    match output {
        Some(path) if path == Path::new("-") => output::to_stdout(render),
        Some(path) => output::to_file(path, render),
        None if json => output::to_stdout(render),
        // The diagnosis says it all.
        None if is_empty => Ok(()),
        None => output::to_stderr(render),
    }
}

fn render(out: &mut dyn Write, watched: &Watched, json: bool) -> io::Result<()> {
    if json { write_watch_json(out, watched) } else { write_watch_text(out, &watched.seen) }
}

/// Why there is nothing to report, if so: that must not look like a program without exceptions.
fn nothing_observed(watched: &Watched) -> Option<String> {
    let seen = &watched.seen;
    if let Some(problem) = seen.problems.iter().find(|_| seen.jvms.is_empty()) {
        return Some(format!("nothing observed: {}: {}", problem.place, problem.what));
    }
    if seen.jvms_started == 0 {
        return Some(
            "no JVM reported: the command started none, or it refused the agent (its own message is above)"
                .into(),
        );
    }
    seen.jvms.is_empty().then(|| {
        format!(
            "{} ran, but none loaded a class from a class folder; name classes in jars with --include",
            if seen.jvms_started == 1 { "a JVM".to_owned() } else { format!("{} JVMs", seen.jvms_started) }
        )
    })
}
