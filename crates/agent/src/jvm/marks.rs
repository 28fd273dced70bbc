//! The marks of entered methods: a Java array that woven code writes to, read and cleared here.
#![expect(unsafe_code, reason = "JNI is raw pointers")]

use super::failed;
use super::java::Global;
use crate::entered::MOST_MARKS;
use crate::observer;
use catchment_protocol::conversation::Entered;
use catchment_protocol::runtime_abi::ENTERED;
use jvmti_bindings::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

static ARRAY: OnceLock<Global> = OnceLock::new();

/// Remembers the array of the probes.
pub(super) fn find_array(jni: &JniEnv, probes: jni::jclass) -> Result<(), String> {
    let (name, descriptor) = ENTERED;
    // SAFETY: the class was just defined by this environment; the field is a static one that holds an object.
    let array = unsafe {
        jni.get_static_field_id(probes, name, descriptor)
            .map(|field| jni.get_static_object_field(probes, field))
    };
    let array = array.filter(|array| !array.is_null()).and_then(|array| Global::new(jni, array));
    let _ = ARRAY.set(array.ok_or_else(|| failed(jni, "find the marks of methods"))?);
    Ok(())
}

/// The length of the array: none but in JVMs that are equipped for it.
pub(super) extern "system" fn marks(_: *mut jni::JNIEnv, _: jni::jclass) -> jni::jint {
    observer().and_then(observer::Observer::marks).map_or(0, |_| MOST_MARKS.cast_signed())
}

pub(super) extern "system" fn initialiser_begins(env: *mut jni::JNIEnv, _: jni::jclass) {
    with_marks(env, |jni, marks| marks.initialiser_begins(|count| take(jni, count)));
}

pub(super) extern "system" fn initialiser_ends(env: *mut jni::JNIEnv, _: jni::jclass) {
    with_marks(env, |jni, marks| marks.initialiser_ends(|count| take(jni, count)));
}

/// The methods that were entered since this was last asked.
pub(super) fn collect(jni: &JniEnv) -> Entered {
    let marks = observer().and_then(observer::Observer::marks);
    marks.map(|marks| marks.collect(|count| take(jni, count))).unwrap_or_default()
}

fn with_marks(env: *mut jni::JNIEnv, body: impl FnOnce(&JniEnv, &crate::entered::Marks)) {
    let result = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the environment of the running native method.
        let jni = unsafe { JniEnv::from_raw(env) };
        if let Some(marks) = observer().and_then(observer::Observer::marks) {
            body(&jni, marks);
        }
    }));
    if result.is_err()
        && let Some(observer) = observer()
    {
        observer.problem("agent", "internal error in a native method");
    }
}

/// The marks that are set, which are then cleared. Only what was seen set is cleared: another thread may set others
/// meanwhile.
fn take(jni: &JniEnv, count: u32) -> Vec<u32> {
    let Some(array) = ARRAY.get() else { return Vec::new() };
    let mut bytes = vec![0; count as usize];
    // SAFETY: a live array of bytes; `count` marks are allocated, no more than it is long.
    unsafe { jni.get_byte_array_region(array.raw(), 0, count.cast_signed(), &mut bytes) };
    let set: Vec<u32> =
        (0..count).zip(&bytes).filter(|(_, byte)| **byte != 0).map(|(mark, _)| mark).collect();
    for run in set.chunk_by(|one, next| one + 1 == *next) {
        let zeros = vec![0; run.len()];
        // SAFETY: as above; the run lies within the allocated marks.
        unsafe {
            jni.set_byte_array_region(array.raw(), run[0].cast_signed(), zeros.len() as jni::jsize, &zeros);
        };
    }
    set
}
