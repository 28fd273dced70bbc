//! Class initialisers: a class that is used has been initialised, with all above it.

use crate::callgraph::{CallKind, FoundCall};
use crate::contexts::INSENSITIVE;
use crate::ids::{ClassId, InstanceId};
use crate::solver::Solver;
use crate::statements::Adding;
use smallvec::SmallVec;

impl Solver<'_> {
    /// The class is used by a statement.
    pub(crate) fn initialise_at(&mut self, adding: &Adding<'_>, class: ClassId) {
        self.initialise(class);
        // A class that is using itself has begun to be initialised before.
        if class != adding.class && self.initialisers.contains_key(&class) {
            self.initialisations.push((adding.instance, adding.pc, class));
        }
    }

    /// The class's own initialiser and those of the classes and interfaces above.
    pub(crate) fn initialise(&mut self, class: ClassId) {
        if !self.initialised.insert(class) {
            return;
        }
        let above = self.world.class_of(class);
        let above: Vec<ClassId> = above.superclass.iter().chain(&above.interfaces).copied().collect();
        for class in above {
            self.initialise(class);
        }
        if let Some(initialiser) = self.world.declared_as(class, b"<clinit>", b"()V")
            && let Some(instance) = self.reach(initialiser, INSENSITIVE)
        {
            self.initialisers.insert(class, instance);
        }
    }

    /// Uses of classes as calls of their initialisers.
    pub(crate) fn initialiser_calls(&self) -> Vec<FoundCall> {
        let call = |(caller, pc, class): &(InstanceId, u16, ClassId)| {
            let target = *self.initialisers.get(class)?;
            let targets = SmallVec::from_elem(target, 1);
            Some(FoundCall { caller: *caller, pc: *pc, kind: CallKind::Initialiser, targets })
        };
        self.initialisations.iter().filter_map(call).collect()
    }
}
