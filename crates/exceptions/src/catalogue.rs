//! The fault catalogue: which methods fail when disk, network or system do, and with what.
//!
//! An operation is the raising point of its exceptions: one layer, so nothing inside it raises again. The catalogue of
//! the JDK is embedded (`data/catalogue.toml`); a project adds its own operations. Which of them a program has is not
//! known here.

pub(crate) mod named_methods;
pub(crate) mod operations;
pub(crate) mod tables;

use crate::catalogue::tables::{CatalogueError, FaultTable};
use std::fmt;

const JDK: &str = include_str!("../data/catalogue.toml");

/// A name such as `DSK_READ`: capitals, digits and underscores.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaultKind(String);

impl FaultKind {
    /// `None` if it is no such name.
    pub fn new(name: &str) -> Option<Self> {
        let is_part = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
        let is_name = name.starts_with(|first: char| first.is_ascii_uppercase()) && name.chars().all(is_part);
        is_name.then(|| Self(name.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A fault kind as the catalogue describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FaultKindEntry {
    pub name: FaultKind,
    /// The failure in a few words; empty for a kind that a project added.
    pub about: String,
    /// Thrown types of operations that name none, as binary names.
    pub throws: Vec<String>,
}

/// A method that raises what its environment makes it raise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    pub kind: FaultKind,
    /// Binary name, `java.io.FileInputStream`.
    pub class: String,
    pub method: String,
    /// All overloads without one.
    pub descriptor: Option<String>,
    /// Upper bounds, as binary names; never empty.
    pub throws: Vec<String>,
    /// The first feature release of Java that has it, and the last.
    pub since: Option<u32>,
    pub until: Option<u32>,
    /// The number of the project's `[[fault]]` table, counted from 1; none of the JDK's is one.
    pub table: Option<usize>,
}

impl Operation {
    /// This feature release of Java has the operation.
    pub fn is_in(&self, release: u32) -> bool {
        self.since.is_none_or(|since| since <= release) && self.until.is_none_or(|until| release <= until)
    }

    /// The operation is this method; `class` is a binary name.
    pub fn is(&self, class: &str, method: &str, descriptor: &str) -> bool {
        self.class == class
            && self.method == method
            && self.descriptor.as_deref().is_none_or(|only| only == descriptor)
    }

    /// Some method of some release is both operations.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        let same_overload = match (&self.descriptor, &other.descriptor) {
            (Some(one), Some(another)) => one == another,
            _ => true,
        };
        let begins_in_time = |one: &Self, another: &Self| match (one.since, another.until) {
            (Some(since), Some(until)) => since <= until,
            _ => true,
        };
        self.class == other.class
            && self.method == other.method
            && same_overload
            && begins_in_time(self, other)
            && begins_in_time(other, self)
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let descriptor = self.descriptor.as_deref().unwrap_or_default();
        write!(formatter, "{}.{}{descriptor}", self.class, self.method)
    }
}

/// The JDK's kinds by name, its operations by kind and then as they were written; behind them what was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalogue {
    pub(crate) kinds: Vec<FaultKindEntry>,
    pub(crate) operations: Vec<Operation>,
}

impl Catalogue {
    /// That of the JDK.
    pub fn of_jdk() -> Result<Self, CatalogueError> {
        tables::read_catalogue(JDK)
    }

    /// Adds what a project says in its `[[fault]]` tables.
    ///
    /// A table may name a kind of the catalogue or a new one; a new one must say what is thrown.
    pub fn add(&mut self, faults: Vec<FaultTable>) -> Result<(), CatalogueError> {
        for (number, fault) in (1..).zip(faults) {
            tables::add_fault(self, number, fault)?;
        }
        Ok(())
    }

    pub fn kinds(&self) -> &[FaultKindEntry] {
        &self.kinds
    }

    pub fn kind(&self, name: &FaultKind) -> Option<&FaultKindEntry> {
        self.kinds.iter().find(|kind| kind.name == *name)
    }

    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }
}
