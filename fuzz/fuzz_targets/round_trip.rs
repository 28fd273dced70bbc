//! A class taken through the writer with nothing to change comes out byte for byte; methods may be refused.

#![no_main]

use catchment_classfile::{ClassFile, rewrite};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(class) = ClassFile::parse(bytes) {
        assert_eq!(rewrite(&class).bytes, bytes);
    }
});
