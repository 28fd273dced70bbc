//! Reads the result files of all JVMs of one run.

use crate::seen::{Ended, Problem};
use crate::unix::is_alive;
use catchment_protocol::counters::Counters;
use catchment_protocol::log;
use catchment_protocol::records::{JvmStarted, Record};
use catchment_protocol::{COUNTERS_EXTENSION, LOG_EXTENSION};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What one JVM left behind.
#[derive(Debug)]
pub(crate) struct JvmFiles {
    pub(crate) started: JvmStarted,
    pub(crate) ended: Ended,
    pub(crate) records: Vec<Record>,
    counters: Vec<u8>,
}

impl JvmFiles {
    pub(crate) fn total(&self, counter: u32) -> u64 {
        Counters::new(&self.counters).map_or(0, |counters| counters.total(counter))
    }
}

/// The JVMs in order of their start, and what could not be read.
pub(crate) fn read_all(folder: &Path) -> io::Result<(Vec<JvmFiles>, Vec<Problem>)> {
    let mut jvms = Vec::new();
    let mut problems = Vec::new();
    for path in log_files(folder)? {
        match read_jvm(&path, &mut problems) {
            Ok(Some(jvm)) => jvms.push(jvm),
            Ok(None) => {}
            Err(error) => problems
                .push(Problem { place: process_of(&path), what: format!("results unreadable: {error}") }),
        }
    }
    jvms.sort_by_key(|jvm| (jvm.started.started_ms, jvm.started.pid));
    Ok((jvms, problems))
}

fn log_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == LOG_EXTENSION) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// `None` for a JVM that ended before it had started.
fn read_jvm(path: &Path, problems: &mut Vec<Problem>) -> io::Result<Option<JvmFiles>> {
    // The log first: whatever it names then has its counters in the file read after it.
    let log = log::read(&fs::read(path)?).map_err(io::Error::other)?;
    let counters = fs::read(path.with_extension(COUNTERS_EXTENSION))?;
    let view = Counters::new(&counters).map_err(io::Error::other)?;
    let Some(started) = log.records.iter().find_map(as_started) else { return Ok(None) };
    let started = started.clone();
    let ended = ending(&log.records, started.pid);
    let mut problem = |what: String| problems.push(Problem { place: process_of(path), what });
    if view.lost_records() > 0 {
        problem(format!("{} records could not be written (no disk space?)", view.lost_records()));
    }
    if log.unread_bytes > 0 && ended == Ended::Orderly {
        problem(format!("the last {} bytes of its log are unreadable", log.unread_bytes));
    }
    for record in &log.records {
        if let Record::SelfTestFailed { what } = record {
            problem(format!("the agent ended the JVM: {what}"));
        }
    }
    Ok(Some(JvmFiles { started, ended, records: log.records, counters }))
}

fn as_started(record: &Record) -> Option<&JvmStarted> {
    match record {
        Record::JvmStarted(started) => Some(started),
        _ => None,
    }
}

fn ending(records: &[Record], process: u32) -> Ended {
    if records.contains(&Record::JvmEnded) {
        Ended::Orderly
    } else if is_alive(process) {
        Ended::Running
    } else {
        Ended::Killed
    }
}

fn process_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    format!("process {}", stem.split('-').next().unwrap_or_default())
}
