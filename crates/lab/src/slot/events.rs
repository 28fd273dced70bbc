//! Events of one worker JVM, collected while it serves a request.

use crate::observations::{PairNumber, PlainOutcome, PlainRun};
use crate::session::Session;
use crate::slot::counters::{CounterMeanings, PairNumbers};
use crate::slot::entered::EnteredMethods;
use crate::worker::{Jvm, Listener, WorkerEnd};
use catchment_protocol::conversation::{Event, Failure, Outcome, TestRun, TestUnit};
use catchment_protocol::experiment::Sample;
use catchment_protocol::occurrences::Occurrences;
use catchment_protocol::records::{Record, WovenClass};
use catchment_watch::Usages;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

/// The events of one JVM so far.
#[derive(Debug)]
pub(crate) struct WorkerEvents<'a> {
    pub(crate) session: &'a Session<'a>,
    /// Of changed classes.
    ids: PairNumbers,
    pub(crate) jvm: Jvm,
    pub(crate) meanings: CounterMeanings,
    pub(crate) entered: EnteredMethods,
    pub(crate) units: Vec<TestUnit>,
    pub(crate) running: Option<String>,
    pub(crate) finished: Vec<TestRun>,
    /// Further tests whose end is a step of the progress.
    pub(crate) steps_left: u64,
    /// Executions of the try before the fault fired in the last test that began, if it did.
    pub(crate) fired: Option<Occurrences>,
    /// The memory was used up in the last test that began.
    pub(crate) has_no_memory: bool,
    /// Pairs whose class or method runs as it was delivered, and why.
    pub(crate) unobserved: BTreeMap<PairNumber, String>,
    /// Folders that its tests run from.
    needed: Vec<PathBuf>,
    pub(crate) deleted: Option<Deleted>,
    /// Usages between two tests of the suite, by the second of them; of all its parts together.
    before: HashMap<String, Vec<(PairNumber, Usages)>>,
}

/// A folder that tests run from, deleted while they ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deleted {
    pub(crate) folder: PathBuf,
    /// Tests that had finished then, the one that deleted it included. Those behind it fail for want of the folder.
    pub(crate) finished: usize,
}

impl<'a> WorkerEvents<'a> {
    pub(crate) fn new(
        session: &'a Session<'a>,
        configuration: usize,
        ids: PairNumbers,
        needed: Vec<PathBuf>,
    ) -> Self {
        Self {
            session,
            ids,
            jvm: Jvm::default(),
            meanings: CounterMeanings::default(),
            entered: EnteredMethods::new(configuration),
            units: Vec::new(),
            running: None,
            finished: Vec::new(),
            steps_left: 0,
            fired: None,
            has_no_memory: false,
            unobserved: BTreeMap::new(),
            needed,
            deleted: None,
            before: HashMap::new(),
        }
    }

    /// The plain run of a test that may have ended its JVM.
    pub(crate) fn plain_of(&self, result: &Result<TestRun, WorkerEnd>) -> PlainRun {
        match result {
            Ok(run) => self.plain(run),
            Err(end) => PlainRun { outcome: PlainOutcome::Ended(end.to_string()), ..PlainRun::default() },
        }
    }

    pub(crate) fn plain(&self, run: &TestRun) -> PlainRun {
        let text = || run.failure.as_ref().map(describe).unwrap_or_default();
        PlainRun {
            outcome: match run.outcome {
                Outcome::Passed => PlainOutcome::Passed,
                Outcome::Failed => PlainOutcome::Failed(text()),
                Outcome::Skipped => PlainOutcome::Skipped(text()),
            },
            micros: run.micros,
            escaped: run.escaped,
            external: run.external.clone(),
            threads_left: run.threads_left.clone(),
            usages: self.meanings.usages(&run.counted),
            before: self.before.get(&run.test).cloned().unwrap_or_default(),
        }
    }

    /// Samples of caught exceptions, by the pair that caught them.
    pub(crate) fn samples(&self, run: &TestRun) -> Vec<(PairNumber, Sample)> {
        let known =
            |(counter, sample): &(u32, Sample)| Some((self.meanings.clause_of(*counter)?, sample.clone()));
        run.samples.iter().filter_map(known).collect()
    }
}

impl WorkerEvents<'_> {
    /// What a test has entered, in a run that was asked for alone.
    pub(crate) fn entered_by(&mut self, run: &TestRun) {
        let armed = run.observed.is_some();
        self.entered.in_test(&run.test, armed, &run.entered, &mut self.session.methods.executed());
    }

    /// A JVM that has ended over a run has not told what it has entered.
    pub(crate) fn end_of_run(&mut self, jvm_has_ended: bool) {
        if jvm_has_ended {
            self.entered.lost(&mut self.session.methods.executed());
        }
    }

    fn note_deleted(&mut self) {
        let deleted = self.needed.iter().find(|folder| self.deleted.is_none() && !folder.exists());
        let deleted = deleted.map(|folder| Deleted { folder: folder.clone(), finished: self.finished.len() });
        self.deleted = self.deleted.take().or(deleted);
    }

    fn add_class(&mut self, class: &WovenClass) {
        if class.changed_before {
            self.session.problem(&class.class, CHANGED);
        }
        let (ids, known) = (&self.ids, &self.session.numbers);
        self.meanings.add_class(class, |id| number_of(id, ids, known));
        for pair in &class.pairs {
            if let (Some(reason), Some(number)) =
                (class.not_observed(pair), self.session.numbers.get(&pair.id))
            {
                self.unobserved.insert(*number, reason.to_owned());
            }
        }
    }

    /// Classes without pairs are nobody's loss. Mocks, made at run time by the hundred, are such.
    fn add_skipped_class(&mut self, class: &str, reason: &str) {
        let pairs: Vec<_> = pairs_of(class, &self.session.numbers).collect();
        if !pairs.is_empty() {
            self.session.problem(class, reason);
        }
        self.unobserved.extend(pairs.into_iter().map(|pair| (pair, reason.to_owned())));
    }
}

/// A pair of a changed class goes by its new id only: whoever runs the class as it was built, from a jar perhaps, runs
/// something else.
fn number_of(id: &str, changed: &PairNumbers, known: &PairNumbers) -> Option<PairNumber> {
    let is_changed = |number: &&PairNumber| changed.values().any(|each| each == *number);
    changed.get(id).or_else(|| known.get(id).filter(|number| !is_changed(number))).copied()
}

/// Of a class whose tries then may not be recognised.
const CHANGED: &str = "another agent or class loader changed the class before it was observed";

impl Listener for WorkerEvents<'_> {
    fn ready(&mut self, jvm: Jvm) {
        self.jvm = jvm;
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Record(Record::ClassWoven(class)) => self.add_class(&class),
            Event::Record(Record::ClassSkipped { class, reason, .. }) => {
                let methods = &self.session.methods;
                self.entered.by_anyone(methods.of_class(&class), &mut methods.executed());
                self.add_skipped_class(&class, &reason);
            }
            Event::Record(Record::Problem { place, what }) => self.session.problem(&place, &what),
            // A test that only showed while the suite ran.
            Event::Unit(unit) => {
                self.entered.know(std::slice::from_ref(&unit));
                self.units.push(unit);
            }
            Event::ClassMarked(class) => self.entered.add_class(&class, &self.session.methods),
            Event::SuiteFinished { entered, .. } => {
                self.entered.after_tests(&entered, &mut self.session.methods.executed());
            }
            Event::TestStarted { test, before, entered } => {
                self.entered.before_test(&test, &entered, &mut self.session.methods.executed());
                let before = self.meanings.usages(&before);
                self.before.entry(test.clone()).or_default().extend(before);
                (self.running, self.fired, self.has_no_memory) = (Some(test), None, false);
            }
            Event::TestFinished(run) => {
                self.running = None;
                self.entered_by(&run);
                self.finished.push(run);
                self.note_deleted();
                if self.steps_left > 0 {
                    self.steps_left -= 1;
                    self.session.reporter.step(1);
                }
            }
            Event::MemoryUsedUp => self.has_no_memory = true,
            Event::Fired { before } => self.fired = Some(before),
            _ => {}
        }
    }
}

/// The known pairs, `com.acme.Cache.load()V#0.0:...`, of the class.
fn pairs_of(class: &str, numbers: &PairNumbers) -> impl Iterator<Item = PairNumber> {
    let is_of_class = move |id: &str| {
        let method = id.strip_prefix(class).and_then(|rest| rest.strip_prefix('.'));
        method.and_then(|rest| rest.split_once('(')).is_some_and(|(name, _)| !name.contains('.'))
    };
    numbers.iter().filter(move |(id, _)| is_of_class(id)).map(|(_, number)| *number)
}

/// Frames of these say nothing about where a test failed.
const FRAMEWORKS: [&str; 12] = [
    "java.",
    "jdk.",
    "sun.",
    "org.junit.",
    "junit.",
    "org.testng.",
    "org.opentest4j.",
    "org.hamcrest.",
    "org.assertj.",
    "com.google.common.truth.",
    "kotlin.",
    "org.mockito.",
];

/// The reason that the driver gives for tests of which nothing ran: a text only.
const NOT_RUN: &str = "catchment.driver.NotRun";

/// The failure in one line, with the first frame that is neither the JDK's nor a test framework's.
pub(crate) fn describe(failure: &Failure) -> String {
    let message = failure.message.as_deref().unwrap_or_default();
    // What was expected may be on the first line, and what came on the last.
    let lines: Vec<_> = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let message = lines.join(" ");
    if failure.exception == NOT_RUN {
        return message;
    }
    let is_telling = |frame: &&String| !FRAMEWORKS.iter().any(|prefix| frame.starts_with(prefix));
    let frame = failure.frames.iter().find(is_telling).or(failure.frames.first());
    let place = frame.map(|frame| format!(" at {frame}")).unwrap_or_default();
    let separator = if message.is_empty() { "" } else { ": " };
    format!("{}{separator}{message}{place}", failure.exception)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_pair_goes_by_its_new_id_only() {
        let numbers = |all: &[(&str, i64)]| -> PairNumbers {
            all.iter().map(|(id, number)| ((*id).to_owned(), PairNumber(*number))).collect()
        };
        let (changed, known) = (numbers(&[("wide", 1)]), numbers(&[("narrow", 1), ("other", 2)]));
        let number = |id| number_of(id, &changed, &known);
        assert_eq!([number("wide"), number("narrow")], [Some(PairNumber(1)), None]);
        assert_eq!(number("other"), Some(PairNumber(2)));
    }

    #[test]
    fn a_class_has_the_pairs_that_begin_with_its_name() {
        let ids =
            ["com.acme.Cache.load()V#0.0:java.io.IOException@1f2e3d4c", "com.acme.a.B.<init>(I)V#0.0:E@1"];
        let numbers = (1..).zip(ids).map(|(number, id)| (id.to_owned(), PairNumber(number))).collect();
        let pairs = |class: &str| pairs_of(class, &numbers).collect::<Vec<_>>();
        assert_eq!(pairs("com.acme.Cache"), [PairNumber(1)]);
        assert_eq!(pairs("com.acme.a.B"), [PairNumber(2)]);
        for other in ["com.acme", "com.acme.a", "com.acme.Cach", "com.acme.Cache$MockitoMock$1"] {
            assert_eq!(pairs(other), [], "{other}");
        }
    }

    #[test]
    fn a_failure_is_told_in_one_line_with_the_tests_own_frame() {
        let frames = ["org.junit.Assert.fail:89", "com.acme.CacheTest.corrupt:41", "java.lang.Thread.run:1"];
        let failure = Failure {
            exception: "java.lang.AssertionError".into(),
            message: Some("expected 3\nbut was 0".into()),
            frames: frames.map(Into::into).to_vec(),
            ..Failure::default()
        };
        assert_eq!(
            describe(&failure),
            "java.lang.AssertionError: expected 3 but was 0 at com.acme.CacheTest.corrupt:41"
        );
        let indented = Failure { message: Some("\n  wanted, but not invoked:\n x".into()), ..failure };
        assert!(describe(&indented).contains("AssertionError: wanted, but not invoked: x at com.acme."));
        let message = Some("not now".into());
        let skipped = Failure { exception: NOT_RUN.into(), message, ..Failure::default() };
        assert_eq!(describe(&skipped), "not now");
        let nothing = Failure { exception: "a.E".into(), ..Failure::default() };
        assert_eq!(describe(&nothing), "a.E");
    }
}
