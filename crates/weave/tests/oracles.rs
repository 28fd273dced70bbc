//! The oracles agree on what the weaver makes of the fixtures, and object to what is wrong.

use catchment_testkit::compilers::{Compiler, Job};
use catchment_testkit::oracle::{CompareReport, Linker, StripComparer, link_all, strip_compare};
use catchment_testkit::workspace::{files_below, root};
use catchment_weave::{ProbeKinds, prepare};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Each with a folder of fixtures that it can compile.
const COMPILED: &[(Compiler, &str)] = &[
    (Compiler::Javac8 { level: 8 }, "pairs/resources/TryWithResources.java"),
    (Compiler::Javac9 { level: 8 }, "pairs/resources/TryWithResources.java"),
    (Compiler::Ecj2012 { level: 7 }, "pairs/resources/TryWithResources.java"),
    (Compiler::Ecj2025 { level: 17 }, "pairs/resources"),
    (Compiler::Javac { jdk: 17, release: 17 }, "pairs/finally"),
    (Compiler::Ecj2016 { level: 8 }, "pairs/finally"),
    (Compiler::Javac { jdk: 17, release: 8 }, "pairs/nesting"),
    (Compiler::Javac { jdk: 25, release: 25 }, "pairs/members"),
    (Compiler::Ecj2025 { level: 25 }, "pairs/switches"),
    (Compiler::Javac { jdk: 17, release: 17 }, "annotated"),
    (Compiler::Ecj2025 { level: 17 }, "annotated"),
];

#[test]
fn woven_with_all_probes_the_fixtures_link_and_are_the_same_without_them() {
    let mut comparer = StripComparer::start().expect("comparer");
    let mut linker = Linker::start(&[]).expect("linker");
    for &(compiler, fixtures) in COMPILED.iter().filter(|(compiler, _)| compiler.is_here()) {
        let what = format!("{fixtures} by {}", compiler.name());
        let classes = compiled(compiler, fixtures);
        let woven = woven(&classes);
        let compared = comparer.compare(&classes, woven.path()).expect("comparison");
        assert_eq!((&compared.differences[..], &compared.unreadable[..]), (&[][..], &[][..]), "{what}");
        assert!(compared.probes > 50, "{what}: {} probes", compared.probes);
        let linked = linker.link(&classes, woven.path()).expect("links");
        assert_eq!((&linked.differences[..], linked.failed_both_ways), (&[][..], 0), "{what}");
    }
}

#[test]
fn a_changed_instruction_is_a_difference() {
    assert_differs("int f(int x) { return x + 1; }", "int f(int x) { return x - 1; }");
}

#[test]
fn a_moved_line_is_a_difference() {
    assert_differs("int f(int x) { return x; }", "\nint f(int x) { return x; }");
}

#[test]
fn a_renamed_variable_is_a_difference() {
    assert_differs("int f(int x) { return x; }", "int f(int y) { return y; }");
}

#[test]
fn another_jump_target_is_a_difference() {
    let stays = "void f(int x) { while (x > 0) { x--; if (x == 3) break; } }";
    assert_differs(stays, &stays.replace("break", "continue"));
}

#[test]
fn a_lost_and_an_added_handler_are_differences() {
    let plain = "int f(int x) { return 1 / x; }";
    let guarded = "int f(int x) { try { return 1 / x; } catch (RuntimeException e) { return 0; } }";
    assert_differs(plain, guarded);
    assert_differs(guarded, plain);
}

#[test]
fn another_caught_type_is_a_difference() {
    let guarded = "int f(int x) { try { return 1 / x; } catch (RuntimeException e) { return 0; } }";
    assert_differs(guarded, &guarded.replace("RuntimeException", "ArithmeticException"));
}

#[test]
fn another_type_annotation_is_a_difference() {
    let mark = "@java.lang.annotation.Target(java.lang.annotation.ElementType.TYPE_USE) @interface Mark { int value(); }";
    let cast = format!("{mark} Object f(Object x) {{ return (@Mark(1) String) x; }}");
    assert_differs(&cast, &cast.replace("@Mark(1)", "@Mark(2)"));
}

#[test]
fn a_class_that_only_links_unwoven_is_a_difference() {
    let mut bytes = class_of("int f(int x) { return x; }");
    let good = folder_with(&bytes);
    // iload_1, ireturn becomes iload_1, areturn.
    let code = bytes.windows(2).position(|it| it == [0x1b, 0xac]).expect("iload_1, ireturn");
    bytes[code + 1] = 0xb0;
    let bad = folder_with(&bytes);
    let report = link_all(good.path(), bad.path(), &[]).expect("links");
    assert_eq!(report.differences.len(), 1, "{report:?}");
    assert!(report.differences[0].what.contains("VerifyError"), "{report:?}");
}

fn compiled(compiler: Compiler, fixtures: &str) -> PathBuf {
    let path = root().join("fixtures").join(fixtures);
    let mut sources = if path.is_dir() { files_below(&path).expect("fixtures") } else { vec![path] };
    sources.retain(|file| file.extension().is_some_and(|it| it == "java"));
    compiler.compile(&Job::of(sources)).expect("fixtures compile")
}

/// Every class of `classes`, woven with all probe kinds, in a folder of the same layout.
fn woven(classes: &Path) -> TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    for file in files_below(classes).expect("classes") {
        let bytes = fs::read(&file).expect("class");
        let woven = prepare(&bytes, ProbeKinds::ALL).expect("class of a real compiler").weave(70_000).bytes;
        let target = folder.path().join(file.strip_prefix(classes).expect("below the folder"));
        fs::create_dir_all(target.parent().expect("parent")).expect("folder");
        fs::write(target, woven.as_deref().unwrap_or(&bytes)).expect("woven class");
    }
    folder
}

/// The comparison must see that the second is not the first with probes.
fn assert_differs(original: &str, changed: &str) {
    let (original, changed) = (class_of(original), class_of(changed));
    let report: CompareReport =
        strip_compare(folder_with(&original).path(), folder_with(&changed).path()).expect("comparison");
    assert_eq!(report.differences.len(), 1, "{report:?}");
    assert!(report.differences[0].what.starts_with("f("), "{report:?}");
}

fn class_of(member: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("temporary folder");
    let source = folder.path().join("Sample.java");
    fs::write(&source, format!("class Sample {{\n{member}\n}}\n")).expect("source");
    let classes = Compiler::Javac { jdk: 17, release: 17 }.compile(&Job::of([source])).expect("compiles");
    fs::read(classes.join("Sample.class")).expect("class")
}

fn folder_with(class: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().expect("temporary folder");
    fs::write(folder.path().join("Sample.class"), class).expect("class");
    folder
}
