//! Bytes that no compiler makes: bodies or errors, never a panic.

use crate::classes::{JAVAC, compile};
use catchment_classfile::ClassFile;
use catchment_ir::Translator;

/// Gives how many methods could be translated.
fn translate_all(translator: &mut Translator, bytes: &[u8]) -> usize {
    let Ok(class) = ClassFile::parse(bytes) else { return 0 };
    let bodies =
        class.methods.iter().filter_map(|method| translator.translate(&class, method).ok().flatten());
    // A listing looks at everything.
    bodies.filter(|body| !body.to_string().is_empty()).count()
}

fn tricky_class() -> Vec<u8> {
    compile(
        JAVAC,
        "Object m(Object[] a, long j, int i) {
           Object x = null;
           for (Object o : a) {
             try { x = o; synchronized (o) { j /= i; x = i > 3 ? o : a[i]; } }
             catch (ArithmeticException | NullPointerException e) { x = e; if (x == null) continue; }
             finally { switch (i) { case 1: x = a; break; case 2: i++; default: j++; } }
           }
           Runnable r = () -> m(a, 3, 4);
           return x == null ? r : x;
         }",
    )
}

#[test]
fn classes_with_any_byte_changed_are_translated_or_refused() {
    let original = tricky_class();
    let mut translator = Translator::default();
    let methods = translate_all(&mut translator, &original);
    assert_eq!(methods, 3);
    let mut refused = 0;
    for at in 0..original.len() {
        for change in [0xFF, 0x01, 0x80, 0x10] {
            let mut bytes = original.clone();
            bytes[at] ^= change;
            refused += usize::from(translate_all(&mut translator, &bytes) < methods);
        }
    }
    assert!(refused > 100 && refused < 4 * original.len(), "{refused}");
    assert_eq!(translate_all(&mut translator, &original), methods, "nothing bad is kept");
}

#[test]
fn random_code_is_translated_or_refused() {
    let original = tricky_class();
    let class = ClassFile::parse(&original).expect("a class");
    let method = class.methods.iter().find(|it| it.name == "m").expect("m");
    let (_, code) = class.code(method).expect("code").expect("code");
    // The rows of the exception table come behind the code and are changed as well.
    let range = code.offset..code.offset + code.bytes.len() + 50;
    let mut translator = Translator::default();
    let mut random = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let mut translated = 0;
    for round in 0..40_000 {
        let mut bytes = original.clone();
        let changes = if round % 2 == 0 { 3 } else { range.len() };
        for _ in 0..changes {
            let at = range.start + (next() as usize) % range.len();
            // Mostly opcodes that exist, or small numbers.
            bytes[at] = (next() % if round % 3 == 0 { 202 } else { 12 }) as u8;
        }
        translated += translate_all(&mut translator, &bytes);
    }
    assert!(translated > 40_000, "{translated}");
}
