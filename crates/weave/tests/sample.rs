//! A fixed sample of real classes through all checks of `cargo xtask corpus`, small enough for every test run.
//!
//! The classes are those of compilers and libraries that the tests fetch anyway, made by javac, ecj and kotlinc of many
//! years.

use catchment_classfile::{ClassFile, rewrite};
use catchment_program::{LoadOptions, visit};
use catchment_testkit::{oracle, pinned};
use catchment_weave::{FirstNumbers, ProbeKinds, Weaver, prepare};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const CLASSES: usize = 2_000;

const SOURCES: &[&str] = &[
    pinned::ASM,
    pinned::ASM_TREE,
    pinned::ECJ_2009,
    pinned::ECJ_2016,
    pinned::ECJ_2025,
    pinned::KOTLIN_STDLIB_1,
    pinned::KOTLIN_STDLIB_2,
    pinned::COROUTINES,
    pinned::LANG3,
    pinned::JUNIT_CONSOLE,
];

/// Classes by name, spread evenly over the jars.
fn sample(jars: &[PathBuf]) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for jar in jars {
        visit(jar, &LoadOptions::default(), &mut |class| {
            if class.expected_name() != "module-info" {
                all.entry(class.expected_name().to_owned()).or_insert_with(|| class.bytes.to_vec());
            }
        })
        .expect("readable jar");
    }
    let step = all.len() / CLASSES;
    all.into_iter().step_by(step).take(CLASSES).collect()
}

#[test]
fn two_thousand_classes_are_rewritten_exactly_and_woven_without_harm() {
    let jars = pinned::jars(SOURCES).expect("jars");
    let classes = sample(&jars);
    assert_eq!(classes.len(), CLASSES);
    let (original, woven) =
        (tempfile::tempdir().expect("temporary folder"), tempfile::tempdir().expect("temporary folder"));
    let marked = tempfile::tempdir().expect("temporary folder");
    let in_workers = ProbeKinds::USAGE.union(ProbeKinds::METHOD_ESCAPE).union(ProbeKinds::ENTERED);
    let mut lasting = Weaver::default();
    for (number, (name, bytes)) in (0u32..).zip(&classes) {
        let rewritten = rewrite(&ClassFile::parse(bytes).expect("a class"));
        assert_eq!((&rewritten.bytes, &rewritten.refused[..]), (bytes, &[][..]), "{name}");
        // Every second class gets ids that need a constant, and clauses that can be given another object.
        let (first_id, kinds) = match number % 2 {
            0 => (0, ProbeKinds::ALL),
            _ => (40_000, ProbeKinds::ALL.union(ProbeKinds::EXCHANGE)),
        };
        let out = prepare(bytes, kinds).expect("prepared").weave(first_id);
        assert_eq!(out.skipped, [], "{name}");
        // As the agent does it: memory goes from class to class.
        let prepared = lasting.prepare(bytes, kinds).expect("prepared");
        assert_eq!(
            lasting.weave(&prepared, FirstNumbers { probe: first_id, mark: 0 }).bytes,
            out.bytes,
            "{name}, by a weaver that has woven others"
        );
        lasting.recycle(prepared);
        let prepared = lasting.prepare(bytes, in_workers).expect("prepared");
        let first = FirstNumbers { probe: first_id, mark: number * 40 };
        let with_marks = lasting.weave(&prepared, first).into_owned();
        assert_eq!(with_marks.skipped, [], "{name}");
        store(marked.path(), name, with_marks.bytes.as_deref().unwrap_or(bytes));
        lasting.recycle(prepared);
        store(original.path(), name, bytes);
        store(woven.path(), name, out.bytes.as_deref().unwrap_or(bytes));
    }
    let compared = oracle::strip_compare(original.path(), woven.path()).expect("compared");
    assert_eq!((compared.differences, compared.unreadable), (vec![], vec![]));
    assert!(compared.probes > 50_000, "only {} probes were woven", compared.probes);
    let linked = oracle::link_all(original.path(), woven.path(), &jars).expect("linked");
    assert_eq!(linked.differences, []);
    let with_marks = oracle::link_all(original.path(), marked.path(), &jars).expect("linked");
    assert_eq!(with_marks.differences, []);
    assert!(linked.linked > 1_900, "only {} classes link at all", linked.linked);
}

fn store(root: &Path, class: &str, bytes: &[u8]) {
    let path = root.join(format!("{class}.class"));
    fs::create_dir_all(path.parent().expect("a parent")).expect("folder");
    fs::write(path, bytes).expect("file");
}
