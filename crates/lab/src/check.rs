//! `check`: the main job. Baselines, plan, experiments; what is judged in the end is one value.
//!
//! ```text
//! project ──► suite twice ──► tests alone, twice ──► plan ──► experiments ──► single executions, calls ──► CheckedProject
//!                └──────────────────┴── every step in the store ──┴────────────────┘
//! ```

mod answers;
pub(crate) mod attempts;
pub(crate) mod baseline;
mod batch;
pub(crate) mod campaign;
mod contexts;
pub(crate) mod counters;
pub(crate) mod experiments;
mod fine;
mod first_uses;
mod heard;
mod history;
pub(crate) mod observations;
mod places;
pub(crate) mod proof;
mod queue;
mod reliance;
mod single;
pub(crate) mod slot;
pub(crate) mod solo;
mod subjects;
pub(crate) mod suite;
pub(crate) mod trials;
mod turns;

pub use campaign::CheckError;
pub use subjects::PairSelection;

use crate::install;
use crate::progress::{Progress, Reporter};
use crate::project::{self, Project, ProjectRequest, remove_all};
use crate::store::{Found, Store};
use crate::unix;
use crate::worker::heap_note;
use baseline::Baseline;
use campaign::{Campaign, Shared};
use catchment_verdicts::{
    CheckedConfiguration, CheckedPair, CheckedProject, CheckedTest, NotRun, Problem, Stats,
};
use counters::PairNumbers;
use experiments::{Experiments, Manner};
use observations::{PairNumber, Phase};
use slot::{Lab, Slot, slots_folder};
use std::collections::{BTreeSet, HashMap};
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};
use turns::Turns;

const LOCK: &str = "lock";

/// What the user asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckRequest {
    pub project: ProjectRequest,
    pub selection: PairSelection,
    /// JVMs side by side.
    pub jobs: usize,
    /// No new work is started when this is used up.
    pub budget: Option<Duration>,
    /// A suite that gives no sign of life for so long hangs; two minutes unless given.
    pub silence: Option<Duration>,
    /// Run every experiment, also those that no longer change a verdict.
    pub matrix: bool,
    /// Confirm passes in fresh JVMs too, not only failures.
    pub confirm_passes: bool,
    /// Where all executions of a try together say nothing, ask one at a time.
    pub selective: bool,
    /// Also throw at the calls within tries whose clauses hold when the exception comes at once.
    pub fine: bool,
    /// Forget what earlier checks found.
    pub fresh: bool,
    /// Inject into tests that talk to other machines too.
    pub allow_external: bool,
    /// Only plan.
    pub list: bool,
}

/// Checks the project. Everything found on the way is kept, so a check that is cut short goes on where it was.
pub fn check(
    request: &CheckRequest,
    progress: &mut (dyn Progress + Send),
) -> Result<CheckedProject, CheckError> {
    check_and(request, progress, |_| Ok(()), |(), _, _| Ok(())).map(|(checked, ())| checked)
}

/// [`check`], and then something more with the same JVMs and copies of the project. What that needs is asked for before any
/// experiment, so that a wish that cannot be granted is told at once.
pub(crate) fn check_and<P, T>(
    request: &CheckRequest,
    progress: &mut (dyn Progress + Send),
    prepare: impl FnOnce(&Project) -> Result<P, CheckError>,
    then: impl FnOnce(P, &Experiments<'_, '_>, &mut [Slot<'_>]) -> Result<T, CheckError>,
) -> Result<(CheckedProject, T), CheckError> {
    let begun = Instant::now();
    let interrupt = unix::note_interrupts();
    let folder = project::results_folder(&request.project)?;
    let _lock = lock(&folder)?;
    progress.phase("build", None);
    let project = project::prepare(&request.project, &mut |text| progress.note(text))
        .map_err(|error| CheckError::from(error).settled())?;
    let build_seconds = begun.elapsed().as_secs_f64();
    let (pairs, problems) = subjects::application_pairs(&project, &request.selection);
    if !pairs.is_empty() && pairs.iter().all(|pair| pair.left_out) {
        return Err(CheckError::NothingSelected);
    }
    let prepared = prepare(&project)?;
    let (store, found) = Store::open(&folder, project.fingerprint, request.fresh)?;
    if found == Found::Same {
        progress.note("going on with the results of an earlier check");
    }
    let agent = install::install(&folder)?;
    let numbers = number_pairs(&store, &pairs)?;
    let jobs = request.jobs.max(1);
    let lab = Lab {
        project: &project,
        agent,
        numbers: pairs
            .iter()
            .zip(&numbers)
            .map(|(pair, number)| (pair.id.clone(), *number))
            .collect::<PairNumbers>(),
        folder,
        jobs,
        turns: Turns::of_slots(jobs),
        clean_starts: AtomicU32::new(0),
        reporter: Reporter::new(progress),
        interrupt,
        stats: Mutex::default(),
        problems: Mutex::new(problems.into_iter().collect()),
    };
    lab.stats().build.add(build_seconds);
    let checked =
        CheckedProject { pairs, configurations: configurations(&project), ..CheckedProject::default() };
    let shared = Shared {
        lab: &lab,
        campaign: Mutex::new(Campaign { store, checked }),
        deadline: request.budget.map(|budget| begun + time_to_start_work(budget)),
        silence: request.silence.unwrap_or(suite::SILENCE),
    };
    let then = |experiments: &Experiments<'_, '_>, slots: &mut [Slot<'_>]| then(prepared, experiments, slots);
    let outcome = carry_out(request, &shared, &numbers, then);
    let outcome = outcome.map_err(|error| shared.explained(error.settled()));
    let _ = remove_all(&slots_folder(&lab.folder));
    let more = outcome?;
    Ok((finished(shared, &project, begun), more))
}

/// What is begun last, a fresh JVM perhaps, should end within the budget as well.
fn time_to_start_work(budget: Duration) -> Duration {
    let to_end = (budget / 20).clamp(Duration::from_secs(2), Duration::from_secs(30));
    budget.saturating_sub(to_end.min(budget / 2))
}

/// The folder that belongs to one check at a time.
fn lock(folder: &Path) -> Result<File, CheckError> {
    let path = folder.join(LOCK);
    let failed = |reason| CheckError::Folder { path: path.clone(), reason };
    let mut file =
        File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut process = String::new();
            let _ = file.read_to_string(&mut process);
            return Err(CheckError::Busy { process: process.trim().to_owned() });
        }
        Err(TryLockError::Error(reason)) => return Err(failed(reason)),
    }
    // Who holds it; only for the message above.
    let _ = file.set_len(0).and_then(|()| file.rewind());
    let _ = writeln!(file, "{}", std::process::id());
    Ok(file)
}

fn number_pairs(store: &Store, pairs: &[CheckedPair]) -> Result<Vec<PairNumber>, CheckError> {
    let numbers = store.together(|| pairs.iter().map(|pair| store.pair_number(&pair.id)).collect())?;
    Ok(numbers)
}

fn configurations(project: &Project) -> Vec<CheckedConfiguration> {
    let described = |configuration: &project::RunConfiguration| CheckedConfiguration {
        name: configuration.name.clone(),
        framework: configuration.framework.to_string(),
        notes: configuration.notes.iter().cloned().chain(heap_note(&configuration.jvm_arguments)).collect(),
        ..CheckedConfiguration::default()
    };
    project.configurations.iter().map(described).collect()
}

fn carry_out<T>(
    request: &CheckRequest,
    shared: &Shared<'_>,
    numbers: &[PairNumber],
    then: impl FnOnce(&Experiments<'_, '_>, &mut [Slot<'_>]) -> Result<T, CheckError>,
) -> Result<T, CheckError> {
    let mut slots = Vec::new();
    for number in 0..shared.lab.jobs {
        let slot = Slot::new(shared.lab, number);
        let path = slots_folder(&shared.lab.folder);
        slots.push(slot.map_err(|reason| CheckError::Folder { path, reason })?);
    }
    suite::observe(shared, &mut slots[0])?;
    solo::observe(shared, &mut slots)?;
    contexts::observe(shared, &mut slots)?;
    let baseline = Baseline::read(&shared.campaign().store)?;
    let positions: HashMap<_, _> =
        numbers.iter().enumerate().map(|(position, number)| (*number, position)).collect();
    {
        let mut campaign = shared.campaign();
        let campaign = &mut *campaign;
        campaign.checked.tests = baseline.checked_tests(request.allow_external);
        tell_apart(&mut campaign.checked.tests, &campaign.checked.configurations);
        baseline.add_to(&mut campaign.checked.pairs, &positions);
        add_unobserved(campaign, &positions)?;
        if !campaign.checked.tests.iter().any(|test| test.colour.is_some()) {
            return Err(CheckError::NothingPasses(why_nothing_passes(&campaign.checked)));
        }
    }
    let manner = Manner { matrix: request.matrix, confirm_passes: request.confirm_passes };
    let experiments = Experiments::new(shared, &baseline, numbers, &positions, manner);
    experiments.plan()?;
    if request.list {
        experiments.add_not_run(NotRun::PlanOnly);
    } else {
        experiments.run(&mut slots)?;
        if request.selective {
            experiments.ask_single_executions(&mut slots)?;
        }
        if request.fine {
            experiments.ask_places(&mut slots)?;
        }
    }
    if shared.is_interrupted() {
        return Err(CheckError::Interrupted);
    }
    then(&experiments, &mut slots)
}

/// A test that several configurations run is as many tests; each is named with its configuration.
fn tell_apart(tests: &mut [CheckedTest], configurations: &[CheckedConfiguration]) {
    let mut times: HashMap<String, usize> = HashMap::new();
    tests.iter().for_each(|test| *times.entry(test.name.clone()).or_default() += 1);
    for test in tests.iter_mut().filter(|test| times[&test.name] > 1) {
        if let Some(configuration) = configurations.get(test.configuration) {
            test.name = format!("{} ({})", test.name, configuration.name);
        }
    }
}

/// A class may run as delivered in one configuration and be observed in another.
fn add_unobserved(campaign: &mut Campaign, positions: &HashMap<PairNumber, usize>) -> Result<(), CheckError> {
    for (pair, reason) in campaign.store.unobserved()? {
        let Some(position) = positions.get(&pair) else { continue };
        let pair = &mut campaign.checked.pairs[*position];
        if pair.usages.entries() == 0 {
            pair.not_observed = Some(reason);
        }
    }
    Ok(())
}

fn why_nothing_passes(checked: &CheckedProject) -> String {
    let first = checked.tests.iter().find_map(|test| Some((test, test.set_aside.as_ref()?)));
    first.map_or_else(
        || "no test was found in the classes the build runs".to_owned(),
        |(test, why)| format!("{}: {}", test.name, why.detail()),
    )
}

/// Everything together, once the slots have ended.
fn finished(shared: Shared<'_>, project: &Project, begun: Instant) -> CheckedProject {
    let lab = shared.lab;
    let campaign = shared.campaign.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut checked = campaign.checked;
    let stats = Stats { wall_seconds: begun.elapsed().as_secs_f64(), ..*lab.stats() };
    let mut problems: BTreeSet<Problem> =
        lab.problems.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    problems.extend(
        project.problems.iter().map(|each| Problem { place: each.place.clone(), what: each.what.clone() }),
    );
    for (index, configuration) in project.configurations.iter().enumerate() {
        if let (Some(jvm), Some(checked)) =
            (campaign.store.jvm(index).ok().flatten(), checked.configurations.get_mut(index))
        {
            (checked.java_version, checked.framework) = (jvm.java, jvm.framework);
        }
        for ordinal in 0..suite::RUNS {
            let found =
                campaign.store.finished(index, Phase::Suite, ordinal).ok().flatten().unwrap_or_default();
            let place = configuration.name.clone();
            problems.extend(found.into_iter().map(|what| Problem { place: place.clone(), what }));
        }
    }
    // Not in the order in which several slots came to an end.
    for pair in &mut checked.pairs {
        pair.experiments.sort_by(|a, b| (a.test, &a.exception, a.mode).cmp(&(b.test, &b.exception, b.mode)));
    }
    reliance::add_reliances(&mut checked, project);
    checked.stats = stats;
    checked.problems = problems.into_iter().collect();
    checked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_begun_last_ends_within_the_budget() {
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
        tell_apart(&mut tests, &configurations);
        assert_eq!(tests.map(|test| test.name), ["ATest.a (unit)", "ATest.b", "ATest.a (slow)"]);
    }
}
