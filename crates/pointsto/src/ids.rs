//! Small numbers for what a program is made of.

use crate::cache_format::cached;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The number of the `index`-th thing of its kind. There are never four thousand million.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).unwrap_or(u32::MAX))
            }
        }

        cached! { struct $name(number) }
    )*};
}

ids! {
    /// A class, interface or array type.
    ClassId,
    /// A method as its class declares it.
    MethodId,
    /// A field as its class declares it.
    FieldId,
    /// Name and descriptor of a method.
    SelectorId,
    /// An abstract object: all that one place of the program makes, in one context.
    ObjectId,
    /// A set of objects in the constraint graph: of a variable, a field of an object, what a method throws.
    NodeId,
    /// A method in one context.
    InstanceId,
    /// The context of an instance of a method.
    ContextId,
}
