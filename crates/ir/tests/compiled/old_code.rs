//! Code of old compilers, with subroutines for `finally`.

use crate::classes::{compile, listing, named};
use crate::invariants;
use catchment_classfile::{ClassFile, ControlKind};
use catchment_ir::Translator;
use catchment_testkit::compilers::Compiler;

pub(crate) const OLD: Compiler = Compiler::Javac8 { level: 3 };

pub(crate) const NESTED_FINALLY: &str =
    "static Object m(Object x, int n) { while (true) { Object y = null; try { y = x.toString(); if (n > 3) return y; }
        finally { try { x.notify(); } finally { x.hashCode(); } } Object z = y; try { z.notify(); } finally { n++; } } }";

#[test]
fn a_subroutine_returns_behind_its_calls() {
    let found = listing(OLD, "static void m(Object x) { try { x.notify(); } finally { x.hashCode(); } }");
    let found: Vec<&str> = found.lines().map(str::trim).collect();
    let expected = [
        "(v0)",
        "b0 -> b4 catch any b2",
        "1: invoke virtual notify v0 ()",
        "b1 -> b5",
        "b2 -> b4 catch any b2",
        "10: v1 = catch",
        "b3",
        "15: throw v1",
        "b4 -> b1, b3",
        "18: invoke virtual hashCode v0 ()",
        "b5",
        "24: return",
    ];
    assert_eq!(found, expected, "\n{}", found.join("\n"));
}

/// A local that is set before one call only is read behind that call, though other calls share the subroutine.
#[test]
fn locals_survive_subroutines_that_others_call_too() {
    let bytes = compile(OLD, NESTED_FINALLY);
    let class = ClassFile::parse(&bytes).expect("a class");
    let method = class.methods.iter().find(|it| it.name == "m").expect("m");
    let (_, code) = class.code(method).expect("code").expect("code");
    assert!(
        code.insns().flatten().filter(|it| it.control() == ControlKind::Subroutine).count() > 4,
        "it has subroutines"
    );
    let body = Translator::default().translate(&class, method).expect("translated").expect("code");
    invariants::check(&class, method, &body);
    let text = named(&class, &body.to_string());
    assert!(text.contains("= invoke virtual toString v0 ()"), "{text}");
}
