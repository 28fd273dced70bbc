//! The experiments of a check: each type of a pair, at every execution of its try, in each test that executes it.

use crate::campaign::inquiry;
use crate::campaign::queue::{Key, Needs, Taken};
use crate::campaign::run::{self, Pace, Tenant};
use crate::check::dependence::DependenceInquiry;
use crate::session::{LabError, Ledger};
use crate::slot::Slot;
use crate::store::{Planned, StoreError};
use crate::trial::engine::{Question, Trials, most_visits};
use crate::trial::proof::{Keeper, Unproven};
use crate::trial::reported::location_of;
use catchment_protocol::experiment::{self, Fault, Sample};
use catchment_verdicts::{
    ASKED_FOR_THE_PLACE, Attempt, CheckedPair, DecidedPairs, Demands, ExecutingTest, ExperimentResult, Mode,
    Needed, NoOutcome, NotRun, Outcome, SourceIndependence, Step, TestId, Unfinished, experiment_of, judge,
    not_injectable, taken_over, what_is_needed,
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The way in which the plan is carried out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Manner {
    /// Run all of it, also what no longer matters.
    pub(crate) matrix: bool,
    /// Passes in warm workers are tried in fresh JVMs too.
    pub(crate) confirm_passes: bool,
    /// Every failure is tried in a fresh JVM, also one that can be no more than routine.
    pub(crate) confirm_routine: bool,
}

/// One experiment of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct OfPair {
    position: usize,
    test: TestId,
    /// Index into the pair's types.
    exception: usize,
}

impl Key for OfPair {
    fn group(&self) -> usize {
        self.position
    }

    fn test(&self) -> TestId {
        self.test
    }
}

/// The clauses of a campaign. Those that tests enter come first: both contracts wait for them, and most findings are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Entered,
    All,
}

pub(crate) struct Experiments<'a, 'p> {
    pub(crate) trials: Trials<'a, 'p>,
    manner: Manner,
    part: Part,
}

impl<'a, 'p> Experiments<'a, 'p> {
    pub(crate) fn new(trials: Trials<'a, 'p>, manner: Manner) -> Self {
        Self { trials, manner, part: Part::All }
    }

    /// Writes down everything that could be run, and takes over what an earlier check has done.
    pub(crate) fn plan(&self) -> Result<(), LabError> {
        let mut ledger = self.trials.session.ledger();
        let mut planned = Vec::new();
        for (position, pair) in ledger.checked.pairs.iter().enumerate().filter(|(_, pair)| !pair.left_out) {
            for executing in &pair.executing_tests {
                if ledger.checked.tests[executing.test.index()].is_evidence() {
                    planned.extend(
                        pair.clause.types.iter().map(|each| self.planned(position, executing.test, each)),
                    );
                }
            }
        }
        ledger.store.plan(&planned)?;
        let attempts = ledger.store.attempts()?;
        ledger.checked.stats.planned = planned.len() as u64;
        self.trials.session.stats().planned = planned.len() as u64;
        let tests: HashMap<_, _> = (0..)
            .zip(&self.trials.baseline.tests)
            .map(|(index, (number, _))| (*number, TestId(index)))
            .collect();
        let planned: HashSet<_> = planned.into_iter().collect();
        for (done, attempts) in attempts.iter().filter(|(done, _)| planned.contains(done)) {
            if let (Some(position), Some(test)) =
                (self.trials.session.position_of(done.pair), tests.get(&done.test))
            {
                let pair = &mut ledger.checked.pairs[position];
                let executing = pair.executing_tests.iter().find(|executing| executing.test == *test);
                let demands = self.demands(executing, false);
                let Some(experiment) = taken_over(*test, &done.exception, attempts, demands) else {
                    continue;
                };
                pair.experiments.push(experiment);
                pair.not_injectable = not_injectable(pair);
                self.trials.session.stats().resumed += 1;
            }
        }
        Ok(())
    }

    fn planned(&self, position: usize, test: TestId, exception: &str) -> Planned {
        let pair = self.trials.session.number_of(position);
        Planned { pair, test: self.trials.test(test).0, exception: exception.to_owned() }
    }

    fn planned_of(&self, ledger: &Ledger, key: OfPair) -> Planned {
        self.planned(key.position, key.test, &ledger.checked.pairs[key.position].clause.types[key.exception])
    }

    /// Carries out the experiments, and asks of each dependence what it is about.
    pub(crate) fn run(&self, slots: &mut [Slot<'_>]) -> Result<(), LabError> {
        let mut pace = Pace::default();
        for part in [Part::Entered, Part::All] {
            let experiments = Self { part, ..*self };
            // Where a test shows no dependence on the place, another is asked.
            for _ in 0..ASKED_FOR_THE_PLACE {
                pace = pace.and(run::run(self.trials, &experiments, slots)?);
                // At once: what is on the place is a finding.
                inquiry::run(self.trials, &DependenceInquiry, slots)?;
                if self.trials.session.is_over() || !experiments.needs_any() {
                    break;
                }
            }
            if !self.trials.session.is_over() {
                self.trials.session.announce_the_rest();
            }
        }
        self.account_for_the_rest(pace);
        Ok(())
    }

    fn needs_any(&self) -> bool {
        let ledger = self.trials.session.ledger();
        (0..ledger.checked.pairs.len()).any(|position| !self.needed(&ledger, position).is_empty())
    }

    fn is_in_part(&self, pair: &CheckedPair) -> bool {
        self.part == Part::All || pair.executing_tests.iter().any(|executing| executing.usages.white > 0)
    }

    /// The experiments that the pair still needs; in a full matrix, those it has not got.
    fn needed_of(&self, ledger: &Ledger, pair: &CheckedPair) -> Vec<Needed> {
        let tests = &ledger.checked.tests;
        let mut needed = what_is_needed(pair, tests);
        if self.manner.matrix && !pair.left_out && pair.not_injectable.is_none() {
            for executing in pair.executing_tests.iter().filter(|each| tests[each.test.index()].is_evidence())
            {
                for (exception, name) in pair.clause.types.iter().enumerate() {
                    let is_done = pair.experiments.iter().any(|experiment| {
                        experiment.mode == Mode::ShortCircuit
                            && experiment.test == executing.test
                            && experiment.exception == *name
                            && experiment.is_final()
                    });
                    let is_listed =
                        needed.iter().any(|each| each.test == executing.test && each.exception == exception);
                    if !is_done && !is_listed {
                        needed.push(Needed { test: executing.test, exception, step: Step::Run });
                    }
                }
            }
        }
        needed
    }

    /// Tells that nothing more is asked about the pair, not even if its dependence is on the place or on the object.
    fn is_settled(&self, ledger: &Ledger, position: usize) -> bool {
        let pair = &ledger.checked.pairs[position];
        judge(pair, &ledger.checked.tests).source_independence.verdict != SourceIndependence::Dependent
            && self.needed_of(ledger, pair).is_empty()
    }

    fn demands(&self, executing: Option<&ExecutingTest>, only_fresh: bool) -> Demands {
        let confirms_all = self.manner.matrix || self.manner.confirm_routine;
        Demands {
            only_fresh,
            confirmed_passes: self.manner.confirm_passes,
            routine_failures_stand: !confirms_all && executing.is_some_and(ExecutingTest::fails_routinely),
        }
    }

    /// Experiments that were needed and not run say so. `pace` is that of those that were run.
    fn account_for_the_rest(&self, pace: Pace) {
        self.note_unfinished(pace);
        let why = if self.trials.session.is_interrupted() { NotRun::Interrupted } else { NotRun::Budget };
        self.add_not_run(why);
        let mut ledger = self.trials.session.ledger();
        let of_plan = || {
            let all = ledger.checked.pairs.iter().flat_map(|pair| &pair.experiments);
            all.filter(|experiment| experiment.mode == Mode::ShortCircuit)
        };
        let (done, not_run) = (of_plan().count(), of_plan().filter(is_not_run).count());
        let mut stats = self.trials.session.stats();
        stats.experiments = (done - not_run) as u64;
        stats.not_needed = stats.planned.saturating_sub(done as u64);
        ledger.checked.stats = *stats;
    }

    fn note_unfinished(&self, pace: Pace) {
        let session = self.trials.session;
        let mut ledger = session.ledger();
        let DecidedPairs { executed, decided, unseen_tests, .. } = DecidedPairs::of(&ledger.checked);
        if executed == decided && unseen_tests == 0 {
            return;
        }
        let why = if session.is_interrupted() { NotRun::Interrupted } else { NotRun::Budget };
        // What tests will show that have not run, nobody knows.
        let seconds = pace.seconds_for(executed - decided).filter(|_| unseen_tests == 0);
        ledger.checked.unfinished = session.is_over().then_some(Unfinished { why, seconds });
    }

    /// Adds what is still needed to the pairs, with the reason why it was not run.
    pub(crate) fn add_not_run(&self, why: NotRun) {
        let mut ledger = self.trials.session.ledger();
        for position in 0..ledger.checked.pairs.len() {
            let needed = self.needed_of(&ledger, &ledger.checked.pairs[position]);
            let pair = &mut ledger.checked.pairs[position];
            for each in needed.into_iter().filter(|each| each.step == Step::Run) {
                let outcome = Outcome::None(NoOutcome::NotRun(why));
                pair.experiments.push(ExperimentResult::new(
                    each.test,
                    pair.clause.types[each.exception].clone(),
                    outcome,
                ));
            }
        }
    }
}

impl Tenant for Experiments<'_, '_> {
    type Key = OfPair;

    fn phase(&self) -> &'static str {
        match self.part {
            Part::Entered => "clauses whose catch tests enter",
            Part::All => "the other clauses",
        }
    }

    fn describe(&self, ledger: &Ledger, key: OfPair) -> String {
        let test = &ledger.checked.tests[key.test.index()];
        format!("{}, by {}", location_of(&ledger.checked.pairs[key.position]), test.name)
    }

    fn needs(&self, ledger: &Ledger) -> Vec<Needs<OfPair>> {
        let has_deadline = self.trials.session.deadline.is_some();
        let needs = |(group, pair): (usize, &CheckedPair)| {
            let needed = self.needed(ledger, group);
            let micros = needed.iter().map(|key| self.trials.micros_of(key.test)).sum();
            // Both contracts wait for pairs whose clause some test enters.
            let is_first = pair.executing_tests.iter().any(|executing| executing.usages.white > 0);
            Needs { group, is_first, micros: has_deadline.then_some(micros), needed }
        };
        ledger.checked.pairs.iter().enumerate().map(needs).collect()
    }

    fn needed(&self, ledger: &Ledger, position: usize) -> Vec<OfPair> {
        let pair = &ledger.checked.pairs[position];
        if !self.is_in_part(pair) {
            return Vec::new();
        }
        let needed = self.needed_of(ledger, pair).into_iter();
        needed.map(|needed| OfPair { position, test: needed.test, exception: needed.exception }).collect()
    }

    fn question(&self, ledger: &Ledger, taken: Taken<OfPair>) -> Result<Question, LabError> {
        let Taken { key, is_suspect, .. } = taken;
        let pair = &ledger.checked.pairs[key.position];
        let executing = pair.executing_tests.iter().find(|executing| executing.test == key.test);
        let comes_first = executing.is_some_and(ExecutingTest::comes_first);
        let entries = executing.map(|executing| executing.usages.entries()).unwrap_or_default();
        let experiment = at_every_execution(ledger, pair, &self.planned_of(ledger, key), None, entries)?;
        let demands = self.demands(executing, is_suspect || comes_first);
        let is_all_white = executing.is_some_and(|executing| executing.usages.are_all_white());
        let all_white = is_all_white.then(|| self.trials.session.number_of(key.position));
        Ok(Question { all_white, ..Question::new(key.test, experiment, demands, comes_first) })
    }

    fn observe<K: Keeper>(
        &self,
        slot: &mut Slot<'_>,
        key: OfPair,
        unproven: &mut Unproven<'_, K>,
    ) -> Result<Option<BTreeSet<usize>>, LabError> {
        self.trials.observe(slot, key.test, key.position, unproven)
    }

    fn is_together(&self, key: OfPair) -> bool {
        let pair = self.trials.session.number_of(key.position);
        self.trials.baseline.is_together(self.trials.test(key.test).0, pair)
    }

    fn is_same_experiment(&self, one: OfPair, other: OfPair) -> bool {
        one.exception == other.exception
    }

    fn enter(&self, ledger: &mut Ledger, key: OfPair, attempts: &[Attempt]) -> bool {
        let pair = &mut ledger.checked.pairs[key.position];
        let experiment = experiment_of(key.test, &pair.clause.types[key.exception], attempts);
        let is_pass = experiment.as_ref().is_some_and(ExperimentResult::is_pass);
        remove(pair, key);
        pair.experiments.extend(experiment);
        let seemed_not_injectable = pair.not_injectable.is_some();
        pair.not_injectable = not_injectable(pair);
        let is_settled = self.is_settled(ledger, key.position);
        self.trials.session.announce(&ledger.checked, key.position, is_settled);
        // A pass makes nothing unnecessary but itself, unless it came where none seemed possible.
        !is_pass || seemed_not_injectable
    }

    fn forget(&self, ledger: &mut Ledger, key: OfPair) {
        let pair = &mut ledger.checked.pairs[key.position];
        remove(pair, key);
        pair.not_injectable = not_injectable(pair);
    }

    fn keep(&self, ledger: &Ledger, key: OfPair, attempts: &[Attempt]) -> Result<(), StoreError> {
        ledger.store.keep_attempts(&self.planned_of(ledger, key), attempts)
    }
}

fn remove(pair: &mut CheckedPair, key: OfPair) {
    let exception = &pair.clause.types[key.exception];
    let is_it = |known: &ExperimentResult| {
        known.mode == Mode::ShortCircuit && known.test == key.test && known.exception == *exception
    };
    pair.experiments.retain(|known| !is_it(known));
}

/// The planned exception at the beginning of every execution of the try. It looks like `own` or, without one, like what the
/// pair has caught before. `entries` are the executions in the baseline.
pub(crate) fn at_every_execution(
    ledger: &Ledger,
    pair: &CheckedPair,
    planned: &Planned,
    own: Option<Sample>,
    entries: u64,
) -> Result<experiment::Experiment, LabError> {
    let Planned { pair: number, test, exception } = planned;
    let sample = match own {
        Some(sample) => Some(sample),
        None => ledger.store.sample(*number, *test, exception, pair.clause.types.len() == 1)?,
    };
    let fault = Fault { exception: exception.clone(), sample, samples: Vec::new() };
    Ok(experiment::Experiment::at_every_execution(pair.clause.id.clone(), fault, most_visits(entries)))
}

fn is_not_run(experiment: &&ExperimentResult) -> bool {
    matches!(experiment.outcome, Outcome::None(NoOutcome::NotRun(_)))
}
