//! Listings of snippets.

use crate::classes::{JAVAC, compile, listing, named};
use catchment_classfile::ClassFile;
use catchment_ir::{Assertions, Translator};
use catchment_testkit::compilers::Compiler;

#[track_caller]
fn check(members: &str, expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let found = listing(JAVAC, members);
    let found: Vec<&str> = found.lines().map(str::trim).collect();
    assert_eq!(found, expected, "\n{}", found.join("\n"));
}

#[test]
fn locals_and_copies_are_no_statements() {
    check(
        "String m(String a, int i) { String b = a; String c = b; return c; }",
        "
        (v0 v1 _)
        b0
         7: return v1",
    );
}

#[test]
fn branches_meet_in_a_phi() {
    check(
        "Object m(Object a, Object b, boolean c) { Object x = a; if (c) x = b; return x; }",
        "
        (v0 v1 v2 _)
        b0 -> b1, b2
        b1 -> b2
        b2
         10: v3 = phi v1 v2
         12: return v3",
    );
}

#[test]
fn a_conditional_value_meets_on_the_stack() {
    check(
        "void m(Object a, Object b, boolean c) { a.equals(c ? a : b); }",
        "
        (v0 v1 v2 _)
        b0 -> b1, b2
        b1 -> b3
        b2 -> b3
        b3
         10: v3 = phi v1 v2
         10: invoke virtual equals v1 (v3)
         14: return",
    );
}

#[test]
fn a_loop_variable_meets_what_the_loop_made() {
    check(
        "Object m(Object x, int n) { for (int i = 0; i < n; i++) x = x.toString(); return x; }",
        "
        (v0 v1 _)
        b0 -> b1
        b1 -> b2, b3
         2: v2 = phi v1 v3
        b2 -> b1
         8: v3 = invoke virtual toString v2 ()
        b3
         19: return v2",
    );
}

#[test]
fn what_no_branch_changes_needs_no_phi() {
    check(
        "Object m(Object x, int n) { Object y = x; while (n-- > 0) if (n == 3) x.notify(); return y; }",
        "
        (v0 v1 _)
        b0 -> b1
        b1 -> b2, b4
        b2 -> b3, b1
        b3 -> b1
         15: invoke virtual notify v1 ()
        b4
         22: return v1",
    );
}

#[test]
fn a_handler_sees_every_value_that_its_range_may_have_left() {
    check(
        "Object m() { Object x = null; try { x = \"a\"; x.notify(); x = \"b\"; x.notify(); }
           catch (RuntimeException e) { return x; } return null; }",
        r#"
        (v0)
        b0 -> b1
         0: v1 = null
        b1 -> b2 catch RuntimeException b3
         2: v2 = constant "a"
         6: invoke virtual notify v2 ()
         9: v3 = constant "b"
         13: invoke virtual notify v3 ()
        b2 -> b4
        b3
         19: v4 = phi v2 v3
         19: v5 = catch
         21: return v4
        b4
         22: v6 = null
         23: return v6"#,
    );
}

#[test]
fn a_store_behind_the_last_throw_does_not_come_to_the_handler() {
    check(
        "Object m(Object x) { try { x.notify(); x = \"b\"; } catch (RuntimeException e) { return x; } return null; }",
        r#"
        (v0 v1)
        b0 -> b1 catch RuntimeException b2
         1: invoke virtual notify v1 ()
         4: v2 = constant "b"
        b1 -> b3
        b2
         10: v3 = catch
         12: return v1
        b3
         13: v4 = null
         14: return v4"#,
    );
}

#[test]
fn nested_handlers_come_in_the_order_of_the_table() {
    check(
        "void m(Object x) { try { try { x.notify(); } catch (IllegalStateException e) { x.wait(); } }
           catch (InterruptedException e) { throw new RuntimeException(e); } finally { x.hashCode(); } }",
        "
        (v0 v1)
        b0 -> b1 catch IllegalStateException b2 catch InterruptedException b4 catch any b5
         1: invoke virtual notify v1 ()
        b1 -> b3 catch InterruptedException b4 catch any b5
        b2 -> b3 catch InterruptedException b4 catch any b5
         7: v2 = catch
         9: invoke virtual wait v1 ()
        b3 -> b7
         13: invoke virtual hashCode v1 ()
        b4 catch any b5
         20: v3 = catch
         21: v4 = new RuntimeException
         26: invoke special <init> v4 (v3)
         29: throw v4
        b5 -> b6 catch any b5
         30: v5 = catch
        b6
         32: invoke virtual hashCode v1 ()
         37: throw v5
        b7
         38: return",
    );
}

#[test]
fn null_tests_say_where_nulls_go() {
    check(
        "int m(Object x) { if (x == null) return 0; return x.hashCode(); }",
        "
        (v0 v1)
        b0 -> b1, b2
         1: if null v1 b1 else b2
        b1
         5: return
        b2
         7: invoke virtual hashCode v1 ()
         10: return",
    );
    check(
        "int m(Object x) { if (x != null) return x.hashCode(); return 0; }",
        "
        (v0 v1)
        b0 -> b1, b2
         1: if null v1 b2 else b1
        b1
         5: invoke virtual hashCode v1 ()
         8: return
        b2
         10: return
         ",
    );
}

#[test]
fn all_operations_on_references_are_there() {
    check(
        "Object f; static Object s; long w; static long v;
         Object m(Object[] a, long[] l, int i, long j, Object x) {
           f = a[i]; a[i] = f; s = f; f = s; w = j; v = w; l[i] = j; j = l[i] / j; i = a.length % i;
           synchronized (this) { f = (String) x; }
           Object[] made = { new int[i], new String[i], new Object[i][i][], String.class, i };
           Runnable r = () -> made.clone();
           return x instanceof String ? \"s\" + x : r; }",
        "
        (v0 v1 v2 _ _ v3)
        b0 -> b1
         3: v4 = v1[]
         4: v0.f = v4
         10: v5 = v0.f
         13: v1[] = v5
         15: v6 = v0.f
         18: static s = v6
         22: v7 = static s
         25: v0.f = v7
         31: v0.w = _
         35: v0.w
         38: static v = _
         45: v2[] = _
         48: v2[]
         51: divide
         55: length v1
         57: divide
         63: enter v0
        b1 -> b2 catch any b3
         67: v8 = cast v3 String
         70: v0.f = v8
         75: exit v0
        b2 -> b5
        b3 -> b4 catch any b3
         79: v9 = catch
         83: exit v0
        b4
         86: throw v9
        b5 -> b6, b7
         88: v10 = new array of Object
         94: v11 = new array of numbers 10
         96: v10[] = v11
         100: v12 = new array of String
         103: v10[] = v12
         108: v13 = new array Object; 2 levels
         112: v10[] = v13
         115: v14 = constant String
         117: v10[] = v14
         121: v15 = invoke static valueOf (_)
         124: v10[] = v15
         129: v16 = invoke dynamic run (v10)
         138: instanceof v3 String
        b6 -> b8
         146: v17 = invoke static valueOf (v3)
         149: v18 = invoke dynamic makeConcatWithConstants (v17)
        b7 -> b8
        b8
         159: v19 = phi v18 v16
         159: return v19",
    );
}

#[test]
fn wide_numbers_are_moved_as_they_lie() {
    check(
        "long w; long[] l; Object o; static Object m(T t, int i) { t.w += 2; t.l[i] *= t.w++; long k = t.l[i] = 5;
           return t.o = t; }",
        "
        (v0 _)
        b0
         2: v0.w
         9: v0.w = _
         13: v1 = v0.l
         18: v1[]
         21: v0.w
         27: v0.w = _
         31: v1[] = _
         33: v2 = v0.l
         41: v2[] = _
         46: v0.o = v0
         49: return v0",
    );
}

#[test]
fn a_switch_goes_to_each_case_once() {
    check(
        "Object m(int i) { switch (i) { case 1: case 2: return \"a\"; case 7000: return \"b\"; default: return null; } }",
        r#"
        (v0 _)
        b0 -> b1, b2, b3
        b1
         36: v3 = constant "a"
         38: return v3
        b2
         39: v2 = constant "b"
         41: return v2
        b3
         42: v1 = null
         43: return v1"#,
    );
}

#[test]
fn a_handler_whose_range_throws_nothing_is_nowhere() {
    check(
        "int m(int i) { try { i = 3; } catch (RuntimeException e) { e.notify(); } return i; }",
        "
        (v0 _)
        b0 -> b1 catch RuntimeException nowhere
        b1 -> b2
        b2
         11: return",
    );
}

#[test]
fn what_an_assertion_holds_is_left_out_where_assertions_are_off() {
    for compiler in [JAVAC, Compiler::Ecj2025 { level: 17 }] {
        let bytes =
            compile(compiler, "void m(Object o) { assert o.equals(this) : o.toString(); o.hashCode(); }");
        let class = ClassFile::parse(&bytes).expect("a class");
        let method = class.methods.iter().find(|it| it.name == "m").expect("m");
        let calls = |assertions| {
            let body = Translator::default().translate_with(&class, method, assertions);
            named(&class, &body.expect("translated").expect("code").to_string())
        };
        let (on, off) = (calls(Assertions::On), calls(Assertions::Off));
        assert!(
            ["equals", "toString", "AssertionError", "hashCode"].iter().all(|it| on.contains(it)),
            "{on}"
        );
        assert!(["equals", "toString", "AssertionError"].iter().all(|it| !off.contains(it)), "{off}");
        assert!(off.contains("$assertionsDisabled") && off.contains("hashCode"), "{off}");
    }
}
