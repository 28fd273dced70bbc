//! A clause that may be stretched: its pair, its class in the copy of the project, and the changed class.

use crate::observations::PairNumber;
use crate::slot::Changes;
use crate::stretch::refusal::Refusal;
use catchment_build::{Project, class_file};
use catchment_verdicts::CheckedPair;
use catchment_widening::{Clause, Hierarchy, WideningError, illegal_together, widened_class};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A clause with the class it is in.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    /// Of the pair.
    pub(crate) number: PairNumber,
    /// Of the class file in the copy of the project.
    pub(crate) path: PathBuf,
    pub(crate) clause: Clause,
}

/// Clauses and the types they are to catch.
pub(crate) type Stretchings<'s> = [(&'s Subject, &'s str)];

impl Subject {
    pub(crate) fn find(project: &Project, number: PairNumber, pair: &CheckedPair) -> Result<Self, Refusal> {
        let (path, bytes) = class_file(project, &pair.clause.class)
            .ok_or_else(|| Refusal::NotTriable("its class is not in a class folder of the project".into()))?;
        Ok(Self { number, path, clause: Clause::new(pair.clause.id.clone(), bytes) })
    }

    /// The refusal if the clause cannot legally catch `rung`.
    pub(crate) fn refused(&self, rung: &str, hierarchy: &Hierarchy<'_>) -> Option<Refusal> {
        let illegal = self.clause.illegal(rung, hierarchy);
        illegal.map_or_else(|error| Some(error.into()), |illegal| illegal.map(Refusal::Illegal))
    }
}

/// The refusal if clauses of one class cannot all legally catch these types, though each of them can.
pub(crate) fn refused_together(stretchings: &Stretchings<'_>, hierarchy: &Hierarchy<'_>) -> Option<Refusal> {
    let illegal = illegal_together(&clauses_of(stretchings), hierarchy);
    illegal.map_or_else(|error| Some(error.into()), |illegal| illegal.map(Refusal::Illegal))
}

/// The classes with all these clauses stretched, and the ids that their pairs get.
pub(crate) fn changes(stretchings: &Stretchings<'_>) -> Result<Changes, WideningError> {
    let mut by_class: BTreeMap<&Path, Vec<(&Subject, &str)>> = BTreeMap::new();
    for (subject, rung) in stretchings {
        by_class.entry(&subject.path).or_default().push((subject, rung));
    }
    let mut changes = Changes::default();
    for (path, stretchings) in by_class {
        let widened = widened_class(&clauses_of(&stretchings))?;
        let numbers = stretchings.iter().map(|(subject, _)| subject.number);
        changes.ids.extend(widened.ids.into_iter().zip(numbers));
        changes.files.push((path.to_owned(), widened.bytes));
    }
    Ok(changes)
}

fn clauses_of<'s>(stretchings: &Stretchings<'s>) -> Vec<(&'s Clause, &'s str)> {
    stretchings.iter().map(|(subject, rung)| (&subject.clause, *rung)).collect()
}
