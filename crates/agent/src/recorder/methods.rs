//! Numbers for methods, by what the JVM calls them and by their names.

use super::RawFrame;
use crate::observer::Observer;
use catchment_protocol::recording::{Frame, MethodName, NumberedMethod};
use catchment_protocol::records::Record;
use rustc_hash::FxHashMap;

/// The name of a method, and its owner.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct MethodNames {
    pub(crate) name: MethodName,
    pub(crate) is_application: bool,
    pub(crate) is_hidden: bool,
}

#[derive(Debug, Default)]
pub(super) struct Methods {
    by_id: FxHashMap<usize, u32>,
    /// A class that was loaded twice has other ids and the same names.
    by_names: FxHashMap<MethodNames, u32>,
    /// By number.
    named: Vec<Named>,
}

#[derive(Debug)]
struct Named {
    names: MethodNames,
    is_written: bool,
}

impl Methods {
    pub(super) fn name(&mut self, id: usize, names: MethodNames) {
        let number = self.number(names);
        self.by_id.insert(id, number);
    }

    /// The number of a method by its names.
    pub(super) fn number(&mut self, names: MethodNames) -> u32 {
        let next = u32::try_from(self.named.len()).unwrap_or(u32::MAX);
        let number = *self.by_names.entry(names.clone()).or_insert(next);
        if number == next {
            self.named.push(Named { names, is_written: false });
        }
        number
    }

    /// The number of a method that was named.
    pub(super) fn number_of(&self, id: usize) -> Option<u32> {
        self.by_id.get(&id).copied()
    }

    /// The class of a method that was named.
    pub(super) fn class_of(&self, id: usize) -> Option<&str> {
        let named = self.named.get(self.number_of(id)? as usize)?;
        Some(&named.names.name.class)
    }

    /// The frames with their numbers, or the methods that have none yet.
    pub(super) fn frames(&self, raw: &[RawFrame]) -> Result<Vec<Frame>, Vec<usize>> {
        let numbered = raw.iter().map(|&(id, pc)| self.by_id.get(&id).map(|&method| Frame { method, pc }));
        numbered
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| raw.iter().map(|(id, _)| *id).filter(|id| !self.by_id.contains_key(id)).collect())
    }

    pub(super) fn is_application(&self, method: u32) -> bool {
        self.named.get(method as usize).is_some_and(|named| named.names.is_application)
    }

    pub(super) fn is_named(&self, method: u32, class: &str, name: &str) -> bool {
        let named = self.named.get(method as usize).map(|named| &named.names.name);
        named.is_some_and(|named| named.class == class && named.method == name)
    }

    /// Writes down what the number stands for, once.
    pub(super) fn write(&mut self, observer: &Observer, number: u32) {
        let Some(named) = self.named.get_mut(number as usize).filter(|named| !named.is_written) else {
            return;
        };
        named.is_written = true;
        let MethodNames { name, is_application, is_hidden } = named.names.clone();
        // A lost record is counted by `write`.
        let _ = observer.write(&Record::Method(NumberedMethod { number, name, is_application, is_hidden }));
    }
}
