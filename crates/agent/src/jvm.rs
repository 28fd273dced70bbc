//! Calls into the JVM, and the native methods it calls: the agent's side of `catchment.runtime.Agent`.
//!
//! `unsafe` code lives here, in the files of this folder that say so (`java.rs` makes most of it unnecessary in the
//! others) and in `mapping.rs`. Everything here takes handles that the JVM gave to the running callback and keeps
//! none of them beyond it, except ids of methods and fields of boot classes, which are never unloaded, and what an
//! experiment needs until it ends.
#![expect(unsafe_code, reason = "JNI is raw pointers")]

mod build;
mod connections;
mod inject;
mod java;
mod marks;
mod members;
mod natives;
mod read;
mod recorder;
mod reflected;

pub(crate) use build::{Recipe, Recipes};
pub(crate) use connections::native_method_bound;
pub(crate) use inject::Callers;
pub(crate) use java::{Java, SharedJvmti};
pub(crate) use members::WorkerMembers;
pub(crate) use recorder::{exception_caught, exception_thrown};
pub(crate) use reflected::Reflection;

use crate::scope::CodeSource;
use catchment_protocol::options::RuntimeClass;
use catchment_protocol::records::Origin;
use catchment_protocol::runtime_abi::PROBES_CLASS;
use jvmti_bindings::prelude::*;
use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::observer;
use crate::selftest;

const LINK: &str = "catchment/runtime/Agent";
/// Classes that must be initialised before the first probe runs.
const INITIALISED: [(&str, &str, &str); 2] = [
    ("catchment/runtime/Probes", "tryEnter", "(I)V"),
    ("catchment/runtime/Exceptions", "arrived", "(Ljava/lang/Throwable;I)V"),
];
/// Stack traces are read this deep for the first frame of the application.
const FRAMES_READ: jni::jsize = 1024;

/// Ids of the JDK's members the agent uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JdkMembers {
    code_source: jni::jfieldID,
    location: jni::jfieldID,
    protocol: jni::jfieldID,
    path: jni::jfieldID,
    stack_trace: jni::jmethodID,
    class_name: jni::jmethodID,
    method_name: jni::jmethodID,
    line_number: jni::jmethodID,
    load_class: jni::jmethodID,
    protection_domain: jni::jmethodID,
    thread_number: jni::jfieldID,
}

// SAFETY: ids of members of boot classes; valid on every thread as long as the JVM lives.
unsafe impl Send for JdkMembers {}
// SAFETY: ids of members of boot classes; valid on every thread as long as the JVM lives.
unsafe impl Sync for JdkMembers {}

impl JdkMembers {
    pub(crate) fn find(jni: &JniEnv) -> Result<Self, String> {
        let method = |class: &str, name: &str, descriptor: &str| {
            // SAFETY: the class handle was just given by this environment.
            let found = jni.find_class(class).and_then(|c| unsafe { jni.get_method_id(c, name, descriptor) });
            found.ok_or_else(|| failed(jni, &format!("find {class}.{name}")))
        };
        let field = |class: &str, name: &str, descriptor: &str| {
            // SAFETY: the class was just found, and the names have a 0 at their end.
            let found = jni.find_class(class).and_then(|c| unsafe { jni.get_field_id(c, name, descriptor) });
            found.ok_or_else(|| failed(jni, &format!("find {class}.{name}")))
        };
        Ok(Self {
            code_source: field("java/security/ProtectionDomain", "codesource", "Ljava/security/CodeSource;")?,
            location: field("java/security/CodeSource", "location", "Ljava/net/URL;")?,
            protocol: field("java/net/URL", "protocol", "Ljava/lang/String;")?,
            path: field("java/net/URL", "path", "Ljava/lang/String;")?,
            stack_trace: method("java/lang/Throwable", "getStackTrace", "()[Ljava/lang/StackTraceElement;")?,
            class_name: method("java/lang/StackTraceElement", "getClassName", "()Ljava/lang/String;")?,
            method_name: method("java/lang/StackTraceElement", "getMethodName", "()Ljava/lang/String;")?,
            line_number: method("java/lang/StackTraceElement", "getLineNumber", "()I")?,
            load_class: method(
                "java/lang/ClassLoader",
                "loadClass",
                "(Ljava/lang/String;)Ljava/lang/Class;",
            )?,
            protection_domain: method(
                "java/lang/Class",
                "getProtectionDomain",
                "()Ljava/security/ProtectionDomain;",
            )?,
            thread_number: field("java/lang/Thread", "tid", "J")?,
        })
    }
}

/// Defines the runtime in the boot loader, links it to this library and initialises it.
///
/// Defining the classes instead of appending a jar to the boot class path leaves class-data sharing as it is and
/// changes no property the program can see.
pub(crate) fn install_runtime(
    jvmti: &Jvmti,
    jni: &JniEnv,
    runtime: &[RuntimeClass<'_>],
) -> Result<(), String> {
    let mut defined = Vec::new();
    for class in runtime.iter().filter(|class| class.name != selftest::CLASS) {
        defined.push((class.name, define_in_boot_loader(jni, class)?));
    }
    let link = class_named(&defined, LINK)?;
    open_unsafe_to(jvmti, jni, link)?;
    register_natives(jni, link)?;
    natives::register(jni, &defined)?;
    for (class, method, descriptor) in INITIALISED {
        // SAFETY: the class was just defined by this environment.
        let found = unsafe { jni.get_static_method_id(class_named(&defined, class)?, method, descriptor) };
        found.ok_or_else(|| failed(jni, &format!("initialise {class}")))?;
    }
    marks::find_array(jni, class_named(&defined, PROBES_CLASS)?)
}

/// Not looked up by name: that would ask the system class loader, which may be the application's.
fn class_named(defined: &[(&str, jni::jclass)], name: &str) -> Result<jni::jclass, String> {
    let found = defined.iter().find(|(each, _)| *each == name);
    found.map(|(_, class)| *class).ok_or_else(|| format!("the runtime has no {name}"))
}

fn define_in_boot_loader(jni: &JniEnv, class: &RuntimeClass<'_>) -> Result<jni::jclass, String> {
    // SAFETY: null stands for the boot loader.
    let defined = unsafe { jni.define_class(class.name, std::ptr::null_mut(), class.bytes) };
    defined.ok_or_else(|| failed(jni, &format!("define {}", class.name)))
}

/// The runtime counts through the JDK's internal `Unsafe`: the public one prints warnings on newer JDKs.
fn open_unsafe_to(jvmti: &Jvmti, jni: &JniEnv, link: jni::jclass) -> Result<(), String> {
    let object = jni.find_class("java/lang/Object").ok_or_else(|| failed(jni, "find java.lang.Object"))?;
    // SAFETY: class handles just given by this environment; modules belong to the same JVM.
    let exported = unsafe {
        let base = jni.get_module(object).map_err(|_| "Java 9 or newer is needed".to_owned())?;
        let runtime = jni.get_module(link).map_err(|_| "Java 9 or newer is needed".to_owned())?;
        jvmti.add_module_exports(base, "jdk.internal.misc", runtime)
    };
    exported.map_err(|error| format!("cannot export jdk.internal.misc: {error:?}"))
}

fn native(name: &'static CStr, signature: &'static CStr, function: *mut c_void) -> jni::JNINativeMethod {
    jni::JNINativeMethod { name: name.as_ptr(), signature: signature.as_ptr(), fnPtr: function }
}

fn register_natives(jni: &JniEnv, link: jni::jclass) -> Result<(), String> {
    let methods = [
        native(c"counters", c"()J", counters as *mut c_void),
        native(c"owners", c"()J", owners as *mut c_void),
        native(c"exceptionType", c"(ILjava/lang/String;)I", exception_type as *mut c_void),
        native(c"origin", c"(Ljava/lang/Throwable;ILjava/lang/String;)V", origin as *mut c_void),
        native(c"switches", c"()J", natives::switches as *mut c_void),
        native(c"entrySwitches", c"()J", natives::entry_switches as *mut c_void),
        native(c"inject", c"(I)Ljava/lang/Throwable;", natives::inject as *mut c_void),
        native(c"exchange", c"(I)Ljava/lang/Throwable;", natives::exchange as *mut c_void),
        native(c"caught", c"(Ljava/lang/Throwable;I)V", natives::caught as *mut c_void),
        native(c"passed", c"(Ljava/lang/Throwable;I)V", natives::passed as *mut c_void),
        native(c"marks", c"()I", marks::marks as *mut c_void),
        native(c"initialiserBegins", c"()V", marks::initialiser_begins as *mut c_void),
        native(c"initialiserEnds", c"()V", marks::initialiser_ends as *mut c_void),
        native(c"escaped", c"(Ljava/lang/Throwable;)V", natives::escaped as *mut c_void),
    ];
    // SAFETY: the functions have the signatures named beside them and live as long as the library, which is never
    // unloaded.
    unsafe { jni.register_natives(link, &methods) }.map_err(|_| failed(jni, "register native methods"))
}

/// Defines the self-test, which sends it through the load hook, and runs it.
pub(crate) fn run_self_test(jni: &JniEnv, class: &RuntimeClass<'_>) -> Result<(), String> {
    let defined = define_in_boot_loader(jni, class)?;
    // SAFETY: the class handle was just given by this environment.
    let run = unsafe { jni.get_static_method_id(defined, "run", "()V") };
    let run = run.ok_or_else(|| failed(jni, "find its run method"))?;
    // SAFETY: a static method of this class without arguments.
    unsafe { jni.call_static_void_method(defined, run, &[]) };
    if jni.exception_check() { Err(failed(jni, "run it")) } else { Ok(()) }
}

/// The code source of the class of this protection domain. Reads fields and calls nothing: a class may be loaded with
/// hardly any stack left, and then a call would fail.
pub(crate) fn code_source(jni: &JniEnv, members: &JdkMembers, domain: jni::jobject) -> Option<CodeSource> {
    let frame = jni.push_local_frame(8).ok()?;
    // SAFETY: handles of this callback, and fields of their classes.
    let found = unsafe {
        let url = field_of(jni, field_of(jni, domain, members.code_source), members.location);
        let protocol = jni.get_string_lossy(field_of(jni, url, members.protocol));
        let path = jni.get_string_lossy(field_of(jni, url, members.path));
        protocol.zip(path).map(|(protocol, path)| CodeSource { protocol, path })
    };
    frame.close();
    found
}

/// The code source of a class; none of those of the boot loader.
pub(crate) fn code_source_of_class(
    jni: &JniEnv,
    members: &JdkMembers,
    class: jni::jclass,
) -> Option<CodeSource> {
    // SAFETY: `class` is a live handle of this callback; the method is one of `java.lang.Class`.
    let domain = unsafe { object_from(jni, class, members.protection_domain) };
    code_source(jni, members, domain)
}

/// The classes that are there already, except the boot loader's, with the places they came from.
pub(crate) fn loaded_classes(
    jvmti: &Jvmti,
    jni: &JniEnv,
    members: &JdkMembers,
) -> Vec<(String, Option<CodeSource>)> {
    let mut found = Vec::new();
    for class in jvmti.get_loaded_classes().unwrap_or_default() {
        // SAFETY: a live handle, just given by this environment.
        let (loader, signature) =
            unsafe { (jvmti.get_class_loader(class), jvmti.get_class_signature(class)) };
        let internal_name =
            signature.as_ref().ok().and_then(|(name, _)| name.strip_prefix('L')?.strip_suffix(';'));
        if let (Ok(loader), Some(name)) = (loader, internal_name)
            && !loader.is_null()
        {
            found.push((name.replace('/', "."), code_source_of_class(jni, members, class)));
        }
        // SAFETY: the handle is not used any more.
        unsafe { jni.delete_local_ref(class) };
    }
    jni.exception_clear();
    found
}

/// The number the runtime knows a thread by.
pub(crate) fn thread_number(jni: &JniEnv, members: &JdkMembers, thread: jni::jthread) -> Option<u64> {
    if thread.is_null() {
        return None;
    }
    // SAFETY: a thread of this callback, and a field of its class.
    u64::try_from(unsafe { jni.get_long_field(thread, members.thread_number) }).ok()
}

/// The hash that stays with an object wherever it moves.
pub(crate) fn identity_hash(jvmti: &Jvmti, object: jni::jobject) -> Option<i32> {
    // SAFETY: a live handle of this callback.
    unsafe { jvmti.get_object_hash_code(object) }.ok()
}

/// Asks a loader for the runtime, as the JVM will when a probe of one of its classes first runs. `None` when the
/// answer was neither a class nor that there is none: no stack or memory left, for example.
pub(crate) fn finds_runtime(jni: &JniEnv, members: &JdkMembers, loader: jni::jobject) -> Option<bool> {
    let frame = jni.push_local_frame(8).ok()?;
    let name = jni.new_string_utf("catchment.runtime.Probes");
    // SAFETY: handles of this callback, and a method of their class with its argument.
    let found = name.map(|name| unsafe {
        !jni.call_object_method(loader, members.load_class, &[jni::jvalue { l: name }]).is_null()
    });
    let thrown = jni.exception_occurred();
    jni.exception_clear();
    let answer = match thrown {
        None => found,
        Some(thrown) => is_class_not_found(jni, thrown).then_some(false),
    };
    jni.exception_clear();
    frame.close();
    answer
}

fn is_class_not_found(jni: &JniEnv, thrown: jni::jthrowable) -> bool {
    let classes = ["java/lang/ClassNotFoundException", "java/lang/NoClassDefFoundError"];
    // SAFETY: the exception just taken, and classes just given by this environment.
    classes
        .iter()
        .filter_map(|name| jni.find_class(name))
        .any(|class| unsafe { jni.is_instance_of(thrown, class) })
}

/// Knows an object again without keeping it alive.
#[derive(Debug)]
pub(crate) struct WeakHandle(jni::jweak);

// SAFETY: weak global references are valid on every thread. They are never deleted, so neither is the value they stand
// for reused; the few there are, one per class loader, may stay.
unsafe impl Send for WeakHandle {}

impl WeakHandle {
    pub(crate) fn new(jni: &JniEnv, object: jni::jobject) -> Self {
        // SAFETY: a live handle of this callback.
        Self(unsafe { jni.new_weak_global_ref(object) })
    }

    pub(crate) fn is(&self, jni: &JniEnv, object: jni::jobject) -> bool {
        // SAFETY: a weak reference that is never deleted, and a live handle of this callback.
        unsafe { jni.is_same_object(self.0, object) }
    }
}

/// The text of a failure, with the pending Java exception (cleared) if there is one.
fn failed(jni: &JniEnv, what: &str) -> String {
    let Some(thrown) = jni.exception_occurred() else { return format!("cannot {what}") };
    jni.exception_clear();
    // SAFETY: the exception just taken; `toString` is inherited by every object.
    let text = unsafe {
        let class = jni.find_class("java/lang/Throwable");
        let method = class.and_then(|class| jni.get_method_id(class, "toString", "()Ljava/lang/String;"));
        method.and_then(|method| string_from(jni, thrown, method))
    };
    jni.exception_clear();
    format!("cannot {what}: {}", text.unwrap_or_default())
}

/// # Safety
/// `object` is null or a live handle of an object that has the field, which holds an object.
unsafe fn field_of(jni: &JniEnv, object: jni::jobject, field: jni::jfieldID) -> jni::jobject {
    if object.is_null() {
        return object;
    }
    // SAFETY: `field` is a field of the live `object`, as the caller promises.
    unsafe { jni.get_object_field(object, field) }
}

/// # Safety
/// `object` is null or a live handle of an object that has the method, which takes nothing and returns an object.
unsafe fn object_from(jni: &JniEnv, object: jni::jobject, method: jni::jmethodID) -> jni::jobject {
    if object.is_null() || jni.exception_check() {
        return std::ptr::null_mut();
    }
    // SAFETY: `method` is a method of the live `object`, as the caller promises.
    unsafe { jni.call_object_method(object, method, &[]) }
}

/// # Safety
/// As `object_from`, for a method that returns a string.
unsafe fn string_from(jni: &JniEnv, object: jni::jobject, method: jni::jmethodID) -> Option<String> {
    // SAFETY: `method` is a method of `object` that returns a string, as the caller promises.
    unsafe {
        let string = object_from(jni, object, method);
        if jni.exception_check() { None } else { jni.get_string_lossy(string) }
    }
}

// The native methods of `catchment.runtime.Agent`. A panic must not cross into the JVM; then nothing was noted.

extern "system" fn counters(_: *mut jni::JNIEnv, _: jni::jclass) -> jni::jlong {
    observer().map_or(0, |observer| observer.counters.counters_address() as jni::jlong)
}

extern "system" fn owners(_: *mut jni::JNIEnv, _: jni::jclass) -> jni::jlong {
    observer().map_or(0, |observer| observer.counters.owners_address() as jni::jlong)
}

extern "system" fn exception_type(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    counter: jni::jint,
    exception: jni::jstring,
) -> jni::jint {
    let number = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the environment and the string of the running native method.
        let exception = unsafe { JniEnv::from_raw(env).get_string_lossy(exception) }?;
        observer()?.exception_type(u32::try_from(counter).ok()?, &exception)
    }));
    number.ok().flatten().and_then(|number| jni::jint::try_from(number).ok()).unwrap_or(-1)
}

extern "system" fn origin(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    thrown: jni::jthrowable,
    counter: jni::jint,
    exception: jni::jstring,
) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the environment of the running native method.
        let jni = unsafe { JniEnv::from_raw(env) };
        // SAFETY: the arguments of the running native method.
        unsafe { note_origin(&jni, thrown, counter, exception) };
        jni.exception_clear();
    }));
}

/// # Safety
/// The handles are the arguments of the running native method.
unsafe fn note_origin(
    jni: &JniEnv,
    thrown: jni::jthrowable,
    counter: jni::jint,
    exception: jni::jstring,
) -> Option<()> {
    let observer = observer()?;
    let members = crate::jdk_members()?;
    let counter = u32::try_from(counter).ok()?;
    if observer.worker().is_some() {
        // Nobody asks a worker for origins.
        // SAFETY: `thrown` is a live throwable, as the caller promises.
        return unsafe { note_sample(jni, observer, thrown, counter) };
    }
    let class = jni.find_class("java/lang/Throwable")?;
    // SAFETY: `thrown` is a live throwable and `exception` a live string, as the caller promises. Not virtual: an
    // overriding method would run code of the application.
    let (exception, trace) = unsafe {
        let trace = jni.call_nonvirtual_object_method(thrown, class, members.stack_trace, &[]);
        (jni.get_string_lossy(exception)?, trace)
    };
    if trace.is_null() || jni.exception_check() {
        return None;
    }
    let is_application = |class: &str| observer.is_application(class);
    // SAFETY: the array of stack trace elements just made.
    let (frame, application) = unsafe { top_frame(jni, members, trace, is_application) };
    observer.origin(Origin { counter, exception, frame, application });
    Some(())
}

/// In a worker, what a clause caught may be what it is given again in an experiment.
///
/// # Safety
/// The exception is an argument of the running native method.
unsafe fn note_sample(
    jni: &JniEnv,
    observer: &observer::Observer,
    thrown: jni::jthrowable,
    counter: u32,
) -> Option<()> {
    let (worker, java) = (observer.worker()?, crate::java(jni)?);
    // SAFETY: `thrown` is a live throwable, as the caller promises.
    let thrown = unsafe { java.throwable(thrown) }?;
    let name = java.name_of(thrown);
    if worker.wants_sample(counter, &name) {
        let is_exact = worker.experiments.clause_names(counter, &name);
        worker.sample(counter, read::sample(&java, thrown, is_exact)?);
    }
    Some(())
}

/// The first frame of the application, or else the first of anyone, and which it was.
///
/// # Safety
/// `trace` is a live handle of an array of stack trace elements.
unsafe fn top_frame(
    jni: &JniEnv,
    members: &JdkMembers,
    trace: jni::jobject,
    is_application: impl Fn(&str) -> bool,
) -> (Option<String>, bool) {
    let mut top = None;
    // SAFETY: `trace` is a live array of stack trace elements, as the caller promises.
    let length = unsafe { jni.get_array_length(trace) }.min(FRAMES_READ);
    for index in 0..length {
        let Ok(frame) = jni.push_local_frame(8) else { break };
        // SAFETY: `trace` is a live array of stack trace elements, and the index below its length.
        let (class, text) = unsafe {
            let element = jni.get_object_array_element(trace, index);
            let class = string_from(jni, element, members.class_name).unwrap_or_default();
            let wanted = top.is_none() || is_application(&class);
            (class.clone(), wanted.then(|| frame_text(jni, members, element, &class)))
        };
        frame.close();
        match text {
            Some(text) if is_application(&class) => return (Some(text), true),
            Some(text) if !class.starts_with("catchment.runtime.") => top = top.or(Some(text)),
            _ => {}
        }
    }
    (top, false)
}

/// # Safety
/// `element` is a live handle of a stack trace element.
unsafe fn frame_text(jni: &JniEnv, members: &JdkMembers, element: jni::jobject, class: &str) -> String {
    // SAFETY: `element` is a live stack trace element, as the caller promises.
    let (method, line) = unsafe {
        let method = string_from(jni, element, members.method_name).unwrap_or_default();
        (method, jni.call_int_method(element, members.line_number, &[]))
    };
    if line > 0 { format!("{class}.{method}:{line}") } else { format!("{class}.{method}") }
}
