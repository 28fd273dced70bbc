//! Begins and ends of executions in odd control flow.

use crate::builder::build;
use catchment_classfile::opcodes::{ATHROW, GOTO, ICONST_0, IFEQ, NOP, RETURN};
use catchment_classfile::{ClassFile, Insn};
use catchment_weave::{ProbeKinds, prepare};

/// The woven method as a list: names of probes, and `pc opcode` of what was there before.
fn probes(code: &[u8], rows: &[[usize; 4]]) -> Vec<String> {
    let class = build(code, rows);
    let woven = prepare(&class, ProbeKinds::USAGE).expect("readable").weave(0);
    assert_eq!(woven.skipped, []);
    let bytes = woven.bytes.expect("woven");
    let class = ClassFile::parse(&bytes).expect("readable");
    let (_, code) = class.code(&class.methods[0]).expect("readable").expect("has code");
    let called = |insn: Insn<'_>| class.pool.member_ref(insn.u2()).ok().map(|member| member.name.to_string());
    code.insns().filter_map(|insn| called(insn.expect("readable")).filter(|name| name != "<init>")).collect()
}

fn count(probes: &[String], name: &str) -> usize {
    probes.iter().filter(|it| *it == name).count()
}

/// Groovy protects the return once more behind the gap: the usage has ended by then.
#[test]
fn control_that_comes_back_from_a_gap_leaves_nothing() {
    let code = [NOP, NOP, NOP, RETURN, ATHROW];
    let probes = probes(&code, &[[0, 2, 4, 4], [3, 4, 4, 4]]);
    assert_eq!((count(&probes, "tryEnter"), count(&probes, "tryExit")), (1, 1), "{probes:?}");
}

/// ecj jumps over the `goto` that a loop in a try begins with.
#[test]
fn a_jump_from_outside_into_the_middle_enters() {
    // 0: iconst_0; 1: ifeq 8; 4: nop; 5: goto 8 (the try starts here); 8: nop; 9: return; 10: athrow
    let code = [ICONST_0, IFEQ, 0, 7, NOP, GOTO, 0, 3, NOP, RETURN, ATHROW];
    let probes = probes(&code, &[[5, 9, 10, 4]]);
    assert_eq!((count(&probes, "tryEnter"), count(&probes, "tryExit")), (2, 1), "{probes:?}");
}
