//! Woven methods can still be compiled by the JIT.
//!
//! HotSpot refuses methods in which a call is made while a monitor is held and no handler would release it. Neither the
//! verifier nor a comparison of instructions sees that; the methods would just stay slow.

use catchment_testkit::compilers::javac;
use catchment_testkit::{jdk, oracle};
use catchment_weave::{ProbeKinds, prepare};
use std::fs;

const SOURCE: &str = "
public class Locked {
    static int n;
    final Object lock = new Object();

    static int g(int x) {
        if (x % 1000 == 0) throw new IllegalStateException();
        return x;
    }

    int returning(int x) {
        synchronized (lock) {
            try {
                return g(x);
            } catch (IllegalStateException e) {
                n++;
                return -1;
            }
        }
    }

    int branching(int x) {
        int s = 0;
        synchronized (lock) {
            try {
                s += g(x);
                if (s > 5) s++;
            } catch (IllegalStateException e) {
                s--;
            }
            s += 2;
        }
        return s;
    }

    synchronized int method(int x) {
        try {
            return x > 3 ? g(x) : 0;
        } catch (IllegalStateException e) {
            return 1;
        } finally {
            n--;
        }
    }

    public static void main(String[] args) {
        Locked it = new Locked();
        long sum = 0;
        for (int i = 0; i < 200_000; i++) sum += it.returning(i) + it.branching(i) + it.method(i);
        System.out.println(\"sum \" + sum);
    }
}
";

/// Output of the JVM about compiling the woven program.
fn compilation_log(kinds: ProbeKinds, feature: u32) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("Locked.java");
    fs::write(&file, SOURCE).expect("written");
    let classes = javac(17, 17, &[], &[file]).expect("compiles");
    let class = fs::read(classes.join("Locked.class")).expect("a class");
    let woven = prepare(&class, kinds).expect("readable").weave(0);
    assert_eq!(woven.skipped, []);
    fs::write(folder.path().join("Locked.class"), woven.bytes.expect("woven")).expect("written");
    let stub = oracle::probes_stub().expect("compiled");
    let path = std::env::join_paths([folder.path(), &stub]).expect("a class path");
    let java = jdk::runtime(feature).expect("Java runtime");
    let output = java
        .command("java")
        .args(["-XX:+PrintCompilation", "-cp"])
        .arg(path)
        .arg("Locked")
        .output()
        .expect("java runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn check(kinds: ProbeKinds, feature: u32) {
    let log = compilation_log(kinds, feature);
    for method in ["returning", "branching", "method"] {
        let name = format!("Locked::{method} ");
        assert!(log.contains(&name), "{name}was never compiled");
    }
    let refused: Vec<&str> = log.lines().filter(|line| line.contains("COMPILE SKIPPED")).collect();
    assert!(refused.is_empty(), "refused on Java {feature}: {refused:#?}");
}

#[test]
fn methods_that_hold_monitors_are_compiled_with_usage_probes() {
    check(ProbeKinds::USAGE, 17);
}

#[test]
fn methods_that_hold_monitors_are_compiled_with_all_probes() {
    check(ProbeKinds::ALL, 17);
}
