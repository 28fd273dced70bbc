//! The suite baseline: all tests of a configuration in one JVM, nothing armed.

use crate::observations::{PairNumber, Phase, PlainOutcome, PlainRun};
use crate::session::{LabError, Ledger, Session};
use crate::slot::events::WorkerEvents;
use crate::slot::{JvmUse, Running, Slot};
use crate::store::{Store, StoreError};
use crate::worker::{Jvm, Silence, WorkerEnd};
use catchment_build::{RunConfiguration, earlier_longest_test};
use catchment_protocol::conversation::TestUnit;
use catchment_protocol::experiment::Sample;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::{Duration, Instant};

/// Without a sign of life for this long, unless the user says otherwise, and ten times what the longest test of an earlier
/// build took, a suite hangs.
pub(crate) const SILENCE: Duration = Duration::from_secs(120);
/// A test that is busy may take so many times as long.
const TIMES_IF_BUSY: u32 = 5;

/// The observations of one run of a suite.
#[derive(Debug, Default)]
pub(crate) struct SuiteRuns {
    jvm: Jvm,
    units: HashMap<String, TestUnit>,
    /// By the id of the test.
    pub(crate) runs: Vec<(String, PlainRun)>,
    /// Samples of what pairs caught in a test, by its id. Which tests run alone before which depends on the time that they
    /// take; with the samples of the suite that does not decide what is thrown.
    samples: HashMap<String, Vec<(PairNumber, Sample)>>,
    /// The position of each test in `runs`.
    positions: HashMap<String, usize>,
    problems: Vec<String>,
    unobserved: BTreeMap<PairNumber, String>,
    /// Its share of the budget was used up before all of it had run.
    pub(crate) is_cut: bool,
}

/// Runs what is not yet in the store, one suite at a time: two at once may want the same port or file, and what fails then
/// is not flaky. Gives the number of tests for which there was no time; at least 1 if there were any.
pub(crate) fn observe(session: &Session<'_>, slot: &mut Slot<'_>) -> Result<usize, LabError> {
    let missing = unobserved_suites(session)?;
    let expected = missing.iter().map(|configuration| expected_tests(session, *configuration)).sum();
    // Without reports of the build nobody knows how many tests there are.
    let mut tests = (expected > 0 || missing.is_empty()).then_some(expected);
    session.reporter.phase("suite, nothing injected", tests);
    let (mut unusable, mut unseen) = (BTreeMap::new(), 0);
    for configuration in missing {
        if session.is_over() {
            unseen += expected_tests(session, configuration).max(1);
            continue;
        }
        match observe_one(session, slot, configuration, &mut tests) {
            // The tests of the other configurations can still be run. The next check tries again.
            Err(LabError::Worker(end)) => {
                let name = &session.project.configurations[configuration].name;
                session.problem(name, &format!("none of its tests was run: {end}"));
                unusable.insert(configuration, end);
            }
            other => unseen += other?,
        }
    }
    require_any(session.project.configurations.len(), unusable)?;
    Ok(usize::try_from(unseen).unwrap_or(usize::MAX))
}

fn unobserved_suites(session: &Session<'_>) -> Result<Vec<usize>, LabError> {
    let ledger = session.ledger();
    let mut missing = Vec::new();
    for configuration in 0..session.project.configurations.len() {
        let is_stale = !ledger.store.again(configuration)?.is_empty();
        if is_stale || ledger.store.finished(configuration, Phase::Suite, 0)?.is_none() {
            missing.push(configuration);
        }
    }
    Ok(missing)
}

/// The run of one suite, and the number of tests for which there was no time. `tests` is how many tests all of them have, as far as anybody knows: reports count otherwise than
/// we do, each invocation of a test, or all of them as one.
fn observe_one(
    session: &Session<'_>,
    slot: &mut Slot<'_>,
    configuration: usize,
    tests: &mut Option<u64>,
) -> Result<u64, LabError> {
    let begun = Instant::now();
    let expected = expected_tests(session, configuration);
    let mut steps_left = expected;
    let part = part_to_run(session, configuration)?;
    let classes = part.as_ref().unwrap_or(&session.project.configurations[configuration].test_classes);
    let runs = run_suite(session, slot, configuration, classes, session.end_of_suite(), &mut steps_left);
    let shown = expected - steps_left;
    let run = runs.as_ref().map_or(0, |runs| runs.runs.len() as u64).max(shown);
    if let Some(tests) = tests {
        *tests = *tests + run - expected;
        session.reporter.retotal(*tests);
    }
    session.reporter.step(run - shown);
    session.stats().suite.add(begun.elapsed().as_secs_f64());
    let runs = runs?;
    session.stats().suite_tests += runs.runs.len() as u64;
    match &part {
        Some(classes) => keep_part(session, configuration, classes, &runs)?,
        None => keep(&mut session.ledger(), configuration, &runs)?,
    }
    Ok(if runs.is_cut { runs.unseen() } else { 0 })
}

/// The classes of tests that an edit has made stale, in the order of the suite; `None` if all of it has to run.
fn part_to_run(session: &Session<'_>, configuration: usize) -> Result<Option<Vec<String>>, LabError> {
    let ledger = session.ledger();
    let is_known = ledger.store.finished(configuration, Phase::Suite, 0)?.is_some();
    let again = ledger.store.again(configuration)?;
    let classes = &session.project.configurations[configuration].test_classes;
    let part = classes.iter().filter(|class| again.contains(*class)).cloned().collect();
    Ok((is_known && !again.is_empty()).then_some(part))
}

/// With no configuration left that can be used there is nothing to go on with.
fn require_any(configurations: usize, unusable: BTreeMap<usize, WorkerEnd>) -> Result<(), LabError> {
    let is_any_left = unusable.len() < configurations;
    unusable.into_values().next().filter(|_| !is_any_left).map_or(Ok(()), |end| Err(LabError::Worker(end)))
}

fn expected_tests(session: &Session<'_>, configuration: usize) -> u64 {
    session.project.configurations[configuration].reported.len() as u64
}

fn keep(ledger: &mut Ledger, configuration: usize, runs: &SuiteRuns) -> Result<(), LabError> {
    let store = &ledger.store;
    store.together(|| {
        for (id, run) in &runs.runs {
            runs.keep_test(store, configuration, id, run)?;
        }
        runs.unobserved.iter().try_for_each(|(pair, reason)| store.keep_unobserved(*pair, reason))?;
        store.keep_jvm(configuration, &runs.jvm)?;
        if runs.is_cut { Ok(()) } else { store.finish(configuration, Phase::Suite, 0, &runs.problems) }
    })?;
    Ok(())
}

/// Keeps the runs of those tests that are stale or new. What a stale test did before the edit in code that runs once per
/// JVM, for whichever test comes first, it would do again in the whole suite: in part of it other tests come first.
fn keep_part(
    session: &Session<'_>,
    configuration: usize,
    classes: &[String],
    runs: &SuiteRuns,
) -> Result<(), LabError> {
    let once = session.pairs_of_nobody(configuration);
    let ledger = session.ledger();
    let store = &ledger.store;
    let (current, former) = (store.suite_runs(configuration, false)?, store.suite_runs(configuration, true)?);
    let is_rerun = |problem: &String| classes.iter().any(|class| problem.starts_with(&format!("{class}: ")));
    let known = store.finished(configuration, Phase::Suite, 0)?.unwrap_or_default();
    let mut problems: Vec<String> = known.into_iter().filter(|problem| !is_rerun(problem)).collect();
    problems.extend(runs.problems.iter().cloned());
    store.together(|| {
        for (id, run) in runs.runs.iter().filter(|(id, _)| !current.contains_key(id)) {
            let run = match former.get(id) {
                Some(former) => run.clone().with_former(former, &once),
                None => run.clone(),
            };
            runs.keep_test(store, configuration, id, &run)?;
        }
        runs.unobserved.iter().try_for_each(|(pair, reason)| store.keep_unobserved(*pair, reason))?;
        if runs.is_cut {
            return Ok(());
        }
        store.ran_again(configuration)?;
        store.finish(configuration, Phase::Suite, 0, &problems)
    })?;
    Ok(())
}

/// A test that the driver never announced.
fn nameless(id: &str) -> TestUnit {
    TestUnit { id: id.to_owned(), class: String::new(), name: id.to_owned(), shared: None }
}

/// A test that ends the JVM costs the rest of its class; the suite goes on behind it in another JVM. `until` is the moment
/// at which it has used up its share of the budget; what was seen by then is the result.
pub(crate) fn run_suite(
    session: &Session<'_>,
    slot: &mut Slot<'_>,
    configuration: usize,
    classes: &[String],
    until: Option<Instant>,
    steps: &mut u64,
) -> Result<SuiteRuns, LabError> {
    let mut suite_runs = SuiteRuns::default();
    let settings = &session.project.configurations[configuration];
    let mut classes = classes.to_vec();
    let silence = silence(session, settings);
    while !classes.is_empty() {
        let started = slot.start(configuration, JvmUse::Suite);
        let discovered = started.and_then(|mut running| Ok((running.discover(&classes)?, running)));
        let ((units, problems), mut running) = match discovered {
            Err(WorkerEnd::OutOfTime) => return Ok(SuiteRuns { is_cut: true, ..suite_runs }),
            discovered => discovered?,
        };
        suite_runs.jvm = running.events.jvm.clone();
        suite_runs.add_units(units);
        suite_runs.problems.extend(problems);
        let result = running.run_suite(&classes, silence, until, steps);
        if let Some(deleted) = running.events.deleted.take() {
            running.events.finished.truncate(deleted.finished);
            running.events.running = None;
            suite_runs.add_runs(&mut running.events);
            let why = format!("it deletes {}, which its tests run from", deleted.folder.display());
            classes = suite_runs.add_end(&running, &why, &classes);
            running.stop();
            continue;
        }
        suite_runs.add_runs(&mut running.events);
        match result {
            Ok(problems) => {
                suite_runs.problems.extend(problems);
                running.stop();
                return Ok(suite_runs.without_parts_of_wholes());
            }
            Err(WorkerEnd::OutOfTime) => {
                return Ok(SuiteRuns { is_cut: true, ..suite_runs.without_parts_of_wholes() });
            }
            Err(end @ (WorkerEnd::Interrupted | WorkerEnd::Unusable { .. })) => return Err(end.into()),
            Err(end) => classes = suite_runs.add_end(&running, &end.to_string(), &classes),
        }
    }
    Ok(suite_runs.without_parts_of_wholes())
}

fn silence(session: &Session<'_>, settings: &RunConfiguration) -> Silence {
    let reported = settings.reported.iter().map(|test| test.millis).max();
    let earlier = earlier_longest_test(&session.project.workspace, settings);
    let longest = reported.max(earlier).unwrap_or(0);
    let limit = session.silence.max(Duration::from_millis(longest.saturating_mul(10)));
    Silence { limit, times_if_busy: TIMES_IF_BUSY }
}

impl SuiteRuns {
    /// Keeps the run of a test, with its samples.
    fn keep_test(
        &self,
        store: &Store,
        configuration: usize,
        id: &str,
        run: &PlainRun,
    ) -> Result<(), StoreError> {
        let unit = self.units.get(id).cloned().unwrap_or_else(|| nameless(id));
        let test = store.test_number(configuration, &unit)?;
        store.keep_run(test, Phase::Suite, 0, run)?;
        let mut samples = self.samples.get(id).into_iter().flatten();
        samples.try_for_each(|(pair, sample)| store.keep_sample(*pair, test, sample))
    }

    fn add_units(&mut self, units: Vec<TestUnit>) {
        self.units.extend(units.into_iter().map(|unit| (unit.id.clone(), unit)));
    }

    fn add_runs(&mut self, events: &mut WorkerEvents<'_>) {
        self.add_units(std::mem::take(&mut events.units));
        self.unobserved.append(&mut events.unobserved);
        for run in &events.finished {
            self.samples.entry(run.test.clone()).or_default().extend(events.samples(run));
            self.add_run(run.test.clone(), events.plain(run));
        }
    }

    /// Tests that have not run, as far as they were announced; at least 1.
    fn unseen(&self) -> u64 {
        (self.units.len().saturating_sub(self.runs.len()) as u64).max(1)
    }

    /// A unit whose parts do not follow each other is reported part by part.
    fn add_run(&mut self, test: String, run: PlainRun) {
        match self.positions.get(&test) {
            Some(position) => self.runs[*position].1.add(run),
            None => {
                self.positions.insert(test.clone(), self.runs.len());
                self.runs.push((test, run));
            }
        }
    }

    /// A test that stands for all its invocations, because there are too many, stands for those already seen too.
    fn without_parts_of_wholes(mut self) -> Self {
        let wholes: HashSet<String> = self.positions.keys().cloned().collect();
        let is_part = |test: &str| {
            let ends = test.match_indices('/').map(|(end, _)| &test[..end]);
            ends.into_iter().any(|whole| wholes.contains(whole))
        };
        self.runs.retain(|(test, _)| !is_part(test));
        self
    }

    /// Notes the end of a JVM, or of what it can be used for, in the middle of the suite; the classes that are still to be run.
    fn add_end(&mut self, running: &Running<'_>, end: &str, classes: &[String]) -> Vec<String> {
        let last = running.events.running.clone();
        let last = last.or_else(|| running.events.finished.last().map(|run| run.test.clone()));
        let class = last.as_ref().and_then(|test| self.units.get(test)).map(|unit| unit.class.clone());
        if let Some(test) = &running.events.running {
            let run = PlainRun { outcome: PlainOutcome::Ended(end.to_owned()), ..PlainRun::default() };
            self.add_run(test.clone(), run);
        }
        let position = class.as_ref().and_then(|class| classes.iter().position(|each| is_in(class, each)));
        let position = position.unwrap_or(0);
        self.problems.push(format!(
            "{}: {end}; the tests of this class behind that were not observed",
            classes[position]
        ));
        let run = self.runs.iter().filter_map(|(test, _)| self.units.get(test));
        let run = run.flat_map(|unit| with_outer_classes(&unit.class)).collect();
        let known = self.units.values().flat_map(|unit| with_outer_classes(&unit.class)).collect();
        still_to_run(classes, position, &known, &run)
    }
}

/// The classes behind the one at `ended`, at which the JVM ended. Tests need not run in the order of the list, since each
/// engine takes its own ones: what counts is whether a test of the class has run. Of a class that no test names (a
/// suite of others) only its place tells.
fn still_to_run(classes: &[String], ended: usize, known: &HashSet<&str>, run: &HashSet<&str>) -> Vec<String> {
    let has_run = |position: usize, class: &str| {
        if known.contains(class) { run.contains(class) } else { position < ended }
    };
    let others = classes.iter().enumerate().filter(|(position, _)| *position != ended);
    others.filter(|(position, class)| !has_run(*position, class)).map(|(_, class)| class.clone()).collect()
}

/// `a.Test$Inner$Most`, `a.Test$Inner` and `a.Test`.
fn with_outer_classes(class: &str) -> impl Iterator<Item = &str> {
    std::iter::once(class).chain(class.match_indices('$').map(|(end, _)| &class[..end]))
}

/// Nested test classes run with the class around them.
fn is_in(class: &str, outer: &str) -> bool {
    class.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_without_any_usable_configuration_is_there_nothing_to_check() {
        let unusable = |configurations: &[usize]| -> BTreeMap<usize, WorkerEnd> {
            let end = |number: &usize| (*number, WorkerEnd::Unusable { what: format!("no engine {number}") });
            configurations.iter().map(end).collect()
        };
        assert!(require_any(2, unusable(&[])).is_ok());
        assert!(require_any(2, unusable(&[1])).is_ok());
        assert_eq!(require_any(2, unusable(&[0, 1])).unwrap_err().to_string(), "no engine 0");
    }

    #[test]
    fn after_the_end_of_a_jvm_all_classes_that_have_not_run_are_run() {
        let classes = ["a.Vintage", "a.All", "a.Exits", "a.Jupiter", "a.Later"].map(String::from);
        let known = ["a.Vintage", "a.Exits", "a.Jupiter", "a.Later", "a.Listed"].into();
        // The engine of the others came first; a.All is a suite of tests that stand elsewhere.
        let run = ["a.Jupiter", "a.Listed"].into_iter().chain(with_outer_classes("a.Exits$Inner")).collect();
        assert_eq!(still_to_run(&classes, 2, &known, &run), ["a.Vintage", "a.Later"]);
    }
}
