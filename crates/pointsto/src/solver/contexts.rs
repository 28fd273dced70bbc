//! Context sensitivity: the contexts in which a method is analysed, one instance for each.
//!
//! - `pta`: insensitive; every method has one instance.
//! - `inpta`: a constructor that stores a parameter into the new object has one instance for each call site, so that
//!   what two objects hold is not mixed just because one constructor has put it there.
//! - `2obj`: in addition, methods of application classes, containers and streams have one instance for each receiver. A
//!   receiver is its allocation site, with the allocation site of the receiver of the method that allocated it.

use crate::cache_format::{Cached, Reader, Writer, cached};
use crate::callgraph::Code;
use crate::ids::{ClassId, ContextId, InstanceId, MethodId, ObjectId, SelectorId};
use crate::objects::Origin;
use crate::solver::Solver;
use crate::world::{Layer, Method, World};
use rustc_hash::FxHashMap;

/// The one context of context-insensitive methods.
pub(crate) const INSENSITIVE: ContextId = ContextId(0);

/// Depth of call-site sensitivity for constructors that call each other.
const MAX_CONSTRUCTORS: usize = 6;

/// Depth of nested classes that are looked through; a name may hold thousands of `$`.
const MAX_NESTED: usize = 20;

const COMMON: [(&[u8], &[u8]); 4] = [
    (b"hashCode", b"()I"),
    (b"equals", b"(Ljava/lang/Object;)Z"),
    (b"toString", b"()Ljava/lang/String;"),
    (b"finalize", b"()V"),
];

/// The kind of context sensitivity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Sensitivity {
    #[default]
    Insensitive,
    Constructors,
    TwoObjects,
}

cached! { enum Sensitivity { 0 => Insensitive, 1 => Constructors, 2 => TwoObjects } }

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    None,
    /// The call site.
    Call {
        caller: InstanceId,
        pc: u16,
    },
    /// The receiver.
    Receiver(ObjectId),
    /// Allocated by a method whose receiver has this class and allocation site.
    ReceiverAllocation {
        class: ClassId,
        origin: Origin,
    },
}

cached! {
    enum Key { 0 => None, 1 => Call { caller, pc }, 2 => Receiver(object), 3 => ReceiverAllocation { class, origin } }
}

#[derive(Debug, Clone)]
pub(crate) struct Contexts {
    pub(crate) sensitivity: Sensitivity,
    keys: Vec<Key>,
    by_key: FxHashMap<Key, ContextId>,
    /// Constructors that store a parameter, and those that do not, memoised.
    pub(crate) stores: FxHashMap<MethodId, bool>,
    /// Methods that every object has. They are called on everything, and hardly ever on what a receiver was given.
    common: Vec<SelectorId>,
    /// Receiver sensitivity of the methods of a class, memoised.
    by_receiver: FxHashMap<ClassId, bool>,
}

impl Cached for Contexts {
    fn write(&self, to: &mut Writer) {
        let Self { sensitivity, keys, by_key: _, stores, common, by_receiver } = self;
        sensitivity.write(to);
        keys.write(to);
        stores.write(to);
        common.write(to);
        by_receiver.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let sensitivity = Cached::read(from)?;
        let keys: Vec<Key> = Cached::read(from)?;
        let by_key = keys.iter().enumerate().map(|(index, key)| (*key, ContextId::new(index))).collect();
        let (stores, common, by_receiver) = Cached::read(from)?;
        Some(Self { sensitivity, keys, by_key, stores, common, by_receiver })
    }
}

impl Contexts {
    pub(crate) fn new(sensitivity: Sensitivity, world: &mut World<'_>) -> Self {
        let mut contexts = Self {
            sensitivity,
            keys: Vec::new(),
            by_key: FxHashMap::default(),
            stores: FxHashMap::default(),
            common: COMMON.map(|(name, descriptor)| world.selector(name, descriptor)).to_vec(),
            by_receiver: FxHashMap::default(),
        };
        contexts.intern(Key::None);
        contexts
    }

    fn intern(&mut self, key: Key) -> ContextId {
        *self.by_key.entry(key).or_insert_with(|| {
            self.keys.push(key);
            ContextId::new(self.keys.len() - 1)
        })
    }

    fn key(&self, context: ContextId) -> Key {
        self.keys[context.index()]
    }
}

impl Solver<'_> {
    /// The context of a method that is called at this site without regard to its receiver.
    pub(crate) fn context_of_call(&mut self, caller: InstanceId, pc: u16, method: MethodId) -> ContextId {
        if self.world.method(method).is_modelled() {
            return self.context_of_modelled(caller, pc, method);
        }
        if self.contexts.sensitivity == Sensitivity::Insensitive
            || self.is_coarse(self.world.method(method).class)
        {
            return INSENSITIVE;
        }
        if self.stores_parameter(method) {
            return self.context_of_constructor(caller, pc, method);
        }
        if self.world.method(method).is_static() && self.is_receiver_sensitive(method) {
            return self.inherited(caller);
        }
        INSENSITIVE
    }

    /// The effects of a model on its arguments are small, and all calls in one would mix all arrays that are ever
    /// copied.
    #[inline]
    pub(crate) fn context_of_modelled(&mut self, caller: InstanceId, pc: u16, method: MethodId) -> ContextId {
        let called = self.world.method(method);
        let Code::Method(calling) = self.instances[caller.index()].code else { return INSENSITIVE };
        // Methods of one class may call each other in a cycle.
        if !called.is_modelled() || self.world.method(calling).class == called.class {
            return INSENSITIVE;
        }
        self.contexts.intern(Key::Call { caller, pc })
    }

    /// The caller and call site of an instance whose context is a call site.
    pub(crate) fn place_of_call(&self, called: InstanceId) -> Option<(InstanceId, Code, u16)> {
        let Key::Call { caller, pc } = self.contexts.key(self.instances[called.index()].context) else {
            return None;
        };
        Some((caller, self.instances[caller.index()].code, pc))
    }

    /// One context for each call site, unless constructors call each other in a cycle.
    fn context_of_constructor(&mut self, caller: InstanceId, pc: u16, method: MethodId) -> ContextId {
        let mut above = caller;
        for _ in 0..MAX_CONSTRUCTORS {
            let instance = &self.instances[above.index()];
            let Key::Call { caller: next, .. } = self.contexts.key(instance.context) else {
                return self.contexts.intern(Key::Call { caller, pc });
            };
            if instance.code == Code::Method(method) {
                break;
            }
            above = next;
        }
        INSENSITIVE
    }

    /// A static method of a container has the context of its caller's receiver.
    fn inherited(&self, caller: InstanceId) -> ContextId {
        let context = self.instances[caller.index()].context;
        if matches!(self.contexts.key(context), Key::Receiver(_)) { context } else { INSENSITIVE }
    }

    /// The context of a method when it is called on this object.
    pub(crate) fn context_of_receiver(&mut self, object: u32, method: MethodId) -> ContextId {
        if self.is_receiver_sensitive(method) {
            self.contexts.intern(Key::Receiver(ObjectId(object)))
        } else {
            INSENSITIVE
        }
    }

    /// The heap context of the objects that an instance allocates.
    pub(crate) fn context_of_made(&mut self, maker: InstanceId) -> ContextId {
        let context = self.instances[maker.index()].context;
        let Key::Receiver(receiver) = self.contexts.key(context) else { return INSENSITIVE };
        let receiver = self.objects.get(receiver.0);
        let origin = match receiver.origin {
            Origin::AllocationSite { method, pc, level, .. } => {
                Origin::AllocationSite { method, pc, level, context: INSENSITIVE }
            }
            origin => origin,
        };
        self.contexts.intern(Key::ReceiverAllocation { class: receiver.class, origin })
    }

    /// Calls of the method on different receivers have instances of their own.
    pub(crate) fn is_receiver_sensitive(&mut self, method: MethodId) -> bool {
        if self.contexts.sensitivity != Sensitivity::TwoObjects {
            return false;
        }
        let Method { class, selector, .. } = *self.world.method(method);
        if self.contexts.common.contains(&selector) {
            return false;
        }
        if let Some(known) = self.contexts.by_receiver.get(&class) {
            return *known;
        }
        let is_sensitive = !self.is_coarse(class) && self.is_container(class);
        self.contexts.by_receiver.insert(class, is_sensitive);
        is_sensitive
    }

    /// Application classes, generic classes (what they hold is what they were given), streams, and what is nested in
    /// one.
    fn is_container(&mut self, class: ClassId) -> bool {
        let mut class = class;
        for _ in 0..MAX_NESTED {
            if let Some(is_container) = self.is_container_itself(class) {
                return is_container;
            }
            let name = self.world.class_of(class).name.clone();
            let Some(outer) = name.iter().rposition(|byte| *byte == b'$') else { return false };
            class = self.world.class(&name[..outer]);
        }
        false
    }

    /// Nothing if the class that it is nested in decides.
    fn is_container_itself(&mut self, class: ClassId) -> Option<bool> {
        let declared = self.world.class_of(class);
        if matches!(declared.layer, Layer::Application | Layer::Tests) {
            return Some(true);
        }
        let name = declared.name.clone();
        // What these make is modelled by `services`, which knows one instance of each method.
        if name.starts_with(b"java/util/ServiceLoader") {
            return Some(false);
        }
        if name.starts_with(b"java/lang/") || &*name == b"java/util/Arrays" {
            return Some(&*name == b"java/util/Arrays");
        }
        let signature = declared.file().and_then(|file| file.attributes.signature(&file.pool));
        if signature.is_some_and(|signature| signature.starts_with("<")) {
            return Some(true);
        }
        let streams =
            [&b"java/io/InputStream"[..], b"java/io/OutputStream", b"java/io/Reader", b"java/io/Writer"];
        let is_stream = streams.iter().any(|stream| {
            let stream = self.world.class(stream);
            self.world.is_subtype(class, stream)
        });
        is_stream.then_some(true)
    }
}
