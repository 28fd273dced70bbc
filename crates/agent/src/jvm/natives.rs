//! The native methods of `catchment.runtime.Worker`, and those of `Agent` that only workers need.
//!
//! A panic must not cross into the JVM; it becomes a problem in the log, and the method gives what it gives when
//! there is nothing to do.
#![expect(unsafe_code, reason = "JNI is raw pointers")]

use super::inject;
use super::java::{Java, Throwable};
use super::marks;
use super::read;
use super::{class_named, failed, native};
use crate::observer::Observer;
use crate::scope::CodeSource;
use crate::worker::Worker;
use catchment_protocol::conversation::{Ending, Outcome, TestUnit};
use jvmti_bindings::prelude::*;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

const WORKER: &str = "catchment/runtime/Worker";

/// Environment of a native method of a worker.
pub(super) struct Call<'j> {
    pub(super) jni: &'j JniEnv,
    pub(super) java: Java<'j>,
    pub(super) observer: &'static Observer,
    pub(super) worker: &'static Worker,
}

/// Runs the body of a native method; `otherwise` is its result where this JVM is no worker.
pub(super) fn in_worker<R>(
    env: *mut jni::JNIEnv,
    otherwise: R,
    body: impl FnOnce(&Call<'_>) -> Option<R>,
) -> R {
    let result = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the environment of the running native method.
        let jni = unsafe { JniEnv::from_raw(env) };
        let observer = crate::observer()?;
        let worker = observer.worker()?;
        let java = crate::java(&jni)?;
        body(&Call { jni: &jni, java, observer, worker })
    }));
    if result.is_err()
        && let Some(observer) = crate::observer()
    {
        observer.problem("agent", "internal error in a native method");
    }
    result.ok().flatten().unwrap_or(otherwise)
}

impl<'j> Call<'j> {
    /// # Safety
    /// A string among the arguments of the running native method, or null.
    unsafe fn text(&self, string: jni::jstring) -> Option<String> {
        // SAFETY: `string` is a live string or null, as the caller promises.
        unsafe { self.jni.get_string_lossy(string) }
    }

    /// # Safety
    /// A throwable among the arguments of the running native method, or null.
    pub(super) unsafe fn throwable(&self, raw: jni::jthrowable) -> Option<Throwable<'j>> {
        // SAFETY: `raw` is a live throwable or null, as the caller promises.
        unsafe { self.java.throwable(raw) }
    }
}

pub(super) fn register(jni: &JniEnv, defined: &[(&str, jni::jclass)]) -> Result<(), String> {
    let methods = [
        native(c"next", c"()[Ljava/lang/String;", next as *mut c_void),
        native(c"ready", c"(Ljava/lang/String;)V", ready as *mut c_void),
        native(c"unusable", c"(Ljava/lang/String;)V", unusable as *mut c_void),
        native(
            c"unit",
            c"(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V",
            unit as *mut c_void,
        ),
        native(c"problem", c"(Ljava/lang/String;)V", problem as *mut c_void),
        native(c"discovered", c"()V", discovered as *mut c_void),
        native(c"started", c"(Ljava/lang/String;)V", started as *mut c_void),
        native(c"finished", c"(Ljava/lang/String;ILjava/lang/Throwable;)V", finished as *mut c_void),
        native(c"suiteFinished", c"()V", suite_finished as *mut c_void),
        native(c"outOfMemory", c"()V", out_of_memory as *mut c_void),
    ];
    // SAFETY: the functions have the signatures named beside them and live as long as the library, which is never
    // unloaded.
    let registered = unsafe { jni.register_natives(class_named(defined, WORKER)?, &methods) };
    registered.map_err(|_| failed(jni, "register native methods"))
}

extern "system" fn next(env: *mut jni::JNIEnv, _: jni::jclass) -> jni::jobject {
    in_worker(env, null_mut(), |call| {
        let order = call.worker.next()?;
        let class = call.jni.find_class("java/lang/String")?;
        // SAFETY: an array of strings just made, filled with strings just made, at indices below its length.
        unsafe {
            let length = jni::jsize::try_from(order.len()).ok()?;
            let array = call.jni.new_object_array(length, class, null_mut())?;
            for (index, text) in (0..length).zip(&order) {
                let string = call.jni.new_string(text)?;
                call.jni.set_object_array_element(array, index, string);
                call.jni.delete_local_ref(string);
            }
            Some(array)
        }
    })
}

extern "system" fn ready(env: *mut jni::JNIEnv, _: jni::jclass, framework: jni::jstring) {
    in_worker(env, (), |call| {
        // SAFETY: `framework` is a string of the running native method.
        call.worker.ready(unsafe { call.text(framework) }.unwrap_or_default());
        Some(())
    });
}

extern "system" fn unusable(env: *mut jni::JNIEnv, _: jni::jclass, what: jni::jstring) {
    in_worker(env, (), |call| {
        // SAFETY: `what` is a string of the running native method.
        call.worker.unusable(unsafe { call.text(what) }.unwrap_or_default())
    });
}

extern "system" fn unit(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    id: jni::jstring,
    class: jni::jstring,
    name: jni::jstring,
    shared: jni::jstring,
) {
    in_worker(env, (), |call| {
        // SAFETY: all four are strings of the running native method, or null.
        let unit = unsafe {
            TestUnit {
                id: call.text(id)?,
                class: call.text(class).unwrap_or_default(),
                name: call.text(name).unwrap_or_default(),
                shared: call.text(shared),
            }
        };
        call.worker.unit(unit);
        Some(())
    });
}

extern "system" fn problem(env: *mut jni::JNIEnv, _: jni::jclass, what: jni::jstring) {
    in_worker(env, (), |call| {
        // SAFETY: `what` is a string of the running native method.
        call.worker.problem(unsafe { call.text(what) }.unwrap_or_default());
        Some(())
    });
}

extern "system" fn discovered(env: *mut jni::JNIEnv, _: jni::jclass) {
    in_worker(env, (), |call| {
        call.worker.discovered();
        Some(())
    });
}

extern "system" fn started(env: *mut jni::JNIEnv, _: jni::jclass, id: jni::jstring) {
    in_worker(env, (), |call| {
        // SAFETY: `id` is a string of the running native method.
        let test = unsafe { call.text(id) }?;
        let threads = call.java.live_threads();
        let observer = call.observer;
        let entered = marks::collect(call.jni);
        call.worker.test_started(test, threads, entered, &observer.counters, &observer.switches);
        Some(())
    });
}

extern "system" fn finished(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    id: jni::jstring,
    outcome: jni::jint,
    failure: jni::jthrowable,
) {
    in_worker(env, (), |call| {
        let entered = marks::collect(call.jni);
        let ended = call.worker.test_ended(entered, &call.observer.counters, &call.observer.switches);
        // SAFETY: `id` is a string and `failure` a throwable of the running native method, or null.
        let (test, failure) = unsafe { (call.text(id)?, call.throwable(failure)) };
        let outcome = match outcome {
            0 => Outcome::Passed,
            1 => Outcome::Failed,
            _ => Outcome::Skipped,
        };
        let explains_nulls = call.worker.explains_nulls;
        let experiment = ended.experiment.as_deref();
        let failure = failure.map(|failure| read::failure(&call.java, failure, experiment, explains_nulls));
        let before = ended.threads.as_ref();
        let scope = &call.observer.scope;
        let is_of_project = |class: &str, source: Option<&CodeSource>| scope.is_of_project(class, source);
        let left = before.map(|before| call.java.threads_left(before, &is_of_project)).unwrap_or_default();
        call.worker.test_finished(test, outcome, failure, left, ended);
        Some(())
    });
}

extern "system" fn suite_finished(env: *mut jni::JNIEnv, _: jni::jclass) {
    in_worker(env, (), |call| {
        call.worker.suite_finished(marks::collect(call.jni));
        Some(())
    });
}

extern "system" fn out_of_memory(env: *mut jni::JNIEnv, _: jni::jclass) {
    in_worker(env, (), |call| call.worker.end(Ending::OutOfMemory));
}

pub(super) extern "system" fn switches(_: *mut jni::JNIEnv, _: jni::jclass) -> jni::jlong {
    crate::observer().map_or(0, |observer| observer.switches.address() as jni::jlong)
}

pub(super) extern "system" fn entry_switches(_: *mut jni::JNIEnv, _: jni::jclass) -> jni::jlong {
    crate::observer().map_or(0, |observer| observer.switches.entries_address() as jni::jlong)
}

pub(super) extern "system" fn inject(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    counter: jni::jint,
) -> jni::jobject {
    in_worker(env, null_mut(), |call| {
        let made = inject::next_exception(call, u32::try_from(counter).ok()?)?;
        Some(Java::raw(made.into()))
    })
}

pub(super) extern "system" fn exchange(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    counter: jni::jint,
) -> jni::jobject {
    in_worker(env, null_mut(), |call| {
        let made = inject::exchanged(call, u32::try_from(counter).ok()?)?;
        Some(Java::raw(made.into()))
    })
}

pub(super) extern "system" fn caught(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    thrown: jni::jthrowable,
    counter: jni::jint,
) {
    let Ok(counter) = u32::try_from(counter) else { return };
    with_thrown(env, thrown, |call, thrown| inject::caught(call, thrown, counter));
}

pub(super) extern "system" fn passed(
    env: *mut jni::JNIEnv,
    _: jni::jclass,
    thrown: jni::jthrowable,
    counter: jni::jint,
) {
    let Ok(counter) = u32::try_from(counter) else { return };
    with_thrown(env, thrown, |call, thrown| inject::passed(call, thrown, counter));
}

pub(super) extern "system" fn escaped(env: *mut jni::JNIEnv, _: jni::jclass, thrown: jni::jthrowable) {
    with_thrown(env, thrown, inject::escaped);
}

/// Runs the body of a native method whose argument is the exception at hand.
fn with_thrown(
    env: *mut jni::JNIEnv,
    thrown: jni::jthrowable,
    body: impl for<'j> FnOnce(&Call<'j>, Throwable<'j>),
) {
    in_worker(env, (), |call| {
        // SAFETY: `thrown` is a throwable of the running native method.
        body(call, unsafe { call.throwable(thrown) }?);
        Some(())
    });
}
