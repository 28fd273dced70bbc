//! The JVM as one running callback or native method sees it: safe calls over handles that cannot outlive it.
//!
//! Everything here clears the Java exception it may leave behind. Whether a call runs code of the application is said
//! where it may.
#![expect(unsafe_code, reason = "JNI is raw pointers")]

mod classes;
mod fields;
mod stacks;
mod throwables;

pub(crate) use fields::NewValue;
pub(crate) use stacks::Method;
pub(crate) use throwables::Parameter;

use super::members::WorkerMembers;
use jvmti_bindings::prelude::*;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

/// The JVMTI environment of this agent, which all threads share.
#[derive(Clone, Copy)]
pub(crate) struct SharedJvmti(*mut jvmti::jvmtiEnv);

// SAFETY: a JVMTI environment may be used on every thread and is never disposed of.
unsafe impl Send for SharedJvmti {}
// SAFETY: a JVMTI environment may be used on every thread and is never disposed of.
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

impl Class<'_> {
    fn handle(self) -> jni::jclass {
        self.0.0
    }
}

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
// SAFETY: global references are valid on every thread, and deleting one finds the environment of its thread itself.
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

/// Knows an object again on every thread without keeping it alive.
pub(crate) struct Weak(WeakGlobalRef);

// SAFETY: as for global references.
unsafe impl Send for Weak {}
// SAFETY: as for global references.
unsafe impl Sync for Weak {}

impl fmt::Debug for Weak {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Weak")
    }
}

/// A class to come back to, if it is still there.
#[derive(Debug, Clone)]
pub(crate) struct KnownClass(Arc<Weak>);

/// A constructor of a throwable class, known by what it takes.
#[derive(Debug)]
pub(crate) struct Constructor {
    class: KnownClass,
    id: jni::jmethodID,
    pub(crate) descriptor: String,
    pub(crate) is_public: bool,
    pub(crate) is_private: bool,
}

// SAFETY: the id is valid on every thread as long as the class lives, and only used together with it.
unsafe impl Send for Constructor {}
// SAFETY: the id is valid on every thread as long as the class lives, and only used together with it.
unsafe impl Sync for Constructor {}

/// A field of an object.
#[derive(Debug, Clone)]
pub(crate) struct Field<'j> {
    class: Class<'j>,
    id: jni::jfieldID,
    pub(crate) name: String,
    pub(crate) descriptor: String,
}

/// A field to come back to, with the class that declares it.
#[derive(Debug)]
pub(crate) struct KnownField {
    class: KnownClass,
    id: jni::jfieldID,
    descriptor: String,
}

// SAFETY: the id is valid on every thread as long as the class lives, and only used together with it.
unsafe impl Send for KnownField {}
// SAFETY: the id is valid on every thread as long as the class lives, and only used together with it.
unsafe impl Sync for KnownField {}

/// The value of a field.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'j> {
    Bits(u64),
    Object(Option<Object<'j>>),
}

pub(crate) struct Java<'j> {
    jni: &'j JniEnv,
    jvmti: Jvmti,
    members: &'static WorkerMembers,
}

impl fmt::Debug for Java<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Java")
    }
}

impl<'j> Java<'j> {
    pub(crate) fn new(jni: &'j JniEnv, jvmti: SharedJvmti, members: &'static WorkerMembers) -> Self {
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
        // SAFETY: `raw` is null or a live local reference, as the caller promises.
        unsafe { self.object(raw) }.map(Throwable)
    }

    /// # Safety
    /// As `object`, and a class.
    unsafe fn class(&self, raw: jni::jclass) -> Option<Class<'j>> {
        // SAFETY: `raw` is null or a live local reference, as the caller promises.
        unsafe { self.object(raw) }.map(Class)
    }

    pub(super) fn raw(object: Object<'j>) -> jni::jobject {
        object.0
    }

    /// The exception of the last call, cleared.
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

    /// True if the weak reference is to this object.
    pub(crate) fn is_known(&self, weak: &Weak, object: Object<'j>) -> bool {
        // SAFETY: a weak reference that is not yet deleted, and a live handle.
        unsafe { self.jni.is_same_object(weak.0.get(), object.0) }
    }

    /// True if the object of the weak reference is no more.
    pub(crate) fn is_gone(&self, weak: &Weak) -> bool {
        // SAFETY: a weak reference that is not yet deleted.
        unsafe { self.jni.is_same_object(weak.0.get(), std::ptr::null_mut()) }
    }

    pub(crate) fn weak(&self, object: impl Into<Object<'j>>) -> Option<Weak> {
        // SAFETY: a live handle; the JVM outlives every value here.
        unsafe { WeakGlobalRef::new(self.jni, object.into().0) }.ok().map(Weak)
    }

    pub(crate) fn remember(&self, class: Class<'j>) -> Option<KnownClass> {
        self.weak(class).map(|weak| KnownClass(Arc::new(weak)))
    }

    /// The class, unless it has been unloaded.
    pub(crate) fn recall(&self, class: &KnownClass) -> Result<Class<'j>, String> {
        // SAFETY: a weak reference gives null or a live local one.
        let local = unsafe { self.class(self.jni.new_local_ref(class.0.0.get())) };
        local.ok_or_else(|| "its class is gone".to_owned())
    }
}

fn no_memory() -> String {
    "no memory left".to_owned()
}
