//! One checked project: everything a report needs, in one value and in a fixed order.

use crate::experiment::ExperimentResult;
use crate::finding::SourceSite;
use crate::stats::Stats;
use crate::unfinished::Unfinished;
use catchment_pairs::{ClassLocation, ClauseDescription};

/// Observations and experiments of a check.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckedProject {
    /// The ways in which the build runs tests.
    pub configurations: Vec<CheckedConfiguration>,
    /// A test's place here is its [`TestId`].
    pub tests: Vec<CheckedTest>,
    /// Of the whole application, executed or not: by class, then as in the class file.
    pub pairs: Vec<CheckedPair>,
    pub stats: Stats,
    pub problems: Vec<Problem>,
    /// Set if the check was cut short.
    pub unfinished: Option<Unfinished>,
}

impl CheckedProject {
    /// `None` for an id of another project.
    pub fn test(&self, id: TestId) -> Option<&CheckedTest> {
        self.tests.get(id.index())
    }
}

/// One way in which the build runs tests: a Surefire execution, a Gradle task, a given class path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckedConfiguration {
    /// `core: surefire (default-test)`.
    pub name: String,
    /// `JUnit 5.10.2`.
    pub framework: String,
    pub java_version: String,
    /// Differences from the build, such as parallel execution switched off.
    pub notes: Vec<String>,
}

/// Position of a test in [`CheckedProject::tests`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TestId(pub u32);

impl TestId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The smallest unit that can be run again alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckedTest {
    /// As people say it: `com.acme.CacheTest.corrupt`.
    pub name: String,
    /// The location of the test's class.
    pub location: ClassLocation,
    /// Index into [`CheckedProject::configurations`].
    pub configuration: usize,
    /// `None` when it did not pass in the suite, or did not run.
    pub colour: Option<TestColour>,
    /// The reason why the runs of the test are no evidence.
    pub set_aside: Option<SetAside>,
    /// Its experiments run together with those of its class, because alone it costs far more: the class prepares
    /// something expensive. Its failures are confirmed alone.
    pub shared_context: bool,
    pub suite_millis: u64,
    /// Alone in a worker, nothing armed. `None` when it enters no pair.
    pub solo_millis: Option<u64>,
    /// Exceptions that left application code into test code, in the suite; `None` when it did not run there.
    pub exceptions_to_test: Option<u64>,
    /// Exceptions that application clauses caught during the test, in the suite.
    pub exceptions_caught: u64,
}

impl CheckedTest {
    pub fn is_evidence(&self) -> bool {
        self.set_aside.is_none()
    }
}

/// The colour of a passing test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TestColour {
    /// No exception was thrown in the application that it caught, or that reached the test.
    Pink,
    /// Not blue, and an application clause caught something.
    White,
    /// An exception left the application into test code.
    Blue,
}

impl TestColour {
    /// The word used in reports and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pink => "pink",
            Self::White => "white",
            Self::Blue => "blue",
        }
    }
}

/// The reason why a test is no evidence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SetAside {
    /// Fails in the suite with nothing injected; what it says in one line.
    Red(String),
    /// The outcome of the test differs between equal runs.
    Flaky(String),
    /// Passes in the suite and not alone.
    OrderDependent(String),
    /// Connects to other machines, which are named, and that was not allowed.
    External(Vec<String>),
    /// Disabled, or an assumption did not hold.
    Skipped(String),
    /// Could not be run alone, and why.
    NoSoloRun(String),
}

impl SetAside {
    /// The word used in reports and JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Red(_) => "red",
            Self::Flaky(_) => "flaky",
            Self::OrderDependent(_) => "order-dependent",
            Self::External(_) => "external",
            Self::Skipped(_) => "skipped",
            Self::NoSoloRun(_) => "no solo run",
        }
    }

    /// Details in one line; may be empty.
    pub fn detail(&self) -> String {
        match self {
            Self::Red(text)
            | Self::Flaky(text)
            | Self::OrderDependent(text)
            | Self::Skipped(text)
            | Self::NoSoloRun(text) => text.clone(),
            Self::External(addresses) => addresses.join(", "),
        }
    }
}

/// One try-catch pair with all that was seen and tried.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckedPair {
    pub clause: ClauseDescription,
    /// The location of the clause's class.
    pub location: ClassLocation,
    /// Executions of the try in the observed suite run, whatever ran at that time. A pair that is executed only between
    /// tests has usages and no executing tests.
    pub usages: ColourCounts,
    /// A_x with usages_in(x, a): the tests that execute the try when they run alone, set-aside ones included. Each test
    /// once.
    pub executing_tests: Vec<ExecutingTest>,
    /// At most one per test, caught type and mode. One that is not here was not run.
    pub experiments: Vec<ExperimentResult>,
    /// The result of asking its executions one by one; `None` when that was not done.
    pub selective: Option<Selective>,
    /// The result of throwing elsewhere than at the beginning of the try; `None` when that was not done.
    pub fine_grained: Option<FineGrained>,
    /// Tests that could not be asked whether a dependence is on the place or on the object, with the reason. The runs of
    /// the others are among the experiments.
    pub without_copies: Vec<(TestId, String)>,
    /// Of a clause that is not source-independent: what it reads of what its try has written.
    pub relies_on: Vec<Reliance>,
    /// Of such a clause: fields that it reads and its try does not write itself.
    pub left_to_calls: Vec<FieldRead>,
    /// The reason why no injected exception can reach the clause, if so.
    pub not_injectable: Option<String>,
    /// The reason why nothing is known about its usages, if so: its class or method ran as delivered.
    pub not_observed: Option<String>,
    /// Not asked about: `--include` or `--exclude` leaves its class out, or it belongs to another module than the one
    /// asked for.
    pub left_out: bool,
    /// Tests that have not run within the budget, any of which may execute the try.
    pub unseen_tests: usize,
}

/// The executions of a try by single tests, asked one at a time. The runs are among [`CheckedPair::experiments`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selective {
    /// Tests whose executions of the try cannot be told apart, with the reason.
    pub unavailable: Vec<(TestId, String)>,
}

/// Calls and throws within executions of a try, before which the exception was thrown. The runs are among
/// [`CheckedPair::experiments`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FineGrained {
    pub sites: Vec<FineSite>,
    /// Tests that could not be asked, with the reason.
    pub unavailable: Vec<(TestId, String)>,
    /// Further sites that tests came to, beyond the number that is asked about.
    pub left: usize,
}

/// A call or throw before which an exception was thrown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FineSite {
    pub site: SourceSite,
    /// The called method, `java.io.InputStream.read`; `None` for a throw.
    pub callee: Option<String>,
    /// The site stands in the body of the try, not in what that calls.
    pub is_in_body: bool,
}

impl FineSite {
    /// `com.acme.Cache.load`.
    pub fn method(&self) -> String {
        format!("{}.{}", self.site.class, self.site.method)
    }
}

/// Something that a clause, or the code behind it, reads and the body of its try writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reliance {
    /// `variable total`, `field size`.
    pub what: String,
    pub read_line: Option<u32>,
    /// The read stands behind the clause, not in it.
    pub is_read_after: bool,
    /// Lines of the body that set it.
    pub set_lines: Vec<u32>,
    /// An exception may come before any of them, so that an older value is read.
    pub may_be_older: bool,
}

/// A field that a clause reads and the body of its try does not write itself: only the calls in it can have written it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldRead {
    /// `field size`.
    pub what: String,
    pub line: Option<u32>,
}

/// Executions of a try, counted by colour: how they ended as seen from one of its clauses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ColourCounts {
    pub pink: u64,
    pub white: u64,
    pub blue: u64,
    pub open: u64,
}

impl ColourCounts {
    pub fn entries(&self) -> u64 {
        self.pink + self.white + self.blue + self.open
    }

    /// At least one execution, and each is white. An open one is not: its end is unknown.
    pub fn are_all_white(&self) -> bool {
        self.white > 0 && self.white == self.entries()
    }
}

/// A test of A_x: one that executes the try when it runs alone in a worker with nothing armed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExecutingTest {
    pub test: TestId,
    pub usages: ColourCounts,
    /// The try is executed only, or more often, in the first run of the test in a JVM: its experiments need fresh JVMs.
    pub once_per_jvm: bool,
    /// A worker spoils the test, or it spoils itself: all its experiments need fresh JVMs.
    pub needs_fresh: bool,
}

impl ExecutingTest {
    /// An experiment with this test has to be the first thing in a JVM of its own.
    pub fn comes_first(&self) -> bool {
        self.once_per_jvm || self.needs_fresh
    }

    /// A failure of the test under injection cannot show that the clause depends on its try: that needs a test all of whose
    /// executions of the try end in the clause. As long as the test fails as tests do, its failure is routine.
    pub fn fails_routinely(&self) -> bool {
        !self.usages.are_all_white()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// A class, a test, a process.
    pub place: String,
    pub what: String,
}
