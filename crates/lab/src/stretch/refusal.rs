//! Refusals: the reasons why a clause is not stretched.

use catchment_verdicts::TestId;
use catchment_widening::{Illegal, WideningError};

/// Other clauses that one line names at most.
const MAX_LISTED: usize = 3;

/// The reason why a clause is left as it is, or does not catch a certain type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// There is no wider type that is proposed; whether there would be on request.
    NoWiderType { on_request: bool },
    /// Class files tell that it cannot catch the type.
    Illegal(Illegal),
    /// Another clause of the try (position of its pair) that does the same catches all that it would.
    Merged { into: usize },
    /// The budget was used up before it was tried, or while it was.
    OutOfTime,
    /// The class cannot be changed for a trial, and why.
    NotTriable(String),
    /// With nothing injected a test fails.
    TestFails { test: TestId, failure: String },
    /// An exception that it would catch is one that a test wants to see.
    Expected { test: TestId },
    /// With the wider type thrown at the beginning of the try a test fails.
    FailsUnderInjection { test: TestId, failure: String },
    /// No exception of the wider type could be thrown.
    NotInjectable { test: TestId, why: String },
    /// What the test has to say could not be found out this time, and why.
    Unanswered { test: TestId, why: String },
    /// Together with other clauses that are stretched (positions of their pairs) a test fails.
    Interplay { with: Vec<usize>, test: TestId, failure: String },
    /// A pair by its position, of the same clause of an inline function in another class, for which it does not hold.
    Copy { other: usize },
    /// There is no source to be patched, and why.
    NoSource(String),
    /// The source is generated; the sign of that.
    Generated(String),
    /// The source cannot be patched, and why; whether it might with another type.
    NotPatchable { why: String, depends_on_type: bool },
    /// The project's own compiler refuses the patch.
    Compiler(String),
    /// Where the clause stands, the name of the wider type means another class.
    Misnamed,
    /// In the project's own build a test fails with the patch.
    BuildTestFails { test: String },
    /// The project's own build fails with the patch, and not in a patched source.
    BuildFails(String),
    /// The project's own build does not report tests, so that nobody knows whether they pass with the patch.
    BuildTestsUnknown,
}

impl Refusal {
    /// The word used in JSON.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::NoWiderType { .. } => "no_wider_type",
            Self::Illegal(illegal) => illegal.as_str(),
            Self::Merged { .. } => "merged",
            Self::OutOfTime => "out_of_time",
            Self::NotTriable(_) => "not_triable",
            Self::TestFails { .. } => "test_fails",
            Self::Expected { .. } => "expected",
            Self::FailsUnderInjection { .. } => "fails_under_injection",
            Self::NotInjectable { .. } => "not_injectable",
            Self::Unanswered { .. } => "unanswered",
            Self::Interplay { .. } => "interplay",
            Self::Copy { .. } => "copy",
            Self::NoSource(_) => "no_source",
            Self::Generated(_) => "generated",
            Self::NotPatchable { .. } => "not_patchable",
            Self::Compiler(_) => "compiler",
            Self::Misnamed => "misnamed",
            Self::BuildTestFails { .. } => "build_test_fails",
            Self::BuildFails(_) => "build_fails",
            Self::BuildTestsUnknown => "build_tests_unknown",
        }
    }

    /// Tells whether a narrower type may be free of it, where it comes after all trials of one clause.
    pub(crate) fn depends_on_type(&self) -> bool {
        match self {
            Self::NotPatchable { depends_on_type, .. } => *depends_on_type,
            Self::NotTriable(_)
            | Self::Illegal(Illegal::UnreachableClause { .. } | Illegal::Undeclared { .. })
            | Self::Interplay { .. }
            | Self::Copy { .. }
            | Self::Compiler(_)
            | Self::Misnamed
            | Self::BuildTestFails { .. } => true,
            _ => false,
        }
    }

    /// The test that speaks against it. `name` names a test.
    pub fn test(&self, name: impl Fn(TestId) -> String) -> Option<String> {
        match self {
            Self::TestFails { test, .. }
            | Self::Expected { test }
            | Self::FailsUnderInjection { test, .. }
            | Self::NotInjectable { test, .. }
            | Self::Unanswered { test, .. }
            | Self::Interplay { test, .. } => Some(name(*test)),
            Self::BuildTestFails { test } => Some(test.clone()),
            _ => None,
        }
    }

    /// What the test said, if one speaks against it. [`Self::explain`] ends with it.
    pub fn failure(&self) -> Option<&str> {
        match self {
            Self::TestFails { failure, .. }
            | Self::FailsUnderInjection { failure, .. }
            | Self::Interplay { failure, .. } => Some(failure),
            _ => None,
        }
    }

    /// One line for people. `test` names a test, `place` a pair by its position.
    pub fn explain(&self, test: impl Fn(TestId) -> String, place: impl Fn(usize) -> String) -> String {
        match self {
            Self::NoWiderType { on_request: true } => {
                "only types that catch every unchecked exception are above all that it catches; --to java.lang.Exception tries them".into()
            }
            Self::NoWiderType { on_request: false } => "nothing is wider: it catches Exception already, or what --to names is not above it (errors stay below Error)".into(),
            Self::Illegal(illegal) => illegal.to_string(),
            Self::Merged { into } => {
                format!("{} does the same and catches all of it", place(*into))
            }
            Self::OutOfTime => "the budget was used up before it was tried: run again with more time".into(),
            Self::NotTriable(why) => format!("cannot be tried: {why}"),
            Self::TestFails { test: id, failure } => format!("{} fails then: {failure}", test(*id)),
            Self::Expected { test: id } => {
                format!("{} sees an exception leave the application that it would catch", test(*id))
            }
            Self::FailsUnderInjection { test: id, failure } => {
                format!("{} fails when it is thrown: {failure}", test(*id))
            }
            Self::NotInjectable { test: id, why } => format!("cannot be thrown in {}: {why}", test(*id)),
            Self::Unanswered { test: id, why } => format!("{} could not be asked: {why}", test(*id)),
            Self::Interplay { with, test: id, failure } if with.is_empty() => {
                format!("{} fails in the suite then: {failure}", test(*id))
            }
            Self::Interplay { with, test: id, failure } => {
                format!("{} fails with {} stretched as well: {failure}", test(*id), listed(with, place))
            }
            Self::Copy { other } => {
                format!("{} is compiled from the same clause, and there it is not known to hold", place(*other))
            }
            Self::NoSource(why) => format!("no source to patch: {why}"),
            Self::Generated(what) => format!("its source is generated: {what}"),
            Self::NotPatchable { why, .. } => format!("cannot be patched: {why}"),
            Self::Compiler(what) => format!("the project's compiler refuses it: {what}"),
            Self::Misnamed => "in the source its name means another class".into(),
            Self::BuildTestFails { test } => format!("{test} fails in the project's own build"),
            Self::BuildFails(why) => format!("the project's own build fails then: {why}"),
            Self::BuildTestsUnknown => "the build does not say what its tests did".into(),
        }
    }
}

impl From<WideningError> for Refusal {
    fn from(error: WideningError) -> Self {
        Self::NotTriable(error.to_string())
    }
}

/// The first few, and how many more.
fn listed(positions: &[usize], place: impl Fn(usize) -> String) -> String {
    let shown: Vec<_> = positions.iter().take(MAX_LISTED).map(|position| place(*position)).collect();
    match positions.len().saturating_sub(MAX_LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_clauses_that_do_not_go_together_a_few_are_named() {
        let text = |others: usize| {
            let (with, test, failure) = ((0..others).collect(), TestId(0), "why".to_owned());
            let refusal = Refusal::Interplay { with, test, failure };
            refusal.explain(|_| "T.t".to_owned(), |position| format!("C.m{position}"))
        };
        assert_eq!(text(3), "T.t fails with C.m0, C.m1, C.m2 stretched as well: why");
        assert_eq!(text(9), "T.t fails with C.m0, C.m1, C.m2 and 6 more stretched as well: why");
    }
}
