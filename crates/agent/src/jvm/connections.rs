//! Notes which addresses a test talks to: wrappers around the JDK's native methods for connecting, sending and
//! looking up.
//!
//! The JVM says when it binds a native method to its code, and lets us put ours in between. What is not found by name
//! and descriptor (another JDK) is simply not noticed.
#![expect(unsafe_code, reason = "native methods are called with the signatures the JDK declares")]

use super::java::Object;
use super::natives::{Call, in_worker};
use crate::network;
use jvmti_bindings::prelude::*;
use std::ffi::c_void;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicPtr, Ordering};

type Env = *mut jni::JNIEnv;

/// The JDK's own code, once bound. Wrappers run only then.
struct Original(AtomicPtr<c_void>);

impl Original {
    const fn new() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// The bound function; `None` before the JVM has bound it.
    ///
    /// # Safety
    /// `F` is the type of the function that was bound.
    unsafe fn get<F: Copy>(&self) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>(), "a function pointer") };
        let address = self.0.load(Ordering::SeqCst);
        // SAFETY: `F` is the function's type, as the caller promises, and has the size of an address (checked).
        (!address.is_null()).then(|| unsafe { std::mem::transmute_copy(&address) })
    }
}

/// The result of a native method that the JVM has not bound.
trait Unbound {
    const RESULT: Self;
}

impl Unbound for () {
    const RESULT: Self = ();
}

impl Unbound for jni::jint {
    const RESULT: Self = 0;
}

impl Unbound for jni::jobject {
    const RESULT: Self = std::ptr::null_mut();
}

/// A native method with our code around the JDK's own: `before` runs ahead of it, `after` is given its result. The
/// signature stands once, for both. A method that was never bound does nothing.
macro_rules! wrapper {
    ($(#[$doc:meta])* $name:ident around $original:ident($($argument:ident: $type:ty),*) -> $result:ty,
     before $before:expr, after $after:expr) => {
        $(#[$doc])*
        extern "system" fn $name(env: Env, receiver: jni::jobject, $($argument: $type),*) -> $result {
            $before(env);
            // SAFETY: the signature under which the method was bound, with its class or object as the receiver.
            let original = unsafe {
                $original.get::<extern "system" fn(Env, jni::jobject, $($type),*) -> $result>()
            };
            let Some(original) = original else { return Unbound::RESULT };
            let result = original(env, receiver, $($argument),*);
            $after(env, result);
            result
        }
    };
}

static CONNECT: Original = Original::new();
static OLD_CONNECT: Original = Original::new();
static SEND: Original = Original::new();
static OLD_SEND: Original = Original::new();
static OLD_CHANNEL_SEND: Original = Original::new();
static LOOK_UP_4: Original = Original::new();
static LOOK_UP_6: Original = Original::new();
static LOOK_UP_6_WITH_KIND: Original = Original::new();

const OLD_CHANNEL: &str = "(ZLjava/io/FileDescriptor;JILjava/net/InetAddress;I)I";
const LOOK_UP: &str = "(Ljava/lang/String;)[Ljava/net/InetAddress;";

/// Puts a wrapper in front of the native method that is being bound, if it is one of those above.
pub(crate) fn native_method_bound(jvmti: &Jvmti, event: &mut NativeMethodBindEvent) {
    // SAFETY: the method of the running callback, and its class.
    let names = unsafe {
        let Ok((name, descriptor, _)) = jvmti.get_method_name(event.method()) else { return };
        if !["connect0", "socketConnect", "send0", "send", "lookupAllHostAddr"].contains(&name.as_str()) {
            return;
        }
        let class = jvmti.get_method_declaring_class(event.method());
        let Ok((class, _)) = class.and_then(|class| jvmti.get_class_signature(class)) else { return };
        (class, name, descriptor)
    };
    let (class, name, descriptor) = (names.0.as_str(), names.1.as_str(), names.2.as_str());
    let (original, wrapper) = match (class, name, descriptor) {
        ("Lsun/nio/ch/Net;", "connect0", "(ZLjava/io/FileDescriptor;Ljava/net/InetAddress;I)I") => {
            (&CONNECT, connect as *mut c_void)
        }
        ("Ljava/net/PlainSocketImpl;", "socketConnect", "(Ljava/net/InetAddress;II)V") => {
            (&OLD_CONNECT, old_connect as *mut c_void)
        }
        ("Lsun/nio/ch/DatagramChannelImpl;", "send0", "(Ljava/io/FileDescriptor;JIJI)I") => {
            (&SEND, send as *mut c_void)
        }
        ("Lsun/nio/ch/DatagramChannelImpl;", "send0", OLD_CHANNEL) => {
            (&OLD_CHANNEL_SEND, old_channel_send as *mut c_void)
        }
        ("Ljava/net/PlainDatagramSocketImpl;", "send", "(Ljava/net/DatagramPacket;)V") => {
            (&OLD_SEND, old_send as *mut c_void)
        }
        ("Ljava/net/Inet4AddressImpl;", _, LOOK_UP) => (&LOOK_UP_4, look_up_4 as *mut c_void),
        ("Ljava/net/Inet6AddressImpl;", _, LOOK_UP) => (&LOOK_UP_6, look_up_6 as *mut c_void),
        ("Ljava/net/Inet6AddressImpl;", _, "(Ljava/lang/String;I)[Ljava/net/InetAddress;") => {
            (&LOOK_UP_6_WITH_KIND, look_up_6_with_kind as *mut c_void)
        }
        _ => return,
    };
    original.0.store(event.address(), Ordering::SeqCst);
    // SAFETY: the wrapper has the signature of the method, as its class, name and descriptor say.
    unsafe { event.set_new_address(wrapper) };
}

fn note_connection(env: Env, address: jni::jobject, port: jni::jint) {
    in_worker(env, (), |call| {
        // SAFETY: an argument of the running native method, an `InetAddress` by its declaration.
        note_target(call, unsafe { call.java.object(address) }?, port)
    });
}

/// The target of a datagram, as a native socket address of so many bytes.
fn note_socket_address(env: Env, target: jni::jlong, length: jni::jint) {
    in_worker(env, (), |call| {
        // SAFETY: arguments of the running native method, as the JDK's own code reads them.
        let (address, port) = unsafe { socket_address(target, length) }?;
        note(call, network::external_connection(&address.to_string(), port))
    });
}

fn note_packet(env: Env, packet: jni::jobject) {
    in_worker(env, (), |call| {
        // SAFETY: an argument of the running native method, a `DatagramPacket` by its declaration.
        let packet = unsafe { call.java.object(packet) }?;
        let (address, port) = call.java.packet_target(packet)?;
        note_target(call, address, port)
    });
}

/// `address` is an `InetAddress`.
fn note_target<'j>(call: &Call<'j>, address: Object<'j>, port: jni::jint) -> Option<()> {
    let text = call.java.host_address(address)?;
    note(call, network::external_connection(&text, u16::try_from(port).unwrap_or(0)))
}

fn note(call: &Call<'_>, address: Option<String>) -> Option<()> {
    call.worker.connected_to(address?);
    Some(())
}

/// Frames between a comparison of URLs and the lookup that it makes, and then some.
const FRAMES_OF_COMPARISON: jni::jint = 32;
/// The class whose methods compare URLs, by the addresses of their hosts.
const URL_HANDLER: &str = "java.net.URLStreamHandler";
const COMPARING: [&str; 4] = ["equals", "hashCode", "hostsEqual", "sameFile"];

/// Tells whether a lookup is made only to compare two URLs, or to put one into a table: nobody means to talk to the host.
fn compares_urls(call: &Call<'_>) -> bool {
    let Ok(_handles) = call.jni.push_local_frame(2 * FRAMES_OF_COMPARISON) else { return false };
    call.java.stack(0, FRAMES_OF_COMPARISON).into_iter().any(|method| {
        let class = call.java.class_of_method(method).map(|class| call.java.class_name(class));
        class.is_some_and(|class| class == URL_HANDLER)
            && COMPARING.contains(&call.java.method_name(method).as_str())
    })
}

/// After the lookup. What it found is an array of `InetAddress`; null when it threw.
fn note_name(env: Env, name: jni::jstring, found: jni::jobject) {
    in_worker(env, (), |call| {
        let pending = call.jni.exception_occurred();
        call.jni.exception_clear();
        // SAFETY: an argument and the result of the running native method.
        let (name, answers) = unsafe { (call.jni.get_string_lossy(name), addresses(call, found)) };
        let name = name.filter(|name| network::is_external_name(name, &answers));
        if let Some(name) = name.filter(|_| !compares_urls(call)) {
            call.worker.connected_to(name);
        }
        if let Some(pending) = pending {
            // SAFETY: the exception just taken away.
            let _ = unsafe { call.jni.throw(pending) };
        }
        Some(())
    });
}

/// # Safety
/// Null, or a live array of `InetAddress`.
unsafe fn addresses(call: &Call<'_>, array: jni::jobject) -> Vec<String> {
    if array.is_null() {
        return Vec::new();
    }
    // SAFETY: `array` is a live array, as the caller promises.
    let elements = unsafe { 0..call.jni.get_array_length(array) };
    // SAFETY: `array` is live, and the index below its length.
    let element = |index| unsafe { call.java.object(call.jni.get_object_array_element(array, index)) };
    elements.filter_map(element).filter_map(|address| call.java.host_address(address)).collect()
}

/// The address in a native `sockaddr`, which the JDK has filled in.
///
/// # Safety
/// `address` is 0 or points to `length` readable bytes.
unsafe fn socket_address(address: jni::jlong, length: jni::jint) -> Option<(IpAddr, u16)> {
    let (pointer, length) = (address as *const u8, usize::try_from(length).ok()?);
    if pointer.is_null() || length < size_of::<libc::sockaddr_in>() {
        return None;
    }
    // SAFETY: long enough for each structure that is read (checked); plain numbers, read unaligned.
    unsafe {
        match i32::from(pointer.cast::<libc::sa_family_t>().read_unaligned()) {
            libc::AF_INET => {
                let address = pointer.cast::<libc::sockaddr_in>().read_unaligned();
                let ip = Ipv4Addr::from(u32::from_be(address.sin_addr.s_addr));
                Some((ip.into(), u16::from_be(address.sin_port)))
            }
            libc::AF_INET6 if length >= size_of::<libc::sockaddr_in6>() => {
                let address = pointer.cast::<libc::sockaddr_in6>().read_unaligned();
                Some((Ipv6Addr::from(address.sin6_addr.s6_addr).into(), u16::from_be(address.sin6_port)))
            }
            _ => None,
        }
    }
}

/// For methods whose result says nothing.
fn ignore<T>(_env: Env, _result: T) {}

wrapper!(connect around CONNECT(
    prefer_6: jni::jboolean, file: jni::jobject, address: jni::jobject, port: jni::jint
) -> jni::jint, before |env| note_connection(env, address, port), after ignore);

wrapper!(
    /// Of Java 11.
    old_connect around OLD_CONNECT(address: jni::jobject, port: jni::jint, timeout: jni::jint) -> (),
    before |env| note_connection(env, address, port), after ignore
);

wrapper!(send around SEND(
    file: jni::jobject, data: jni::jlong, length: jni::jint, target: jni::jlong, target_length: jni::jint
) -> jni::jint, before |env| note_socket_address(env, target, target_length), after ignore);

wrapper!(
    /// Of Java 11.
    old_send around OLD_SEND(packet: jni::jobject) -> (),
    before |env| note_packet(env, packet), after ignore
);

wrapper!(
    /// Of Java 11.
    old_channel_send around OLD_CHANNEL_SEND(
        prefer_6: jni::jboolean, file: jni::jobject, data: jni::jlong, length: jni::jint,
        address: jni::jobject, port: jni::jint
    ) -> jni::jint, before |env| note_connection(env, address, port), after ignore
);

wrapper!(look_up_4 around LOOK_UP_4(name: jni::jstring) -> jni::jobject,
    before |_| (), after |env, found| note_name(env, name, found));

wrapper!(look_up_6 around LOOK_UP_6(name: jni::jstring) -> jni::jobject,
    before |_| (), after |env, found| note_name(env, name, found));

wrapper!(look_up_6_with_kind around LOOK_UP_6_WITH_KIND(name: jni::jstring, kind: jni::jint) -> jni::jobject,
    before |_| (), after |env, found| note_name(env, name, found));
