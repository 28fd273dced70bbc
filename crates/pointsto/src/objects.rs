//! Abstract objects: all that one place of the program makes, as one.
//!
//! Where nothing is lost by it, places share an object: strings, string builders, arrays of numbers, and exceptions of one
//! class, which are told apart by where they are thrown and not by where they are made.

use crate::ids::{ClassId, ContextId, FieldId, InstanceId, MethodId, ObjectId};
use crate::stored::{Reader, Stored, Writer, stored};
use rustc_hash::FxHashMap;

/// Where an object is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    /// By this instruction, at this level of nested arrays.
    Site { method: MethodId, pc: u16, level: u8, context: ContextId },
    /// Anywhere: one object for all of its class.
    Merged,
    /// A lambda or method reference.
    Lambda(u32),
    /// The class object of a class.
    ClassOf(ClassId),
    /// A string constant that names a class.
    NameOf(ClassId),
    /// A method or constructor, as an object or as a method handle.
    Member(MethodId),
    /// A field, as an object or as a handle.
    FieldOf(FieldId),
    /// A dynamic proxy, by the call that makes it.
    Proxy(u32),
    /// The arguments that a method of a proxy hands to its handler.
    Forwarded(InstanceId),
}

stored! {
    enum Origin {
        0 => Site { method, pc, level, context },
        1 => Merged,
        2 => Lambda(number),
        3 => ClassOf(class),
        4 => NameOf(class),
        5 => Member(method),
        6 => FieldOf(field),
        7 => Proxy(call),
        8 => Forwarded(instance),
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Object {
    pub(crate) class: ClassId,
    pub(crate) origin: Origin,
}

stored! { struct Object { class, origin } }

/// A lambda object: what the JVM makes a hidden class for.
#[derive(Debug, Clone)]
pub(crate) struct Lambda {
    /// Name of the interface's method.
    pub(crate) name: Box<[u8]>,
    /// The method of the hidden class, which calls what the lambda stands for.
    pub(crate) proxy: InstanceId,
}

stored! { struct Lambda { name, proxy } }

/// Numbers below this are kept for exceptions. They travel together, every call passes them on, and side by side they take
/// a tenth of the space in a set.
const FIRST_OTHER: usize = 4_096;

#[derive(Debug, Clone, Default)]
pub(crate) struct Objects {
    exceptions: Vec<Object>,
    others: Vec<Object>,
    by_origin: FxHashMap<(ClassId, Origin), ObjectId>,
    pub(crate) lambdas: Vec<Lambda>,
}

impl Stored for Objects {
    fn write(&self, to: &mut Writer) {
        let Self { exceptions, others, by_origin: _, lambdas } = self;
        exceptions.write(to);
        others.write(to);
        lambdas.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let (exceptions, others, lambdas) = Stored::read(from)?;
        let mut objects = Self { exceptions, others, by_origin: FxHashMap::default(), lambdas };
        // A file that has more exceptions than can be numbered was not written by us.
        (objects.exceptions.len() <= FIRST_OTHER).then_some(())?;
        let origin_of = |object: u32| {
            let Object { class, origin } = *objects.get(object);
            ((class, origin), ObjectId(object))
        };
        objects.by_origin = objects.numbers().map(origin_of).collect();
        Some(objects)
    }
}

impl Objects {
    pub(crate) fn get(&self, object: u32) -> &Object {
        match (object as usize).checked_sub(FIRST_OTHER) {
            Some(other) => &self.others[other],
            None => &self.exceptions[object as usize],
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.exceptions.len() + self.others.len()
    }

    /// The numbers of all objects.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> + use<> {
        let others = FIRST_OTHER as u32..(FIRST_OTHER + self.others.len()) as u32;
        (0..self.exceptions.len() as u32).chain(others)
    }

    /// The objects that have been made since there were `seen` exceptions and others; how many there are now.
    pub(crate) fn made_since(&self, seen: (usize, usize)) -> (Vec<u32>, (usize, usize)) {
        let now = (self.exceptions.len(), self.others.len());
        let others = FIRST_OTHER + seen.1..FIRST_OTHER + now.1;
        ((seen.0..now.0).chain(others).map(|object| object as u32).collect(), now)
    }

    /// The object of this class and origin, and whether it is new.
    pub(crate) fn intern(&mut self, class: ClassId, origin: Origin, is_exception: bool) -> (ObjectId, bool) {
        if let Some(object) = self.by_origin.get(&(class, origin)) {
            return (*object, false);
        }
        let is_early = is_exception && self.exceptions.len() < FIRST_OTHER;
        let (list, first) =
            if is_early { (&mut self.exceptions, 0) } else { (&mut self.others, FIRST_OTHER) };
        let object = ObjectId::new(first + list.len());
        list.push(Object { class, origin });
        self.by_origin.insert((class, origin), object);
        (object, true)
    }

    pub(crate) fn lambda_of(&self, object: u32) -> Option<&Lambda> {
        match self.get(object).origin {
            Origin::Lambda(number) => self.lambdas.get(number as usize),
            _ => None,
        }
    }
}
