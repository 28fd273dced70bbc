//! A session: one project, built and observed, with all that its experiments share.
//!
//! ```text
//! Session::open      lock, build, pairs, store, agent
//! Session::slots     places where JVMs run
//! Session::baseline  the project's suites with nothing injected; tests run alone when a question needs it
//! ...                questions of a tenant (check, stretch): campaigns and trials
//! Session::checked   everything together
//! ```
//!
//! A session that is cut short is opened again by the next command on the same files, and goes on from its store.

mod changed_since;
mod error;
pub(crate) mod lock;
mod resumed;
mod subjects;
mod test_sources;

pub use changed_since::{ChangedLines, RevisionError};
pub use error::LabError;
pub use subjects::PairSelection;

use crate::baseline::{Baseline, suite};
use crate::observations::{PairNumber, Phase};
use crate::progress::{Progress, Reporter};
use crate::slot::counters::PairNumbers;
use crate::slot::turns::Turns;
use crate::slot::{Slot, slots_folder};
use crate::store::{KnownTest, Store};
use crate::worker::Interrupt;
use catchment_build::{
    BuildLimits, DotlessFolder, Project, ProjectRequest, RunConfiguration, Strayed, remove_all,
};
use catchment_verdicts::{
    CheckedConfiguration, CheckedPair, CheckedProject, CheckedTest, FindingPolicy, Problem, Rule, Stats,
    Suppression, open_finding,
};
use catchment_watch::{InstalledAgent, install, unix};
pub(crate) use resumed::ObservedMethods;
use resumed::open_store;
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use subjects::application_pairs;

/// The project to open and the limits of the work on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionRequest {
    pub project: ProjectRequest,
    pub selection: PairSelection,
    /// Only clauses in methods with these lines, and those that tests with these lines execute.
    pub changed: Option<ChangedLines>,
    /// JVMs side by side.
    pub jobs: usize,
    /// Counts from the opening of the session. No new work is started when it is used up, and what still runs is ended.
    pub budget: Option<Duration>,
    /// A suite that gives no sign of life for so long hangs; two minutes unless given.
    pub silence: Option<Duration>,
    /// A build that neither prints anything nor uses the processor for so long hangs; ten minutes unless given.
    pub build_silence: Option<Duration>,
    /// Forget the results of earlier sessions.
    pub fresh: bool,
    /// Inject into tests that talk to other machines too.
    pub allow_external: bool,
    /// Findings are told as soon as they stand, as far as these wishes go; `None`: not at all.
    pub announced: Option<FindingWishes>,
}

/// The user's wishes about findings, see [`FindingPolicy`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindingWishes {
    pub suppressions: Vec<Suppression>,
    pub strict: bool,
}

/// The output of the build, below the project's own folder.
const BUILD_LOG: &str = "build.log";

/// All that the threads of one command share. Only parts behind a lock change.
#[derive(Debug)]
pub(crate) struct Session<'p> {
    pub(crate) project: Project,
    pub(crate) agent: InstalledAgent,
    /// The store's number of each pair, by the pair's id.
    pub(crate) numbers: PairNumbers,
    /// The same numbers, by the pair's position in [`CheckedProject::pairs`].
    numbers_by_position: Vec<PairNumber>,
    positions: HashMap<PairNumber, usize>,
    /// `.catchment` of the project.
    pub(crate) folder: PathBuf,
    pub(crate) jobs: usize,
    pub(crate) turns: Turns,
    pub(crate) methods: ObservedMethods,
    /// Workers replaced for threads that tests have left behind.
    pub(crate) clean_starts: AtomicU32,
    pub(crate) reporter: Reporter<'p>,
    pub(crate) interrupt: &'static Interrupt,
    /// No work is begun after this moment.
    pub(crate) deadline: Option<Instant>,
    /// The moment at which the budget is used up: what is still running is ended.
    pub(crate) end: Option<Instant>,
    build_silence: Option<Duration>,
    /// The time for which a suite may give no sign of life.
    pub(crate) silence: Duration,
    allow_external: bool,
    changed: Option<ChangedLines>,
    /// Positions of pairs that are left out because their own lines have not changed.
    unchanged: BTreeSet<usize>,
    announced: Option<FindingWishes>,
    announcements: Mutex<Announcements>,
    begun: Instant,
    ledger: Mutex<Ledger>,
    stats: Mutex<Stats>,
    problems: Mutex<BTreeSet<Problem>>,
    /// Where tests write that take the dots of a path for separators; what they leave there goes with the session.
    litter: DotlessFolder,
    _slots: SlotsFolder,
    _lock: File,
}

/// The results so far, in memory and on disk.
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) store: Store,
    /// Grows from the baselines to the verdicts' evidence.
    pub(crate) checked: CheckedProject,
}

/// The findings that have been told, and what may have one.
#[derive(Debug, Default)]
struct Announcements {
    /// Ids of findings.
    told: BTreeSet<String>,
    /// Positions of pairs of which more is to be found out.
    open: BTreeSet<usize>,
}

/// The copies of the project that slots work in; they go with the session.
#[derive(Debug)]
struct SlotsFolder(PathBuf);

impl Drop for SlotsFolder {
    fn drop(&mut self) {
        let _ = remove_all(&self.0);
    }
}

impl<'p> Session<'p> {
    /// Builds the project, finds its pairs, and opens the store of earlier sessions. Pairs with which the tenant can do
    /// nothing are refused before the store is touched.
    pub(crate) fn open<E: From<LabError>>(
        request: &SessionRequest,
        progress: &'p mut (dyn Progress + Send),
        accept: impl FnOnce(&[CheckedPair]) -> Result<(), E>,
    ) -> Result<Self, E> {
        let begun = Instant::now();
        let interrupt = unix::note_interrupts();
        let workspace = catchment_build::workspace(&request.project).map_err(LabError::from)?;
        let folder = workspace.own_folder();
        let lock = lock::lock(&folder)?;
        let (litter, left_behind) = DotlessFolder::of(&workspace);
        if let Some(strayed) = left_behind {
            progress.note(&format!("{}: {}", strayed.from.display(), why_strayed(&strayed)));
        }
        let forgotten =
            if request.fresh { Some(Store::forget(&folder).map_err(LabError::from)?) } else { None };
        progress.phase("build", None);
        let deadline = request.budget.map(|budget| begun + time_to_start_work(budget));
        let limits = build_limits(deadline, request.build_silence);
        let project = catchment_build::prepare(&request.project, limits, &mut |text| progress.note(text))
            .map_err(LabError::from)?;
        let build_seconds = begun.elapsed().as_secs_f64();
        let (mut pairs, problems) = application_pairs(&project, &request.selection);
        if let Err(refused) = accept(&pairs) {
            if let Some(forgotten) = forgotten {
                Store::remember(&folder, forgotten).map_err(LabError::from)?;
            }
            return Err(refused);
        }
        let (store, methods) =
            open_store(&folder, &project, &request.project, request.fresh, &mut |text| progress.note(text))?;
        let unchanged = leave_out_unchanged(&mut pairs, request.changed.as_ref(), &methods);
        let agent = install::install(&folder).map_err(LabError::from)?;
        let numbers = number_pairs(&store, &pairs)?;
        let jobs = request.jobs.max(1);
        let session = Self {
            agent,
            numbers: pairs
                .iter()
                .zip(&numbers)
                .map(|(pair, number)| (pair.clause.id.clone(), *number))
                .collect(),
            positions: numbers.iter().enumerate().map(|(position, number)| (*number, position)).collect(),
            numbers_by_position: numbers,
            jobs,
            turns: Turns::of_slots(jobs),
            methods,
            clean_starts: AtomicU32::new(0),
            reporter: Reporter::new(progress),
            interrupt,
            deadline,
            end: request.budget.map(|budget| begun + budget),
            build_silence: request.build_silence,
            silence: request.silence.unwrap_or(suite::SILENCE),
            allow_external: request.allow_external,
            changed: request.changed.clone(),
            unchanged,
            announced: request.announced.clone(),
            announcements: Mutex::default(),
            begun,
            ledger: Mutex::new(Ledger {
                store,
                checked: CheckedProject {
                    pairs,
                    configurations: configurations(&project),
                    ..CheckedProject::default()
                },
            }),
            stats: Mutex::default(),
            problems: Mutex::new(problems.into_iter().collect()),
            project,
            litter,
            _slots: SlotsFolder(slots_folder(&folder)),
            _lock: lock,
            folder,
        };
        session.stats().build.add(build_seconds);
        Ok(session)
    }

    /// One slot for each JVM that may run beside others.
    pub(crate) fn slots(&'p self) -> Result<Vec<Slot<'p>>, LabError> {
        let failed = |reason| LabError::Folder { path: slots_folder(&self.folder), reason };
        (0..self.jobs).map(|number| Slot::new(self, number).map_err(failed)).collect()
    }

    /// Runs the project's suites with nothing injected, as far as earlier sessions have not, and enters in the ledger what
    /// they and all other plain runs so far say.
    pub(crate) fn baseline(&self, slots: &mut [Slot<'_>]) -> Result<Baseline, LabError> {
        let unseen = match slots.first_mut() {
            Some(slot) => suite::observe(self, slot)?,
            None => 0,
        };
        let baseline = Baseline::read(&self.ledger().store)?;
        let mut ledger = self.ledger();
        let Ledger { store, checked } = &mut *ledger;
        checked.tests = baseline.checked_tests(self.allow_external);
        test_sources::locate(&self.project, &baseline.tests, &mut checked.tests);
        name_configurations(&mut checked.tests, &checked.configurations);
        baseline.add_to(&mut checked.pairs, &self.positions);
        // A build that was ended may have more tests than it has started.
        let unseen = unseen.max(usize::from(self.project.is_cut));
        checked.pairs.iter_mut().for_each(|pair| pair.unseen_tests = unseen);
        self.add_tested_anew(checked, &baseline);
        add_unobserved(checked, store, &self.positions)?;
        Ok(baseline)
    }

    /// Clauses that have not changed are asked about where a test that executes them has.
    fn add_tested_anew(&self, checked: &mut CheckedProject, baseline: &Baseline) {
        let Some(changed) = &self.changed else { return };
        let CheckedProject { pairs, tests, .. } = checked;
        let has_changed = |test: &CheckedTest, known: &KnownTest| {
            let method = known.unit.name.split(['(', '[']).next().unwrap_or_default();
            let lines = self.methods.lines_of(&known.unit.class, method);
            let everywhere = [(1, u32::MAX)];
            let lines = if lines.is_empty() { &everywhere[..] } else { lines };
            let source = test.location.source.as_deref();
            source
                .is_some_and(|file| lines.iter().any(|lines| changed.touches(file, with_declaration(*lines))))
        };
        let known = baseline.tests.iter().map(|(_, known)| known);
        let changed: Vec<bool> =
            tests.iter().zip(known).map(|(test, known)| has_changed(test, known)).collect();
        for position in &self.unchanged {
            let pair = &mut pairs[*position];
            let is_tested_anew = pair.executing_tests.iter().any(|executing| changed[executing.test.index()]);
            pair.left_out &= !is_tested_anew;
        }
    }

    /// A panic in another thread ends the session anyway; the ledger is written through to the store.
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn stats(&self) -> MutexGuard<'_, Stats> {
        self.stats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn problem(&self, place: &str, what: &str) {
        self.problems().insert(Problem { place: place.to_owned(), what: what.to_owned() });
    }

    /// The sentence for a project in which no test was found, with what went wrong before, if anything did.
    pub(crate) fn why_no_tests(&self, store: &Store) -> String {
        let of_build = self.project.problems.iter().map(|problem| problem.what.clone());
        let of_session = self.problems().clone().into_iter().map(|problem| problem.what);
        let of_suites = (0..self.project.configurations.len())
            .filter_map(|configuration| store.finished(configuration, Phase::Suite, 0).ok().flatten())
            .flatten();
        let why = of_build.chain(of_suites).chain(of_session).next();
        let why = why.map_or_else(String::new, |why| format!(": {why}"));
        let log = self.folder.join(BUILD_LOG);
        let log = if log.is_file() { format!(" (log: {})", log.display()) } else { String::new() };
        format!("no test was found in the classes that the build runs{why}{log}")
    }

    fn problems(&self) -> MutexGuard<'_, BTreeSet<Problem>> {
        self.problems.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pairs of methods that run in class initialisers or between the tests of the configuration.
    pub(crate) fn pairs_of_nobody(&self, configuration: usize) -> BTreeSet<PairNumber> {
        let ledger = self.ledger();
        let executed = self.methods.executed();
        let Some(of_nobody) = executed.of_nobody(configuration) else { return BTreeSet::new() };
        let numbered = ledger.checked.pairs.iter().zip(&self.numbers_by_position);
        let is_nobodys = |pair: &CheckedPair| {
            let method = format!("{}{}", pair.clause.method, pair.clause.descriptor);
            let numbers = self.methods.of_name(&pair.clause.class, &method);
            numbers.iter().any(|number| of_nobody.contains(*number))
        };
        numbered.filter(|(pair, _)| is_nobodys(pair)).map(|(_, number)| *number).collect()
    }

    /// The store's number of the pair at this position.
    pub(crate) fn number_of(&self, position: usize) -> PairNumber {
        self.numbers_by_position[position]
    }

    pub(crate) fn position_of(&self, pair: PairNumber) -> Option<usize> {
        self.positions.get(&pair).copied()
    }

    /// Tests that talk to other machines are evidence too.
    pub(crate) fn allows_external(&self) -> bool {
        self.allow_external
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// No new work is to be started.
    pub(crate) fn is_over(&self) -> bool {
        self.is_interrupted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Notes that something was found out about the pair at this position, and tells of the finding on it, if there is one
    /// that nothing will take back. Until the pair `is_settled`, another finding may take the place of the one that there is.
    pub(crate) fn announce(&self, checked: &CheckedProject, position: usize, is_settled: bool) {
        let mut announcements = self.announcements.lock().unwrap_or_else(PoisonError::into_inner);
        if is_settled {
            announcements.open.remove(&position);
            self.tell_finding(checked, position, &mut announcements.told);
        } else {
            announcements.open.insert(position);
        }
    }

    /// Tells of the findings on all pairs that were not settled before: nothing more is asked about them.
    pub(crate) fn announce_the_rest(&self) {
        let checked = &self.ledger().checked;
        let mut announcements = self.announcements.lock().unwrap_or_else(PoisonError::into_inner);
        for position in std::mem::take(&mut announcements.open) {
            self.tell_finding(checked, position, &mut announcements.told);
        }
    }

    fn tell_finding(&self, checked: &CheckedProject, position: usize, told: &mut BTreeSet<String>) {
        let Some(FindingWishes { suppressions, strict }) = &self.announced else { return };
        let policy = FindingPolicy { suppressions, strict: *strict };
        let Some(finding) = open_finding(checked, position, policy) else { return };
        let stands = !matches!(finding.rule, Rule::Unreachable | Rule::Unstable);
        if stands && told.insert(finding.id.clone()) {
            self.reporter.finding(&checked.pairs[position], &finding);
        }
    }

    /// Limits for a further build.
    pub(crate) fn build_limits(&self) -> BuildLimits {
        build_limits(self.end, self.build_silence)
    }

    /// The moment until which a suite may run: what is found out in it is worth little without some experiments.
    pub(crate) fn end_of_suite(&self) -> Option<Instant> {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        self.deadline.map(|deadline| deadline - left(deadline) / 3)
    }

    /// What the budget was used up for.
    pub(crate) fn out_of_time(&self) -> String {
        let of_build = self.project.problems.iter().map(|problem| &problem.what);
        let cut = of_build.into_iter().find(|what| what.starts_with("the budget was used up"));
        cut.cloned().unwrap_or_else(|| "the budget was used up before a test had passed".to_owned())
    }

    /// The ledger's results, complete with costs and problems. The ledger is empty afterwards.
    pub(crate) fn checked(&self) -> CheckedProject {
        if let Some(strayed) = self.litter.clear() {
            self.problem(&strayed.from.display().to_string(), &why_strayed(&strayed));
        }
        let mut ledger = self.ledger();
        let mut checked = std::mem::take(&mut ledger.checked);
        let mut problems = self.problems().clone();
        let of_build = self.project.problems.iter();
        problems.extend(
            of_build.map(|problem| Problem { place: problem.place.clone(), what: problem.what.clone() }),
        );
        for (index, configuration) in self.project.configurations.iter().enumerate() {
            if let (Some(jvm), Some(checked)) =
                (ledger.store.jvm(index).ok().flatten(), checked.configurations.get_mut(index))
            {
                (checked.java_version, checked.framework) = (jvm.java, jvm.framework);
            }
            let found = ledger.store.finished(index, Phase::Suite, 0).ok().flatten();
            let place = &configuration.name;
            let found = found.unwrap_or_default().into_iter();
            problems.extend(found.map(|what| Problem { place: place.clone(), what }));
        }
        // Not in the order in which several slots came to an end.
        for pair in &mut checked.pairs {
            pair.experiments
                .sort_by(|a, b| (a.test, &a.exception, a.mode).cmp(&(b.test, &b.exception, b.mode)));
        }
        checked.stats = Stats { wall_seconds: self.begun.elapsed().as_secs_f64(), ..*self.stats() };
        checked.problems = problems.into_iter().collect();
        checked
    }
}

fn why_strayed(strayed: &Strayed) -> String {
    let to = strayed.to.display();
    format!(
        "a test wrote to this folder, into which it turned the path of its working copy, .catchment, by taking dots for \
         slashes; what it wrote there is in {to} now"
    )
}

fn build_limits(deadline: Option<Instant>, silence: Option<Duration>) -> BuildLimits {
    let BuildLimits { silence: usual, .. } = BuildLimits::default();
    BuildLimits { deadline, silence: silence.unwrap_or(usual) }
}

/// The part of a budget in which work is started: the last work, a fresh JVM perhaps, should end within the budget too.
fn time_to_start_work(budget: Duration) -> Duration {
    let to_end = (budget / 20).clamp(Duration::from_secs(2), Duration::from_secs(30));
    budget.saturating_sub(to_end.min(budget / 2))
}

/// The lines of a method, with the one in front of its code: the table of lines has no declarations.
fn with_declaration((first, last): (u32, u32)) -> (u32, u32) {
    (first.saturating_sub(1), last)
}

/// Leaves out pairs with none of the changed lines in them or in their methods. Gives their positions.
fn leave_out_unchanged(
    pairs: &mut [CheckedPair],
    changed: Option<&ChangedLines>,
    methods: &ObservedMethods,
) -> BTreeSet<usize> {
    let Some(changed) = changed else { return BTreeSet::new() };
    let mut unchanged = BTreeSet::new();
    for (position, pair) in pairs.iter_mut().enumerate().filter(|(_, pair)| !pair.left_out) {
        let clause = &pair.clause;
        let first = clause.try_line.or(clause.catch_line);
        let last = clause.catch_end_line.or(clause.catch_line).or(first);
        // What stands nowhere may have changed.
        let (Some(file), Some(first), Some(last)) = (pair.location.source.as_deref(), first, last) else {
            continue;
        };
        let of_method = methods.lines_of(&clause.class, &clause.method).iter();
        let around = of_method.filter(|(from, to)| (*from..=*to).contains(&first)).copied();
        let mut lines = around.chain([(first, last)]);
        if !lines.any(|lines| changed.touches(file, with_declaration(lines))) {
            pair.left_out = true;
            unchanged.insert(position);
        }
    }
    unchanged
}

fn number_pairs(store: &Store, pairs: &[CheckedPair]) -> Result<Vec<PairNumber>, LabError> {
    let numbers = store.together(|| pairs.iter().map(|pair| store.pair_number(&pair.clause.id)).collect())?;
    Ok(numbers)
}

fn configurations(project: &Project) -> Vec<CheckedConfiguration> {
    let described = |configuration: &RunConfiguration| CheckedConfiguration {
        name: configuration.name.clone(),
        framework: configuration.framework.to_string(),
        notes: configuration.notes.clone(),
        ..CheckedConfiguration::default()
    };
    project.configurations.iter().map(described).collect()
}

/// A test that several configurations run is as many tests; each is named with its configuration.
fn name_configurations(tests: &mut [CheckedTest], configurations: &[CheckedConfiguration]) {
    let mut times: HashMap<String, usize> = HashMap::new();
    tests.iter().for_each(|test| *times.entry(test.name.clone()).or_default() += 1);
    for test in tests.iter_mut().filter(|test| times[&test.name] > 1) {
        if let Some(configuration) = configurations.get(test.configuration) {
            test.name = format!("{} ({})", test.name, configuration.name);
        }
    }
}

/// A class may run as delivered in one configuration and be observed in another.
fn add_unobserved(
    checked: &mut CheckedProject,
    store: &Store,
    positions: &HashMap<PairNumber, usize>,
) -> Result<(), LabError> {
    for (pair, reason) in store.unobserved()? {
        let Some(position) = positions.get(&pair) else { continue };
        let pair = &mut checked.pairs[*position];
        if pair.usages.entries() == 0 {
            pair.not_observed = Some(reason);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_work_ends_within_the_budget() {
        let seconds = |budget| time_to_start_work(Duration::from_secs(budget)).as_secs();
        assert_eq!([2, 20, 100, 3600].map(seconds), [1, 18, 95, 3570]);
    }

    #[test]
    fn a_test_that_two_configurations_run_is_named_with_each() {
        let test = |name: &str, configuration| CheckedTest {
            name: name.to_owned(),
            configuration,
            ..CheckedTest::default()
        };
        let configurations = ["unit", "slow"]
            .map(|name| CheckedConfiguration { name: name.to_owned(), ..CheckedConfiguration::default() });
        let mut tests = [test("ATest.a", 0), test("ATest.b", 0), test("ATest.a", 1)];
        name_configurations(&mut tests, &configurations);
        assert_eq!(tests.map(|test| test.name), ["ATest.a (unit)", "ATest.b", "ATest.a (slow)"]);
    }
}
