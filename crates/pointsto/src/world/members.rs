//! Methods and fields as their classes declare them.

use super::{Layer, World};
use crate::cache_format::cached;
use crate::ids::{ClassId, FieldId, MethodId, SelectorId};
use catchment_classfile::{JvmStr, Member, access, descriptor};
use catchment_ir::InvokeKind;

/// A bit of the access flags that class files have no use for.
const MODELLED: u16 = 0x8000;

#[derive(Debug, Clone, Copy)]
pub struct Method {
    pub class: ClassId,
    /// Position in the class file.
    pub position: u16,
    pub access: u16,
    pub selector: SelectorId,
}

cached! { struct Method { class, position, access, selector } }

impl Method {
    pub fn is_static(&self) -> bool {
        self.access & access::STATIC != 0
    }

    pub fn is_native(&self) -> bool {
        self.access & access::NATIVE != 0
    }

    /// The effects of the method are known from elsewhere than its code.
    pub(crate) fn is_modelled(&self) -> bool {
        self.access & MODELLED != 0
    }

    pub fn is_abstract(&self) -> bool {
        self.access & access::ABSTRACT != 0
    }

    /// Tells whether a class below may have its own, whatever package it is in.
    pub(crate) fn is_for_all_to_override(&self) -> bool {
        self.access & (access::PUBLIC | access::FINAL) == access::PUBLIC
    }

    pub fn is_private(&self) -> bool {
        self.access & access::PRIVATE != 0
    }

    /// Tells whether nobody but classes of its own package can see it, and override it.
    pub(crate) fn is_for_package(&self) -> bool {
        self.access & (access::PUBLIC | access::PROTECTED | access::PRIVATE | access::STATIC) == 0
    }

    /// The kind by which a call of the method finds its target. A private method is the one that is meant, however it
    /// is called (JVMS §5.4.6): compilers call those of the same nest virtually, and a class below may have another of
    /// that name.
    pub(crate) fn called_as(&self, kind: InvokeKind) -> InvokeKind {
        match kind {
            InvokeKind::Virtual | InvokeKind::Interface if self.is_private() => InvokeKind::Special,
            other => other,
        }
    }

    /// Can be called by who only knows the public face of its class, or extends it.
    pub fn is_api(&self) -> bool {
        self.access & (access::PUBLIC | access::PROTECTED) != 0
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub(crate) class: ClassId,
    /// Position in the class file.
    pub(crate) position: u16,
    pub(crate) is_static: bool,
    /// Holds references, not numbers.
    pub(crate) is_reference: bool,
}

cached! { struct Field { class, position, is_static, is_reference } }

impl<'a> World<'a> {
    /// All methods of this name in this class do something that their code does not say.
    pub(crate) fn mark_modelled(&mut self, class: ClassId, name: &[u8]) {
        let found: Vec<MethodId> = self.declared_by_name(class, name).collect();
        for method in found {
            self.methods[method.index()].access |= MODELLED;
        }
    }

    /// Tells whether it is a method of the program, its libraries included, and not of the JDK.
    pub(crate) fn is_of_program(&self, method: MethodId) -> bool {
        self.class_of(self.method(method).class).layer != Layer::Jdk
    }

    /// The member of its class file.
    pub fn member_of(&self, method: MethodId) -> Option<&Member<'a>> {
        let method = self.method(method);
        self.class_of(method.class).file()?.methods.get(usize::from(method.position))
    }

    /// Name of a method without its descriptor.
    pub fn name_of(&self, method: MethodId) -> &'a [u8] {
        self.member_of(method).map_or(b"", |member| member.name.as_bytes())
    }

    pub fn descriptor_of(&self, method: MethodId) -> &'a [u8] {
        self.member_of(method).map_or(b"", |member| member.descriptor.as_bytes())
    }

    /// The class, interface or array that a method returns; nothing if it returns a number or nothing.
    pub(crate) fn returned_class(&mut self, method: MethodId) -> Option<ClassId> {
        let returned = descriptor::returned(self.descriptor_of(method));
        self.class_of_descriptor(returned)
    }

    /// The classes behind a method's `throws`.
    pub fn declared_exceptions(&mut self, method: MethodId) -> Vec<ClassId> {
        let declared = *self.method(method);
        let Some(file) = self.class_of(declared.class).file() else { return Vec::new() };
        let Some(member) = file.methods.get(usize::from(declared.position)) else { return Vec::new() };
        let names: Vec<JvmStr<'_>> = member.declared_exceptions(&file.pool).filter_map(Result::ok).collect();
        names.iter().map(|name| self.class(name.as_bytes())).collect()
    }

    /// Tells whether callers may give it any number of arguments, which it finds in an array, its last parameter.
    pub(crate) fn takes_any_number(&self, method: MethodId) -> bool {
        let last = descriptor::parameters(self.descriptor_of(method)).last();
        self.method(method).access & access::VARARGS != 0 && last.is_some_and(|last| last.starts_with(b"["))
    }

    /// The type that a field descriptor names; nothing for numbers.
    pub fn class_of_descriptor(&mut self, descriptor: &[u8]) -> Option<ClassId> {
        match descriptor {
            [b'L', name @ .., b';'] => Some(self.class(name)),
            [b'[', ..] => Some(self.class(descriptor)),
            _ => None,
        }
    }

    /// A field's declared type; nothing for numbers.
    pub(crate) fn field_class(&mut self, field: FieldId) -> Option<ClassId> {
        let Field { class, position, .. } = *self.field(field);
        let member = self.class_of(class).file()?.fields.get(usize::from(position))?;
        let descriptor = member.descriptor.as_bytes();
        self.class_of_descriptor(descriptor)
    }

    /// Name of a field.
    pub(crate) fn field_name(&self, field: FieldId) -> &'a [u8] {
        let Field { class, position, .. } = *self.field(field);
        let member = self.class_of(class).file().and_then(|file| file.fields.get(usize::from(position)));
        member.map_or(b"", |member| member.name.as_bytes())
    }

    /// A method that a class itself declares.
    pub fn declared(&self, class: ClassId, selector: SelectorId) -> Option<MethodId> {
        self.class_of(class).methods().find(|method| self.method(*method).selector == selector)
    }

    /// A method that a class itself declares, by the names in the class file.
    pub fn declared_as(&mut self, class: ClassId, name: &[u8], descriptor: &[u8]) -> Option<MethodId> {
        let selector = self.selector(name, descriptor);
        self.declared(class, selector)
    }

    /// All methods of this name that a class itself declares.
    pub fn declared_by_name<'w>(
        &'w self,
        class: ClassId,
        name: &'w [u8],
    ) -> impl Iterator<Item = MethodId> + 'w {
        self.class_of(class).methods().filter(move |method| self.name_of(*method) == name)
    }

    /// The fields of an object of this class that hold references, those of the classes above included.
    pub(crate) fn reference_fields(&self, class: ClassId) -> Vec<FieldId> {
        let above = self.class_of(class).supertypes.iter().flat_map(|above| self.class_of(*above).fields());
        above.filter(|field| !self.field(*field).is_static && self.field(*field).is_reference).collect()
    }
}
