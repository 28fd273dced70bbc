//! The catalogue and a program together: which operations the classes have, and which of them can be reached.

use crate::catalogue::named_methods::{declared, declared_or_inherited, implementations};
use crate::catalogue::tables::entry_of;
use crate::catalogue::{Catalogue, Operation};
use crate::exception_flow::raising_points::OperationThrows;
use catchment_pointsto::Fits;
use catchment_pointsto::{ClassId, MethodId};
use catchment_pointsto::{Code, Reached};
use rustc_hash::{FxHashMap, FxHashSet};

/// The fault kinds that are asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum FaultSelection {
    #[default]
    All,
    /// Fault kinds of these names; a `*` at the end stands for anything.
    Only(Vec<String>),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no kind of fault is called '{name}'; there are {known}")]
pub struct UnknownFault {
    name: String,
    known: String,
}

/// The operations found for an entry of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Match {
    /// The program reaches so many of its methods.
    Reached(usize),
    /// The classes have it, and the program does not reach it.
    Unreached,
    /// The classes do not have it, and should: those of the JDK, or the project's if the entry is its own.
    Lacking,
    /// An operation of other releases of Java.
    OtherRelease,
}

/// Why an entry of the project's own does nothing, or not what it says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FaultProblem {
    /// The name of the table, in the words of refusals: `fault 2 (com.acme.Client.call)`.
    pub entry: String,
    pub what: String,
}

impl FaultSelection {
    /// From what was typed, `DSK_READ` or `NET_*`; nothing means all, `none` none.
    pub fn of(typed: &[String], catalogue: &Catalogue) -> Result<Self, UnknownFault> {
        if typed.is_empty() {
            return Ok(Self::All);
        }
        let only: Vec<String> = typed.iter().filter(|name| *name != "none").cloned().collect();
        for name in &only {
            if !catalogue.kinds().iter().any(|kind| fits(name, kind.name.as_str())) {
                let known: Vec<_> = catalogue.kinds().iter().map(|kind| kind.name.as_str()).collect();
                return Err(UnknownFault { name: name.clone(), known: known.join(", ") });
            }
        }
        Ok(Self::Only(only))
    }

    pub fn has(&self, kind: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.iter().any(|name| fits(name, kind)),
        }
    }
}

fn fits(name: &str, kind: &str) -> bool {
    match name.strip_suffix('*') {
        Some(start) => kind.starts_with(start),
        None => kind == name,
    }
}

/// The methods of a program that are operations, and what became of each entry.
#[derive(Debug, Default)]
pub(crate) struct Matched {
    pub(crate) throws: FxHashMap<MethodId, OperationThrows>,
    /// By number of the operation.
    pub(crate) matches: Vec<Match>,
    pub(crate) problems: Vec<FaultProblem>,
}

/// Looks every operation up. Without a release it is not known what should be there.
pub(crate) fn match_operations(
    reached: &mut Reached<'_>,
    catalogue: &Catalogue,
    selection: &FaultSelection,
    release: Option<u32>,
) -> Matched {
    let reached_methods: FxHashSet<MethodId> = reached.instances.iter().filter_map(method_of).collect();
    let (mut matched, mut implementing) = (Matched::default(), Vec::new());
    for (number, operation) in (0..).zip(catalogue.operations()) {
        let is_expected = release.is_none_or(|release| operation.is_in(release));
        let mut wrong = Vec::new();
        let Methods { named, below } = methods_of(reached, operation, &mut wrong);
        let throws = thrown(reached, operation, &mut wrong);
        if is_expected {
            matched.problems.extend(problems(operation, wrong));
        }
        let both = named.iter().chain(&below);
        let found = both.filter(|method| reached_methods.contains(method)).count();
        matched.matches.push(match (named.is_empty(), found) {
            (false, 0) => Match::Unreached,
            (false, found) => Match::Reached(found),
            (true, _) if is_expected => Match::Lacking,
            (true, _) => Match::OtherRelease,
        });
        if selection.has(operation.kind.as_str()) {
            let throws = OperationThrows { operation: number, throws };
            matched.throws.extend(named.into_iter().map(|method| (method, throws.clone())));
            implementing.extend(below.into_iter().map(|method| (method, throws.clone())));
        }
    }
    // What an entry names itself is that entry's.
    for (method, throws) in implementing {
        matched.throws.entry(method).or_insert(throws);
    }
    matched
}

/// None of an entry of the JDK: what this one lacks is among the matches.
fn problems(operation: &Operation, wrong: Vec<String>) -> Vec<FaultProblem> {
    let Some(table) = operation.table else { return Vec::new() };
    let entry = entry_of(table, &operation.class, &operation.method);
    wrong.into_iter().map(|what| FaultProblem { entry: entry.clone(), what }).collect()
}

fn method_of(code: &Code) -> Option<MethodId> {
    match code {
        Code::Method(method) => Some(*method),
        Code::Proxy(_) => None,
    }
}

#[derive(Default)]
struct Methods {
    named: Vec<MethodId>,
    /// Implementations of those that are abstract.
    below: Vec<MethodId>,
}

/// The JDK's entries name the very methods that are meant. What a project writes is taken more widely.
fn methods_of(reached: &mut Reached<'_>, operation: &Operation, wrong: &mut Vec<String>) -> Methods {
    if operation.table.is_none() {
        return Methods { named: declared(&mut reached.world, operation), below: Vec::new() };
    }
    match declared_or_inherited(&mut reached.world, operation) {
        Ok(named) => Methods { below: implementations(reached, operation, &named), named },
        Err(what) => {
            wrong.push(what);
            Methods::default()
        }
    }
}

/// The classes that an operation throws.
fn thrown(reached: &mut Reached<'_>, operation: &Operation, wrong: &mut Vec<String>) -> Vec<ClassId> {
    let world = &mut reached.world;
    let throwable = world.class(b"java/lang/Throwable");
    let mut throws = Vec::new();
    for name in &operation.throws {
        let class = world.class(name.replace('.', "/").as_bytes());
        throws.push(class);
        if world.class_of(class).is_missing() {
            wrong.push(format!("there is no class {name}, which it throws"));
        } else if world.fits(class, throwable) == Fits::No {
            wrong.push(format!("{name}, which it throws, is no exception"));
        }
    }
    throws
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(typed: &[&str], kind: &str) -> bool {
        let typed: Vec<String> = typed.iter().map(|name| (*name).to_owned()).collect();
        let catalogue = Catalogue::of_jdk().unwrap();
        FaultSelection::of(&typed, &catalogue).unwrap().has(kind)
    }

    #[test]
    fn kinds_are_chosen_by_name_or_by_how_they_begin() {
        assert!(has(&[], "DSK_READ"));
        assert!(has(&["DSK_READ"], "DSK_READ"));
        assert!(has(&["NET_*", "DSK_OPEN"], "NET_CONNECT"));
        assert!(!has(&["NET_*"], "DSK_READ"));
        assert!(!has(&["none"], "DSK_READ"));
    }

    #[test]
    fn an_unknown_kind_is_refused_with_those_there_are() {
        let typed = ["DISK".to_owned()];
        let error = FaultSelection::of(&typed, &Catalogue::of_jdk().unwrap()).unwrap_err().to_string();
        assert!(error.contains("'DISK'") && error.contains("DSK_READ"), "{error}");
    }
}
