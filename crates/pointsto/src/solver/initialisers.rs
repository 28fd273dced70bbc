//! Class initialisers: a class that is used has been initialised, with all above it.

use crate::cache_format::cached;
use crate::callgraph::{CallKind, FoundCall, Targets};
use crate::ids::{ClassId, InstanceId, MethodId};
use crate::solver::Solver;
use crate::solver::contexts::INSENSITIVE;
use crate::solver::statements::Adding;
use crate::world::World;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The initialisers that have run, for any analysis.
#[derive(Debug, Clone, Default)]
pub(crate) struct Initialisers {
    begun: FxHashSet<ClassId>,
    instances: FxHashMap<ClassId, InstanceId>,
    /// Uses of classes that have an initialiser.
    uses: Vec<(InstanceId, u16, ClassId)>,
}

cached! { struct Initialisers { begun, instances, uses } }

impl Initialisers {
    /// Initialisers that have to run now that a class is used: those of classes and interfaces above it first.
    pub(crate) fn begin(&mut self, world: &mut World<'_>, class: ClassId) -> Vec<(ClassId, MethodId)> {
        let mut due = Vec::new();
        self.collect(world, class, &mut due);
        due
    }

    fn collect(&mut self, world: &mut World<'_>, class: ClassId, due: &mut Vec<(ClassId, MethodId)>) {
        if !self.begun.insert(class) {
            return;
        }
        let above = world.class_of(class);
        let above: Vec<ClassId> = above.superclass.iter().chain(&above.interfaces).copied().collect();
        for class in above {
            self.collect(world, class, due);
        }
        if let Some(initialiser) = world.declared_as(class, b"<clinit>", b"()V") {
            due.push((class, initialiser));
        }
    }

    pub(crate) fn add(&mut self, class: ClassId, instance: InstanceId) {
        self.instances.insert(class, instance);
    }

    /// A use of `class` in the code of class `by`: it runs the initialisers of classes above as well.
    pub(crate) fn add_use(
        &mut self,
        world: &World<'_>,
        (instance, pc): (InstanceId, u16),
        class: ClassId,
        by: ClassId,
    ) {
        // A class that is using itself has begun to be initialised before, with all above it.
        let run = self.run_by_use(world, class);
        let run = run.filter(|it| *it != by && (*it == class || !world.is_subtype(by, *it)));
        let uses: SmallVec<[_; 2]> = run.map(|it| (instance, pc, it)).collect();
        self.uses.extend(uses);
    }

    /// The initialisers that a use of a class runs, if they have run.
    pub(crate) fn instances_of(&self, world: &World<'_>, class: ClassId) -> SmallVec<[InstanceId; 2]> {
        self.run_by_use(world, class).filter_map(|it| self.instances.get(&it)).copied().collect()
    }

    /// Classes with an initialiser that a use of `class` runs: its own, those of its superclasses, and of interfaces
    /// that have code for their methods (JVMS §5.5).
    fn run_by_use(&self, world: &World<'_>, class: ClassId) -> impl Iterator<Item = ClassId> {
        let is_class = !world.class_of(class).is_interface();
        let above = world.class_of(class).supertypes.iter().copied();
        let above = above.filter(|it| self.instances.contains_key(it));
        above.filter(move |it| *it == class || is_class && runs_with_those_below(world, *it))
    }

    /// Uses of classes as calls of their initialisers.
    pub(crate) fn calls(&self) -> impl Iterator<Item = FoundCall> {
        self.uses.iter().filter_map(|(caller, pc, class)| {
            let targets = Targets::Own(SmallVec::from_elem(*self.instances.get(class)?, 1));
            Some(FoundCall { caller: *caller, pc: *pc, kind: CallKind::Initialiser, targets })
        })
    }
}

/// Classes that the JVM has used itself before any program begins: what programs make of them are classes below.
const USED_BEFORE: [&[u8]; 4] =
    [b"java/lang/Object", b"java/lang/Throwable", b"java/lang/Thread", b"java/lang/ClassLoader"];

/// Tells whether the initialiser of a class runs before that of a class below it.
fn runs_with_those_below(world: &World<'_>, class: ClassId) -> bool {
    if USED_BEFORE.contains(&&*world.class_of(class).name) {
        return false;
    }
    let has_code =
        |method: MethodId| !world.method(method).is_abstract() && !world.method(method).is_static();
    !world.class_of(class).is_interface() || world.class_of(class).methods().any(has_code)
}

impl Solver<'_> {
    /// The class is used by a statement.
    pub(crate) fn initialise_at(&mut self, adding: &Adding<'_>, class: ClassId) {
        self.initialise_by((adding.instance, adding.pc), class, adding.class);
    }

    /// The class is used at this place, by the code of class `by`.
    pub(crate) fn initialise_by(&mut self, place: (InstanceId, u16), class: ClassId, by: ClassId) {
        self.initialise(class);
        self.initialisers.add_use(&self.world, place, class, by);
    }

    /// The class's own initialiser and those of the classes and interfaces above.
    pub(crate) fn initialise(&mut self, class: ClassId) {
        for (class, initialiser) in self.initialisers.begin(&mut self.world, class) {
            if let Some(instance) = self.reach(initialiser, INSENSITIVE) {
                self.initialisers.add(class, instance);
            }
        }
    }
}
