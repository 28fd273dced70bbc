//! Damaged classes: reading, finding pairs and weaving never panic, and what is woven can be read again.
//!
//! Stands in for the fuzz targets under `fuzz/`, which need a nightly compiler and time.

use catchment_classfile::{ClassFile, rewrite};
use catchment_program::{LoadOptions, visit};
use catchment_testkit::jdk;
use catchment_testkit::random::Random;
use catchment_weave::{ProbeKinds, prepare};

const CLASSES: usize = 200;
const DAMAGES_PER_CLASS: usize = 60;

/// Small classes with handlers, spread over the whole image of JDK 17.
fn samples() -> Vec<Vec<u8>> {
    let image = jdk::installed(17).expect("fixture").home().join("lib/modules");
    let mut all = Vec::new();
    visit(&image, &LoadOptions::default(), &mut |class| {
        if class.bytes.len() < 6_000 && has_handlers(class.bytes) {
            all.push(class.bytes.to_vec());
        }
    })
    .expect("fixture");
    let step = all.len() / CLASSES;
    all.into_iter().step_by(step).take(CLASSES).collect()
}

fn has_handlers(bytes: &[u8]) -> bool {
    let class = ClassFile::parse(bytes).expect("fixture");
    class
        .methods
        .iter()
        .any(|method| class.code(method).expect("fixture").is_some_and(|(_, code)| code.has_exceptions()))
}

fn for_each_damaged_class(mut check: impl FnMut(&[u8])) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for class in samples() {
        for _ in 0..DAMAGES_PER_CLASS {
            let mut damaged = class.clone();
            for _ in 0..=random.below(3) {
                // Small values meet lengths, indices and offsets more often than any byte would.
                let value = if random.below(2) == 0 { random.below(16) } else { random.below(256) };
                let at = random.below(damaged.len());
                damaged[at] = u8::try_from(value).expect("fixture");
            }
            if random.below(8) == 0 {
                damaged.truncate(random.below(class.len()));
            }
            check(&damaged);
        }
    }
}

#[test]
fn damaged_classes_are_woven_or_refused() {
    let (mut woven, mut refused) = (0, 0);
    for_each_damaged_class(|bytes| {
        for (kinds, first_id) in [
            (ProbeKinds::USAGE, 3),
            (ProbeKinds::ALL, 70_000),
            (ProbeKinds::USAGE.union(ProbeKinds::ENTERED), 3),
            (ProbeKinds::ENTERED, 70_000),
            (ProbeKinds::ALL.union(ProbeKinds::EXCHANGE), 70_000),
        ] {
            let Ok(prepared) = prepare(bytes, kinds) else {
                refused += 1;
                continue;
            };
            let outcome = prepared.weave(first_id);
            assert_eq!(prepared.weave(first_id), outcome);
            if let Some(out) = outcome.bytes {
                woven += 1;
                assert_readable(&out, bytes);
            }
        }
    });
    // Damage that always or never hits something vital would test nothing.
    assert!(woven > 1_000 && refused > 1_000, "{woven} woven, {refused} refused");
}

fn assert_readable(woven: &[u8], original: &[u8]) {
    let (woven, original) =
        (ClassFile::parse(woven).expect("fixture"), ClassFile::parse(original).expect("fixture"));
    assert_eq!(woven.methods.len(), original.methods.len());
    for (method, old) in woven.methods.iter().zip(&original.methods) {
        if let Ok(Some((_, old_code))) = original.code(old)
            && old_code.insns().all(|insn| insn.is_ok())
        {
            let (_, code) = woven.code(method).expect("fixture").expect("fixture");
            assert!(code.insns().all(|insn| insn.is_ok()), "{}{}", old.name, old.descriptor);
        }
    }
}

#[test]
fn damaged_classes_come_out_of_the_writer_as_they_went_in_or_are_refused() {
    let mut rewritten = 0;
    for_each_damaged_class(|bytes| {
        let Ok(class) = ClassFile::parse(bytes) else { return };
        let out = rewrite(&class);
        assert_eq!(out.bytes, bytes);
        rewritten += out.methods;
    });
    assert!(rewritten > 1_000, "only {rewritten} methods were rewritten");
}
