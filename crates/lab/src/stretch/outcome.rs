//! Request and result of `stretch`.

use crate::check::CheckRequest;
use crate::stretch::patch::Patch;
use crate::stretch::refusal::Refusal;
use catchment_verdicts::CheckedProject;

/// A stretch: the check that goes before, and how far clauses are stretched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StretchRequest {
    pub check: CheckRequest,
    /// The widest type to be tried, a binary name; those of `java.lang` also without their package. Unless given, no clause is
    /// made to catch every unchecked exception.
    pub to: Option<String>,
    /// Make a source patch and let the project's own build say whether it holds.
    pub patch: bool,
}

/// The result of a stretch.
#[derive(Debug, Default)]
pub struct Stretched {
    pub checked: CheckedProject,
    /// Every candidate, in the order of the pairs.
    pub clauses: Vec<StretchedClause>,
    /// The whole suite has passed with all accepted clauses stretched; not so if time was up before.
    pub together: bool,
    /// The patch, if one was asked for and any clause is left to be stretched.
    pub patch: Option<Patch>,
    /// The project has a build that could say whether a patch holds.
    pub can_patch: bool,
}

/// A clause that might catch more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StretchedClause {
    /// Position of the pair.
    pub pair: usize,
    /// Wider types that were tried in vain, widest first; without a type where none was.
    pub refused: Vec<(Option<String>, Refusal)>,
    pub accepted: Option<Accepted>,
}

/// A wider type that a clause may catch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    pub to: String,
    pub evidence: Evidence,
    /// The clause also begins to catch every unchecked exception.
    pub catches_all_unchecked: bool,
    /// A later clause of the try, which caught exceptions of that type so far: its line.
    pub takes_from: Option<u32>,
    /// Declared exceptions of the method that the clause begins to catch: callers see none of them from this try any more.
    pub swallows: Vec<String>,
    /// Later clauses of the try, by position of their pairs, that do the same and have nothing left to catch: the patch takes
    /// them away.
    pub merges: Vec<usize>,
}

/// The evidence for a wider type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Evidence {
    pub case: Case,
    /// Tests that pass with nothing injected: all that execute the try.
    pub tests: usize,
    /// Tests that pass with the wider type thrown at the beginning of the try.
    pub injected: usize,
}

/// Whether tests come with exceptions that only the stretched clause catches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Case {
    /// Case A.
    #[default]
    CatchesTheSame,
    /// Case B: some were caught elsewhere before, and the tests pass all the same.
    CatchesMore,
}

impl Case {
    /// The letter used in the literature, in reports and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CatchesTheSame => "A",
            Self::CatchesMore => "B",
        }
    }
}

impl Evidence {
    pub(crate) fn add(&mut self, other: &Self) {
        self.case = self.case.max(other.case);
        self.tests += other.tests;
        self.injected += other.injected;
    }
}

impl StretchedClause {
    pub(crate) fn refuse(&mut self, refusal: Refusal) {
        let rung = self.accepted.take().map(|accepted| accepted.to);
        self.refused.push((rung, refusal));
    }
}
