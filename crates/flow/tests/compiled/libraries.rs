//! Every clause of real libraries that can catch everything is made to, and the JVM links all their classes.
//!
//! `Throwable` needs no hierarchy to be judged: few types are above it, and its methods are known.

use catchment_classfile::ClassFile;
use catchment_flow::{FlowError, NarrowNeed, Retype, handler_uses, narrow_needs, reliance, retype_clauses};
use catchment_pairs::pairs_of;
use catchment_program::{LoadOptions, visit};
use catchment_testkit::{oracle, pinned};
use std::fs;
use std::path::Path;

const ABOVE: [&str; 3] = ["java.lang.Throwable", "java.lang.Object", "java.io.Serializable"];
const METHODS: [&str; 14] = [
    "addSuppressed",
    "equals",
    "fillInStackTrace",
    "getCause",
    "getClass",
    "getLocalizedMessage",
    "getMessage",
    "getStackTrace",
    "getSuppressed",
    "hashCode",
    "initCause",
    "printStackTrace",
    "setStackTrace",
    "toString",
];

fn throwable_meets(need: &NarrowNeed) -> bool {
    match need {
        NarrowNeed::Type { name, .. } => ABOVE.contains(&name.as_str()),
        // One that returns another type is the exception's own.
        NarrowNeed::Method { name, descriptor, .. } => {
            METHODS.contains(&name.as_str())
                && (!descriptor.ends_with(';')
                    || descriptor.contains(")Ljava/lang/")
                    || descriptor.contains(")["))
        }
        NarrowNeed::Field { .. } | NarrowNeed::Unknown { .. } => false,
    }
}

/// Counts for a library.
#[derive(Debug, Default)]
struct Met {
    clauses: usize,
    retyped: usize,
    relying: usize,
    subroutines: usize,
}

/// Stores the class as it is and with all its clauses that allow it catching `Throwable`.
fn stretch(bytes: &[u8], name: &str, original: &Path, new: &Path, met: &mut Met) {
    let class = ClassFile::parse(bytes).expect("a class");
    let pairs = pairs_of(&class);
    let mut changes = Vec::new();
    for compiled_try in &pairs.tries {
        for clause in 0..compiled_try.clauses.len() {
            met.clauses += 1;
            let uses = handler_uses(&class, compiled_try, clause);
            if let Err(FlowError::Subroutine(_)) = uses {
                met.subroutines += 1;
                continue;
            }
            if narrow_needs(&uses.expect("followed")).iter().all(throwable_meets) {
                changes.push(Retype { compiled_try, clause, to: "java.lang.Throwable" });
            }
            let relied =
                reliance(&class, compiled_try, clause).expect("what can be followed once can be twice");
            met.relying += usize::from(!relied.is_empty());
        }
    }
    if !changes.is_empty() {
        met.retyped += changes.len();
        let bytes_of_new = retype_clauses(&class, &changes).expect("what meets all needs can be written");
        store(original, name, bytes);
        store(new, name, &bytes_of_new);
    }
}

fn store(root: &Path, class: &str, bytes: &[u8]) {
    let path = root.join(format!("{class}.class"));
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, bytes).expect("written");
}

/// Goes through one jar, with `others` at hand.
fn check(coordinate: &str, others: &[&str]) -> Met {
    let jar = pinned::jars(&[coordinate]).expect("a library").remove(0);
    let (original, new) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let mut met = Met::default();
    visit(&jar, &LoadOptions::default(), &mut |it| {
        let name = it.expected_name();
        if !name.starts_with("META-INF/") && !name.ends_with("module-info") {
            stretch(it.bytes, name, original.path(), new.path(), &mut met);
        }
    })
    .expect("a readable jar");
    let mut class_path = vec![jar];
    class_path.extend(pinned::jars(others).expect("libraries"));
    let linked = oracle::link_all(original.path(), new.path(), &class_path).expect("linked");
    assert_eq!(linked.differences, []);
    println!("{coordinate}: {met:?}, {} classes linked", linked.linked);
    met
}

#[test]
fn libraries_of_javac_link_with_all_clauses_retyped() {
    let met = check(pinned::LANG3, &[]);
    assert!(met.retyped > 20 && met.subroutines == 0, "{met:?}");
}

#[test]
fn libraries_of_ecj_link_with_all_clauses_retyped() {
    let met = check(pinned::ECJ_2025, &[]);
    assert!(met.retyped > 300 && met.relying > 0, "{met:?}");
}

#[test]
fn libraries_of_kotlinc_link_with_all_clauses_retyped() {
    let met = check(pinned::COROUTINES, &[pinned::KOTLIN_STDLIB_2]);
    assert!(met.retyped > 0, "{met:?}");
}
