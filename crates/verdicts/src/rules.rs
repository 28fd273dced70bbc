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
        self.row().0
    }

    /// The level of a finding by this rule, unless its evidence is weaker than usual.
    pub fn level(self) -> Level {
        self.row().1
    }

    /// The rule in one sentence.
    pub fn meaning(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> (&'static str, Level, &'static str) {
        match self {
            Self::FailsAtOnce => (
                "fails-at-once",
                Level::Error,
                "A test that always ends in this catch fails when the exception comes at the start of the try.",
            ),
            Self::BreaksTheJvm => (
                "breaks-the-jvm",
                Level::Warning,
                "A test never ends, ends its JVM or runs out of memory when the exception comes at the start of the try.",
            ),
            Self::Unreachable => {
                ("unreachable", Level::Warning, "No exception thrown at the try can reach this catch.")
            }
            Self::NotResilient => (
                "not-resilient",
                Level::Note,
                "A test notices when the try fails at once. That is normal, and a finding only where the user asks for it.",
            ),
            Self::Unstable => (
                "unstable",
                Level::Note,
                "Equal runs of an experiment that would decide a verdict have different outcomes.",
            ),
        }
    }
}
