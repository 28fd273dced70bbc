//! Variables that clauses rely on.

use crate::classes::{JAVAC, compile, fixture, only_clause, tries};
use catchment_classfile::ClassFile;
use catchment_flow::{Access, Receiver, Relied, Variable, fields_left_to_calls, reliance};
use catchment_pairs::pairs_of;
use std::fs;

/// One line per read: line, place, lines of the writes, and whether an older value may be read or it is behind the
/// clause.
fn told(relied: &[Relied]) -> Vec<String> {
    relied.iter().map(told_read).collect()
}

fn told_read(it: &Relied) -> String {
    let line = |access: &Access| access.line.map_or("?".to_string(), |line| line.to_string());
    let place = match &it.variable {
        Variable::Local { name: Some(name), .. } => name.clone(),
        Variable::Local { slot, name: None } => format!("slot {slot}"),
        Variable::Field { owner, name, of: Receiver::Static } => format!("{owner}.{name}"),
        Variable::Field { name, of: Receiver::This, .. } => format!("this.{name}"),
        Variable::Field { name, of: Receiver::Other, .. } => format!("other.{name}"),
    };
    let writes: Vec<String> = it.writes.iter().map(line).collect();
    let before = if it.before { " before" } else { "" };
    let after = if it.after { " after" } else { "" };
    format!("{} {place} {}{before}{after}", line(&it.read), writes.join(" "))
}

const HEAD: &str =
    "public class T { static void fail() {} static int s; int f; T other; static void see(long n) {}
";

fn relied(method: &str) -> Vec<String> {
    relied_with(method, &["-g"])
}

fn relied_with(method: &str, options: &[&str]) -> Vec<String> {
    let bytes = compile(&format!("{HEAD}{method} }}"), options);
    only_clause(&bytes, |class, compiled_try| told(&reliance(class, compiled_try, 0).expect("followed")))
}

#[test]
fn the_flag_of_listing_7_is_relied_on() {
    let classes = fixture(JAVAC, "check/listings/main/listings/Countdown.java");
    let bytes = fs::read(classes.join("listings/Countdown.class")).expect("a class");
    let class = ClassFile::parse(&bytes).expect("a class");
    let pairs = pairs_of(&class);
    let [compiled_try] = tries(&class, &pairs, "seconds")[..] else { panic!("one try") };
    let found = reliance(&class, compiled_try, 0).expect("followed");
    assert_eq!(told(&found), ["12 usable 8 9 before"]);
    assert_eq!(found[0].variable, Variable::Local { slot: 2, name: Some("usable".into()) });
}

#[test]
fn what_the_body_writes_first_hides_what_was_there_before() {
    let found = relied(
        "static void m() { int n = 1;
           try { n = 2; fail(); } catch (RuntimeException e) { see(n); } }",
    );
    assert_eq!(found, ["3 n 3"]);
}

#[test]
fn a_write_that_nothing_can_follow_is_not_seen() {
    let found = relied(
        "static void m() { int n = 1;
           try { fail(); n = 2; } catch (RuntimeException e) { see(n); } }",
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_write_in_front_of_an_instanceof_is_seen() {
    let found = relied(
        "static void m(Object o) { int n = 1; boolean b;
           try { n = 2;
             b = o instanceof T;
             n = 3; fail(); } catch (RuntimeException e) { see(n); } }",
    );
    assert_eq!(found, ["5 n 3 5"], "the class that is asked for may fail to load");
}

#[test]
fn a_clause_that_sets_the_variable_first_does_not_rely_on_it() {
    let found = relied(
        "static void m(boolean b) { int n = 1;
           try { n = 2; fail(); n = 4; fail(); } catch (RuntimeException e) { n = 3; see(n); }
           see(n); }",
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_variable_set_on_one_way_only_is_relied_on() {
    let found = relied(
        "static void m(boolean b) { int n = 1;
           try { fail(); n = 2; fail(); } catch (RuntimeException e) {
             if (b) n = 3;
             see(n); } }",
    );
    assert_eq!(found, ["5 n 3 before"]);
}

#[test]
fn code_behind_the_try_is_told_apart() {
    let found = relied(
        "static void m() { long n = 1;
           try { fail(); n = 2; fail(); } catch (RuntimeException e) { see(0); }
           see(n); }",
    );
    assert_eq!(found, ["4 n 3 before after"]);
}

#[test]
fn code_behind_a_try_that_only_the_handler_leaves_is_behind_the_clause() {
    let method = "static void m() { int n = 1;
           try { fail(); n = 2; fail(); return; } catch (RuntimeException e) { see(n); }
           see(n + 1); }";
    assert_eq!(relied(method), ["3 n 3 before", "4 n 3 before after"]);
    let unknown = "? slot 0 ? before";
    assert_eq!(relied_with(method, &["-g:none"]), [unknown, unknown]);
}

#[test]
fn a_retry_reads_what_the_last_attempt_wrote() {
    let found = relied(
        "static void m() { int n = 0;
           while (true) {
             try { n++; fail(); return; } catch (RuntimeException e) { see(0); } } }",
    );
    assert_eq!(found, ["4 n 4 after"]);
}

#[test]
fn fields_are_told_by_whose_they_are() {
    let found = relied(
        "void m() {
           try { s = 1; f = 2; other.f = 3; fail(); } catch (RuntimeException e) {
             see(s);
             see(f);
             see(other.f); } }",
    );
    assert_eq!(found, ["4 T.s 3", "5 this.f 3", "6 other.f 3 before"]);
}

#[test]
fn a_field_that_the_clause_sets_first_is_not_relied_on() {
    let found = relied(
        "void m() {
           try { f = 2; fail(); other.f = 1; fail(); } catch (RuntimeException e) {
             f = 1; other.f = 1;
             see(f);
             see(other.f); } }",
    );
    assert_eq!(found, ["6 other.f 3 before"]);
}

#[test]
fn elements_of_arrays_and_what_calls_write_are_left_out() {
    let found = relied(
        "void m(int[] a) {
           try { a[0] = 1; fail(); m(a); } catch (RuntimeException e) { see(a[0] + f); } }",
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn variables_behind_the_first_256_slots_are_followed() {
    let many: String = (0..130).map(|number| format!("long v{number} = 0; ")).collect();
    let found = relied(&format!(
        "static void m() {{ {many} int n = 1; Exception x = null;
           try {{ fail(); n += 1000; fail(); n = 2; fail(); }} catch (RuntimeException e) {{ x = e; see(n); }} }}"
    ));
    assert_eq!(found, ["3 n 3 3 before"]);
}

/// `3 f`: line and name.
fn left_to_calls(method: &str) -> Vec<String> {
    let bytes = compile(&format!("{HEAD}final int c = 1; {method} }}"), &["-g"]);
    only_clause(&bytes, |class, compiled_try| {
        let found = fields_left_to_calls(class, compiled_try, 0).expect("followed");
        let told = found.into_iter().map(|(variable, read)| match variable {
            Variable::Field { name, .. } => format!("{} {name}", read.line.unwrap_or_default()),
            local => format!("no field: {local:?}"),
        });
        told.collect()
    })
}

#[test]
fn fields_that_only_calls_can_have_written_are_told_apart() {
    let found = left_to_calls(
        "void m(int n) {
           try { f = 2; fail(); } catch (RuntimeException e) {
             see(n + s);
             see(f + c + s + other.f); }
           see(s); }",
    );
    assert_eq!(found, ["4 s", "5 other"], "not what the body writes, not final ones, not those of others");
}

#[test]
fn a_read_behind_the_clause_is_none_of_its_own() {
    let found = left_to_calls(
        "void m() {
           try { fail(); } catch (RuntimeException e) { see(0); }
           see(f); }",
    );
    assert_eq!(found, [""; 0]);
}
