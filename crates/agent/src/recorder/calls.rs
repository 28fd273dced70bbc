//! Reflective calls: the methods that were called so, and their callers.

use super::{MOST_ARRIVALS, MethodNames, Recorder};
use crate::lock;
use crate::observer::Observer;
use catchment_protocol::recording::Reflected;
use catchment_protocol::records::Record;
use rustc_hash::FxHashSet;

/// Packages and classes through which reflective calls go; the caller is whoever called these.
const OF_REFLECTION: [&str; 2] = ["java.lang.reflect.", "jdk.internal.reflect."];
const CLASS: &str = "java.lang.Class";

/// The method that was called, as cheaply as it can be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    /// A method, by the number of its class and its place there.
    Method {
        class: u32,
        slot: i32,
    },
    Constructor {
        class: u32,
        slot: i32,
    },
    /// The initialiser of the class with that number.
    Initialiser {
        class: u32,
    },
}

#[derive(Debug, Default)]
pub(super) struct Calls {
    /// By the id of the caller.
    known: FxHashSet<(Option<usize>, Target)>,
    /// Classes that were loaded twice have the same names.
    written: FxHashSet<Reflected>,
}

impl Recorder {
    pub(crate) fn is_known_call(&self, caller: Option<usize>, target: Target) -> bool {
        lock(&self.state).calls.known.contains(&(caller, target))
    }

    /// True if the method is one of those that reflective calls go through; `None` if it must be named first.
    pub(crate) fn is_reflection(&self, id: usize) -> Option<bool> {
        let state = lock(&self.state);
        let class = state.methods.class_of(id)?;
        Some(class == CLASS || OF_REFLECTION.iter().any(|package| class.starts_with(package)))
    }

    /// Writes the call down, if it is new. The caller must have been named. Hidden classes are the JVM's way to make
    /// lambdas: nobody else knows them.
    pub(crate) fn note_call(
        &self,
        observer: &Observer,
        caller: Option<usize>,
        target: Target,
        names: MethodNames,
    ) {
        let mut guard = lock(&self.state);
        let state = &mut *guard;
        if state.calls.known.len() >= MOST_ARRIVALS || !state.calls.known.insert((caller, target)) {
            return;
        }
        if names.is_hidden {
            return;
        }
        let caller = caller.and_then(|id| state.methods.number_of(id));
        let target = state.methods.number(names);
        let reflected = Reflected { caller, target };
        if state.calls.written.insert(reflected.clone()) {
            for method in caller.into_iter().chain([target]) {
                state.methods.write(observer, method);
            }
            // A lost record is counted by `write`.
            let _ = observer.write(&Record::Reflected(reflected));
        }
    }
}
