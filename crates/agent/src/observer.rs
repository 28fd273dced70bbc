//! Everything the agent knows about this JVM: what it wove, and where that is written down.
//!
//! Safe code without a JVM in it. Locks are held for bookkeeping only, never while weaving or calling into the JVM.

use crate::describe::{Delivered, woven_class};
use crate::log_file::LogFile;
use crate::mapping::CounterFile;
use crate::scope::{CodeSource, Decision, Scope};
use catchment_protocol::hash::hash64;
use catchment_protocol::options::AgentOptions;
use catchment_protocol::records::{Origin, Record, WovenClass};
use catchment_protocol::{COUNTERS_EXTENSION, LOG_EXTENSION};
use catchment_weave::ProbeKinds;
use rustc_hash::{FxHashMap, FxHashSet};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug)]
pub(crate) struct Observer {
    pub(crate) counters: CounterFile,
    log: Mutex<LogFile>,
    scope: Scope,
    /// By class name and hash of the bytes: equal bytes in several loaders are one class.
    woven: Mutex<FxHashMap<(String, u64), Numbering>>,
    application: Mutex<FxHashSet<String>>,
    /// Set once the self-test has passed: before that nothing of the program is woven or written down.
    ready: AtomicBool,
    self_test_types: Mutex<Vec<String>>,
}

/// One class after weaving.
#[derive(Debug)]
pub(crate) struct WovenBytes {
    /// `None` when the class came out unchanged: its methods were skipped, and the record says why.
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) record: WovenClass,
}

#[derive(Debug, Clone, Copy)]
struct Numbering {
    base: u32,
    recorded: bool,
}

impl Observer {
    /// Creates the two result files. A missing results folder (`NotFound`) means that nobody waits for results.
    pub(crate) fn create(options: AgentOptions) -> io::Result<Self> {
        let (log, counters) = create_files(&options.results)?;
        Ok(Self {
            counters,
            log: Mutex::new(log),
            scope: Scope::new(options.include, options.exclude),
            woven: Mutex::default(),
            application: Mutex::default(),
            ready: AtomicBool::new(false),
            self_test_types: Mutex::default(),
        })
    }

    pub(crate) fn set_ready(&self) {
        self.ready.store(true, Ordering::Release);
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    /// A record that cannot be written is counted in the counter file, which needs no new space.
    pub(crate) fn write(&self, record: &Record) -> io::Result<()> {
        lock(&self.log).append(record).inspect_err(|_| self.counters.count_lost_record())
    }

    pub(crate) fn problem(&self, place: &str, what: &str) {
        // A lost record is counted by `write`.
        let _ = self.write(&Record::Problem { place: place.to_owned(), what: what.to_owned() });
    }

    /// The class with its probes, if it is the application's and has any. Whatever goes wrong, the class stays as it is.
    /// `finds_runtime` tells whether its class loader lets it call probes.
    pub(crate) fn class_delivered(
        &self,
        class: &str,
        code_source: Option<&CodeSource>,
        bytes: &[u8],
        finds_runtime: impl FnOnce() -> bool,
    ) -> Option<Vec<u8>> {
        match self.scope.decide(class, code_source, bytes) {
            Decision::Leave => None,
            Decision::Skip { code_source, reason } => {
                self.skipped(class, &code_source, reason);
                None
            }
            Decision::Weave { code_source, changed_before } => {
                self.application_class(class);
                if !finds_runtime() {
                    self.skipped(class, &code_source, "its class loader hides the probe runtime from it");
                    return None;
                }
                let delivered = Delivered { class, bytes, code_source: &code_source, changed_before };
                self.weave_and_record(&delivered)
            }
        }
    }

    /// A class of the application that came before the agent was ready.
    pub(crate) fn class_too_early(&self, class: &str, code_source: Option<&CodeSource>) {
        if let Decision::Weave { code_source, .. } = self.scope.decide(class, code_source, &[]) {
            self.application_class(class);
            self.skipped(class, &code_source, "loaded before the JVM was initialised");
        }
    }

    pub(crate) fn is_application(&self, class: &str) -> bool {
        lock(&self.application).contains(class)
    }

    /// Weaves one class and says what was done, in a record that is not yet written.
    pub(crate) fn weave(&self, delivered: &Delivered<'_>) -> Result<Option<WovenBytes>, String> {
        let outcome = catch_unwind(AssertUnwindSafe(|| self.weave_unguarded(delivered)));
        outcome.unwrap_or_else(|panic| Err(format!("internal error: {}", panic_text(panic.as_ref()))))
    }

    /// Gives the exceptions of one class at one counter a counter of their own.
    pub(crate) fn exception_type(&self, counter: u32, exception: &str) -> Option<u32> {
        let type_counter =
            self.counters.allocate(1).inspect_err(|_| self.counters.count_lost_record()).ok()?;
        if !self.is_ready() {
            lock(&self.self_test_types).push(exception.to_owned());
            return Some(type_counter);
        }
        let record = Record::ExceptionType { counter, exception: exception.to_owned(), type_counter };
        self.write(&record).ok().map(|()| type_counter)
    }

    pub(crate) fn origin(&self, origin: Origin) {
        if self.is_ready() {
            // A lost record is counted by `write`.
            let _ = self.write(&Record::Origin(origin));
        }
    }

    /// Exception classes the runtime reported during the self-test.
    pub(crate) fn self_test_types(&self) -> Vec<String> {
        lock(&self.self_test_types).clone()
    }

    fn application_class(&self, class: &str) {
        let mut application = lock(&self.application);
        let is_first = application.is_empty();
        application.insert(class.to_owned());
        drop(application);
        if is_first {
            // A lost record is counted by `write`.
            let _ = self.write(&Record::ApplicationSeen);
        }
    }

    fn skipped(&self, class: &str, code_source: &str, reason: &str) {
        // A lost record is counted by `write`.
        let _ = self.write(&Record::ClassSkipped {
            class: class.to_owned(),
            code_source: code_source.to_owned(),
            reason: reason.to_owned(),
        });
    }

    fn weave_and_record(&self, delivered: &Delivered<'_>) -> Option<Vec<u8>> {
        match self.weave(delivered) {
            Ok(Some(woven)) => {
                let is_recorded = self.record_class(woven.record);
                woven.bytes.filter(|_| is_recorded)
            }
            Ok(None) => None,
            Err(reason) => {
                self.skipped(delivered.class, delivered.code_source, &reason);
                None
            }
        }
    }

    /// Probes whose meaning is not written down would count for nothing: then the class stays as it was.
    fn record_class(&self, class: WovenClass) -> bool {
        let key = (class.class.clone(), class.hash);
        let mut woven = lock(&self.woven);
        let Some(numbering) = woven.get_mut(&key) else { return false };
        if !numbering.recorded {
            numbering.recorded = self.write(&Record::ClassWoven(class)).is_ok();
        }
        numbering.recorded
    }

    fn weave_unguarded(&self, delivered: &Delivered<'_>) -> Result<Option<WovenBytes>, String> {
        let prepared =
            catchment_weave::prepare(delivered.bytes, ProbeKinds::USAGE).map_err(|e| e.to_string())?;
        let pairs = prepared.pairs();
        for problem in &pairs.problems {
            let place = format!("{}.{}{}", delivered.class, problem.method, problem.descriptor);
            self.problem(&place, &problem.what);
        }
        if prepared.sites().is_empty() {
            return Ok(None);
        }
        let hash = hash64(delivered.bytes);
        let base = self.base_of(delivered.class, hash, prepared.sites().len())?;
        let woven = prepared.weave(base);
        let record = WovenClass { base, ..woven_class(delivered, hash, pairs, prepared.sites(), &woven) };
        Ok(Some(WovenBytes { bytes: woven.bytes, record }))
    }

    fn base_of(&self, class: &str, hash: u64, sites: usize) -> Result<u32, String> {
        let mut woven = lock(&self.woven);
        let key = (class.to_owned(), hash);
        if let Some(numbering) = woven.get(&key) {
            return Ok(numbering.base);
        }
        let base = u32::try_from(sites)
            .map_err(io::Error::other)
            .and_then(|count| self.counters.allocate(count))
            .map_err(|error| format!("no room for its counters: {error}"))?;
        woven.insert(key, Numbering { base, recorded: false });
        Ok(base)
    }
}

/// The files are named by process; process numbers come back, and one process may hold several JVMs.
fn create_files(results: &Path) -> io::Result<(LogFile, CounterFile)> {
    let process = std::process::id();
    for attempt in 0u32.. {
        let stem = results.join(format!("{process}-{attempt}"));
        match LogFile::create(&stem.with_extension(LOG_EXTENSION)) {
            Ok(log) => return Ok((log, CounterFile::create(&stem.with_extension(COUNTERS_EXTENSION))?)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("no free file name"))
}

/// A panic is contained per class, so what a lock protects is still whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown panic")
}
