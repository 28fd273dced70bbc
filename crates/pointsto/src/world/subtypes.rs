//! Subtypes: types that are assignable to others (JVMS §6.5, checkcast).

use super::{Element, Layer, Shape, World};
use crate::cache_format::cached;
use crate::ids::ClassId;

/// The answer whether an object of a class is an instance of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fits {
    Yes,
    No,
    /// Something between the two is missing.
    Maybe,
}

cached! { enum Fits { 0 => Yes, 1 => No, 2 => Maybe } }

/// A class, and whether an object is of exactly this class or perhaps of one below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Typed {
    pub class: ClassId,
    pub is_exact: bool,
}

cached! { struct Typed { class, is_exact } }

impl Typed {
    pub fn exactly(class: ClassId) -> Self {
        Self { class, is_exact: true }
    }

    pub fn at_most(class: ClassId) -> Self {
        Self { class, is_exact: false }
    }
}

impl World<'_> {
    /// Tells whether an object of this type is an instance of `of`.
    pub fn typed_fits(&self, typed: Typed, of: ClassId) -> Fits {
        match self.fits(typed.class, of) {
            Fits::No if !typed.is_exact && self.may_have_common_subclass(typed.class, of) => Fits::Maybe,
            fits => fits,
        }
    }

    /// Nothing is a subclass of two classes unless one is a subclass of the other; of interfaces anything can be one.
    fn may_have_common_subclass(&self, class: ClassId, of: ClassId) -> bool {
        let is_open = |id: ClassId| self.class_of(id).is_interface() || self.class_of(id).is_missing();
        is_open(class) || is_open(of) || self.is_subtype(of, class)
    }

    /// Tells whether objects whose class is exactly `class` are instances of `of`.
    pub fn fits(&self, class: ClassId, of: ClassId) -> Fits {
        if class == of || of == self.object || self.class_of(class).supertypes.binary_search(&of).is_ok() {
            return Fits::Yes;
        }
        match (&self.class_of(class).shape, &self.class_of(of).shape) {
            (Shape::Array(Element::Class(class)), Shape::Array(Element::Class(of))) => self.fits(*class, *of),
            (Shape::Array(_), _) => Fits::No,
            _ if self.is_unsure(class) => Fits::Maybe,
            _ => Fits::No,
        }
    }

    /// The class and all classes above it, narrowest first.
    pub fn lineage(&self, class: ClassId) -> impl Iterator<Item = ClassId> {
        std::iter::successors(Some(class), |class| self.class_of(*class).superclass)
    }

    /// Every instance of `class` is one of `of`, as far as is known.
    pub fn is_subtype(&self, class: ClassId, of: ClassId) -> bool {
        self.fits(class, of) == Fits::Yes
    }

    /// A supertype is missing that may be there when the program runs.
    ///
    /// A library class with a missing superclass is for programs that have another library as well, such as one of five
    /// loggers. An unloadable class is a subtype only of what its file declares, in particular not of `Throwable`.
    pub(crate) fn is_unsure(&self, class: ClassId) -> bool {
        let own = self.class_of(class);
        let is_optional = matches!(own.layer, Layer::Library | Layer::Jdk) && !own.is_missing();
        !is_optional && own.supertypes.iter().any(|above| self.class_of(*above).is_missing())
    }
}
