//! One class, interface or array type, and the array types that instructions make.

use super::World;
use crate::ids::{ClassId, FieldId, MethodId};
use catchment_classfile::{ClassFile, JvmStr, access};
use catchment_ir::{ArrayKind, Assertions};
use std::ops::Range;
use std::sync::Arc;

/// Whose code a class is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Layer {
    Application,
    Tests,
    Library,
    Jdk,
}

/// The kind of a type, with its class file if there is one.
#[derive(Debug, Clone)]
pub(crate) enum Shape<'a> {
    Read(Arc<ClassFile<'a>>),
    Array(Element),
    /// The class of a lambda that has more than one interface.
    Hidden,
    /// Not there, or not readable.
    Missing,
}

/// The element type of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Number,
    /// A class or another array type.
    Class(ClassId),
}

#[derive(Debug, Clone)]
pub struct Class<'a> {
    /// Internal name, `java/lang/String`; of arrays the descriptor.
    pub name: Arc<[u8]>,
    pub(crate) shape: Shape<'a>,
    pub layer: Layer,
    pub superclass: Option<ClassId>,
    pub interfaces: Vec<ClassId>,
    /// All classes and interfaces above it and itself, sorted. Of arrays only those that every array has.
    pub supertypes: Vec<ClassId>,
    pub(crate) methods: Range<u32>,
    pub(crate) fields: Range<u32>,
    /// Resolved constants of its pool, memoised.
    pub(crate) refs: Vec<u32>,
}

impl<'a> Class<'a> {
    /// Assertions of the class. Those of the JDK are off unless the JVM is told to switch on just them (`-esa`), also where
    /// tests run with assertions.
    pub(crate) fn assertions(&self) -> Assertions {
        if self.layer == Layer::Jdk { Assertions::Off } else { Assertions::On }
    }

    pub fn file(&self) -> Option<&ClassFile<'a>> {
        match &self.shape {
            Shape::Read(file) => Some(file),
            _ => None,
        }
    }

    /// `java.lang.String`; arrays stay descriptors.
    pub fn binary_name(&self) -> String {
        JvmStr::new(&self.name).to_binary_name()
    }

    pub fn is_missing(&self) -> bool {
        matches!(self.shape, Shape::Missing)
    }

    pub fn is_interface(&self) -> bool {
        self.has_access(access::INTERFACE)
    }

    pub(crate) fn is_abstract(&self) -> bool {
        self.has_access(access::ABSTRACT)
    }

    pub fn is_public(&self) -> bool {
        self.has_access(access::PUBLIC)
    }

    /// There can be objects whose class is exactly this.
    /// Nothing can be below it.
    pub(crate) fn is_final(&self) -> bool {
        self.has_access(access::FINAL)
    }

    pub fn is_instantiable(&self) -> bool {
        match &self.shape {
            Shape::Read(_) => !self.is_abstract() && !self.is_interface(),
            Shape::Array(_) => true,
            Shape::Hidden | Shape::Missing => false,
        }
    }

    fn has_access(&self, flag: u16) -> bool {
        self.file().is_some_and(|file| file.access & flag != 0)
    }

    /// The element type of an array type.
    pub(crate) fn element(&self) -> Option<Element> {
        match self.shape {
            Shape::Array(element) => Some(element),
            _ => None,
        }
    }

    /// The methods it declares.
    pub fn methods(&self) -> impl ExactSizeIterator<Item = MethodId> + use<> {
        self.methods.clone().map(MethodId)
    }

    /// The fields it declares.
    pub(crate) fn fields(&self) -> impl ExactSizeIterator<Item = FieldId> + use<> {
        self.fields.clone().map(FieldId)
    }
}

impl World<'_> {
    /// The types of the arrays that an instruction of `class` makes at once: the outermost first, then those in it.
    pub(crate) fn made_arrays(&mut self, class: ClassId, kind: ArrayKind) -> Vec<ClassId> {
        let (outermost, levels) = match kind {
            ArrayKind::Numbers(code) => (Some(self.class(numbers(code))), 1),
            ArrayKind::Of(element) | ArrayKind::EmptyOf(element) => {
                (self.class_ref(class, element).map(|element| self.array_of(element)), 1)
            }
            ArrayKind::Nested { class: array, levels } => (self.class_ref(class, array), levels),
        };
        let inner = |array: &ClassId| match self.class_of(*array).element() {
            Some(Element::Class(element)) => Some(element),
            _ => None,
        };
        std::iter::successors(outermost, inner).take(usize::from(levels)).collect()
    }

    /// The array type whose elements are of this class.
    pub(crate) fn array_of(&mut self, element: ClassId) -> ClassId {
        let name = &self.class_of(element).name;
        let name = if name.first() == Some(&b'[') {
            [b"[", &**name].concat()
        } else {
            [b"[L", &**name, b";"].concat()
        };
        self.class(&name)
    }
}

/// The array class of `newarray`'s operand (JVMS table 6.5.newarray-A).
fn numbers(code: u8) -> &'static [u8] {
    match code {
        4 => b"[Z",
        5 => b"[C",
        6 => b"[F",
        7 => b"[D",
        8 => b"[B",
        9 => b"[S",
        10 => b"[I",
        _ => b"[J",
    }
}
