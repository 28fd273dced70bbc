//! The JVM as one running callback or native method sees it: safe calls over handles that cannot outlive it.
//!
//! Everything here clears the Java exception it may leave behind. Whether a call runs code of the application is said
//! where it may.
#![expect(unsafe_code, reason = "JNI is raw pointers")]

use super::members::LabMembers;
use jvmti_bindings::prelude::*;
use std::fmt;
use std::marker::PhantomData;

const MODIFIER_PUBLIC: jni::jint = 0x1;
const MODIFIER_STATIC: jni::jint = 0x8;
const MODIFIER_ABSTRACT: jni::jint = 0x400;

/// The JVMTI environment of this agent, which all threads share.
#[derive(Clone, Copy)]
pub(crate) struct SharedJvmti(*mut jvmti::jvmtiEnv);

// SAFETY: a JVMTI environment may be used on every thread and is never disposed of.
unsafe impl Send for SharedJvmti {}
// SAFETY: as above.
unsafe impl Sync for SharedJvmti {}

impl fmt::Debug for SharedJvmti {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SharedJvmti")
    }
}

impl SharedJvmti {
    pub(crate) fn new(jvmti: &Jvmti) -> Self {
        Self(jvmti.raw())
    }

    fn get(self) -> Jvmti {
        // SAFETY: the environment this value was made from.
        unsafe { Jvmti::from_raw(self.0) }
    }
}

/// A live local reference that is not null.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Object<'j>(jni::jobject, PhantomData<&'j JniEnv>);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Class<'j>(Object<'j>);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Throwable<'j>(Object<'j>);

impl<'j> From<Class<'j>> for Object<'j> {
    fn from(class: Class<'j>) -> Self {
        class.0
    }
}

impl<'j> From<Throwable<'j>> for Object<'j> {
    fn from(throwable: Throwable<'j>) -> Self {
        throwable.0
    }
}

/// Keeps an object alive and usable on every thread, until dropped.
pub(crate) struct Global(GlobalRef);

// SAFETY: global references are valid on every thread, and deleting one finds the environment of its thread itself.
unsafe impl Send for Global {}
// SAFETY: as above.
unsafe impl Sync for Global {}

impl fmt::Debug for Global {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Global")
    }
}

impl Global {
    /// `None` when the JVM has no room for one more.
    pub(super) fn new(jni: &JniEnv, object: jni::jobject) -> Option<Self> {
        // SAFETY: a live handle of the running callback; the JVM outlives every value here.
        unsafe { GlobalRef::new(jni, object) }.ok().map(Self)
    }

    pub(super) fn raw(&self) -> jni::jobject {
        self.0.get()
    }
}

/// A class kept for later.
#[derive(Debug)]
pub(crate) struct GlobalClass(Global);

/// A constructor of a throwable class, known by what it takes.
#[derive(Debug)]
pub(crate) struct Constructor {
    class: GlobalClass,
    id: jni::jmethodID,
    pub(crate) descriptor: String,
    pub(crate) is_public: bool,
}

// SAFETY: the id is valid on every thread as long as the class lives, which the value keeps alive.
unsafe impl Send for Constructor {}
// SAFETY: as above.
unsafe impl Sync for Constructor {}

/// A field of an object.
#[derive(Debug, Clone)]
pub(crate) struct Field<'j> {
    class: Class<'j>,
    id: jni::jfieldID,
    pub(crate) name: String,
    pub(crate) descriptor: String,
}

/// A field known for later, with the class that declares it.
#[derive(Debug)]
pub(crate) struct GlobalField {
    class: GlobalClass,
    id: jni::jfieldID,
    descriptor: String,
}

// SAFETY: the id is valid on every thread as long as the class lives, which the value keeps alive.
unsafe impl Send for GlobalField {}
// SAFETY: as above.
unsafe impl Sync for GlobalField {}

/// The value of a field.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'j> {
    Bits(u64),
    Object(Option<Object<'j>>),
}

pub(crate) struct Java<'j> {
    jni: &'j JniEnv,
    jvmti: Jvmti,
    members: &'static LabMembers,
}

impl fmt::Debug for Java<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Java")
    }
}

impl<'j> Java<'j> {
    pub(crate) fn new(jni: &'j JniEnv, jvmti: SharedJvmti, members: &'static LabMembers) -> Self {
        Self { jni, jvmti: jvmti.get(), members }
    }

    /// # Safety
    /// Null, or a local reference that lives as long as the running callback.
    pub(super) unsafe fn object(&self, raw: jni::jobject) -> Option<Object<'j>> {
        (!raw.is_null()).then_some(Object(raw, PhantomData))
    }

    /// # Safety
    /// As `object`, and an instance of `Throwable`.
    pub(super) unsafe fn throwable(&self, raw: jni::jobject) -> Option<Throwable<'j>> {
        // SAFETY: promised by the caller.
        unsafe { self.object(raw) }.map(Throwable)
    }

    /// # Safety
    /// As `object`, and a class.
    unsafe fn class(&self, raw: jni::jclass) -> Option<Class<'j>> {
        // SAFETY: promised by the caller.
        unsafe { self.object(raw) }.map(Class)
    }

    pub(super) fn raw(object: Object<'j>) -> jni::jobject {
        object.0
    }

    /// What the last call threw, cleared.
    fn take_thrown(&self) -> Option<Throwable<'j>> {
        let thrown = self.jni.exception_occurred()?;
        self.jni.exception_clear();
        // SAFETY: the exception just taken.
        unsafe { self.throwable(thrown) }
    }

    /// The result of a call, or what it threw, as text.
    fn checked<T>(&self, result: T) -> Result<T, String> {
        self.take_thrown().map_or(Ok(result), |thrown| Err(self.describe(thrown)))
    }

    /// Class and stored message; runs no code of the application.
    pub(crate) fn describe(&self, throwable: Throwable<'j>) -> String {
        let class = self.name_of(throwable);
        self.message_field(throwable).map_or_else(|| class.clone(), |message| format!("{class}: {message}"))
    }

    pub(crate) fn is_same(&self, one: impl Into<Object<'j>>, other: impl Into<Object<'j>>) -> bool {
        // SAFETY: live handles.
        unsafe { self.jni.is_same_object(one.into().0, other.into().0) }
    }

    pub(crate) fn is_global(&self, global: &Global, object: Object<'j>) -> bool {
        // SAFETY: live handles.
        unsafe { self.jni.is_same_object(global.raw(), object.0) }
    }

    pub(crate) fn keep(&self, object: impl Into<Object<'j>>) -> Option<Global> {
        Global::new(self.jni, object.into().0)
    }

    pub(crate) fn keep_class(&self, class: Class<'j>) -> Option<GlobalClass> {
        self.keep(class).map(GlobalClass)
    }

    fn local_class(&self, class: &GlobalClass) -> Option<Class<'j>> {
        // SAFETY: a live global reference gives a live local one.
        unsafe { self.class(self.jni.new_local_ref(class.0.raw())) }
    }

    // Classes.

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
        // SAFETY: as above.
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
        let mut found = Vec::new();
        for id in methods {
            // SAFETY: as above.
            let (name, flags) =
                unsafe { (self.jvmti.get_method_name(id), self.jvmti.get_method_modifiers(id)) };
            let (Ok((name, descriptor, _)), Ok(flags)) = (name, flags) else { continue };
            if name == "<init>"
                && let Some(class) = self.keep_class(class)
            {
                found.push(Constructor { class, id, descriptor, is_public: flags & MODIFIER_PUBLIC != 0 });
            }
        }
        found
    }

    // Throwables.

    fn string(&self, text: &str) -> Option<Object<'j>> {
        let made = self.jni.new_string(text);
        self.jni.exception_clear();
        // SAFETY: the string just made.
        made.and_then(|raw| unsafe { self.object(raw) })
    }

    /// An object of this throwable class with nothing set in it.
    pub(crate) fn allocate(&self, class: &GlobalClass) -> Result<Throwable<'j>, String> {
        // SAFETY: a live handle of a class.
        let made = unsafe { self.jni.alloc_object(class.0.raw()) };
        self.checked(())?;
        // SAFETY: the object just made; recipes only allocate classes checked to be throwable.
        made.and_then(|raw| unsafe { self.throwable(raw) }).ok_or_else(no_memory)
    }

    /// Runs the constructors of `Throwable` itself, which call `fillInStackTrace`; the application may have overridden that.
    pub(crate) fn initialise(
        &self,
        throwable: Throwable<'j>,
        message: Option<&str>,
        cause: Option<Throwable<'j>>,
    ) -> Result<(), String> {
        let members = self.members;
        let text = message.and_then(|message| self.string(message));
        let text = jni::jvalue { l: text.map_or(std::ptr::null_mut(), |text| text.0) };
        // SAFETY: constructors of `Throwable` with their arguments.
        unsafe {
            let class = members.throwable.raw();
            match cause {
                Some(cause) => {
                    let arguments = [text, jni::jvalue { l: cause.0.0 }];
                    self.jni.call_nonvirtual_void_method(
                        throwable.0.0,
                        class,
                        members.init_message_cause,
                        &arguments,
                    );
                }
                None => {
                    self.jni.call_nonvirtual_void_method(throwable.0.0, class, members.init_message, &[text])
                }
            }
        }
        self.checked(())
    }

    /// Runs a constructor, with the message for its strings and the cause for its throwables. The caller has looked at its
    /// descriptor: it takes nothing else, and no throwable that the cause is not.
    pub(super) fn construct(
        &self,
        constructor: &Constructor,
        parameters: &[Parameter],
        message: &str,
        cause: Option<Throwable<'j>>,
    ) -> Result<Throwable<'j>, String> {
        let text = self.string(message).ok_or_else(no_memory)?;
        let argument = |parameter: &Parameter| match parameter {
            Parameter::Message => jni::jvalue { l: text.0 },
            Parameter::Cause => jni::jvalue { l: cause.map_or(std::ptr::null_mut(), |cause| cause.0.0) },
        };
        let arguments: Vec<jni::jvalue> = parameters.iter().map(argument).collect();
        // SAFETY: a constructor with arguments of its types, as promised.
        let made = unsafe { self.jni.new_object(constructor.class.0.raw(), constructor.id, &arguments) };
        self.checked(())?;
        // SAFETY: the object just made; recipes only construct classes checked to be throwable.
        made.and_then(|raw| unsafe { self.throwable(raw) }).ok_or_else(no_memory)
    }

    /// The stored message, without calling `getMessage`. `None` when there is none.
    pub(crate) fn message_field(&self, throwable: Throwable<'j>) -> Option<String> {
        // SAFETY: a field of `Throwable` that holds a string.
        unsafe {
            let text = self.jni.get_object_field(throwable.0.0, self.members.message);
            self.jni.get_string_lossy(text)
        }
    }

    /// The stored cause, without calling `getCause`.
    pub(crate) fn cause_field(&self, throwable: Throwable<'j>) -> Option<Throwable<'j>> {
        // SAFETY: a field of `Throwable` that holds a throwable.
        let cause = unsafe { self.throwable(self.jni.get_object_field(throwable.0.0, self.members.cause)) }?;
        // As long as nobody has set it, an exception is its own cause.
        (!self.is_same(cause, throwable)).then_some(cause)
    }

    /// Runs code of the application.
    pub(crate) fn get_message(&self, throwable: Throwable<'j>) -> Option<String> {
        self.text_from(throwable, self.members.get_message).ok().flatten()
    }

    /// Runs code of the application.
    pub(crate) fn get_cause(&self, throwable: Throwable<'j>) -> Option<Throwable<'j>> {
        // SAFETY: a method of `Throwable` without arguments that gives a throwable.
        unsafe {
            let cause = self.jni.call_object_method(throwable.0.0, self.members.get_cause, &[]);
            if self.take_thrown().is_some() { None } else { self.throwable(cause) }
        }
    }

    /// Whether everything that handlers usually ask an exception for can be asked without harm. Runs code of the
    /// application.
    pub(crate) fn getters_work(&self, throwable: Throwable<'j>) -> bool {
        let members = self.members;
        let methods =
            [members.get_message, members.get_localized_message, members.get_cause, members.to_string];
        methods.into_iter().all(|method| {
            // SAFETY: methods of `Throwable` without arguments that give objects.
            unsafe { self.jni.call_object_method(throwable.0.0, method, &[]) };
            self.take_thrown().is_none()
        })
    }

    fn text_from(&self, throwable: Throwable<'j>, method: jni::jmethodID) -> Result<Option<String>, String> {
        // SAFETY: a method of `Throwable` without arguments that gives a string.
        unsafe {
            let text = self.jni.call_object_method(throwable.0.0, method, &[]);
            self.checked(())?;
            Ok(self.jni.get_string_lossy(text))
        }
    }

    pub(crate) fn is_out_of_memory(&self, throwable: Throwable<'j>) -> bool {
        // SAFETY: live handles.
        unsafe { self.jni.is_instance_of(throwable.0.0, self.members.out_of_memory.raw()) }
    }

    /// The elements of the stored trace, topmost first, as text. Calls no method that may be overridden.
    pub(crate) fn frames(&self, throwable: Throwable<'j>, most: jni::jsize) -> Vec<String> {
        let Some(jdk) = crate::jdk_members() else { return Vec::new() };
        // SAFETY: not virtual; an array of stack trace elements.
        unsafe {
            let trace = self.jni.call_nonvirtual_object_method(
                throwable.0.0,
                self.members.throwable.raw(),
                jdk.stack_trace,
                &[],
            );
            if self.take_thrown().is_some() || trace.is_null() {
                return Vec::new();
            }
            let length = self.jni.get_array_length(trace).min(most);
            let texts = (0..length).map(|index| {
                let element = self.jni.get_object_array_element(trace, index);
                let class = super::string_from(self.jni, element, jdk.class_name).unwrap_or_default();
                super::frame_text(self.jni, jdk, element, &class)
            });
            let texts = texts.collect();
            self.jni.exception_clear();
            texts
        }
    }

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
            // SAFETY: as above.
            let (flags, names) = unsafe {
                (self.jvmti.get_field_modifiers(class.0.0, id), self.jvmti.get_field_name(class.0.0, id))
            };
            let (name, descriptor, _) = names.ok()?;
            (flags.ok()? & MODIFIER_STATIC == 0).then_some(Field { class, id, name, descriptor })
        };
        ids.into_iter().filter_map(field).collect()
    }

    pub(crate) fn keep_field(&self, field: &Field<'j>) -> Option<GlobalField> {
        let class = self.keep_class(field.class)?;
        Some(GlobalField { class, id: field.id, descriptor: field.descriptor.clone() })
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

    /// Sets a field to raw bits (of its own width), or to text or null. `None` when that does not fit.
    pub(crate) fn set_field(
        &self,
        object: Throwable<'j>,
        field: &GlobalField,
        value: NewValue<'_>,
    ) -> Option<()> {
        let class = self.local_class(&field.class)?;
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
                (descriptor, NewValue::Null) if descriptor.starts_with(['L', '[']) => {
                    jni.set_object_field(raw, id, std::ptr::null_mut());
                }
                _ => return None,
            }
        }
        Some(())
    }

    // Marks, which do not keep objects alive and which nobody else sees.

    pub(crate) fn mark(&self, throwable: Throwable<'j>, mark: i64) -> bool {
        // SAFETY: a live handle.
        unsafe { self.jvmti.set_tag(throwable.0.0, mark) }.is_ok()
    }

    /// 0 for an object without a mark.
    pub(crate) fn mark_of(&self, throwable: Throwable<'j>) -> i64 {
        // SAFETY: a live handle.
        unsafe { self.jvmti.get_tag(throwable.0.0) }.unwrap_or(0)
    }

    // Stacks and threads.

    /// The classes whose methods are on the stack of this thread, topmost first.
    pub(crate) fn stack_classes(&self, skip: jni::jint, most: jni::jint) -> Vec<Class<'j>> {
        // SAFETY: null stands for the current thread; the ids of methods that are running.
        unsafe {
            let frames = self.jvmti.get_stack_trace(std::ptr::null_mut(), skip, most).unwrap_or_default();
            let classes = frames.iter().filter_map(|frame| {
                self.jvmti.get_method_declaring_class(frame.method).ok().and_then(|class| self.class(class))
            });
            classes.collect()
        }
    }

    /// Number, name and name of the group of every live thread.
    pub(crate) fn threads(&self) -> Vec<JavaThread> {
        let Some(jdk) = crate::jdk_members() else { return Vec::new() };
        let mut threads = Vec::new();
        for thread in self.jvmti.get_all_threads().unwrap_or_default() {
            if let Some(number) = super::thread_number(self.jni, jdk, thread) {
                threads.push(JavaThread { number, raw: thread });
            }
        }
        threads
    }

    pub(crate) fn thread_names(&self, thread: JavaThread) -> Option<(String, String)> {
        // SAFETY: a live handle of a thread, just given, and of its group.
        unsafe {
            let info = self.jvmti.get_thread_info(thread.raw).ok()?;
            let group = match info.thread_group.is_null() {
                true => String::new(),
                false => self.jvmti.get_thread_group_info(info.thread_group).ok()?.name.unwrap_or_default(),
            };
            Some((info.name.unwrap_or_default(), group))
        }
    }

    /// Free memory as a share of what the JVM may use: between 0 and 1.
    pub(crate) fn free_memory(&self) -> Option<f64> {
        let members = self.members;
        // SAFETY: methods of `Runtime` without arguments.
        unsafe {
            let runtime = self.jni.call_static_object_method(members.runtime.raw(), members.get_runtime, &[]);
            let runtime = self.object(runtime)?;
            let ask = |method| self.jni.call_long_method(runtime.0, method, &[]) as f64;
            let (free, total, most) =
                (ask(members.free_memory), ask(members.total_memory), ask(members.max_memory));
            self.take_thrown().is_none().then(|| (most - total + free) / most)
        }
    }

    /// The numeric form of an `InetAddress`.
    pub(crate) fn host_address(&self, address: Object<'j>) -> Option<String> {
        // SAFETY: promised by the type of the native method's parameter.
        unsafe {
            let text = self.jni.call_object_method(address.0, self.members.host_address, &[]);
            if self.take_thrown().is_some() { None } else { self.jni.get_string_lossy(text) }
        }
    }
}

/// A thread, alive when it was listed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JavaThread {
    pub(crate) number: u64,
    raw: jni::jthread,
}

/// What a constructor takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parameter {
    Message,
    Cause,
}

/// What a field is set to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NewValue<'a> {
    Null,
    Text(&'a str),
    Bits(u64),
}

fn no_memory() -> String {
    "no memory left".to_owned()
}

fn takes_strings(descriptor: &str) -> bool {
    ["Ljava/lang/String;", "Ljava/lang/Object;", "Ljava/lang/CharSequence;", "Ljava/io/Serializable;"]
        .contains(&descriptor)
        || descriptor == "Ljava/lang/Comparable;"
}
