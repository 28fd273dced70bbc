//! Reflective methods of the JDK, and the objects that their calls wait for.

use crate::cache_format::cached;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    ForName,
    LoadClass,
    NewInstance,
    GetConstructor,
    GetConstructors,
    Construct,
    GetMethod,
    Invoke,
    GetField,
    ReadField,
    WriteField,
    NewArray,
    NewProxy,
    HandlerOfProxy,
    LoadService,
    FindHandle,
    FindConstructor,
    FindFieldHandle,
    FindVarHandle,
    Unreflect,
    InvokeHandle,
    AccessVariable,
}

cached! {
    enum Action {
        0 => ForName,
        1 => LoadClass,
        2 => NewInstance,
        3 => GetConstructor,
        4 => GetConstructors,
        5 => Construct,
        6 => GetMethod,
        7 => Invoke,
        8 => GetField,
        9 => ReadField,
        10 => WriteField,
        11 => NewArray,
        12 => NewProxy,
        13 => LoadService,
        14 => FindHandle,
        15 => FindConstructor,
        16 => FindFieldHandle,
        17 => FindVarHandle,
        18 => Unreflect,
        19 => InvokeHandle,
        20 => AccessVariable,
        21 => HandlerOfProxy,
    }
}

/// The position of the objects that say what is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watched {
    Receiver,
    Argument(usize),
    /// The elements of the array in an argument.
    Elements(usize),
}

/// Classes that declare reflective methods.
pub(crate) const CLASSES: [&str; 9] = [
    "java/lang/Class",
    "java/lang/ClassLoader",
    "java/lang/reflect/Constructor",
    "java/lang/reflect/Method",
    "java/lang/reflect/Field",
    "java/lang/reflect/Array",
    "java/lang/reflect/Proxy",
    "java/util/ServiceLoader",
    "java/lang/invoke/MethodHandles$Lookup",
];

impl Action {
    /// Tells whether the objects say what the call returns, so that the JDK's own code need not.
    pub(crate) fn replaces_result(self) -> bool {
        !matches!(self, Self::LoadService | Self::HandlerOfProxy)
    }

    /// Tells whether it does something with what was found, rather than find it.
    pub(crate) fn is_use(self) -> bool {
        matches!(
            self,
            Self::ForName
                | Self::NewInstance
                | Self::Construct
                | Self::Invoke
                | Self::ReadField
                | Self::WriteField
                | Self::NewProxy
                | Self::LoadService
                | Self::InvokeHandle
                | Self::AccessVariable
        )
    }

    /// The argument that is the name of the member, for calls that ask for one by its name.
    pub(crate) fn name_argument(self) -> Option<usize> {
        match self {
            Self::GetMethod | Self::GetField => Some(0),
            Self::FindHandle | Self::FindFieldHandle | Self::FindVarHandle => Some(1),
            _ => None,
        }
    }

    /// The argument that is an array with the arguments of the member.
    pub(crate) fn array_of_arguments(self) -> Option<usize> {
        match self {
            Self::Construct => Some(0),
            Self::Invoke => Some(1),
            _ => None,
        }
    }
}

/// The action of a call of a method of this class that no class declares as it is called.
pub(crate) fn of_polymorphic(class: &[u8]) -> Option<Action> {
    match class {
        b"java/lang/invoke/MethodHandle" => Some(Action::InvokeHandle),
        b"java/lang/invoke/VarHandle" => Some(Action::AccessVariable),
        _ => None,
    }
}

/// The action of a call of this method.
pub(crate) fn find(class: &[u8], name: &[u8], descriptor: &[u8]) -> Option<(Action, Watched)> {
    use Watched::{Argument, Elements, Receiver};
    Some(match (class, name) {
        (b"java/lang/Class", _) => of_class(name, descriptor)?,
        (b"java/lang/ClassLoader", b"loadClass" | b"findSystemClass") => (Action::LoadClass, Argument(0)),
        (b"java/lang/reflect/Constructor", b"newInstance") => (Action::Construct, Receiver),
        (b"java/lang/reflect/Method", b"invoke") => (Action::Invoke, Receiver),
        (b"java/lang/reflect/Field", b"get") => (Action::ReadField, Receiver),
        (b"java/lang/reflect/Field", b"set") => (Action::WriteField, Receiver),
        (b"java/lang/reflect/Array", b"newInstance") => (Action::NewArray, Argument(0)),
        (b"java/lang/reflect/Proxy", b"newProxyInstance") => (Action::NewProxy, Elements(1)),
        (b"java/lang/reflect/Proxy", b"getInvocationHandler") => (Action::HandlerOfProxy, Argument(0)),
        (b"java/util/ServiceLoader", b"load" | b"loadInstalled") => {
            let is_layered = descriptor.starts_with(b"(Ljava/lang/ModuleLayer;");
            (Action::LoadService, Argument(usize::from(is_layered)))
        }
        (b"java/lang/invoke/MethodHandles$Lookup", _) => of_lookup(name)?,
        _ => return None,
    })
}

fn of_class(name: &[u8], descriptor: &[u8]) -> Option<(Action, Watched)> {
    use Watched::{Argument, Receiver};
    Some(match name {
        b"forName" if descriptor.starts_with(b"(Ljava/lang/Module;") => (Action::LoadClass, Argument(1)),
        b"forName" => (Action::ForName, Argument(0)),
        b"newInstance" => (Action::NewInstance, Receiver),
        b"getConstructor" | b"getDeclaredConstructor" => (Action::GetConstructor, Receiver),
        b"getConstructors" | b"getDeclaredConstructors" => (Action::GetConstructors, Receiver),
        b"getMethod" | b"getDeclaredMethod" => (Action::GetMethod, Receiver),
        b"getField" | b"getDeclaredField" => (Action::GetField, Receiver),
        _ => return None,
    })
}

fn of_lookup(name: &[u8]) -> Option<(Action, Watched)> {
    use Watched::Argument;
    Some(match name {
        b"findClass" => (Action::LoadClass, Argument(0)),
        b"findVirtual" | b"findStatic" => (Action::FindHandle, Argument(0)),
        b"findConstructor" => (Action::FindConstructor, Argument(0)),
        b"findGetter" | b"findSetter" | b"findStaticGetter" | b"findStaticSetter" => {
            (Action::FindFieldHandle, Argument(0))
        }
        b"findVarHandle" | b"findStaticVarHandle" => (Action::FindVarHandle, Argument(0)),
        b"unreflect" | b"unreflectConstructor" => (Action::Unreflect, Argument(0)),
        _ => return None,
    })
}
