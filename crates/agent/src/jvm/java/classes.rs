//! Classes: what they are called, what is above and below them, and how to get more of them.
#![expect(unsafe_code, reason = "JNI is raw pointers")]

use super::{Class, Constructor, Java, Object, no_memory};
use jvmti_bindings::prelude::*;
use std::collections::BTreeMap;
use std::marker::PhantomData;

const MODIFIER_PUBLIC: jni::jint = 0x1;
const MODIFIER_PRIVATE: jni::jint = 0x2;
const MODIFIER_ABSTRACT: jni::jint = 0x400;

/// Name and descriptor of a method, and whether it is abstract.
type Declared = ((String, String), bool);

impl<'j> Java<'j> {
    pub(crate) fn class_of(&self, object: impl Into<Object<'j>>) -> Class<'j> {
        // SAFETY: a live handle; every object has a class.
        Class(Object(unsafe { self.jni.get_object_class(object.into().0) }, PhantomData))
    }

    /// Binary name with dots. A hidden class has a slash or a dot before its number.
    pub(crate) fn class_name(&self, class: Class<'j>) -> String {
        // SAFETY: a live handle.
        let signature = unsafe { self.jvmti.get_class_signature(class.0.0) };
        let name = signature.map(|(name, _)| name).unwrap_or_default();
        name.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(&name).replace('/', ".")
    }

    pub(crate) fn name_of(&self, object: impl Into<Object<'j>>) -> String {
        self.class_name(self.class_of(object))
    }

    pub(crate) fn superclass(&self, class: Class<'j>) -> Option<Class<'j>> {
        // SAFETY: a live handle.
        unsafe { self.jni.get_superclass(class.0.0).and_then(|found| self.class(found)) }
    }

    pub(crate) fn interfaces(&self, class: Class<'j>) -> Vec<Class<'j>> {
        // SAFETY: a live handle, and the ones it gives.
        let found = unsafe { self.jvmti.get_implemented_interfaces(class.0.0) }.unwrap_or_default();
        // SAFETY: live classes, just given by the JVM.
        found.into_iter().filter_map(|raw| unsafe { self.class(raw) }).collect()
    }

    pub(crate) fn is_abstract(&self, class: Class<'j>) -> bool {
        // SAFETY: a live handle.
        unsafe { self.jvmti.get_class_modifiers(class.0.0) }.is_ok_and(|flags| flags & MODIFIER_ABSTRACT != 0)
    }

    pub(crate) fn is_throwable(&self, class: Class<'j>) -> bool {
        // SAFETY: live handles.
        unsafe { self.jni.is_assignable_from(class.0.0, self.members.throwable.raw()) }
    }

    pub(crate) fn is_subclass(&self, class: Class<'j>, of: Class<'j>) -> bool {
        // SAFETY: live handles.
        unsafe { self.jni.is_assignable_from(class.0.0, of.0.0) }
    }

    /// `None`: the boot loader.
    pub(crate) fn loader_of(&self, class: Class<'j>) -> Option<Object<'j>> {
        // SAFETY: a live handle, and the one it gives.
        unsafe { self.jvmti.get_class_loader(class.0.0).ok().and_then(|loader| self.object(loader)) }
    }

    /// Loads and initialises, which runs code of the application.
    pub(crate) fn load(&self, name: &str, loader: Option<Object<'j>>) -> Result<Class<'j>, String> {
        let members = self.members;
        let text = self.string(name).ok_or_else(no_memory)?;
        let arguments = [
            jni::jvalue { l: text.0 },
            jni::jvalue { z: jni::JNI_TRUE },
            jni::jvalue { l: loader.map_or(std::ptr::null_mut(), |loader| loader.0) },
        ];
        // SAFETY: a static method of `Class` with its arguments, and the class it gives.
        let loaded = unsafe {
            let raw = self.jni.call_static_object_method(members.class.raw(), members.for_name, &arguments);
            self.checked(raw)?;
            self.class(raw)
        };
        loaded.ok_or_else(no_memory)
    }

    /// Defines a class in a loader and a package of the caller's choice. `None` when the JVM refuses.
    pub(crate) fn define(&self, name: &str, loader: Option<Object<'j>>, bytes: &[u8]) -> Option<Class<'j>> {
        let loader = loader.map_or(std::ptr::null_mut(), |loader| loader.0);
        // SAFETY: null or a live handle of a loader.
        let defined = unsafe { self.jni.define_class(&name.replace('.', "/"), loader, bytes) };
        self.jni.exception_clear();
        // SAFETY: the class just defined.
        defined.and_then(|raw| unsafe { self.class(raw) })
    }

    /// The classes that may extend a sealed class, in the order of its declaration; empty for others.
    pub(crate) fn permitted_subclasses(&self, class: Class<'j>) -> Vec<Class<'j>> {
        let Some(method) = self.members.permitted_subclasses else { return Vec::new() };
        // SAFETY: a method of `Class` without arguments; the array it gives holds classes.
        unsafe {
            let array = self.jni.call_object_method(class.0.0, method, &[]);
            if self.take_thrown().is_some() || array.is_null() {
                return Vec::new();
            }
            let indices = 0..self.jni.get_array_length(array);
            indices.filter_map(|index| self.class(self.jni.get_object_array_element(array, index))).collect()
        }
    }

    pub(crate) fn constructors(&self, class: Class<'j>) -> Vec<Constructor> {
        // SAFETY: a live handle, and the ids it gives.
        let methods = unsafe { self.jvmti.get_class_methods(class.0.0) }.unwrap_or_default();
        let Some(known) = self.remember(class) else { return Vec::new() };
        let mut found = Vec::new();
        for id in methods {
            // SAFETY: the method was just found in this live class.
            let (name, flags) =
                unsafe { (self.jvmti.get_method_name(id), self.jvmti.get_method_modifiers(id)) };
            let (Ok((name, descriptor, _)), Ok(flags)) = (name, flags) else { continue };
            if name == "<init>" {
                let (is_public, is_private) = (flags & MODIFIER_PUBLIC != 0, flags & MODIFIER_PRIVATE != 0);
                found.push(Constructor { class: known.clone(), id, descriptor, is_public, is_private });
            }
        }
        found
    }

    /// Names and descriptors of the methods that a concrete subclass would have to implement.
    pub(crate) fn unimplemented_methods(&self, class: Class<'j>) -> Vec<(String, String)> {
        let classes: Vec<_> = std::iter::successors(Some(class), |class| self.superclass(*class)).collect();
        let mut interfaces: Vec<_> = classes.iter().flat_map(|class| self.interfaces(*class)).collect();
        let mut next = 0;
        while let Some(interface) = interfaces.get(next) {
            interfaces.extend(self.interfaces(*interface));
            next += 1;
        }
        let declared = |types: Vec<Class<'j>>| -> Vec<_> {
            types.into_iter().flat_map(|each| self.declared_methods(each)).collect()
        };
        abstract_methods(declared(classes), declared(interfaces))
    }

    fn declared_methods(&self, class: Class<'j>) -> Vec<Declared> {
        // SAFETY: a live handle, and the ids it gives.
        let methods = unsafe { self.jvmti.get_class_methods(class.0.0) }.unwrap_or_default();
        let signature = |id| {
            // SAFETY: the method was just found in this live class.
            let (names, flags) =
                unsafe { (self.jvmti.get_method_name(id), self.jvmti.get_method_modifiers(id)) };
            let (name, descriptor, _) = names.ok()?;
            Some(((name, descriptor), flags.ok()? & MODIFIER_ABSTRACT != 0))
        };
        methods.into_iter().filter_map(signature).collect()
    }
}

/// Methods that are left abstract. Those of classes come before those of the classes above: the first declaration
/// decides. What no class declares is up to the interfaces, of which one with a default is enough.
fn abstract_methods(of_classes: Vec<Declared>, of_interfaces: Vec<Declared>) -> Vec<(String, String)> {
    let mut decided: BTreeMap<(String, String), bool> = BTreeMap::new();
    for (signature, is_abstract) in of_classes {
        decided.entry(signature).or_insert(is_abstract);
    }
    let mut open: BTreeMap<(String, String), bool> = BTreeMap::new();
    for (signature, is_abstract) in of_interfaces {
        if !decided.contains_key(&signature) {
            *open.entry(signature).or_insert(true) &= is_abstract;
        }
    }
    decided.append(&mut open);
    decided.into_iter().filter(|(_, is_abstract)| *is_abstract).map(|(signature, _)| signature).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_declaration_says_whether_a_method_is_missing() {
        let method = |name: &str, is_abstract| ((name.to_owned(), "()V".to_owned()), is_abstract);
        let classes =
            [("again", true), ("there", false), ("again", false), ("there", true), ("inherited", false)];
        let interfaces =
            [("inherited", true), ("wanted", true), ("given", true), ("given", false), ("again", false)];
        let declared = |all: [(&str, bool); 5]| all.map(|(name, is)| method(name, is)).to_vec();
        let missing = abstract_methods(declared(classes), declared(interfaces));
        assert_eq!(missing.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["again", "wanted"]);
    }
}
