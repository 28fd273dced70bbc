//! Targets of reflective calls that were seen in a run of the program.

use super::Reflection;
use crate::ids::MethodId;
use crate::solver::Solver;

/// A reflective call was seen to come to this method or constructor. With a caller it counts for the calls in that method
/// only, without one for all whose target is not a constant. Names are those of class files (`java/lang/String`, `<init>`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Class and name of the method that called.
    pub caller: Option<(Vec<u8>, Vec<u8>)>,
    pub class: Vec<u8>,
    pub name: Vec<u8>,
    pub descriptor: Vec<u8>,
}

impl Solver<'_> {
    /// What a run has shown for this call.
    pub(super) fn recorded_targets(&mut self, at: &Reflection) -> Vec<MethodId> {
        self.reflections.unknown.insert(at.method);
        let recorded = self.reflections.recorded.iter();
        let found: Vec<Recorded> = recorded.filter(|it| self.concerns(it, at.method)).cloned().collect();
        let target = |it: &Recorded| {
            let class = self.world.class(&it.class);
            self.world.declared_as(class, &it.name, &it.descriptor)
        };
        found.iter().filter_map(target).collect()
    }

    fn concerns(&self, recorded: &Recorded, calling: MethodId) -> bool {
        let class = &self.world.class_of(self.world.method(calling).class).name;
        let name = self.world.name_of(calling);
        recorded.caller.as_ref().is_none_or(|(owner, method)| **owner == **class && **method == *name)
    }

    /// Adds what another run has shown; nothing if it is about calls that have been seen to without it.
    pub(crate) fn add_recorded(&mut self, recorded: &[Recorded]) -> Option<()> {
        let is_late =
            |it: &Recorded| self.reflections.unknown.iter().any(|calling| self.concerns(it, *calling));
        if recorded.iter().any(is_late) {
            return None;
        }
        self.reflections.recorded.extend_from_slice(recorded);
        Some(())
    }
}
