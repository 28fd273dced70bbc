//! The catalogue and a program together: which operations the classes have, and which of them can be reached.

use crate::catalogue::{Catalogue, Operation};
use crate::raises::OperationRaises;
use catchment_pointsto::ids::{ClassId, MethodId};
use catchment_pointsto::world::World;
use catchment_pointsto::{Code, Reached};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which kinds of faults are asked about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum FaultSelection {
    #[default]
    All,
    /// Those of these names; a `*` at the end stands for anything.
    Only(Vec<String>),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no kind of fault is called '{name}'; there are {known}")]
pub struct UnknownFault {
    name: String,
    known: String,
}

/// What has become of an entry of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Match {
    /// The program reaches so many of its methods.
    Reached(usize),
    /// The classes have it, and the program does not reach it.
    Unreached,
    /// The classes do not have it, and should.
    Lacking,
    /// It belongs to other releases of Java.
    OtherRelease,
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
    pub(crate) raises: FxHashMap<MethodId, OperationRaises>,
    /// By number of the operation.
    pub(crate) matches: Vec<Match>,
}

/// Looks every operation up. Without a release it is not known what should be there.
pub(crate) fn match_operations(
    reached: &mut Reached<'_>,
    catalogue: &Catalogue,
    selection: &FaultSelection,
    release: Option<u32>,
) -> Matched {
    let reached_methods: FxHashSet<MethodId> = reached.instances.iter().filter_map(method_of).collect();
    let mut matched = Matched::default();
    for (number, operation) in (0..).zip(catalogue.operations()) {
        let methods = methods_of(&mut reached.world, operation);
        let is_expected = release.is_none_or(|release| operation.is_in(release));
        let found = methods.iter().filter(|method| reached_methods.contains(method)).count();
        matched.matches.push(match (methods.is_empty(), found) {
            (false, 0) => Match::Unreached,
            (false, found) => Match::Reached(found),
            (true, _) if is_expected => Match::Lacking,
            (true, _) => Match::OtherRelease,
        });
        if selection.has(operation.kind.as_str()) {
            let throws: Vec<ClassId> =
                operation.throws.iter().map(|name| class_named(reached, name)).collect();
            let raises = methods.into_iter();
            let raises =
                raises.map(|method| (method, OperationRaises { operation: number, throws: throws.clone() }));
            matched.raises.extend(raises);
        }
    }
    matched
}

fn method_of(code: &Code) -> Option<MethodId> {
    match code {
        Code::Method(method) => Some(*method),
        Code::Proxy(_) => None,
    }
}

fn class_named(reached: &mut Reached<'_>, binary_name: &str) -> ClassId {
    reached.world.class(binary_name.replace('.', "/").as_bytes())
}

fn methods_of(world: &mut World<'_>, operation: &Operation) -> Vec<MethodId> {
    let class = world.class(operation.class.replace('.', "/").as_bytes());
    let named = world.declared_by_name(class, operation.method.as_bytes());
    let is_wanted = |method: &MethodId| {
        let only = operation.descriptor.as_deref();
        only.is_none_or(|only| only.as_bytes() == world.descriptor_of(*method))
    };
    named.filter(is_wanted).collect()
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
