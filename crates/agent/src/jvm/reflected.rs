//! Targets of reflective calls, from breakpoints in the JDK's methods for it.
//!
//! Methods and constructors are read from the fields of the objects that stand for them: asking JNI for their ids would
//! initialise their class. A class counts when `Class.forName` returns. Nothing here runs Java code.
#![expect(unsafe_code, reason = "JNI is raw pointers")]

use super::recorder::{class_name, names, number_of};
use crate::observer::Observer;
use crate::recorder::{MethodNames, Recorder, Target};
use catchment_protocol::recording::MethodName;
use jvmti_bindings::prelude::*;
use std::cell::RefCell;

/// How far up the stack the caller is looked for.
const FRAMES_READ: jni::jint = 16;

/// The JDK's methods that stop, and the fields of what they are called on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reflection {
    invoke: jni::jmethodID,
    construct: jni::jmethodID,
    for_name: [jni::jmethodID; 2],
    method: MemberFields,
    constructor: MemberFields,
    name: jni::jfieldID,
    return_type: jni::jfieldID,
}

#[derive(Debug, Clone, Copy)]
struct MemberFields {
    class: jni::jfieldID,
    slot: jni::jfieldID,
    parameters: jni::jfieldID,
}

// SAFETY: ids of members of boot classes; valid on every thread as long as the JVM lives.
unsafe impl Send for Reflection {}
// SAFETY: ids of members of boot classes; valid on every thread as long as the JVM lives.
unsafe impl Sync for Reflection {}

thread_local! {
    /// Classes that `Class.forName` was asked for and has not yet returned, with the caller.
    static ASKED: RefCell<Vec<(Option<usize>, String)>> = const { RefCell::new(Vec::new()) };
}

impl Reflection {
    /// Finds the methods and lets the JVM tell when they are called.
    pub(crate) fn watch(jvmti: &Jvmti, jni: &JniEnv) -> Result<Self, String> {
        let found = Self::find(jni).ok_or("the JDK's reflection is not as expected")?;
        let [by_name, by_loader] = found.for_name;
        for method in [found.invoke, found.construct, by_name, by_loader] {
            // SAFETY: the id of a method with code, just given by this JVM.
            unsafe { jvmti.set_breakpoint(method, 0) }
                .map_err(|error| format!("the JVM refuses breakpoints: {error:?}"))?;
        }
        jvmti
            .enable_events_global(&[jvmti::JVMTI_EVENT_BREAKPOINT, jvmti::JVMTI_EVENT_FRAME_POP])
            .map_err(|error| format!("the JVM refuses events of breakpoints: {error:?}"))?;
        Ok(found)
    }

    fn find(jni: &JniEnv) -> Option<Self> {
        let method = jni.find_class("java/lang/reflect/Method")?;
        let constructor = jni.find_class("java/lang/reflect/Constructor")?;
        let class = jni.find_class("java/lang/Class")?;
        let fields = |of| {
            // SAFETY: a class handle just given by this environment.
            unsafe {
                Some(MemberFields {
                    class: jni.get_field_id(of, "clazz", "Ljava/lang/Class;")?,
                    slot: jni.get_field_id(of, "slot", "I")?,
                    parameters: jni.get_field_id(of, "parameterTypes", "[Ljava/lang/Class;")?,
                })
            }
        };
        let by_loader = "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;";
        // SAFETY: class handles just given by this environment.
        unsafe {
            Some(Self {
                invoke: jni.get_method_id(
                    method,
                    "invoke",
                    "(Ljava/lang/Object;[Ljava/lang/Object;)Ljava/lang/Object;",
                )?,
                construct: constructing(jni, constructor)?,
                for_name: [
                    jni.get_static_method_id(class, "forName", "(Ljava/lang/String;)Ljava/lang/Class;")?,
                    jni.get_static_method_id(class, "forName", by_loader)?,
                ],
                method: fields(method)?,
                constructor: fields(constructor)?,
                name: jni.get_field_id(method, "name", "Ljava/lang/String;")?,
                return_type: jni.get_field_id(method, "returnType", "Ljava/lang/Class;")?,
            })
        }
    }

    /// One of the methods begins.
    pub(crate) fn called(
        &self,
        jvmti: &Jvmti,
        jni: &JniEnv,
        observer: &Observer,
        recorder: &Recorder,
        event: &LocationEvent,
    ) {
        let caller = caller(jvmti, jni, observer, recorder);
        // SAFETY: null stands for the current thread; the first argument of all of them is an object.
        let Ok(argument) = (unsafe { jvmti.get_local_object(std::ptr::null_mut(), 0, 0) }) else { return };
        if argument.is_null() {
            return;
        }
        if self.for_name.contains(&event.method()) {
            // SAFETY: the parameter is a string.
            let name = unsafe { jni.get_string_lossy(argument) };
            ask(jvmti, recorder, caller, name);
            return;
        }
        let is_method = event.method() == self.invoke;
        // SAFETY: `this` of a method of the class that has these fields.
        let noted = unsafe { self.member(jvmti, jni, observer, recorder, argument, is_method, caller) };
        if noted.is_none() {
            recorder.problem(observer, "agent", "what a reflective call came to could not be read");
        }
    }

    /// # Safety
    /// `member` is a live handle of a `Method` if `is_method`, else of a `Constructor`.
    #[expect(clippy::too_many_arguments, reason = "what every callback is given")]
    unsafe fn member(
        &self,
        jvmti: &Jvmti,
        jni: &JniEnv,
        observer: &Observer,
        recorder: &Recorder,
        member: jni::jobject,
        is_method: bool,
        caller: Option<usize>,
    ) -> Option<()> {
        let fields = if is_method { self.method } else { self.constructor };
        // SAFETY: `member` is live, as the caller promises.
        let (declaring, slot) =
            unsafe { (jni.get_object_field(member, fields.class), jni.get_int_field(member, fields.slot)) };
        // SAFETY: the class that the field holds.
        let class = unsafe { number_of(jvmti, recorder, declaring) }?;
        let target =
            if is_method { Target::Method { class, slot } } else { Target::Constructor { class, slot } };
        if recorder.is_known_call(caller, target) {
            return Some(());
        }
        // SAFETY: fields of the member, which hold what their types say; the class from above.
        let (name, (class, is_hidden)) = unsafe {
            let parameters = signatures(jvmti, jni, jni.get_object_field(member, fields.parameters))?;
            let (method, returned) = if is_method {
                let returned = jvmti.get_class_signature(jni.get_object_field(member, self.return_type));
                (jni.get_string_lossy(jni.get_object_field(member, self.name))?, returned.ok()?.0)
            } else {
                ("<init>".to_owned(), "V".to_owned())
            };
            ((method, format!("({parameters}){returned}")), class_name(jvmti, declaring)?)
        };
        let (method, descriptor) = name;
        let is_application = !is_hidden && observer.is_application(&class);
        let name = MethodName { class, method, descriptor };
        recorder.note_call(observer, caller, target, MethodNames { name, is_application, is_hidden });
        Some(())
    }

    /// `Class.forName` returns or throws.
    pub(crate) fn returned(&self, observer: &Observer, recorder: &Recorder, event: &FramePopEvent) {
        if !self.for_name.contains(&event.method()) {
            return;
        }
        let asked = ASKED.with_borrow_mut(Vec::pop);
        let Some((caller, class)) = asked.filter(|_| !event.was_popped_by_exception()) else { return };
        let target = Target::Initialiser { class: recorder.number_class(class.clone()) };
        let is_application = observer.is_application(&class);
        let name = MethodName { class, method: "<clinit>".to_owned(), descriptor: "()V".to_owned() };
        recorder.note_call(observer, caller, target, MethodNames { name, is_application, is_hidden: false });
    }
}

/// The method through which all constructors are called, that of `Class.newInstance` too. Java 11 has it under
/// another name.
///
/// # Safety
/// The class `Constructor`.
unsafe fn constructing(jni: &JniEnv, constructor: jni::jclass) -> Option<jni::jmethodID> {
    // SAFETY: `constructor` is the class `Constructor`, as the caller promises.
    unsafe {
        let inner = "([Ljava/lang/Object;ZLjava/lang/Class;)Ljava/lang/Object;";
        let found = jni.get_method_id(constructor, "newInstanceWithCaller", inner);
        found.or_else(|| {
            jni.exception_clear();
            jni.get_method_id(constructor, "newInstance", "([Ljava/lang/Object;)Ljava/lang/Object;")
        })
    }
}

/// The descriptors of the classes in an array.
///
/// # Safety
/// A live handle of an array of classes.
unsafe fn signatures(jvmti: &Jvmti, jni: &JniEnv, classes: jni::jobject) -> Option<String> {
    let mut text = String::new();
    // SAFETY: `classes` is a live array of classes, as the caller promises; indices are below its length.
    unsafe {
        for index in 0..jni.get_array_length(classes) {
            let class = jni.get_object_array_element(classes, index);
            text.push_str(&jvmti.get_class_signature(class).ok()?.0);
            jni.delete_local_ref(class);
        }
    }
    Some(text)
}

/// The first method on the stack that is not reflection's own.
fn caller(jvmti: &Jvmti, jni: &JniEnv, observer: &Observer, recorder: &Recorder) -> Option<usize> {
    // SAFETY: null stands for the current thread.
    let frames = unsafe { jvmti.get_stack_trace(std::ptr::null_mut(), 0, FRAMES_READ) }.ok()?;
    let mut ids = frames.into_iter().skip(1).map(|frame| frame.method as usize);
    ids.find(|&id| {
        let is_reflection = recorder.is_reflection(id).or_else(|| {
            recorder.name_method(id, names(jvmti, jni, observer, id));
            recorder.is_reflection(id)
        });
        is_reflection == Some(false)
    })
}

/// Remembers which class was asked for, and has the JVM tell when `Class.forName` ends. That is expensive, so only
/// where it may bring something new.
fn ask(jvmti: &Jvmti, recorder: &Recorder, caller: Option<usize>, name: Option<String>) {
    let Some(name) = name.filter(|name| !name.starts_with('[')) else { return };
    let target = Target::Initialiser { class: recorder.number_class(name.clone()) };
    if recorder.is_known_call(caller, target) {
        return;
    }
    // SAFETY: null stands for the current thread; the topmost frame is the one that has just begun.
    if unsafe { jvmti.notify_frame_pop(std::ptr::null_mut(), 0) }.is_ok() {
        ASKED.with_borrow_mut(|asked| asked.push((caller, name)));
    }
}
