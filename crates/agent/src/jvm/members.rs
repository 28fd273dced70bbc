//! The members of JDK classes that workers use, looked up once.
#![expect(unsafe_code, reason = "JNI is raw pointers")]

use super::failed;
use super::java::Global;
use jvmti_bindings::prelude::*;

#[derive(Debug)]
pub(crate) struct WorkerMembers {
    pub(super) class: Global,
    pub(super) for_name: jni::jmethodID,
    /// Not before Java 17.
    pub(super) permitted_subclasses: Option<jni::jmethodID>,
    pub(super) string: Global,
    pub(super) throwable: Global,
    pub(super) init_message: jni::jmethodID,
    pub(super) init_message_cause: jni::jmethodID,
    pub(super) message: jni::jfieldID,
    pub(super) cause: jni::jfieldID,
    pub(super) get_message: jni::jmethodID,
    pub(super) get_localized_message: jni::jmethodID,
    pub(super) get_cause: jni::jmethodID,
    pub(super) to_string: jni::jmethodID,
    pub(super) get_suppressed: jni::jmethodID,
    pub(super) add_suppressed: jni::jmethodID,
    pub(super) out_of_memory: Global,
    pub(super) runtime: Global,
    pub(super) get_runtime: jni::jmethodID,
    pub(super) free_memory: jni::jmethodID,
    pub(super) total_memory: jni::jmethodID,
    pub(super) max_memory: jni::jmethodID,
    pub(super) host_address: jni::jmethodID,
    pub(super) packet_address: jni::jmethodID,
    pub(super) packet_port: jni::jmethodID,
}

// SAFETY: ids of members of boot classes; valid on every thread as long as the JVM lives.
unsafe impl Send for WorkerMembers {}
// SAFETY: ids of members of boot classes; valid on every thread as long as the JVM lives.
unsafe impl Sync for WorkerMembers {}

impl WorkerMembers {
    pub(crate) fn find(jni: &JniEnv) -> Result<Self, String> {
        let class = |name: &str| -> Result<jni::jclass, String> {
            jni.find_class(name).ok_or_else(|| failed(jni, &format!("find {name}")))
        };
        let kept = |name: &str| -> Result<Global, String> {
            Global::new(jni, class(name)?).ok_or_else(|| failed(jni, &format!("keep {name}")))
        };
        let method = |owner: &str, name: &str, descriptor: &str| {
            // SAFETY: the class handle was just given by this environment.
            let found = unsafe { jni.get_method_id(class(owner)?, name, descriptor) };
            found.ok_or_else(|| failed(jni, &format!("find {owner}.{name}")))
        };
        let static_method = |owner: &str, name: &str, descriptor: &str| {
            // SAFETY: a live boot class, and names with a 0 at their end.
            let found = unsafe { jni.get_static_method_id(class(owner)?, name, descriptor) };
            found.ok_or_else(|| failed(jni, &format!("find {owner}.{name}")))
        };
        let field = |owner: &str, name: &str, descriptor: &str| {
            // SAFETY: a live boot class, and names with a 0 at their end.
            let found = unsafe { jni.get_field_id(class(owner)?, name, descriptor) };
            found.ok_or_else(|| failed(jni, &format!("find {owner}.{name}")))
        };
        const THROWABLE: &str = "java/lang/Throwable";
        const RUNTIME: &str = "java/lang/Runtime";
        const PACKET: &str = "java/net/DatagramPacket";
        let permitted_subclasses =
            method("java/lang/Class", "getPermittedSubclasses", "()[Ljava/lang/Class;").ok();
        Ok(Self {
            class: kept("java/lang/Class")?,
            for_name: static_method(
                "java/lang/Class",
                "forName",
                "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;",
            )?,
            permitted_subclasses,
            string: kept("java/lang/String")?,
            throwable: kept(THROWABLE)?,
            init_message: method(THROWABLE, "<init>", "(Ljava/lang/String;)V")?,
            init_message_cause: method(THROWABLE, "<init>", "(Ljava/lang/String;Ljava/lang/Throwable;)V")?,
            message: field(THROWABLE, "detailMessage", "Ljava/lang/String;")?,
            cause: field(THROWABLE, "cause", "Ljava/lang/Throwable;")?,
            get_message: method(THROWABLE, "getMessage", "()Ljava/lang/String;")?,
            get_localized_message: method(THROWABLE, "getLocalizedMessage", "()Ljava/lang/String;")?,
            get_cause: method(THROWABLE, "getCause", "()Ljava/lang/Throwable;")?,
            to_string: method(THROWABLE, "toString", "()Ljava/lang/String;")?,
            get_suppressed: method(THROWABLE, "getSuppressed", "()[Ljava/lang/Throwable;")?,
            add_suppressed: method(THROWABLE, "addSuppressed", "(Ljava/lang/Throwable;)V")?,
            out_of_memory: kept("java/lang/OutOfMemoryError")?,
            runtime: kept(RUNTIME)?,
            get_runtime: static_method(RUNTIME, "getRuntime", "()Ljava/lang/Runtime;")?,
            free_memory: method(RUNTIME, "freeMemory", "()J")?,
            total_memory: method(RUNTIME, "totalMemory", "()J")?,
            max_memory: method(RUNTIME, "maxMemory", "()J")?,
            host_address: method("java/net/InetAddress", "getHostAddress", "()Ljava/lang/String;")?,
            packet_address: method(PACKET, "getAddress", "()Ljava/net/InetAddress;")?,
            packet_port: method(PACKET, "getPort", "()I")?,
        })
    }
}
