//! A concrete subclass of an abstract exception, as a class file written by hand.
//!
//! Its constructors pass everything on; the methods it must have give null, zero or nothing. None of it jumps, so a
//! class file without stack maps will do.

use catchment_classfile::access::{PUBLIC, SUPER, SYNTHETIC};

/// The last version without stack maps that are checked strictly.
const VERSION: u16 = 50;
const CLASS_FLAGS: u16 = PUBLIC | SUPER | SYNTHETIC;

mod op {
    pub(super) const ACONST_NULL: u8 = 0x01;
    pub(super) const ICONST_0: u8 = 0x03;
    pub(super) const LCONST_0: u8 = 0x09;
    pub(super) const FCONST_0: u8 = 0x0b;
    pub(super) const DCONST_0: u8 = 0x0e;
    pub(super) const ALOAD_0: u8 = 0x2a;
    pub(super) const IRETURN: u8 = 0xac;
    pub(super) const LRETURN: u8 = 0xad;
    pub(super) const FRETURN: u8 = 0xae;
    pub(super) const DRETURN: u8 = 0xaf;
    pub(super) const ARETURN: u8 = 0xb0;
    pub(super) const RETURN: u8 = 0xb1;
    pub(super) const INVOKESPECIAL: u8 = 0xb7;
}

/// A name in the package of the class, so that it may extend it whatever its visibility.
pub(crate) fn name_for(class: &str) -> String {
    format!("{class}$$CatchmentInjected")
}

/// `name` and `superclass` are binary names with dots. `constructors` are descriptors of the superclass's, which take
/// at most three objects; `methods` are names and descriptors of what has to be implemented.
pub(crate) fn bytes(
    name: &str,
    superclass: &str,
    constructors: &[&str],
    methods: &[(String, String)],
) -> Vec<u8> {
    let mut pool = Pool::default();
    let (this, parent) = (pool.class(name), pool.class(superclass));
    let code = pool.utf8("Code");
    let mut members = Vec::new();
    for descriptor in constructors {
        let target = pool.method(parent, "<init>", descriptor);
        let count = object_parameters(descriptor);
        let mut body: Vec<u8> = (0..=count).map(|local| op::ALOAD_0 + local).collect();
        body.push(op::INVOKESPECIAL);
        body.extend(target.to_be_bytes());
        body.push(op::RETURN);
        let stack = u16::from(count) + 1;
        members.push(method(pool.utf8("<init>"), pool.utf8(descriptor), code, stack, stack, &body));
    }
    for (name, descriptor) in methods {
        let (name, locals) = (pool.utf8(name), locals(descriptor));
        members.push(method(name, pool.utf8(descriptor), code, 2, locals, nothing(descriptor)));
    }
    let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe];
    put(&mut bytes, &[0, VERSION]);
    pool.write(&mut bytes);
    put(&mut bytes, &[CLASS_FLAGS, this, parent, 0, 0, members.len() as u16]);
    bytes.extend(members.concat());
    put(&mut bytes, &[0]);
    bytes
}

fn put(bytes: &mut Vec<u8>, values: &[u16]) {
    bytes.extend(values.iter().flat_map(|value| value.to_be_bytes()));
}

fn method(name: u16, descriptor: u16, code: u16, stack: u16, locals: u16, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    put(&mut bytes, &[PUBLIC, name, descriptor, 1, code]);
    bytes.extend((body.len() as u32 + 12).to_be_bytes());
    put(&mut bytes, &[stack, locals]);
    bytes.extend((body.len() as u32).to_be_bytes());
    bytes.extend(body);
    put(&mut bytes, &[0, 0]);
    bytes
}

/// The body of a method that gives as little as possible.
fn nothing(descriptor: &str) -> &'static [u8] {
    match descriptor.rsplit(')').next().and_then(|result| result.chars().next()) {
        Some('V') => &[op::RETURN],
        Some('J') => &[op::LCONST_0, op::LRETURN],
        Some('F') => &[op::FCONST_0, op::FRETURN],
        Some('D') => &[op::DCONST_0, op::DRETURN],
        Some('L' | '[') => &[op::ACONST_NULL, op::ARETURN],
        _ => &[op::ICONST_0, op::IRETURN],
    }
}

fn object_parameters(descriptor: &str) -> u8 {
    descriptor.bytes().filter(|byte| *byte == b';').count().min(3) as u8
}

/// Local variables of a method with these parameters, `this` included; two for each is always enough.
fn locals(descriptor: &str) -> u16 {
    1 + 2 * u16::try_from(descriptor.len()).unwrap_or(u16::MAX / 4)
}

#[derive(Debug, Default)]
struct Pool {
    entries: Vec<Vec<u8>>,
}

impl Pool {
    fn add(&mut self, entry: Vec<u8>) -> u16 {
        let known = self.entries.iter().position(|each| *each == entry);
        let index = known.unwrap_or_else(|| {
            self.entries.push(entry);
            self.entries.len() - 1
        });
        index as u16 + 1
    }

    fn utf8(&mut self, text: &str) -> u16 {
        let mut entry = vec![1];
        put(&mut entry, &[text.len() as u16]);
        entry.extend(text.as_bytes());
        self.add(entry)
    }

    fn pair(&mut self, tag: u8, values: &[u16]) -> u16 {
        let mut entry = vec![tag];
        put(&mut entry, values);
        self.add(entry)
    }

    fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(&name.replace('.', "/"));
        self.pair(7, &[name])
    }

    fn method(&mut self, class: u16, name: &str, descriptor: &str) -> u16 {
        let (name, descriptor) = (self.utf8(name), self.utf8(descriptor));
        let name_and_type = self.pair(12, &[name, descriptor]);
        self.pair(10, &[class, name_and_type])
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        put(bytes, &[self.entries.len() as u16 + 1]);
        bytes.extend(self.entries.concat());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jvm_s_own_disassembler_reads_the_class() {
        let methods =
            [("code".to_owned(), "(JLjava/lang/String;[I)D".to_owned()), ("name".into(), "()[B".into())];
        let constructors = ["(Ljava/lang/String;Ljava/lang/Throwable;)V", "()V"];
        let bytes = bytes("a.B$$X", "a.B", &constructors, &methods);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("B$$X.class");
        std::fs::write(&file, bytes).unwrap();
        let mut javap = catchment_testkit::jdk::installed(17).unwrap().command("javap");
        let output = javap.args(["-p", "-c"]).arg(&file).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        for line in [
            "public class a.B$$X extends a.B {",
            "public a.B$$X(java.lang.String, java.lang.Throwable);",
            "public double code(long, java.lang.String, int[]);",
            "public byte[] name();",
            "// Method a/B.\"<init>\":()V",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}
