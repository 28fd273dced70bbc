//! An empty subclass of an abstract exception, as a class file written by hand.

const VERSION: u16 = 50;
const ACCESS: u16 = 0x1001 | 0x20;

/// A name in the package of the class, so that it may extend it whatever its visibility.
pub(crate) fn name_for(class: &str) -> String {
    format!("{class}$$CatchmentInjected")
}

/// `name` and `superclass` are binary names with dots. The class has no constructors: it is allocated, never constructed.
pub(crate) fn bytes(name: &str, superclass: &str, _: &[()]) -> Vec<u8> {
    let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0];
    let mut put = |value: u16| bytes.extend(value.to_be_bytes());
    put(VERSION);
    // The constant pool: name, class, name of the superclass, superclass.
    put(5);
    let mut tagged = |index: u16, name: &str| {
        bytes.push(1);
        let text = name.replace('.', "/");
        bytes.extend((text.len() as u16).to_be_bytes());
        bytes.extend(text.as_bytes());
        bytes.push(7);
        bytes.extend(index.to_be_bytes());
    };
    tagged(1, name);
    tagged(3, superclass);
    for value in [ACCESS, 2, 4, 0, 0, 0, 0] {
        bytes.extend(value.to_be_bytes());
    }
    bytes
}
