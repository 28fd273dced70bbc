//! Selections of links and escapes: by package, type and fault kind.

use crate::answer::{Escapes, FoundLink, LinkedPair, LinksAnswer, RaisedBy};
use crate::catalogue::operations::FaultSelection;
use crate::search::LinkSearch;
use catchment_pointsto::ClassId;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// A selection of links, which must fit everything that is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LinkSelection {
    /// Of clauses: a package with those below it, or a class.
    pub packages: Vec<String>,
    /// Of exceptions: binary or simple names.
    pub types: Vec<String>,
    /// Binary names of the classes below those; [`LinkSearch::selection`] knows them.
    pub subtypes: FxHashSet<String>,
    /// Of operations; those of throws are not wanted then.
    pub faults: Option<FaultSelection>,
}

impl LinkSelection {
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// The class or package is one of the packages, or below one.
    pub(crate) fn has_class(&self, class: &str) -> bool {
        let is_below = |package: &String| {
            let rest = class.strip_prefix(package.trim_end_matches(['*', '.']));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '$']))
        };
        self.packages.is_empty() || self.packages.iter().any(is_below)
    }

    pub(crate) fn has_type(&self, exception: &str) -> bool {
        self.types.is_empty() || self.subtypes.contains(exception) || self.names(exception)
    }

    fn names(&self, exception: &str) -> bool {
        let is_named = |name: &String| {
            let before = exception.strip_suffix(name.as_str());
            before.is_some_and(|before| before.is_empty() || before.ends_with(['.', '$']))
        };
        self.types.iter().any(is_named)
    }

    pub(crate) fn has_point(&self, by: &RaisedBy) -> bool {
        match (&self.faults, by) {
            (None, _) => true,
            (Some(faults), RaisedBy::Operation { kind, .. }) => faults.has(kind),
            (Some(_), _) => false,
        }
    }

    /// Leaves the escapes of selected classes, with the selected types and raising points.
    pub fn apply_to_escapes(&self, escapes: &mut Vec<Escapes>) {
        escapes.retain(|method| self.has_class(&method.method.class));
        for method in &mut *escapes {
            method.exceptions.retain(|escaping| self.has_type(&escaping.exception.name));
            for escaping in &mut method.exceptions {
                escaping.points.retain(|point| self.has_point(&point.by));
            }
            method.exceptions.retain(|escaping| !escaping.points.is_empty());
        }
        escapes.retain(|method| !method.exceptions.is_empty());
    }
}

impl LinkSearch<'_> {
    /// The same with all known classes below the types that are named.
    pub fn selection(&self, wanted: LinkSelection) -> LinkSelection {
        let world = &self.reached.world;
        let classes = || (0..world.classes()).map(ClassId::new);
        let name = |class: ClassId| world.class_of(class).binary_name();
        let named: Vec<ClassId> = classes().filter(|class| wanted.names(&name(*class))).collect();
        let is_below = |class: &ClassId| named.iter().any(|above| world.is_subtype(*class, *above));
        let subtypes = classes().filter(is_below).map(name).collect();
        LinkSelection { subtypes, ..wanted }
    }
}

impl LinksAnswer {
    /// Leaves only what is wanted; numbers of links stay what they were. Clauses without wanted links go too, unless
    /// everything is wanted of them but their package.
    pub fn select(&mut self, wanted: &LinkSelection) {
        if wanted.is_everything() {
            return;
        }
        let (pairs, points) = (&self.pairs, &self.points);
        let is_wanted = |link: &FoundLink| {
            wanted.has_class(&pairs[link.to].pair.class)
                && wanted.has_point(&points[link.from].by)
                && link.exceptions.iter().any(|exception| wanted.has_type(&exception.name))
        };
        self.links.retain(is_wanted);
        let linked: BTreeSet<usize> = self.links.iter().map(|link| link.to).collect();
        let is_by_package = wanted.types.is_empty() && wanted.faults.is_none();
        self.retain_pairs(|index, pair| {
            linked.contains(&index) || is_by_package && wanted.has_class(&pair.pair.class)
        });
        self.retain_points();
        self.select_comparison(wanted);
    }

    /// Leaves the raising points that have links.
    fn retain_points(&mut self) {
        let linked: BTreeSet<usize> = self.links.iter().map(|link| link.from).collect();
        let positions: BTreeMap<usize, usize> = linked.iter().copied().zip(0..).collect();
        self.points = linked.iter().map(|point| self.points[*point].clone()).collect();
        self.point_exceptions = linked.iter().map(|point| self.point_exceptions[*point].clone()).collect();
        for link in &mut self.links {
            link.from = positions[&link.from];
        }
    }

    fn retain_pairs(&mut self, is_kept: impl Fn(usize, &LinkedPair) -> bool) {
        let mut places = Vec::with_capacity(self.pairs.len());
        let mut kept = Vec::new();
        for (index, pair) in std::mem::take(&mut self.pairs).into_iter().enumerate() {
            places.push(kept.len());
            if is_kept(index, &pair) {
                kept.push(pair);
            }
        }
        self.pairs = kept;
        for link in &mut self.links {
            link.to = places[link.to];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_hold_what_is_below_them_and_nothing_beside() {
        let selection = LinkSelection { packages: vec!["com.acme".into()], ..LinkSelection::default() };
        assert!(selection.has_class("com.acme.io.Cache") && selection.has_class("com.acme"));
        assert!(!selection.has_class("com.acmeother.Cache"));
        let class = LinkSelection { packages: vec!["com.acme.Cache".into()], ..LinkSelection::default() };
        assert!(class.has_class("com.acme.Cache$Entry") && !class.has_class("com.acme.Caches"));
        let star = LinkSelection { packages: vec!["com.acme.*".into()], ..LinkSelection::default() };
        assert!(star.has_class("com.acme.Cache"));
    }

    #[test]
    fn types_are_named_in_full_or_simply() {
        let named = |name: &str| LinkSelection { types: vec![name.into()], ..LinkSelection::default() };
        assert!(named("IOException").has_type("java.io.IOException"));
        assert!(named("java.io.IOException").has_type("java.io.IOException"));
        assert!(named("Failure").has_type("com.acme.Outer$Failure"));
        assert!(!named("Exception").has_type("java.io.IOException"));
    }
}
