//! Clauses of Kotlin's inline functions, which stand in every class that calls one.
//!
//! Each class has a pair of its own, with verdicts and trials of its own, but the source has the clause once: what one of the
//! copies cannot catch, none of them gets.

use crate::stretch::patch::sources::Sources;
use crate::stretch::refusal::Refusal;
use crate::stretch::{Candidate, Stretching};
use catchment_verdicts::CheckedPair;
use std::path::Path;

impl Stretching<'_, '_> {
    /// Refuses what is accepted of a clause where a copy of it has been seen to catch something and is not accepted as well.
    pub(crate) fn refuse_where_copies_differ(&self, candidates: &mut [Candidate]) {
        let session = self.trials.session;
        let sources = Sources::new(session.project.workspace.source_files());
        let ledger = session.ledger();
        let copies = Copies {
            pairs: &ledger.checked.pairs,
            sources: &sources,
            is_subclass: &|narrow, wide| self.hierarchy.is_subclass(narrow, wide),
        };
        copies.refuse(candidates);
    }
}

struct Copies<'c> {
    pairs: &'c [CheckedPair],
    sources: &'c Sources,
    is_subclass: &'c dyn Fn(&str, &str) -> bool,
}

/// What a copy says of a type that a clause may catch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// Nothing, or nothing yet.
    Nothing,
    /// The copy catches a narrower type.
    Narrower,
    /// The copy stays as it is.
    No,
}

impl Copies<'_> {
    fn refuse(&self, candidates: &mut [Candidate]) {
        // One more that is refused may be a copy of others.
        while let Some((index, other, says)) = self.contradicted(candidates) {
            let candidate = &mut candidates[index];
            candidate.clause.refuse(Refusal::Copy { other });
            if says == Says::No {
                candidate.untried.clear();
            }
        }
    }

    /// An accepted candidate, and the position of the pair that speaks against it.
    fn contradicted(&self, candidates: &[Candidate]) -> Option<(usize, usize, Says)> {
        candidates.iter().enumerate().find_map(|(index, candidate)| {
            let to = &candidate.clause.accepted.as_ref()?.to;
            let others = (0..self.pairs.len()).filter(|other| self.is_copy(*other, candidate));
            let mut said = others.map(|other| (other, self.asked(other, to, candidates)));
            let (other, says) = said.find(|(_, says)| *says != Says::Nothing)?;
            Some((index, other, says))
        })
    }

    /// Tells whether the pair at this position is another one from the same clause of the same source.
    fn is_copy(&self, other: usize, candidate: &Candidate) -> bool {
        let Some(subject) = &candidate.subject else { return false };
        let (own, pair) = (&self.pairs[candidate.clause.pair], &self.pairs[other]);
        other != candidate.clause.pair
            // Javac has a clause in one place, so that two on a line are two.
            && own.clause.source_file.as_ref().is_some_and(|name| name.ends_with(".kt"))
            && own.clause.catch_line.is_some()
            && pair.clause.catch_line == own.clause.catch_line
            && pair.clause.try_line == own.clause.try_line
            && pair.clause.types == own.clause.types
            && pair.clause.source_file == own.clause.source_file
            && self.source(own, &subject.path).is_some_and(|it| self.source(pair, &subject.path) == Some(it))
    }

    fn source(&self, pair: &CheckedPair, compiled_to: &Path) -> Option<&Path> {
        self.sources.find(&pair.clause.class, pair.clause.source_file.as_deref()?, compiled_to)
    }

    /// One that has caught nothing has nothing to say.
    fn asked(&self, position: usize, to: &str, candidates: &[Candidate]) -> Says {
        let Some(candidate) = candidates.iter().find(|candidate| candidate.clause.pair == position) else {
            return if self.pairs[position].usages.white > 0 { Says::No } else { Says::Nothing };
        };
        match &candidate.clause.accepted {
            Some(accepted) if accepted.to != to && (self.is_subclass)(&accepted.to, to) => Says::Narrower,
            None if !candidate.can_fall() => Says::No,
            _ => Says::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stretch::{Accepted, Evidence};

    /// What is said of `to` by a copy that may catch `accepted`, or by one that is no candidate.
    fn check(candidate: Option<Option<&str>>, white: u64, to: &str, expected: Says) {
        let mut pair = CheckedPair::default();
        pair.usages.white = white;
        let accepted = |to: &str| Accepted {
            to: to.to_owned(),
            evidence: Evidence::default(),
            catches_all_unchecked: false,
            takes_from: None,
            swallows: Vec::new(),
            merges: Vec::new(),
        };
        let candidates = candidate.map(|to| {
            let mut candidate = Candidate::new(0);
            candidate.clause.accepted = to.map(accepted);
            candidate
        });
        let sources = Sources::new(Vec::new());
        // `narrow` is one of `wide`, and every type is one of itself.
        let is_subclass = |narrow: &str, wide: &str| narrow == wide || wide == "wide";
        let copies = Copies { pairs: &[pair], sources: &sources, is_subclass: &is_subclass };
        let said = copies.asked(0, to, candidates.as_slice());
        assert_eq!(said, expected, "{candidate:?}, {white} white usages, {to}");
    }

    #[test]
    fn a_copy_speaks_against_types_that_are_wider_than_its_own() {
        check(Some(Some("narrow")), 1, "wide", Says::Narrower);
        check(Some(Some("narrow")), 1, "narrow", Says::Nothing);
        check(Some(Some("wide")), 1, "narrow", Says::Nothing);
        check(Some(None), 1, "narrow", Says::No);
    }

    #[test]
    fn a_copy_that_is_no_candidate_counts_only_if_it_has_caught_something() {
        check(None, 1, "narrow", Says::No);
        check(None, 0, "narrow", Says::Nothing);
    }
}
