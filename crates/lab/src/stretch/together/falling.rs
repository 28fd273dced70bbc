//! Falling back: the other clauses and types when one is refused late, by the whole suite, the patch maker or the build.

use crate::session::LabError;
use crate::slot::Slot;
use crate::stretch::refusal::Refusal;
use crate::stretch::subject::{Subject, refused_together};
use crate::stretch::together::refuse_unchangeable;
use crate::stretch::{Candidate, Stretching};
use catchment_widening::Hierarchy;

impl Stretching<'_, '_> {
    /// Lets the clauses that were refused a type late try narrower ones, until those that are accepted can be changed
    /// together. True if one has come back. Ends, since every type is tried once.
    pub(crate) fn withdraw_broken(
        &self,
        slot: &mut Slot<'_>,
        candidates: &mut [Candidate],
    ) -> Result<bool, LabError> {
        let mut has_more = false;
        loop {
            has_more |= withdraw_merged(candidates);
            refuse_unchangeable(candidates);
            refuse_illegal_together(candidates, &self.hierarchy);
            self.refuse_where_copies_differ(candidates);
            let mut has_tried = false;
            for candidate in candidates.iter_mut().filter(|candidate| candidate.can_fall()) {
                self.try_next(slot, candidate)?;
                has_tried = true;
                has_more |= candidate.clause.accepted.is_some();
            }
            // One that has found nothing narrower may be a copy of others.
            if !has_tried {
                return Ok(has_more);
            }
        }
    }
}

impl Candidate {
    /// The clause and what it is to catch, once that is accepted.
    pub(crate) fn stretching(&self) -> Option<(&Subject, &str)> {
        Some((self.subject.as_ref()?, self.clause.accepted.as_ref()?.to.as_str()))
    }

    /// Tells whether a narrower type may do where the last one was refused.
    pub(crate) fn can_fall(&self) -> bool {
        let last = self.clause.refused.last();
        let is_type_refused = last.is_some_and(|(_, refusal)| refusal.depends_on_type());
        self.clause.accepted.is_none() && !self.untried.is_empty() && is_type_refused
    }
}

/// Clauses that may each catch more may leave one around them nothing if they all do.
fn refuse_illegal_together(candidates: &mut [Candidate], hierarchy: &Hierarchy<'_>) {
    let mut kept: Vec<usize> = Vec::new();
    for index in 0..candidates.len() {
        let Some((subject, _)) = candidates[index].stretching() else { continue };
        kept.push(index);
        let all = kept.iter().filter_map(|index| candidates[*index].stretching());
        let own: Vec<_> = all.filter(|(other, _)| other.path == subject.path).collect();
        if own.len() > 1
            && let Some(refusal) = refused_together(&own, hierarchy)
        {
            kept.pop();
            candidates[index].clause.refuse(refusal);
        }
    }
}

/// A clause that another one takes in is not stretched itself; it is again once the other does not any more. True if one has
/// come back.
fn withdraw_merged(candidates: &mut [Candidate]) -> bool {
    let mut has_more = false;
    for index in 0..candidates.len() {
        let pair = candidates[index].clause.pair;
        let takes_in = |other: &&Candidate| {
            let accepted = other.clause.accepted.as_ref();
            accepted.is_some_and(|accepted| accepted.merges.contains(&pair))
        };
        let into = candidates.iter().find(takes_in).map(|other| other.clause.pair);
        let candidate = &mut candidates[index];
        if let Some(into) = into {
            if let Some(accepted) = candidate.clause.accepted.clone() {
                candidate.clause.refuse(Refusal::Merged { into });
                candidate.set_aside = Some(accepted);
            }
        } else if let Some(accepted) = candidate.set_aside.take() {
            candidate.clause.refused.pop();
            candidate.clause.accepted = Some(accepted);
            has_more = true;
        }
    }
    has_more
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stretch::{Accepted, Evidence, StretchedClause};
    use std::collections::VecDeque;

    fn candidate(pair: usize, merges: &[usize]) -> Candidate {
        let accepted = Accepted {
            to: "java.io.IOException".to_owned(),
            evidence: Evidence::default(),
            catches_all_unchecked: false,
            takes_from: None,
            swallows: Vec::new(),
            merges: merges.to_vec(),
        };
        let clause = StretchedClause { pair, refused: Vec::new(), accepted: Some(accepted) };
        let untried = VecDeque::from(["a.Narrower".to_owned()]);
        Candidate { clause, subject: None, is_resilient: false, untried, set_aside: None }
    }

    #[test]
    fn a_clause_that_is_taken_in_comes_back_when_the_other_is_refused() {
        let mut both = [candidate(3, &[4]), candidate(4, &[])];
        assert!(!withdraw_merged(&mut both) && !withdraw_merged(&mut both));
        assert_eq!(both[1].clause.accepted, None);
        assert_eq!(both[1].clause.refused[0].1, Refusal::Merged { into: 3 });
        assert!(!both[1].can_fall(), "what it catches is caught");

        both[0].clause.refuse(Refusal::Compiler("why".into()));
        assert!(withdraw_merged(&mut both));
        assert!(both[1].clause.accepted.is_some() && both[1].clause.refused.is_empty());
    }

    #[test]
    fn narrower_types_are_tried_only_where_the_type_was_refused() {
        let refused = |refusal| {
            let mut candidate = candidate(0, &[]);
            candidate.clause.refuse(refusal);
            candidate.can_fall()
        };
        assert!(refused(Refusal::Compiler("why".into())));
        assert!(refused(Refusal::BuildTestFails { test: "a.T.t".into() }));
        assert!(!refused(Refusal::NoSource("why".into())) && !refused(Refusal::OutOfTime));
        assert!(!candidate(0, &[]).can_fall());
    }
}
