//! Blame: the clauses that are dropped when the project's own build does not take a patch.

use crate::stretch::Candidate;
use crate::stretch::patch::{PatchedFile, Patcher};
use crate::stretch::refusal::Refusal;
use catchment_build::{CompilerError, Verified};
use catchment_patch::line_before;
use catchment_verdicts::{CheckedTest, ExecutingTest};
use std::collections::BTreeMap;
use std::path::PathBuf;

impl Patcher<'_, '_> {
    /// Refuses the clauses that keep the patched project from being built.
    pub(crate) fn refuse(
        &self,
        candidates: &mut [Candidate],
        files: &[PatchedFile],
        tests: &[CheckedTest],
        verified: Verified,
    ) {
        match verified {
            // Neither says anything against a clause.
            Verified::Passes { .. } | Verified::OutOfTime => {}
            Verified::DoesNotCompile { errors, reason } => {
                self.refuse_uncompilable(candidates, files, &errors, &reason);
            }
            Verified::BuildFails { reason } => refuse_all(candidates, &Refusal::BuildFails(reason)),
            Verified::TestsUnknown => refuse_all(candidates, &Refusal::BuildTestsUnknown),
            Verified::TestFails { test } => self.refuse_failing(candidates, tests, &test),
        }
    }

    /// Refuses the clauses whose try the test executes; all, if it is not known to execute any of them.
    fn refuse_failing(&self, candidates: &mut [Candidate], tests: &[CheckedTest], test: &str) {
        let is_whole = tests.iter().any(|each| each.name == test);
        let names =
            |each: &CheckedTest| if is_whole { each.name == test } else { names_test(&each.name, test) };
        let is_it = |executing: &ExecutingTest| tests.get(executing.test.index()).is_some_and(names);
        let refusal = Refusal::BuildTestFails { test: test.to_owned() };
        let accepted = candidates.iter_mut().filter(|candidate| candidate.clause.accepted.is_some());
        let mut own: Vec<_> =
            accepted.filter(|it| self.pairs[it.clause.pair].executing_tests.iter().any(is_it)).collect();
        if own.is_empty() {
            return refuse_all(candidates, &refusal);
        }
        own.iter_mut().for_each(|candidate| candidate.clause.refuse(refusal.clone()));
    }

    /// Refuses the clauses nearest to an error in their file; all, if no error is in a patched file.
    fn refuse_uncompilable(
        &self,
        candidates: &mut [Candidate],
        files: &[PatchedFile],
        errors: &[CompilerError],
        reason: &str,
    ) {
        let clauses = candidates.iter().enumerate().filter_map(|(index, candidate)| {
            let path = self.source_of(candidate)?.ok()?;
            Some(Clause { index, path, line: self.pairs[candidate.clause.pair].clause.catch_line? })
        });
        let guilty = nearest_to_errors(&clauses.collect::<Vec<_>>(), files, errors);
        if guilty.is_empty() {
            refuse_all(candidates, &Refusal::Compiler(reason.to_owned()));
        }
        for (index, message) in guilty {
            candidates[index].clause.refuse(Refusal::Compiler(message.to_owned()));
        }
    }
}

/// The clause of a candidate in its source file.
#[derive(Debug)]
struct Clause {
    index: usize,
    path: PathBuf,
    /// Before the patch.
    line: u32,
}

/// With the first message for each.
fn nearest_to_errors<'e>(
    clauses: &[Clause],
    files: &[PatchedFile],
    errors: &'e [CompilerError],
) -> BTreeMap<usize, &'e str> {
    let mut guilty = BTreeMap::new();
    for error in errors {
        let Some(file) = files.iter().find(|file| error.path.ends_with(&file.path)) else { continue };
        let line = line_before(&file.before, &file.after, error.line);
        let own = clauses.iter().filter(|clause| clause.path == file.path);
        if let Some(nearest) = own.min_by_key(|clause| clause.line.abs_diff(line)) {
            guilty.entry(nearest.index).or_insert(error.message.as_str());
        }
    }
    guilty
}

/// Whether a test of a check is the one that a build reports: `acme.ATest.reads(int)[2]` is told as `acme.ATest.reads`, too.
fn names_test(checked: &str, reported: &str) -> bool {
    let stem = |name: &str| name.split(['(', '[', ' ', '{']).next().unwrap_or_default().to_owned();
    stem(checked) == stem(reported)
}

fn refuse_all(candidates: &mut [Candidate], refusal: &Refusal) {
    let accepted = candidates.iter_mut().filter(|candidate| candidate.clause.accepted.is_some());
    accepted.for_each(|candidate| candidate.clause.refuse(refusal.clone()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_of_the_build_is_known_by_its_method() {
        assert!(names_test("acme.ATest.reads", "acme.ATest.reads"));
        assert!(names_test("acme.ATest.reads(int)[2]", "acme.ATest.reads{int}[2]"));
        assert!(!names_test("acme.ATest.reads", "acme.ATest.readsMore"));
    }

    /// `lines` are those of the clauses, `errors` lines of the patched text, which has so many imports more than before.
    fn check_guilty(lines: &[u32], imports: usize, errors: &[u32], expected: &[(usize, &str)]) {
        let clause = |(index, line): (usize, &u32)| Clause { index, path: "src/A.java".into(), line: *line };
        let clauses: Vec<_> = lines.iter().enumerate().map(clause).collect();
        let before: String = (1..30).map(|line| format!("line {line}\n")).collect();
        let after = "import x;\n".repeat(imports) + &before;
        let file = PatchedFile { path: "src/A.java".into(), before, after };
        let error = |line: &u32| CompilerError {
            path: "/p/src/A.java".into(),
            line: *line,
            message: format!("in line {line}"),
        };
        let errors: Vec<_> = errors.iter().map(error).collect();
        let guilty: Vec<_> = nearest_to_errors(&clauses, &[file], &errors).into_iter().collect();
        assert_eq!(guilty, expected, "{lines:?} with {imports} imports");
    }

    #[test]
    fn the_clause_nearest_to_an_error_is_guilty_and_no_other() {
        check_guilty(&[10, 20], 0, &[10, 11], &[(0, "in line 10")]);
        check_guilty(&[10, 20], 0, &[21, 10, 9], &[(0, "in line 10"), (1, "in line 21")]);
        // Line 16 was line 14: nearer to 10 than to 20, and line 18 was line 16.
        check_guilty(&[10, 20], 2, &[16], &[(0, "in line 16")]);
        check_guilty(&[10, 20], 2, &[18], &[(1, "in line 18")]);
        check_guilty(&[10], 0, &[], &[]);
    }
}
