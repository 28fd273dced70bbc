//! Interfaces that a class implements.

use crate::builder::{Builder, OBJECT, u2};
use catchment_classfile::ClassFile;

const RETURN: u8 = 177;

fn interfaces_of(bytes: &[u8]) -> Vec<String> {
    ClassFile::parse(bytes).expect("a class").interfaces().map(|name| name.to_string()).collect()
}

#[test]
fn interfaces_are_named_in_order_and_odd_ones_are_missing() {
    let plain = Builder::new(&[RETURN]).build();
    assert_eq!(interfaces_of(&plain), [""; 0]);

    let header = [0, 0x21, 0, 2, 0, 4, 0, 0];
    let at = plain.windows(header.len()).position(|window| window == header).expect("the header") + 6;
    // The class itself, what is no class, and Object.
    let interfaces = [u2(3), u2(2), u2(1), u2(OBJECT)].concat();
    let implementing = [&plain[..at], interfaces.as_slice(), &plain[at + 2..]].concat();
    assert_eq!(interfaces_of(&implementing), ["T", "java/lang/Object"]);
}
