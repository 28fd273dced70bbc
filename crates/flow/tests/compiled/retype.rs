//! Clauses made to catch more, run in JVMs that verify everything.

use crate::classes::{JAVAC, compile, compile_with, fixture, only_clause, run};
use catchment_classfile::ClassFile;
use catchment_flow::{FlowError, Retype, retype_clauses};
use catchment_pairs::{ClassPairs, pairs_of};
use catchment_testkit::compilers::Compiler;
use catchment_testkit::jdk;
use std::fs;

const NARROW: &str = "java.io.FileNotFoundException";

/// Every clause of `class` that catches `from`, by try and clause.
fn clauses(pairs: &ClassPairs, from: &str) -> Vec<(usize, usize)> {
    let tries = pairs.tries.iter().enumerate();
    let all =
        tries.flat_map(|(compiled_try, it)| (0..it.clauses.len()).map(move |clause| (compiled_try, clause)));
    all.filter(|(compiled_try, clause)| {
        pairs.pairs[pairs.pair_of(*compiled_try, *clause)].types.iter().any(|it| it == from)
    })
    .collect()
}

/// The class with everything that catches the first type of a change catching the second.
fn stretched(bytes: &[u8], changes: &[(&str, &str)]) -> Vec<u8> {
    let class = ClassFile::parse(bytes).expect("a class");
    let pairs = pairs_of(&class);
    let mut all = Vec::new();
    for (from, to) in changes {
        let found = clauses(&pairs, from);
        assert!(!found.is_empty(), "nothing catches {from}");
        all.extend(found.iter().map(|(compiled_try, clause)| Retype {
            compiled_try: &pairs.tries[*compiled_try],
            clause: *clause,
            to,
        }));
    }
    let new = retype_clauses(&class, &all).expect("retyped");
    check_pairs(&pairs, &new, changes);
    new
}

/// The same clauses are there, with exactly the new type.
fn check_pairs(old: &ClassPairs, new: &[u8], changes: &[(&str, &str)]) {
    let new = pairs_of(&ClassFile::parse(new).expect("a class"));
    assert_eq!(new.problems, []);
    let expected = old.pairs.iter().map(|pair| {
        let change = changes.iter().find(|(from, _)| pair.types.iter().any(|it| it == from));
        (pair.method.clone(), change.map_or(pair.types.clone(), |(_, to)| vec![(*to).to_string()]))
    });
    let found = new.pairs.iter().map(|pair| (pair.method.clone(), pair.types.clone()));
    assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

/// Per method what comes of nothing thrown, and of an exception caught with message `{m}` and class `{t}`.
const HANDLERS: [(&str, &str, &str); 14] = [
    ("logs", "done ", "done {m}"),
    ("concatenates", "done", "{k} java.io.{t}: {m}2java.io.{t}: {m}"),
    ("wraps", "done", "escaped: wrapped {m}"),
    ("rethrows", "done", "escaped: {m}"),
    ("keeps", "done", "{m}"),
    ("nests", "done", "{m}1state"),
    ("loops", ".0.1.2", ".0{m}.2"),
    ("wide", "done 1", "{m}{k}{k}.5"),
    ("cleansUp", "body finally", "{m} finally"),
    ("onTheStack", "done", "{m}1x"),
    ("casts", "done", "{m}"),
    ("locks", "done", "{m}"),
    ("varargs", "done", "java.io.{t}: {m}{v}"),
    ("passesOn", "done", "{m}true"),
];

/// Exceptions that are thrown, by kind from 1 on: class and message.
const THROWN: [(&str, &str); 3] =
    [("FileNotFoundException", "file"), ("EOFException", "eof"), ("IllegalStateException", "state")];

/// The line of a method when its clause catches the first `caught` kinds.
fn expected_line((method, normal, pattern): (&str, &str, &str), caught: usize) -> String {
    let mut line = format!("{method} | {normal}");
    for (kind, (class, message)) in (1..).zip(THROWN) {
        let is_caught = kind <= caught;
        let before = if method == "rethrows" && is_caught { format!("[{message}]") } else { String::new() };
        let result = pattern.replace("{m}", message).replace("{t}", class).replace("{k}", &kind.to_string());
        let result = result.replace("{v}", if kind == 1 { "1" } else { "2" });
        let result = result.replace("java.io.Illegal", "java.lang.Illegal");
        let result = if is_caught { result } else { format!("escaped: {message}") };
        line.push_str(&format!("{before} | {result}"));
    }
    line
}

/// Stretches all of the fixture and compares what it does with what it should do.
fn check(compiler: Compiler, java: u32) {
    if !compiler.is_here() || !jdk::is_here(java) {
        return;
    }
    let classes = fixture(compiler, "flow/Handlers.java");
    let original = fs::read(classes.join("Handlers.class")).expect("a class");
    for (to, caught) in [(NARROW, 1), ("java.io.IOException", 2), ("java.lang.Exception", 3)] {
        let name = format!("{} to {to} on {java}", compiler.name());
        let changes = [(NARROW, to), ("Handlers$NarrowCoded", "Handlers$Coded")];
        let printed = run(std::slice::from_ref(&classes), "Handlers", &stretched(&original, &changes), java)
            .expect(&name);
        let mut lines: Vec<&str> = printed.lines().collect();
        let members = lines.iter().position(|line| line.starts_with("members")).expect("a line");
        assert_eq!(lines.remove(members), "members | done | coded43 | coded43 | coded43", "{name}");
        let expected: Vec<String> = HANDLERS.iter().map(|it| expected_line(*it, caught)).collect();
        assert_eq!(lines, expected, "{name}");
    }
}

#[test]
fn classes_of_java_5_without_frames_catch_more() {
    check(Compiler::Javac8 { level: 5 }, 17);
}

#[test]
fn classes_of_javac_8_catch_more() {
    check(Compiler::Javac8 { level: 8 }, 17);
}

#[test]
fn classes_for_java_8_catch_more() {
    check(Compiler::Javac { jdk: 17, release: 8 }, 17);
}

#[test]
fn classes_for_java_17_catch_more() {
    check(JAVAC, 17);
}

#[test]
fn classes_for_java_21_catch_more() {
    check(Compiler::Javac { jdk: 25, release: 21 }, 25);
}

#[test]
fn classes_of_ecj_catch_more() {
    check(Compiler::Ecj2025 { level: 17 }, 17);
}

#[test]
fn several_types_become_one() {
    let classes = fixture(JAVAC, "flow/ModernHandlers.java");
    let original = fs::read(classes.join("ModernHandlers.class")).expect("a class");
    let printed = |to: &str| {
        let class = ClassFile::parse(&original).expect("a class");
        let pairs = pairs_of(&class);
        let changes: Vec<Retype<'_>> = clauses(&pairs, "java.io.UTFDataFormatException")
            .iter()
            .map(|(compiled_try, clause)| Retype {
                compiled_try: &pairs.tries[*compiled_try],
                clause: *clause,
                to,
            })
            .collect();
        let new = retype_clauses(&class, &changes).expect("retyped");
        let types: Vec<Vec<String>> = pairs_of(&ClassFile::parse(&new).expect("a class"))
            .pairs
            .into_iter()
            .filter(|pair| ["several", "resources"].contains(&pair.method.as_str()))
            .map(|pair| pair.types)
            .collect();
        let exception = vec!["java.lang.Exception".to_string()];
        assert_eq!(types, [vec![to.to_string()], vec![to.to_string()], exception.clone(), exception]);
        run(std::slice::from_ref(&classes), "ModernHandlers", &new, 17).expect("verified")
    };
    assert_eq!(
        printed("java.io.IOException"),
        "done | done\n\
         narrow file java.io.FileNotFoundException: file | filefalse\n\
         wide eof java.io.EOFException: eof | eoffalse\n\
         escaped: state | sibling state\n"
    );
    assert_eq!(
        printed("java.lang.Exception"),
        "done | done\n\
         narrow file java.io.FileNotFoundException: file | filefalse\n\
         wide eof java.io.EOFException: eof | eoffalse\n\
         wide state java.lang.IllegalStateException: state | statefalse\n"
    );
}

#[test]
fn call_sites_of_string_concatenations_take_the_wider_type() {
    let mut class_path = Compiler::Kotlinc2.runtime_libraries().expect("Kotlin's libraries");
    class_path.push(fixture(Compiler::Kotlinc2, "flow/Templates.kt"));
    let original = fs::read(class_path[class_path.len() - 1].join("TemplatesKt.class")).expect("a class");
    let new = stretched(&original, &[(NARROW, "java.io.IOException")]);
    assert_eq!(
        run(&class_path, "TemplatesKt", &new, 17).expect("verified"),
        "done | 1 java.io.FileNotFoundException: file 2 java.io.FileNotFoundException: file | \
         2 java.io.EOFException: eof 4 java.io.EOFException: eof\n"
    );
}

/// The error of retyping the only clause of method `m` to `Exception`.
fn refusal(body: &str) -> FlowError {
    let source = format!("import java.io.*; public class T {{ {body} }}");
    only_clause(&compile(&source, &[]), |class, compiled_try| {
        retype_clauses(class, &[Retype { compiled_try, clause: 0, to: "java.lang.Exception" }])
            .expect_err("refused")
    })
}

#[test]
fn a_variable_that_other_exceptions_meet_in_refuses_a_wider_type() {
    let error = refusal(
        "static Object m(Reader r) { FileNotFoundException last = null; for (int i = 0; i < 2; i++) {
           try { r.close(); } catch (FileNotFoundException e) { last = e; } catch (IOException e) {} }
         return last; }",
    );
    assert!(matches!(&error, FlowError::Merged { narrow, .. } if narrow == NARROW), "{error}");
}

#[test]
fn code_that_takes_only_the_narrow_type_refuses_a_wider_one() {
    let bodies = [
        "static void f(FileNotFoundException e) {} static void m(Reader r) throws IOException {
           try { r.close(); } catch (FileNotFoundException e) { f(e); } }",
        "static FileNotFoundException m(Reader r) throws IOException {
           try { r.close(); return null; } catch (FileNotFoundException e) { return e; } }",
        "static FileNotFoundException f; static void m(Reader r) throws IOException {
           try { r.close(); } catch (FileNotFoundException e) { f = e; } }",
        "static Object m(Reader r) throws IOException {
           try { r.close(); return null; } catch (FileNotFoundException e) {
             return new FileNotFoundException[] { e }; } }",
        "static Runnable m(Reader r) throws IOException {
           try { r.close(); return null; } catch (FileNotFoundException e) { return () -> e.getMessage(); } }",
    ];
    for body in bodies {
        let error = refusal(body);
        assert!(matches!(&error, FlowError::Needed { narrow, .. } if narrow == NARROW), "{body}: {error}");
    }
}

#[test]
fn a_private_method_of_old_classes_is_bound_to_its_class() {
    let source = "public class T extends RuntimeException { private void p() {} static void m(Runnable r) {
        try { r.run(); } catch (T e) { e.p(); } } }";
    let error = only_clause(
        &compile_with(Compiler::Javac { jdk: 17, release: 8 }, source, &[]),
        |class, compiled_try| {
            retype_clauses(class, &[Retype { compiled_try, clause: 0, to: "java.lang.Exception" }])
                .expect_err("refused")
        },
    );
    assert!(matches!(&error, FlowError::Bound { owner, .. } if owner == "T"), "{error}");
}

#[test]
fn a_clause_cannot_have_two_new_types() {
    let source = "public class T { static void m(Runnable r) {
        try { r.run(); } catch (IllegalStateException e) { System.out.println(e); } } }";
    let error = only_clause(&compile(source, &[]), |class, compiled_try| {
        let change = |to| Retype { compiled_try, clause: 0, to };
        retype_clauses(class, &[change("java.lang.Exception"), change("java.lang.RuntimeException")])
    });
    assert_eq!(error, Err(FlowError::Ambiguous));
}

#[test]
fn retyping_to_the_same_type_changes_nothing_but_constants() {
    let classes = fixture(JAVAC, "flow/Handlers.java");
    let original = fs::read(classes.join("Handlers.class")).expect("a class");
    let new = stretched(&original, &[(NARROW, NARROW)]);
    let (old, new) =
        (ClassFile::parse(&original).expect("a class"), ClassFile::parse(&new).expect("a class"));
    for (before, after) in old.methods.iter().zip(&new.methods) {
        let code = |class: &ClassFile<'_>, method| {
            class.code(method).expect("code").map(|(_, it)| it.bytes.to_vec())
        };
        assert_eq!(code(&old, before), code(&new, after), "{}", before.name);
    }
}
