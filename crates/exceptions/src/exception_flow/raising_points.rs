//! Raising points of a program, and the exceptions that each can raise.

use catchment_pointsto::ImplicitKind;
use catchment_pointsto::Typed;
use catchment_pointsto::{ClassId, MethodId};
use rustc_hash::FxHashMap;

/// An instruction, or a method of the fault catalogue, that raises exceptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RaisingKind {
    /// A `throw`.
    Throw,
    /// A method of the catalogue: its number there.
    Operation(u32),
    /// The JVM, because a class that is used here cannot be initialised.
    Initialiser,
    /// The JVM, because an instruction cannot do what it says.
    Implicit(ImplicitKind),
}

/// A raising point. Calls of an operation are all the same point, wherever they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RaisingPoint {
    pub method: MethodId,
    /// 0 for an operation.
    pub pc: u16,
    pub kind: RaisingKind,
}

/// A raised exception that travels: a raising point and a type. Small numbers in the flow's sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RaisedException {
    pub point: RaisingPoint,
    pub typed: Typed,
}

/// All raised exceptions by number.
#[derive(Debug, Default)]
pub struct RaisedExceptions {
    all: Vec<RaisedException>,
    by_value: FxHashMap<RaisedException, u32>,
}

impl RaisedExceptions {
    pub fn get(&self, number: u32) -> &RaisedException {
        &self.all[number as usize]
    }

    pub fn all(&self) -> &[RaisedException] {
        &self.all
    }

    pub(crate) fn number(&self, raised: &RaisedException) -> Option<u32> {
        self.by_value.get(raised).copied()
    }

    /// Its number, which it is given when it is new.
    pub(crate) fn intern(&mut self, raised: RaisedException) -> u32 {
        if let Some(number) = self.by_value.get(&raised) {
            return *number;
        }
        let number = self.all.len() as u32;
        self.all.push(raised);
        self.by_value.insert(raised, number);
        number
    }
}

/// The exceptions that an operation of the catalogue throws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationThrows {
    /// Its number in the catalogue.
    pub operation: u32,
    pub throws: Vec<ClassId>,
}
