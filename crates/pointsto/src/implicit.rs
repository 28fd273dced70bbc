//! Exceptions that the JVM itself throws at an instruction: where one can, as far as one method tells.
//!
//! Left out is what cannot happen by a cheap look: uses of what is certainly an object (`catchment_ir::never_null`),
//! casts of what is declared to fit, stores into arrays that take what is declared to be stored, divisions by a
//! constant. Numbers are not followed: every index, every size of an array and every other divisor counts as one that
//! can be wrong.

use crate::bounds::Bounds;
use crate::cache_format::cached;
use crate::ids::{ClassId, MethodId};
use crate::world::{Element, Fits, Typed, World};
use catchment_ir::{Body, Op, PoolIndex, StatementSet, Stmt, Var, never_null};
use smallvec::SmallVec;

/// Errors that are thrown when a class, method or field is not there (JVMS §5.3, §5.4.3).
const LINK_ERRORS: [&[u8]; 3] =
    [b"java/lang/NoClassDefFoundError", b"java/lang/NoSuchMethodError", b"java/lang/NoSuchFieldError"];

/// Why the JVM throws.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImplicitKind {
    Null,
    Cast,
    Index,
    NegativeSize,
    ArrayStore,
    Arithmetic,
    /// A class, field or method that is not there.
    Link,
}

cached! {
    enum ImplicitKind {
        0 => Null,
        1 => Cast,
        2 => Index,
        3 => NegativeSize,
        4 => ArrayStore,
        5 => Arithmetic,
        6 => Link,
    }
}

impl ImplicitKind {
    /// The classes of the objects that are thrown.
    pub(crate) fn made(self, world: &mut World<'_>) -> SmallVec<[ClassId; 1]> {
        match self {
            Self::Link => LINK_ERRORS.iter().map(|name| world.class(name)).collect(),
            _ => SmallVec::from_elem(world.class(self.class_name()), 1),
        }
    }

    fn class_name(self) -> &'static [u8] {
        match self {
            Self::Null => b"java/lang/NullPointerException",
            Self::Cast => b"java/lang/ClassCastException",
            Self::Index => b"java/lang/ArrayIndexOutOfBoundsException",
            Self::NegativeSize => b"java/lang/NegativeArraySizeException",
            Self::ArrayStore => b"java/lang/ArrayStoreException",
            Self::Arithmetic => b"java/lang/ArithmeticException",
            Self::Link => b"java/lang/LinkageError",
        }
    }

    /// The type that is thrown: exactly this class, but for errors of linking only the class above them.
    pub fn thrown(self, world: &mut World<'_>) -> Typed {
        let class = world.class(self.class_name());
        Typed { class, is_exact: self != Self::Link }
    }
}

/// The kinds that count. None unless asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImplicitKinds {
    pub null: bool,
    pub cast: bool,
    /// Indices, negative sizes, and what an array does not take.
    pub bounds: bool,
    pub arithmetic: bool,
    pub link: bool,
}

cached! { struct ImplicitKinds { null, cast, bounds, arithmetic, link } }

impl ImplicitKinds {
    pub const ALL: Self = Self { null: true, cast: true, bounds: true, arithmetic: true, link: true };

    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    pub fn contains(self, kind: ImplicitKind) -> bool {
        match kind {
            ImplicitKind::Null => self.null,
            ImplicitKind::Cast => self.cast,
            ImplicitKind::Index | ImplicitKind::NegativeSize | ImplicitKind::ArrayStore => self.bounds,
            ImplicitKind::Arithmetic => self.arithmetic,
            ImplicitKind::Link => self.link,
        }
    }
}

/// An instruction at which the JVM can throw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Implicit {
    pub method: MethodId,
    pub pc: u16,
    pub kind: ImplicitKind,
}

cached! { struct Implicit { method, pc, kind } }

/// Looks for them in one method.
pub(crate) struct Finder<'b> {
    kinds: ImplicitKinds,
    class: ClassId,
    bounds: Bounds<'b>,
    never_null: StatementSet,
}

impl<'b> Finder<'b> {
    pub(crate) fn new(body: &'b Body, method: MethodId, kinds: ImplicitKinds, world: &World<'_>) -> Self {
        let declared = world.method(method);
        let file = world.class_of(declared.class).file();
        let never_null =
            file.map(|file| never_null(body, &file.pool, declared.is_static())).unwrap_or_default();
        Self { kinds, class: declared.class, bounds: Bounds::new(body, method, world), never_null }
    }

    /// Exceptions that the JVM can throw at a statement, by its place in the body.
    pub(crate) fn at(&self, world: &mut World<'_>, place: usize, statement: &Stmt) -> Vec<ImplicitKind> {
        let op = statement.op;
        let mut found = Vec::new();
        let mut add = |kind, can_happen| {
            if can_happen {
                found.push(kind);
            }
        };
        let kinds = self.kinds;
        add(
            ImplicitKind::Null,
            kinds.null && op.dereferenced().is_some() && !self.never_null.contains(place),
        );
        match op {
            Op::Cast { src, class, .. } => {
                add(ImplicitKind::Cast, kinds.cast && self.can_miss(world, src, class));
            }
            Op::ArrayLoad { .. } => add(ImplicitKind::Index, kinds.bounds),
            Op::ArrayStore { array, src } => {
                add(ImplicitKind::Index, kinds.bounds);
                add(ImplicitKind::ArrayStore, kinds.bounds && self.can_refuse(world, array, src));
            }
            Op::NewArray { .. } => add(ImplicitKind::NegativeSize, kinds.bounds),
            Op::Divide => add(ImplicitKind::Arithmetic, kinds.arithmetic),
            _ => {}
        }
        add(ImplicitKind::Link, kinds.link && self.cannot_be_linked(world, op));
        found
    }

    /// Tells whether what is cast may be of another class.
    fn can_miss(&self, world: &mut World<'_>, src: Var, class: PoolIndex) -> bool {
        let Some(class) = world.class_ref(self.class, class) else { return true };
        let types = self.bounds.types_of(world, src);
        types.iter().any(|typed| world.typed_fits(*typed, class) != Fits::Yes)
    }

    /// Tells whether an array may not take what is stored into it.
    fn can_refuse(&self, world: &mut World<'_>, array: Var, src: Option<Var>) -> bool {
        let Some(src) = src else { return false };
        let stored = self.bounds.types_of(world, src);
        let arrays = self.bounds.types_of(world, array);
        let takes = |array: &Typed, stored: &Typed| match world.class_of(array.class).element() {
            Some(Element::Class(element)) => {
                // An array that is only declared to be one of `element` may be one of a class below.
                let is_known = array.is_exact || is_final(world, element);
                is_known && world.typed_fits(*stored, element) == Fits::Yes
            }
            _ => false,
        };
        arrays.iter().any(|array| stored.iter().any(|stored| !takes(array, stored)))
    }

    fn cannot_be_linked(&self, world: &mut World<'_>, op: Op) -> bool {
        let is_there = match op {
            Op::New { class, .. } | Op::Cast { class, .. } | Op::InstanceOf { class, .. } => {
                world.class_ref(self.class, class).is_some_and(|class| !is_missing(world, class))
            }
            Op::GetField { field, .. }
            | Op::PutField { field, .. }
            | Op::GetStatic { field, .. }
            | Op::PutStatic { field, .. } => world.field_ref(self.class, field).is_some(),
            Op::Invoke { method, .. } => {
                world.method_ref(self.class, method).is_some() || self.is_linked_by_the_jvm(world, method)
            }
            _ => true,
        };
        !is_there
    }

    /// Methods of handles are there with every descriptor (JVMS §2.9.3).
    fn is_linked_by_the_jvm(&self, world: &World<'_>, method: PoolIndex) -> bool {
        let owner = world.member_ref(self.class, method).map(|it| it.owner);
        owner.is_some_and(|it| it == "java/lang/invoke/MethodHandle" || it == "java/lang/invoke/VarHandle")
    }
}

/// A missing class, also as what an array holds.
fn is_missing(world: &World<'_>, class: ClassId) -> bool {
    match world.class_of(class).element() {
        Some(Element::Class(element)) => is_missing(world, element),
        Some(Element::Number) => false,
        None => world.class_of(class).is_missing(),
    }
}

/// A class that no other extends.
fn is_final(world: &World<'_>, class: ClassId) -> bool {
    match world.class_of(class).element() {
        Some(Element::Class(element)) => is_final(world, element),
        Some(Element::Number) => true,
        None => world.class_of(class).is_final(),
    }
}
