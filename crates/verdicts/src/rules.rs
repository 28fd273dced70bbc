//! The one table of rules, for all commands: ids, levels and meanings. A new rule is one variant, its place in
//! [`Rule::ALL`] and one row; `docs/rules.md` is this table for people.

/// The rule that a finding breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    FailsAtOnce,
    BreaksTheJvm,
    Unreachable,
    NotResilient,
    Unstable,
}

/// The weight of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    Note,
    Warning,
    Error,
}

impl Level {
    /// The word used in reports and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl Rule {
    /// All rules, in the order in which reports show their findings.
    pub const ALL: [Self; 5] =
        [Self::FailsAtOnce, Self::BreaksTheJvm, Self::Unreachable, Self::NotResilient, Self::Unstable];

    /// The rule's name in reports, JSON and documentation; never changed.
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// The level of a finding by this rule, unless its evidence is weaker than usual.
    pub fn level(self) -> Level {
        self.row().level
    }

    /// The rule as a heading.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// The rule in one sentence.
    pub fn meaning(self) -> &'static str {
        self.row().meaning
    }

    /// The reason why a finding by this rule matters, and what to do about one. Markdown with code spans only.
    pub fn help(self) -> &'static str {
        self.row().help
    }

    fn row(self) -> Row {
        match self {
            Self::FailsAtOnce => FAILS_AT_ONCE,
            Self::BreaksTheJvm => BREAKS_THE_JVM,
            Self::Unreachable => UNREACHABLE,
            Self::NotResilient => NOT_RESILIENT,
            Self::Unstable => UNSTABLE,
        }
    }
}

/// A row of the table.
struct Row {
    id: &'static str,
    level: Level,
    title: &'static str,
    meaning: &'static str,
    help: &'static str,
}

const FAILS_AT_ONCE: Row = Row {
    id: "fails-at-once",
    level: Level::Error,
    title: "A catch relies on what its try did before the exception",
    meaning: "A test that always ends in this catch fails when the exception comes at the start of the try.",
    help: "The catch works for the failure that its test causes, and not for the same exception from an earlier line of \
           the try. Whoever adds a line to the try, or calls something there that begins to fail, meets a catch that \
           was never right for it. The finding names the variables and fields that the try sets and the catch reads, \
           where there are any: set them before the try, or in the catch. Where there are none, find out what the \
           calls in the try do that the test counts on. If the program needs that too, do it before the try or in the \
           catch. If only the test wants it, accept the finding with `[[suppress]]` in `catchment.toml`.",
};

const BREAKS_THE_JVM: Row = Row {
    id: "breaks-the-jvm",
    level: Level::Warning,
    title: "A failing try ends the JVM, or never ends",
    meaning: "A test never ends, ends its JVM or runs out of memory when the exception comes at the start of the try.",
    help: "One exception should cost one operation, not the process. Typical reasons are a loop around the try that \
           tries again without limit, a thread that waits for what the try should have done, and `System.exit` in a \
           catch. Limit the attempts or the waiting, or throw an exception to the caller. Where ending the program is \
           what you want, accept the finding with `[[suppress]]` in `catchment.toml`.",
};

const UNREACHABLE: Row = Row {
    id: "unreachable",
    level: Level::Warning,
    title: "Nothing can reach a catch",
    meaning: "No exception thrown at the try can reach this catch.",
    help: "An earlier catch of the same try takes every exception of this type, or no such exception can be made. As far \
           as could be tried, the code in the catch does not run. Remove the catch, or put it before the one that takes \
           its exceptions.",
};

const NOT_RESILIENT: Row = Row {
    id: "not-resilient",
    level: Level::Note,
    title: "A test notices that the try failed",
    meaning: "A test notices when the try fails at once. That is normal, and a finding only where the user asks for it.",
    help: "Most catches report a failure and cannot do the work of their try. The rule is for those that should, such \
           as caches and optional features: there the catch has to give what the try would have given.",
};

const UNSTABLE: Row = Row {
    id: "unstable",
    level: Level::Note,
    title: "Equal runs have different outcomes",
    meaning: "Equal runs of an experiment that would decide a verdict have different outcomes.",
    help: "Nothing is decided about the catch. The usual reasons are threads, clocks and random numbers in the test or \
           in the code that it runs. A test that does the same each time would decide.",
};
