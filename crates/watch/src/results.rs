//! Reads the result files of all JVMs of one run.

use crate::unix::is_alive;
use crate::watched_run::{Ended, Problem};
use catchment_protocol::counters::Counters;
use catchment_protocol::log;
use catchment_protocol::records::{JvmStarted, Record};
use catchment_protocol::{COUNTERS_EXTENSION, LOG_EXTENSION};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The files of one JVM.
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
    } else if stays_alive(process) {
        Ended::Running
    } else {
        Ended::Killed
    }
}

/// A JVM that was killed takes a moment to die: its memory has to be given back.
fn stays_alive(process: u32) -> bool {
    for _ in 0..20 {
        if !is_alive(process) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    true
}

fn process_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    format!("process {}", stem.split('-').next().unwrap_or_default())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use catchment_protocol::counters;

    fn counter_file(counts: &[(u32, u64)]) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(counters::file_bytes(1000)).unwrap()];
        bytes[..16].copy_from_slice(&counters::header());
        for &(id, count) in counts {
            let offset = usize::try_from(counters::offset_of(id, 0)).unwrap();
            bytes[offset..offset + 8].copy_from_slice(&count.to_le_bytes());
        }
        bytes
    }

    /// The files that a JVM would have left behind.
    pub(crate) fn jvm_files(pid: u32, ended: Ended, records: Vec<Record>, counts: &[(u32, u64)]) -> JvmFiles {
        let started = JvmStarted { pid, ..JvmStarted::default() };
        JvmFiles { started, ended, records, counters: counter_file(counts) }
    }

    fn write_jvm(folder: &Path, name: &str, records: &[Record], counters: &[u8]) {
        let mut log = log::HEADER.to_vec();
        log.extend(records.iter().flat_map(log::frame));
        fs::write(folder.join(name).with_extension(LOG_EXTENSION), log).unwrap();
        fs::write(folder.join(name).with_extension(COUNTERS_EXTENSION), counters).unwrap();
    }

    fn started(pid: u32, started_ms: u64) -> Record {
        Record::JvmStarted(JvmStarted { pid, started_ms, ..JvmStarted::default() })
    }

    #[test]
    fn jvms_come_by_start_and_say_how_they_ended() {
        let folder = tempfile::tempdir().unwrap();
        let own = std::process::id();
        write_jvm(folder.path(), "1-0", &[started(1 << 30, 20), Record::JvmEnded], &counter_file(&[]));
        write_jvm(folder.path(), "2-0", &[started(1 << 30, 10)], &counter_file(&[]));
        write_jvm(folder.path(), "3-0", &[started(own, 30)], &counter_file(&[]));
        write_jvm(folder.path(), "4-0", &[], &counter_file(&[]));
        let (jvms, problems) = read_all(folder.path()).unwrap();
        let endings: Vec<_> = jvms.iter().map(|jvm| jvm.ended).collect();
        assert_eq!(endings, [Ended::Killed, Ended::Orderly, Ended::Running]);
        assert_eq!(problems, []);
    }

    #[test]
    fn damaged_files_are_problems_and_the_other_jvms_count() {
        let folder = tempfile::tempdir().unwrap();
        write_jvm(folder.path(), "1-0", &[started(1, 1)], b"garbage");
        write_jvm(folder.path(), "2-0", &[started(2, 2), Record::JvmEnded], &counter_file(&[]));
        fs::write(folder.path().join("3-0.log"), b"garbage").unwrap();
        let (jvms, problems) = read_all(folder.path()).unwrap();
        assert_eq!(jvms.len(), 1);
        let places: Vec<_> = problems.iter().map(|problem| problem.place.as_str()).collect();
        assert_eq!(places, ["process 1", "process 3"]);
    }

    #[test]
    fn lost_records_and_a_failed_self_test_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let mut counters = counter_file(&[]);
        counters[counters::LOST_RECORDS_OFFSET] = 3;
        let failed = Record::SelfTestFailed { what: "no hook".into() };
        write_jvm(folder.path(), "7-0", &[started(1 << 30, 1), failed], &counters);
        let (_, problems) = read_all(folder.path()).unwrap();
        let whats: Vec<_> = problems.iter().map(|problem| problem.what.as_str()).collect();
        assert_eq!(
            whats,
            ["3 records could not be written (no disk space?)", "the agent ended the JVM: no hook"]
        );
    }
}
