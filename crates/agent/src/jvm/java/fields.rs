//! Fields of throwables, read and written without running any code of the application.
#![expect(unsafe_code, reason = "JNI is raw pointers")]

use super::{Class, Field, Java, KnownField, Object, Throwable, Value};
use jvmti_bindings::prelude::*;

const MODIFIER_STATIC: jni::jint = 0x8;

/// The new value of a field.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NewValue<'a> {
    Null,
    Text(&'a str),
    Bits(u64),
    Exception(Throwable<'a>),
}

impl<'j> Java<'j> {
    /// The fields of the object that are declared in classes below `Throwable`, each with the name of its class.
    pub(crate) fn own_fields(&self, class: Class<'j>) -> Vec<(String, Field<'j>)> {
        let mut fields = Vec::new();
        let mut next = Some(class);
        while let Some(class) = next.filter(|class| self.is_throwable(*class)) {
            // SAFETY: live handles.
            if unsafe { self.jni.is_same_object(class.0.0, self.members.throwable.raw()) } {
                break;
            }
            let name = self.class_name(class);
            fields.extend(self.declared_fields(class).into_iter().map(|field| (name.clone(), field)));
            next = self.superclass(class);
        }
        fields
    }

    fn declared_fields(&self, class: Class<'j>) -> Vec<Field<'j>> {
        // SAFETY: a live handle, and the ids it gives.
        let ids = unsafe { self.jvmti.get_class_fields(class.0.0) }.unwrap_or_default();
        let field = |id| {
            // SAFETY: the field was just found in this live class.
            let (flags, names) = unsafe {
                (self.jvmti.get_field_modifiers(class.0.0, id), self.jvmti.get_field_name(class.0.0, id))
            };
            let (name, descriptor, _) = names.ok()?;
            (flags.ok()? & MODIFIER_STATIC == 0).then_some(Field { class, id, name, descriptor })
        };
        ids.into_iter().filter_map(field).collect()
    }

    pub(crate) fn remember_field(&self, field: &Field<'j>) -> Option<KnownField> {
        let class = self.remember(field.class)?;
        Some(KnownField { class, id: field.id, descriptor: field.descriptor.clone() })
    }

    /// `None` when the object has no such field.
    pub(crate) fn value_of(&self, object: Throwable<'j>, field: &Field<'j>) -> Option<Value<'j>> {
        if !self.is_subclass(self.class_of(object), field.class) {
            return None;
        }
        let (jni, raw, id) = (self.jni, object.0.0, field.id);
        // SAFETY: the object has the field (checked), which is of the type in the descriptor.
        unsafe {
            Some(match field.descriptor.as_bytes().first()? {
                b'Z' => Value::Bits(jni.get_boolean_field(raw, id).into()),
                b'B' => Value::Bits(jni.get_byte_field(raw, id) as u64),
                b'C' => Value::Bits(jni.get_char_field(raw, id).into()),
                b'S' => Value::Bits(jni.get_short_field(raw, id) as u64),
                b'I' => Value::Bits(jni.get_int_field(raw, id) as u64),
                b'J' => Value::Bits(jni.get_long_field(raw, id) as u64),
                b'F' => Value::Bits(jni.get_float_field(raw, id).to_bits().into()),
                b'D' => Value::Bits(jni.get_double_field(raw, id).to_bits()),
                _ => Value::Object(self.object(jni.get_object_field(raw, id))),
            })
        }
    }

    /// The characters of a string; `None` for any other object.
    pub(crate) fn text_of(&self, object: Object<'j>) -> Option<String> {
        // SAFETY: live handles; read as a string only if it is one.
        unsafe {
            let is_string = self.jni.is_instance_of(object.0, self.members.string.raw());
            is_string.then(|| self.jni.get_string_lossy(object.0)).flatten()
        }
    }

    pub(crate) fn as_throwable(&self, object: Object<'j>) -> Option<Throwable<'j>> {
        self.is_throwable(self.class_of(object)).then_some(Throwable(object))
    }

    /// Sets a field to raw bits (of its own width), or to text, an exception or null. `None` when that does not fit.
    pub(crate) fn set_field(
        &self,
        object: Throwable<'j>,
        field: &KnownField,
        value: NewValue<'_>,
    ) -> Option<()> {
        let class = self.recall(&field.class).ok()?;
        if !self.is_subclass(self.class_of(object), class) {
            return None;
        }
        let (jni, raw, id) = (self.jni, object.0.0, field.id);
        // SAFETY: the object has the field (checked), which is of the type in the descriptor.
        unsafe {
            match (field.descriptor.as_str(), value) {
                ("Z", NewValue::Bits(bits)) => jni.set_boolean_field(raw, id, bits & 1 != 0),
                ("B", NewValue::Bits(bits)) => jni.set_byte_field(raw, id, bits as jni::jbyte),
                ("C", NewValue::Bits(bits)) => jni.set_char_field(raw, id, bits as jni::jchar),
                ("S", NewValue::Bits(bits)) => jni.set_short_field(raw, id, bits as jni::jshort),
                ("I", NewValue::Bits(bits)) => jni.set_int_field(raw, id, bits as jni::jint),
                ("J", NewValue::Bits(bits)) => jni.set_long_field(raw, id, bits as jni::jlong),
                ("F", NewValue::Bits(bits)) => jni.set_float_field(raw, id, f32::from_bits(bits as u32)),
                ("D", NewValue::Bits(bits)) => jni.set_double_field(raw, id, f64::from_bits(bits)),
                (descriptor, NewValue::Text(text)) if takes_strings(descriptor) => {
                    jni.set_object_field(raw, id, self.string(text)?.0);
                }
                (descriptor, NewValue::Exception(exception)) if self.takes(class, descriptor, exception) => {
                    jni.set_object_field(raw, id, exception.0.0);
                }
                (descriptor, NewValue::Null) if descriptor.starts_with(['L', '[']) => {
                    jni.set_object_field(raw, id, std::ptr::null_mut());
                }
                _ => return None,
            }
        }
        Some(())
    }
}

impl<'j> Java<'j> {
    /// True if a field of this type, declared in this class, can hold the exception.
    fn takes(&self, declaring: Class<'j>, descriptor: &str, exception: Throwable<'_>) -> bool {
        let name = descriptor.strip_prefix('L').and_then(|name| name.strip_suffix(';'));
        let Some(name) = name else { return false };
        let Ok(class) = self.load(&name.replace('/', "."), self.loader_of(declaring)) else { return false };
        // SAFETY: live handles.
        unsafe { self.jni.is_instance_of(exception.0.0, class.0.0) }
    }
}

fn takes_strings(descriptor: &str) -> bool {
    ["Ljava/lang/String;", "Ljava/lang/Object;", "Ljava/lang/CharSequence;", "Ljava/io/Serializable;"]
        .contains(&descriptor)
        || descriptor == "Ljava/lang/Comparable;"
}
