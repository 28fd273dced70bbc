//! A class taken through the writer with nothing to change comes out byte for byte, or is refused.

#![no_main]

use catchment_classfile::{ClassFile, CodeEdit, Constants, PoolAppender, relocate, replace_code};
use libfuzzer_sys::fuzz_target;

struct NoConstants;

impl Constants for NoConstants {
    fn class(&mut self, _name: &[u8]) -> Option<u16> {
        None
    }

    fn utf8(&mut self, _text: &[u8]) -> Option<u16> {
        None
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(class) = ClassFile::parse(bytes) else { return };
    let mut replacements = Vec::new();
    for method in &class.methods {
        let Ok(Some((attribute, code))) = class.code(method) else { continue };
        let edit = CodeEdit::unchanged(&code);
        if let Ok(contents) = relocate(&class, method, (attribute, code), &edit, &mut NoConstants) {
            replacements.push((attribute, contents));
        }
    }
    assert_eq!(replace_code(&class, &PoolAppender::new(&class.pool), &replacements), bytes);
});
