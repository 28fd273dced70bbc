//! Abstract objects: one stands for all objects of one allocation site.
//!
//! Allocation sites share, where nothing is lost by it, an object: strings, string builders, arrays of numbers, and
//! exceptions of one class, for which the site of the throw counts and not that of the allocation.

use crate::cache_format::{Cached, Reader, Writer, cached};
use crate::ids::{ClassId, ContextId, FieldId, InstanceId, MethodId, ObjectId};
use rustc_hash::FxHashMap;

/// The origin of an abstract object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    /// By this instruction, at this level of nested arrays.
    AllocationSite { method: MethodId, pc: u16, level: u8, context: ContextId },
    /// Anywhere: one object for all of its class.
    Merged,
    /// An array of length 0, whoever makes it: nothing is ever in it.
    Empty,
    /// The exception that native code is declared to throw: it may be of any class below.
    Declared,
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

cached! {
    enum Origin {
        0 => AllocationSite { method, pc, level, context },
        1 => Merged,
        2 => Lambda(number),
        3 => ClassOf(class),
        4 => NameOf(class),
        5 => Member(method),
        6 => FieldOf(field),
        7 => Proxy(call),
        8 => Forwarded(instance),
        9 => Empty,
        10 => Declared,
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Object {
    pub(crate) class: ClassId,
    pub(crate) origin: Origin,
}

cached! { struct Object { class, origin } }

/// A lambda object: what the JVM makes a hidden class for.
#[derive(Debug, Clone)]
pub(crate) struct Lambda {
    /// Name of the interface's method.
    pub(crate) name: Box<[u8]>,
    /// The method of the hidden class, which calls what the lambda stands for.
    pub(crate) proxy: InstanceId,
}

cached! { struct Lambda { name, proxy } }

/// No object has this number.
const NOBODY: u32 = u32::MAX;
/// Numbers are given in blocks of as many as [`crate::sets`] keeps side by side.
const BLOCK: u32 = 64;
/// The number of objects of a class that are numbered among those of others.
const FEW: u32 = 4;

/// Whose numbers stand side by side. What is of one class goes to the same variables, and side by side it takes a tenth
/// of the space in a set, and of the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Family {
    /// Every call passes them on.
    Exceptions,
    /// Classes that have few objects.
    Few,
    Class(ClassId),
}

cached! { enum Family { 0 => Exceptions, 1 => Few, 2 => Class(class) } }

#[derive(Debug, Clone, Default)]
pub(crate) struct Objects {
    /// In the order in which they were made, with their numbers.
    made: Vec<(u32, Object)>,
    /// By number: its place among those that were made.
    places: Vec<u32>,
    /// The next number of a family, until its block is full.
    next: FxHashMap<Family, u32>,
    count_of: FxHashMap<ClassId, u32>,
    by_origin: FxHashMap<(ClassId, Origin), ObjectId>,
    pub(crate) lambdas: Vec<Lambda>,
}

impl Cached for Objects {
    /// The rest follows from these.
    fn write(&self, to: &mut Writer) {
        let Self { made, places, next, count_of: _, by_origin: _, lambdas } = self;
        made.write(to);
        to.len(places.len());
        next.write(to);
        lambdas.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let made: Vec<(u32, Object)> = Cached::read(from)?;
        let numbers = u32::read(from)?;
        let (next, lambdas) = Cached::read(from)?;
        let mut objects = Self { made, next, lambdas, ..Self::default() };
        // A file with numbers beyond the last block was not written by us.
        objects.made.iter().all(|(number, _)| *number < numbers).then_some(())?;
        objects.places.resize(numbers as usize, NOBODY);
        for (place, (number, Object { class, origin })) in (0..).zip(&objects.made) {
            objects.places[*number as usize] = place;
            *objects.count_of.entry(*class).or_default() += 1;
            objects.by_origin.insert((*class, *origin), ObjectId(*number));
        }
        Some(objects)
    }
}

impl Objects {
    pub(crate) fn get(&self, object: u32) -> &Object {
        &self.made[self.places[object as usize] as usize].1
    }

    pub(crate) fn len(&self) -> usize {
        self.made.len()
    }

    /// The numbers of all objects, the least first.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.places).filter(|(_, place)| **place != NOBODY).map(|(number, _)| number)
    }

    /// The objects that have been made since there were `seen`.
    pub(crate) fn made_since(&self, seen: usize) -> Vec<u32> {
        self.made[seen..].iter().map(|(number, _)| *number).collect()
    }

    /// The object of this class and origin, and whether it is new.
    pub(crate) fn intern(&mut self, class: ClassId, origin: Origin, is_exception: bool) -> (ObjectId, bool) {
        if let Some(object) = self.by_origin.get(&(class, origin)) {
            return (*object, false);
        }
        let number = self.next_number(class, is_exception);
        self.places[number as usize] = self.made.len() as u32;
        self.made.push((number, Object { class, origin }));
        self.by_origin.insert((class, origin), ObjectId(number));
        (ObjectId(number), true)
    }

    fn next_number(&mut self, class: ClassId, is_exception: bool) -> u32 {
        let count = self.count_of.entry(class).or_default();
        *count += 1;
        let family = match *count {
            _ if is_exception => Family::Exceptions,
            ..=FEW => Family::Few,
            _ => Family::Class(class),
        };
        let end = self.places.len() as u32;
        let next = self.next.entry(family).or_insert(end);
        // A full block ends where another begins, which is somebody else's.
        if next.is_multiple_of(BLOCK) {
            *next = end;
            self.places.resize((end + BLOCK) as usize, NOBODY);
        }
        *next += 1;
        *next - 1
    }

    pub(crate) fn lambda_of(&self, object: u32) -> Option<&Lambda> {
        match self.get(object).origin {
            Origin::Lambda(number) => self.lambdas.get(number as usize),
            _ => None,
        }
    }
}
