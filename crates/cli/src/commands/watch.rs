//! `catchment watch`: run a command, then report.

pub(crate) mod args;
mod locations;

use crate::commands::watch::args::WatchArgs;
use crate::exit::ExitCode;
use crate::output::{self, ReportFile};
use anyhow::Result;
use catchment_report::{write_recording_json, write_recording_text, write_watch_json, write_watch_text};
use catchment_watch::{ChildEnd, Problem, RecordedCommand, WatchOptions, WatchedCommand, record, watch};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

pub(crate) fn run(args: WatchArgs) -> Result<ExitCode> {
    // Before the command runs: its results must have a place to go.
    let destination = Destination::open(args.output.as_deref(), args.json || args.links)?;
    output::tell_of_refused_cache();
    let options = WatchOptions { include: args.include, exclude: args.exclude, forward_signals: true };
    if args.links {
        run_links(&args.command, &options, destination)
    } else {
        count(args.command, args.json, &options, destination)
    }
}

fn count(
    command: Vec<OsString>,
    json: bool,
    options: &WatchOptions,
    destination: Destination,
) -> Result<ExitCode> {
    let mut watched = watch(&command, options)?;
    locations::fill_in(&mut watched.run.pairs);
    let run = &watched.run;
    let diagnosis = nothing_observed(run.jvms_started, run.jvms.len(), &run.problems, options);
    let render = |out: &mut dyn Write| render(out, &watched, json);
    finish(destination, render, watched.end, diagnosis)
}

fn run_links(command: &[OsString], options: &WatchOptions, destination: Destination) -> Result<ExitCode> {
    let RecordedCommand { end, recording } = record(command, options)?;
    let diagnosis = nothing_observed(recording.jvms_started, recording.jvms, &recording.problems, options);
    if diagnosis.is_none() {
        output::to_stderr(|out| write_recording_text(out, &recording))?;
    }
    finish(destination, |out| write_recording_json(out, &recording), end, diagnosis)
}

/// Writes the report and tells the exit code.
fn finish(
    destination: Destination,
    render: impl Fn(&mut dyn Write) -> io::Result<()>,
    end: ChildEnd,
    diagnosis: Option<String>,
) -> Result<ExitCode> {
    match destination.write(render, diagnosis.is_some()) {
        // Whoever reads the report has seen enough; the program's exit code still counts.
        Err(error) if output::is_broken_pipe(&error) => {}
        outcome => outcome?,
    }
    let code = end.exit_code();
    if let Some(diagnosis) = diagnosis {
        output::tell(&diagnosis);
        if code == 0 {
            return Ok(ExitCode::NOTHING_OBSERVED);
        }
    }
    Ok(ExitCode::of_program(code))
}

/// The destination of the report.
enum Destination {
    Stdout,
    Stderr,
    File(ReportFile),
}

impl Destination {
    fn open(output: Option<&Path>, json: bool) -> Result<Self> {
        Ok(match output {
            Some(path) if path == Path::new("-") => Self::Stdout,
            Some(path) => Self::File(ReportFile::open(path)?),
            None if json => Self::Stdout,
            None => Self::Stderr,
        })
    }

    fn write(self, render: impl Fn(&mut dyn Write) -> io::Result<()>, is_empty: bool) -> Result<()> {
        match self {
            Self::Stdout => output::to_stdout(render),
            // The diagnosis says it all.
            Self::Stderr if is_empty => Ok(()),
            Self::Stderr => output::to_stderr(render),
            // What was observed must not be lost with the file.
            Self::File(file) => file.write(&render).inspect_err(|_| {
                let _ = output::to_stderr(&render);
            }),
        }
    }
}

fn render(out: &mut dyn Write, watched: &WatchedCommand, json: bool) -> io::Result<()> {
    if json { write_watch_json(out, watched) } else { write_watch_text(out, &watched.run) }
}

/// Why there is nothing to report, if so: that must not look like a program without exceptions.
fn nothing_observed(
    jvms_started: usize,
    jvms: usize,
    problems: &[Problem],
    options: &WatchOptions,
) -> Option<String> {
    if let Some(problem) = problems.iter().find(|_| jvms == 0) {
        return Some(format!("nothing observed: {}: {}", problem.place, problem.what));
    }
    if jvms_started == 0 {
        return Some(
            "no JVM reported: the command started none, or one that refused the agent and said so itself"
                .into(),
        );
    }
    (jvms == 0).then(|| {
        let jvms = match jvms_started {
            1 => "a JVM ran, but".to_owned(),
            many => format!("{many} JVMs ran, but"),
        };
        match options.include.as_slice() {
            [] => {
                format!("{jvms} none loaded a class from a class folder; name classes in jars with --include")
            }
            patterns => format!(
                "{jvms} no class that is not the JDK's came from a class folder or matched --include '{}' \
                 (whole class names: com.acme.* for a package)",
                patterns.join("' or '")
            ),
        }
    })
}
