//! A clause in its class file: the types that it may legally catch, and the class in which it catches one of them.

use crate::checked::refused_by_checks;
use crate::error::WideningError;
use crate::hierarchy::Hierarchy;
use crate::illegal::Illegal;
use crate::interruption::{interruption, passed_on};
use crate::later::{Later, later};
use crate::narrow_needs::narrow_need;
use crate::throws_clauses::throws_clause;
use catchment_classfile::ClassFile;
use catchment_flow::{Retype, retype_clauses};
use catchment_pairs::{ClassPairs, pairs_of};

/// A clause by the id of its pair, with the bytes of its class.
#[derive(Debug, Clone)]
pub struct Clause {
    id: String,
    bytes: Vec<u8>,
}

/// A class some of whose clauses catch other types.
#[derive(Debug)]
pub struct WidenedClass {
    pub bytes: Vec<u8>,
    /// The ids that the pairs of these clauses have there, in their order.
    pub ids: Vec<String>,
}

impl Clause {
    pub fn new(id: String, bytes: Vec<u8>) -> Self {
        Self { id, bytes }
    }

    /// The exceptions that the clause leaves to the later ones of its try.
    pub fn later(&self, rung: &str, hierarchy: &Hierarchy<'_>) -> Later {
        let found = self.look(|class, pairs, site| later(class, pairs, site, rung, hierarchy).ok());
        found.flatten().unwrap_or_default()
    }

    /// Looks at the first place where the clause is compiled; nothing if there is none any more.
    fn look<T>(&self, at: impl FnOnce(&ClassFile<'_>, &ClassPairs, (usize, usize)) -> T) -> Option<T> {
        let class = ClassFile::parse(&self.bytes).ok()?;
        let pairs = pairs_of(&class);
        let site = pairs.sites_of(&self.id).into_iter().next()?;
        Some(at(&class, &pairs, site))
    }

    /// The reason why the clause cannot catch `rung`, if so.
    pub fn illegal(&self, rung: &str, hierarchy: &Hierarchy<'_>) -> Result<Option<Illegal>, WideningError> {
        let class = ClassFile::parse(&self.bytes)?;
        let pairs = pairs_of(&class);
        let sites = pairs.sites_of(&self.id);
        if sites.is_empty() {
            return Err(WideningError::NoSuchClause);
        }
        for &site in &sites {
            let illegal = illegal_at(&class, &pairs, site, rung, hierarchy)?;
            if illegal.is_some() {
                return Ok(illegal);
            }
        }
        let widened: Vec<_> = sites.iter().map(|site| (*site, rung)).collect();
        Ok(refused_by_checks(&class, &pairs, &widened, hierarchy)?)
    }

    /// Declared exceptions of the method that the clause would begin to catch.
    pub fn swallowed(&self, rung: &str, hierarchy: &Hierarchy<'_>) -> Vec<String> {
        let declared = self.look(|class, pairs, (index, _)| {
            let method = class.methods.get(pairs.tries[index].method);
            method.map(|method| throws_clause(class, method)).unwrap_or_default()
        });
        let caught = self.caught_up_to(|clause| clause + 1);
        let is_new = |declared: &String| {
            hierarchy.is_subclass(declared, rung)
                && !caught.iter().any(|caught| hierarchy.is_subclass(declared, caught))
        };
        declared.unwrap_or_default().into_iter().flatten().filter(is_new).collect()
    }

    /// Types that clauses before this one catch, in the same try.
    pub fn caught_before(&self) -> Vec<String> {
        self.caught_up_to(|clause| clause)
    }

    /// Types that the first clauses of the try catch, so many of them.
    fn caught_up_to(&self, end: impl Fn(usize) -> usize) -> Vec<String> {
        let caught = self.look(|_, pairs, (index, clause)| {
            let first = (0..end(clause)).filter_map(|first| pairs.pairs.get(pairs.pair_of(index, first)));
            first.flat_map(|pair| pair.types.clone()).collect()
        });
        caught.unwrap_or_default()
    }
}

/// The reason why the clause, by itself, cannot catch `rung` where it is compiled, by its try and number.
fn illegal_at(
    class: &ClassFile<'_>,
    pairs: &ClassPairs,
    site: (usize, usize),
    rung: &str,
    hierarchy: &Hierarchy<'_>,
) -> Result<Option<Illegal>, WideningError> {
    if let Err(illegal) = later(class, pairs, site, rung, hierarchy) {
        return Ok(Some(illegal));
    }
    if let Some(illegal) = narrow_need(class, &pairs.tries[site.0], site.1, rung, hierarchy)? {
        return Ok(Some(illegal));
    }
    if let Some(illegal) = interruption(class, pairs, site, rung, hierarchy)? {
        return Ok(Some(illegal));
    }
    Ok(passed_on(class, pairs, site)?)
}

/// The reason why clauses of one class cannot all catch these types, if so, though each of them can.
pub fn illegal_together(
    widened: &[(&Clause, &str)],
    hierarchy: &Hierarchy<'_>,
) -> Result<Option<Illegal>, WideningError> {
    let Some((first, _)) = widened.first() else { return Ok(None) };
    let class = ClassFile::parse(&first.bytes)?;
    let pairs = pairs_of(&class);
    let sites = widened
        .iter()
        .flat_map(|(clause, rung)| pairs.sites_of(&clause.id).into_iter().map(move |site| (site, *rung)));
    Ok(refused_by_checks(&class, &pairs, &sites.collect::<Vec<_>>(), hierarchy)?)
}

/// The class of these clauses once they catch these types.
pub fn widened_class(widened: &[(&Clause, &str)]) -> Result<WidenedClass, WideningError> {
    let (first, _) = widened.first().ok_or(WideningError::NoSuchClause)?;
    let class = ClassFile::parse(&first.bytes)?;
    let pairs = pairs_of(&class);
    let retypes = widened.iter().flat_map(|(clause, to)| {
        let sites = pairs.sites_of(&clause.id).into_iter();
        sites.map(|(index, clause)| Retype { compiled_try: &pairs.tries[index], clause, to })
    });
    let bytes = retype_clauses(&class, &retypes.collect::<Vec<_>>())?;
    let changed = pairs_of(&ClassFile::parse(&bytes)?);
    let new_id = |(clause, _): &(&Clause, &str)| {
        let index = pairs.pairs.iter().position(|pair| pair.id == clause.id)?;
        Some(changed.pairs.get(index)?.id.clone())
    };
    let ids: Option<_> = widened.iter().map(new_id).collect();
    Ok(WidenedClass { bytes, ids: ids.ok_or(WideningError::OtherTries)? })
}
