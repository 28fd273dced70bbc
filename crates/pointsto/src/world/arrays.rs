//! Array types as instructions make them.

use super::{Element, World};
use crate::ids::ClassId;
use catchment_ir::ArrayKind;

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
