//! What an analysis finds, every coarser one finds too: methods, calls and links.

use crate::program::Program;
use catchment_exceptions::{
    ClauseScope, DataFilter, ExceptionFlowOptions, Link, Scope, exception_flow, filter, links,
};
use catchment_pointsto::InstanceId;
use catchment_pointsto::{CallGraphKind, CallKind, Code, Options, Reached, Sensitivity};
use catchment_testkit::maven;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Names of methods as numbers that mean the same in all analyses.
#[derive(Default)]
pub(crate) struct Names {
    numbers: HashMap<String, u32>,
    names: Vec<String>,
}

/// A call of one method by another.
type Edge = (u32, u16, CallKind, u32);

pub(crate) struct Facts {
    methods: HashSet<u32>,
    edges: HashSet<Edge>,
    links: BTreeSet<String>,
}

impl Names {
    fn number(&mut self, name: String) -> u32 {
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.names.len() as u32 - 1
        })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }

    /// By instance.
    pub(crate) fn numbers_of(&mut self, reached: &Reached<'_>) -> Vec<u32> {
        let instances = reached.instances.iter().map(|code| match code {
            Code::Method(method) => reached.world.describe(*method),
            Code::Proxy(method) => format!("lambda for {}", reached.world.describe(*method)),
        });
        instances.map(|name| self.number(name)).collect()
    }

    /// `callers` are those whose calls will be asked for; all if nothing is said.
    pub(crate) fn facts(&mut self, mut reached: Reached<'_>, callers: Option<&HashSet<u32>>) -> Facts {
        let numbers = self.numbers_of(&reached);
        let of = |instance: InstanceId| numbers[instance.index()];
        let is_asked = |caller: u32| callers.is_none_or(|callers| callers.contains(&caller));
        let calls = reached.calls().iter().filter(|call| is_asked(of(call.caller)));
        let edges = calls.flat_map(|call| {
            let targets = reached.targets(call).iter();
            targets.map(|target| (of(call.caller), call.pc, call.kind, of(*target)))
        });
        let edges = edges.collect();
        let flow = exception_flow(
            &mut reached,
            &ExceptionFlowOptions { throws: true, ..ExceptionFlowOptions::default() },
            Scope::Everything,
        );
        let links = links(&reached, &flow, ClauseScope::Application);
        let links = links.iter().map(|link| described(&reached, link)).collect();
        Facts { methods: numbers.into_iter().collect(), edges, links }
    }

    pub(crate) fn assert_within(&self, smaller: &Facts, larger: &Facts) {
        let name = |number: &u32| &self.names[*number as usize];
        let methods: Vec<_> = smaller.methods.difference(&larger.methods).map(name).collect();
        assert!(methods.is_empty(), "{methods:?}");
        let edges = smaller.edges.difference(&larger.edges);
        let edges: Vec<_> = edges.map(|(from, pc, kind, to)| (name(from), pc, kind, name(to))).collect();
        assert!(edges.is_empty(), "{edges:?}");
        let links: Vec<_> = smaller.links.difference(&larger.links).collect();
        assert!(links.is_empty(), "{links:?}");
    }
}

fn described(reached: &Reached<'_>, link: &Link) -> String {
    let point = reached.world.describe(link.point.method);
    let clause = reached.world.class_of(link.clause.class).binary_name();
    format!("{point}@{} {:?} in {clause} {}", link.point.pc, link.point.kind, link.clause.pair)
}

const FROM_FINE_TO_COARSE: [CallGraphKind; 5] = [
    CallGraphKind::Objects(Sensitivity::TwoObjects),
    CallGraphKind::Objects(Sensitivity::Constructors),
    CallGraphKind::Objects(Sensitivity::Insensitive),
    CallGraphKind::Rta,
    CallGraphKind::Cha,
];

/// The facts of every analysis are within those of the next coarser one.
fn check(program: &Program, analyses: &[CallGraphKind]) {
    let mut names = Names::default();
    let mut finer: Option<Facts> = None;
    for analysis in analyses {
        // All methods of the JDK call each other in millions of ways. Nothing is coarser, so only what has to be there is kept.
        let callers = finer.as_ref().filter(|_| *analysis == CallGraphKind::Cha).map(|finer| &finer.methods);
        let facts = names.facts(program.analyse(*analysis), callers);
        assert!(!facts.links.is_empty(), "{analysis:?} finds no links");
        if let Some(finer) = &finer {
            names.assert_within(finer, &facts);
        }
        finer = Some(facts);
    }
}

pub(crate) const FILES_AND_LAMBDAS: &str = r#"
    import java.io.*; import java.nio.file.*; import java.util.*; import java.util.stream.*;
    class T {
        record Pair(String name, Object value) {}
        interface Task { int run(String s) throws IOException; default int twice(String s) throws IOException { return run(s) + run(s); } }
        static class Mine extends Exception { Mine(String message, Throwable cause) { super(message, cause); } }
        public static void main(String[] args) throws Exception {
            List<String> list = new ArrayList<>();
            for (String s : args) list.add(s.trim());
            Map<String, Integer> map = new TreeMap<>(Comparator.comparing(String::length));
            list.forEach(s -> map.merge(s, 1, Integer::sum));
            try (BufferedReader reader = new BufferedReader(new FileReader(args[0]))) {
                System.out.println(reader.readLine() + new Pair("x", map));
            } catch (FileNotFoundException e) {
                System.err.println(e);
            } catch (IOException | RuntimeException e) {
                throw new Mine("m", e);
            }
            Task task = s -> { if (s.isEmpty()) throw new IOException("x"); return Integer.parseInt(s); };
            try { task.twice("3"); } catch (IOException e) { throw e; } catch (NumberFormatException e) { }
            new Thread(() -> {
                try { Files.write(Path.of("x"), "y".getBytes()); } catch (IOException e) { throw new UncheckedIOException(e); }
            }).start();
            System.out.println(list.stream().map(String::toUpperCase).filter(s -> s.length() > 1).collect(Collectors.toList()));
        }
    }"#;

#[test]
fn a_program_with_files_collections_and_lambdas_shrinks_with_precision() {
    check(&Program::compile(FILES_AND_LAMBDAS, Vec::new()), &FROM_FINE_TO_COARSE);
}

/// Links without a filter, then with each, from the coarsest on.
fn filtered(program: &Program, sensitivity: Sensitivity) -> Vec<BTreeSet<String>> {
    let options = Options { keeps_heap: true, ..sensitivity.into() };
    let mut reached = program.analyse(options);
    let flow = exception_flow(
        &mut reached,
        &ExceptionFlowOptions { throws: true, ..ExceptionFlowOptions::default() },
        Scope::Everything,
    );
    // Filters ask for every call in every try, and the JDK has thousands of them.
    let all = links(&reached, &flow, ClauseScope::Application);
    let described = |reached: &Reached<'_>, links: &[Link]| -> BTreeSet<String> {
        links.iter().map(|link| described(reached, link)).collect()
    };
    let mut found = vec![described(&reached, &all)];
    for by in [DataFilter::Dr, DataFilter::Cdr, DataFilter::Mdr, DataFilter::Vdr] {
        let kept = filter(all.clone(), &mut reached, &flow, by);
        found.push(described(&reached, &kept));
    }
    found
}

#[test]
fn each_filter_keeps_what_a_finer_one_keeps() {
    let program = Program::compile(FILES_AND_LAMBDAS, Vec::new());
    for sensitivity in [Sensitivity::Insensitive, Sensitivity::Constructors] {
        let found = filtered(&program, sensitivity);
        for pair in found.windows(2) {
            let more: Vec<_> = pair[1].difference(&pair[0]).collect();
            assert!(more.is_empty(), "{sensitivity:?}: {more:?}");
        }
        let counts: Vec<usize> = found.iter().map(BTreeSet::len).collect();
        assert!(counts[4] > 0 && counts[4] < counts[0], "{sensitivity:?}: {counts:?}");
    }
}

#[test]
fn a_program_that_uses_a_library_shrinks_with_precision() {
    let source = r#"
        import org.apache.commons.lang3.*; import org.apache.commons.lang3.concurrent.*; import org.apache.commons.lang3.time.*;
        class T {
            public static void main(String[] args) throws Exception {
                LazyInitializer<Object> lazy = new LazyInitializer<>() { protected Object initialize() { return new Object(); } };
                try { System.out.println(lazy.get()); } catch (ConcurrentException e) { throw new RuntimeException(e); }
                try { DateUtils.parseDate(args[0], "yyyy"); } catch (java.text.ParseException e) { System.out.println(e); }
                try { Object copy = SerializationUtils.clone(args); } catch (SerializationException e) { System.exit(1); }
                try { Validate.notNull(StringUtils.trimToNull(args[1])); } catch (NullPointerException e) { throw e; }
            }
        }"#;
    let jars = maven::resolve(&["org.apache.commons:commons-lang3:3.14.0"]).expect("commons-lang3");
    check(&Program::compile(source, jars), &FROM_FINE_TO_COARSE[1..]);
}

#[test]
fn programs_whose_calls_bytecode_does_not_show_shrink_with_precision() {
    for fixture in ["reflection", "service-loader", "serialisation", "executors"] {
        check(&Program::fixture(fixture), &FROM_FINE_TO_COARSE[1..]);
    }
}

#[test]
fn proxies_handles_finalisers_and_what_they_are_found_by_shrink_with_precision() {
    let source = r#"
        import java.io.*; import java.lang.invoke.*; import java.lang.reflect.*;
        public class T {
            static class Fault extends RuntimeException { Fault(String text) { super(text); } }
            interface Service { Object serve(Object given) throws IOException; }
            static class Handler implements InvocationHandler {
                public Object invoke(Object proxy, Method method, Object[] args) throws Throwable {
                    if (args == null) throw new IOException();
                    return method.invoke(new Served(), args);
                }
            }
            public static class Served implements Service {
                static int count; static { if (count != 0) throw new Fault("initialiser"); }
                public Object serve(Object given) throws IOException { throw new EOFException(); }
                private static void called(String text) { throw new Fault(text); }
                protected void finalize() { count++; }
            }
            static Runnable task;
            public static void main(String[] args) throws Throwable {
                Class<?>[] interfaces = {Service.class};
                Service proxy = (Service) Proxy.newProxyInstance(T.class.getClassLoader(), interfaces, new Handler());
                try { proxy.serve(args); } catch (IOException e) { throw new Fault("io"); } catch (UndeclaredThrowableException e) { }
                MethodType type = MethodType.methodType(void.class, String.class);
                try {
                    MethodHandles.lookup().findStatic(Served.class, "called", type).invokeExact("");
                } catch (Fault e) { System.out.println(e); }
                try {
                    Object made = Class.forName("T$Served").getConstructor().newInstance();
                    Array.newInstance(made.getClass(), 3).toString();
                } catch (InvocationTargetException | ExceptionInInitializerError e) { throw e; }
                T.class.getDeclaredField("task").set(null, (Runnable) () -> { throw new Fault("task"); });
                try { task.run(); } catch (Fault e) { System.out.println(e); }
            }
        }"#;
    check(&Program::compile(source, Vec::new()), &FROM_FINE_TO_COARSE[1..]);
}

#[test]
fn classes_that_nobody_makes_count_for_the_hierarchy_only() {
    let program = Program::compile(
        r#"class T {
            static abstract class Shape { abstract void draw(); }
            static class Made extends Shape { void draw() {} }
            static class Elsewhere extends Shape { void draw() {} }
            static class Unmade extends Shape { void draw() {} }
            static class Other { void draw() {} }
            public static void main(String[] args) {
                Object elsewhere = new Elsewhere();
                Shape shape = new Made();
                shape.draw();
            }
        }"#,
        Vec::new(),
    );
    let drawn = |analysis: CallGraphKind| -> Vec<String> {
        let reached = program.analyse(analysis);
        let mut names = Names::default();
        names.numbers_of(&reached);
        let mut drawn: Vec<String> =
            names.names.into_iter().filter(|name| name.ends_with(".draw()V")).collect();
        drawn.retain(|name| name.starts_with("T$"));
        drawn.sort();
        drawn
    };
    assert_eq!(drawn(CallGraphKind::Cha), ["T$Elsewhere.draw()V", "T$Made.draw()V", "T$Unmade.draw()V"]);
    assert_eq!(drawn(CallGraphKind::Rta), ["T$Elsewhere.draw()V", "T$Made.draw()V"]);
    assert_eq!(drawn(CallGraphKind::default()), ["T$Made.draw()V"]);
}

/// Objects come to these calls by proxies, reflection and handles.
const ROUNDABOUT: &str = r#"
import java.lang.invoke.*; import java.lang.reflect.*; import java.util.concurrent.atomic.*;
class T {
    static class Proxied extends RuntimeException { }
    static class InField extends RuntimeException { }
    static class InVariable extends RuntimeException { }
    static class InAtomic extends RuntimeException { }
    interface Service { Object serve(Object o); }
    static class Handler implements InvocationHandler {
        public Object invoke(Object proxy, Method method, Object[] given) { throw new Proxied(); }
    }
    static class Box {
        Runnable field, variable;
        static final VarHandle VARIABLE;
        static {
            try {
                VARIABLE = MethodHandles.lookup().findVarHandle(Box.class, "variable", Runnable.class);
            } catch (ReflectiveOperationException e) {
                throw new Error(e);
            }
        }
    }
    static void runField(Box box) throws Exception { ((Runnable) Box.class.getDeclaredField("field").get(box)).run(); }
    static void runVariable(Box box) { ((Runnable) Box.VARIABLE.getAndSet(box, null)).run(); }
    static void runAtomic(AtomicReference<Runnable> box) { box.getAndSet(null).run(); }
    static void serve(Service service) { service.serve(null); }
    public static void main(String[] args) throws Exception {
        Class<?>[] interfaces = {Service.class};
        Service proxy = (Service) Proxy.newProxyInstance(T.class.getClassLoader(), interfaces, new Handler());
        Box box = new Box();
        box.field = new Runnable() { public void run() { throw new InField(); } };
        box.variable = new Runnable() { public void run() { throw new InVariable(); } };
        Runnable atomic = new Runnable() { public void run() { throw new InAtomic(); } };
        try { serve(proxy); } catch (Proxied e) { }
        try { proxy.serve(null); } catch (Proxied e) { }
        try { runField(box); } catch (InField e) { }
        try { runVariable(box); } catch (InVariable e) { }
        try { runAtomic(new AtomicReference<>(atomic)); } catch (InAtomic e) { }
    }
}"#;

#[test]
fn no_filter_drops_what_comes_by_proxies_reflection_and_handles() {
    let program = Program::compile(ROUNDABOUT, Vec::new());
    let found = filtered(&program, Sensitivity::Constructors);
    assert!(found[0].len() >= 5, "{:?}", found[0]);
    for kept in &found[1..] {
        let dropped: Vec<_> = found[0].difference(kept).collect();
        assert!(dropped.is_empty(), "{dropped:?}");
    }
}
