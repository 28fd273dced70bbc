//! Statements at which a `NullPointerException` is ruled out, and twins where it is not.

use crate::classes::{JAVAC, body_in, compile, named};
use catchment_classfile::ClassFile;
use catchment_ir::never_null;

/// The statements of `m` that use an object, without their pcs: `+` if it certainly is one.
fn told(members: &str) -> Vec<String> {
    let bytes = compile(JAVAC, members);
    let class = ClassFile::parse(&bytes).expect("a class");
    let method = class.methods.iter().find(|it| it.name == "m").expect("m");
    let body = body_in(&class, "m");
    let never = never_null(&body, &class.pool, method.access & 8 != 0);
    let text = named(&class, &body.to_string());
    let lines =
        text.lines().filter_map(|line| line.strip_prefix("  ")?.split_once(": ")).map(|(_, line)| line);
    let statements = lines.zip(&body.statements).enumerate();
    let uses = statements.filter(|(_, (_, statement))| statement.op.dereferenced().is_some());
    uses.map(|(index, (line, _))| format!("{} {line}", if never.contains(index) { '+' } else { '-' }))
        .collect()
}

#[test]
fn the_receiver_and_what_was_made_are_objects() {
    assert_eq!(
        told(
            "Object f; void m(Object x) { f = x; new T().notify(); new int[3].clone(); \"s\".length(); T.class.getName(); }"
        ),
        [
            "+ v0.f = v1",
            "+ invoke special <init> v2 ()",
            "+ invoke virtual notify v2 ()",
            "+ v4 = invoke virtual clone v3 ()",
            "+ invoke virtual length v5 ()",
            "+ v7 = invoke virtual getName v6 ()"
        ]
    );
    assert_eq!(told("static void m(Object x) { x.notify(); }"), ["- invoke virtual notify v0 ()"]);
}

#[test]
fn what_was_used_before_is_known_until_ways_meet() {
    assert_eq!(
        told(
            "static void m(Object x, Object y, int i) throws Exception { x.notify(); x.wait(1);
                if (i > 0) { x.wait(2); y.notify(); } x.wait(3); }"
        ),
        [
            "- invoke virtual notify v0 ()",
            "+ invoke virtual wait v0 (_)",
            "+ invoke virtual wait v0 (_)",
            "- invoke virtual notify v1 ()",
            "- invoke virtual wait v0 (_)"
        ]
    );
}

#[test]
fn a_test_counts_on_its_own_side_only() {
    assert_eq!(
        told("static void m(Object x) { if (x == null) { x.notify(); return; } x.notifyAll(); }"),
        ["- invoke virtual notify v0 ()", "+ invoke virtual notifyAll v0 ()"]
    );
}

#[test]
fn objects_that_meet_are_an_object_and_casts_keep_it() {
    assert_eq!(
        told(
            "static void m(int i, Object n) { Object x = i > 0 ? new T() : \"s\"; ((Comparable) x).notify();
                Object y = i > 0 ? new T() : n; y.notify(); }"
        ),
        [
            "+ invoke special <init> v1 ()",
            "+ invoke virtual notify v4 ()",
            "+ invoke special <init> v5 ()",
            "- invoke virtual notify v6 ()"
        ]
    );
}

#[test]
fn a_caught_exception_is_an_object_and_a_handler_knows_nothing_of_its_range() {
    assert_eq!(
        told(
            "static void m(Object x) { try { x.notify(); } catch (RuntimeException e) { e.notify(); x.notify(); } }"
        ),
        ["- invoke virtual notify v0 ()", "+ invoke virtual notify v1 ()", "- invoke virtual notify v0 ()"]
    );
}
