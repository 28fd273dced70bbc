//! The cost of a check, by what it was spent on.

use crate::attempt::Attempt;
use crate::experiment::{FailureKind, Outcome};

/// Some of the runs of a check, and the time they took.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Timed {
    pub count: u64,
    pub seconds: f64,
}

impl Timed {
    pub fn add(&mut self, seconds: f64) {
        self.count += 1;
        self.seconds += seconds;
    }
}

/// Counts and seconds of one check. Seconds of workers add up over workers.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stats {
    /// Experiments in the plan.
    pub planned: u64,
    /// Experiments that have ended, now or in an earlier run of the same check.
    pub experiments: u64,
    /// Of these, taken from an earlier run.
    pub resumed: u64,
    /// Experiments that could no longer change a verdict and were left out.
    pub not_needed: u64,
    /// Building the project and reading how it runs its tests.
    pub build: Timed,
    /// The suite, nothing injected.
    pub suite: Timed,
    /// Tests that ran in suites, or in the parts of suites that an edit has made stale.
    pub suite_tests: u64,
    /// Tests alone, nothing injected.
    pub solo: Timed,
    /// Experiments that ended in pass or fail in a warm worker.
    pub warm: Timed,
    /// The tests of those same experiments, once for each, with the time they take alone with nothing armed.
    pub warm_plain_seconds: f64,
    /// Experiments in fresh JVMs: confirmations and what happens once per JVM.
    pub fresh: Timed,
    /// Experiments that came to an outcome both in a warm worker and in a fresh JVM, with the time of the former.
    pub both_ways: Timed,
    /// The time of the latter, the start of the JVM included.
    pub both_ways_fresh_seconds: f64,
    /// Of these, experiments that passed one way and failed the other.
    pub both_ways_different: u64,
    /// Runs that hit, or only watch, single executions of a try, wherever they ran.
    pub single: Timed,
    /// Runs that throw at single calls within a try, or only watch them, wherever they ran.
    pub fine: Timed,
    /// Runs in which executions of a try are given copies of what they caught, or are only watched, wherever they ran.
    pub copies: Timed,
    /// Experiments that ran out of time.
    pub timeouts: Timed,
    /// Experiments in warm workers that ended otherwise.
    pub no_outcome: Timed,
    /// Plain tests run again to see whether a worker still is what it was.
    pub sentinels: Timed,
    /// Workers started.
    pub workers: Timed,
    /// Of these, in place of one that had changed, died or hung.
    pub replaced: u64,
    pub wall_seconds: f64,
}

impl Stats {
    /// Counts the attempts at one experiment, by where they ran and how they ended.
    pub fn count(&mut self, attempts: &[Attempt]) {
        attempts.iter().for_each(|attempt| self.count_attempt(attempt));
        self.count_both_ways(attempts);
    }

    fn count_attempt(&mut self, attempt: &Attempt) {
        let line = match &attempt.outcome {
            _ if attempt.is_fresh => &mut self.fresh,
            Outcome::Fail(failure) if failure.kind == FailureKind::Timeout => &mut self.timeouts,
            Outcome::None(_) => &mut self.no_outcome,
            Outcome::Pass | Outcome::Fail(_) => &mut self.warm,
        };
        line.add(seconds(attempt.micros));
        if !attempt.is_fresh && ended_by_itself(&attempt.outcome) {
            self.warm_plain_seconds += seconds(attempt.plain_micros);
        }
    }

    /// The cost of a fresh JVM is told by experiments that had an outcome in one and in a warm worker.
    fn count_both_ways(&mut self, attempts: &[Attempt]) {
        let first = |is_fresh| {
            let mut own = attempts.iter().filter(|attempt| attempt.is_fresh == is_fresh);
            own.find(|attempt| ended_by_itself(&attempt.outcome))
        };
        if let (Some(warm), Some(fresh)) = (first(false), first(true)) {
            self.both_ways.add(seconds(warm.micros));
            self.both_ways_fresh_seconds += seconds(fresh.micros);
            self.both_ways_different += u64::from(warm.is_failure() != fresh.is_failure());
        }
    }

    /// Spent in experiments, whatever became of them.
    pub fn test_seconds(&self) -> f64 {
        self.warm.seconds + self.fresh.seconds + self.timeouts.seconds + self.no_outcome.seconds
    }

    /// The factor by which an experiment takes longer in a fresh JVM.
    pub fn fresh_factor(&self) -> Option<f64> {
        (self.both_ways.seconds > 0.0).then(|| self.both_ways_fresh_seconds / self.both_ways.seconds)
    }

    /// The factor by which a warm experiment takes longer than a plain run of its test.
    pub fn warm_factor(&self) -> Option<f64> {
        (self.warm_plain_seconds > 0.0).then(|| self.warm.seconds / self.warm_plain_seconds)
    }
}

/// Tells whether a test came to its end, well or badly.
fn ended_by_itself(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Pass => true,
        Outcome::Fail(failure) => failure.kind != FailureKind::Timeout,
        Outcome::None(_) => false,
    }
}

fn seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}
