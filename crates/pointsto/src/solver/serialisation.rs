//! Methods of serialisable classes that only the streams of objects call, by reflection.
//!
//! When the JDK's method that makes the call is reached, it calls those of every serialisable object there is whose
//! class is not one of the JDK, and what is read from a stream can be any such object. The JDK's own classes are left
//! out: a program that reads one object would seem to run the callbacks of all collections.

use crate::cache_format::cached;
use crate::ids::{ClassId, InstanceId, MethodId};
use crate::objects::Origin;
use crate::solver::calls::Arguments;
use crate::solver::{Instance, Solver};
use crate::world::{Layer, World};
use catchment_ir::InvokeKind;
use rustc_hash::FxHashMap;

/// A method of `ObjectStreamClass`, what it calls, and whether it returns what that returns.
pub(crate) struct Callback {
    pub(crate) caller: &'static [u8],
    name: &'static [u8],
    descriptor: &'static [u8],
}

pub(crate) const CALLBACKS: [Callback; 5] = [
    callback(b"invokeWriteObject", b"writeObject", b"(Ljava/io/ObjectOutputStream;)V"),
    callback(b"invokeReadObject", b"readObject", b"(Ljava/io/ObjectInputStream;)V"),
    callback(b"invokeReadObjectNoData", b"readObjectNoData", b"()V"),
    callback(b"invokeWriteReplace", b"writeReplace", b"()Ljava/lang/Object;"),
    callback(b"invokeReadResolve", b"readResolve", b"()Ljava/lang/Object;"),
];

const fn callback(caller: &'static [u8], name: &'static [u8], descriptor: &'static [u8]) -> Callback {
    Callback { caller, name, descriptor }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Serialised {
    is_serialisable: FxHashMap<ClassId, bool>,
    objects: Vec<u32>,
    /// By callback, and one more for what is read: how many objects have been seen to.
    seen: [usize; CALLBACKS.len() + 1],
}

cached! { struct Serialised { is_serialisable, objects, seen } }

impl Solver<'_> {
    pub(crate) fn note_serialisable(&mut self, object: u32) {
        let class = self.objects.get(object).class;
        let is_serialisable = match self.at_fixed_point.serialised.is_serialisable.get(&class) {
            Some(known) => *known,
            None => {
                let found = has_callbacks(&mut self.world, class);
                self.at_fixed_point.serialised.is_serialisable.insert(class, found);
                found
            }
        };
        if is_serialisable {
            self.at_fixed_point.serialised.objects.push(object);
        }
    }

    /// Tells whether a method was called or an object read that was not before.
    pub(crate) fn call_serialised(&mut self) -> bool {
        let mut is_changed = false;
        for (number, callback) in CALLBACKS.iter().enumerate() {
            let Some(caller) = self.stream_method(callback.caller) else { continue };
            for object in self.unseen_serialised(number) {
                is_changed |= self.call_back(caller, callback, object);
            }
        }
        if let Some(maker) = self.stream_method(b"newInstance") {
            for object in self.unseen_serialised(CALLBACKS.len()) {
                is_changed |= self.read_back(maker, object);
            }
        }
        is_changed
    }

    fn unseen_serialised(&mut self, number: usize) -> Vec<u32> {
        let serialised = &mut self.at_fixed_point.serialised;
        let unseen = serialised.objects[serialised.seen[number]..].to_vec();
        serialised.seen[number] = serialised.objects.len();
        unseen
    }

    /// A method of `ObjectStreamClass`, if it has been reached.
    fn stream_method(&mut self, name: &[u8]) -> Option<InstanceId> {
        let method = stream_method(&mut self.world, name)?;
        self.reached(method)
    }

    fn call_back(&mut self, caller: InstanceId, callback: &Callback, object: u32) -> bool {
        let methods = callback.methods(&mut self.world, self.objects.get(object).class);
        for method in &methods {
            self.call_on(caller, *method, object);
        }
        !methods.is_empty()
    }

    fn call_on(&mut self, caller: InstanceId, method: MethodId, object: u32) {
        let Instance { parameters, returned, thrown, .. } = &self.instances[caller.index()];
        // Behind the receiver and the object: the stream, if the method takes one.
        let rest = parameters.get(2..).unwrap_or_default().into();
        let (result, thrown) = (Some(*returned), Some(*thrown));
        let receiver = self.graph.node();
        self.graph.add_object(receiver, object);
        let arguments = Arguments { receiver: Some(receiver), rest, result, thrown };
        self.add_call(caller, 0, InvokeKind::Special, method, arguments);
    }

    /// Objects are read without their constructors; those of the classes above that are not serialisable run.
    fn read_back(&mut self, maker: InstanceId, object: u32) -> bool {
        let class = self.objects.get(object).class;
        let read = self.object(class, Origin::Merged);
        let returned = self.instances[maker.index()].returned;
        self.graph.add_object(returned, read.0);
        if let Some(constructor) = first_constructor(&mut self.world, class) {
            self.call_on(maker, constructor, read.0);
        }
        true
    }
}

impl Callback {
    /// The method in a class and in every class above: each has its own.
    pub(crate) fn methods(&self, world: &mut World<'_>, class: ClassId) -> Vec<MethodId> {
        let mut methods = Vec::new();
        let mut above = Some(class);
        while let Some(class) = above {
            methods.extend(world.declared_as(class, self.name, self.descriptor));
            above = world.class_of(class).superclass;
        }
        methods
    }
}

/// Tells whether streams call methods of the objects of this class.
pub(crate) fn has_callbacks(world: &mut World<'_>, class: ClassId) -> bool {
    let serialisable = world.class(b"java/io/Serializable");
    let declared = world.class_of(class);
    declared.file().is_some() && declared.layer != Layer::Jdk && world.is_subtype(class, serialisable)
}

/// A method of `ObjectStreamClass`.
pub(crate) fn stream_method(world: &mut World<'_>, name: &[u8]) -> Option<MethodId> {
    let class = world.class(b"java/io/ObjectStreamClass");
    world.declared_by_name(class, name).next()
}

/// The constructor that runs when an object of the class is read.
pub(crate) fn first_constructor(world: &mut World<'_>, class: ClassId) -> Option<MethodId> {
    let serialisable = world.class(b"java/io/Serializable");
    let mut above = world.class_of(class).superclass?;
    while world.is_subtype(above, serialisable) {
        above = world.class_of(above).superclass?;
    }
    world.declared_as(above, b"<init>", b"()V")
}
