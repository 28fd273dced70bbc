//! Exceptions that come by roundabout ways: what native code has made, kept, cast or handed on, and what arrives inside another.

use crate::program::Program;
use std::collections::BTreeMap;

const PROGRAM: &str = r#"
    import java.io.*; import java.lang.reflect.*; import java.security.*;
    public class T {
        public interface Silent { void call(); }
        static Throwable failure;
        static void nap() throws InterruptedException { Thread.sleep(1); }
        static void keep() { try { nap(); } catch (InterruptedException e) { failure = e; } }
        static void throwKept() throws Throwable { if (failure != null) throw failure; }
        static void kept() throws Throwable { try { throwKept(); } catch (InterruptedException e) { } }
        static void throwCast() throws InterruptedException {
            try { nap(); } catch (Exception e) { if (e instanceof InterruptedException) throw (InterruptedException) e; }
        }
        static void cast() { try { throwCast(); } catch (InterruptedException e) { } }
        static InterruptedException log(InterruptedException e) { System.out.println(e); return e; }
        static void throwHanded() throws InterruptedException {
            try { nap(); } catch (InterruptedException e) { throw log(e); }
        }
        static void handed() { try { throwHanded(); } catch (InterruptedException e) { } }
        static <E extends Throwable> RuntimeException sneaky(Throwable e) throws E { throw (E) e; }
        static void throwSneakily() { try { nap(); } catch (InterruptedException e) { throw sneaky(e); } }
        static void sneaked() { try { throwSneakily(); } catch (Exception e) { } }
        static void privileged() {
            try {
                AccessController.doPrivileged((PrivilegedExceptionAction<Integer>) () -> { throw new EOFException(); });
            } catch (PrivilegedActionException e) { }
        }
        static void unchecked() {
            try {
                AccessController.doPrivileged((PrivilegedExceptionAction<Integer>) () -> { throw new ArithmeticException(); });
            } catch (PrivilegedActionException e) { }
        }
        static void undeclared() {
            Silent silent = (Silent) Proxy.newProxyInstance(T.class.getClassLoader(), new Class<?>[] { Silent.class },
                (proxy, method, arguments) -> { throw new EOFException(); });
            try { silent.call(); } catch (UndeclaredThrowableException e) { }
        }
        public static void main(String[] args) throws Throwable {
            keep(); kept(); cast(); handed(); sneaked(); privileged(); unchecked(); undeclared();
        }
    }"#;

/// By the method with the clause: how many links it has from throws of the program.
fn links(analysis: &str) -> BTreeMap<String, usize> {
    let program = Program::compile(PROGRAM, Vec::new());
    let request = program.request(analysis, &["INTERRUPT"]);
    let answer = program.search(&request).expect("a program").answer();
    let mut links = BTreeMap::new();
    for link in &answer.links {
        let from = &answer.points[link.from].site.class;
        if from == "T" {
            *links.entry(answer.pairs[link.to].pair.method.clone()).or_default() += 1;
        }
    }
    links
}

#[test]
fn by_classes_alone_every_action_may_be_meant() {
    let links = links("rta");
    for method in ["cast", "handed", "kept", "privileged", "sneaked", "unchecked", "undeclared"] {
        assert!(links.contains_key(method), "{method}: {links:?}");
    }
}

#[test]
fn they_arrive_and_nothing_arrives_inside_another_that_is_not_checked() {
    let expected = ["cast", "handed", "kept", "privileged", "sneaked", "undeclared"];
    for analysis in ["pta", "inpta", "2obj", "inpta+mdr", "inpta+vdr"] {
        let links = links(analysis);
        let methods: Vec<&str> = links.keys().map(String::as_str).collect();
        assert_eq!(methods, expected, "{analysis}");
    }
}
