//! Compiles fixtures, finds clauses in them, runs changed classes.

use catchment_classfile::ClassFile;
use catchment_pairs::{ClassPairs, CompiledTry, pairs_of};
use catchment_testkit::compilers::{Compiler, Job};
use catchment_testkit::{jdk, workspace};
use std::fs;
use std::path::PathBuf;

pub(crate) const JAVAC: Compiler = Compiler::Javac { jdk: 17, release: 17 };

/// The class folder of a fixture, by its path below `fixtures/`.
pub(crate) fn fixture(compiler: Compiler, path: &str) -> PathBuf {
    compiler.compile(&Job::of([workspace::root().join("fixtures").join(path)])).expect("fixture compiles")
}

/// The bytes of class `T`, which is all of `source`.
pub(crate) fn compile(source: &str, options: &[&str]) -> Vec<u8> {
    compile_with(JAVAC, source, options)
}

pub(crate) fn compile_with(compiler: Compiler, source: &str, options: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("T.java");
    fs::write(&file, source).expect("written");
    let options = options.iter().map(|it| (*it).to_string()).collect();
    let classes = compiler.compile(&Job { options, ..Job::of([file]) }).expect("source compiles");
    fs::read(classes.join("T.class")).expect("class T")
}

/// The tries of a method, in source order, and their pairs.
pub(crate) fn tries<'p>(class: &ClassFile<'_>, pairs: &'p ClassPairs, method: &str) -> Vec<&'p CompiledTry> {
    pairs.tries.iter().filter(|compiled_try| class.methods[compiled_try.method].name == method).collect()
}

/// The answer of `see` for the first clause of the only try of method `m` of a class.
pub(crate) fn only_clause<T>(bytes: &[u8], see: impl FnOnce(&ClassFile<'_>, &CompiledTry) -> T) -> T {
    let class = ClassFile::parse(bytes).expect("a class");
    let pairs = pairs_of(&class);
    let found = tries(&class, &pairs, "m");
    assert_eq!(found.len(), 1, "tries in m");
    see(&class, found[0])
}

/// The output of `main` of the class when `bytes` stand in its place, with everything verified. The others are in
/// `class_path`.
pub(crate) fn run(class_path: &[PathBuf], class: &str, bytes: &[u8], java: u32) -> Result<String, String> {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(format!("{class}.class")), bytes).expect("written");
    let own = std::iter::once(folder.path());
    let path =
        std::env::join_paths(own.chain(class_path.iter().map(PathBuf::as_path))).expect("a class path");
    let mut command = jdk::runtime(java).expect("Java").command("java");
    command.args(["-Xverify:all", "-cp"]).arg(path).arg(class);
    let output = command.output().expect("java runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}
