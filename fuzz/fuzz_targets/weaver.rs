//! Weaving never panics, gives the same bytes twice, and what it gives can be read again.

#![no_main]

use catchment_classfile::ClassFile;
use catchment_weave::{ProbeKinds, prepare};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for (kinds, first_id) in [
        (ProbeKinds::USAGE, 0),
        (ProbeKinds::ALL, 40_000),
        (ProbeKinds::ALL.union(ProbeKinds::EXCHANGE), 40_000),
    ] {
        let Ok(prepared) = prepare(bytes, kinds) else { return };
        let woven = prepared.weave(first_id);
        assert_eq!(prepared.weave(first_id), woven);
        let Some(out) = woven.bytes else { continue };
        let class = ClassFile::parse(&out).expect("a woven class is a class");
        let original = ClassFile::parse(bytes).expect("it was prepared");
        assert_eq!(class.methods.len(), original.methods.len());
        for (method, old) in class.methods.iter().zip(&original.methods) {
            if let Ok(Some((_, old_code))) = original.code(old)
                && old_code.insns().all(|insn| insn.is_ok())
            {
                let (_, code) = class.code(method).expect("code stays readable").expect("code stays");
                assert!(code.insns().all(|insn| insn.is_ok()));
            }
        }
    }
});
