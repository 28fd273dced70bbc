//! Small numbers for the parts of a program.

use crate::cache_format::cached;

macro_rules! ids {
    ($($(#[$doc:meta])* $visible:vis $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visible struct $name($visible u32);

        impl $name {
            $visible fn index(self) -> usize {
                self.0 as usize
            }

            /// The number of the `index`-th of its kind. There are never four thousand million.
            $visible fn new(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }

        cached! { struct $name(number) }
    )*};
}

ids! {
    /// A class, interface or array type.
    pub ClassId,
    /// A method as its class declares it.
    pub MethodId,
    /// A field as its class declares it.
    pub FieldId,
    /// Name and descriptor of a method.
    pub SelectorId,
    /// A set of objects in the constraint graph: of a variable, a field of an object, the exceptions that a method
    /// throws.
    pub NodeId,
    /// A method in one context.
    pub InstanceId,
    /// The context of an instance of a method.
    pub(crate) ContextId,
}

/// An abstract object: all that one site of the program makes, in one context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ObjectId(pub(crate) u32);

cached! { struct ObjectId(number) }
