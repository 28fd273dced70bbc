//! What bytecode does not show: programs whose methods are reached by models of the JVM and the JDK, by points-to sets.

use crate::program::Program;
use catchment_exceptions::{ExceptionFlowOptions, Scope, exception_flow};
use catchment_pointsto::Fits;
use catchment_pointsto::{BlindSpot, CallGraphKind, Reached, ReflectiveTarget, Sensitivity};
use catchment_pointsto::{InstanceId, MethodId};
use std::collections::BTreeSet;

fn compile(program: &str) -> Program {
    Program::compile_files(&[("Main.java", program)], Vec::new())
}

/// The methods of `Main` and its nested classes that are reached, and the methods in which something was not seen.
fn methods(program: &str, recorded: &[ReflectiveTarget]) -> (BTreeSet<String>, BTreeSet<String>) {
    let program = compile(program);
    let reached = program.analyse_with_targets(Sensitivity::default(), recorded);
    let is_own = |name: &String| name.starts_with("Main");
    let blind = reached.blind_spots.iter().filter(|it| it.spot == BlindSpot::Reflection);
    let blind = blind.map(|it| short(&reached, it.method));
    (names(&reached).filter(is_own).collect(), blind.filter(is_own).collect())
}

/// All methods that are reached, those of the JDK as well.
fn all_methods(program: &str) -> BTreeSet<String> {
    let program = compile(program);
    names(&program.analyse(Sensitivity::default())).collect()
}

fn names(reached: &Reached<'_>) -> impl Iterator<Item = String> {
    let instances = (0..reached.instances.len()).map(InstanceId::new);
    instances.filter_map(|it| reached.method_of(it)).map(|method| short(reached, method))
}

/// Class and name.
fn short(reached: &Reached<'_>, method: MethodId) -> String {
    reached.world.describe(method).split('(').next().unwrap_or_default().to_owned()
}

#[test]
fn fields_by_name_are_read_and_written() {
    let program = r#"
        public class Main {
            Runnable task;
            static class Task implements Runnable { public void run() {} }
            static class Other implements Runnable { public void run() {} }
            public static void main(String[] args) throws Exception {
                Runnable other = new Other();
                Main main = new Main();
                Main.class.getDeclaredField("task").set(main, new Task());
                ((Runnable) Main.class.getDeclaredField("task").get(main)).run();
            }
        }"#;
    let (reached, blind) = methods(program, &[]);
    assert!(reached.contains("Main$Task.run") && !reached.contains("Main$Other.run"), "{reached:?}");
    assert!(blind.is_empty(), "{blind:?}");
}

#[test]
fn what_is_written_to_a_stream_is_not_filled_with_what_is_read() {
    let program = r#"
        import java.io.*;
        public class Main {
            static class Written implements Serializable {
                Runnable task = new Quiet();
                private void writeObject(ObjectOutputStream out) throws IOException { out.defaultWriteObject(); }
            }
            static class Read implements Serializable, Runnable {
                private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
                    in.defaultReadObject();
                }
                public void run() {}
            }
            static class Quiet implements Serializable, Runnable { public void run() {} }
            public static void main(String[] args) throws Exception {
                Written written = new Written();
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                new ObjectOutputStream(bytes).writeObject(written);
                new ObjectOutputStream(bytes).writeObject(new Read());
                new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
                written.task.run();
            }
        }"#;
    let (reached, _) = methods(program, &[]);
    assert!(reached.contains("Main$Quiet.run") && reached.contains("Main$Read.readObject"), "{reached:?}");
    assert!(!reached.contains("Main$Read.run"), "{reached:?}");
}

#[test]
fn calls_on_a_proxy_go_to_its_handler() {
    let program = r#"
        import java.lang.reflect.*;
        public class Main {
            interface Service { Object serve(Object given); }
            static class Given { @Override public String toString() { return ""; } }
            static class Handler implements InvocationHandler {
                public Object invoke(Object proxy, Method method, Object[] args) { return args[0].toString(); }
            }
            public static void main(String[] args) {
                Class<?>[] interfaces = {Service.class};
                Object proxy = Proxy.newProxyInstance(Main.class.getClassLoader(), interfaces, new Handler());
                ((Service) proxy).serve(new Given());
            }
        }"#;
    let (reached, _) = methods(program, &[]);
    assert!(
        reached.contains("Main$Handler.invoke") && reached.contains("Main$Given.toString"),
        "{reached:?}"
    );
}

#[test]
fn what_every_object_has_does_not_go_to_the_handler_of_a_proxy() {
    let program = r#"
        import java.lang.reflect.*;
        public class Main {
            static class Handler implements InvocationHandler {
                public Object invoke(Object proxy, Method method, Object[] args) { return null; }
            }
            public static void main(String[] args) throws Exception {
                Class<?>[] interfaces = {Runnable.class};
                Object proxy = Proxy.newProxyInstance(Main.class.getClassLoader(), interfaces, new Handler());
                synchronized (proxy) {
                    proxy.notifyAll();
                    proxy.getClass().getName();
                }
            }
        }"#;
    let (reached, _) = methods(program, &[]);
    assert!(!reached.contains("Main$Handler.invoke"), "{reached:?}");
}

#[test]
fn a_table_written_as_code_is_one_array_that_holds_all_of_its_rows() {
    let program = |rows: usize| {
        let rows = "{\"name\", new Task()}, ".repeat(rows);
        let source = format!(
            "public class Main {{
                static class Task implements Runnable {{ public void run() {{}} }}
                static Object[][] table() {{ return new Object[][] {{ {rows} }}; }}
                public static void main(String[] args) {{ ((Runnable) table()[0][1]).run(); }}
            }}"
        );
        compile(&source)
    };
    let (few, many, more) = (program(10), program(150), program(300));
    let [few, many, more] = [&few, &many, &more].map(|program| program.analyse(Sensitivity::default()));
    assert!(names(&many).any(|name| name == "Main$Task.run"));
    // Tasks are told apart by where they are made, and so are the rows of what is no table.
    let made = |one: &Reached<'_>, other: &Reached<'_>| one.stats.objects - other.stats.objects;
    assert_eq!((made(&more, &many), made(&many, &few)), (150, 150 - 10 - 10 + 1));
}

#[test]
fn the_handler_of_a_proxy_is_the_one_that_it_was_made_with() {
    let program = r#"
        import java.lang.reflect.*;
        public class Main {
            interface Service { }
            static class Handler implements InvocationHandler {
                public Object invoke(Object proxy, Method method, Object[] args) { return null; }
                void replay() { }
            }
            public static void main(String[] args) {
                Class<?>[] interfaces = {Service.class};
                Object proxy = Proxy.newProxyInstance(Main.class.getClassLoader(), interfaces, new Handler());
                ((Handler) Proxy.getInvocationHandler(proxy)).replay();
            }
        }"#;
    let (reached, _) = methods(program, &[]);
    assert!(reached.contains("Main$Handler.replay"), "{reached:?}");
}

#[test]
fn handles_lead_to_what_they_were_found_for() {
    let program = r#"
        import java.lang.invoke.*;
        public class Main {
            Runnable task;
            static final VarHandle TASK;
            static {
                try {
                    TASK = MethodHandles.lookup().findVarHandle(Main.class, "task", Runnable.class);
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(e);
                }
            }
            static class Task implements Runnable { public void run() {} }
            static void called(String text) {}
            static void idle(String text) {}
            public static void main(String[] args) throws Throwable {
                MethodType type = MethodType.methodType(void.class, String.class);
                MethodHandles.lookup().findStatic(Main.class, "called", type).invokeExact("");
                Main main = new Main();
                TASK.setRelease(main, (Runnable) new Task());
                main.task.run();
            }
        }"#;
    let (reached, _) = methods(program, &[]);
    assert!(reached.contains("Main.called") && !reached.contains("Main.idle"), "{reached:?}");
    assert!(reached.contains("Main$Task.run"), "{reached:?}");
}

#[test]
fn threads_hand_what_ends_them_to_their_handler_and_finalisers_run() {
    let program = r#"
        public class Main {
            static class Handler implements Thread.UncaughtExceptionHandler {
                public void uncaughtException(Thread thread, Throwable thrown) { thrown.getMessage(); }
            }
            static class Fault extends RuntimeException { @Override public String getMessage() { return ""; } }
            static class Kept { @Override protected void finalize() { released(); } static void released() {} }
            public static void main(String[] args) {
                new Kept();
                Thread thread = new Thread(() -> { throw new Fault(); });
                thread.setUncaughtExceptionHandler(new Handler());
                thread.start();
            }
        }"#;
    let (reached, _) = methods(program, &[]);
    for method in ["Main$Handler.uncaughtException", "Main$Fault.getMessage", "Main$Kept.released"] {
        assert!(reached.contains(method), "{method} is not in {reached:?}");
    }
}

#[test]
fn assertions_of_the_program_are_on_and_those_of_the_jdk_are_off() {
    let program = r#"
        public class Main {
            static boolean holds(Object key) { return key != null; }
            public static void main(String[] args) {
                assert holds(args);
                new java.util.HashMap<Object, Object>().put(args, args);
            }
        }"#;
    let reached = all_methods(program);
    let is_reached = |name: &str| reached.contains(name);
    assert!(is_reached("Main.holds") && is_reached("java.util.HashMap$TreeNode.treeify"));
    assert!(!is_reached("java.util.HashMap$TreeNode.checkInvariants"));
}

#[test]
fn classes_of_the_jdk_whose_names_are_no_constants_and_what_the_jvm_gives_are_known() {
    let program = r#"
        public class Main {
            public static void main(String[] args) throws Exception {
                new java.net.URL(args[0]).openStream();
                java.net.InetAddress.getByName(args[0]).isLinkLocalAddress();
                Main.class.getModule().isExported("main");
                java.util.logging.Logger.getGlobal().info(args[0]);
                new java.io.File(args[0]).exists();
            }
        }"#;
    let reached = all_methods(program);
    for method in [
        "sun.net.www.protocol.http.HttpURLConnection.connect",
        "sun.net.www.protocol.ftp.FtpURLConnection.connect",
        "java.net.Inet6AddressImpl.lookupAllHostAddr",
        "java.net.Inet4Address.isLinkLocalAddress",
        "java.lang.Module.isExported",
        "java.util.logging.ConsoleHandler.publish",
    ] {
        assert!(reached.contains(method), "{method}");
    }
    assert!(!reached.contains("java.lang.SecurityManager.checkRead"));
}

#[test]
fn a_security_manager_is_there_if_the_program_installs_one() {
    let program = r#"
        public class Main {
            static class Manager extends SecurityManager { @Override public void checkRead(String file) {} }
            public static void main(String[] args) {
                System.setSecurityManager(new Manager());
                new java.io.File(args[0]).exists();
            }
        }"#;
    assert!(methods(program, &[]).0.contains("Main$Manager.checkRead"));
}

/// Where exceptions of type `IOException` are raised that come to a clause of a method of `Main`.
fn io_raised(program: &str, method: &str) -> BTreeSet<String> {
    let program = compile(program);
    let mut reached = program.analyse(Sensitivity::default());
    let flow = exception_flow(
        &mut reached,
        &ExceptionFlowOptions { throws: true, ..ExceptionFlowOptions::default() },
        Scope::Everything,
    );
    let io = reached.world.class(b"java/io/IOException");
    let clauses = flow.caught().filter(|(instance, ..)| {
        reached.method_of(*instance).is_some_and(|it| short(&reached, it) == format!("Main.{method}"))
    });
    let caught = clauses.flat_map(|(_, _, caught)| caught.iter()).map(|number| flow.raised.get(number));
    let caught = caught.filter(|raised| reached.world.typed_fits(raised.typed, io) == Fits::Yes);
    caught.map(|raised| short(&reached, raised.point.method)).collect()
}

#[test]
fn checked_exceptions_leave_a_privileged_action_of_the_jdk_only_where_they_are_declared() {
    let program = r#"
        public class Main {
            static void load(String name) { try { Class.forName(name); } catch (Exception e) {} }
            static void open(String url) { try { new java.net.URL(url).openStream(); } catch (Exception e) {} }
            public static void main(String[] args) { load(args[0]); open(args[1]); }
        }"#;
    // Tasks and reflection throw on, undeclared, what others have thrown; but nothing comes straight from reading a jar.
    let reads =
        |method: &String| ["java.io.", "java.util.", "sun.nio."].iter().any(|it| method.starts_with(it));
    let is_no_task = |method: &&String| !method.starts_with("java.util.concurrent.");
    let raised: Vec<String> = io_raised(program, "load").into_iter().filter(reads).collect();
    assert_eq!(raised.iter().find(is_no_task), None);
    let raised = io_raised(program, "open");
    let by_http = "sun.net.www.protocol.http.HttpURLConnection.getInputStream0";
    assert!(raised.contains(by_http), "{raised:?}");
}

#[test]
fn a_class_that_is_not_there_is_missed_by_the_loader() {
    let program = r#"
        public class Main {
            static void load() { try { Class.forName("no.such.Driver"); } catch (ClassNotFoundException e) {} }
            public static void main(String[] args) { load(); }
        }"#;
    let program = compile(program);
    let mut reached = program.analyse(Sensitivity::default());
    let flow = exception_flow(
        &mut reached,
        &ExceptionFlowOptions { throws: true, ..ExceptionFlowOptions::default() },
        Scope::Everything,
    );
    let clauses = flow.caught().filter(|(instance, ..)| {
        reached.method_of(*instance).is_some_and(|it| short(&reached, it) == "Main.load")
    });
    let raised = clauses.flat_map(|(_, _, caught)| caught.iter()).map(|it| flow.raised.get(it).point.method);
    let raised: BTreeSet<String> = raised.map(|method| short(&reached, method)).collect();
    assert!(raised.contains("jdk.internal.loader.BuiltinClassLoader.loadClass"), "{raised:?}");
}

#[test]
fn a_private_method_is_never_another_of_the_same_name() {
    let program = r#"
        public class Main {
            static class Upper { private void open() {} void use() { open(); } }
            static class Lower extends Upper { private void open() {} }
            public static void main(String[] args) { new Lower().use(); }
        }"#;
    let (reached, _) = methods(program, &[]);
    assert!(reached.contains("Main$Upper.open") && !reached.contains("Main$Lower.open"), "{reached:?}");
}

const BY_ARGUMENT: &str = r#"
    public class Main {
        public static class Plugin { public Plugin() {} public void start() {} }
        public static void main(String[] args) throws Exception {
            Object plugin = Class.forName(args[0]).getConstructor().newInstance();
            plugin.getClass().getMethod(args[1]).invoke(plugin);
        }
    }"#;

#[test]
fn a_name_that_is_no_constant_is_a_blind_spot() {
    let (reached, blind) = methods(BY_ARGUMENT, &[]);
    assert!(!reached.contains("Main$Plugin.start"), "{reached:?}");
    assert_eq!(blind, BTreeSet::from(["Main.main".to_owned()]));
}

#[test]
fn what_a_run_has_shown_is_followed() {
    let target = |name: &[u8]| ReflectiveTarget {
        caller: Some((b"Main".to_vec(), b"main".to_vec())),
        class: b"Main$Plugin".to_vec(),
        name: name.to_vec(),
        descriptor: b"()V".to_vec(),
    };
    let (reached, _) = methods(BY_ARGUMENT, &[target(b"<init>"), target(b"start")]);
    assert!(reached.contains("Main$Plugin.<init>") && reached.contains("Main$Plugin.start"), "{reached:?}");
}

#[test]
fn a_run_that_made_an_object_by_its_class_alone_wraps_nothing() {
    let program = r#"
        import java.lang.reflect.InvocationTargetException;
        public class Main {
            static class Fault extends RuntimeException { void bare() {} void wrapped() {} }
            public static class Plugin { public Plugin() { throw new Fault(); } }
            public static void main(String[] args) throws Exception {
                try {
                    Class.forName(args[0]).newInstance();
                } catch (Fault e) {
                    e.bare();
                } catch (ReflectiveOperationException e) {
                    ((Fault) ((InvocationTargetException) e).getTargetException()).wrapped();
                }
            }
        }"#;
    let target = ReflectiveTarget {
        caller: Some((b"Main".to_vec(), b"main".to_vec())),
        class: b"Main$Plugin".to_vec(),
        name: b"<init>".to_vec(),
        descriptor: b"()V".to_vec(),
    };
    let (reached, _) = methods(program, &[target]);
    assert!(reached.contains("Main$Fault.bare") && !reached.contains("Main$Fault.wrapped"), "{reached:?}");
}

#[test]
fn what_is_made_is_more_than_what_one_of_its_uses_casts_it_to() {
    let program = r#"
        public class Main {
            interface Named { String name(); }
            public static class Plugin { public Plugin() {} @Override public String toString() { return ""; } }
            static void use(Object it) { it.toString(); }
            public static void main(String[] args) throws Exception {
                Object made = Class.forName("Main$Plugin").getConstructor().newInstance();
                if (made instanceof Named) ((Named) made).name();
                use(made);
            }
        }"#;
    let compiled = compile(program);
    for analysis in [CallGraphKind::Rta, CallGraphKind::Objects(Sensitivity::default())] {
        let reached = compiled.analyse(analysis);
        let reached: BTreeSet<String> = names(&reached).collect();
        assert!(reached.contains("Main$Plugin.toString"), "{analysis:?}");
    }
}

#[test]
fn what_is_made_for_a_cast_alone_fits_it() {
    let program = r#"
        public class Main {
            interface Named { String name(); }
            public static class Plugin implements Named { public Plugin() {} public String name() { return ""; } }
            public static class Other { public Other() {} }
            static Named make(String name) throws Exception {
                return (Named) Class.forName(name).getConstructor().newInstance();
            }
            public static void main(String[] args) throws Exception {
                make("Main$Plugin").name();
                make("Main$Other").name();
            }
        }"#;
    let (reached, _) = methods(program, &[]);
    assert!(reached.contains("Main$Plugin.name") && !reached.contains("Main$Other.<init>"), "{reached:?}");
}

#[test]
fn a_name_that_is_a_constant_on_some_ways_only_is_a_blind_spot_too() {
    let program = |name: &str| {
        format!(
            r#"
            public class Main {{
                public static void one() {{}}
                public static void two() {{}}
                public static void main(String[] args) throws Exception {{
                    Main.class.getMethod({name}).invoke(null);
                }}
            }}"#
        )
    };
    let (reached, blind) = methods(&program("args.length > 5 ? \"one\" : args[0]"), &[]);
    assert!(reached.contains("Main.one") && !reached.contains("Main.two"), "{reached:?}");
    assert_eq!(blind, BTreeSet::from(["Main.main".to_owned()]));
    let (reached, blind) = methods(&program("args.length > 5 ? \"one\" : \"two\""), &[]);
    assert!(reached.contains("Main.one") && reached.contains("Main.two"), "{reached:?}");
    assert_eq!(blind, BTreeSet::new());
}

#[test]
fn handles_of_methods_with_any_number_of_arguments_collect_them() {
    let program = r#"
        import java.lang.invoke.*;
        public class Main {
            static class One implements Runnable { public void run() {} }
            static class Two implements Runnable { public void run() {} }
            static class Whole implements Runnable { public void run() {} }
            static void all(String first, Runnable... rest) { for (Runnable it : rest) it.run(); }
            static void none(Object... rest) { empty(); }
            static void empty() {}
            static void one(String only) {}
            public static void main(String[] args) throws Throwable {
                MethodHandles.Lookup lookup = MethodHandles.lookup();
                MethodType type = MethodType.methodType(void.class, String.class, Runnable[].class);
                MethodHandle all = lookup.findStatic(Main.class, "all", type);
                all.invoke("", new One(), new Two());
                all.invoke("", new Runnable[] {new Whole()});
                lookup.findStatic(Main.class, "none", MethodType.methodType(void.class, Object[].class)).invoke();
                MethodType single = MethodType.methodType(void.class, String.class);
                lookup.findStatic(Main.class, "one", single).invoke("", "");
            }
        }"#;
    let compiled = compile(program);
    for analysis in [CallGraphKind::Rta, CallGraphKind::Objects(Sensitivity::default())] {
        let reached = compiled.analyse(analysis);
        let reached: BTreeSet<String> = names(&reached).collect();
        for method in ["Main$One.run", "Main$Two.run", "Main$Whole.run", "Main.empty"] {
            assert!(reached.contains(method), "{method} by {analysis:?}");
        }
    }
    let (reached, _) = methods(program, &[]);
    assert!(!reached.contains("Main.one"), "{reached:?}");
}
