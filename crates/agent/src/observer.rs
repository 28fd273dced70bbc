//! Everything the agent knows about this JVM: what it wove, and where that is written down.
//!
//! Safe code without a JVM in it. Locks are held for bookkeeping only, never while weaving or calling into the JVM.

use crate::describe::{Delivered, woven_class};
use crate::entered::Marks;
use crate::lock;
use crate::log_file::LogFile;
use crate::mapping::{CounterFile, Switches};
use crate::recorder::Recorder;
use crate::scope::{Built, CodeSource, Decision, Scope};
use crate::sites::sites_of;
use crate::worker::Worker;
use catchment_pairs::ClassPairs;
use catchment_protocol::conversation::MarkedClass;
use catchment_protocol::equipment::Equipment;
use catchment_protocol::experiment::Site;
use catchment_protocol::hash::hash64;
use catchment_protocol::options::AgentOptions;
use catchment_protocol::records::{Origin, Record, WovenClass};
use catchment_protocol::{COUNTERS_EXTENSION, LOG_EXTENSION};
use catchment_weave::{FirstNumbers, Prepared, ProbeKinds, ProbePoint, Weaver, Woven, prepare};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};

const IN_WORKERS: ProbeKinds = ProbeKinds::USAGE.union(ProbeKinds::METHOD_ESCAPE);

#[derive(Debug)]
pub(crate) struct Observer {
    pub(crate) counters: CounterFile,
    pub(crate) switches: Switches,
    log: Mutex<LogFile>,
    pub(crate) scope: Scope,
    /// By class name and hash of the bytes: equal bytes in several loaders are one class.
    woven: Mutex<FxHashMap<(String, u64), Numbering>>,
    /// As many as threads have loaded classes at once: each took one for the time.
    idle_weavers: Mutex<Vec<Weaver>>,
    application: Mutex<FxHashSet<String>>,
    tests: Mutex<FxHashSet<String>>,
    kinds: ProbeKinds,
    /// In JVMs that are equipped for it.
    marks: Option<Marks>,
    /// Set once in a worker, before anything is woven.
    worker: OnceLock<Worker>,
    /// Set if exceptions are recorded; then nothing is woven.
    recorder: Option<Recorder>,
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
    instructions: Vec<(u32, Site)>,
    marked: Option<MarkedClass>,
}

#[derive(Debug, Clone, Copy)]
struct Numbering {
    base: u32,
    first_mark: u32,
    recorded: bool,
}

impl Observer {
    /// Creates the two result files. A missing results folder (`NotFound`) means that nobody waits for results.
    pub(crate) fn create(options: &AgentOptions) -> io::Result<Self> {
        let (log, counters) = create_files(&options.results)?;
        // Which exceptions leave the application into test code matters only where tests are known.
        let mut kinds = if options.socket.is_some() { IN_WORKERS } else { ProbeKinds::USAGE };
        if options.equipment.contains(Equipment::CALLS) {
            kinds = kinds.union(ProbeKinds::CALL).union(ProbeKinds::THROWING);
        }
        if options.equipment.contains(Equipment::EXCHANGE) {
            kinds = kinds.union(ProbeKinds::EXCHANGE);
        }
        let marks = options.equipment.contains(Equipment::ENTERED).then(Marks::default);
        if marks.is_some() {
            kinds = kinds.union(ProbeKinds::ENTERED);
        }
        Ok(Self {
            switches: Switches::create(&counters)?,
            counters,
            log: Mutex::new(log),
            scope: Scope::new(options),
            woven: Mutex::default(),
            idle_weavers: Mutex::default(),
            application: Mutex::default(),
            tests: Mutex::default(),
            kinds,
            marks,
            worker: OnceLock::new(),
            recorder: options.equipment.contains(Equipment::RECORDING).then(Recorder::default),
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

    /// From now on this JVM is a worker.
    pub(crate) fn set_worker(&self, worker: Worker) {
        let _ = self.worker.set(worker);
    }

    pub(crate) fn worker(&self) -> Option<&Worker> {
        self.worker.get()
    }

    pub(crate) fn marks(&self) -> Option<&Marks> {
        self.marks.as_ref()
    }

    pub(crate) fn recorder(&self) -> Option<&Recorder> {
        self.recorder.as_ref()
    }

    /// A record that cannot be written is counted in the counter file, which needs no new space.
    pub(crate) fn write(&self, record: &Record) -> io::Result<()> {
        if let Some(worker) = self.worker() {
            worker.record(record);
        }
        lock(&self.log).append(record).inspect_err(|_| self.counters.count_lost_record())
    }

    pub(crate) fn problem(&self, place: &str, what: &str) {
        // A lost record is counted by `write`.
        let _ = self.write(&Record::Problem { place: place.to_owned(), what: what.to_owned() });
    }

    /// The class with its probes, if it is the application's and has any. Whatever goes wrong, the class stays as it
    /// is. `finds_runtime` tells whether its class loader lets it call probes, if the loader could be asked.
    pub(crate) fn class_delivered(
        &self,
        class: &str,
        code_source: Option<&CodeSource>,
        bytes: &[u8],
        finds_runtime: impl FnOnce() -> Option<bool>,
    ) -> Option<Vec<u8>> {
        match self.scope.decide(class, code_source, bytes) {
            Decision::Leave => None,
            Decision::Test { built } => {
                lock(&self.tests).insert(class.to_owned());
                self.marks.as_ref()?;
                match (built, unreachable_runtime(finds_runtime())) {
                    (Built::AsDelivered, None) => self.weave_test(class, bytes),
                    (Built::Not, _) => None,
                    (_, why) => {
                        let reason = why.unwrap_or("changed before it could be observed");
                        self.skipped(class, "", reason);
                        None
                    }
                }
            }
            Decision::Skip { .. } if self.recorder.is_some() => None,
            Decision::Skip { code_source, reason } => {
                self.skipped(class, &code_source, reason);
                None
            }
            Decision::Weave { code_source, changed_before } => {
                self.application_class(class);
                if self.recorder.is_some() {
                    self.runs_as_delivered(class, changed_before);
                    return None;
                }
                if let Some(reason) = unreachable_runtime(finds_runtime()) {
                    self.skipped(class, &code_source, reason);
                    return None;
                }
                let delivered = Delivered { class, bytes, code_source: &code_source, changed_before };
                self.weave_and_record(&delivered)
            }
        }
    }

    /// A class of the application that came before the agent was ready.
    pub(crate) fn class_too_early(&self, class: &str, code_source: Option<&CodeSource>) {
        let decision = self.scope.decide(class, code_source, &[]);
        if let (Decision::Test { built: Built::Differently }, Some(_)) = (&decision, &self.marks) {
            self.skipped(class, "", "loaded before the JVM was initialised");
        }
        if let Decision::Weave { code_source, .. } = decision {
            self.application_class(class);
            if self.recorder.is_some() {
                return;
            }
            self.skipped(class, &code_source, "loaded before the JVM was initialised");
        }
    }

    pub(crate) fn is_application(&self, class: &str) -> bool {
        lock(&self.application).contains(class)
    }

    /// True if the class came from a folder of the tests.
    pub(crate) fn is_test(&self, class: &str) -> bool {
        lock(&self.tests).contains(class)
    }

    /// Weaves one class and says what was done, in a record that is not yet written.
    pub(crate) fn weave(&self, delivered: &Delivered<'_>) -> Result<Option<WovenBytes>, String> {
        let outcome = catch_unwind(AssertUnwindSafe(|| self.weave_unguarded(delivered, self.kinds)));
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

    /// Offsets in its code mean nothing to readers of its class file if that has other bytes.
    fn runs_as_delivered(&self, class: &str, changed_before: bool) {
        if changed_before {
            // A lost record is counted by `write`.
            let _ = self.write(&Record::ClassChanged { class: class.to_owned() });
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

    /// A class of the tests, whose methods are marked and in which nothing else is observed.
    fn weave_test(&self, class: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        let delivered = Delivered { class, bytes, code_source: "", changed_before: false };
        let weave = || self.weave_unguarded(&delivered, ProbeKinds::ENTERED);
        let outcome = catch_unwind(AssertUnwindSafe(weave));
        self.recorded(&delivered, outcome.unwrap_or_else(|_| Err("internal error".to_owned())))
    }

    fn weave_and_record(&self, delivered: &Delivered<'_>) -> Option<Vec<u8>> {
        self.recorded(delivered, self.weave(delivered))
    }

    fn recorded(
        &self,
        delivered: &Delivered<'_>,
        woven: Result<Option<WovenBytes>, String>,
    ) -> Option<Vec<u8>> {
        match woven {
            Ok(Some(woven)) => {
                let is_recorded = self.record_class(woven.record, &woven.instructions, woven.marked);
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
    fn record_class(&self, class: WovenClass, sites: &[(u32, Site)], marked: Option<MarkedClass>) -> bool {
        let key = (class.class.clone(), class.hash);
        let mut woven = lock(&self.woven);
        let Some(numbering) = woven.get_mut(&key) else { return false };
        if !numbering.recorded {
            // Before the class runs, and before anybody hears of it.
            if let Some(worker) = self.worker() {
                worker.experiments.woven(&class, sites, &self.switches);
                marked.into_iter().for_each(|marked| worker.class_marked(marked));
            }
            // Without pairs there is nothing that anybody could look up.
            numbering.recorded = class.pairs.is_empty() || self.write(&Record::ClassWoven(class)).is_ok();
        }
        numbering.recorded
    }

    fn weave_unguarded(
        &self,
        delivered: &Delivered<'_>,
        kinds: ProbeKinds,
    ) -> Result<Option<WovenBytes>, String> {
        let mut weaver = lock(&self.idle_weavers).pop().unwrap_or_default();
        let prepared = weaver.prepare(delivered.bytes, kinds).map_err(|e| e.to_string())?;
        let woven = self.weave_prepared(delivered, &prepared, kinds, &mut weaver);
        weaver.recycle(prepared);
        lock(&self.idle_weavers).push(weaver);
        woven
    }

    fn weave_prepared(
        &self,
        delivered: &Delivered<'_>,
        prepared: &Prepared<'_>,
        kinds: ProbeKinds,
        weaver: &mut Weaver,
    ) -> Result<Option<WovenBytes>, String> {
        for problem in prepared.problems() {
            let place = format!("{}.{}{}", delivered.class, problem.method, problem.descriptor);
            self.problem(&place, &problem.what);
        }
        if prepared.probes() == 0 && prepared.marks() == 0 {
            return Ok(None);
        }
        let hash = hash64(delivered.bytes);
        let first = self.numbers_of(delivered.class, hash, prepared)?;
        let Best { points, woven, is_marked } = weave_most(delivered.bytes, prepared, kinds, first, weaver)?;
        let marked = (prepared.marks() > 0).then(|| MarkedClass {
            class: delivered.class.to_owned(),
            hash,
            first: first.mark,
            methods: prepared.marks() as u32,
            unmarked: match is_marked {
                true => woven.skipped.iter().map(|skipped| skipped.method as u32).collect(),
                false => (0..prepared.marks() as u32).collect(),
            },
        });
        let base = first.probe;
        // Nobody asks about the tries of tests.
        let is_of_tests = kinds == ProbeKinds::ENTERED;
        let pairs = if is_of_tests { ClassPairs::default() } else { prepared.pairs() };
        let points = if is_of_tests { Vec::new() } else { points };
        let record = WovenClass { base, ..woven_class(delivered, hash, &pairs, &points, &woven) };
        let instructions = sites_of(delivered.class, base, prepared, &points);
        Ok(Some(WovenBytes { bytes: woven.bytes.map(Cow::into_owned), record, instructions, marked }))
    }

    fn numbers_of(&self, class: &str, hash: u64, prepared: &Prepared<'_>) -> Result<FirstNumbers, String> {
        let mut woven = lock(&self.woven);
        let key = (class.to_owned(), hash);
        if let Some(numbering) = woven.get(&key) {
            return Ok(FirstNumbers { probe: numbering.base, mark: numbering.first_mark });
        }
        let no_room = |error| format!("no room for its counters: {error}");
        let count = |count: usize| u32::try_from(count).map_err(io::Error::other);
        let base =
            count(prepared.probes()).and_then(|count| self.counters.allocate(count)).map_err(no_room)?;
        let first_mark = match &self.marks {
            Some(marks) => {
                count(prepared.marks()).and_then(|count| marks.allocate(count)).map_err(no_room)?
            }
            None => 0,
        };
        woven.insert(key, Numbering { base, first_mark, recorded: false });
        Ok(FirstNumbers { probe: base, mark: first_mark })
    }
}

/// A class with as many probes as its methods can hold.
struct Best<'w> {
    points: Vec<ProbePoint>,
    woven: Woven<'w>,
    is_marked: bool,
}

/// A method that cannot hold all its probes may still hold those of its tries, which matter more. Marks are so small that
/// they are kept, unless they are what is too much.
fn weave_most<'w>(
    bytes: &[u8],
    prepared: &'w Prepared<'_>,
    kinds: ProbeKinds,
    first: FirstNumbers,
    weaver: &'w mut Weaver,
) -> Result<Best<'w>, String> {
    let is_marked = kinds.contains(ProbeKinds::ENTERED);
    let mut best = Best { points: prepared.points(), woven: weaver.weave(prepared, first), is_marked };
    for fewer in [ProbeKinds::USAGE.union(ProbeKinds::ENTERED), ProbeKinds::USAGE] {
        if best.woven.skipped.is_empty() || !kinds.contains(fewer) || kinds == fewer {
            continue;
        }
        // Fewer probes: they fit into the numbers given to the class.
        let with_fewer = prepare(bytes, fewer).map_err(|e| e.to_string())?;
        let woven = Weaver::default().weave(&with_fewer, first).into_owned();
        if woven.skipped.len() < best.woven.skipped.len() {
            let is_marked = fewer.contains(ProbeKinds::ENTERED);
            best = Best { points: with_fewer.points(), woven, is_marked };
        }
    }
    Ok(best)
}

fn unreachable_runtime(finds_runtime: Option<bool>) -> Option<&'static str> {
    match finds_runtime {
        Some(true) => None,
        Some(false) => Some("its class loader hides the probe runtime from it"),
        None => Some("its class loader could not be asked for the probe runtime"),
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

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown panic")
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_protocol::log;
    use std::path::PathBuf;

    const SOURCE: &str =
        "class Job { void run() { try { System.out.print(1); } catch (RuntimeException e) { } } }";

    /// An observer of a class folder, and what it has written so far.
    struct Bench {
        folder: tempfile::TempDir,
        observer: Observer,
    }

    impl Bench {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let results = folder.path().join("results");
            std::fs::create_dir(&results).unwrap();
            let options = AgentOptions { results, ..AgentOptions::default() };
            let observer = Observer::create(&options).unwrap();
            observer.set_ready();
            Self { folder, observer }
        }

        /// Puts the class into a folder of that name and delivers it from there.
        fn deliver(&self, folder: &str, bytes: &[u8]) -> Option<Vec<u8>> {
            let folder = self.folder.path().join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("Job.class"), bytes).unwrap();
            let source = CodeSource { protocol: "file".into(), path: folder.display().to_string() };
            self.observer.class_delivered("Job", Some(&source), bytes, || Some(true))
        }

        fn records(&self) -> Vec<Record> {
            let file = self.folder.path().join(format!("results/{}-0.log", std::process::id()));
            let log = log::read(&std::fs::read(file).unwrap()).unwrap();
            assert_eq!(log.unread_bytes, 0);
            log.records
        }

        fn woven(&self) -> Vec<WovenClass> {
            let as_woven = |record| match record {
                Record::ClassWoven(class) => Some(class),
                _ => None,
            };
            self.records().into_iter().filter_map(as_woven).collect()
        }
    }

    fn compile(source: &str) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("Job.java");
        std::fs::write(&file, source).unwrap();
        let classes: PathBuf = catchment_testkit::compilers::javac(17, 11, &["-g"], &[file]).unwrap();
        std::fs::read(classes.join("Job.class")).unwrap()
    }

    #[test]
    fn equal_bytes_from_two_places_share_their_numbers_and_one_record() {
        let (bench, bytes) = (Bench::new(), compile(SOURCE));
        let first = bench.deliver("a", &bytes).unwrap();
        assert_ne!(first, bytes);
        assert_eq!(bench.deliver("b", &bytes).unwrap(), first);
        let woven = bench.woven();
        assert_eq!((woven.len(), woven[0].pairs.len(), woven[0].counters), (1, 1, 4));
    }

    #[test]
    fn different_bytes_under_one_name_get_numbers_of_their_own() {
        let bench = Bench::new();
        bench.deliver("a", &compile(SOURCE)).unwrap();
        bench.deliver("b", &compile(&SOURCE.replace('1', "2"))).unwrap();
        let woven = bench.woven();
        assert_eq!(woven[1].base, woven[0].base + woven[0].counters);
        assert!(woven[0].code_source.ends_with("/a") && woven[1].code_source.ends_with("/b"));
    }

    #[test]
    fn a_class_without_tries_is_the_application_s_but_has_no_record() {
        let (bench, bytes) = (Bench::new(), compile("class Job { }"));
        assert_eq!(bench.deliver("a", &bytes), None);
        assert_eq!(bench.records(), [Record::ApplicationSeen]);
        assert!(bench.observer.is_application("Job"));
    }

    #[test]
    fn an_unreadable_class_is_left_alone_and_named() {
        let bench = Bench::new();
        assert_eq!(bench.deliver("a", b"\xca\xfe\xba\xbe nonsense"), None);
        let records = bench.records();
        assert!(matches!(&records[1], Record::ClassSkipped { class, .. } if class == "Job"), "{records:?}");
    }

    #[test]
    fn a_missing_results_folder_is_told_from_other_errors() {
        let options = AgentOptions { results: "/no/such/place".into(), ..AgentOptions::default() };
        assert_eq!(Observer::create(&options).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
