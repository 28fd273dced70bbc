//! The old compilers really are what they are here for: their classes show the shapes of their time.

use catchment_testkit::compilers::{Compiler, Job};
use catchment_testkit::workspace::root;
use std::fs;

const VERSION_OFFSET: usize = 7;

/// The class file `Shapes` as `compiler` makes it.
fn shapes(compiler: Compiler, source: &str) -> Vec<u8> {
    let job = Job::of([root().join("fixtures/shapes").join(source)]);
    let classes = compiler.compile(&job).expect("fixture compiles");
    fs::read(classes.join(source).with_extension("class")).expect("compiled class")
}

fn contains(class: &[u8], text: &str) -> bool {
    class.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn javac_8_for_old_targets_writes_class_literals_by_hand() {
    let class = shapes(Compiler::Javac8 { level: 3 }, "OldShapes.java");
    assert_eq!(class[VERSION_OFFSET], 47);
    assert!(contains(&class, "class$java$lang$String"));
}

#[test]
fn try_with_resources_differs_between_javac_8_and_9_and_17() {
    let close_resource = |compiler| contains(&shapes(compiler, "Resources.java"), "$closeResource");
    assert!(!close_resource(Compiler::Javac8 { level: 8 }));
    assert!(close_resource(Compiler::Javac9 { level: 8 }));
    assert!(!close_resource(Compiler::Javac { jdk: 17, release: 8 }));
}

#[test]
fn ecj_of_2009_writes_class_literals_inline() {
    let class = shapes(Compiler::Ecj2009 { level: 4 }, "OldShapes.java");
    assert_eq!(class[VERSION_OFFSET], 48);
    assert!(contains(&class, "forName"));
    assert!(!contains(&class, "class$("));
}

#[test]
fn every_compiler_compiles_to_the_level_asked_for() {
    let versions = [
        (Compiler::Ecj2012 { level: 7 }, 51),
        (Compiler::Ecj2016 { level: 8 }, 52),
        (Compiler::Ecj2025 { level: 17 }, 61),
        (Compiler::Ecj2025 { level: 25 }, 69),
        (Compiler::Javac { jdk: 17, release: 11 }, 55),
        (Compiler::Javac { jdk: 25, release: 25 }, 69),
    ];
    for (compiler, version) in versions.into_iter().filter(|(compiler, _)| compiler.is_here()) {
        assert_eq!(shapes(compiler, "Resources.java")[VERSION_OFFSET], version, "{}", compiler.name());
    }
}

#[test]
fn a_compile_error_shows_what_the_compiler_said() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Broken.java");
    fs::write(&source, "class Broken { int x = \"text\"; }").unwrap();
    let error = Compiler::Javac { jdk: 17, release: 17 }.compile(&Job::of([source])).unwrap_err().to_string();
    assert!(error.contains("incompatible types"), "{error}");
}
