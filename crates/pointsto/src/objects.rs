//! Abstract objects: all that one place of the program makes, as one.
//!
//! Where nothing is lost by it, places share an object: strings, string builders, arrays of numbers, and exceptions of one
//! class, which are told apart by where they are thrown and not by where they are made.

use crate::ids::{ClassId, ContextId, InstanceId, MethodId, ObjectId};
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
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Object {
    pub(crate) class: ClassId,
    pub(crate) origin: Origin,
}

/// A lambda object: what the JVM makes a hidden class for.
#[derive(Debug)]
pub(crate) struct Lambda {
    /// Name of the interface's method.
    pub(crate) name: Box<[u8]>,
    /// The method of the hidden class, which calls what the lambda stands for.
    pub(crate) proxy: InstanceId,
}

#[derive(Debug, Default)]
pub(crate) struct Objects {
    all: Vec<Object>,
    by_origin: FxHashMap<(ClassId, Origin), ObjectId>,
    pub(crate) lambdas: Vec<Lambda>,
}

impl Objects {
    pub(crate) fn get(&self, object: u32) -> &Object {
        &self.all[object as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// The object of this class and origin, and whether it is new.
    pub(crate) fn intern(&mut self, class: ClassId, origin: Origin) -> (ObjectId, bool) {
        if let Some(object) = self.by_origin.get(&(class, origin)) {
            return (*object, false);
        }
        let object = ObjectId::new(self.all.len());
        self.all.push(Object { class, origin });
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
