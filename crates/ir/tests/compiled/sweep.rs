//! Every method of a sample of the classes of JDKs and libraries is translated, and the invariants hold.

use crate::invariants;
use catchment_classfile::ClassFile;
use catchment_ir::{Op, Translator};
use catchment_program::{LoadOptions, jdk_image, visit};
use catchment_testkit::{jdk, pinned};
use std::path::Path;

#[derive(Debug, Default)]
struct Met {
    methods: usize,
    phis: usize,
}

/// Looks at every `step`th class.
fn sweep(path: &Path, step: usize) -> Met {
    let mut met = Met::default();
    let mut translator = Translator::default();
    let mut classes = 0;
    visit(path, &LoadOptions::default(), &mut |it| {
        classes += 1;
        if classes % step != 0 {
            return;
        }
        let class = ClassFile::parse(it.bytes).expect("a class");
        for method in &class.methods {
            let Some(body) = translator.translate(&class, method).expect("translated") else { continue };
            invariants::check(&class, method, &body);
            met.methods += 1;
            met.phis += body.statements.iter().filter(|it| matches!(it.op, Op::Phi { .. })).count();
        }
    })
    .expect("readable");
    println!("{}: {met:?}", path.display());
    met
}

#[test]
fn a_part_of_the_jdk_is_translated_and_well_formed() {
    let image = jdk_image(jdk::installed(17).expect("a JDK").home()).expect("an image");
    let met = sweep(&image, 12);
    assert!(met.methods > 15_000 && met.phis > 1_000, "{met:?}");
}

#[test]
fn libraries_of_all_compilers_are_translated_and_well_formed() {
    let coordinates =
        [pinned::LANG3, pinned::ECJ_2009, pinned::ECJ_2025, pinned::KOTLIN_STDLIB_2, pinned::JAVAC_8];
    for jar in pinned::jars(&coordinates).expect("libraries") {
        let met = sweep(&jar, 5);
        assert!(met.methods > 500 && met.phis > 10, "{met:?}");
    }
}
