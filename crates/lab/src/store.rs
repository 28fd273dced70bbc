//! Everything planned, observed and concluded for one project, in one SQLite file, written as it happens.
//!
//! ```text
//! pair          the pairs, numbered
//! test          the units that can be run alone, numbered, per run configuration
//! plain_run     plain runs, with the usages of each pair: of the suite, alone in a warm worker, alone in a fresh JVM
//! sample        samples of caught exceptions
//! finished      phases that are complete
//! jvm           the Java and the test framework of each run configuration
//! experiment    the plan: test, pair, exception; and the attempts once it is over, warm ones once the worker has proven itself
//! ground, class, method  what results depend on, see `crate::reuse`
//! entered       the methods that tests have entered
//! again         classes of tests that an edit has made stale, and that have not run again yet
//! answer        answers to all other questions: execution by execution, call by call, with clauses stretched
//! ```
//!
//! A process killed at any moment loses nothing that was finished. A file of another version or of other classes is set
//! aside, never an error.

mod dependencies;
mod questions;
mod runs;
pub(crate) mod stored;

use crate::observations::{PairNumber, TestNumber};
use crate::reuse::Executed;
use catchment_protocol::conversation::TestUnit;
use catchment_watch::open_private_file;
use catchment_watch::unix::free_bytes;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Changes whenever the tables below do, or what their rows mean.
const VERSION: &str = "12";
const FILE: &str = "results.sqlite";
const SET_ASIDE: &str = "results.old.sqlite";
/// Tests write files, JVMs map some, and so does this store.
const LEAST_FREE_BYTES: u64 = 32 << 20;

const TABLES: &str = "
create table meta (name text primary key, value text not null) without rowid;
create table pair (number integer primary key, id text not null unique);
create table test (
    number integer primary key, configuration integer not null, unit text not null, class text not null,
    name text not null, shared text, unique (configuration, unit));
create table plain_run (
    test integer not null, phase text not null, ordinal integer not null, run text not null,
    primary key (test, phase, ordinal)) without rowid;
create table sample (
    pair integer not null, exception text not null, test integer not null, sample text not null,
    primary key (pair, exception, test)) without rowid;
create table finished (configuration integer not null, phase text not null, ordinal integer not null, problems text not null,
    primary key (configuration, phase, ordinal)) without rowid;
create table jvm (configuration integer primary key, java text not null, framework text not null);
create table unobserved (pair integer primary key, reason text not null);
create table experiment (
    number integer primary key, pair integer not null, test integer not null, exception text not null, attempts text,
    unique (pair, test, exception));
create table ground (part text primary key, hash integer not null) without rowid;
create table class (
    class text primary key, shape integer not null, is_leaf integer not null, is_local integer not null) without rowid;
create table method (
    number integer primary key, class text not null, method text not null, body integer not null, lines blob not null,
    unique (class, method));
create table entered (
    configuration integer not null, unit text not null, armed integer not null, is_any integer not null,
    methods blob not null, primary key (configuration, unit, armed)) without rowid;
create table again (configuration integer not null, class text not null, primary key (configuration, class)) without rowid;
create table answer (
    subject text not null, question text not null, answer text not null,
    primary key (subject, question)) without rowid;
";

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot keep results in {}: {reason}", path.display())]
    Database { path: PathBuf, reason: rusqlite::Error },
    #[error("cannot keep results in {}: {reason}", path.display())]
    File { path: PathBuf, reason: io::Error },
    /// A full disk; tests that cannot write fail as well, and mean nothing.
    #[error("no space left on the disk of {}; what was finished is kept, and the next run goes on from there", path.display())]
    Full { path: PathBuf },
    #[error(
        "results in .catchment/results.sqlite cannot be understood ({0}); --fresh sets them aside and begins anew"
    )]
    Encoding(#[from] serde_json::Error),
}

/// The results of earlier sessions, if there were any, are set aside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Forgotten(bool);

/// The state of the folder when the store was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    /// Results of the same classes, tests and tool: the run goes on where it was.
    Same,
    /// Results of other classes, kept beside.
    Other,
    /// A damaged store, or a file that is none, kept beside.
    NoStore,
    /// Results in the format of another version, kept beside.
    OtherVersion,
}

impl Found {
    /// The sentence for the user, where there is something to know.
    pub(crate) fn note(self) -> Option<&'static str> {
        match self {
            Self::Same => Some("going on with the results of an earlier run"),
            Self::OtherVersion => Some(
                "the results of another version of Catchment were set aside, in .catchment/results.old.sqlite",
            ),
            Self::NoStore => Some(
                "the file .catchment/results.sqlite is damaged or no store of Catchment: it was set aside, in \
                 .catchment/results.old.sqlite, and everything starts over",
            ),
            Self::Nothing | Self::Other => None,
        }
    }
}

/// A planned experiment: throw `exception` at the beginning of every execution of the pair's try while the test runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Planned {
    pub(crate) pair: PairNumber,
    pub(crate) test: TestNumber,
    pub(crate) exception: String,
}

/// A test and the run configuration it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownTest {
    pub(crate) configuration: usize,
    pub(crate) unit: TestUnit,
}

#[derive(Debug)]
pub(crate) struct Store {
    connection: Connection,
    path: PathBuf,
    /// Below this much free space on the disk results are discarded.
    least_free_bytes: u64,
    executed: Arc<Mutex<Executed>>,
}

type Result<T> = std::result::Result<T, StoreError>;

impl Store {
    /// Opens the store in `folder` for a project in this state; anything else that lies there is set aside.
    pub(crate) fn open(folder: &Path, fingerprint: u64, start_over: bool) -> Result<(Self, Found)> {
        let path = folder.join(FILE);
        let wanted = format!("{VERSION} {fingerprint:016x}");
        if path.exists() {
            let found = if start_over { Found::Other } else { Self::found(&path, &wanted)? };
            if found == Found::Same {
                return Ok((Self::connect(&path)?, found));
            }
            set_aside(folder)?;
            return Ok((Self::create(&path, &wanted)?, found));
        }
        Ok((Self::create(&path, &wanted)?, Found::Nothing))
    }

    /// Sets the results of earlier sessions aside, whatever becomes of this one: it may be interrupted before it opens the
    /// store.
    pub(crate) fn forget(folder: &Path) -> Result<Forgotten> {
        let path = folder.join(FILE);
        let was_there = path.exists();
        if was_there {
            set_aside(folder)?;
        }
        Ok(Forgotten(was_there))
    }

    /// Takes back what was forgotten: this session is none.
    pub(crate) fn remember(folder: &Path, forgotten: Forgotten) -> Result<()> {
        if forgotten.0 { rename(folder, SET_ASIDE, FILE) } else { Ok(()) }
    }

    /// A comparison of the file with the state that is wanted, which is a version and the classes. A disk that cannot be
    /// read is an error: the file may be a store.
    fn found(path: &Path, wanted: &str) -> Result<Found> {
        let database = |reason| StoreError::Database { path: path.to_owned(), reason };
        let connection = Connection::open(path).map_err(database)?;
        let query = "select value from meta where name = 'state'";
        match connection.query_row(query, [], |row| row.get::<_, String>(0)) {
            Ok(state) if state == wanted && is_whole(&connection) => Ok(Found::Same),
            Ok(state) if state == wanted => Ok(Found::NoStore),
            Ok(state) if state.split(' ').next() == Some(VERSION) => Ok(Found::Other),
            Ok(_) => Ok(Found::OtherVersion),
            Err(reason) if is_no_store(&reason) => Ok(Found::NoStore),
            Err(reason) => Err(database(reason)),
        }
    }

    fn connect(path: &Path) -> Result<Self> {
        let database = |reason| StoreError::Database { path: path.to_owned(), reason };
        // The files that SQLite makes beside it get the same permissions. If there can be none, SQLite says why.
        let _ = open_private_file(path);
        let connection = Connection::open(path).map_err(database)?;
        let (path, executed) = (path.to_owned(), Arc::default());
        let store = Self { connection, path, least_free_bytes: LEAST_FREE_BYTES, executed };
        store.configure()?;
        Ok(store)
    }

    fn create(path: &Path, state: &str) -> Result<Self> {
        let store = Self::connect(path)?;
        let tables = format!("begin; {TABLES} insert into meta values ('state', '{state}'); commit;");
        let database = |reason| StoreError::Database { path: path.to_owned(), reason };
        store.connection.execute_batch(&tables).map_err(database)?;
        Ok(store)
    }

    /// Write-ahead logging: a killed process leaves every committed change readable.
    fn configure(&self) -> Result<()> {
        let pragmas = "pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 5000;";
        self.connection.execute_batch(pragmas).map_err(|reason| self.failed(reason))
    }

    /// The methods entered so far, shared with those who run tests.
    pub(crate) fn shared_executed(&self) -> Arc<Mutex<Executed>> {
        Arc::clone(&self.executed)
    }

    fn executed(&self) -> MutexGuard<'_, Executed> {
        self.executed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, reason: rusqlite::Error) -> StoreError {
        let path = self.path.clone();
        match reason.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::Full { path },
            _ => StoreError::Database { path, reason },
        }
    }

    /// An error if the disk is full: the workers run on it too, and the outcomes of their tests are then about the disk.
    pub(crate) fn require_space(&self) -> Result<()> {
        let free = self.path.parent().and_then(free_bytes);
        let is_full = free.is_some_and(|free| free < self.least_free_bytes);
        if is_full { Err(StoreError::Full { path: self.path.clone() }) } else { Ok(()) }
    }

    /// Does several writes as one: all of them are kept, or none.
    pub(crate) fn together<T>(&self, write: impl FnOnce() -> Result<T>) -> Result<T> {
        self.require_space()?;
        let transaction = self.connection.unchecked_transaction().map_err(|reason| self.failed(reason))?;
        let value = write()?;
        self.keep_entries()?;
        transaction.commit().map_err(|reason| self.failed(reason))?;
        self.executed().written();
        Ok(value)
    }

    fn execute(&self, statement: &str, values: impl rusqlite::Params) -> Result<usize> {
        let prepared = self.connection.prepare_cached(statement);
        prepared.and_then(|mut statement| statement.execute(values)).map_err(|reason| self.failed(reason))
    }

    fn rows<T>(
        &self,
        query: &str,
        values: impl rusqlite::Params,
        read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let collect = || -> rusqlite::Result<Vec<T>> {
            let mut statement = self.connection.prepare_cached(query)?;
            statement.query_map(values, read)?.collect()
        };
        collect().map_err(|reason| self.failed(reason))
    }

    /// The value in the only column of the row that is asked for, if there is such a row.
    fn json<T: DeserializeOwned>(&self, query: &str, values: impl rusqlite::Params) -> Result<Option<T>> {
        let found = self.connection.query_row(query, values, |row| row.get::<_, String>(0)).optional();
        let json = found.map_err(|reason| self.failed(reason))?;
        Ok(json.map(|json| serde_json::from_str(&json)).transpose()?)
    }

    /// The number of the pair with this id, given on first sight.
    pub(crate) fn pair_number(&self, id: &str) -> Result<PairNumber> {
        self.execute("insert or ignore into pair (id) values (?1)", [id])?;
        let query = "select number from pair where id = ?1";
        let number = self.connection.query_row(query, [id], |row| row.get(0));
        number.map(PairNumber).map_err(|reason| self.failed(reason))
    }

    pub(crate) fn test_number(&self, configuration: usize, unit: &TestUnit) -> Result<TestNumber> {
        self.execute(
            "insert or ignore into test (configuration, unit, class, name, shared) values (?1, ?2, ?3, ?4, ?5)",
            params![configuration as i64, unit.id, unit.class, unit.name, unit.shared],
        )?;
        let query = "select number from test where configuration = ?1 and unit = ?2";
        let number =
            self.connection.query_row(query, params![configuration as i64, unit.id], |row| row.get(0));
        number.map(TestNumber).map_err(|reason| self.failed(reason))
    }

    pub(crate) fn tests(&self) -> Result<BTreeMap<TestNumber, KnownTest>> {
        let query = "select number, configuration, unit, class, name, shared from test";
        let rows = self.rows(query, [], |row| {
            let unit =
                TestUnit { id: row.get(2)?, class: row.get(3)?, name: row.get(4)?, shared: row.get(5)? };
            let configuration = usize::try_from(row.get::<_, i64>(1)?).unwrap_or(usize::MAX);
            Ok((TestNumber(row.get(0)?), KnownTest { configuration, unit }))
        })?;
        Ok(rows.into_iter().collect())
    }
}

/// Tells whether all pages of the file are what they should be.
fn is_whole(connection: &Connection) -> bool {
    let answer = connection.query_row("pragma quick_check(1)", [], |row| row.get::<_, String>(0));
    answer.is_ok_and(|answer| answer == "ok")
}

fn set_aside(folder: &Path) -> Result<()> {
    rename(folder, FILE, SET_ASIDE)
}

fn rename(folder: &Path, from: &str, to: &str) -> Result<()> {
    // What was written last may still stand in the log beside it.
    for suffix in ["-wal", "-shm"] {
        let other = folder.join(format!("{to}{suffix}"));
        let _ = fs::remove_file(&other);
        let _ = fs::rename(folder.join(format!("{from}{suffix}")), other);
    }
    let path = folder.join(from);
    fs::rename(&path, folder.join(to)).map_err(|reason| StoreError::File { path, reason })
}

/// Tells whether the file can be read and is something else: not a database, a damaged one, or one with other tables.
fn is_no_store(reason: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
    let other = [DatabaseCorrupt, NotADatabase, Unknown];
    reason.sqlite_error_code().is_none_or(|code| other.contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observations::{Phase, PlainRun};
    use crate::worker::Jvm;
    use catchment_protocol::experiment::Sample;
    use catchment_verdicts::Attempt;
    use catchment_watch::Usages;

    fn run_with(pair: PairNumber) -> PlainRun {
        let usages = Usages { entries: 3, pink: 1, white: 2, ..Usages::default() };
        PlainRun { micros: 7, usages: vec![(pair, usages)], ..PlainRun::default() }
    }

    fn unit(id: &str) -> TestUnit {
        TestUnit { id: id.to_owned(), class: "a.T".to_owned(), name: id.to_owned(), shared: None }
    }

    fn jvm() -> Jvm {
        Jvm { java: "17.0.15".to_owned(), framework: "JUnit 4.13.2".to_owned() }
    }

    fn fresh_attempt() -> Attempt {
        Attempt { is_fresh: true, ..Attempt::default() }
    }

    #[test]
    fn what_was_forgotten_does_not_come_back() {
        let folder = tempfile::tempdir().unwrap();
        Store::forget(folder.path()).unwrap();
        let (store, _) = Store::open(folder.path(), 1, false).unwrap();
        store.pair_number("p").unwrap();
        drop(store);
        Store::forget(folder.path()).unwrap();
        // Interrupted here, the next session is one without `fresh`.
        let (_, found) = Store::open(folder.path(), 1, false).unwrap();
        assert_eq!(found, Found::Nothing);
        assert!(folder.path().join(SET_ASIDE).exists());
    }

    #[test]
    fn what_was_forgotten_by_mistake_is_there_again() {
        let folder = tempfile::tempdir().unwrap();
        let nothing = Store::forget(folder.path()).unwrap();
        Store::remember(folder.path(), nothing).unwrap();
        let (store, _) = Store::open(folder.path(), 1, false).unwrap();
        let number = store.pair_number("p").unwrap();
        store.pair_number("q").unwrap();
        // As a process that is killed leaves it: the log is not written back.
        std::mem::forget(store);
        let forgotten = Store::forget(folder.path()).unwrap();
        Store::remember(folder.path(), forgotten).unwrap();
        let (store, found) = Store::open(folder.path(), 1, false).unwrap();
        assert_eq!((found, store.pair_number("p").unwrap()), (Found::Same, number));
    }

    #[test]
    fn asking_a_folder_without_results_what_has_changed_makes_no_store() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Store::changed_ground(folder.path(), &[]), None);
        assert_eq!(Store::open(folder.path(), 1, false).unwrap().1, Found::Nothing);
    }

    #[test]
    fn results_are_for_this_user_alone_also_those_of_earlier_versions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (_, found) = Store::open(folder.path(), 1, false).unwrap();
        assert_eq!((found, mode(&file)), (Found::Nothing, 0o600));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let (store, found) = Store::open(folder.path(), 1, false).unwrap();
        store.finish(0, Phase::Suite, 0, &[]).unwrap();
        assert_eq!(found, Found::Same);
        assert_eq!((mode(&file), mode(&folder.path().join(format!("{FILE}-wal")))), (0o600, 0o600));
    }

    #[test]
    fn what_was_kept_is_there_after_opening_again() {
        let folder = tempfile::tempdir().unwrap();
        let planned;
        {
            let (store, found) = Store::open(folder.path(), 1, false).unwrap();
            assert_eq!(found, Found::Nothing);
            let (pair, test) = (store.pair_number("p").unwrap(), store.test_number(0, &unit("t")).unwrap());
            store.keep_run(test, Phase::Solo, 1, &run_with(pair)).unwrap();
            store.keep_run(test, Phase::Solo, 1, &run_with(pair)).unwrap();
            store.finish(0, Phase::Suite, 0, &["odd".to_owned()]).unwrap();
            store.keep_jvm(0, &jvm()).unwrap();
            store.keep_unobserved(pair, "too long").unwrap();
            planned = Planned { pair, test, exception: "a.E".to_owned() };
            store.plan(&[planned.clone(), planned.clone()]).unwrap();
            store.keep_attempts(&planned, &[fresh_attempt(), fresh_attempt()]).unwrap();
            store.keep_attempts(&planned, &[Attempt::default()]).unwrap();
            // Dropped without a word, as a killed process does.
            std::mem::forget(store);
        }
        let (store, found) = Store::open(folder.path(), 1, false).unwrap();
        assert_eq!(found, Found::Same);
        assert_eq!(store.pair_number("p").unwrap(), planned.pair);
        assert_eq!(store.test_number(0, &unit("t")).unwrap(), planned.test);
        let runs = store.runs(Phase::Solo).unwrap();
        assert_eq!(runs, [((planned.test, 1), run_with(planned.pair))].into());
        assert_eq!(store.runs(Phase::Suite).unwrap(), BTreeMap::new());
        assert_eq!(store.finished(0, Phase::Suite, 0).unwrap(), Some(vec!["odd".to_owned()]));
        assert_eq!(store.finished(0, Phase::Suite, 1).unwrap(), None);
        assert_eq!(store.jvm(0).unwrap(), Some(jvm()));
        assert_eq!(store.jvm(1).unwrap(), None);
        assert_eq!(store.unobserved().unwrap(), [(planned.pair, "too long".to_owned())].into());
        assert_eq!(store.attempts().unwrap(), [(planned.clone(), vec![Attempt::default()])].into());
    }

    #[test]
    fn a_test_is_given_its_own_sample_else_that_of_the_first_by_name_whoever_came_first_in_time() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(folder.path(), 1, false).unwrap();
        let pair = store.pair_number("p").unwrap();
        let [c, b, a] = ["c", "b", "a"].map(|id| store.test_number(0, &unit(id)).unwrap());
        let sample = |message: &str| Sample {
            exception: "a.E".to_owned(),
            message: Some(message.to_owned()),
            ..Sample::default()
        };
        for (test, message) in [(c, "c"), (b, "b"), (b, "later")] {
            store.keep_sample(pair, test, &sample(message)).unwrap();
        }
        let given = |test| store.sample(pair, test, "a.E", false).unwrap();
        assert_eq!([c, b, a].map(given), ["c", "b", "b"].map(|message| Some(sample(message))));
        assert_eq!(store.sample(pair, c, "a.Other", false).unwrap(), None);
        assert_eq!(store.sample(pair, c, "a.Other", true).unwrap(), given(c));
    }

    #[test]
    fn other_classes_are_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        drop(Store::open(folder.path(), 1, false).unwrap());
        assert_eq!(Store::open(folder.path(), 2, false).unwrap().1, Found::Other);
        assert!(folder.path().join(SET_ASIDE).exists());
        assert_eq!(Store::open(folder.path(), 2, false).unwrap().1, Found::Same);
        assert_eq!(Store::open(folder.path(), 2, true).unwrap().1, Found::Other);
    }

    #[test]
    fn a_file_that_is_no_store_is_set_aside_with_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let is_told = || {
            let found = Store::open(folder.path(), 2, false).unwrap().1;
            assert_eq!(found, Found::NoStore);
            assert!(found.note().is_some_and(|note| note.contains(FILE) && note.contains(SET_ASIDE)));
            assert!(folder.path().join(SET_ASIDE).exists());
            assert_eq!(Store::open(folder.path(), 2, false).unwrap().1, Found::Same);
        };
        fs::write(&path, b"no database at all, but long enough to look like a file").unwrap();
        is_told();
        let mut damaged = fs::read(&path).unwrap();
        damaged[100..].fill(0xa5);
        fs::write(&path, damaged).unwrap();
        is_told();
        fs::remove_file(&path).unwrap();
        Connection::open(&path).unwrap().execute_batch("create table other (number integer)").unwrap();
        is_told();
    }

    #[test]
    fn a_store_with_damage_behind_its_first_page_is_set_aside_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let (store, _) = Store::open(folder.path(), 1, false).unwrap();
        for number in 0..500 {
            store.pair_number(&format!("pair {number}")).unwrap();
        }
        drop(store);
        let mut damaged = fs::read(&path).unwrap();
        let last = damaged.len() - 4096;
        damaged[last..].fill(0xa5);
        fs::write(&path, damaged).unwrap();
        assert_eq!(Store::open(folder.path(), 1, false).unwrap().1, Found::NoStore);
    }

    #[test]
    fn forged_results_are_an_error_that_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(folder.path(), 1, false).unwrap();
        store.finish(0, Phase::Suite, 0, &[]).unwrap();
        for forged in ["no JSON", "{\"odd\":1}", "[1,2,3]"] {
            store.execute("update finished set problems = ?1", [forged]).unwrap();
            let error = store.finished(0, Phase::Suite, 0).unwrap_err().to_string();
            assert!(error.contains("cannot be understood") && error.contains("--fresh"), "{error}");
        }
    }

    #[test]
    fn a_store_of_an_older_version_is_set_aside_and_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(folder.path(), 1, false).unwrap();
        store.execute("update meta set value = '3 0000000000000001'", []).unwrap();
        store.connection.execute_batch("drop table experiment").unwrap();
        drop(store);
        let found = Store::open(folder.path(), 1, false).unwrap().1;
        assert_eq!(found, Found::OtherVersion);
        assert!(found.note().is_some_and(|note| note.contains(SET_ASIDE)));
        assert!(folder.path().join(SET_ASIDE).exists());
        assert_eq!(Store::open(folder.path(), 1, false).unwrap().1, Found::Same);
    }

    #[test]
    fn a_full_disk_is_one_line_and_loses_nothing_that_was_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(folder.path(), 1, false).unwrap();
        store.finish(0, Phase::Suite, 0, &["odd".to_owned()]).unwrap();
        let pages: i64 = store.connection.query_row("pragma page_count", [], |row| row.get(0)).unwrap();
        store.connection.pragma_update(None, "max_page_count", pages).unwrap();
        let full = (1..10_000)
            .map(|ordinal| store.together(|| store.finish(0, Phase::Suite, ordinal, &["odd".to_owned()])))
            .find_map(Result::err)
            .unwrap();
        assert!(matches!(full, StoreError::Full { .. }), "{full:?}");
        assert_eq!(full.to_string().lines().count(), 1);
        drop(store);
        let (store, found) = Store::open(folder.path(), 1, false).unwrap();
        assert_eq!(found, Found::Same);
        assert_eq!(store.finished(0, Phase::Suite, 0).unwrap(), Some(vec!["odd".to_owned()]));
    }

    #[test]
    fn nothing_is_kept_that_was_seen_on_a_disk_without_space() {
        let folder = tempfile::tempdir().unwrap();
        let (mut store, _) = Store::open(folder.path(), 1, false).unwrap();
        store.least_free_bytes = u64::MAX;
        let full = store.together(|| store.finish(0, Phase::Suite, 0, &[])).unwrap_err();
        assert!(matches!(full, StoreError::Full { .. }), "{full:?}");
        assert_eq!(store.finished(0, Phase::Suite, 0).unwrap(), None);
    }

    #[test]
    fn several_writes_are_kept_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(folder.path(), 1, false).unwrap();
        let failed: Result<()> = store.together(|| {
            store.finish(0, Phase::Suite, 0, &[])?;
            Err(StoreError::File { path: PathBuf::new(), reason: io::Error::other("full") })
        });
        assert!(failed.is_err());
        assert_eq!(store.finished(0, Phase::Suite, 0).unwrap(), None);
    }

    #[test]
    fn a_log_that_was_not_yet_written_back_is_set_aside_with_its_store() {
        let folder = tempfile::tempdir().unwrap();
        let (store, _) = Store::open(folder.path(), 1, false).unwrap();
        let kept = fs::read(folder.path().join(format!("{FILE}-wal"))).unwrap();
        // As if the process had been killed: nothing is written back.
        std::mem::forget(store);
        set_aside(folder.path()).unwrap();
        assert_eq!(fs::read(folder.path().join(format!("{SET_ASIDE}-wal"))).unwrap(), kept);
    }

    #[test]
    fn a_store_that_cannot_be_opened_is_an_error_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(FILE)).unwrap();
        assert!(Store::open(folder.path(), 1, false).is_err());
        assert!(folder.path().join(FILE).is_dir());
    }
}
