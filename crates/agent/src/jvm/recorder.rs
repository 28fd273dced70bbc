//! Exceptions on their way from where they are raised to where they are caught, as the JVM tells it.
//!
//! When an exception is raised, the JVM says where it believes it will be caught. That is a guess: the exception may
//! come to native code first, or to the JVM itself, which make others of it (reflection, class initialisers, class
//! loading). So the stack is only remembered then, and an arrival noted when the JVM says that the exception was
//! caught. How many frames are left on the stack at that moment tells which of them caught it.
//!
//! ```text
//! tag of an exception     number of the object << 20 | number of its last arrival + 1, or 0
//! tag of a class          number of the class + 1
//! ```
//!
//! Nothing here runs Java code, and no handle outlives the callback.
#![expect(unsafe_code, reason = "JNI is raw pointers")]

use crate::observer::Observer;
use crate::recorder::{MOST_ARRIVALS, MethodNames, Noted, RawArrival, RawFrame, Recorder};
use catchment_protocol::recording::MethodName;
use jvmti_bindings::prelude::*;
use std::cell::RefCell;
use std::sync::atomic::{AtomicI64, Ordering};

/// Frames of a way that are kept; of longer ones those next to the raising frame and the catching one.
const FRAMES_KEPT: usize = 512;
/// Frames of a stack that are looked at: more than fit into that of a thread, unless it was given a larger one.
const FRAMES_READ: jni::jint = 131_072;
/// Raised exceptions of one thread that may still be caught. More than one are on their way at once only when class
/// loading gets in between; the rest never come to a handler.
const RAISED_KEPT: usize = 4;
const ARRIVAL_BITS: u32 = 20;
const ARRIVAL_MASK: jni::jlong = (1 << ARRIVAL_BITS) - 1;
const _: () = assert!(MOST_ARRIVALS < ARRIVAL_MASK as usize);

static NEXT_OBJECT: AtomicI64 = AtomicI64::new(1);

/// An exception that was raised on this thread and may be on its way.
#[derive(Debug)]
struct Raised {
    object: jni::jlong,
    /// Topmost first.
    stack: Vec<RawFrame>,
    /// Set if there were more frames than are looked at.
    is_cut: bool,
}

thread_local! {
    /// Borrowed only for moments in which nothing calls into the JVM, so never twice.
    static RAISED: RefCell<Vec<Raised>> = const { RefCell::new(Vec::new()) };
}

/// Remembers where the exception was raised.
pub(crate) fn exception_thrown(
    jvmti: &Jvmti,
    observer: &Observer,
    recorder: &Recorder,
    event: &ExceptionEvent,
) {
    if event.catch_method().is_null() {
        return;
    }
    let Some((stack, is_cut)) = stack(jvmti) else {
        recorder.problem(observer, "agent", "the JVM did not show the stack of an exception");
        return;
    };
    let Some(object) = number_of_object(jvmti, event.exception()) else { return };
    RAISED.with_borrow_mut(|raised| {
        let before = raised.iter().position(|each| each.object == object);
        if let Some(before) = before {
            // Told of twice on the same way, when class loading got in between.
            if raised[before].stack.ends_with(&stack) {
                return;
            }
            raised.remove(before);
        }
        if raised.len() >= RAISED_KEPT {
            raised.remove(0);
        }
        raised.push(Raised { object, stack, is_cut });
    });
}

/// Notes which way the exception has come to this handler.
pub(crate) fn exception_caught(
    jvmti: &Jvmti,
    jni: &JniEnv,
    observer: &Observer,
    recorder: &Recorder,
    event: &ExceptionCatchEvent,
) {
    // SAFETY: a live handle of this callback.
    let tag = unsafe { jvmti.get_tag(event.exception()) }.unwrap_or(0);
    let raised = RAISED.with_borrow_mut(|raised| {
        let at = raised.iter().position(|each| tag != 0 && each.object == tag >> ARRIVAL_BITS)?;
        Some(raised.remove(at))
    });
    let Some(raised) = raised else {
        tell_of_unraised(jvmti, jni, observer, recorder, event);
        return;
    };
    // SAFETY: null stands for the current thread.
    let left = unsafe { jvmti.get_frame_count(std::ptr::null_mut()) }.unwrap_or(0);
    let Some((frames, frames_left_out)) = way(&raised, usize::try_from(left).unwrap_or(0)) else {
        recorder.problem(observer, "agent", "an exception came from too far up the stack to be recorded");
        return;
    };
    let Some(exception) = number_of_class(jvmti, jni, recorder, event.exception()) else { return };
    let raw = RawArrival {
        exception,
        frames: &frames,
        frames_left_out,
        handler_pc: u32::try_from(event.location()).unwrap_or(u32::MAX),
        after: u32::try_from((tag & ARRIVAL_MASK) - 1).ok(),
    };
    match note(jvmti, jni, observer, recorder, &raw) {
        Some(number) => {
            let tag = (raised.object << ARRIVAL_BITS) | (jni::jlong::from(number) + 1);
            // SAFETY: a live handle of this callback.
            let _ = unsafe { jvmti.set_tag(event.exception(), tag) };
        }
        None => recorder.problem(
            observer,
            "agent",
            &format!(
                "more than {MOST_ARRIVALS} exceptions came in different ways; later ones are not recorded"
            ),
        ),
    }
    if frames_left_out > 0 {
        let what = format!("exceptions came through more than {FRAMES_KEPT} frames; the lowest are left out");
        recorder.problem(observer, "agent", &what);
    }
}

/// The frames of this thread, topmost first, and whether there are more of them.
fn stack(jvmti: &Jvmti) -> Option<(Vec<RawFrame>, bool)> {
    // Most stacks are shallow, and room is made for as many frames as are asked for.
    // SAFETY: null stands for the current thread.
    let mut frames =
        unsafe { jvmti.get_stack_trace(std::ptr::null_mut(), 0, FRAMES_KEPT as jni::jint) }.ok()?;
    if frames.len() >= FRAMES_KEPT {
        // SAFETY: a null thread is the current one, which runs this callback.
        frames = unsafe { jvmti.get_stack_trace(std::ptr::null_mut(), 0, FRAMES_READ) }.ok()?;
    }
    let is_cut = frames.len() >= FRAMES_READ as usize;
    let frame =
        |frame: jvmti::jvmtiFrameInfo| (frame.method as usize, i32::try_from(frame.location).unwrap_or(-1));
    Some((frames.into_iter().map(frame).collect(), is_cut))
}

/// From the raising frame to the one that is the topmost now, with the number of frames left out between.
fn way(raised: &Raised, frames_left: usize) -> Option<(Vec<RawFrame>, u32)> {
    let gone = raised.stack.len().checked_sub(frames_left).filter(|_| !raised.is_cut && frames_left > 0)?;
    let (catching, above) = raised.stack.get(..=gone)?.split_last()?;
    let kept = above.get(..FRAMES_KEPT - 1).unwrap_or(above);
    let frames = kept.iter().chain([catching]).copied().collect();
    Some((frames, u32::try_from(above.len() - kept.len()).unwrap_or(u32::MAX)))
}

/// Names the methods that are new and notes the arrival.
fn note(
    jvmti: &Jvmti,
    jni: &JniEnv,
    observer: &Observer,
    recorder: &Recorder,
    raw: &RawArrival<'_>,
) -> Option<u32> {
    match recorder.note(observer, raw) {
        Noted::As(number) => Some(number),
        Noted::NoRoom => None,
        Noted::Unnamed(methods) => {
            for id in methods {
                recorder.name_method(id, names(jvmti, jni, observer, id));
            }
            match recorder.note(observer, raw) {
                Noted::As(number) => Some(number),
                Noted::NoRoom | Noted::Unnamed(_) => None,
            }
        }
    }
}

/// Names of a method on the stack. Its class cannot be unloaded meanwhile if the method still runs; if it has just
/// ended, the JVM knows the ids of methods that are gone, and there are no names.
pub(super) fn names(jvmti: &Jvmti, jni: &JniEnv, observer: &Observer, id: usize) -> MethodNames {
    let method = id as jni::jmethodID;
    // SAFETY: an id that the JVM has given for a frame of this thread, and a class it has just given.
    let (class, method) = unsafe {
        let class = jvmti.get_method_declaring_class(method).ok().and_then(|class| {
            let name = class_name(jvmti, class);
            jni.delete_local_ref(class);
            name
        });
        (class, jvmti.get_method_name(method).ok())
    };
    let (class, is_hidden) = class.unwrap_or_default();
    let (method, descriptor, _) = method.unwrap_or_default();
    let is_application = !is_hidden && observer.is_application(&class);
    MethodNames { name: MethodName { class, method, descriptor }, is_application, is_hidden }
}

/// Binary name, and whether the class is hidden: then the JVM adds an address, which says nothing and is cut off.
///
/// # Safety
/// A live handle of a class.
pub(super) unsafe fn class_name(jvmti: &Jvmti, class: jni::jclass) -> Option<(String, bool)> {
    // SAFETY: `class` is a live class, as the caller promises.
    let (signature, _) = unsafe { jvmti.get_class_signature(class) }.ok()?;
    let name = signature.strip_prefix('L').and_then(|name| name.strip_suffix(';')).unwrap_or(&signature);
    // Neither `.` nor `;` can be part of the internal name of any other class.
    Some(match name.split_once('.') {
        Some((name, _)) => (name.replace('/', "."), true),
        None => (name.replace('/', "."), false),
    })
}

/// The number by which the object is known for as long as it lives.
fn number_of_object(jvmti: &Jvmti, exception: jni::jobject) -> Option<jni::jlong> {
    // SAFETY: a live handle of this callback.
    let tag = unsafe { jvmti.get_tag(exception) }.ok()?;
    if tag != 0 {
        return Some(tag >> ARRIVAL_BITS);
    }
    let object = NEXT_OBJECT.fetch_add(1, Ordering::Relaxed);
    // SAFETY: `exception` is the live object of the running event.
    unsafe { jvmti.set_tag(exception, object << ARRIVAL_BITS) }.ok().map(|()| object)
}

fn number_of_class(jvmti: &Jvmti, jni: &JniEnv, recorder: &Recorder, exception: jni::jobject) -> Option<u32> {
    // SAFETY: a live handle of this callback, and of the class it gives.
    unsafe { number_of(jvmti, recorder, jni.get_object_class(exception)) }
}

/// The number by which a class is known; its tag saves asking for the name.
///
/// # Safety
/// A live handle of a class.
pub(super) unsafe fn number_of(jvmti: &Jvmti, recorder: &Recorder, class: jni::jclass) -> Option<u32> {
    // SAFETY: `class` is a live class, as the caller promises.
    unsafe {
        let tag = jvmti.get_tag(class).ok()?;
        if tag != 0 {
            return u32::try_from(tag - 1).ok();
        }
        let (name, _) = class_name(jvmti, class)?;
        let number = recorder.number_class(name);
        jvmti.set_tag(class, jni::jlong::from(number) + 1).ok().map(|()| number)
    }
}

/// A problem where the JVM made another exception of one: it does not always tell that it raises it.
fn tell_of_unraised(
    jvmti: &Jvmti,
    jni: &JniEnv,
    observer: &Observer,
    recorder: &Recorder,
    event: &ExceptionCatchEvent,
) {
    let MethodNames { name, is_application, .. } = names(jvmti, jni, observer, event.method() as usize);
    if !is_application {
        return;
    }
    // SAFETY: a live handle of this callback, and of the class it gives.
    let exception = unsafe { class_name(jvmti, jni.get_object_class(event.exception())) };
    let (exception, _) = exception.unwrap_or_default();
    let place = format!("{}.{}{}", name.class, name.method, name.descriptor);
    let what = format!(
        "{exception} came to the handler at {}; the JVM did not tell where from, so it is not recorded",
        event.location()
    );
    recorder.problem(observer, &place, &what);
}
