//! Targets of an `invokedynamic`, by the method that links it.

use super::World;
use crate::ids::{ClassId, FieldId, MethodId};
use catchment_classfile::{Bootstrap, ClassFile, HandleKind, descriptor};
use catchment_ir::{InvokeKind, PoolIndex};

#[derive(Debug)]
pub(crate) enum Dynamic<'a> {
    Lambda(Lambda<'a>),
    /// Asks what is concatenated for its text.
    Concatenation,
    /// A method of a record that asks the same of its components.
    Record {
        name: &'a [u8],
        descriptor: &'static [u8],
        components: Vec<FieldId>,
    },
    /// A switch over patterns, which calls nothing.
    Switch,
    /// A reference to a method that is not there.
    Missing,
    /// A bootstrap method without a model.
    Unknown,
}

/// A lambda or method reference.
#[derive(Debug)]
pub(crate) struct Lambda<'a> {
    /// The class of its objects: the functional interface, or a hidden class that has markers as well.
    pub(crate) class: ClassId,
    /// The name of the interface's method.
    pub(crate) name: &'a [u8],
    /// The descriptor of the interface's method as it is declared.
    pub(crate) erased: &'a [u8],
    /// The same with the types that it has here: what is given is cast to them.
    pub(crate) instantiated: &'a [u8],
    /// The method that the lambda stands for.
    pub(crate) target: MethodId,
    /// The class that names it.
    pub(crate) owner: ClassId,
    pub(crate) kind: HandleKind,
}

impl Lambda<'_> {
    pub(crate) fn invoke_kind(&self) -> InvokeKind {
        match self.kind {
            HandleKind::InvokeStatic => InvokeKind::Static,
            HandleKind::InvokeSpecial | HandleKind::NewInvokeSpecial => InvokeKind::Special,
            HandleKind::InvokeInterface => InvokeKind::Interface,
            _ => InvokeKind::Virtual,
        }
    }
}

impl<'a> World<'a> {
    /// The dynamic call `call` of `class`; nothing if it cannot be read.
    pub(crate) fn dynamic(&mut self, class: ClassId, call: PoolIndex) -> Option<Dynamic<'a>> {
        let file = self.class_of(class).file()?;
        let bootstrap = file.bootstrap(call)?;
        let (name, descriptor) = file.pool.dynamic(call).ok()?;
        let factory = bootstrap.method.member.owner;
        Some(if factory == "java/lang/invoke/LambdaMetafactory" {
            let interface = descriptor::returned(descriptor.as_bytes());
            self.lambda(class, &bootstrap, name.as_bytes(), interface)
                .map_or(Dynamic::Missing, Dynamic::Lambda)
        } else if factory == "java/lang/invoke/StringConcatFactory" {
            Dynamic::Concatenation
        } else if factory == "java/lang/runtime/ObjectMethods" {
            let components = self.components(class, &bootstrap);
            let name = name.as_bytes();
            let descriptor: &[u8] = match name {
                b"toString" => b"()Ljava/lang/String;",
                b"hashCode" => b"()I",
                _ => b"(Ljava/lang/Object;)Z",
            };
            Dynamic::Record { name, descriptor, components }
        } else if factory == "java/lang/runtime/SwitchBootstraps" {
            Dynamic::Switch
        } else {
            Dynamic::Unknown
        })
    }

    fn lambda(
        &mut self,
        class: ClassId,
        bootstrap: &Bootstrap<'a>,
        name: &'a [u8],
        interface: &[u8],
    ) -> Option<Lambda<'a>> {
        let file = self.class_of(class).file()?;
        // The static arguments: the interface's method as it is declared, what the lambda does, its types as they are
        // here.
        let [erased, handle, instantiated, ..] = bootstrap.arguments[..] else { return None };
        let type_at = |file: &ClassFile<'a>, index| file.pool.method_type(index).ok().map(|it| it.as_bytes());
        let (erased, instantiated) = (type_at(file, erased)?, type_at(file, instantiated)?);
        let handle = file.pool.method_handle(handle)?;
        let target = self.method_named(handle.member)?;
        let owner = self.class(handle.member.owner.as_bytes());
        let class = self.class_of_lambda(class, bootstrap, interface)?;
        Some(Lambda { class, name, erased, instantiated, target, owner, kind: handle.kind })
    }

    /// The functional interface, with what else `altMetafactory` is told that the lambda implements.
    fn class_of_lambda(
        &mut self,
        class: ClassId,
        bootstrap: &Bootstrap<'a>,
        interface: &[u8],
    ) -> Option<ClassId> {
        let interface = self.class_of_descriptor(interface)?;
        let markers = self.markers(class, bootstrap.arguments.get(3..).unwrap_or_default());
        let mut all = vec![interface];
        for marker in markers {
            if !self.class_of(marker).is_missing() && !all.iter().any(|it| self.is_subtype(*it, marker)) {
                all.push(marker);
            }
        }
        // Of a missing interface nothing is known, and that is said by itself.
        let is_plain = all.len() == 1 || self.class_of(interface).is_missing();
        Some(if is_plain { interface } else { self.hidden_class(&all) })
    }

    /// Interfaces among the arguments behind those that every lambda has: flags, and a number of markers if the flags
    /// say so.
    fn markers(&mut self, class: ClassId, arguments: &[PoolIndex]) -> Vec<ClassId> {
        const SERIALIZABLE: u32 = 1;
        const MARKERS: u32 = 2;
        let number = |world: &Self, index: PoolIndex| match world.class_of(class).file()?.pool.raw(index)? {
            (3, bytes) => Some(u32::from_be_bytes(bytes.try_into().ok()?)),
            _ => None,
        };
        let mut markers = Vec::new();
        let flags = arguments.first().and_then(|index| number(self, *index)).unwrap_or(0);
        if flags & SERIALIZABLE != 0 {
            markers.push(self.class(b"java/io/Serializable"));
        }
        if let (true, [_, count, rest @ ..]) = (flags & MARKERS != 0, arguments) {
            let count = number(self, *count).unwrap_or(0) as usize;
            markers.extend(rest.iter().take(count).filter_map(|index| self.class_ref(class, *index)));
        }
        markers
    }

    /// The components of a record that are no numbers.
    fn components(&mut self, class: ClassId, bootstrap: &Bootstrap<'a>) -> Vec<FieldId> {
        let Some(file) = self.class_of(class).file() else { return Vec::new() };
        let getters: Vec<_> =
            bootstrap.arguments.iter().filter_map(|index| file.pool.method_handle(*index)).collect();
        let fields: Vec<_> =
            getters.into_iter().filter_map(|getter| self.field_named(getter.member)).collect();
        fields.into_iter().filter(|field| self.field(*field).is_reference).collect()
    }
}
