//! Compiles snippets and translates their methods.

use catchment_classfile::ClassFile;
use catchment_ir::{Body, Translator};
use catchment_testkit::compilers::{Compiler, Job};
use std::fs;

pub(crate) const JAVAC: Compiler = Compiler::Javac { jdk: 17, release: 17 };

/// The bytes of class `T`, of which `members` are the members.
pub(crate) fn compile(compiler: Compiler, members: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("T.java");
    fs::write(&file, format!("class T {{\n{members}\n}}\n")).expect("written");
    let classes = compiler.compile(&Job::of([file])).expect("source compiles");
    fs::read(classes.join("T.class")).expect("class T")
}

pub(crate) fn body_in(class: &ClassFile<'_>, method: &str) -> Body {
    let method = class.methods.iter().find(|it| it.name == method).expect("the method");
    Translator::default().translate(class, method).expect("translated").expect("code")
}

/// The body of method `m` as text, constants by their names.
pub(crate) fn listing(compiler: Compiler, members: &str) -> String {
    let bytes = compile(compiler, members);
    let class = ClassFile::parse(&bytes).expect("a class");
    let body = body_in(&class, "m");
    crate::invariants::check(&class, class.methods.iter().find(|it| it.name == "m").expect("m"), &body);
    named(&class, &body.to_string())
}

/// Replaces `#12` by what constant 12 is.
pub(crate) fn named(class: &ClassFile<'_>, text: &str) -> String {
    let mut parts = text.split('#');
    let mut named = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        named += &name_of(class, part[..digits].parse().expect("an index"));
        named += &part[digits..];
    }
    named
}

fn name_of(class: &ClassFile<'_>, index: u16) -> String {
    let pool = &class.pool;
    let short = |name: String| name.rsplit('/').next().unwrap_or_default().to_owned();
    let class_name = pool.class_name(index).map(|it| short(it.to_string()));
    let member = || pool.member_name(index).map(|it| it.to_string());
    let dynamic = || pool.dynamic(index).map(|(name, _)| name.to_string());
    let string = || pool.string(index).map(|it| format!("{:?}", it.to_string()));
    class_name.or_else(|_| member()).or_else(|_| dynamic()).or_else(|_| string()).expect("a name")
}
