//! A clause that may be stretched: its class, where it is compiled, and whether another type is legal there.

use crate::observations::PairNumber;
use crate::slot::Changes;
use crate::stretch::refusal::Refusal;
use crate::stretch::types::checked::refused_by_checks;
use crate::stretch::types::hierarchy::Hierarchy;
use crate::stretch::types::interruption::{interruption, passed_on};
use crate::stretch::types::later::{Later, later};
use crate::stretch::types::throws_clauses::throws_clause;
use catchment_build::Project;
use catchment_build::{class_file, sites_of};
use catchment_classfile::ClassFile;
use catchment_flow::{NarrowNeed, Retype, handler_uses, narrow_needs, retype_clauses};
use catchment_pairs::{ClassPairs, CompiledTry, pairs_of};
use catchment_verdicts::CheckedPair;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const SERIALIZABLE: &str = "java.io.Serializable";

/// A clause with the class it is in.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    /// Of the pair.
    pub(crate) number: PairNumber,
    id: String,
    /// Of the class file in the copy of the project.
    pub(crate) path: PathBuf,
    bytes: Vec<u8>,
}

/// Clauses and the types they are to catch.
pub(crate) type Stretchings<'s> = [(&'s Subject, &'s str)];

impl Subject {
    pub(crate) fn find(project: &Project, number: PairNumber, pair: &CheckedPair) -> Result<Self, Refusal> {
        let (path, bytes) = class_file(project, &pair.clause.class)
            .ok_or_else(|| Refusal::NotTriable("its class is not in a class folder of the project".into()))?;
        Ok(Self { number, id: pair.clause.id.clone(), path, bytes })
    }

    /// The exceptions that the clause leaves to the later ones of its try.
    pub(crate) fn later(&self, rung: &str, hierarchy: &Hierarchy<'_>) -> Later {
        let found = self.look(|class, pairs, site| later(class, pairs, site, rung, hierarchy).ok());
        found.flatten().unwrap_or_default()
    }

    /// Looks at the first place where the clause is compiled; nothing if there is none any more.
    fn look<T>(&self, at: impl FnOnce(&ClassFile<'_>, &ClassPairs, (usize, usize)) -> T) -> Option<T> {
        let class = ClassFile::parse(&self.bytes).ok()?;
        let pairs = pairs_of(&class);
        let site = sites_of(&pairs, &self.id).into_iter().next()?;
        Some(at(&class, &pairs, site))
    }

    /// The reason why the clause cannot catch `rung`, if so.
    pub(crate) fn illegal(&self, rung: &str, hierarchy: &Hierarchy<'_>) -> Option<Refusal> {
        let class = match ClassFile::parse(&self.bytes) {
            Ok(class) => class,
            Err(error) => return Some(Refusal::NotTriable(error.to_string())),
        };
        let pairs = pairs_of(&class);
        let sites = sites_of(&pairs, &self.id);
        if sites.is_empty() {
            return Some(Refusal::NotTriable("its class has changed".into()));
        }
        let by_itself = sites.iter().find_map(|&(index, clause)| {
            let site = &pairs.tries[index];
            let later = later(&class, &pairs, (index, clause), rung, hierarchy);
            later
                .err()
                .or_else(|| narrow_need(&class, site, clause, rung, hierarchy))
                .or_else(|| interruption(&class, &pairs, (index, clause), rung, hierarchy))
                .or_else(|| passed_on(&class, &pairs, (index, clause)))
        });
        let stretched: Vec<_> = sites.iter().map(|site| (*site, rung)).collect();
        by_itself.or_else(|| refused_by_checks(&class, &pairs, &stretched, hierarchy))
    }

    /// Declared exceptions of the method that the clause would begin to catch.
    pub(crate) fn swallowed(&self, rung: &str, hierarchy: &Hierarchy<'_>) -> Vec<String> {
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
    pub(crate) fn caught_before(&self) -> Vec<String> {
        self.caught_up_to(|clause| clause)
    }

    /// What the first clauses of the try catch, so many of them.
    fn caught_up_to(&self, end: impl Fn(usize) -> usize) -> Vec<String> {
        let caught = self.look(|_, pairs, (index, clause)| {
            let first = (0..end(clause)).filter_map(|each| pairs.pairs.get(pairs.pair_of(index, each)));
            first.flat_map(|pair| pair.types.clone()).collect()
        });
        caught.unwrap_or_default()
    }
}

/// The reason why clauses of one class cannot all catch these, if so, though each of them can.
pub(crate) fn illegal_together(stretchings: &Stretchings<'_>, hierarchy: &Hierarchy<'_>) -> Option<Refusal> {
    let class = ClassFile::parse(&stretchings.first()?.0.bytes).ok()?;
    let pairs = pairs_of(&class);
    let stretched = stretchings
        .iter()
        .flat_map(|(subject, rung)| sites_of(&pairs, &subject.id).into_iter().map(move |site| (site, *rung)));
    refused_by_checks(&class, &pairs, &stretched.collect::<Vec<_>>(), hierarchy)
}

/// The classes with all these clauses stretched, or why they cannot be.
pub(crate) fn changes(stretchings: &Stretchings<'_>) -> Result<Changes, String> {
    let mut by_class: BTreeMap<&Path, Vec<(&Subject, &str)>> = BTreeMap::new();
    for (subject, rung) in stretchings {
        by_class.entry(&subject.path).or_default().push((subject, rung));
    }
    let mut changes = Changes::default();
    for (path, stretchings) in by_class {
        let bytes = changed_class(&stretchings, &mut changes)?;
        changes.files.push((path.to_owned(), bytes));
    }
    Ok(changes)
}

/// Also notes the ids that the pairs get.
fn changed_class(stretchings: &Stretchings<'_>, changes: &mut Changes) -> Result<Vec<u8>, String> {
    let Some((first, _)) = stretchings.first() else { return Ok(Vec::new()) };
    let class = ClassFile::parse(&first.bytes).map_err(|error| error.to_string())?;
    let pairs = pairs_of(&class);
    let retypes: Vec<_> = stretchings
        .iter()
        .flat_map(|(subject, to)| {
            let sites = sites_of(&pairs, &subject.id).into_iter();
            sites.map(|(index, clause)| Retype { compiled_try: &pairs.tries[index], clause, to })
        })
        .collect();
    let bytes = retype_clauses(&class, &retypes).map_err(|error| error.to_string())?;
    let changed = pairs_of(&ClassFile::parse(&bytes).map_err(|error| error.to_string())?);
    for (subject, _) in stretchings {
        let index = pairs.pairs.iter().position(|pair| pair.id == subject.id);
        let renamed = index.and_then(|index| changed.pairs.get(index));
        let renamed = renamed.ok_or_else(|| "its tries look different then".to_owned())?;
        changes.ids.insert(renamed.id.clone(), subject.number);
    }
    Ok(bytes)
}

fn narrow_need(
    class: &ClassFile<'_>,
    site: &CompiledTry,
    clause: usize,
    rung: &str,
    hierarchy: &Hierarchy<'_>,
) -> Option<Refusal> {
    let uses = match handler_uses(class, site, clause) {
        Ok(uses) => uses,
        Err(error) => return Some(Refusal::NotTriable(error.to_string())),
    };
    let from = class.name.to_binary_name();
    narrow_needs(&uses).into_iter().find_map(|need| unmet(need, rung, hierarchy, &from))
}

fn unmet(need: NarrowNeed, rung: &str, hierarchy: &Hierarchy<'_>, from: &str) -> Option<Refusal> {
    let (is_met, what, line) = match need {
        NarrowNeed::Type { name, line } => {
            // Of interfaces nothing is known but that every exception has this one.
            let is_met = name == SERIALIZABLE || hierarchy.is_subclass(rung, &name);
            (is_met, format!("the type {name}"), line)
        }
        NarrowNeed::Method { owner, name, descriptor, line } => {
            (hierarchy.has_method(rung, &name, &descriptor, from), format!("{owner}.{name}"), line)
        }
        NarrowNeed::Field { owner, name, line, .. } => (false, format!("{owner}.{name}"), line),
        NarrowNeed::Unknown { line } => (false, "a type that cannot be told".to_owned(), line),
    };
    (!is_met).then_some(Refusal::NeedsNarrowType { what, line })
}
