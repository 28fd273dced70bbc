//! Stacks, threads, and what else a test leaves traces in.
#![expect(unsafe_code, reason = "JNI is raw pointers")]

use super::{Class, Java, Object};
use crate::jvm::{code_source_of_class, thread_number};
use crate::scope::CodeSource;
use jvmti_bindings::prelude::*;
use rustc_hash::FxHashSet;
use std::thread::sleep;
use std::time::Duration;

/// A thread that was told to end may need a moment.
const GRACE: [u64; 6] = [1, 2, 4, 8, 16, 32];
/// Groups in which the JVM keeps its own threads.
const GROUPS_OF_THE_JVM: [&str; 3] = ["system", "InnocuousThreadGroup", "CarrierThreads"];
/// Threads that belong to the whole JVM, whoever needed them first.
const SHARED_THREADS: [&str; 4] = [
    "ForkJoinPool.commonPool-",
    "CompletableFutureDelayScheduler",
    "Common-Cleaner",
    "VirtualThread-unparker",
];

/// Frames of a thread that are looked at: what a thread of a pool waits in is near the top.
const FRAMES_OF_THREAD: jni::jint = 64;
/// Queues that give a task when its time has come, without another thread handing one in.
const TIMED_QUEUES: [&str; 2] =
    ["java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", "java.util.concurrent.DelayQueue"];

/// Tells whether a class of this name and place is the application's or the tests'.
pub(crate) type IsOfProject<'a> = &'a dyn Fn(&str, Option<&CodeSource>) -> bool;

/// A method that is or was running.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Method(jni::jmethodID);

impl Method {
    pub(crate) fn number(self) -> usize {
        self.0 as usize
    }
}

/// A thread, alive when it was listed.
#[derive(Debug, Clone, Copy)]
struct JavaThread {
    number: u64,
    raw: jni::jthread,
}

impl<'j> Java<'j> {
    /// The methods on the stack of this thread, topmost first.
    pub(crate) fn stack(&self, skip: jni::jint, most: jni::jint) -> Vec<Method> {
        // SAFETY: null stands for the current thread.
        let frames = unsafe { self.jvmti.get_stack_trace(std::ptr::null_mut(), skip, most) };
        frames.unwrap_or_default().into_iter().map(|frame| Method(frame.method)).collect()
    }

    /// `None` when the class is no more.
    pub(crate) fn class_of_method(&self, method: Method) -> Option<Class<'j>> {
        // SAFETY: the JVM never gives the id of a method to another one, and knows those that are gone.
        unsafe { self.jvmti.get_method_declaring_class(method.0).ok().and_then(|class| self.class(class)) }
    }

    /// Empty when the class is no more.
    pub(crate) fn method_name(&self, method: Method) -> String {
        // SAFETY: `method` comes from a stack, so its class is live.
        unsafe { self.jvmti.get_method_name(method.0) }.map(|(name, ..)| name).unwrap_or_default()
    }

    /// The numbers of the live threads.
    pub(crate) fn live_threads(&self) -> FxHashSet<u64> {
        self.threads().into_iter().map(|thread| thread.number).collect()
    }

    /// The names of threads that were not there before, do not end by themselves, and may go on without being told to.
    pub(crate) fn threads_left(
        &self,
        before: &FxHashSet<u64>,
        is_of_project: IsOfProject<'_>,
    ) -> Vec<String> {
        let mut names = self.new_threads(before, is_of_project);
        for millis in GRACE {
            if names.is_empty() {
                break;
            }
            sleep(Duration::from_millis(millis));
            names = self.new_threads(before, is_of_project);
        }
        names
    }

    fn new_threads(&self, before: &FxHashSet<u64>, is_of_project: IsOfProject<'_>) -> Vec<String> {
        let new = self.threads().into_iter().filter(|thread| !before.contains(&thread.number));
        let new = new.filter(|thread| !self.is_idle(*thread, is_of_project));
        let counted = new.filter_map(|thread| self.thread_names(thread)).filter(|(name, group)| {
            let is_shared = SHARED_THREADS.iter().any(|shared| name.starts_with(shared));
            !GROUPS_OF_THE_JVM.contains(&group.as_str()) && !is_shared
        });
        let mut names: Vec<String> = counted.map(|(name, _)| name).collect();
        names.sort();
        names
    }

    /// Tells whether the thread only waits for others: for a connection, a notification, or a task of a pool. A thread
    /// with the project's code on its stack, or with a time at which it goes on by itself, is not idle.
    fn is_idle(&self, thread: JavaThread, is_of_project: IsOfProject<'_>) -> bool {
        // SAFETY: a live handle of a thread, just given; if the thread has ended since, the JVM says so.
        let (state, frames) = unsafe {
            let state = self.jvmti.get_thread_state(thread.raw).unwrap_or_default();
            (state, self.jvmti.get_stack_trace(thread.raw, 0, FRAMES_OF_THREAD).unwrap_or_default())
        };
        let is_in = |flag| state & flag != 0;
        let has_time = is_in(jvmti::JVMTI_THREAD_STATE_WAITING_WITH_TIMEOUT);
        let waits = is_in(jvmti::JVMTI_THREAD_STATE_WAITING_INDEFINITELY)
            || has_time && !is_in(jvmti::JVMTI_THREAD_STATE_SLEEPING)
            || is_in(jvmti::JVMTI_THREAD_STATE_IN_NATIVE);
        if !waits || frames.is_empty() {
            return false;
        }
        let Ok(_handles) = self.jni.push_local_frame(2 * FRAMES_OF_THREAD) else { return false };
        let mut polls = false;
        for method in frames.into_iter().map(|frame| Method(frame.method)) {
            let Some(class) = self.class_of_method(method) else { return false };
            let name = self.class_name(class);
            let source =
                crate::jdk_members().and_then(|jdk| code_source_of_class(self.jni, jdk, class.handle()));
            if is_of_project(&name, source.as_ref()) {
                return false;
            }
            polls |= self.method_name(method) == "poll" && !TIMED_QUEUES.contains(&name.as_str());
        }
        !has_time || polls
    }

    fn threads(&self) -> Vec<JavaThread> {
        let Some(jdk) = crate::jdk_members() else { return Vec::new() };
        let mut threads = Vec::new();
        for thread in self.jvmti.get_all_threads().unwrap_or_default() {
            if let Some(number) = thread_number(self.jni, jdk, thread) {
                threads.push(JavaThread { number, raw: thread });
            }
        }
        threads
    }

    /// The name of a thread and that of its group.
    fn thread_names(&self, thread: JavaThread) -> Option<(String, String)> {
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

    /// Target of a `DatagramPacket`.
    pub(crate) fn packet_target(&self, packet: Object<'j>) -> Option<(Object<'j>, jni::jint)> {
        // SAFETY: promised by the type of the native method's parameter; getters without arguments.
        unsafe {
            let address = self.jni.call_object_method(packet.0, self.members.packet_address, &[]);
            let port = self.jni.call_int_method(packet.0, self.members.packet_port, &[]);
            if self.take_thrown().is_some() { None } else { Some((self.object(address)?, port)) }
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
