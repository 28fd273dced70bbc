//! A recording for a terminal, in a few lines.

use crate::plain_text::PlainText;
use crate::text::counted;
use catchment_watch::Recording;
use std::collections::BTreeSet;
use std::io::{self, Write};

pub fn write_recording_text(out: &mut dyn Write, recording: &Recording) -> io::Result<()> {
    let out = &mut PlainText::new(out);
    let caught: Vec<_> = recording.at_the_application().collect();
    let handlers: BTreeSet<_> =
        caught.iter().filter_map(|caught| Some((caught.frames.last()?.method, caught.handler_pc))).collect();
    let places: BTreeSet<_> = caught.iter().filter_map(|caught| caught.frames.first()).collect();
    let exceptions: BTreeSet<_> = caught.iter().map(|caught| &caught.exception).collect();
    writeln!(
        out,
        "catchment: exceptions of {} came to {} of the application, from {}, in {}",
        counted(exceptions.len(), "class", "classes"),
        counted(handlers.len(), "handler", "handlers"),
        counted(places.len(), "place", "places"),
        counted(caught.len(), "way", "ways"),
    )?;
    for problem in &recording.problems {
        writeln!(out, "catchment: {}: {}", problem.place, problem.what)?;
    }
    Ok(())
}
