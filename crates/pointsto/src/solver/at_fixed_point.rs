//! Steps at a fixed point: objects that the JVM and the JDK use because of their class, examined when the work list is
//! empty.

use crate::cache_format::cached;
use crate::ids::{ClassId, MethodId, NodeId};
use crate::solver::Solver;
use crate::solver::contexts::INSENSITIVE;
use crate::solver::serialisation::Serialised;
use crate::world::World;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Clone, Default)]
pub(crate) struct AtFixedPoint {
    /// Number of objects that have been examined.
    seen: usize,
    pub(crate) services: FxHashSet<ClassId>,
    pub(crate) serialised: Serialised,
    has_finaliser: FxHashMap<ClassId, bool>,
}

cached! { struct AtFixedPoint { seen, services, serialised, has_finaliser } }

impl Solver<'_> {
    /// Examines new objects. True if that puts more on the work list.
    pub(crate) fn step_at_fixed_point(&mut self) -> bool {
        let fresh = self.objects.made_since(self.at_fixed_point.seen);
        self.at_fixed_point.seen += fresh.len();
        let mut is_changed = false;
        for object in fresh {
            is_changed |= self.register_finaliser(object);
            is_changed |= self.pend_reference(object);
            self.note_serialisable(object);
        }
        is_changed |= self.call_serialised();
        self.hand_over() || is_changed
    }

    /// An object with a finaliser is registered by the JVM when it is made.
    fn register_finaliser(&mut self, object: u32) -> bool {
        if !self.has_finaliser(self.objects.get(object).class) {
            return false;
        }
        let Some(node) = self.registered() else { return false };
        self.graph.add_object(node, object);
        true
    }

    fn has_finaliser(&mut self, class: ClassId) -> bool {
        if let Some(known) = self.at_fixed_point.has_finaliser.get(&class) {
            return *known;
        }
        let has_own = has_finaliser(&mut self.world, class);
        self.at_fixed_point.has_finaliser.insert(class, has_own);
        has_own
    }

    /// References to what is no longer used are handed to the JDK by the garbage collector: in a list that it asks for,
    /// before JDK 9 in a static field.
    fn pend_reference(&mut self, object: u32) -> bool {
        let class = self.world.class(b"java/lang/ref/Reference");
        if !self.world.is_subtype(self.objects.get(object).class, class) {
            return false;
        }
        let node = if let Some(method) = pending_references(&mut self.world) {
            self.reach(method, INSENSITIVE).map(|instance| self.instances[instance.index()].returned)
        } else {
            let field =
                self.world.class_of(class).fields().find(|it| self.world.field_name(*it) == b"pending");
            field.map(|field| self.static_field(field))
        };
        if let Some(node) = node {
            self.graph.add_object(node, object);
        }
        node.is_some()
    }

    /// The parameter of `Finalizer.register`.
    fn registered(&mut self) -> Option<NodeId> {
        let register = registration(&mut self.world)?;
        self.initialise(self.world.method(register).class);
        let instance = self.reach(register, INSENSITIVE)?;
        self.instances[instance.index()].parameters.first().copied().flatten()
    }
}

/// Objects of the class are finalised. The JVM passes over finalisers that do nothing, such as those of `Object` and
/// `Enum`.
pub(crate) fn has_finaliser(world: &mut World<'_>, class: ClassId) -> bool {
    const RETURN: &[u8] = &[0xb1];
    let selector = world.selector(b"finalize", b"()V");
    let Some(finaliser) = world.dispatch(class, selector) else { return false };
    let file = world.class_of(world.method(finaliser).class).file().zip(world.member_of(finaliser));
    let code = file.and_then(|(file, member)| file.code(member).ok().flatten());
    code.is_some_and(|(_, code)| code.bytes != RETURN)
}

/// The method that the JVM calls for each new object with a finaliser.
pub(crate) fn registration(world: &mut World<'_>) -> Option<MethodId> {
    let class = world.class(b"java/lang/ref/Finalizer");
    world.declared_as(class, b"register", b"(Ljava/lang/Object;)V")
}

/// The method that gives the JDK the references that the garbage collector has found, since JDK 9.
pub(crate) fn pending_references(world: &mut World<'_>) -> Option<MethodId> {
    let class = world.class(b"java/lang/ref/Reference");
    world.declared_as(class, b"getAndClearReferencePendingList", b"()Ljava/lang/ref/Reference;")
}
