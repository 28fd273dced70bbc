//! Options of an analysis: the call graph, and the implicit exceptions to look for.

use crate::implicit::ImplicitKinds;
use crate::solver::contexts::Sensitivity;

/// The way in which targets of calls are found. Each finds no more than those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallGraphKind {
    /// By the class hierarchy: every class there is may be that of a receiver.
    Cha,
    /// By the classes of which reachable code makes objects.
    Rta,
    /// By the objects that flow to the receiver.
    Objects(Sensitivity),
}

impl Default for CallGraphKind {
    fn default() -> Self {
        Self::Objects(Sensitivity::default())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    pub analysis: CallGraphKind,
    /// Exceptions of the JVM itself that are looked for.
    pub implicit: ImplicitKinds,
    /// Keeps the objects for those who follow them again ([`crate::Reached::heap`]); only if they are looked at.
    pub keeps_heap: bool,
}

impl From<CallGraphKind> for Options {
    fn from(analysis: CallGraphKind) -> Self {
        Self { analysis, ..Self::default() }
    }
}

impl From<Sensitivity> for Options {
    fn from(sensitivity: Sensitivity) -> Self {
        CallGraphKind::Objects(sensitivity).into()
    }
}
