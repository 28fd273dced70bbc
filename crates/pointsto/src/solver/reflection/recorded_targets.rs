//! Targets of reflective calls that were seen in a run of the program.

use super::Reflection;
use super::actions::Action;
use super::known::known_targets;
use crate::cache_format::cached;
use crate::ids::MethodId;
use crate::objects::Origin;
use crate::solver::Solver;
use crate::world::World;

/// A reflective call was seen to come to this method or constructor. With a caller it counts for the calls in that
/// method only, without one for all whose target is not a constant. Names are those of class files (`java/lang/String`,
/// `<init>`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReflectiveTarget {
    /// Class and name of the method that called.
    pub caller: Option<(Vec<u8>, Vec<u8>)>,
    pub class: Vec<u8>,
    pub name: Vec<u8>,
    pub descriptor: Vec<u8>,
}

cached! { struct ReflectiveTarget { caller, class, name, descriptor } }

impl ReflectiveTarget {
    /// Tells whether it is about the calls in this method.
    fn concerns(&self, world: &World<'_>, caller: MethodId) -> bool {
        let class = &world.class_of(world.method(caller).class).name;
        let name = world.name_of(caller);
        self.caller.as_ref().is_none_or(|(owner, method)| **owner == **class && **method == *name)
    }
}

impl Solver<'_> {
    /// Targets that are known or that a run has shown for this call.
    pub(super) fn recorded_targets(&mut self, at: &Reflection) -> Vec<MethodId> {
        self.reflections.unknown.insert(at.method);
        recorded_targets(&mut self.world, &self.reflections.recorded, at.method)
    }

    /// Targets that a run has shown for the calls in just this method come to them, whatever objects do: some come from
    /// where nobody looks.
    pub(super) fn use_recorded(&mut self, at: &Reflection) {
        if !matches!(at.action, Action::NewInstance | Action::Construct | Action::Invoke) {
            return;
        }
        let named: Vec<ReflectiveTarget> =
            self.reflections.recorded.iter().filter(|it| it.caller.is_some()).cloned().collect();
        for target in recorded_targets(&mut self.world, &named, at.method) {
            match (at.action, self.world.name_of(target) == b"<init>") {
                (Action::Invoke, false) => self.invoke_given(at, Origin::Member(target)),
                (Action::NewInstance | Action::Construct, true) => {
                    self.construct_given(at, Origin::Member(target));
                }
                _ => {}
            }
        }
    }

    /// Adds what another run has shown; nothing if it is about calls that have been seen to without it.
    pub(crate) fn add_recorded(&mut self, recorded: &[ReflectiveTarget]) -> Option<()> {
        let unknown = &self.reflections.unknown;
        let has_begun = |it: &ReflectiveTarget| {
            let mut calls = self.reflections.all.iter();
            it.caller.is_some() && calls.any(|at| it.concerns(&self.world, at.method))
        };
        let is_late = |it: &ReflectiveTarget| {
            unknown.iter().any(|caller| it.concerns(&self.world, *caller)) || has_begun(it)
        };
        if recorded.iter().any(is_late) {
            return None;
        }
        self.reflections.recorded.extend_from_slice(recorded);
        Some(())
    }
}

/// Targets that are known or that a run has shown for the calls in a method.
pub(crate) fn recorded_targets(
    world: &mut World<'_>,
    recorded: &[ReflectiveTarget],
    caller: MethodId,
) -> Vec<MethodId> {
    let found: Vec<&ReflectiveTarget> = recorded.iter().filter(|it| it.concerns(world, caller)).collect();
    let target = |it: &ReflectiveTarget| {
        let class = world.class(&it.class);
        world.declared_as(class, &it.name, &it.descriptor)
    };
    let mut targets: Vec<MethodId> = found.into_iter().filter_map(target).collect();
    targets.extend(known_targets(world, caller));
    targets
}
