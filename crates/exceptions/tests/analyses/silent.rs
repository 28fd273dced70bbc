//! What ends in nothing is said to be a blind spot.

use crate::calls::answer;
use crate::program::Program;
use catchment_exceptions::LinksAnswer;
use catchment_pointsto::BlindSpot;
use catchment_testkit::compilers::{Compiler, Job};
use std::fs;
use std::path::{Path, PathBuf};

/// Blind spots of the program itself, by method.
fn own(answer: &LinksAnswer) -> Vec<(String, BlindSpot)> {
    let own = answer.blind_spots.iter().filter(|it| it.site.class.starts_with('T'));
    own.map(|it| (it.site.method.clone(), it.spot)).collect()
}

const SILENT: &str = r#"
    import java.lang.invoke.*; import java.util.*;
    public class T {
        static class Called { void call() { throw new RuntimeException(); } }
        static final MethodType TYPE = MethodType.methodType(void.class);
        static void binds() throws Throwable {
            MethodHandles.lookup().findVirtual(Called.class, "call", TYPE).bindTo(new Called()).invokeExact();
        }
        static void bindsByName() throws Throwable {
            MethodHandles.lookup().bind(new Called(), "call", TYPE).invokeExact();
        }
        static void take(Object it) { throw new RuntimeException(); }
        static void inserts() throws Throwable {
            MethodType type = MethodType.methodType(void.class, Object.class);
            MethodHandle handle = MethodHandles.lookup().findStatic(T.class, "take", type);
            MethodHandles.insertArguments(handle, 0, "").invokeExact();
        }
        static boolean test() { return true; }
        static void guards() throws Throwable {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodHandle test = lookup.findStatic(T.class, "test", MethodType.methodType(boolean.class));
            MethodHandle target = lookup.findStatic(T.class, "guards", TYPE);
            MethodHandles.guardWithTest(test, target, target).invokeExact();
        }
        static Object service() {
            Map<String, Object> services = new HashMap<>();
            services.put("", Runnable.class);
            return services.get("");
        }
        static void loads() { for (Object it : ServiceLoader.load((Class<?>) service())) ((Runnable) it).run(); }
        static native void calls(Runnable it);
        static void refers() { Runnable it = Gone::go; it.run(); }
        public static void main(String[] args) throws Throwable {
            binds(); bindsByName(); inserts(); guards(); loads(); calls(null); refers();
        }
    }"#;

/// Compiled against a class that is not there when it is analysed.
fn compiled(folder: &Path) -> PathBuf {
    let files = [("T.java", SILENT), ("Gone.java", "class Gone { static void go() { } }")];
    let files = files.map(|(name, content)| (folder.join(name), content));
    for (path, content) in &files {
        fs::write(path, content).expect("written");
    }
    let job = Job::of(files.map(|(path, _)| path));
    let compiled = Compiler::Javac { jdk: 17, release: 17 }.compile(&job).expect("it compiles");
    let classes = folder.join("classes");
    fs::create_dir(&classes).expect("made");
    for class in ["T.class", "T$Called.class"] {
        fs::copy(compiled.join(class), classes.join(class)).expect("copied");
    }
    classes
}

#[test]
fn calls_that_nothing_is_known_of_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = Program::open(&[compiled(folder.path())], "T");
    let objects = ["binds", "bindsByName", "inserts", "guards", "loads"];
    for (analysis, reflective) in [("pta", &objects[..]), ("rta", &objects[..4])] {
        let found = own(&answer(&program, analysis));
        let expected = reflective.iter().map(|method| (*method, BlindSpot::Reflection));
        let expected = expected.chain([("calls", BlindSpot::Native), ("refers", BlindSpot::Missing)]);
        let missing: Vec<_> =
            expected.filter(|(method, spot)| !found.contains(&((*method).to_owned(), *spot))).collect();
        assert!(missing.is_empty(), "{analysis}: {missing:?} in {found:?}");
    }
}
