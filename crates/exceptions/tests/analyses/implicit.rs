//! Exceptions that the JVM itself throws, with twins where it cannot.

use crate::program::Program;
use catchment_exceptions::{ClauseScope, ExceptionFlowOptions, Scope, exception_flow, links};
use catchment_pointsto::MethodId;
use catchment_pointsto::{CallGraphKind, Code, ImplicitKinds, Options};

fn options(analysis: CallGraphKind, implicit: ImplicitKinds) -> Options {
    Options { analysis, implicit, keeps_heap: false }
}

/// What the JVM can throw in `m`, by place.
fn implicit_in(members: &str) -> Vec<String> {
    let source = format!(
        "class T {{ public static void main(String[] args) throws Throwable {{ new T().m(args, args, 0, null); }} {members} }}"
    );
    let program = Program::compile(&source, Vec::new());
    let reached = program.analyse(options(CallGraphKind::Rta, ImplicitKinds::ALL));
    let mut methods = reached.instances.iter().filter_map(|code| match code {
        Code::Method(method) => Some(*method),
        Code::Proxy(_) => None,
    });
    let is_m = |method: &MethodId| reached.world.describe(*method).starts_with("T.m(");
    let method = methods.find(is_m).expect("m is reached");
    reached.implicit_in(method).iter().map(|it| format!("{:?}", it.kind)).collect()
}

fn implicit(body: &str) -> Vec<String> {
    implicit_in(&format!("Object f; Object m(Object[] a, String[] s, int i, Object o) {{ {body} }}"))
}

#[test]
fn a_null_can_only_be_met_where_nothing_says_otherwise() {
    assert_eq!(implicit("return o.toString();"), ["Null"]);
    assert_eq!(implicit("return this.f;"), [""; 0]);
    assert_eq!(implicit("return new T().f;"), [""; 0]);
    assert_eq!(implicit("if (o != null) return o.toString(); return null;"), [""; 0]);
}

#[test]
fn a_cast_to_what_a_value_is_declared_to_be_cannot_fail() {
    assert_eq!(implicit("return (String) o;"), ["Cast"]);
    assert_eq!(implicit("Object x = \"s\"; return (String) x;"), [""; 0]);
}

#[test]
fn every_index_and_size_counts_and_stores_into_arrays_that_take_anything_below_do_not() {
    assert_eq!(implicit("return new int[i];"), ["NegativeSize"]);
    assert_eq!(implicit("Object[] x = new Object[1]; x[0] = o; return x;"), ["NegativeSize", "Index"]);
    assert_eq!(
        implicit("String[] x = new String[1]; x[0] = \"\"; return x[0];"),
        ["NegativeSize", "Index", "Index"]
    );
    assert_eq!(implicit("s[0] = \"\"; return null;"), ["Null", "Index"]);
    assert_eq!(implicit("a[0] = o; return null;"), ["Null", "Index", "ArrayStore"]);
    assert_eq!(implicit("a[0] = null; return null;"), ["Null", "Index"]);
}

#[test]
fn whole_numbers_are_divided_by_zero_and_others_are_not() {
    assert_eq!(implicit("return \"\" + 7 / i;"), ["Arithmetic"]);
    assert_eq!(implicit("return \"\" + 7.0 / i;"), [""; 0]);
}

#[test]
fn a_divisor_that_is_plainly_not_zero_divides() {
    let divided = "i / 2 + i % -1 + i / 100 + i % 1000 + i / 100000 + i % 1L + i / 5L + i % 10000000000L";
    assert_eq!(implicit(&format!("return \"\" + ({divided});")), [""; 0]);
    assert_eq!(implicit("return \"\" + (i / 0 + i % 0L + 7 / (i > 0 ? 1 : 0));"), ["Arithmetic"; 3]);
}

#[test]
fn what_is_there_can_be_linked() {
    let found = implicit("try { return String.valueOf(o); } catch (LinkageError e) { return e; }");
    assert_eq!(found, [""; 0]);
}

const CAUGHT: &str = "class T { static Object o;
    static void inner() { try { o.notify(); } catch (NullPointerException e) { throw e; } }
    public static void main(String[] args) {
        try { inner(); } catch (NullPointerException e) { args = null; }
        try { o = \"\"; } catch (NullPointerException e) { o = e; }
    } }";

/// Links of what is raised in class `T` itself.
fn own_links(analysis: CallGraphKind, implicit: ImplicitKinds) -> Vec<String> {
    let program = Program::compile(CAUGHT, Vec::new());
    let mut reached = program.analyse(options(analysis, implicit));
    let flow = exception_flow(
        &mut reached,
        &ExceptionFlowOptions { throws: true, implicit, ..ExceptionFlowOptions::default() },
        Scope::Everything,
    );
    let links = links(&reached, &flow, ClauseScope::Application);
    let own = links.iter().filter(|link| reached.world.describe(link.point.method).starts_with("T."));
    let told = own.map(|link| format!("{:?} to {}", link.point.kind, link.clause.pair));
    told.collect()
}

#[test]
fn what_the_jvm_throws_comes_to_clauses_and_can_be_thrown_on() {
    for analysis in [CallGraphKind::Rta, CallGraphKind::default()] {
        let null = ImplicitKinds { null: true, ..ImplicitKinds::default() };
        assert_eq!(own_links(analysis, null), ["Implicit(Null) to 0", "Throw to 1"], "{analysis:?}");
    }
}

#[test]
fn nothing_implicit_travels_unless_asked_for() {
    assert_eq!(own_links(CallGraphKind::default(), ImplicitKinds::default()), [""; 0]);
}
