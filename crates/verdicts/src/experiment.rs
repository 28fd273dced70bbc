//! One experiment: a test run with exceptions thrown at a pair, and what became of it.

use crate::project::TestId;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExperimentResult {
    pub test: TestId,
    /// Binary name of the caught type that was thrown.
    pub exception: String,
    pub mode: Mode,
    pub outcome: Outcome,
    /// A fresh JVM gave the same outcome. Needed of a failure before it can become a finding.
    pub confirmed_fresh: bool,
    /// Runs of it gave different outcomes.
    pub unstable: bool,
    /// Executions of the try that were to be hit.
    pub reached: u64,
    /// Executions of the try that were hit.
    pub fired: u64,
    /// Thrown exceptions that the pair's own clause caught first.
    pub caught_here: u64,
    /// Thrown exceptions that other clauses caught first.
    pub caught_elsewhere: Vec<CaughtElsewhere>,
    /// The way in which the thrown object was made: `as seen in the baseline`, `constructor (String)`.
    pub made: Option<String>,
}

impl ExperimentResult {
    /// An experiment of which nothing but the outcome is known.
    pub fn new(test: TestId, exception: impl Into<String>, outcome: Outcome) -> Self {
        Self {
            test,
            exception: exception.into(),
            mode: Mode::ShortCircuit,
            outcome,
            confirmed_fresh: false,
            unstable: false,
            reached: 0,
            fired: 0,
            caught_here: 0,
            caught_elsewhere: Vec::new(),
            made: None,
        }
    }

    /// A failure that a fresh JVM confirmed, and no run contradicted.
    pub fn is_confirmed_failure(&self) -> bool {
        self.is_failure() && self.confirmed_fresh
    }

    /// A failure that no other attempt contradicts.
    pub fn is_failure(&self) -> bool {
        matches!(self.outcome, Outcome::Fail(_)) && !self.unstable
    }

    /// An experiment that needs no further attempt.
    pub fn is_final(&self) -> bool {
        match &self.outcome {
            Outcome::Fail(_) => self.confirmed_fresh || self.unstable,
            Outcome::Pass => true,
            Outcome::None(why) => !matches!(why, NoOutcome::NotRun(_)),
        }
    }

    /// A pass that no run contradicted.
    pub fn is_pass(&self) -> bool {
        self.outcome == Outcome::Pass && !self.unstable
    }
}

/// The sites and visits at which the exception is thrown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// At the beginning of every execution of the try. The paper's rule, and the only one that decides the verdicts.
    #[default]
    ShortCircuit,
    /// At the beginning of one execution of the try, counted from 1.
    Selective(u64),
    /// Before a call or throw in the try or in what it calls, the first time that each execution comes to it. The index
    /// is one into [`FineGrained::sites`](crate::FineGrained::sites).
    Fine(usize),
    /// At the beginning of every execution of the try, and each time a copy of what that execution was seen to catch.
    CopyAtStart,
    /// The control run: the try works as it does, and each time the clause catches it goes on with such a copy.
    CopyAtCatch,
}

impl Mode {
    /// The word used in reports and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ShortCircuit => "short_circuit",
            Self::Selective(_) => "selective",
            Self::Fine(_) => "fine",
            Self::CopyAtStart => "copy_at_start",
            Self::CopyAtCatch => "copy_at_catch",
        }
    }

    /// The number of the execution, where one is hit.
    pub fn occurrence(self) -> Option<u64> {
        match self {
            Self::ShortCircuit | Self::Fine(_) | Self::CopyAtStart | Self::CopyAtCatch => None,
            Self::Selective(number) => Some(number),
        }
    }

    /// The index of the site, where the exception is thrown at one.
    pub fn site(self) -> Option<usize> {
        match self {
            Self::ShortCircuit | Self::Selective(_) | Self::CopyAtStart | Self::CopyAtCatch => None,
            Self::Fine(index) => Some(index),
        }
    }
}

/// M[x, a, type].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Pass,
    Fail(Failure),
    /// Evidence for nothing.
    None(NoOutcome),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    /// The failure in one line: `java.lang.AssertionError: expected 3 but was 0 at com.acme.CacheTest.corrupt:41`.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// The test failed: an assertion, or an exception that left it.
    Assertion,
    /// The test did not end in time, or the try was executed without end.
    Timeout,
    /// The JVM died.
    Crash,
    /// `System.exit` or `Runtime.halt`.
    Exit,
    /// Out of memory.
    Oom,
}

impl FailureKind {
    /// The test failed as tests do: a failure that is a finding only where it shows that a clause depends on its try.
    pub fn is_routine(self) -> bool {
        self == Self::Assertion
    }

    /// The end of the test, as the verb of a sentence about it.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Assertion => "fails",
            Self::Timeout => "never ends",
            Self::Crash => "crashes the JVM",
            Self::Exit => "ends the JVM",
            Self::Oom => "runs out of memory",
        }
    }

    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Assertion => "fail",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
            Self::Exit => "exit",
            Self::Oom => "oom",
        }
    }
}

/// The reason why an experiment has no outcome that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoOutcome {
    /// The try was not executed this time.
    NotReached,
    /// The try was executed, and not every time something could be thrown.
    NotFired,
    /// The executions before the one to be hit did not end as they do in a plain run.
    Diverged,
    /// The test skipped itself: an assumption did not hold.
    Skipped(String),
    /// No instance of the type could be made, with the reason.
    NotConstructible(String),
    /// Another clause caught the exception first; its place in the source.
    CaughtElsewhere(String),
    /// The failure is an artefact of the injected object, such as a null cause that is rethrown.
    Artefact(String),
    /// The worker was lost, and not by what the test did.
    WorkerLost(String),
    /// The test is no evidence.
    SetAside,
    NotRun(NotRun),
}

impl NoOutcome {
    /// The word used in reports and JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::NotReached => "not reached",
            Self::NotFired => "not fired",
            Self::Diverged => "diverged",
            Self::Skipped(_) => "skipped",
            Self::NotConstructible(_) => "not constructible",
            Self::CaughtElsewhere(_) => "caught elsewhere",
            Self::Artefact(_) => "artefact",
            Self::WorkerLost(_) => "worker lost",
            Self::SetAside => "set aside",
            Self::NotRun(NotRun::NotNeeded) => "not needed",
            Self::NotRun(NotRun::Budget) => "budget used up",
            Self::NotRun(NotRun::Interrupted) => "interrupted",
            Self::NotRun(NotRun::PlanOnly) => "planned",
        }
    }

    /// Details in one line; may be empty.
    pub fn detail(&self) -> &str {
        match self {
            Self::Skipped(text)
            | Self::NotConstructible(text)
            | Self::CaughtElsewhere(text)
            | Self::Artefact(text)
            | Self::WorkerLost(text) => text,
            Self::NotReached | Self::NotFired | Self::Diverged | Self::SetAside | Self::NotRun(_) => "",
        }
    }
}

/// The reason why an experiment of the plan was not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotRun {
    /// No outcome of the experiment would change a verdict.
    NotNeeded,
    Budget,
    Interrupted,
    /// `--list`.
    PlanOnly,
}

/// Another clause that caught injected exceptions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaughtElsewhere {
    /// `com.acme.Cache.load  Cache.java:83`.
    pub place: String,
    pub count: u64,
}
