//! Uses of caught objects.

use crate::classes::{compile, fixture, only_clause, tries};
use catchment_classfile::ClassFile;
use catchment_flow::{HandlerUses, NarrowNeed, Slot, Use, UseKind, handler_uses, narrow_needs};
use catchment_pairs::pairs_of;
use catchment_testkit::compilers::Compiler;
use std::fs;

const HEAD: &str =
    "import java.io.*; public class T { static class N extends IOException { int n; void f() {} }
static void fail() throws IOException {} static Object cell; static Object[] cells;
";

/// The uses of what the first clause of `m` catches. Lines count from the one behind the head.
fn uses(method: &str) -> HandlerUses {
    uses_with(method, &["-g"])
}

fn uses_with(method: &str, options: &[&str]) -> HandlerUses {
    let bytes = compile(&format!("{HEAD}{method} }}"), options);
    only_clause(&bytes, |class, compiled_try| handler_uses(class, compiled_try, 0).expect("followed"))
}

/// One line per use: line, what, and the marks of values that are cast or merged.
fn told(uses: &HandlerUses) -> Vec<String> {
    uses.uses.iter().map(told_use).collect()
}

fn told_use(it: &Use) -> String {
    let cast = if it.after_cast { " cast" } else { "" };
    let merged = if it.merged { " merged" } else { "" };
    format!("{} {}{cast}{merged}", it.line.map_or(0, |line| line - 2), told_kind(&it.kind))
}

fn told_kind(kind: &UseKind) -> String {
    match kind {
        UseKind::Argument { owner, name, parameter, index, .. } => {
            format!("argument {index} {parameter} of {owner}.{name}")
        }
        UseKind::Receiver { owner, name, descriptor, virtual_call } => {
            format!("receiver {owner}.{name}{descriptor} {virtual_call}")
        }
        UseKind::FieldOf { owner, name, descriptor } => format!("field of {owner}.{name} {descriptor}"),
        UseKind::Stored { owner, name, field } => format!("stored {owner}.{name} {field}"),
        UseKind::StoredInArray { element } => format!("element {}", element.as_deref().unwrap_or("?")),
        UseKind::Assigned { variable, declared } => format!("assigned {variable} {declared}"),
        UseKind::Returned { declared } => format!("returned {declared}"),
        UseKind::Captured { declared, index } => format!("captured {index} {declared}"),
        UseKind::Concatenated { declared, index } => format!("concatenated {index} {declared}"),
        UseKind::Cast { target } => format!("cast {target}"),
        UseKind::InstanceOf { target } => format!("instanceof {target}"),
        UseKind::Rethrown => "rethrown".into(),
        UseKind::Compared => "compared".into(),
        UseKind::Monitor => "monitor".into(),
    }
}

#[test]
fn an_unused_exception_has_no_uses() {
    assert_eq!(
        told(&uses("static void m() { try { fail(); } catch (IOException e) { cell = 1; } }")),
        [""; 0]
    );
}

#[test]
fn each_kind_of_use_is_told_with_its_line() {
    let uses = uses(
        "static Throwable m(long k, boolean b) {
           try { fail(); return null; } catch (IOException e) {
             e.printStackTrace();
             cell = e;
             String.format(\"%s\", e);
             cells[0] = e;
             String text = \"x\".concat(e.getMessage());
             Runnable later = () -> e.getMessage();
             if (e == cell) e.addSuppressed(null);
             if (b) throw new IllegalStateException(text, e);
             return e;
           } }",
    );
    let argument = "argument 1 java.lang.Throwable of java.lang.IllegalStateException.<init>";
    assert_eq!(
        told(&uses),
        [
            "3 receiver java.io.IOException.printStackTrace()V true",
            "4 stored T.cell java.lang.Object",
            "5 element java.lang.Object",
            "6 element java.lang.Object",
            "7 receiver java.io.IOException.getMessage()Ljava/lang/String; true",
            "8 captured 0 java.io.IOException",
            "9 compared",
            "9 receiver java.io.IOException.addSuppressed(Ljava/lang/Throwable;)V true",
            &format!("10 {argument}"),
            "11 returned java.lang.Throwable",
        ]
    );
}

#[test]
fn the_object_is_followed_through_casts_and_variables() {
    let uses = uses(
        "static void m() throws Exception {
           try { fail(); } catch (IOException e) {
             Exception other = e;
             if (other instanceof N) {
               N n = (N) other;
               n.f();
               n.n = 3;
             }
             synchronized (e) { cell = null; }
             throw other;
           } }",
    );
    assert_eq!(
        told(&uses),
        [
            "3 assigned other java.lang.Exception",
            "4 instanceof T$N",
            "5 cast T$N",
            "5 assigned n T$N cast",
            "6 receiver T$N.f()V true cast",
            "7 field of T$N.n I cast",
            "9 monitor",
            "9 monitor",
            "9 monitor",
            "10 rethrown",
        ]
    );
}

#[test]
fn what_needs_the_narrow_type_is_named() {
    let uses = uses(
        "static void g(N n, String s) {}
         static N m(boolean b) throws IOException {
           try { fail(); return null; } catch (N e) {
             g(e, e.getMessage());
             e.n++;
             if (b) ((Closeable) (Object) e).close();
             N[] many = { e };
             if (b) throw e;
             return e;
           } }",
    );
    let of_type = |name: &str, line: u32| NarrowNeed::Type { name: name.into(), line: Some(line + 2) };
    assert_eq!(
        narrow_needs(&uses),
        [
            of_type("T$N", 4),
            of_type("T$N", 7),
            of_type("T$N", 9),
            of_type("java.io.Closeable", 6),
            NarrowNeed::Method {
                owner: "T$N".into(),
                name: "getMessage".into(),
                descriptor: "()Ljava/lang/String;".into(),
                line: Some(6)
            },
            NarrowNeed::Field {
                owner: "T$N".into(),
                name: "n".into(),
                descriptor: "I".into(),
                line: Some(7)
            },
        ]
    );
}

#[test]
fn a_method_of_an_interface_needs_the_interface() {
    let uses = uses(
        "interface I { void i(); } static class E extends RuntimeException implements I { public void i() {} }
         static void m() { try { new Object(); cell.hashCode(); } catch (E e) { I it = e; it.i(); } }",
    );
    let line = Some(4);
    assert_eq!(narrow_needs(&uses), [NarrowNeed::Type { name: "T$I".into(), line }]);
    assert_eq!(told(&uses).last().map(String::as_str), Some("2 receiver T$I.i()V false"));
}

#[test]
fn an_array_of_unknown_type_is_a_need_nobody_can_judge() {
    let uses = uses(
        "static void m(boolean b) { try { fail(); } catch (IOException e) {
           (b ? cells : new Throwable[1])[0] = e; } }",
    );
    assert_eq!(narrow_needs(&uses), [NarrowNeed::Unknown { line: Some(4) }]);
}

#[test]
fn a_variable_read_behind_the_try_meets_other_values() {
    let uses = uses(
        "static String m() {
           Exception last = null; long wide = 1;
           try { fail(); } catch (IOException e) { last = e; }
           return last.getMessage() + wide;
         }",
    );
    assert_eq!(
        told(&uses),
        [
            "3 assigned last java.lang.Exception",
            "4 receiver java.lang.Exception.getMessage()Ljava/lang/String; true merged"
        ]
    );
    let held: Vec<_> = uses.held.iter().map(|it| (it.slot, it.declared.as_str(), it.merged)).collect();
    assert_eq!(
        held,
        [(Slot::Stack(0), "java.io.IOException", false), (Slot::Local(0), "java.lang.Exception", true)]
    );
    let of_line = |line: u32| NarrowNeed::Type { name: "java.lang.Exception".into(), line: Some(line) };
    assert_eq!(narrow_needs(&uses), [of_line(5), of_line(6)]);
}

#[test]
fn frames_are_told_with_slots_that_count_longs_twice() {
    let uses = uses(
        "static void m(long a, double d, boolean b) {
           try { fail(); } catch (IOException e) { cell = e.equals(b ? e : null) ? e : \"\"; } }",
    );
    let own: Vec<Slot> = uses.held.iter().filter(|it| !it.merged).map(|it| it.slot).collect();
    let meeting: Vec<Slot> = uses.held.iter().filter(|it| it.merged).map(|it| it.slot).collect();
    // At the handler; then as receiver below, with the variable; then only the variable.
    assert_eq!(own[0], Slot::Stack(0));
    assert!(own.contains(&Slot::Local(5)) && own.contains(&Slot::Stack(0)), "{own:?}");
    assert_eq!(meeting, [Slot::Stack(1), Slot::Stack(0)]);
}

#[test]
fn without_debug_information_there_are_no_lines_and_no_names() {
    let uses = uses_with(
        "static void m() { try { fail(); } catch (IOException e) { Exception x = e; x.printStackTrace(); } }",
        &["-g:none"],
    );
    assert_eq!(told(&uses), ["0 receiver java.lang.Exception.printStackTrace()V true"]);
}

#[test]
fn copies_of_finally_see_the_object_as_well() {
    let uses = uses(
        "static void m(boolean b) throws IOException {
           try { fail(); } catch (IOException e) {
             try { if (b) return; fail(); } finally { e.printStackTrace(); }
           } }",
    );
    let receivers = told(&uses).iter().filter(|it| it.contains("printStackTrace")).count();
    assert_eq!(receivers, 3, "{:?}", told(&uses));
}

#[test]
fn a_string_concatenation_is_told_from_a_lambda() {
    let classes = fixture(Compiler::Kotlinc2, "flow/Templates.kt");
    let bytes = fs::read(classes.join("TemplatesKt.class")).expect("a class");
    let class = ClassFile::parse(&bytes).expect("a class");
    let pairs = pairs_of(&class);
    let [compiled_try] = tries(&class, &pairs, "template")[..] else { panic!("one try") };
    let uses = handler_uses(&class, compiled_try, 0).expect("followed");
    let kinds: Vec<String> = uses.uses.iter().map(|it| told_kind(&it.kind)).collect();
    assert_eq!(
        kinds,
        ["concatenated 1 java.io.FileNotFoundException", "concatenated 3 java.io.FileNotFoundException"]
    );
    assert_eq!(narrow_needs(&uses), []);
}
