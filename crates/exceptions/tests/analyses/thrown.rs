//! The types of what a `throw` throws when only classes are looked at.

use crate::program::Program;
use catchment_pointsto::CallGraphKind;

/// What the throws of `m` can throw, by place: `=` exactly, `<` at most.
fn thrown(members: &str) -> Vec<String> {
    let source = format!(
        "import java.io.*; class T {{ static boolean b;
            public static void main(String[] args) throws Throwable {{ new T().m(null, null, args); }}
            {members} }}"
    );
    let program = Program::compile(&source, Vec::new());
    let reached = program.analyse(CallGraphKind::Rta);
    let world = &reached.world;
    let throws = reached.throws().iter().filter(|thrown| {
        let method = reached.method_of(thrown.instance);
        method.is_some_and(|method| world.describe(method).starts_with("T.m("))
    });
    throws
        .map(|thrown| {
            let name = |class| world.class_of(class).binary_name();
            let types = thrown.types.iter().map(|typed| {
                let sign = if typed.is_exact { '=' } else { '<' };
                format!("{sign}{}", name(typed.class).rsplit('.').next().unwrap_or_default())
            });
            let mut types: Vec<String> = types.collect();
            types.sort();
            types.join(" ")
        })
        .collect()
}

fn thrown_by(body: &str) -> Vec<String> {
    thrown(&format!(
        "IOException f; IOException g() {{ return f; }}
         void m(RuntimeException p, Object o, Object[] a) throws Throwable {{ {body} }}"
    ))
}

#[test]
fn what_is_made_here_is_known_exactly() {
    assert_eq!(thrown_by("throw new IOException();"), ["=IOException"]);
    assert_eq!(
        thrown_by("Exception e = b ? new IOException() : new RuntimeException(); throw e;"),
        ["=IOException =RuntimeException"]
    );
}

#[test]
fn fields_results_and_parameters_are_what_they_are_declared_to_be() {
    assert_eq!(
        thrown_by("if (b) throw f; if (o == null) throw g(); throw p;"),
        ["<IOException", "<IOException", "<RuntimeException"]
    );
}

#[test]
fn a_cast_cuts_down_what_it_cannot_be_sure_of_and_keeps_the_rest() {
    assert_eq!(thrown_by("throw (IOException) o;"), ["<IOException"]);
    assert_eq!(thrown_by("Object x = new EOFException(); throw (IOException) x;"), ["=EOFException"]);
    assert_eq!(thrown_by("throw (Throwable) a[0];"), ["<Throwable"]);
}

#[test]
fn a_clause_gives_all_that_it_catches() {
    assert_eq!(
        thrown_by("try { g(); } catch (IllegalStateException | ArithmeticException e) { throw e; }"),
        ["<ArithmeticException <IllegalStateException"]
    );
    assert_eq!(thrown_by("try { g(); } finally { b = true; }"), ["<Throwable"]);
}

#[test]
fn null_is_nothing_that_is_thrown() {
    assert_eq!(thrown_by("throw null;"), [""]);
    assert_eq!(thrown_by("IOException e = null; if (b) e = f; throw e;"), ["<IOException"]);
}

#[test]
fn cycles_of_definitions_end() {
    assert_eq!(
        thrown_by(
            "Throwable e = new IOException(); while (b) { e = e.getMessage() == null ? e : (Exception) e; } throw e;"
        ),
        ["=IOException"]
    );
}
