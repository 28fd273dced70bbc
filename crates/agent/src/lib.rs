//! The JVMTI library inside the tested JVM.
//!
//! Loaded by `-agentpath`. Weaves the classes of the application as they are loaded, and keeps the books: names in a
//! log, counts in a mapped file. Prints nothing, except one line when it must end the JVM: a run that observes
//! nothing must not look like one in which nothing happened.
//!
//! With a socket to a controller the JVM is a *worker*: the test driver in it runs tests on demand, and the agent
//! tells the controller what each did, makes tries throw when asked, and ends the JVM when there is no point in going
//! on.
//!
//! The library asks for no capability to retransform classes: woven code is then part of the class for good, also when
//! another agent (Mockito's) retransforms the class later.

mod artefact;
mod describe;
mod entered;
mod experiment;
mod guard;
mod jvm;
mod launch;
mod loaders;
mod log_file;
mod mapping;
mod network;
mod observer;
mod occurrences;
mod recorder;
mod scope;
mod selftest;
mod sites;
mod snapshots;
mod subclass;
mod surefire;
mod tries;
mod worker;

use crate::describe::Delivered;
use crate::jvm::{Java, JdkMembers, Reflection, SharedJvmti, WorkerMembers};
use crate::loaders::Loaders;
use crate::observer::{Observer, WovenBytes};
use crate::recorder::Recorder;
use crate::worker::{Exhausted, Worker};
use catchment_protocol::AGENT_FAILED_EXIT;
use catchment_protocol::conversation::Ending;
use catchment_protocol::equipment::Equipment;
use catchment_protocol::options::{AgentOptions, RuntimeClass, unpack_runtime};
use catchment_protocol::records::{JvmStarted, Record, WovenClass};
use jvmti_bindings::prelude::*;
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The state that native methods and callbacks share; the JVM gives them nothing to carry it in.
static OBSERVER: OnceLock<Observer> = OnceLock::new();
static JDK_MEMBERS: OnceLock<JdkMembers> = OnceLock::new();
/// In workers only.
static WORKER: OnceLock<(SharedJvmti, WorkerMembers)> = OnceLock::new();
/// In JVMs that make a recording only.
static REFLECTION: OnceLock<Reflection> = OnceLock::new();

fn observer() -> Option<&'static Observer> {
    OBSERVER.get()
}

fn jdk_members() -> Option<&'static JdkMembers> {
    JDK_MEMBERS.get()
}

/// In JVMs that make a recording only.
fn recorder() -> Option<(&'static Observer, &'static Recorder)> {
    let observer = observer()?;
    Some((observer, observer.recorder()?))
}

/// The JVM as the running callback sees it; `None` outside workers.
fn java(jni: &JniEnv) -> Option<Java<'_>> {
    WORKER.get().map(|(jvmti, members)| Java::new(jni, *jvmti, members))
}

/// A panic is contained where it happens, so what a lock protects is still whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug, Default)]
struct CatchmentAgent {
    options: OnceLock<AgentOptions>,
    /// The self-test class as the hook wove it, or why it did not.
    self_test: OnceLock<Result<WovenClass, String>>,
    loaders: Loaders,
}

impl Agent for CatchmentAgent {
    fn on_load(&self, context: AgentLoadContext<'_>) -> jni::jint {
        // The default hook prints to the program's stderr; panics are reported as problems instead.
        std::panic::set_hook(Box::new(|_| {}));
        match self.load(&context) {
            Ok(()) => jni::JNI_OK,
            Err(what) => end_jvm(&what),
        }
    }

    fn on_attach(&self, _: AgentLoadContext<'_>) -> jni::jint {
        jni::JNI_ERR
    }

    fn callback_panicked(&self, event: &'static str) {
        match observer() {
            Some(observer) if observer.is_ready() => {
                observer.problem("agent", &format!("internal error in {event}"));
            }
            // Without a start nothing would be observed, and nobody would know.
            _ => end_jvm(&format!("internal error in {event}")),
        }
    }

    fn vm_init(&self, context: CallbackContext<'_>, _: ThreadEvent) {
        let Some(observer) = observer() else { return };
        let Some(jni) = context.jni() else { end_jvm("the JVM gave no JNI environment") };
        let started = jvm_started(context.jvmti());
        let java_version = started.java_version.clone();
        let outcome = self
            .connect(context.jvmti(), jni, observer, &java_version)
            .and_then(|()| write(observer, &Record::JvmStarted(started)))
            .and_then(|()| self.start(context.jvmti(), jni, observer))
            .and_then(|()| write(observer, &Record::SelfTestPassed));
        match outcome {
            Ok(()) => {
                self.prepare_for_classes(context.jvmti(), jni, observer);
                observer.set_ready();
            }
            Err(what) => {
                // The line below says it as well.
                let _ = observer.write(&Record::SelfTestFailed { what: what.clone() });
                end_jvm(&format!("does not work in this JVM (Java {java_version}): {what}"));
            }
        }
    }

    fn vm_death(&self, _: CallbackContext<'_>) {
        if let Some(observer) = observer() {
            if let Some(worker) = observer.worker() {
                worker.jvm_ends();
            }
            // A lost record is counted by `write`.
            let _ = observer.write(&Record::JvmEnded);
        }
    }

    fn thread_end(&self, context: CallbackContext<'_>, event: ThreadEvent) {
        if let (Some(observer), Some(members), Some(jni)) = (observer(), jdk_members(), context.jni())
            && let Some(number) = jvm::thread_number(jni, members, event.thread())
        {
            if let Some(worker) = observer.worker() {
                worker.thread_ended(number);
            }
            observer.counters.release_slot(number);
        }
    }

    fn exception(&self, context: CallbackContext<'_>, event: ExceptionEvent) {
        if let Some((observer, recorder)) = recorder() {
            jvm::exception_thrown(context.jvmti(), observer, recorder, &event);
        }
    }

    fn exception_catch(&self, context: CallbackContext<'_>, event: ExceptionCatchEvent) {
        if let (Some((observer, recorder)), Some(jni)) = (recorder(), context.jni()) {
            jvm::exception_caught(context.jvmti(), jni, observer, recorder, &event);
        }
    }

    fn breakpoint(&self, context: CallbackContext<'_>, event: LocationEvent) {
        if let (Some((observer, recorder)), Some(reflection), Some(jni)) =
            (recorder(), REFLECTION.get(), context.jni())
        {
            reflection.called(context.jvmti(), jni, observer, recorder, &event);
        }
    }

    fn frame_pop(&self, _: CallbackContext<'_>, event: FramePopEvent) {
        if let (Some((observer, recorder)), Some(reflection)) = (recorder(), REFLECTION.get()) {
            reflection.returned(observer, recorder, &event);
        }
    }

    fn native_method_bind(&self, context: CallbackContext<'_>, mut event: NativeMethodBindEvent) {
        jvm::native_method_bound(context.jvmti(), &mut event);
    }

    fn resource_exhausted<'a>(&self, context: CallbackContext<'a>, event: ResourceExhaustedEvent<'a>) {
        let Some(worker) = observer().and_then(Observer::worker) else { return };
        let free_memory = context.jni().and_then(|jni| java(jni)?.free_memory());
        match worker::exhausted(event.flags(), free_memory) {
            Some(Exhausted::Threads) => worker.end(Ending::OutOfMemory),
            Some(Exhausted::Memory) => worker.memory_used_up(),
            None => {}
        }
    }

    fn class_file_load_hook<'a>(&self, context: CallbackContext<'a>, mut event: ClassFileLoadHookEvent<'a>) {
        let (Some(observer), Ok(Some(name))) = (observer(), event.name_str()) else { return };
        let woven = if event.loader().is_null() {
            self.weave_self_test(observer, &name, event.class_data())
        } else {
            self.weave_application(observer, &context, &event, &name.replace('/', "."))
        };
        if let Some(bytes) = woven
            && let Err(error) = event.set_transformed_class(&context, &bytes)
        {
            observer.problem(&name, &format!("the JVM did not take the woven class: {error:?}"));
        }
    }
}

impl CatchmentAgent {
    /// The same library named twice (a watch inside a watched command) is loaded twice; the first does the work.
    fn load(&self, context: &AgentLoadContext<'_>) -> Result<(), String> {
        if observer().is_some() {
            return Ok(());
        }
        let options = context.options_str().map_err(|error| error.to_string())?.unwrap_or_default();
        let options = AgentOptions::parse(&options).map_err(|error| error.to_string())?;
        match Observer::create(&options) {
            Ok(observer) => {
                if options.equipment.contains(Equipment::LAUNCH) {
                    // A JVM without our events runs as fast as without the agent.
                    return record_launch(&observer, options.equipment.contains(Equipment::WITHOUT_TESTS));
                }
                let (is_worker, equipment) = (options.socket.is_some(), options.equipment);
                let _ = OBSERVER.set(observer);
                let _ = self.options.set(options);
                request_events(context, is_worker, equipment)
            }
            // Started by something that outlived the watched command (a build daemon): nobody reads results any more.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(format!("cannot write results to {}: {error}", options.results.display())),
        }
    }

    /// Makes this JVM a worker, if that is what it was started for.
    fn connect(
        &self,
        jvmti: &Jvmti,
        jni: &JniEnv,
        observer: &Observer,
        java_version: &str,
    ) -> Result<(), String> {
        let Some(socket) = self.options.get().and_then(|options| options.socket.as_ref()) else {
            return Ok(());
        };
        let worker = Worker::connect(socket, java_version)
            .map_err(|error| format!("cannot connect to {}: {error}", socket.display()))?;
        let _ = WORKER.set((SharedJvmti::new(jvmti), WorkerMembers::find(jni)?));
        observer.set_worker(worker);
        Ok(())
    }

    fn start(&self, jvmti: &Jvmti, jni: &JniEnv, observer: &Observer) -> Result<(), String> {
        let path = &self.options.get().ok_or("no runtime named")?.runtime;
        let packed =
            std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        let runtime = unpack_runtime(&packed).ok_or_else(|| format!("{} is damaged", path.display()))?;
        let members = JdkMembers::find(jni)?;
        let _ = JDK_MEMBERS.set(members);
        let class = runtime.iter().find(|class| class.name == selftest::CLASS);
        let class = class.ok_or("the runtime has no self-test")?;
        let outcome = match observer.recorder() {
            Some(recorder) => start_recording(jvmti, jni, observer, recorder, class),
            None => {
                jvm::install_runtime(jvmti, jni, &runtime)?;
                self.self_test(jni, observer, class)
            }
        };
        outcome.map_err(|what| format!("self-test failed: {what}"))
    }

    fn self_test(&self, jni: &JniEnv, observer: &Observer, class: &RuntimeClass<'_>) -> Result<(), String> {
        jvm::run_self_test(jni, class)?;
        match self.self_test.get() {
            None => Err("the JVM did not offer the class for weaving".to_owned()),
            Some(Err(what)) => Err(format!("cannot weave it: {what}")),
            Some(Ok(woven)) => selftest::check(woven, &observer.counters, &observer.self_test_types()),
        }
    }

    /// Asks the system class loader now, when there is stack for it, and notes classes that came before anything
    /// could be woven: a class loader of the application's that serves as system class loader, for example.
    fn prepare_for_classes(&self, jvmti: &Jvmti, jni: &JniEnv, observer: &Observer) {
        let Some(members) = jdk_members() else { return };
        if observer.recorder().is_none()
            && let Some(loader) = jni.system_class_loader()
        {
            self.loaders.finds_runtime(jvmti, jni, members, loader);
        }
        for (class, code_source) in jvm::loaded_classes(jvmti, jni, members) {
            observer.class_too_early(&class, code_source.as_ref());
        }
    }

    /// Of the boot loader's classes only our own self-test is woven, once.
    fn weave_self_test(&self, observer: &Observer, name: &str, bytes: &[u8]) -> Option<Vec<u8>> {
        let is_woven = observer.recorder().is_none() && !observer.is_ready();
        if name != selftest::CLASS || !is_woven || self.self_test.get().is_some() {
            return None;
        }
        let delivered = Delivered { class: name, bytes, code_source: "", changed_before: false };
        let (woven, outcome) = match observer.weave(&delivered) {
            Ok(Some(WovenBytes { bytes: Some(bytes), record, .. })) => (Some(bytes), Ok(record)),
            Ok(_) => (None, Err("nothing was woven".to_owned())),
            Err(what) => (None, Err(what)),
        };
        let _ = self.self_test.set(outcome);
        woven
    }

    fn weave_application(
        &self,
        observer: &Observer,
        context: &CallbackContext<'_>,
        event: &ClassFileLoadHookEvent<'_>,
        class: &str,
    ) -> Option<Vec<u8>> {
        let (Some(jni), Some(members)) = (context.jni(), jdk_members()) else { return None };
        let code_source = jvm::code_source(jni, members, event.protection_domain());
        if !observer.is_ready() {
            observer.class_too_early(class, code_source.as_ref());
            return None;
        }
        let finds_runtime = || self.loaders.finds_runtime(context.jvmti(), jni, members, event.loader());
        observer.class_delivered(class, code_source.as_ref(), event.class_data(), finds_runtime)
    }
}

/// Exceptions are asked for only now: before, the JVM is not ready for what we ask about them.
fn start_recording(
    jvmti: &Jvmti,
    jni: &JniEnv,
    observer: &Observer,
    recorder: &Recorder,
    self_test: &RuntimeClass<'_>,
) -> Result<(), String> {
    jvmti
        .enable_events_global(&[jvmti::JVMTI_EVENT_EXCEPTION, jvmti::JVMTI_EVENT_EXCEPTION_CATCH])
        .map_err(|error| format!("the JVM refuses events of exceptions: {error:?}"))?;
    jvm::run_self_test(jni, self_test)?;
    selftest::check_recording(recorder)?;
    match Reflection::watch(jvmti, jni) {
        Ok(reflection) => {
            let _ = REFLECTION.set(reflection);
        }
        Err(what) => observer.problem("agent", &format!("reflective calls are not recorded: {what}")),
    }
    Ok(())
}

/// Class load events are on from the very start, although nothing is woven before the JVM is initialised: seeing them
/// on, a JVM with an ahead-of-time cache does not take classes of the application from it, which would come without
/// an event.
fn request_events(
    context: &AgentLoadContext<'_>,
    is_worker: bool,
    equipment: Equipment,
) -> Result<(), String> {
    let is_recorder = equipment.contains(Equipment::RECORDING);
    let jvmti = context.vm().jvmti().map_err(|code| format!("no JVMTI: {}", describe_jni_result(code)))?;
    // Only newer JVMs have virtual threads, and only if asked they tell of exceptions in them.
    let has_virtual_threads = jvmti
        .get_potential_capabilities()
        .is_ok_and(|potential| is_recorder && potential.can_support_virtual_threads());
    let requested = jvmti
        .add_capabilities_with(|capabilities| {
            capabilities.set_can_generate_all_class_hook_events(true);
            capabilities.set_can_tag_objects(is_worker || is_recorder);
            capabilities.set_can_generate_exception_events(is_recorder);
            capabilities.set_can_support_virtual_threads(has_virtual_threads);
            capabilities.set_can_generate_native_method_bind_events(is_worker);
            capabilities.set_can_generate_resource_exhaustion_heap_events(is_worker);
            capabilities.set_can_generate_resource_exhaustion_threads_events(is_worker);
        })
        .and_then(|_| jvmti.set_default_agent_callbacks())
        .and_then(|()| {
            jvmti.enable_events_global(&[
                jvmti::JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                jvmti::JVMTI_EVENT_VM_INIT,
                jvmti::JVMTI_EVENT_VM_DEATH,
                jvmti::JVMTI_EVENT_THREAD_END,
            ])
        })
        .and_then(|()| match is_worker {
            true => jvmti.enable_events_global(&[
                jvmti::JVMTI_EVENT_NATIVE_METHOD_BIND,
                jvmti::JVMTI_EVENT_RESOURCE_EXHAUSTED,
            ]),
            false => Ok(()),
        });
    requested.map_err(|error| format!("the JVM refuses class load events: {error:?}"))?;
    if is_recorder {
        // Only one agent can have breakpoints. If that is a debugger, there is a problem to be told later.
        let _ = jvmti.add_capabilities_with(|capabilities| {
            capabilities.set_can_generate_breakpoint_events(true);
            capabilities.set_can_generate_frame_pop_events(true);
            capabilities.set_can_access_local_variables(true);
        });
    }
    Ok(())
}

/// The program is not to suffer from what cannot be read.
fn record_launch(observer: &Observer, without_tests: bool) -> Result<(), String> {
    match launch::launch(Path::new("/proc/self")) {
        Ok(launch) => {
            let emptied = if without_tests { surefire::leave_tests_out(&launch.files) } else { Ok(()) };
            if let Err(error) = emptied {
                observer.problem("agent", &format!("cannot leave out the tests of this JVM: {error}"));
            }
            write(observer, &Record::Launched(launch))
        }
        Err(error) => {
            observer.problem("agent", &format!("cannot read how this JVM was started: {error}"));
            Ok(())
        }
    }
}

fn jvm_started(jvmti: &Jvmti) -> JvmStarted {
    let property = |name| jvmti.get_system_property(name).unwrap_or_default();
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    JvmStarted {
        pid: std::process::id(),
        java_version: property("java.vm.version"),
        command: property("sun.java.command"),
        started_ms: u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX),
    }
}

fn write(observer: &Observer, record: &Record) -> Result<(), String> {
    observer.write(record).map_err(|error| format!("cannot write results: {error}"))
}

/// The only thing the agent ever prints.
fn end_jvm(what: &str) -> ! {
    eprintln!("catchment: agent: {what}");
    mapping::end_process(AGENT_FAILED_EXIT)
}

export_agent!(CatchmentAgent);
