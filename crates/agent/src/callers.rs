//! Who calls methods of the application, remembered by method.

use crate::lock;
use rustc_hash::FxHashMap;
use std::sync::Mutex;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    Test,
    /// Reflection, streams, method handles: somebody further up is the real caller.
    GoBetween,
    Other,
}

/// By the id the JVM has for a method, which no other method ever gets.
#[derive(Debug, Default)]
pub(crate) struct Callers(Mutex<FxHashMap<usize, Caller>>);

impl Callers {
    pub(crate) fn kind_of(&self, method: usize, look: impl FnOnce() -> Caller) -> Caller {
        if let Some(known) = lock(&self.0).get(&method) {
            return *known;
        }
        let kind = look();
        lock(&self.0).insert(method, kind);
        kind
    }
}
