//! Checked exceptions that come out of tries and rethrows, as javac sees it.

use crate::checked::Checks;
use catchment_flow::{ThrowSite, Thrown};
use std::collections::BTreeSet;

/// Exceptions; `None` for those that cannot be told.
pub(crate) type Types = BTreeSet<Option<String>>;

/// Clauses by try and number, with the types they are to catch.
pub(crate) type WidenedSites<'s> = [((usize, usize), &'s str)];

/// The method as it is, or with clauses that catch other types.
pub(crate) struct View<'v, 'w> {
    pub(crate) checks: &'v Checks<'v, 'w>,
    pub(crate) widened: &'v WidenedSites<'v>,
}

impl View<'_, '_> {
    /// Types that the clause catches.
    pub(crate) fn caught(&self, clause: (usize, usize)) -> Vec<&str> {
        if let Some((_, rung)) = self.widened.iter().find(|(site, _)| *site == clause) {
            return vec![rung];
        }
        let pair = self.checks.pair(clause.0, clause.1);
        pair.into_iter().flat_map(|pair| &pair.types).map(String::as_str).collect()
    }

    fn takes(&self, clause: (usize, usize), exception: &str) -> bool {
        self.caught(clause).into_iter().any(|caught| self.checks.hierarchy.is_subclass(exception, caught))
    }

    /// Exceptions that come out of the body of a try. `visiting` are the tries that this is asked for, none within
    /// itself.
    pub(crate) fn thrown_in(&self, index: usize, visiting: &mut Vec<usize>) -> Types {
        if visiting.contains(&index) {
            return Types::from([None]);
        }
        visiting.push(index);
        let types =
            self.sites_in(index).flat_map(|(site, inner)| self.passing(site, inner, visiting)).collect();
        visiting.pop();
        types
    }

    /// Sites in the body of a try that may throw, each with the clauses inside of the try that are around it.
    pub(crate) fn sites_in(&self, index: usize) -> impl Iterator<Item = (&ThrowSite, &[(usize, usize)])> {
        self.checks.sites.iter().filter_map(move |(site, around)| {
            let own = around.iter().position(|(around, _)| *around == index)?;
            Some((site, &around[..own]))
        })
    }

    /// Exceptions that come from here past the clauses around it.
    pub(crate) fn passing(
        &self,
        site: &ThrowSite,
        inner: &[(usize, usize)],
        visiting: &mut Vec<usize>,
    ) -> Types {
        let mut types = self.thrown_at(site, visiting);
        types.retain(|thrown| thrown.as_deref().is_none_or(|thrown| !self.take(inner, thrown)));
        types
    }

    /// Tells whether one of the clauses catches every exception of this type.
    pub(crate) fn take(&self, clauses: &[(usize, usize)], exception: &str) -> bool {
        clauses.iter().any(|clause| self.takes(*clause, exception))
    }

    fn thrown_at(&self, site: &ThrowSite, visiting: &mut Vec<usize>) -> Types {
        match &site.thrown {
            Thrown::Call { owner, name, descriptor } => {
                self.checks.hierarchy.thrown_by(owner, name, descriptor).into_iter().collect()
            }
            Thrown::Object(exception) => {
                self.checks.hierarchy.checked(exception.clone()).into_iter().collect()
            }
            Thrown::Rethrown { handler, is_reassigned } => match self.checks.clause_at(*handler) {
                // Of a `finally` and the like: what passes them is counted where it comes from.
                None => Types::new(),
                Some(clause) if *is_reassigned || !self.checks.is_precise => {
                    let caught = self.caught(clause).into_iter().map(str::to_owned);
                    caught.filter_map(|caught| self.checks.hierarchy.checked(caught)).collect()
                }
                Some(clause) => self.rethrown(clause, visiting),
            },
            Thrown::Unknown => Types::from([None]),
        }
    }

    /// Exceptions of its try that the clause catches.
    fn rethrown(&self, (index, clause): (usize, usize), visiting: &mut Vec<usize>) -> Types {
        let is_left = |thrown: &str| !(0..clause).any(|earlier| self.takes((index, earlier), thrown));
        let mut types = Types::new();
        for thrown in self.thrown_in(index, visiting) {
            let Some(thrown) = thrown else {
                types.insert(None);
                continue;
            };
            let caught = self.caught((index, clause)).into_iter();
            let own = caught.filter(|caught| self.checks.are_related(caught, &thrown));
            let narrower = own.map(|caught| match self.checks.hierarchy.is_subclass(caught, &thrown) {
                true => caught,
                false => thrown.as_str(),
            });
            types.extend(narrower.filter(|_| is_left(&thrown)).map(|exception| Some(exception.to_owned())));
        }
        types
    }

    /// Something that is thrown here for certain, and neither caught around it nor declared.
    pub(crate) fn untaken(&self, site: &ThrowSite, around: &[(usize, usize)]) -> Option<String> {
        let declared = self.checks.declared.as_ref()?;
        let is_declared = |exception: &str| {
            let fits = |wide: &str| self.checks.hierarchy.is_subclass(exception, wide);
            declared.iter().any(|wide| wide.as_deref().is_none_or(fits))
        };
        let is_taken = |exception: &str| {
            is_declared(exception) || around.iter().any(|clause| self.takes(*clause, exception))
        };
        let thrown = self.thrown_at(site, &mut Vec::new()).into_iter().flatten();
        thrown.into_iter().find(|exception| !is_taken(exception))
    }
}
